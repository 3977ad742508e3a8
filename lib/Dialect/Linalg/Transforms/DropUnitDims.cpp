//===- DropUnitDims.cpp - Shapes without extents of 1 ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin pass over upstream's rewrite; what it drops them from is the policy.
//
// Frameworks keep the dimension that they sum: statistics of 1024 rows are
// 1024x1, read by a map with a constant. Elementwise fusion takes no operation
// with such a map across a reshape, and a widening behind one is written to
// memory as f32.
//
// Products and convolutions keep theirs, and so does an operation beside one
// whose tensor has an extent of 1. A kernel's image has four dimensions and its
// window two, and what is fused into it has the shape of its result.
// So do operations in loops: a row that is taken by its index is 1x512, and
// amp-expand-slice-updates knows it by that. On a host, whose kernels take any
// maps, products with plain ones lose them too (`products`): the scores of one
// group of heads, which JAX writes with a dimension for groups, are a tensor
// like any scores then.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Contraction.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/DenseSet.h"

#define DEBUG_TYPE "amp-drop-unit-dims"

namespace mlir::amp {
#define GEN_PASS_DEF_DROPUNITDIMSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// True if each dimension of each operand is a loop or has extent 1.
static bool hasPlainMaps(linalg::LinalgOp op) {
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.isProjectedPermutation(/*allowZeroInResults=*/true);
  });
}

/// True if loops of extent 1 can be dropped from a product, and leave one.
static bool isProductWithout(const Contraction &product) {
  linalg::LinalgOp op = product.op;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto isLong = [&](unsigned loop) { return extents[loop] != 1; };
  return isa<linalg::GenericOp>(op.getOperation()) && hasPlainMaps(op) &&
         (llvm::any_of(product.m, isLong) || llvm::any_of(product.n, isLong)) &&
         llvm::any_of(product.k, isLong);
}

/// The operands and results of products in `function` that would have another
/// shape; with `drops`, of those alone that keep theirs.
static llvm::DenseSet<Value> findValuesOfContractions(func::FuncOp function,
                                                      bool drops) {
  llvm::DenseSet<Value> values;
  auto add = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && llvm::is_contained(type.getShape(), 1))
      values.insert(value);
  };
  function.walk([&](linalg::LinalgOp op) {
    FailureOr<Contraction> product = matchContraction(op);
    if (failed(product) || (drops && isProductWithout(*product)))
      return;
    llvm::for_each(op->getOperands(), add);
    llvm::for_each(op->getResults(), add);
  });
  return values;
}

/// The loops of `operation` that may be dropped where they are of extent 1;
/// none for what keeps its shape, as what reads or makes a value of `kept`
/// does.
static SmallVector<unsigned> getLoops(Operation *operation,
                                      const llvm::DenseSet<Value> &kept) {
  auto isKept = [&](Value value) { return kept.contains(value); };
  auto op = dyn_cast<linalg::GenericOp>(operation);
  if (!op || !op.hasPureTensorSemantics() ||
      op->getParentOfType<LoopLikeOpInterface>() || !hasPlainMaps(op) ||
      llvm::any_of(op->getOperands(), isKept) ||
      llvm::any_of(op->getResults(), isKept))
    return {};
  return llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops()));
}

namespace {
struct DropUnitDims : public amp::impl::DropUnitDimsPassBase<DropUnitDims> {
  using Base::Base;

  void runOnOperation() override {
    llvm::DenseSet<Value> kept =
        findValuesOfContractions(getOperation(), products);
    linalg::ControlDropUnitDims control;
    control.controlFn = [&](Operation *op) { return getLoops(op, kept); };
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::DropUnitDimsResult> dropped =
          linalg::dropUnitDims(rewriter, op, control);
      if (failed(dropped))
        continue;
      rewriter.replaceOp(op, dropped->replacements);
      ++numChanged;
    }
    foldReshapes();
  }

private:
  /// Shapes that one operation drops and the next one adds, and those of
  /// nothing. What else there is stays as it is.
  void foldReshapes() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    SmallVector<Operation *> reshapes;
    getOperation().walk([&](Operation *op) {
      if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) &&
          !op->getParentOfType<LoopLikeOpInterface>())
        reshapes.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(reshapes, std::move(patterns), config);
  }
};
} // namespace
