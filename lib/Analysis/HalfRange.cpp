//===- HalfRange.cpp - Constants that a half type has no number for -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are looked up where they are used: a scalar in a body may be a
// constant outside, rounded from f64, or an element of a tensor that is filled
// with one.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/HalfRange.h"

#include "ScaleConstants.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::amp;

static bool isBeyond(Value value, FloatType half) {
  auto constant = dyn_cast_if_present<FloatAttr>(getUniformConstantHere(value));
  if (!constant || !constant.getValue().isFinite())
    return false;
  APFloat number = constant.getValue();
  bool losesInfo;
  number.convert(half.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.isInfinity();
}

/// The operands of an operation on numbers, or on tensors element by element,
/// that its result may be, or be computed from.
static OperandRange getContributions(Operation *op) {
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
          math::FmaOp, linalg::YieldOp>(op))
    return op->getOperands();
  if (isa<arith::SelectOp>(op))
    return op->getOperands().drop_front();
  return op->getOperands().take_front(0);
}

bool mlir::amp::usesConstantBeyond(Operation *op, FloatType half) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return llvm::any_of(getContributions(op),
                        [&](Value operand) { return isBeyond(operand, half); });
  if (linalgOp.getNumReductionLoops() != 0)
    return false;
  return llvm::any_of(
      linalgOp.getBlock()->getOperations(), [&](Operation &inner) {
        return llvm::any_of(getContributions(&inner), [&](Value operand) {
          return isBeyond(operand, half);
        });
      });
}
