//===- ApproximateMath.cpp - Functions that vectorise ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's approximations, for those functions whose error is small over the
// whole range. Measured on every eighth f32 against f64, and rounded up:
//
//   exp   5.3 units in the last place; results below the smallest normal number
//         become 0 or that number; infinities and NaNs as in libm
//   tanh  4.8 units in the last place
//   erf   4.7 units in the last place; -0.0 becomes 0.0
//   log   wrong by a seventh where the argument is below the smallest normal
//         number: left to libm, and there is one per row of a softmax
//
// A call of libm is scalar and its results depend on the host's C library; the
// polynomial is straight-line arithmetic.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "amp-approximate-math"

namespace mlir::amp {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Upstream's, which would compute f16 in f16.
struct ApproximateErf : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    return math::ErfPolynomialApproximation(getContext())
        .matchAndRewrite(op, rewriter);
  }
};

struct ApproximateMath
    : public amp::impl::ApproximateMathPassBase<ApproximateMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return name == math::ExpOp::getOperationName() ||
             name == math::TanhOp::getOperationName();
    });
    patterns.add<ApproximateErf>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
