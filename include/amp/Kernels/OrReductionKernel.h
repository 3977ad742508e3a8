//===- OrReductionKernel.h - Bits that elements of many tensors have ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Or-reductions that are ored together as one kernel, whose blocks take chunks
// of their tensors, and one in front of it that writes what they begin with.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_ORREDUCTIONKERNEL_H
#define AMP_KERNELS_ORREDUCTIONKERNEL_H

#include "amp/Kernels/ElementKernel.h"
#include "amp/Kernels/OrReduction.h"

namespace mlir::amp {

class OrReductionKernel {
public:
  /// Of how many tensors a kernel can have addresses whose parameters have
  /// `bytes`.
  static int64_t getMostTensors(int64_t bytes);

  /// Of reductions of which one has elements, and of what they begin with, a
  /// tensor.
  OrReductionKernel(ArrayRef<OrReduction> ored, Value begin);

  /// What is read: `in0` and on for tensors with elements, those with the same
  /// computation together, and `start0` for what they begin with, if that
  /// is not known.
  ArrayRef<ElementKernel::Input> getInputs() const { return inputs; }
  /// The result, `out0`.
  std::string getOutputName() const { return "out0"; }

  /// Adds a gpu.module `name` with two kernels, `name`_start and `name`, at the
  /// builder's insertion point.
  gpu::GPUModuleOp emit(OpBuilder &builder, StringRef name) const;

private:
  void emitStart(OpBuilder &builder, StringRef name) const;

  /// What they begin with, if that is known.
  std::optional<int64_t> start;
  /// Those with the same computation follow one another.
  SmallVector<OrReduction> reductions;
  SmallVector<ElementKernel::Input> inputs;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_ORREDUCTIONKERNEL_H
