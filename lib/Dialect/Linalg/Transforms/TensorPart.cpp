//===- TensorPart.cpp - A part of a tensor, read and written --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorPart.h"
#include "amp/Analysis/Fill.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amp;

bool amp::isEmptyOrFilled(Value tensor) {
  auto fill = tensor.getDefiningOp<linalg::LinalgOp>();
  return tensor.getDefiningOp<tensor::EmptyOp>() ||
         (fill && getFillValue(fill));
}

TensorPart::TensorPart(Builder &b, RankedTensorType type)
    : type(type), offsets(type.getRank(), b.getIndexAttr(0)) {}

void TensorPart::cut(unsigned dim, OpFoldResult offset, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  isCut |= shape[dim] != size;
  shape[dim] = size;
  type = type.clone(shape);
  offsets[dim] = offset;
}

SmallVector<OpFoldResult> TensorPart::getSizes() const {
  return getAsIndexOpFoldResult(type.getContext(), type.getShape());
}

SmallVector<OpFoldResult> TensorPart::getStrides() const {
  return SmallVector<OpFoldResult>(offsets.size(),
                                   Builder(type.getContext()).getIndexAttr(1));
}

Value TensorPart::extract(OpBuilder &b, Location loc, Value whole) const {
  return tensor::ExtractSliceOp::create(b, loc, type, whole, offsets,
                                        getSizes(), getStrides());
}

Value TensorPart::insert(OpBuilder &b, Location loc, Value part,
                         Value whole) const {
  return tensor::InsertSliceOp::create(b, loc, part, whole, offsets, getSizes(),
                                       getStrides());
}

Value TensorPart::extractOrFill(OpBuilder &b, Location loc, Value whole) const {
  if (!isEmptyOrFilled(whole))
    return extract(b, loc, whole);
  Value empty = tensor::EmptyOp::create(b, loc, type, ValueRange());
  auto fill = whole.getDefiningOp<linalg::LinalgOp>();
  if (!fill)
    return empty;
  // Of the same kind: the fusion plan knows operations with bodies.
  SmallVector<Value> operands = fill.getDpsInputs();
  operands.push_back(empty);
  return clone(b, fill, type, operands)->getResult(0);
}
