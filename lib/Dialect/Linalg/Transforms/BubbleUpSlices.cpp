//===- BubbleUpSlices.cpp - Compute only what a slice takes ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream turns a linalg operation whose result is sliced into a tile of it;
// here is when. The tile's operands are slices in turn, so one pattern climbs
// as far as it can. It never computes anything twice: an operation with another
// reader, or in front of the loop where the slice stands, stays whole. A fill
// is an exception, since filling is as cheap as reading what is filled.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Fill.h"
#include "amp/Analysis/LinearMap.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "amp-bubble-up-slices"

namespace mlir::amp {
#define GEN_PASS_DEF_BUBBLEUPSLICESPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// True if upstream's slices of an operand that `map` reads are right: what is
/// tiled is a sum of loops, counted upwards from 0.
static bool canSliceOperand(AffineMap map) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    std::optional<LinearExpr> index = LinearExpr::get(expr, map.getNumDims());
    return index &&
           llvm::all_of(index->coefficients,
                        [](int64_t factor) { return factor >= 0; }) &&
           (index->constant == 0 || isa<AffineConstantExpr>(expr));
  });
}

/// True if `op` may compute a part of its result instead of all of it. A tile
/// of 0 is upstream's word for a loop that is not tiled.
static bool canBeSliced(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         (op->hasOneUse() || getFillValue(op)) && isMemoryEffectFree(op) &&
         !ShapedType::isDynamicShape(ranges) &&
         !llvm::is_contained(ranges, 0) &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0))
             .isProjectedPermutation() &&
         llvm::all_of(op.getIndexingMapsArray(), canSliceOperand);
}

namespace {
struct BubbleUpSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  BubbleUpSlice(MLIRContext *context, llvm::Statistic &numSliced)
      : OpRewritePattern(context), numSliced(numSliced) {}

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp slice,
                                PatternRewriter &rewriter) const override {
    auto producer = slice.getSource().getDefiningOp<linalg::LinalgOp>();
    if (!producer || producer->getBlock() != slice->getBlock() ||
        !canBeSliced(producer) || !slice.hasUnitStride() ||
        ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
        slice.getType().getNumElements() == 0 ||
        slice.getType().getNumElements() ==
            slice.getSourceType().getNumElements())
      return failure();
    FailureOr<TilingResult> tile = tensor::replaceExtractSliceWithTiledProducer(
        rewriter, slice, cast<OpResult>(slice.getSource()));
    if (failed(tile))
      return failure();
    rewriter.replaceOp(slice, tile->tiledValues.front());
    // So that the slices of its operands are their only readers.
    if (producer->use_empty())
      rewriter.eraseOp(producer);
    ++numSliced;
    return success();
  }

  llvm::Statistic &numSliced;
};

struct BubbleUpSlices
    : public amp::impl::BubbleUpSlicesPassBase<BubbleUpSlices> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<BubbleUpSlice>(context, numSliced);
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit); // each goes upwards
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
