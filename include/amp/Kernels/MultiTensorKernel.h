//===- MultiTensorKernel.h - One kernel for many tensors --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops of one form (ElementwiseLoop) as one kernel, whose blocks take chunks
// of their tensors.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_MULTITENSORKERNEL_H
#define AMP_KERNELS_MULTITENSORKERNEL_H

#include "amp/Kernels/ElementKernel.h"
#include "amp/Kernels/ElementwiseLoop.h"

namespace mlir::amp {

class MultiTensorKernel {
public:
  /// How many of `loops`, which have one form, a kernel can take whose
  /// parameters have `bytes`.
  static int64_t getMostLoops(ArrayRef<ElementwiseLoop> loops, int64_t bytes);

  explicit MultiTensorKernel(ArrayRef<ElementwiseLoop> loops);

  /// What is read: `shared0` and on for numbers that all loops read, as memory
  /// of one element; of loop 3, `in3_0` and on.
  ArrayRef<ElementKernel::Input> getInputs() const { return inputs; }
  /// The results of all loops, those of loop 3 `out3_0` and on.
  ArrayRef<std::string> getOutputNames() const { return outputs; }

  /// Adds a gpu.module `name` with a kernel of that name at the builder's
  /// insertion point.
  gpu::GPUModuleOp emit(OpBuilder &builder, StringRef name) const;

private:
  SmallVector<ElementwiseLoop> loops;
  /// Columns that are one number for all loops.
  SmallVector<bool> isShared;
  SmallVector<ElementKernel::Input> inputs;
  SmallVector<std::string> outputs;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_MULTITENSORKERNEL_H
