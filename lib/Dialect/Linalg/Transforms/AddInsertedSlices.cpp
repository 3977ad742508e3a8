//===- AddInsertedSlices.cpp - Additions of slices in their place ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a tensor of which a step reads n slices, one for each
// position of a sequence, is a sum of n tensors, each of which is zero but for
// a slice:
//
//   x + insert(g, 0)[place]  =  insert(x[place] + g, x)[place]
//
// The right side adds a slice, in place where nothing else reads x. What the
// sum is rounded to and widened from, a step in half has both, moves into the
// slice with the addition, if the rest of x keeps its value so:
//
//   round(widen(x) + widen(insert(g, 0)))
//     = insert(round(widen(x[place]) + widen(g)), x)
//
// A slice of what was inserted before is known: zeros, if no slice covers the
// place, or the slice itself.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Elementwise.h"
#include "amp/Analysis/Fill.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-add-inserted-slices"

namespace mlir::amp {
#define GEN_PASS_DEF_ADDINSERTEDSLICESPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// A slice is added in its place if the whole has at least so many times its
/// elements. A larger one is better read where it was inserted, in one pass
/// with what else is computed of the sum.
static constexpr int64_t kFewestSlices = 2;

/// What `value` was widened from, or null.
static Value getNarrow(Value value) {
  Operation *op = value.getDefiningOp();
  return getOnlyOperation<arith::ExtFOp>(op, 1) ? op->getOperand(0) : Value();
}

/// True if the place is known, and no element of it twice.
static bool hasStaticPlace(OffsetSizeAndStrideOpInterface slice) {
  return !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
         !ShapedType::isDynamicShape(slice.getStaticSizes()) &&
         !ShapedType::isDynamicShape(slice.getStaticStrides()) &&
         llvm::all_of(slice.getStaticStrides(),
                      [](int64_t stride) { return stride > 0; });
}

static bool areSamePlace(tensor::InsertSliceOp x, tensor::InsertSliceOp y) {
  return x.isSameAs(y, std::equal_to<OpFoldResult>()) &&
         x.getSourceType().getShape() == y.getSourceType().getShape();
}

/// True if a dimension tells that no element is in both.
static bool areApart(tensor::InsertSliceOp x, tensor::InsertSliceOp y) {
  auto endsBefore = [](tensor::InsertSliceOp x, tensor::InsertSliceOp y,
                       unsigned dim) {
    int64_t last = x.getStaticOffset(dim) +
                   (x.getStaticSize(dim) - 1) * x.getStaticStride(dim);
    return last < y.getStaticOffset(dim);
  };
  for (unsigned dim = 0; dim < x.getStaticOffsets().size(); ++dim)
    if (endsBefore(x, y, dim) || endsBefore(y, x, dim))
      return true;
  return false;
}

/// The slice of `whole` where `place` puts its own.
static Value getSlice(RewriterBase &rewriter, Location loc, Value whole,
                      tensor::InsertSliceOp place) {
  auto type = RankedTensorType::get(place.getSourceType().getShape(),
                                    getElementTypeOrSelf(whole));
  while (auto insert = whole.getDefiningOp<tensor::InsertSliceOp>()) {
    if (!hasStaticPlace(insert))
      break;
    if (areSamePlace(insert, place))
      return insert.getSource();
    if (!areApart(insert, place))
      break;
    whole = insert.getDest();
  }
  if (isFilledWithZero(whole))
    return arith::ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(type, getSplatValue(whole)));
  return tensor::ExtractSliceOp::create(
      rewriter, loc, type, whole, place.getMixedOffsets(),
      place.getMixedSizes(), place.getMixedStrides());
}

namespace {
/// A sum of a tensor and one that is zero but for a slice.
struct SumWithSlice {
  linalg::GenericOp sum;
  /// Which input has the slice.
  unsigned number;
  tensor::InsertSliceOp insert;
  /// The other input, or what it was widened from if `rounding` makes that type
  /// of the sum.
  Value whole;
  /// The operation that reads the sum, or null.
  Operation *rounding = nullptr;

