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

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

bool amp::isWithin(Value index, int64_t size) {
  if (ShapedType::isDynamic(size))
    return false;
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.sge(0) && constant.slt(size);
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  if (!loop)
    return false;
  auto op = cast<linalg::LinalgOp>(loop->getParentOp());
  int64_t extent = op.getStaticLoopRanges()[loop.getDim()];
  return !ShapedType::isDynamic(extent) && extent <= size;
}
