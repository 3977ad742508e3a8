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
// Those of expm1 and log1p lose arguments near 0 (upstream subtracts 1 and adds
// it): what is here instead reduces the argument without rounding what a small
// one has, after N. Juffa's expm1f and log1pf. The one product that is rounded,
// x^2, is a factor of a math.fma, so that nothing can be contracted. Measured
// on every eighth f32, subnormal numbers too; zeros, infinities and NaNs as in
// libm:
//
//   expm1 1.5 units in the last place
//   log1p 1.0 units in the last place
//
// A call of libm is scalar and its results depend on the host's C library; the
// polynomial is straight-line arithmetic.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/bit.h"

#include <limits>

#define DEBUG_TYPE "amp-approximate-math"

namespace mlir::amp {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// True for f32 and for vectors of it.
static bool isF32(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return (vector ? vector.getElementType() : type).isF32();
}

namespace {
/// Arithmetic on f32, or on vectors of it, and on its bits.
struct Numbers : ImplicitLocOpBuilder {
  Numbers(PatternRewriter &rewriter, Value x)
      : ImplicitLocOpBuilder(x.getLoc(), rewriter), floats(x.getType()),
        bits(withElement(getI32Type())) {}

  Type withElement(Type element) {
    if (auto vector = dyn_cast<VectorType>(floats))
      return vector.clone(element);
    return element;
  }
  Value splat(Type type, TypedAttr element) {
    if (auto vector = dyn_cast<VectorType>(type))
      element = DenseElementsAttr::get(vector, ArrayRef<Attribute>(element));
    return arith::ConstantOp::create(*this, element);
  }
  Value number(float x) { return splat(floats, getF32FloatAttr(x)); }
  Value word(uint32_t x) {
    return splat(bits, getI32IntegerAttr(static_cast<int32_t>(x)));
  }
  Value toBits(Value x) { return arith::BitcastOp::create(*this, bits, x); }
  Value toFloat(Value x) { return arith::BitcastOp::create(*this, floats, x); }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(*this, a, b, c);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, float b) {
    return arith::CmpFOp::create(*this, predicate, a, number(b));
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(*this, condition, a, b);
  }
  /// x + x^2 (c[0] + c[1] x + c[2] x^2 + ...), of full relative accuracy where
  /// the sum is well below 1 / x.
  Value correct(Value x, ArrayRef<float> c) {
    Value sum = number(c.back());
    for (float next : llvm::reverse(c.drop_back()))
      sum = fma(sum, x, number(next));
    return fma(arith::MulFOp::create(*this, x, x), sum, x);
  }

