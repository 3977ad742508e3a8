//===- LinearMap.cpp - Results of affine maps as sums of loops ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk over the expression that carries the factor down. Constants stand on
// the right of a product in canonical form; division and remainder are not
// linear.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/LinearMap.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::amp;

/// Adds `factor` times `expr` to `linear`. False if `expr` is not linear.
static bool add(AffineExpr expr, int64_t factor, LinearExpr &linear) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    linear.coefficients[dim.getPosition()] += factor;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    linear.constant += factor * constant.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false; // a symbol
  if (binary.getKind() == AffineExprKind::Add)
    return add(binary.getLHS(), factor, linear) &&
           add(binary.getRHS(), factor, linear);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && constant &&
         add(binary.getLHS(), factor * constant.getValue(), linear);
}

std::optional<LinearExpr> LinearExpr::get(AffineExpr expr, unsigned numLoops) {
  LinearExpr linear;
  linear.coefficients.assign(numLoops, 0);
  if (!add(expr, 1, linear))
    return std::nullopt;
  return linear;
}

std::pair<int64_t, int64_t>
LinearExpr::getRange(ArrayRef<int64_t> extents) const {
  int64_t least = constant, greatest = constant;
  for (auto [coefficient, extent] : llvm::zip_equal(coefficients, extents))
    (coefficient < 0 ? least : greatest) += coefficient * (extent - 1);
  return {least, greatest};
}

bool amp::areLoopExtentsKnown(ArrayRef<AffineMap> maps) {
  llvm::SmallBitVector known(maps.front().getNumDims());
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        known.set(dim.getPosition());
  return known.all();
}
