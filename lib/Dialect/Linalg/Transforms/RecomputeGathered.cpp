//===- RecomputeGathered.cpp - Few elements of what is computed -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation that takes a few elements of a tensor by index computes them
// itself, from what the tensor was computed from:
//
//   %p = f(%x, %s)                     %r = map (%label):
//   %r = map (%label):           ->      f(extract %x[i, %label],
//     extract %p[i, %label]                extract %s[i])
//
// The loss takes one probability of each row. That alone keeps all of them in
// memory, as f32, where the pass that computes them could have gone on to the
// gradient.
//
// With `of-arguments` that is done to what is computed from a function's
// arguments alone, whatever it is: a table that is rounded for a few of its
// rows.
//
// Reshapes in between are indices. It is the same arithmetic on the same
// elements, so the bits are the same.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define DEBUG_TYPE "amp-recompute-gathered"

namespace mlir::amp {
#define GEN_PASS_DEF_RECOMPUTEGATHEREDPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Elements of what is computed for one that is taken, at least.
static constexpr int64_t kLeastShare = 8;

/// How often `extract` is evaluated, if it is known.
static std::optional<int64_t> countReads(tensor::ExtractOp extract) {
  auto op = extract->getParentOfType<linalg::GenericOp>();
  if (!op || !op.hasPureTensorSemantics() ||
      op->isAncestor(extract.getTensor().getParentRegion()->getParentOp()))
    return std::nullopt;
  int64_t count = 1;
  for (int64_t extent : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    count *= extent;
  }
  return count;
}

/// True if none of the inputs takes more memory than the result, which would
/// have to stay instead: the f32 sums of a product that are rounded.
static bool readsNoMore(linalg::GenericOp op, Value result) {
  int64_t bytes = countShapedBytes(cast<ShapedType>(result.getType()),
                                   /*unknownExtent=*/1);
  return llvm::all_of(op.getDpsInputs(), [&](Value input) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    return !type || countShapedBytes(type, /*unknownExtent=*/1) <= bytes;
  });
}

/// True if all inputs are arguments of a function, which stay in any case.
static bool readsArguments(linalg::GenericOp op) {
  return llvm::all_of(op.getDpsInputs(), [](Value input) {
    auto argument = dyn_cast<BlockArgument>(input);
    return argument && argument.getOwner()->isEntryBlock() &&
           isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  });
}

/// True if one element of `result` follows from one of each input.
static bool isElementwise(OpResult result, bool ofArguments) {
  auto op = dyn_cast<linalg::GenericOp>(result.getOwner());
  return op && (ofArguments ? readsArguments(op) : readsNoMore(op, result)) &&
         op.hasPureTensorSemantics() &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         op.getIndexingMapMatchingResult(result).isPermutation() &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) {
                        return map.isProjectedPermutation(
                            /*allowZeroInResults=*/true);
                      }) &&
         llvm::none_of(op.getDpsInitsMutable(),
                       [&](OpOperand &init) {
                         return op.payloadUsesValueFromOperand(&init);
                       }) &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
           return inner.getNumRegions() == 0 && isMemoryEffectFree(&inner);
         });
}

/// The element of `result` at `indices`.
static Value computeElement(OpBuilder &b, OpResult result, ValueRange indices) {
  auto op = cast<linalg::GenericOp>(result.getOwner());
  Location loc = op.getLoc();
  AffineMap written = op.getIndexingMapMatchingResult(result);
  SmallVector<Value> loops(op.getNumLoops());
  for (auto [expression, index] :
       llvm::zip_equal(written.getResults(), indices))
    loops[cast<AffineDimExpr>(expression).getPosition()] = index;
  IRMapping values;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    Value element = input->get();
    if (isa<RankedTensorType>(element.getType())) {
      SmallVector<Value> place;
      for (AffineExpr expression :
           op.getMatchingIndexingMap(input).getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expression);
        place.push_back(dim ? loops[dim.getPosition()]
                            : arith::ConstantIndexOp::create(b, loc, 0));
      }
      element = tensor::ExtractOp::create(b, loc, element, place);
    }
    values.map(argument, element);
  }
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      values.map(index.getResult(), loops[index.getDim()]);
    else
      b.clone(inner, values);
  }
  return values.lookupOrDefault(
      op.getBody()->getTerminator()->getOperand(result.getResultNumber()));
}

