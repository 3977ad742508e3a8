//===- ExpandArith.cpp - Arithmetic that LLVM has no instruction for ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's expansions, but for maxima and minima of f32 and f64: LLVM has
// intrinsics for them, knows a loop of them for a reduction and vectorises it,
// which it does not with comparisons and selections. The intrinsics also order
// zeros by sign, as arith.maximumf does. Roundings to bf16 become integer
// arithmetic: no library call per element, and the same bits on every host.
// NaN becomes the one that is rounded to itself before, where upstream chooses
// among the halves that are left: LLVM has no selection of vectors of bf16 for
// CPUs without AVX-512, and takes their elements one by one (gpt_mid at O5, on
// a CPU with AVX2: 80 of 2141 ms).
//
// Between bf16 and f64, which upstream leaves, f32 stands in the middle. A
// value that is rounded to it and again to bf16 could be off by one: the first
// rounding is to odd, which keeps for the second that something was lost (Boldo
// and Melquiond, When Double Rounding is Odd, 2005).
//
//===----------------------------------------------------------------------===//

#include "ElementType.h"
#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

#include <limits>

#define DEBUG_TYPE "amp-expand-arith"

namespace mlir::amp {
#define GEN_PASS_DEF_EXPANDARITHPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static bool isF64(Type type) { return getElementTypeOrSelf(type).isF64(); }

static bool isWide(Type type) {
  return getElementTypeOrSelf(type).isF32() || isF64(type);
}

/// Whether `op` rounds to the nearest number, which is all that is written
/// here; other modes are refused.
static bool roundsToNearest(arith::TruncFOp op) {
  return op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) ==
         arith::RoundingMode::to_nearest_even;
}

static bool isBF16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

namespace {
struct ExtendByF32 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isBF16(op.getIn().getType()) || !isF64(op.getType()))
      return failure();
    Value wide = arith::ExtFOp::create(
        rewriter, op.getLoc(), withElement(op.getType(), rewriter.getF32Type()),
        op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), wide);
    return success();
  }
};

struct RoundByF32 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!isF64(x.getType()) || !isBF16(op.getType()) || !roundsToNearest(op))
      return failure();
    Location loc = op.getLoc();
    Type f32 = withElement(op.getType(), rewriter.getF32Type());
    Type i32 = withElement(op.getType(), rewriter.getI32Type());
    Value nearest = arith::TruncFOp::create(rewriter, loc, f32, x);
    Value back = arith::ExtFOp::create(rewriter, loc, x.getType(), nearest);
    Value isInexact = arith::CmpFOp::create(rewriter, loc,
                                            arith::CmpFPredicate::ONE, back, x);
    // Away from zero: the number before it is the one towards zero, by its
    // bits.
    Value isAway =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT,
                              math::AbsFOp::create(rewriter, loc, back),
                              math::AbsFOp::create(rewriter, loc, x));
    Value bits = arith::BitcastOp::create(rewriter, loc, i32, nearest);
    bits = arith::SubIOp::create(
        rewriter, loc, bits,
        arith::ExtUIOp::create(rewriter, loc, i32, isAway));
    bits = arith::OrIOp::create(
        rewriter, loc, bits,
        arith::ExtUIOp::create(rewriter, loc, i32, isInexact));
    Value odd = arith::BitcastOp::create(rewriter, loc, f32, bits);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
    return success();
  }
};

struct RoundToBF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x.getType()).isF32() || !isBF16(op.getType()) ||
        !roundsToNearest(op))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto constant = [&](TypedAttr value) -> Value {
      if (auto shaped = dyn_cast<ShapedType>(op.getType()))
        value = DenseElementsAttr::get(shaped.clone(value.getType()), value);
      return arith::ConstantOp::create(b, value);
    };
    auto number = [&](int32_t value) {
      return constant(b.getI32IntegerAttr(value));
    };
    Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    Value quiet =
        constant(b.getF32FloatAttr(std::numeric_limits<float>::quiet_NaN()));
    Value chosen = arith::SelectOp::create(b, isNaN, quiet, x);
    Value bits = arith::BitcastOp::create(
        b, withElement(op.getType(), b.getI32Type()), chosen);
    // To the nearest, ties to the even one: half of the last place is added,
    // a little less where the last bit that stays is clear.
    Value last = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, bits, number(16)), number(1));
    Value rounded = arith::AddIOp::create(
        b, arith::AddIOp::create(b, bits, number(0x7fff)), last);
    Value narrow =
        arith::TruncIOp::create(b, withElement(op.getType(), b.getI16Type()),
                                arith::ShRUIOp::create(b, rounded, number(16)));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

struct ExpandArith : public amp::impl::ExpandArithPassBase<ExpandArith> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateArithExpandOpsPatterns(patterns);
    arith::populateExpandBFloat16Patterns(patterns);
    patterns.add<ExtendByF32, RoundByF32>(&getContext());
    patterns.add<RoundToBF16>(&getContext(), /*benefit=*/2);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addLegalDialect<arith::ArithDialect, math::MathDialect,
                           vector::VectorDialect>();
    target.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp,
                        arith::FloorDivSIOp, arith::MaxNumFOp,
                        arith::MinNumFOp>();
    target.addDynamicallyLegalOp<arith::MaximumFOp, arith::MinimumFOp>(
        [](Operation *op) { return isWide(op->getResult(0).getType()); });
    target.addDynamicallyLegalOp<arith::ExtFOp>(
        [](arith::ExtFOp op) { return !isBF16(op.getIn().getType()); });
    target.addDynamicallyLegalOp<arith::TruncFOp>(
        [](arith::TruncFOp op) { return !isBF16(op.getType()); });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
