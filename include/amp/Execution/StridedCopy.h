//===- StridedCopy.h - Copies between arrays of any strides -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For compiled code, which calls it where a copy is no row of memory, and for
// callers whose arrays have gaps.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_STRIDEDCOPY_H
#define AMP_EXECUTION_STRIDEDCOPY_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace mlir::amp {

/// Copies an array of `extents` with elements of `elementSize` bytes, strides
/// in elements. The two do not overlap.
void copyStrided(int64_t elementSize, llvm::ArrayRef<int64_t> extents,
                 const char *from, llvm::ArrayRef<int64_t> fromStrides,
                 char *to, llvm::ArrayRef<int64_t> toStrides);

/// MLIR's descriptor of an array whose rank is data.
struct DescribedArray {
  int64_t rank;
  /// { T *allocated, *aligned; int64_t offset, sizes[rank], strides[rank]; }
  void *descriptor;
};

/// What finalize-memref-to-llvm calls `memrefCopy`.
void copyDescribedArray(int64_t elementSize, const DescribedArray *from,
                        const DescribedArray *to);

} // namespace mlir::amp

#endif // AMP_EXECUTION_STRIDEDCOPY_H
