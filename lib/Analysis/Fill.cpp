//===- Fill.cpp - Tensors of one value ------------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Fill.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

Value amp::getFillValue(linalg::LinalgOp op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return fill.value();
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation())
    return {};
  return linalg::isaFillOpInterface(generic).value_or(Value());
}

TypedAttr amp::getSplatValue(Value value) {
  Attribute attribute;
  if (matchPattern(value, m_Constant(&attribute))) {
    if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
      return dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
    return isa<ShapedType>(value.getType()) ? TypedAttr()
                                            : dyn_cast<TypedAttr>(attribute);
  }
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  Value number = op ? getFillValue(op) : Value();
  return number ? getSplatValue(number) : TypedAttr();
}

bool amp::fillsWithZero(Operation *op, Value memref) {
  auto fill = dyn_cast<linalg::LinalgOp>(op);
  if (!fill || !fill.hasPureBufferSemantics() || fill.getNumDpsInits() != 1 ||
      fill.getDpsInits()[0] != memref)
    return false;
  Value value = getFillValue(fill);
  return value && matchPattern(value, m_PosZeroFloat());
}

bool amp::isFilledWithZero(Value tensor) {
  if (matchPattern(tensor, m_AnyZeroFloat()))
    return true;
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  Value value = op ? getFillValue(op) : Value();
  return value && matchPattern(value, m_AnyZeroFloat());
}