  /// Views `op`, which adds two tensors, so.
  static std::optional<SumWithSlice> match(linalg::GenericOp op);
  void rewrite(RewriterBase &rewriter);
};
} // namespace

/// What puts a slice into zeros that `value` is, or is widened from.
static tensor::InsertSliceOp getInsertion(Value value) {
  Value narrow = getNarrow(value);
  auto insert =
      (narrow ? narrow : value).getDefiningOp<tensor::InsertSliceOp>();
  bool isKnown = insert && hasStaticPlace(insert) &&
                 isFilledWithZero(insert.getDest()) &&
                 insert.getSourceType().getNumElements() != 0 &&
                 insert.getSourceType().getNumElements() * kFewestSlices <=
                     insert.getType().getNumElements();
  return isKnown ? insert : tensor::InsertSliceOp();
}

std::optional<SumWithSlice> SumWithSlice::match(linalg::GenericOp op) {
  for (unsigned number : {1, 0}) {
    tensor::InsertSliceOp insert = getInsertion(op.getInputs()[number]);
    if (!insert)
      continue;
    SumWithSlice sum{op, number, insert, op.getInputs()[1 - number]};
    Value narrow = getNarrow(sum.whole);
    Operation *reader = op->hasOneUse() ? *op->user_begin() : nullptr;
    if (narrow && getOnlyOperation<arith::TruncFOp>(reader, 1) &&
        reader->getBlock() == op->getBlock() &&
        reader->getResult(0).getType() == narrow.getType()) {
      sum.whole = narrow;
      sum.rounding = reader;
    }
    Operation *root = sum.rounding ? sum.rounding : op.getOperation();
    // An encoding may tell them apart.
    if (root->getResult(0).getType() == sum.whole.getType())
      return sum;
  }
  return std::nullopt;
}

void SumWithSlice::rewrite(RewriterBase &rewriter) {
  Operation *root = rounding ? rounding : sum.getOperation();
  Location loc = sum.getLoc();
  rewriter.setInsertionPoint(root);
  Value slices[2];
  slices[number] = insert.getSource();
  slices[1 - number] = getSlice(rewriter, loc, whole, insert);
  auto type = cast<RankedTensorType>(slices[1 - number].getType());
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<AffineMap> maps(3,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto add = getOnlyOperation<arith::AddFOp>(sum, 2);
  auto slice = linalg::GenericOp::create(
      rewriter, loc, type, slices, empty, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        IRMapping mapping;
        for (unsigned i : {0, 1}) {
          Value value = arguments[i];
          if (value.getType() != add.getType())
            value = arith::ExtFOp::create(b, loc, add.getType(), value);
          mapping.map(sum.getBody()->getArgument(i), value);
        }
        Value result = b.clone(*add, mapping)->getResult(0);
        if (rounding) {
          mapping.map(rounding->getRegion(0).getArgument(0), result);
          auto round = getOnlyOperation<arith::TruncFOp>(rounding, 1);
          result = b.clone(*round, mapping)->getResult(0);
        }
        linalg::YieldOp::create(b, loc, result);
      });
  rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
      root, slice.getResult(0), whole, insert.getMixedOffsets(),
      insert.getMixedSizes(), insert.getMixedStrides());
}

namespace {
struct AddInsertedSlices
    : public amp::impl::AddInsertedSlicesPassBase<AddInsertedSlices> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (getOnlyOperation<arith::AddFOp>(op, 2))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    unsigned rewritten = 0;
    for (linalg::GenericOp op : ops)
      if (std::optional<SumWithSlice> sum = SumWithSlice::match(op)) {
        sum->rewrite(rewriter);
        ++rewritten;
      }
    numSums += rewritten;
    // Insertions, and what widened them.
    if (rewritten != 0)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
