//===- ReduceBeforeBroadcast.cpp - Equal sums once ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum that walks no input along a loop of its result is the same for each
// iteration of that loop. It is computed once, and its result repeated:
//
//   r[m, n] = sum over k of x[m, k] * 0   ->   s[m] = sum over k of x[m, k] * 0
//                                              r[m, n] = s[m]
//
// Recurrent layers begin with a state of zeros, whose product with a weight is
// such a sum in the forward pass, as the product with the gradients is in the
// backward pass. It is not just zero: an infinity or NaN makes NaN of it. An
// input whose elements are one constant counts as not walked.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Fill.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "amp-reduce-before-broadcast"

namespace mlir::amp {
#define GEN_PASS_DEF_REDUCEBEFOREBROADCASTPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// The loops of the result that no input of `op` is walked along, of which one
/// that is a constant has none.
static llvm::SmallBitVector findRepeatedLoops(linalg::GenericOp op) {
  llvm::SmallBitVector repeated(op.getNumLoops());
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    repeated[loop] = kind == utils::IteratorType::parallel;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!getSplatValue(input->get()))
      for (unsigned loop : repeated.set_bits())
        if (op.getMatchingIndexingMap(input).isFunctionOfDim(loop))
          repeated.reset(loop);
  op.getBody()->walk(
      [&](linalg::IndexOp index) { repeated.reset(index.getDim()); });
  return repeated;
}

/// True if `loop` alone walks a dimension of an operand of `op` that is no
/// constant input: this says how long it is.
static bool hasLength(linalg::GenericOp op, unsigned loop) {
  AffineExpr dim = getAffineDimExpr(loop, op.getContext());
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    bool isConstant =
        op.isDpsInput(&operand) && getSplatValue(operand.get()) != nullptr;
    return !isConstant &&
           llvm::is_contained(op.getMatchingIndexingMap(&operand).getResults(),
                              dim);
  });
}

/// `map` of the loops that are kept, without the results that others make.
static AffineMap dropLoops(AffineMap map, const llvm::SmallBitVector &dropped) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims;
  unsigned numKept = 0;
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    dims.push_back(dropped[loop] ? getAffineConstantExpr(0, context)
                                 : getAffineDimExpr(numKept++, context));
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    if (llvm::none_of(dropped.set_bits(), [&](unsigned loop) {
          return expr.isFunctionOfDim(loop);
        }))
      results.push_back(expr.replaceDims(dims));
  return AffineMap::get(numKept, 0, results, context);
}

static LogicalResult reduceFirst(RewriterBase &rewriter, linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumReductionLoops() == 0 || op.hasDynamicShape())
    return failure();
  OpOperand &init = op.getDpsInitsMutable()[0];
  TypedAttr start = getSplatValue(init.get());
  AffineMap written = op.getMatchingIndexingMap(&init);
  llvm::SmallBitVector repeated = findRepeatedLoops(op);
  if (!start || !written.isProjectedPermutation() || repeated.none())
    return failure();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!repeated[loop] && !hasLength(op, loop))
      return failure();

  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  AffineMap kept = dropLoops(written, repeated);
  SmallVector<utils::IteratorType> kinds;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (!repeated[loop])
      kinds.push_back(kind);
  auto type = cast<RankedTensorType>(init.get().getType());
  SmallVector<int64_t> shape, added;
  for (auto [dim, expr] : llvm::enumerate(written.getResults())) {
    if (repeated[cast<AffineDimExpr>(expr).getPosition()])
      added.push_back(dim);
    else
      shape.push_back(type.getDimSize(dim));
  }
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  Value first = arith::ConstantOp::create(rewriter, loc, start);
  Value filled =
      linalg::FillOp::create(rewriter, loc, first, empty).getResult(0);

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (TypedAttr constant = getSplatValue(input->get())) {
      mapping.map(op.getMatchingBlockArgument(input),
                  arith::ConstantOp::create(rewriter, loc, constant));
      continue;
    }
    inputs.push_back(input->get());
    maps.push_back(dropLoops(op.getMatchingIndexingMap(input), repeated));
  }
  maps.push_back(kept);
  auto reduced = linalg::GenericOp::create(
      rewriter, loc, filled.getType(), inputs, filled, maps, kinds,
      [&](OpBuilder &b, Location, ValueRange arguments) {
        ValueRange given = arguments.drop_back();
        for (OpOperand *input : op.getDpsInputOperands()) {
          BlockArgument argument = op.getMatchingBlockArgument(input);
          if (mapping.contains(argument))
            continue;
          mapping.map(argument, given.front());
          given = given.drop_front();
        }
        mapping.map(op.getMatchingBlockArgument(&init), arguments.back());
        unsigned numKept = 0;
        SmallVector<unsigned> numbers;
        for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
          numbers.push_back(repeated[loop] ? 0 : numKept++);
        for (Operation &inner : *op.getBody()) {
          Operation *copy = b.clone(inner, mapping);
          copy->walk([&](linalg::IndexOp index) {
            index.setDim(numbers[index.getDim()]);
          });
        }
      });
  Value target = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                         type.getElementType());
  auto broadcast = linalg::BroadcastOp::create(
      rewriter, loc, reduced.getResult(0), target, added);
  rewriter.replaceOp(op, broadcast);
  // As all others are where this pass stands.
  (void)linalg::generalizeNamedOp(rewriter, broadcast);
  return success();
}

namespace {
struct ReduceBeforeBroadcast
    : public amp::impl::ReduceBeforeBroadcastPassBase<ReduceBeforeBroadcast> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops)
      (void)reduceFirst(rewriter, op);
  }
};
} // namespace