/// The element at `indices` of what `collapse` has collapsed.
static Value readCollapsed(OpBuilder &b, tensor::CollapseShapeOp collapse,
                           ValueRange indices) {
  Location loc = collapse.getLoc();
  ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
  SmallVector<Value> place(shape.size());
  for (auto [group, index] :
       llvm::zip_equal(collapse.getReassociationIndices(), indices)) {
    Value rest = index;
    for (int64_t dim : llvm::reverse(group)) {
      if (dim == group.front()) {
        place[dim] = rest;
        break;
      }
      Value extent = arith::ConstantIndexOp::create(b, loc, shape[dim]);
      place[dim] = arith::RemUIOp::create(b, loc, rest, extent);
      rest = arith::DivUIOp::create(b, loc, rest, extent);
    }
  }
  return tensor::ExtractOp::create(b, loc, collapse.getSrc(), place);
}

/// The element at `indices` of what `expand` has expanded.
static Value readExpanded(OpBuilder &b, tensor::ExpandShapeOp expand,
                          ValueRange indices) {
  Location loc = expand.getLoc();
  ArrayRef<int64_t> shape = expand.getResultType().getShape();
  SmallVector<Value> place;
  for (const ReassociationIndices &group : expand.getReassociationIndices()) {
    Value index = indices[group.front()];
    for (int64_t dim : llvm::drop_begin(group)) {
      Value extent = arith::ConstantIndexOp::create(b, loc, shape[dim]);
      index = arith::MulIOp::create(b, loc, index, extent);
      index = arith::AddIOp::create(b, loc, index, indices[dim]);
    }
    place.push_back(index);
  }
  return tensor::ExtractOp::create(b, loc, expand.getSrc(), place);
}

/// The same element without the operation that computes all of them; null
/// where there is none.
static Value readBehind(OpBuilder &b, tensor::ExtractOp extract,
                        bool ofArguments) {
  Value tensor = extract.getTensor();
  auto type = cast<RankedTensorType>(tensor.getType());
  Operation *producer = tensor.getDefiningOp();
  if (!producer || !type.hasStaticShape())
    return {};
  if (isElementwise(cast<OpResult>(tensor), ofArguments))
    return computeElement(b, cast<OpResult>(tensor), extract.getIndices());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(producer))
    return collapse.getSrcType().hasStaticShape()
               ? readCollapsed(b, collapse, extract.getIndices())
               : Value();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(producer))
    return readExpanded(b, expand, extract.getIndices());
  return {};
}

namespace {
struct RecomputeGathered
    : public amp::impl::RecomputeGatheredPassBase<RecomputeGathered> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<tensor::ExtractOp> extracts;
    getOperation().walk([&](tensor::ExtractOp extract) {
      std::optional<int64_t> reads = countReads(extract);
      auto type = cast<RankedTensorType>(extract.getTensor().getType());
      if (reads && type.hasStaticShape() && type.getRank() > 0 &&
          *reads * kLeastShare <= type.getNumElements())
        extracts.push_back(extract);
    });
    IRRewriter rewriter(&getContext());
    while (!extracts.empty()) {
      tensor::ExtractOp extract = extracts.pop_back_val();
      rewriter.setInsertionPoint(extract);
      // What it reads may be computed as well.
      Operation *before = extract->getPrevNode();
      Value element = readBehind(rewriter, extract, ofArguments);
      if (!element)
        continue;
      Operation *first =
          before ? before->getNextNode() : &extract->getBlock()->front();
      for (Operation *op = first; op != extract; op = op->getNextNode())
        if (auto behind = dyn_cast<tensor::ExtractOp>(op))
          extracts.push_back(behind);
      rewriter.replaceOp(extract, element);
      ++numRecomputed;
    }
  }
};
} // namespace
