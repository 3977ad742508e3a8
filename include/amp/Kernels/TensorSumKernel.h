//===- TensorSumKernel.h - Sums of many tensors as one launch --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kernels: sums of chunks of all tensors, and for each tensor the sum of
// its chunks. Which elements are added in which order depends on the extents of
// the tensor alone, so results are the same in each run and for each grid.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_TENSORSUMKERNEL_H
#define AMP_KERNELS_TENSORSUMKERNEL_H

#include "amp/Kernels/ElementKernel.h"
#include "amp/Kernels/TensorSum.h"

namespace mlir::amp {

class TensorSumKernel {
public:
  /// Of how many tensors a kernel can have addresses whose parameters have
  /// `bytes`, if their sums read so many numbers.
  static int64_t getMostTensors(int64_t bytes, int64_t numbers);

  /// Of sums that compute the same.
  explicit TensorSumKernel(ArrayRef<TensorSum> sums);

  /// What is read: `number0` and on for numbers, `in0` and on for tensors.
  ArrayRef<ElementKernel::Input> getInputs() const { return inputs; }
  /// The results, `out0` and on, an f32 each, and `parts`, sums of chunks.
  SmallVector<std::string> getOutputNames() const;
  SmallVector<Type> getOutputTypes() const;

  /// Adds a gpu.module `name` with two kernels, `name`_parts and `name`, at the
  /// builder's insertion point.
  gpu::GPUModuleOp emit(OpBuilder &builder, StringRef name) const;

private:
  SmallVector<TensorSum> sums;
  SmallVector<ElementKernel::Input> inputs;
  /// Of all tensors.
  int64_t numChunks = 0;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_TENSORSUMKERNEL_H
