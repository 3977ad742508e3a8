//===- FuseElementwise.cpp - Elementwise fusion that spares contractions --===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin pass over upstream's patterns; the control function is the policy.
//
// Nothing goes into a contraction, whose copy into panels computes nothing;
// what only moves elements is in its maps already
// (amp-fold-moves-into-contractions).
//
// Bodies grow up to a bound: each fusion copies both, and a loop of thousands
// of operations is no faster than two. Nor does one body read many products.
//
// Operations at the ends of a reshape get the loops of the longer shape, so
// that what computes on 4x256 rows and on 1024 of them has loops in common.
//
//===----------------------------------------------------------------------===//

#include "SharedBody.h"
#include "amp/Analysis/LinearMap.h"
#include "amp/Analysis/LoopExtents.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "amp-fuse-elementwise"

namespace mlir::amp {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// True if linalg may read the inputs of `producer` by their maps in the loops
/// of `consumer`. An index such as i - j is i where j is always 0, and then i
/// must walk the whole dimension.
static bool fitsConsumer(linalg::LinalgOp producer, linalg::LinalgOp consumer,
                         AffineMap read) {
  SmallVector<int64_t> extents = consumer.getStaticLoopRanges();
  AffineMap written =
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
  if (!written.isPermutation())
    return false;
  AffineMap toLoops = inversePermutation(written).compose(read);
  return llvm::all_of(producer.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = producer.getMatchingIndexingMap(input);
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    return !type || map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
           fitsExtents(simplifyAffineMap(map.compose(toLoops)), type.getShape(),
                       extents);
  });
}

/// Operations in a body that was fused, beside which one more load and store of
/// an element are little.
constexpr int64_t kMaxBodySize = 256;

static int64_t getBodySize(linalg::LinalgOp op) {
  return op.getBlock()->getOperations().size();
}

/// Whether `op` only converts. What comes behind a body that is full is one
/// operation more, not another body.
static bool onlyConverts(linalg::LinalgOp op) {
  return llvm::all_of(op.getBlock()->without_terminator(),
                      llvm::IsaPred<CastOpInterface>);
}

/// True if `operand` may be computed inside its user.
static bool isWorthFusing(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !consumer)
    return false;
  if (isHostContraction(consumer) || !producer->hasOneUse())
    return false;
  auto structured = dyn_cast<linalg::LinalgOp>(producer);
  if (!structured)
    return true;
  if (getBodySize(structured) + getBodySize(consumer) > kMaxBodySize &&
      !onlyConverts(consumer))
    return false;
  if (readManyProducts(structured, consumer))
    return false;
  AffineMap read = consumer.getMatchingIndexingMap(operand);
  // What reads its `outs` keeps that as a result of the fused operation, and
  // would be computed on top of itself for each element that it is broadcast
  // to.
  bool readsOuts =
      llvm::any_of(structured.getDpsInitsMutable(), [&](OpOperand &out) {
        return structured.payloadUsesValueFromOperand(&out);
      });
  return (read.isPermutation() || !readsOuts) &&
         fitsConsumer(structured, consumer, read);
}

/// True if each dimension that `reshape` merges or divides is longer than 1.
static bool dividesExtents(Operation *reshape) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape);
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape);
  if (!expand && !collapse)
    return false;
  ArrayRef<int64_t> shape = expand ? expand.getResultType().getShape()
                                   : collapse.getSrcType().getShape();
  SmallVector<ReassociationIndices> groups =
      expand ? expand.getReassociationIndices()
             : collapse.getReassociationIndices();
  return llvm::all_of(groups, [&](const ReassociationIndices &group) {
    return group.size() == 1 || llvm::all_of(group, [&](int64_t dim) {
             return !ShapedType::isDynamic(shape[dim]) && shape[dim] > 1;
           });
  });
}

/// True if the operation at one end of `operand`, which is a reshape or is
/// reshaped, may get the loops of the longer shape. Others may read a producer
/// too: it becomes another operation, not a second one. This ends, because
/// extents are divided; extents of 1 could be added for ever, by operations
/// that read what the other reduces. A product gets the loops of what reads its
/// result, and so a group with it.
static bool isWorthExpanding(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  for (Operation *end : {producer, operand->getOwner()})
    if (auto op = dyn_cast_if_present<linalg::LinalgOp>(end);
        op && !haveLoopsOneExtent(op))
      return false;
  return (producer && dividesExtents(producer)) ||
         dividesExtents(operand->getOwner()) || isWorthFusing(operand);
}

namespace {
struct FuseElementwise
    : public amp::impl::FuseElementwisePassBase<FuseElementwise> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, isWorthFusing);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns,
                                                      isWorthExpanding);
    linalg::populateConstantFoldLinalgOperations(patterns, isWorthFusing);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    // What has not come to an end by then is right as it is.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};
} // namespace
