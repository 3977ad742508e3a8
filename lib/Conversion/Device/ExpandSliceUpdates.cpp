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
// What elementwise operations of the loop compute for it is computed with it,
// element by element.
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
#include "llvm/ADT/DenseSet.h"
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
           isa<tensor::EmptyOp, tensor::ExtractOp, tensor::InsertOp,
               tensor::ExtractSliceOp, tensor::InsertSliceOp, linalg::GenericOp,
               scf::YieldOp>(op);
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

namespace {
/// One insertion, %r = linalg.generic(%slices); insert_slice %r into %t  ->
/// scf.for { extract; body; insert into %t }
class SliceUpdate {
public:
  SliceUpdate(scf::ForOp loop, tensor::InsertSliceOp insertion,
              linalg::GenericOp op)
      : loop(loop), insertion(insertion), op(op) {}

  /// What stands against it, or nothing.
  StringRef findObstacle();
  /// The tensor with all elements put in.
  Value expand(RewriterBase &rewriter);

private:
  /// `places` gives the indices of `producer`'s loops in the loops of `op`.
  StringRef findObstacle(linalg::GenericOp producer, AffineMap places);
  /// The element of one of its results there.
  Value evaluate(RewriterBase &rewriter, OpResult result, AffineMap places);

  AffineMap getOutMap(OpResult result) {
    auto producer = cast<linalg::GenericOp>(result.getOwner());
    return producer.getIndexingMapMatchingResult(result);
  }
  /// The operation of the loop that computes `value`, or null.
  linalg::GenericOp getProducer(Value value) {
    auto producer = value.getDefiningOp<linalg::GenericOp>();
    return producer && producer->getBlock() == loop.getBody()
               ? producer
               : linalg::GenericOp();
  }
  /// In the loops of `op`, those of the operation that computes `value`, of
  /// which `map` is read.
  AffineMap getPlaces(Value value, AffineMap map) {
    return inversePermutation(getOutMap(cast<OpResult>(value))).compose(map);
  }
  /// Whether `value`, read by `map` in the loops of `op`, is the slice that is
  /// put back, read where it is put.
  bool isPutBack(Value value, AffineMap map) {
    auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
    return slice && slice.getSource() == insertion.getDest() &&
           map == getOutMap(cast<OpResult>(insertion.getSource())) &&
           slice.isSameAs(insertion, isEqualConstantIntOrValue);
  }
  SmallVector<Value> getIndices(AffineMap map) {
    return llvm::map_to_vector(map.getResults(), [&](AffineExpr expression) {
      auto dim = dyn_cast<AffineDimExpr>(expression);
      return dim ? indices[dim.getPosition()] : zero;
    });
  }

  scf::ForOp loop;
  tensor::InsertSliceOp insertion;
  linalg::GenericOp op;
  using Place = std::pair<Value, AffineMap>;
  /// Results of the loop that nothing stands against, by where they are read.
  llvm::DenseSet<Place> seen;
  /// While it is expanded: the loops of `op`, the tensor so far, and elements
  /// that are there already.
  SmallVector<Value> indices;
  Value zero, whole;
  llvm::DenseMap<Place, Value> elements;
};
} // namespace

StringRef SliceUpdate::findObstacle() {
  if (!insertion.getSource().hasOneUse())
    return "expected a result that is put in alone";
  auto result = cast<OpResult>(insertion.getSource());
  if (!getOutMap(result).isPermutation())
    return "expected each element of the result once";
  return findObstacle(
      op, AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext()));
}

StringRef SliceUpdate::findObstacle(linalg::GenericOp producer,
                                    AffineMap places) {
  if (producer.getNumLoops() != producer.getNumParallelLoops() ||
      ShapedType::isDynamicShape(producer.getStaticLoopRanges()))
    return "expected an elementwise operation of known extents";
  for (Operation &inner : producer.getBody()->without_terminator())
    if (!isOnNumbers(&inner) && !isa<linalg::IndexOp>(inner))
      return "expected operations on numbers";
  for (OpOperand &operand : producer->getOpOperands()) {
    if (!producer.payloadUsesValueFromOperand(&operand))
      continue;
    AffineMap map = producer.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return "expected indices that are loops";
    map = map.compose(places);
    Value source = operand.get();
    if (linalg::GenericOp before = getProducer(source)) {
      if (!getOutMap(cast<OpResult>(source)).isPermutation())
        return "expected each element of the result once";
      AffineMap placesBefore = getPlaces(source, map);
      if (!seen.insert({source, placesBefore}).second)
        continue;
      StringRef obstacle = findObstacle(before, placesBefore);
      if (!obstacle.empty())
        return obstacle;
      continue;
    }
    if (isPutBack(source, map))
      continue;
    if (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>())
      source = slice.getSource();
    if (!loop.isDefinedOutsideOfLoop(source))
      return "expected operands from outside of the loop, or what is put back";
  }
  return {};
}

