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
#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-order-contraction-results"

namespace mlir::amp {
#define GEN_PASS_DEF_ORDERCONTRACTIONRESULTSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// From a dimension of the value of `use`, an input of an elementwise
/// operation, to the one of the operation's result; null if that has other
/// dimensions.
static AffineMap getReaderOrder(OpOperand &use) {
  auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!reader || !reader.hasPureTensorSemantics() ||
      !reader.isAllParallelLoops() || !reader.isDpsInput(&use) ||
      reader.getNumDpsInits() != 1)
    return {};
  AffineMap read = reader.getMatchingIndexingMap(&use);
  AffineMap written =
      reader.getMatchingIndexingMap(reader.getDpsInitOperand(0));
  if (!read.isPermutation() || !written.isPermutation())
    return {};
  return written.compose(inversePermutation(read));
}

/// Sets the map of `operand` of `op`.
static void setMap(linalg::GenericOp op, OpOperand &operand, AffineMap map) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[operand.getOperandNumber()] = map;
  op.setIndexingMapsAttr(
      OpBuilder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// Lets `contraction` write its result in the order in which its only reader
/// writes. False if it does already, or cannot.
static bool orderResult(linalg::GenericOp contraction) {
  OpOperand *start = contraction.getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(start->get().getType());
  auto fill = start->get().getDefiningOp<linalg::LinalgOp>();
  Value value = fill ? getFillValue(fill) : Value();
  if (!value || !type.hasStaticShape() || !contraction->hasOneUse())
    return false;
  OpOperand &use = *contraction->use_begin();
  AffineMap order = getReaderOrder(use);
  if (!order || order.isIdentity())
    return false;

  OpBuilder builder(contraction);
  Location loc = contraction.getLoc();
  auto ordered = RankedTensorType::get(
      applyPermutationMap(order, type.getShape()), type.getElementType());
  Value empty = tensor::EmptyOp::create(builder, loc, ordered.getShape(),
                                        ordered.getElementType());
  AffineMap map = contraction.getMatchingIndexingMap(start);
  setMap(contraction, *start, order.compose(map));
  start->set(linalg::FillOp::create(builder, loc, value, empty).getResult(0));
  contraction.getResult(0).setType(ordered);
  auto reader = cast<linalg::GenericOp>(use.getOwner());
  setMap(reader, use, order.compose(reader.getMatchingIndexingMap(&use)));
  return true;
}

namespace {
struct OrderContractionResults
    : public amp::impl::OrderContractionResultsPassBase<
          OrderContractionResults> {
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](linalg::GenericOp op) {
      if (!op.hasPureTensorSemantics() || !isHostContraction(op) ||
          !orderResult(op))
        return;
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
