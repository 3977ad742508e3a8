//===- DecomposePads.cpp - What is put together of parts ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns: a tensor.pad is a fill and an insertion, a tensor.concat
// an insertion for each part. An insertion is a copy once there are buffers;
// a pad would be a loop of the host.
//
// There is no insertion of nothing at the end of a tensor, nor one in front of
// it. So parts of no elements are left out before, a pad of no elements is a
// fill alone, and what a negative pad cuts off is a slice.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "amp-decompose-pads"

namespace mlir::amp {
#define GEN_PASS_DEF_DECOMPOSEPADSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// concat(%a, %nothing) -> %a
struct DropEmptyParts : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp concat,
                                PatternRewriter &rewriter) const override {
    auto isEmpty = [](Value part) {
      return llvm::is_contained(
          cast<RankedTensorType>(part.getType()).getShape(), 0);
    };
    SmallVector<Value> parts(concat.getInputs());
    llvm::erase_if(parts, isEmpty);
    if (parts.size() == concat.getInputs().size())
      return failure();
    if (parts.empty() && !concat.getResultType().hasStaticShape())
      return failure();
    if (parts.empty())
      rewriter.replaceOpWithNewOp<tensor::EmptyOp>(
          concat, concat.getResultType().getShape(),
          concat.getResultType().getElementType());
    else
      rewriter.replaceOpWithNewOp<tensor::ConcatOp>(
          concat, concat.getResultType(), concat.getDim(), parts);
    return success();
  }
};

/// pad(%nothing) -> fill
struct FillEmptyPads : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp pad,
                                PatternRewriter &rewriter) const override {
    Value padding = pad.getConstantPaddingValue();
    if (!llvm::is_contained(pad.getSourceType().getShape(), 0) || !padding ||
        !pad.getResultType().hasStaticShape())
      return failure();
    if (padding.getParentRegion() == &pad.getRegion())
      padding = rewriter.clone(*padding.getDefiningOp())->getResult(0);
    Value empty = tensor::EmptyOp::create(rewriter, pad.getLoc(),
                                          pad.getResultType().getShape(),
                                          pad.getResultType().getElementType());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(pad, padding, empty);
    return success();
  }
};

/// pad(%x) low[-1] high[1] -> pad(%x[1:]) low[0] high[1]
struct CutNegativePads : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp pad,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> low(pad.getStaticLow()), high(pad.getStaticHigh());
    SmallVector<int64_t> offsets(low.size(), 0),
        sizes(pad.getSourceType().getShape()), ones(low.size(), 1);
    bool cuts = false;
    for (auto [offset, size, before, behind] :
         llvm::zip_equal(offsets, sizes, low, high)) {
      auto isNegative = [](int64_t number) {
        return !ShapedType::isDynamic(number) && number < 0;
      };
      if (!isNegative(before) && !isNegative(behind))
        continue;
      if (ShapedType::isDynamic(size))
        return failure();
      cuts = true;
      if (isNegative(before)) {
        offset = -before;
        size += std::exchange(before, 0);
      }
      if (isNegative(behind))
        size += std::exchange(behind, 0);
      if (size < 0)
        return failure();
    }
    if (!cuts)
      return failure();
    Value part = tensor::ExtractSliceOp::create(
        rewriter, pad.getLoc(), pad.getSource(),
        getAsIndexOpFoldResult(getContext(), offsets),
        getMixedValues(sizes, {}, rewriter),
        getAsIndexOpFoldResult(getContext(), ones));
    rewriter.modifyOpInPlace(pad, [&] {
      pad.getSourceMutable().assign(part);
      pad.setStaticLow(low);
      pad.setStaticHigh(high);
    });
    return success();
  }
};

struct DecomposePads : public amp::impl::DecomposePadsPassBase<DecomposePads> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DropEmptyParts, FillEmptyPads, CutNegativePads>(&getContext(),
                                                                 /*benefit=*/2);
    linalg::populateDecomposePadPatterns(patterns);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    // No folding: it would take what is filled and what is put in apart.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