Value SliceUpdate::evaluate(RewriterBase &rewriter, OpResult result,
                            AffineMap places) {
  if (Value known = elements.lookup({result, places}))
    return known;
  auto producer = cast<linalg::GenericOp>(result.getOwner());
  Location loc = producer.getLoc();
  IRMapping values;
  for (OpOperand &operand : producer->getOpOperands()) {
    if (!producer.payloadUsesValueFromOperand(&operand))
      continue;
    AffineMap map = producer.getMatchingIndexingMap(&operand).compose(places);
    Value source = operand.get(), element = source;
    if (getProducer(source)) {
      element =
          evaluate(rewriter, cast<OpResult>(source), getPlaces(source, map));
    } else if (isa<RankedTensorType>(source.getType())) {
      SmallVector<Value> place = getIndices(map);
      if (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>()) {
        place = getPlace(rewriter, loc, slice, slice.getDroppedDims(), place);
        source = isPutBack(source, map) ? whole : slice.getSource();
      }
      element = tensor::ExtractOp::create(rewriter, loc, source, place);
    }
    values.map(producer.getMatchingBlockArgument(&operand), element);
  }
  SmallVector<Value> loops = getIndices(places);
  for (Operation &inner : producer.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      values.map(index.getResult(), loops[index.getDim()]);
    else
      rewriter.clone(inner, values);
  }
  return elements[{result, places}] = values.lookupOrDefault(
             producer.getBody()->getTerminator()->getOperand(
                 result.getResultNumber()));
}

Value SliceUpdate::expand(RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto result = cast<OpResult>(insertion.getSource());
  AffineMap outMap = getOutMap(result);
  rewriter.setInsertionPoint(insertion);
  zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1), outermost;
  whole = insertion.getDest();
  // The loops in the order in which the result's elements lie.
  indices.assign(op.getNumLoops(), {});
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
  Value element = evaluate(rewriter, result,
                           AffineMap::getMultiDimIdentityMap(
                               op.getNumLoops(), rewriter.getContext()));
  SmallVector<Value> place = getPlace(
      rewriter, loc, insertion, insertion.getDroppedDims(), getIndices(outMap));
  Value inserted =
      tensor::InsertOp::create(rewriter, loc, element, whole, place);
  if (!outermost)
    return inserted;
  scf::YieldOp::create(rewriter, loc, inserted);
  return outermost;
}

/// Erases what computed a slice in its block, as far as nobody else needs it.
static void eraseUnused(RewriterBase &rewriter, Operation *last) {
  llvm::SetVector<Operation *> ops;
  ops.insert(last);
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      if (Operation *op = operand.getDefiningOp();
          op && op->getBlock() == last->getBlock() &&
          isa<linalg::GenericOp, tensor::ExtractSliceOp>(op))
        ops.insert(op);
  SmallVector<Operation *> backwards(ops.getArrayRef());
  llvm::sort(backwards,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : backwards)
    if (op->use_empty())
      rewriter.eraseOp(op);
}

namespace {
struct ExpandSliceUpdates
    : public amp::impl::ExpandSliceUpdatesPassBase<ExpandSliceUpdates> {
  void runOnOperation() override {
    SmallVector<tensor::InsertSliceOp> insertions;
    getOperation().walk(
        [&](tensor::InsertSliceOp op) { insertions.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (tensor::InsertSliceOp insertion : insertions) {
      auto loop = dyn_cast<scf::ForOp>(insertion->getParentOp());
      auto op = insertion.getSource().getDefiningOp<linalg::GenericOp>();
      if (!loop || !op || op->getBlock() != loop.getBody() ||
          !updatesOnly(loop))
        continue;
      SliceUpdate update(loop, insertion, op);
      if (!update.findObstacle().empty())
        continue;
      rewriter.replaceOp(insertion, update.expand(rewriter));
      eraseUnused(rewriter, op);
      ++numExpanded;
    }
  }
};
} // namespace
