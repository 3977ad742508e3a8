//===- LinearMap.cpp - Results of affine maps as sums of loops ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream flattens expressions; what has quotients or remainders has terms for
// those beside the loops', and is not linear.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/LinearMap.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::amp;

std::optional<LinearExpr> LinearExpr::get(AffineExpr expr, unsigned numLoops) {
  SmallVector<int64_t> terms;
  if (failed(
          getFlattenedAffineExpr(expr, numLoops, /*numSymbols=*/0, &terms)) ||
      terms.size() != numLoops + 1)
    return std::nullopt;
  LinearExpr linear;
  linear.constant = terms.pop_back_val();
  linear.coefficients = std::move(terms);
  return linear;
}

std::pair<int64_t, int64_t>
LinearExpr::getRange(ArrayRef<int64_t> extents) const {
  int64_t least = constant, greatest = constant;
  for (auto [coefficient, extent] : llvm::zip_equal(coefficients, extents))
    (coefficient < 0 ? least : greatest) += coefficient * (extent - 1);
  return {least, greatest};
}

FailureOr<std::optional<unsigned>> amp::getDimAlong(AffineMap map,
                                                    unsigned loop) {
  std::optional<unsigned> found;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(loop))
      continue;
    if (found || !isa<AffineDimExpr>(expr))
      return failure();
    found = dim;
  }
  return found;
}

bool amp::walksOneDim(AffineMap map, unsigned loop) {
  FailureOr<std::optional<unsigned>> dim = getDimAlong(map, loop);
  return succeeded(dim) && *dim;
}

bool amp::fitsExtents(AffineMap map, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> extents) {
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      if (ShapedType::isDynamic(size) || extents[loop.getPosition()] != size)
        return false;
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      if (constant.getValue() < 0)
        return false;
  }
  return true;
}