  Type floats;
  Type bits;
};

/// e^x - 1 = 2^n (e^r - 1) + 2^n - 1, where x = n ln 2 + r and |r| <= ln 2 / 2.
/// For n = 0 that is a polynomial of x; otherwise the result is at least 0.29
/// and what the polynomial adds at most 1.5 times it, so that its error does
/// not grow.
struct ExpandExpM1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!isF32(x.getType()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    // Relative error 2^-31.9 of the whole, on |r| <= 0.3473.
    const float polynomial[] = {0x1.000000p-1f,  0x1.555554p-3f,
                                0x1.5554b0p-5f,  0x1.11118ap-7f,
                                0x1.6d7356p-10f, 0x1.a032d4p-13f};
    const float log2E = 0x1.715476p+0f;
    const float ln2 = 0x1.62e430p-1f;
    const float ln2Rest = -0x1.05c610p-29f; // ln 2 - ln2
    // Its sum with an integer has the integer in its lowest bits.
    const float shift = 0x1.8p+23f;
    // Beyond these the result is -1 and infinity; NaN stays.
    const float least = -32, largest = 89;

    Numbers b(rewriter, x);
    Value within = b.select(b.compare(arith::CmpFPredicate::OLT, x, least),
                            b.number(least), x);
    within = b.select(b.compare(arith::CmpFPredicate::OGT, within, largest),
                      b.number(largest), within);
    Value shifted = b.fma(within, b.number(log2E), b.number(shift));
    Value n = arith::SubFOp::create(b, shifted, b.number(shift));
    Value r = b.fma(n, b.number(-ln2), within);
    r = b.fma(n, b.number(-ln2Rest), r);
    Value small = b.correct(r, polynomial);
    // Half of it all, as 2^128 is no f32: 2^(n - 1) by its exponent's bits.
    Value exponent = arith::ShLIOp::create(b, b.toBits(shifted), b.word(23));
    Value half =
        b.toFloat(arith::AddIOp::create(b, exponent, b.word(126u << 23)));
    Value rest = arith::SubFOp::create(b, half, b.number(0.5f));
    Value sum = b.fma(half, small, rest);
    Value result = arith::AddFOp::create(b, sum, sum);
    result =
        b.select(b.compare(arith::CmpFPredicate::OEQ, n, 0), small, result);
    // -0.0, whose sign the sum has lost.
    result = b.select(b.compare(arith::CmpFPredicate::OEQ, x, 0), x, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// log(1 + x) = e ln 2 + log(1 + m), where 1 + x = 2^e (1 + m) and 1 + m is
/// from 0.75 to 1.5. Computed as m = 2^-e x + (2^-e - 1): exact where e is 0,
/// and where it is not, up to numbers whose logarithm does not see it.
struct ExpandLog1p : OpRewritePattern<math::Log1pOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Log1pOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!isF32(x.getType()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    // Relative error 2^-30.4 of the whole, on [-0.2501, 0.5001].
    const float polynomial[] = {
        -0x1.fffffep-2f, 0x1.55555cp-2f, -0x1.0000c4p-2f, 0x1.9997a2p-3f,
        -0x1.5509d6p-3f, 0x1.244a2ep-3f, -0x1.051fb6p-3f, 0x1.e18aaep-4f,
        -0x1.75e3bap-4f, 0x1.31c37ap-5f};
    const float ln2 = 0x1.62e430p-1f;

    Numbers b(rewriter, x);
    Value sum = arith::AddFOp::create(b, x, b.number(1));
    // e, where a float has its exponent: which multiple of 0.75 is reached.
    Value e = arith::SubIOp::create(b, b.toBits(sum),
                                    b.word(llvm::bit_cast<uint32_t>(0.75f)));
    e = arith::AndIOp::create(b, e, b.word(0xFF800000u));
    Value scaled = b.toFloat(arith::SubIOp::create(b, b.toBits(x), e));
    // 4 times 2^-e, which is normal for each e.
    Value scale = b.toFloat(
        arith::SubIOp::create(b, b.word(llvm::bit_cast<uint32_t>(4.0f)), e));
    Value rest = b.fma(scale, b.number(0.25f), b.number(-1));
    Value m = arith::AddFOp::create(b, scaled, rest);
    Value count = arith::SIToFPOp::create(b, b.floats, e);
    Value result =
        b.fma(count, b.number(ln2 * 0x1p-23f), b.correct(m, polynomial));
    // Zeros and +inf are what they are, -1 is a pole, NaN what is left of it.
    const float infinity = std::numeric_limits<float>::infinity();
    Value above = b.compare(arith::CmpFPredicate::OGT, x, -1);
    Value other = b.select(b.compare(arith::CmpFPredicate::OEQ, x, -1),
                           b.number(-infinity),
                           b.number(std::numeric_limits<float>::quiet_NaN()));
    other = b.select(above, x, other);
    Value usual = arith::AndIOp::create(
        b, above,
        arith::AndIOp::create(b,
                              b.compare(arith::CmpFPredicate::OLT, x, infinity),
                              b.compare(arith::CmpFPredicate::ONE, x, 0)));
    rewriter.replaceOp(op, b.select(usual, result, other));
    return success();
  }
};

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
    // f16 and bf16 by f32, whose result is rounded once.
    populateMathF32ExpansionPatterns(patterns, [](StringRef name) {
      return name == math::ExpM1Op::getOperationName() ||
             name == math::Log1pOp::getOperationName();
    });
    patterns.add<ApproximateErf, ExpandExpM1, ExpandLog1p>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
