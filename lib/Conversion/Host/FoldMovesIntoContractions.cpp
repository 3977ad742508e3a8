//===- FoldMovesIntoContractions.cpp - Read operands where they are -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction copies its operands into panels, in whatever order they lie in
// memory, so what only moves elements in front of it need not be computed: the
// maps are composed. Linalg wants each loop to be a result of some map by
// itself; a loop over the taps of a filter that is read backwards is none, so
// it is counted from its other end, in both operands.
//
// Where the moved tensor is reshaped, the contraction gets the loops of before
// (upstream's expansion of its loops), and what it makes is reshaped instead.
//
// Where an image is transposed for the gradient of a filter, padding and slices
// stand between. They commute with a transpose; what is padded then is what the
// forward pass pads, too.
//
// The composed maps are set first and taken back where the operation would no
// longer be a contraction: a broadcast may leave no rows of its own. A map that
// reads a part of a dimension must not become the dimension by itself, from
// which linalg would take the extent of the loop.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Fill.h"
#include "amp/Analysis/LinearMap.h"
#include "amp/Analysis/LoopExtents.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-fold-moves-into-contractions"

namespace mlir::amp {
#define GEN_PASS_DEF_FOLDMOVESINTOCONTRACTIONSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// `value` as a move: each element is an element of its input as it is.
static linalg::GenericOp getMoveOp(Value value) {
  auto move = value.getDefiningOp<linalg::GenericOp>();
  if (move && move.isSingleYieldOp() && move.isAllParallelLoops() &&
      move.hasPureTensorSemantics() &&
      isa<RankedTensorType>(move.getInputs()[0].getType()) &&
      move.getMatchingIndexingMap(move.getDpsInitOperand(0)).isPermutation())
    return move;
  return {};
}

/// True for what can stand before a transpose instead of after it, and has no
/// reader for which it would have to stay.
static bool commutesWithTranspose(Operation *op) {
  if (!op || !op->hasOneUse())
    return false;
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Value value = pad.getConstantPaddingValue();
    return value && !pad.getRegion().isAncestor(value.getParentRegion());
  }
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  return slice && slice.getType().getRank() == slice.getSourceType().getRank();
}

/// From `value` to what is moved, through padding and slices; null if nothing
/// is.
static AffineMap getMove(Value value) {
  if (linalg::GenericOp move = getMoveOp(value)) {
    AffineMap input = move.getMatchingIndexingMap(move.getDpsInputOperand(0));
    AffineMap output = move.getMatchingIndexingMap(move.getDpsInitOperand(0));
    return input.compose(inversePermutation(output));
  }
  Operation *op = value.getDefiningOp();
  if (!commutesWithTranspose(op))
    return {};
  AffineMap move = getMove(op->getOperand(0));
  return move && move.isPermutation() ? move : AffineMap();
}

/// What `value` moves, with padding and slices in front of it.
static Value getMoved(Value value, AffineMap move) {
  if (linalg::GenericOp op = getMoveOp(value))
    return op.getInputs()[0];
  Operation *op = value.getDefiningOp();
  OpBuilder builder(op);
  Value source = getMoved(op->getOperand(0), move);
  auto type = cast<RankedTensorType>(value.getType());
  auto permuted = RankedTensorType::get(
      applyPermutationMap(move, type.getShape()), type.getElementType());
  auto permute = [&](ArrayRef<OpFoldResult> values) {
    return applyPermutationMap(move, values);
  };
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return tensor::PadOp::create(
        builder, pad.getLoc(), permuted, source, permute(pad.getMixedLowPad()),
        permute(pad.getMixedHighPad()), pad.getConstantPaddingValue(),
        pad.getNofold(), llvm::to_vector(pad->getDiscardableAttrs()));
  auto slice = cast<tensor::ExtractSliceOp>(op);
  return tensor::ExtractSliceOp::create(
      builder, slice.getLoc(), permuted, source,
      permute(slice.getMixedOffsets()), permute(slice.getMixedSizes()),
      permute(slice.getMixedStrides()));
}

