//===- ReadThroughPads.cpp - Operations that read what is padded ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor that is padded with a constant is not made where all that read it
// are linalg.generic, by themselves or through slices. Whoever reads x, padded
// with c and `low` elements in front, at index i reads
//
//   x[i - low]   if 0 <= i - low < n,      c   otherwise,
//
// and asks at run time for the dimensions whose indices leave x somewhere. The
// question is one comparison without sign, and the read itself is at 0 where
// the answer is no, so that it stays inside of x whatever becomes of it. A
// slice that begins and ends inside of x is one of x.
//
// The windows of a pool are such readers, forward and backward.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Contraction.h"
#include "amp/Analysis/Fill.h"
#include "amp/Analysis/LinearMap.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

#define DEBUG_TYPE "amp-read-through-pads"

namespace mlir::amp {
#define GEN_PASS_DEF_READTHROUGHPADSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// `result` is `source`, from `low` on, among elements that are `number`.
struct Padded {
  Value result;
  TypedValue<RankedTensorType> source;
  SmallVector<int64_t> low;
  TypedAttr number;

  /// What `op` makes: a tensor.pad, or an insertion into what is filled.
  static std::optional<Padded> match(Operation *op);

  /// Whether `tensor` is the result or a slice of it.
  bool isReadBy(Value tensor) const;
  /// Whether `slice`, one of the result, is one of the source.
  bool contains(tensor::ExtractSliceOp slice) const;
};

/// An input of a linalg.generic that is padded, or a slice of that.
struct PaddedInput {
  OpOperand *use;
  /// Index of each dimension of the source, by loops of the operation.
  SmallVector<AffineExpr> indices;
  /// Whether such an index may lie outside of the source.
  SmallVector<bool> leaves;

  /// `use` reads the result of `padded`, or `slice` of it if there is one.
  /// Nothing if it is no such input, or nothing else tells extents of loops.
  static std::optional<PaddedInput> match(OpOperand &use, const Padded &padded,
                                          tensor::ExtractSliceOp slice);
};
} // namespace

std::optional<Padded> Padded::match(Operation *op) {
  Padded padded;
  padded.result = op->getResult(0);
  ArrayRef<int64_t> low;
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Value value = pad.getConstantPaddingValue();
    padded.source = pad.getSource();
    padded.number = value ? getSplatValue(value) : TypedAttr();
    low = pad.getStaticLow();
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    if (!insert.hasUnitStride() ||
        insert.getSourceType().getRank() != insert.getType().getRank())
      return std::nullopt;
    padded.source = insert.getSource();
    padded.number = getSplatValue(insert.getDest());
    low = insert.getStaticOffsets();
  } else {
    return std::nullopt;
  }
  padded.low.assign(low.begin(), low.end());
  auto source = padded.source.getType();
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  // What is read is inside: there has to be an element.
  if (!padded.number || padded.number.getType() != source.getElementType() ||
      ShapedType::isDynamicShape(padded.low) || !source.hasStaticShape() ||
      !result.hasStaticShape() || source.getNumElements() == 0 ||
      llvm::any_of(padded.low, [](int64_t low) { return low < 0; }))
    return std::nullopt;
  return padded;
}

bool Padded::isReadBy(Value tensor) const {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  return tensor == result || (slice && slice.getSource() == result);
}

bool Padded::contains(tensor::ExtractSliceOp slice) const {
  for (auto [low, extent, offset, size, stride] : llvm::zip_equal(
           low, source.getType().getShape(), slice.getStaticOffsets(),
           slice.getStaticSizes(), slice.getStaticStrides())) {
    int64_t first = offset - low;
    if (size <= 0 || first < 0 || first + (size - 1) * stride >= extent)
      return false;
  }
  return true;
}

std::optional<PaddedInput> PaddedInput::match(OpOperand &use,
                                              const Padded &padded,
                                              tensor::ExtractSliceOp slice) {
  auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!op || !op.hasPureTensorSemantics() || !op.isDpsInput(&use) ||
      op.hasDynamicShape() || succeeded(matchContraction(op)))
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (llvm::is_contained(extents, 0))
    return std::nullopt;
  SmallVector<AffineMap> others;
  for (OpOperand &operand : op->getOpOperands())
    if (!op.isDpsInput(&operand) || !padded.isReadBy(operand.get()))
      others.push_back(op.getMatchingIndexingMap(&operand));
  if (!inversePermutation(concatAffineMaps(others, op.getContext())))
    return std::nullopt;

  PaddedInput input{&use, {}, {}};
  AffineMap map = op.getMatchingIndexingMap(&use);
  llvm::SmallBitVector dropped =
      slice ? slice.getDroppedDims()
            : llvm::SmallBitVector(padded.source.getType().getRank());
  unsigned dim = 0;
  for (auto [number, extent] :
       llvm::enumerate(padded.source.getType().getShape())) {
    AffineExpr index = getAffineConstantExpr(0, op.getContext());
    if (!dropped[number])
      index = map.getResult(dim++);
    if (slice)
      index = index * slice.getStaticStrides()[number] +
              slice.getStaticOffsets()[number];
    index = index - padded.low[number];
    input.indices.push_back(index);
    std::optional<LinearExpr> linear = LinearExpr::get(index, extents.size());
    auto [least, most] = linear ? linear->getRange(extents)
                                : std::pair<int64_t, int64_t>(-1, extent);
    input.leaves.push_back(least < 0 || most >= extent);
  }
  return input;
}

