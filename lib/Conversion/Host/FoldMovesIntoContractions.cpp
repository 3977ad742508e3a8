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
// Where an image is transposed for the gradient of a filter, padding and slices
// stand between. They commute with a transpose; what is padded then is what the
// forward pass pads, too.
//
// The composed maps are set first and taken back where the operation would no
// longer be a contraction: a broadcast may leave no rows of its own.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/LinearMap.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "amp/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-fold-moves-into-contractions"

namespace mlir::amp {
#define GEN_PASS_DEF_FOLDMOVESINTOCONTRACTIONSPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// `value` as a move: each element is an element of its input as it is.
static linalg::GenericOp getMoveOp(Value value) {
  auto move = value.getDefiningOp<linalg::GenericOp>();
  if (move && move.isSingleInputOutput() && move.isAllParallelLoops() &&
      move.hasPureTensorSemantics() && move.isSingleYieldOp() &&
      isa<RankedTensorType>(move.getInputs()[0].getType()) &&
      move.getMatchingIndexingMap(move.getDpsInitOperand(0)).isPermutation())
    return move;
  return {};
}

/// True for what can stand before a transpose instead of after it.
static bool commutesWithTranspose(Operation *op) {
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(op))
    return pad.getConstantPaddingValue() && pad->hasOneUse();
  auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op);
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
        permute(pad.getMixedHighPad()), pad.getConstantPaddingValue());
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

/// Reads what `operand` of `op` moves where it comes from, if that leaves a
/// contraction.
static bool foldMove(linalg::GenericOp op, OpOperand &operand) {
  AffineMap move = getMove(operand.get());
  if (!move)
    return false;
  ArrayAttr before = op.getIndexingMaps();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[operand.getOperandNumber()];
  map = move.compose(map);
  turnLoops(op, maps);
  op.setIndexingMapsAttr(
      OpBuilder(op.getContext()).getAffineMapArrayAttr(maps));
  if (!areLoopExtentsKnown(maps) || !isHostContraction(op)) {
    op.setIndexingMapsAttr(before);
    return false;
  }
  operand.set(getMoved(operand.get(), move));
  return true;
}

namespace {
struct FoldMovesIntoContractions
    : public amp::impl::FoldMovesIntoContractionsPassBase<
          FoldMovesIntoContractions> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> contractions;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics() && isHostContraction(op))
        contractions.push_back(op);
    });
    bool changed = false;
    for (linalg::GenericOp op : contractions)
      for (OpOperand *input : op.getDpsInputOperands())
        while (foldMove(op, *input)) {
          ++numFolded;
          changed = true;
        }
    // The moves.
    IRRewriter rewriter(&getContext());
    if (changed)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
