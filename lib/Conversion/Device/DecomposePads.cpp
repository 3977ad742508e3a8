//===- DecomposePads.cpp - What is put together of parts ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns: a tensor.pad is a fill and an insertion, a tensor.concat
// an insertion for each part. An insertion is a copy once there are buffers;
// a pad would be a loop of the host.
//
// There is no insertion of nothing at the end of a tensor. So insertions of no
// elements, which is what such parts and pads become, are left out.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "amp-decompose-pads"

namespace mlir::amp {
#define GEN_PASS_DEF_DECOMPOSEPADSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// insert(%nothing into %x) -> %x
struct DropEmptyInsertions : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp insert,
                                PatternRewriter &rewriter) const override {
    if (!llvm::is_contained(insert.getSourceType().getShape(), 0))
      return failure();
    rewriter.replaceOp(insert, insert.getDest());
    return success();
  }
};

struct DecomposePads : public amp::impl::DecomposePadsPassBase<DecomposePads> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DropEmptyInsertions>(&getContext(), /*benefit=*/2);
    linalg::populateDecomposePadPatterns(patterns);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    // No folding: it would take what is filled and what is put in apart.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
