//===- SeparateFills.cpp - One fill for each use --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Common subexpression elimination leaves one tensor of zeros for all sums of a
// shape. Bufferization keeps it for the last of them and copies it for each of
// the others, which reads and writes as much as filling writes. Here each
// operation that takes a filled tensor as the start of its result, and each
// loop that carries one, gets a fill of its own, into an empty tensor of its
// own; uses that only read share one. A
// result that is computed in parts (tiles) starts with a slice of what its
// first part is inserted into; the slice follows. Before that, what has another
// shape than the fill becomes a fill of that shape, and on a host so does a
// start that is a constant of one number, which would be read from memory.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Fill.h"
#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#define DEBUG_TYPE "amp-separate-fills"

namespace mlir::amp {
#define GEN_PASS_DEF_SEPARATEFILLSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// True if `op` fills an empty tensor with one value.
static bool isFillOfEmpty(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>() &&
         getFillValue(op);
}

/// True if the owner of `use` writes its result, or what it carries from one
/// iteration to the next, where the value is.
static bool isStart(OpOperand &use) {
  if (auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner()))
    return user.isDpsInit(&use);
  auto loop = dyn_cast<LoopLikeOpInterface>(use.getOwner());
  return loop && llvm::any_of(loop.getInitsMutable(),
                              [&](OpOperand &init) { return &init == &use; });
}

/// If `start` is what a part of a result is inserted into, the slice of `fill`
/// where the part starts.
static tensor::ExtractSliceOp getSliceOfStart(OpOperand &start,
                                              linalg::LinalgOp fill) {
  auto insertion = dyn_cast<tensor::InsertSliceOp>(start.getOwner());
  auto part = insertion
                  ? insertion.getSource().getDefiningOp<linalg::LinalgOp>()
                  : linalg::LinalgOp();
  if (!part)
    return {};
  OpOperand *init =
      part.getTiedOpOperand(cast<OpResult>(insertion.getSource()));
  auto slice = init->get().getDefiningOp<tensor::ExtractSliceOp>();
  bool startsThere = slice && slice.getSource() == fill->getResult(0) &&
                     slice->hasOneUse() &&
                     slice->getBlock() == insertion->getBlock();
  return startsThere ? slice : tensor::ExtractSliceOp();
}

/// A fill of `type` with `number`, at the builder's place.
static linalg::GenericOp createFill(IRRewriter &rewriter, Location loc,
                                    RankedTensorType type, Value number) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  auto fill = linalg::FillOp::create(rewriter, loc, number, empty);
  rewriter.setInsertionPoint(fill);
  return *linalg::generalizeNamedOp(rewriter, fill);
}

/// Turns reshapes of `fill` into fills, so that they can be told apart too.
static void fillReshapes(linalg::LinalgOp fill) {
  for (Operation *user : llvm::make_early_inc_range(fill->getUsers())) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
      continue;
    auto type = cast<RankedTensorType>(user->getResult(0).getType());
    if (!type.hasStaticShape())
      continue;
    IRRewriter rewriter(user);
    linalg::GenericOp shaped =
        createFill(rewriter, user->getLoc(), type, getFillValue(fill));
    user->replaceAllUsesWith(shaped);
    user->erase();
    fillReshapes(shaped);
  }
}

/// Fills what starts as `constant`, if that is one number.
static void fillStarts(arith::ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  if (!elements || !elements.isSplat() || !type || type.getEncoding())
    return;
  // Of complex numbers it is none that a constant has, nor is an integer with
  // a sign.
  auto splat = dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>());
  if (!splat || !arith::ConstantOp::isBuildableWith(splat, splat.getType()))
    return;
  for (OpOperand &use : llvm::make_early_inc_range(constant->getUses())) {
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!isStart(use) || (op && !op.payloadUsesValueFromOperand(&use)))
      continue;
    IRRewriter rewriter(use.getOwner());
    Location loc = constant.getLoc();
    Value number = arith::ConstantOp::create(rewriter, loc, splat);
    use.set(createFill(rewriter, loc, type, number)->getResult(0));
  }
}

namespace {
struct SeparateFills : public amp::impl::SeparateFillsPassBase<SeparateFills> {
  using Base::Base;

  void runOnOperation() override {
    if (constants)
      getOperation().walk(fillStarts);
    SmallVector<linalg::LinalgOp> fills;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isFillOfEmpty(op))
        fills.push_back(op);
    });
    for (linalg::LinalgOp fill : fills)
      fillReshapes(fill);
    fills.clear();
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isFillOfEmpty(op) && !op->hasOneUse())
        fills.push_back(op);
    });
    for (linalg::LinalgOp fill : fills) {
      SmallVector<OpOperand *> starts;
      for (OpOperand &use : fill->getUses())
        if (isStart(use))
          starts.push_back(&use);
      for (OpOperand *start : starts) {
        tensor::ExtractSliceOp slice = getSliceOfStart(*start, fill);
        OpBuilder builder(slice ? slice.getOperation() : start->getOwner());
        IRMapping mapping;
        Operation *empty = fill.getDpsInits()[0].getDefiningOp();
        builder.clone(*empty, mapping);
        Operation *own = builder.clone(*fill, mapping);
        start->set(own->getResult(0));
        if (slice)
          slice.getSourceMutable().assign(own->getResult(0));
        ++numFills;
      }
      if (fill->use_empty())
        fill.erase();
    }
  }
};
} // namespace
