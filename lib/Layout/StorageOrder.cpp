//===- StorageOrder.cpp - The order of a tensor's dimensions --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on permutations. Dimensions of one element are in every order
// where they are convenient: moving them moves nothing.
//
//===----------------------------------------------------------------------===//

#include "amp/Layout/StorageOrder.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::amp;

StorageOrder mlir::amp::getWrittenOrder(int64_t rank) {
  return llvm::to_vector<6>(llvm::seq<int64_t>(0, rank));
}

bool mlir::amp::isWrittenOrder(ArrayRef<int64_t> order) {
  return llvm::equal(order, llvm::seq<int64_t>(0, order.size()));
}

StorageOrder mlir::amp::getMovingDims(ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> order) {
  StorageOrder moving;
  for (int64_t dim : order)
    if (shape[dim] != 1)
      moving.push_back(dim);
  return moving;
}

bool mlir::amp::hasSeveralOrders(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding() && tensor.getRank() > 2 &&
         llvm::count_if(tensor.getShape(),
                        [](int64_t extent) { return extent != 1; }) > 1;
}

RankedTensorType mlir::amp::reorderType(RankedTensorType type,
                                        ArrayRef<int64_t> order) {
  return type.clone(reorder(type.getShape(), order));
}

StorageOrder mlir::amp::getPositions(ArrayRef<int64_t> order) {
  StorageOrder positions(order.size());
  for (auto [position, dim] : llvm::enumerate(order))
    positions[dim] = position;
  return positions;
}
