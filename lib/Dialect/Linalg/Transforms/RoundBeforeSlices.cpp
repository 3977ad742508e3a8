//===- RoundBeforeSlices.cpp - What all readers of parts round ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor of which every reader rounds what it reads to one narrower type, by
// way of slices and reshapes, is rounded by the operation that computes it:
//
//   x = f(...) : f32                      x' = truncf f(...) : f16
//   q, k, v = slices of x         ->      q', k', v' = slices of x'
//   each reader: truncf of an element     each reader: the element
//
// Queries, keys and values of an attention that JAX computes are such slices.
// The same elements are rounded once, so the bits are the same; the tensor is
// half as large, and heads are read where they lie.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "amp-round-before-slices"

namespace mlir::amp {
#define GEN_PASS_DEF_ROUNDBEFORESLICESPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Who reads a tensor, and to what they round it.
struct Readers {
  /// Slices and reshapes, each behind what it is of.
  SmallVector<Operation *> parts;
  /// Arguments of bodies.
  SmallVector<BlockArgument> elements;
  FloatType narrow;

  /// Adds those of `tensor`; false if one does not round.
  bool add(Value tensor);

private:
  bool addElement(BlockArgument element);
};
} // namespace

bool Readers::addElement(BlockArgument element) {
  for (Operation *user : element.getUsers()) {
    auto round = dyn_cast<arith::TruncFOp>(user);
    if (!round || round.getRoundingmodeAttr())
      return false;
    auto type = cast<FloatType>(round.getType());
    if (narrow && narrow != type)
      return false;
    narrow = type;
  }
  elements.push_back(element);
  return true;
}

bool Readers::add(Value tensor) {
  return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
    Operation *op = use.getOwner();
    if (isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp>(op)) {
      parts.push_back(op);
      return add(op->getResult(0));
    }
    auto reader = dyn_cast<linalg::GenericOp>(op);
    return reader && reader.hasPureTensorSemantics() &&
           reader.isDpsInput(&use) &&
           addElement(reader.getMatchingBlockArgument(&use));
  });
}

/// Whether `op` computes the elements of its only result, of a wide type, by
/// themselves.
static bool computesElements(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) &&
         isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
}

/// Lets `op` round its result, and `readers` read that.
static void roundResult(IRRewriter &rewriter, linalg::GenericOp op,
                        const Readers &readers) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  rewriter.setInsertionPoint(op);
  Value init = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, op.getOutputs()[0]),
      readers.narrow, type.getEncoding());
  rewriter.modifyOpInPlace(op, [&] {
    op.getOutputsMutable().assign(init);
    op.getRegionOutputArgs().front().setType(readers.narrow);
    op.getResult(0).setType(cast<RankedTensorType>(init.getType()));
    Operation *yield = op.getBody()->getTerminator();
    rewriter.setInsertionPoint(yield);
    yield->setOperand(0, arith::TruncFOp::create(rewriter, loc, readers.narrow,
                                                 yield->getOperand(0)));
  });
  for (Operation *part : readers.parts)
    part->getResult(0).setType(
        cast<RankedTensorType>(part->getResult(0).getType())
            .clone(readers.narrow));
  for (BlockArgument element : readers.elements) {
    element.setType(readers.narrow);
    for (Operation *round : llvm::make_early_inc_range(element.getUsers()))
      rewriter.replaceOp(round, element);
  }
}

namespace {
struct RoundBeforeSlices
    : public amp::impl::RoundBeforeSlicesPassBase<RoundBeforeSlices> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      Readers readers;
      if (!computesElements(op) || !readers.add(op->getResult(0)) ||
          readers.parts.empty() || !readers.narrow)
        continue;
      roundResult(rewriter, op, readers);
      ++numRounded;
    }
  }
};
} // namespace
