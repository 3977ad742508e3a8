//===- BatchLoops.h - Matrices that are numbered by loops -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel numbers the matrices of its batch from 0. Where they do not follow
// one another in memory, the number is split into those of loops with a stride
// each. The loops' sizes are constants of the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_DEVICE_BATCHLOOPS_H
#define AMP_LIB_KERNELS_DEVICE_BATCHLOOPS_H

#include "DeviceBuilder.h"

namespace mlir::amp {

/// The number in each loop of matrix `batch`; `sizes` are the loops', the
/// outermost first.
inline SmallVector<Number, 3> splitBatch(Number batch,
                                         ArrayRef<int64_t> sizes) {
  SmallVector<Number, 3> places(sizes.size());
  for (size_t loop = sizes.size(); loop > 0; --loop) {
    places[loop - 1] = loop == 1 ? batch : batch % sizes[loop - 1];
    if (loop > 1)
      batch = batch / sizes[loop - 1];
  }
  return places;
}

/// The address of the matrix with these numbers. An element has `bytes`.
inline Value advanceToMatrix(DeviceBuilder &b, Value pointer, int64_t bytes,
                             ArrayRef<Number> places,
                             ArrayRef<int64_t> strides) {
  // LLVM has no floats of 8 bits.
  Type type = b.getIntegerType(8 * bytes);
  for (auto [place, stride] : llvm::zip_equal(places, strides))
    if (stride)
      pointer = b.element(pointer, type, place, b.number(stride), b.number(0));
  return pointer;
}

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_DEVICE_BATCHLOOPS_H
