//===- RowKernel.h - Kernels that put one tensor into another ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What copies and pads have in common: `in0` is read and `out0` written, and
// threads share the elements of the target in its order, so that neighbours
// write neighbours. A thread has as many elements at once as one access takes
// in the target's innermost dimension.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ELEMENTS_ROWKERNEL_H
#define AMP_LIB_KERNELS_ELEMENTS_ROWKERNEL_H

#include "Elements/TilePlaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::amp {

/// Of the dimensions of a target, the last that has more than one element.
unsigned getInnermost(ArrayRef<int64_t> extents);

/// The most elements of `element` that one access takes, or half as many and so
/// on down to 1, that `fits` holds for.
int64_t chooseRowWidth(Type element, function_ref<bool(int64_t width)> fits);

struct RowKernel {
  Type element;
  /// Of the target, and elements that a thread has at once in the innermost.
  ArrayRef<int64_t> extents;
  int64_t width;
  /// Elements of memory from the first to the last of both.
  int64_t read, written;
};

/// Adds a gpu.module `name` with a kernel of that name at the builder's
/// insertion point. `body` writes the element at `indices` of the target and
/// those behind it.
gpu::GPUModuleOp emitRowKernel(OpBuilder &builder, Location loc, StringRef name,
                               const RowKernel &kernel,
                               function_ref<void(DeviceBuilder &b, Value source,
                                                 Value target, Numbers indices)>
                                   body);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_ROWKERNEL_H
