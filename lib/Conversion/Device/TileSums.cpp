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
// one thread. A loop of tiles around it makes it a group, which has a block of
// threads for each tile that share its sums. A tile has as many sums as it
// takes to read whole sectors, or all where they do not follow one another or
// an operand is read in another way than by loops.
// Sums whose order matters stay as they are.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "amp/Fusion/FusionNode.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

#define DEBUG_TYPE "amp-tile-sums"

namespace mlir::amp {
#define GEN_PASS_DEF_TILESUMSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Sums of a tile from which on a thread for each keeps more of a device busy
/// than a block for all of them: the threads of a block.
static constexpr int64_t kMostSums = 256;
/// The same of all tiles: with that many, threads alone are enough.
static constexpr int64_t kMostInAll = 8192;

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
  int64_t summed = 1;
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::reduction || node->extents[i] == 1)
      continue;
    if (!node->summed[i])
      return false;
    summed *= node->extents[i];
  }
  return summed >= least;
}

namespace {
/// One loop of an operation, in steps.
struct TiledLoop {
  unsigned loop;
  int64_t extent, step;
};
} // namespace

/// The loop that walks neighbours in each result, in the least step of `sums`
/// or more that divides it; nothing if one tile has all.
static std::optional<TiledLoop> getTiledLoop(linalg::GenericOp op,
                                             int64_t sums) {
  // Upstream slices other operands wrongly, and a body that asks for its place
  // would compute it.
  if (op.hasIndexSemantics() ||
      !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
        return map.isProjectedPermutation(/*allowZeroInResults=*/true);
      }))
    return std::nullopt;
  std::optional<unsigned> last;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation() || map.getNumResults() == 0)
      return std::nullopt;
    unsigned loop = map.getDimPosition(map.getNumResults() - 1);
    if (last && *last != loop)
      return std::nullopt;
    last = loop;
  }
  TiledLoop tiled{*last, op.getStaticLoopRanges()[*last], sums};
  while (tiled.step < tiled.extent && tiled.extent % tiled.step)
    ++tiled.step;
  if (tiled.step >= tiled.extent)
    return std::nullopt;
  return tiled;
}

static int64_t countSums(linalg::GenericOp op) {
  int64_t sums = 1;
  for (auto [extent, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind != utils::IteratorType::reduction)
      sums *= extent;
  return sums;
}

/// %r = linalg.generic  ->  %r = scf.forall (%i) { linalg.generic }, of a tile
/// of each step of `tiled`, or of one tile.
static void wrap(IRRewriter &rewriter, linalg::GenericOp op,
                 std::optional<TiledLoop> tiled) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Value> outs;
  for (Type type : op.getResultTypes())
    outs.push_back(tensor::EmptyOp::create(
        rewriter, loc, cast<RankedTensorType>(type).getShape(),
        cast<RankedTensorType>(type).getElementType()));
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  OpFoldResult end = tiled ? rewriter.getIndexAttr(tiled->extent) : one,
               step = tiled ? rewriter.getIndexAttr(tiled->step) : one;
  auto loop =
      scf::ForallOp::create(rewriter, loc, zero, end, step, outs, std::nullopt);
  rewriter.setInsertionPointToStart(loop.getBody());
  Operation *inside = nullptr;
  if (tiled) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    SmallVector<OpFoldResult> offsets(extents.size(), zero),
        sizes = getAsIndexOpFoldResult(rewriter.getContext(), extents);
    offsets[tiled->loop] = loop.getInductionVar(0);
    sizes[tiled->loop] = step;
    FailureOr<TilingResult> result =
        cast<TilingInterface>(op.getOperation())
            .getTiledImplementation(rewriter, offsets, sizes);
    assert(succeeded(result) && "its results are projections of its loops");
    inside = result->tiledOps.front();
  } else {
    inside = rewriter.clone(*op);
  }
  rewriter.setInsertionPointToStart(loop.getTerminator().getBody());
  for (auto [result, out] :
       llvm::zip_equal(inside->getResults(), loop.getRegionOutArgs())) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<OpFoldResult> places(type.getRank(), zero),
        ones(type.getRank(), one),
        shape = getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
    if (tiled)
      places.back() = loop.getInductionVar(0);
    tensor::ParallelInsertSliceOp::create(rewriter, loc, result, out, places,
                                          shape, ones);
  }
  rewriter.replaceOp(op, loop.getResults());
}

namespace {
struct TileSums : public amp::impl::TileSumsPassBase<TileSums> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (!op->getParentOfType<scf::ForallOp>() && isShared(op, least))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops) {
      std::optional<TiledLoop> tiled = getTiledLoop(op, sums);
      int64_t count = countSums(op);
      if (count > kMostInAll ||
          count / (tiled ? tiled->extent / tiled->step : 1) > kMostSums)
        continue;
      wrap(rewriter, op, tiled);
      ++numTiled;
    }
  }
};
} // namespace
