//===- AmpToLinalg.cpp - Casts and guarded updates as standard IR ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pattern for each operation. Rounding stays where it was: an arith.truncf
// is never folded with the arith.extf after it, so no later fusion can lose
// one.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#define DEBUG_TYPE "convert-amp-to-linalg"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTAMPTOLINALGPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// %r = amp.cast %x : f32 to f16  ->  %r = arith.truncf %x
struct LowerCast : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getInput().getType());
    Type to = getElementTypeOrSelf(op.getType());
    Location loc = op.getLoc();
    if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth()) {
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(),
                                                 op.getInput());
      return success();
    }
    Value input = op.getInput();
    if (from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth()) {
      // Between f16 and bf16: widening is exact, so this rounds once.
      Type wide = rewriter.getF32Type();
      if (auto tensor = dyn_cast<RankedTensorType>(input.getType()))
        wide = tensor.clone(wide);
      input = arith::ExtFOp::create(rewriter, loc, wide, input);
    }
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), input);
    return success();
  }
};

/// %r = amp.master_copy %m  ->  %r = arith.truncf %m
struct LowerMasterCopy : OpRewritePattern<MasterCopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MasterCopyOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(),
                                                 op.getMaster());
    return success();
  }
};

/// amp.all_reduce_found_inf %f  ->  %f
struct LowerAllReduceFoundInf : OpRewritePattern<AllReduceFoundInfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AllReduceFoundInfOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getFoundInf());
    return success();
  }
};

/// %r = amp.autocast { yield %x }  ->  %x
/// A region that is still there belongs to a program that is compiled without a
/// policy, in FP32.
struct InlineAutocast : OpRewritePattern<AutocastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AutocastOp op,
                                PatternRewriter &rewriter) const override {
    auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
    SmallVector<Value> values(yield.getValues());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&op.getBody().front(), op);
    rewriter.replaceOp(op, values);
    return success();
  }
};

/// amp.apply_if_finite %f keep(%old) { yield %new }
///   ->  scf.if %f[] { yield %old } else { yield %new }
struct LowerApplyIfFinite : OpRewritePattern<ApplyIfFiniteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ApplyIfFiniteOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value found = tensor::ExtractOp::create(rewriter, loc, op.getFoundInf(),
                                            ValueRange());
    auto branch =
        scf::IfOp::create(rewriter, loc, op.getResultTypes(), found,
                          /*addThenBlock=*/true, /*addElseBlock=*/true);
    rewriter.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(rewriter, loc, op.getKept());
    auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
    SmallVector<Value> values(yield.getValues());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&op.getBody().front(), branch.elseBlock(),
                               branch.elseBlock()->end());
    rewriter.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, values);
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};

struct ConvertAmpToLinalg
    : public amp::impl::ConvertAmpToLinalgPassBase<ConvertAmpToLinalg> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerCast, LowerMasterCopy, LowerAllReduceFoundInf,
                 InlineAutocast, LowerApplyIfFinite>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
