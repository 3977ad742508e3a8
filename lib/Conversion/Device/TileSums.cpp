//===- TileSums.cpp - A block for what is left of sums --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fusion plan cuts a sum into parts where that is worth a launch, and
// leaves one of a few hundred or thousand elements, as of those parts, whole.
// With a thread for each result that would be a loop of dependent additions on
// one thread. A loop of one tile around it makes it a group, which has a block
// of threads that share it. Sums whose order matters stay as they are.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "amp/Fusion/FusionNode.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "amp-tile-sums"

namespace mlir::amp {
#define GEN_PASS_DEF_TILESUMSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Sums from which on a thread for each keeps more of a device busy than a
/// block for all of them: the threads of a block.
static constexpr int64_t kMostSums = 256;

/// Whether threads may share each sum of an operation, and have enough to do.
static bool isShared(linalg::GenericOp op, int64_t least) {
  FusionForms forms;
  forms.vectorsAsSums = true;
  std::optional<FusionNode> node = FusionNode::get(op, forms);
  if (!node || node->combiners.empty() ||
      !llvm::all_of(op.getResultTypes(), [](Type type) {
        return cast<RankedTensorType>(type).hasStaticShape();
      }))
    return false;
  int64_t summed = 1, sums = 1;
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::reduction)
      sums *= node->extents[i];
    if (kind != utils::IteratorType::reduction || node->extents[i] == 1)
      continue;
    if (!node->summed[i])
      return false;
    summed *= node->extents[i];
  }
  return summed >= least && sums <= kMostSums;
}

/// %r = linalg.generic  ->  %r = scf.forall (%i) in (1) { linalg.generic }
static void wrap(IRRewriter &rewriter, linalg::GenericOp op) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Value> outs;
  for (Type type : op.getResultTypes())
    outs.push_back(tensor::EmptyOp::create(
        rewriter, loc, cast<RankedTensorType>(type).getShape(),
        cast<RankedTensorType>(type).getElementType()));
  auto loop = scf::ForallOp::create(
      rewriter, loc, ArrayRef<OpFoldResult>(rewriter.getIndexAttr(1)), outs,
      std::nullopt);
  rewriter.setInsertionPointToStart(loop.getBody());
  Operation *inside = rewriter.clone(*op);
  rewriter.setInsertionPointToStart(loop.getTerminator().getBody());
  for (auto [result, out] :
       llvm::zip_equal(inside->getResults(), loop.getRegionOutArgs())) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<OpFoldResult> zeros(type.getRank(), rewriter.getIndexAttr(0)),
        ones(type.getRank(), rewriter.getIndexAttr(1)), sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(rewriter.getIndexAttr(size));
    tensor::ParallelInsertSliceOp::create(rewriter, loc, result, out, zeros,
                                          sizes, ones);
  }
  rewriter.replaceOp(op, loop.getResults());
}

namespace {
struct TileSums : public amp::impl::TileSumsPassBase<TileSums> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> sums;
    getOperation().walk([&](linalg::GenericOp op) {
      if (!op->getParentOfType<scf::ForallOp>() && isShared(op, least))
        sums.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : sums)
      wrap(rewriter, op);
    numTiled += sums.size();
  }
};
} // namespace
