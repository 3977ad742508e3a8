//===- OrderContractionResults.cpp - Results as they are read -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction writes its result through a table of offsets, in any order of
// dimensions for the same price, so that it may as well write the one in which
// the result is read. What it starts with has to be the same in every order: a
// fill.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Fill.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "amp/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-order-contraction-results"

namespace mlir::amp {
#define GEN_PASS_DEF_ORDERCONTRACTIONRESULTSPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// The only reader of `contraction`, if it writes its own result in another
/// order than it reads this one.
static OpOperand *getReorderingUse(linalg::GenericOp contraction) {
  Value result = contraction.getResult(0);
  if (!result.hasOneUse())
    return nullptr;
  OpOperand &use = *result.getUses().begin();
  auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!reader || !reader.hasPureTensorSemantics() ||
      !reader.isAllParallelLoops() || !reader.isDpsInput(&use) ||
      reader.getNumDpsInits() != 1)
    return nullptr;
  AffineMap read = reader.getMatchingIndexingMap(&use);
  AffineMap written =
      reader.getMatchingIndexingMap(reader.getDpsInitOperand(0));
  bool reorders =
      read.isPermutation() && written.isPermutation() && read != written;
  return reorders ? &use : nullptr;
}

/// Lets `contraction` write its result in the order of what `use` is read for.
static void reorderResult(linalg::GenericOp contraction, OpOperand &use) {
  auto reader = cast<linalg::GenericOp>(use.getOwner());
  AffineMap read = reader.getMatchingIndexingMap(&use);
  AffineMap written =
      reader.getMatchingIndexingMap(reader.getDpsInitOperand(0));
  // From a dimension of this result to the one of the reader's.
  AffineMap order = written.compose(inversePermutation(read));
  OpOperand *start = contraction.getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(start->get().getType());
  auto ordered = RankedTensorType::get(
      applyPermutationMap(order, type.getShape()), type.getElementType());

  OpBuilder builder(contraction);
  Location loc = contraction.getLoc();
  Value value = getFillValue(start->get().getDefiningOp<linalg::LinalgOp>());
  Value empty = tensor::EmptyOp::create(builder, loc, ordered.getShape(),
                                        ordered.getElementType());
  start->set(linalg::FillOp::create(builder, loc, value, empty).getResult(0));
  SmallVector<AffineMap> maps = contraction.getIndexingMapsArray();
  maps.back() = order.compose(maps.back());
  contraction.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  contraction.getResult(0).setType(ordered);

  SmallVector<AffineMap> readerMaps = reader.getIndexingMapsArray();
  readerMaps[use.getOperandNumber()] = written;
  reader.setIndexingMapsAttr(builder.getAffineMapArrayAttr(readerMaps));
}

namespace {
struct OrderContractionResults
    : public amp::impl::OrderContractionResultsPassBase<
          OrderContractionResults> {
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](linalg::GenericOp op) {
      if (!op.hasPureTensorSemantics() || !isHostContraction(op) ||
          !cast<RankedTensorType>(op.getResultTypes()[0]).hasStaticShape())
        return;
      auto start = op.getOutputs()[0].getDefiningOp<linalg::LinalgOp>();
      OpOperand *use = getReorderingUse(op);
      if (!start || !getFillValue(start) || !use)
        return;
      reorderResult(op, *use);
      ++numOrdered;
      changed = true;
    });
    // The fills of the other orders.
    IRRewriter rewriter(&getContext());
    if (changed)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