/// The element of `padded` that `input` reads, in the body of its operation.
static Value readElement(OpBuilder &b, Location loc, const Padded &padded,
                         const PaddedInput &input, ValueRange loops) {
  SmallVector<Value> place;
  Value isInside;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [expression, leaves, extent] : llvm::zip_equal(
           input.indices, input.leaves, padded.source.getType().getShape())) {
    Value index = affine::expandAffineExpr(b, loc, expression, loops, {});
    if (leaves) {
      Value end = arith::ConstantIndexOp::create(b, loc, extent);
      Value here =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, end);
      index = arith::SelectOp::create(b, loc, here, index, zero);
      isInside = isInside
                     ? arith::AndIOp::create(b, loc, isInside, here).getResult()
                     : here;
    }
    place.push_back(index);
  }
  Value element = tensor::ExtractOp::create(b, loc, padded.source, place);
  if (!isInside)
    return element;
  Value number = arith::ConstantOp::create(b, loc, padded.number);
  return arith::SelectOp::create(b, loc, isInside, element, number);
}

/// Lets the operation of `input` read the source of `padded`.
static void readThrough(RewriterBase &rewriter, const Padded &padded,
                        const PaddedInput &input) {
  auto op = cast<linalg::GenericOp>(input.use->getOwner());
  const unsigned number = input.use->getOperandNumber();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(op.getBody());
  SmallVector<Value> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(linalg::IndexOp::create(rewriter, op.getLoc(), loop));
  Value element = readElement(rewriter, op.getLoc(), padded, input, loops);
  rewriter.modifyOpInPlace(op, [&] {
    BlockArgument argument = op.getBody()->getArgument(number);
    rewriter.replaceAllUsesWith(argument, element);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps.erase(maps.begin() + number);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    op.getBody()->eraseArgument(number);
    op.getInputsMutable().erase(number);
  });
}

/// `slice`, which is inside of the source of `padded`, of that.
static void sliceThrough(RewriterBase &rewriter, const Padded &padded,
                         tensor::ExtractSliceOp slice) {
  SmallVector<OpFoldResult> offsets;
  for (auto [offset, low] :
       llvm::zip_equal(slice.getStaticOffsets(), padded.low))
    offsets.push_back(rewriter.getIndexAttr(offset - low));
  rewriter.setInsertionPoint(slice);
  rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
      slice, slice.getType(), padded.source, offsets, slice.getMixedSizes(),
      slice.getMixedStrides());
}

namespace {
struct ReadThroughPads
    : public amp::impl::ReadThroughPadsPassBase<ReadThroughPads> {
  void runOnOperation() override {
    SmallVector<Operation *> pads;
    getOperation().walk([&](Operation *op) {
      if (isa<tensor::PadOp, tensor::InsertSliceOp>(op))
        pads.push_back(op);
    });
    for (Operation *op : pads)
      readThroughPad(op);
  }

private:
  void readThroughPad(Operation *op) {
    std::optional<Padded> padded = Padded::match(op);
    if (!padded || op->use_empty())
      return;
    SmallVector<tensor::ExtractSliceOp> inside, slices;
    SmallVector<PaddedInput> inputs;
    auto addInput = [&](OpOperand &use, tensor::ExtractSliceOp slice) {
      std::optional<PaddedInput> input =
          PaddedInput::match(use, *padded, slice);
      if (input)
        inputs.push_back(*input);
      return input.has_value();
    };
    for (OpOperand &use : op->getUses()) {
      auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner());
      if (!slice) {
        if (!addInput(use, /*slice=*/{}))
          return;
        continue;
      }
      if (ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
          ShapedType::isDynamicShape(slice.getStaticSizes()) ||
          ShapedType::isDynamicShape(slice.getStaticStrides()))
        return;
      if (padded->contains(slice)) {
        inside.push_back(slice);
        continue;
      }
      slices.push_back(slice);
      for (OpOperand &read : slice->getUses())
        if (!addInput(read, slice))
          return;
    }
    IRRewriter rewriter(&getContext());
    for (tensor::ExtractSliceOp slice : inside)
      sliceThrough(rewriter, *padded, slice);
    // An operand's number changes with those in front of it.
    llvm::sort(inputs, [](const PaddedInput &a, const PaddedInput &b) {
      return a.use->getOperandNumber() > b.use->getOperandNumber();
    });
    for (const PaddedInput &input : inputs)
      readThrough(rewriter, *padded, input);
    for (tensor::ExtractSliceOp slice : slices)
      rewriter.eraseOp(slice);
    rewriter.eraseOp(op);
    ++numPads;
  }
};
} // namespace
