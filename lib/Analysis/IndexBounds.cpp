//===- IndexBounds.cpp - Indices that stay inside a tensor ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of loops are left out: reads by them become operands
// (amp-raise-extracts), and what is left reads by data.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/IndexBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

/// Whether `condition` says of `index` that it is at least 0 and below `size`,
/// or below less: a comparison without sign.
static bool isAskedFor(Value condition, Value index, int64_t size) {
  auto comparison = condition.getDefiningOp<arith::CmpIOp>();
  APInt end;
  return comparison && comparison.getPredicate() == arith::CmpIPredicate::ult &&
         comparison.getLhs() == index &&
         matchPattern(comparison.getRhs(), m_ConstantInt(&end)) && end.sge(0) &&
         end.sle(size);
}

bool amp::isWithin(Value index, int64_t size) {
  if (ShapedType::isDynamic(size))
    return false;
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.sge(0) && constant.slt(size);
  if (auto choice = index.getDefiningOp<arith::SelectOp>())
    return isWithin(choice.getFalseValue(), size) &&
           (isWithin(choice.getTrueValue(), size) ||
            isAskedFor(choice.getCondition(), choice.getTrueValue(), size));
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  if (!loop)
    return false;
  auto op = cast<linalg::LinalgOp>(loop->getParentOp());
  int64_t extent = op.getStaticLoopRanges()[loop.getDim()];
  return !ShapedType::isDynamic(extent) && extent <= size;
}
