//===- StorageOrder.h - The order of a tensor's dimensions ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A storage order lists the dimensions of a value as they were written, in the
// order in which they lie in memory, the outermost first. For a value of
// dimensions N, C, H, W, channels innermost is [0, 2, 3, 1]: what
// linalg.transpose calls a permutation.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LAYOUT_STORAGEORDER_H
#define AMP_LAYOUT_STORAGEORDER_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::amp {

using StorageOrder = SmallVector<int64_t, 6>;

/// The order in which a tensor of that rank is written.
StorageOrder getWrittenOrder(int64_t rank);

bool isWrittenOrder(ArrayRef<int64_t> order);

/// The dimensions of `order` that have more than one element: two orders with
/// the same of them are the same bytes.
StorageOrder getMovingDims(ArrayRef<int64_t> shape, ArrayRef<int64_t> order);

inline bool isSameInMemory(ArrayRef<int64_t> shape, ArrayRef<int64_t> a,
                           ArrayRef<int64_t> b) {
  return getMovingDims(shape, a) == getMovingDims(shape, b);
}

/// True if `type` is a ranked tensor that can be stored in several ways.
/// Matrices are none: a product reads them in either.
bool hasSeveralOrders(Type type);

/// `list`, one entry for each dimension as written, in `order`.
template <typename List>
auto reorder(const List &list, ArrayRef<int64_t> order) {
  SmallVector<std::decay_t<decltype(list[0])>> result;
  for (int64_t dim : order)
    result.push_back(list[dim]);
  return result;
}

/// The type of a value of type `type`, stored in `order`.
RankedTensorType reorderType(RankedTensorType type, ArrayRef<int64_t> order);

/// Where each dimension as written stands in `order`.
StorageOrder getPositions(ArrayRef<int64_t> order);

} // namespace mlir::amp

#endif // AMP_LAYOUT_STORAGEORDER_H
