//===- RoundBeforeMoves.cpp - What is moved is narrow ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operations: those that compute each element from one of a contraction's
// result, in another order than it has there, and give a narrower float. What
// they compute does not depend on the order, so it is done in that of the
// contraction, and a second operation moves its result.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Contraction.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "amp-round-before-moves"

namespace mlir::amp {
#define GEN_PASS_DEF_ROUNDBEFOREMOVESPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Whether nothing else reads what `value` is the only result of, a
/// contraction.
static bool isContractionAlone(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && value.hasOneUse() && succeeded(matchContraction(op));
}

static bool roundsWhileMoving(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.hasIndexSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getRegionOutputArgs().front().use_empty())
    return false;
  OpOperand *input = op.getDpsInputOperand(0);
  AffineMap from = op.getMatchingIndexingMap(input);
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto type = dyn_cast<RankedTensorType>(input->get().getType());
  auto result = cast<RankedTensorType>(op.getResult(0).getType());
  if (!type || !type.hasStaticShape() || !from.isPermutation() ||
      !to.isPermutation() || from == to)
    return false;
  auto wide = dyn_cast<FloatType>(type.getElementType());
  auto narrow = dyn_cast<FloatType>(result.getElementType());
  return wide && narrow && narrow.getWidth() < wide.getWidth() &&
         !type.getEncoding() && !result.getEncoding() &&
         isContractionAlone(input->get());
}

/// Makes two of `op`: one that computes and one that moves.
static void split(linalg::GenericOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value source = op.getInputs().front();
  auto type = cast<RankedTensorType>(source.getType());
  Type narrow = getElementTypeOrSelf(op.getResult(0));
  SmallVector<AffineMap> inOrder(2, b.getMultiDimIdentityMap(type.getRank()));
  Value init = tensor::EmptyOp::create(b, loc, type.getShape(), narrow);
  auto rounded = linalg::GenericOp::create(
      b, loc, init.getType(), source, init, inOrder, op.getIteratorTypesArray(),
      /*bodyBuild=*/nullptr, linalg::getPrunedAttributeList(op));
  rounded.getRegion().takeBody(op.getRegion());
  auto moved = linalg::GenericOp::create(
      b, loc, op.getResultTypes(), rounded.getResult(0), op.getOutputs(),
      op.getIndexingMapsArray(), op.getIteratorTypesArray(),
      [](OpBuilder &inner, Location loc, ValueRange elements) {
        linalg::YieldOp::create(inner, loc, elements.front());
      });
  op->replaceAllUsesWith(moved);
  op.erase();
}

namespace {
struct RoundBeforeMoves
    : public amp::impl::RoundBeforeMovesPassBase<RoundBeforeMoves> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (roundsWhileMoving(op))
        ops.push_back(op);
    });
    llvm::for_each(ops, split);
    numSplit += ops.size();
  }
};
} // namespace