/// Counts from their other end the reduction loops of `op` that are no result
/// of a map by themselves, and would be.
static void turnLoops(linalg::GenericOp op, MutableArrayRef<AffineMap> maps) {
  MLIRContext *context = op.getContext();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    AffineExpr forward = getAffineDimExpr(loop, context);
    AffineExpr backward =
        getAffineConstantExpr(extents[loop] - 1, context) - forward;
    auto isResult = [&](AffineExpr expr) {
      return llvm::any_of(maps, [&](AffineMap map) {
        return llvm::is_contained(map.getResults(), expr);
      });
    };
    if (kinds[loop] != utils::IteratorType::reduction ||
        ShapedType::isDynamic(extents[loop]) || isResult(forward) ||
        !isResult(backward))
      continue;
    for (AffineMap &map : maps)
      map = simplifyAffineMap(
          map.replace(forward, backward, map.getNumDims(), 0));
  }
}

/// True if `maps` leave the loops of `op` as long as they are when its
/// `operand` is what it moves by `move`.
static bool keepExtents(linalg::GenericOp op, ArrayRef<AffineMap> maps,
                        OpOperand &operand, AffineMap move) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (OpOperand &other : op->getOpOperands()) {
    AffineMap map = maps[other.getOperandNumber()];
    bool isMoved = &other == &operand;
    // A transpose moves whole dimensions.
    if (isMoved ? move.isPermutation()
                : map == op.getMatchingIndexingMap(&other))
      continue;
    Value tensor =
        isMoved ? getMoveOp(other.get()).getInputs()[0] : other.get();
    if (!fitsExtents(map, cast<RankedTensorType>(tensor.getType()).getShape(),
                     extents))
      return false;
  }
  return true;
}

/// Reads what `operand` of `op` moves where it comes from, if that leaves a
/// contraction.
static bool foldMove(linalg::GenericOp op, OpOperand &operand) {
  AffineMap move = getMove(operand.get());
  if (!move)
    return false;
  ArrayAttr before = op.getIndexingMaps();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[operand.getOperandNumber()];
  map = simplifyAffineMap(move.compose(map));
  turnLoops(op, maps);
  if (!inversePermutation(concatAffineMaps(maps, op.getContext())) ||
      !keepExtents(op, maps, operand, move))
    return false;
  op.setIndexingMapsAttr(
      OpBuilder(op.getContext()).getAffineMapArrayAttr(maps));
  if (!isHostContraction(op)) {
    op.setIndexingMapsAttr(before);
    return false;
  }
  operand.set(getMoved(operand.get(), move));
  return true;
}

/// Whether a contraction is to have the loops of before a reshape: where
/// `operand` is a move with dimensions merged behind it (an attention's heads,
/// as one batch), and where that leaves a fill to be reshaped.
static bool isWorthExpanding(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  if (isa<tensor::ExpandShapeOp>(operand->getOwner()))
    return producer && getFillValue(producer) && haveLoopsOneExtent(producer);
  auto collapse = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
  auto contraction = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return collapse && collapse.getSrcType().hasStaticShape() && contraction &&
         isHostContraction(contraction) && haveLoopsOneExtent(contraction) &&
         getMove(collapse.getSrc());
}

namespace {
struct FoldMovesIntoContractions
    : public amp::impl::FoldMovesIntoContractionsPassBase<
          FoldMovesIntoContractions> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns,
                                                      isWorthExpanding);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    FrozenRewritePatternSet expansions(std::move(patterns));
    // Moves right in front first: an expansion of one operand puts a reshape in
    // front of the others.
    bool changed = foldMoves();
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    for (bool expanded = true; expanded; changed |= expanded) {
      if (failed(applyPatternsGreedily(getOperation(), expansions, config,
                                       &expanded)))
        return signalPassFailure();
      expanded &= foldMoves();
    }
    // The moves.
    IRRewriter rewriter(context);
    if (changed)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

  /// Folds what stands right in front of contractions.
  bool foldMoves() {
    bool changed = false;
    getOperation().walk([&](linalg::GenericOp op) {
      if (!op.hasPureTensorSemantics() || !isHostContraction(op))
        return;
      for (OpOperand *input : op.getDpsInputOperands())
        while (foldMove(op, *input)) {
          ++numFolded;
          changed = true;
        }
    });
    return changed;
  }
};
} // namespace
