//===- ExpandSliceUpdates.cpp - Slices that loops put in, by element ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An elementwise operation and the insertion of its result become a nest of
// loops that reads elements where the slices lie and puts each in. Only in
// loops of which nothing else is work: such a loop is one kernel then, where a
// host would launch one for each of its iterations, and read each index.
//
// The naive version goes wrong where the operation reads the tensor that it is
// put into: elements are read there only from the place that they are put back
// to, and so before any other is written over them; else the slice stays.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-expand-slice-updates"

namespace mlir::amp {
#define GEN_PASS_DEF_EXPANDSLICEUPDATESPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Whether an operation computes numbers from numbers.
static bool isOnNumbers(Operation *op) {
  return op->getNumRegions() == 0 &&
         isa_and_present<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); });
}

/// Whether a loop does nothing but such updates.
static bool updatesOnly(scf::ForOp loop) {
  return llvm::all_of(*loop.getBody(), [](Operation &op) {
    // Of an update that was expanded.
    if (auto inner = dyn_cast<scf::ForOp>(op))
      return updatesOnly(inner);
    return isOnNumbers(&op) ||
           isa<tensor::ExtractOp, tensor::InsertOp, tensor::ExtractSliceOp,
               tensor::InsertSliceOp, linalg::GenericOp, scf::YieldOp>(op);
  });
}

/// The index in the whole of an index in a slice.
static SmallVector<Value> getPlace(OpBuilder &b, Location loc,
                                   OffsetSizeAndStrideOpInterface slice,
                                   const llvm::SmallBitVector &dropped,
                                   ValueRange indices) {
  SmallVector<Value> place;
  auto next = indices.begin();
  for (auto [i, offset, stride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedStrides())) {
    auto getValue = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(b, loc, number);
    };
    if (dropped[i]) {
      place.push_back(getValue(offset));
      continue;
    }
    Value index = *next++;
    if (!isOneInteger(stride))
      index = arith::MulIOp::create(b, loc, index, getValue(stride));
    if (!isZeroInteger(offset))
      index = arith::AddIOp::create(b, loc, index, getValue(offset));
    place.push_back(index);
  }
  return place;
}

/// %r = linalg.generic(%slices); insert_slice %r into %t  ->
/// scf.for { extract; body; insert into %t }
static FailureOr<Value> expand(RewriterBase &rewriter,
                               tensor::InsertSliceOp insertion) {
  auto refuse = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(insertion, reason);
  };
  auto loop = dyn_cast<scf::ForOp>(insertion->getParentOp());
  auto op = insertion.getSource().getDefiningOp<linalg::GenericOp>();
  if (!loop || !op || !updatesOnly(loop) || op->getBlock() != loop.getBody())
    return refuse("expected a loop of updates alone");
  if (!op.getResult(0).hasOneUse() || op.getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      ShapedType::isDynamicShape(op.getStaticLoopRanges()))
    return refuse("expected an elementwise operation of known extents");
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!outMap.isPermutation())
    return refuse("expected each element of the result once");
  for (Operation &inner : op.getBody()->without_terminator())
    if (!isOnNumbers(&inner) && !isa<linalg::IndexOp>(inner))
      return refuse("expected operations on numbers");

  /// Whether an operand is the slice that is put back.
  auto isPutBack = [&](OpOperand &operand) {
    auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
    return slice && slice.getSource() == insertion.getDest() &&
           op.getMatchingIndexingMap(&operand) == outMap &&
           slice.isSameAs(insertion, isEqualConstantIntOrValue);
  };
  SmallVector<OpOperand *> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!op.payloadUsesValueFromOperand(&operand))
      continue;
    if (!op.getMatchingIndexingMap(&operand).isProjectedPermutation(
            /*allowZeroInResults=*/true))
      return refuse("expected indices that are loops");
    Value source = operand.get();
    if (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>())
      source = slice.getSource();
    if (!isPutBack(operand) && !loop.isDefinedOutsideOfLoop(source))
      return refuse("expected operands from outside of the loop, or what is "
                    "put back");
    operands.push_back(&operand);
  }

  Location loc = op.getLoc();
  rewriter.setInsertionPoint(insertion);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
        one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value outermost, whole = insertion.getDest();
  // The loops in the order in which the result's elements lie.
  SmallVector<Value> indices(op.getNumLoops());
  for (AffineExpr dim : outMap.getResults()) {
    unsigned position = cast<AffineDimExpr>(dim).getPosition();
    Value size = arith::ConstantIndexOp::create(
        rewriter, loc, op.getStaticLoopRanges()[position]);
    auto inner =
        scf::ForOp::create(rewriter, loc, zero, size, one, ValueRange(whole));
    if (outermost)
      scf::YieldOp::create(rewriter, loc, inner.getResults());
    else
      outermost = inner.getResult(0);
    rewriter.setInsertionPointToStart(inner.getBody());
    indices[position] = inner.getInductionVar();
    whole = inner.getRegionIterArg(0);
  }
  auto evaluate = [&](AffineMap map) {
    return llvm::map_to_vector(
        map.getResults(), [&](AffineExpr expression) -> Value {
          if (auto dim = dyn_cast<AffineDimExpr>(expression))
            return indices[dim.getPosition()];
          return zero;
        });
  };
  IRMapping values;
  for (OpOperand *operand : operands) {
    Value source = operand->get();
    SmallVector<Value> place = evaluate(op.getMatchingIndexingMap(operand));
    Value element = source;
    if (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>()) {
      place = getPlace(rewriter, loc, slice, slice.getDroppedDims(), place);
      source = isPutBack(*operand) ? whole : slice.getSource();
    }
    if (isa<RankedTensorType>(source.getType()))
      element = tensor::ExtractOp::create(rewriter, loc, source, place);
    values.map(op.getMatchingBlockArgument(operand), element);
  }
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      values.map(index.getResult(), indices[index.getDim()]);
    else
      rewriter.clone(inner, values);
  }
  Value result =
      values.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
  SmallVector<Value> place = getPlace(
      rewriter, loc, insertion, insertion.getDroppedDims(), evaluate(outMap));
  Value inserted =
      tensor::InsertOp::create(rewriter, loc, result, whole, place);
  if (!outermost)
    return inserted;
  scf::YieldOp::create(rewriter, loc, inserted);
  return outermost;
}

namespace {
struct ExpandSliceUpdates
    : public amp::impl::ExpandSliceUpdatesPassBase<ExpandSliceUpdates> {
  void runOnOperation() override {
    SmallVector<tensor::InsertSliceOp> insertions;
    getOperation().walk(
        [&](tensor::InsertSliceOp op) { insertions.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (tensor::InsertSliceOp op : insertions) {
      auto generic = op.getSource().getDefiningOp<linalg::GenericOp>();
      FailureOr<Value> whole = expand(rewriter, op);
      if (failed(whole))
        continue;
      rewriter.replaceOp(op, *whole);
      llvm::SetVector<Value> operands;
      operands.insert_range(generic->getOperands());
      rewriter.eraseOp(generic);
      for (Value operand : operands)
        if (auto slice = operand.getDefiningOp<tensor::ExtractSliceOp>();
            slice && slice->use_empty())
          rewriter.eraseOp(slice);
      ++numExpanded;
    }
  }
};
} // namespace
