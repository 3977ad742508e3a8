//===- RaiseExtracts.cpp - Reads by index become operands -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each index becomes an affine expression of the loops, or the read stays. The
// rest is what linalg asks of an input: indices stay inside the tensor, a loop
// that is an index by itself is as long as the dimension (else the tensor is
// sliced first), and the extents of all loops follow from shapes, which they do
// already.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/LinearMap.h"
#include "amp/Analysis/LoopExprs.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-raise-extracts"

namespace mlir::amp {
#define GEN_PASS_DEF_RAISEEXTRACTSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// The map by which `extract` reads its tensor in the loops of `op`, or nothing
/// if it is none that an input may have.
static std::optional<AffineMap> readMap(tensor::ExtractOp extract,
                                        linalg::GenericOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  RankedTensorType type = extract.getTensor().getType();
  if (!type.hasStaticShape() || ShapedType::isDynamicShape(extents) ||
      llvm::is_contained(extents, 0))
    return std::nullopt;
  unsigned numLoops = extents.size();
  MLIRContext *context = extract.getContext();
  // Loops of extent 1 that stand for the only index of a dimension.
  SmallVector<unsigned> units;
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent == 1)
      units.push_back(loop);
  LoopExprs loops(op);
  SmallVector<AffineExpr> exprs;
  for (auto [index, size] :
       llvm::zip_equal(extract.getIndices(), type.getShape())) {
    std::optional<AffineExpr> expr = loops.read(index);
    if (!expr)
      return std::nullopt;
    std::optional<LinearExpr> linear = LinearExpr::get(*expr, numLoops);
    if (!linear)
      return std::nullopt;
    auto [least, greatest] = linear->getRange(extents);
    if (least < 0 || greatest >= size)
      return std::nullopt;
    if (size == 1 && !units.empty()) {
      expr = getAffineDimExpr(units.front(), context);
      if (units.size() > 1)
        units.erase(units.begin());
    }
    exprs.push_back(*expr);
  }
  return AffineMap::get(numLoops, 0, exprs, context);
}

/// `tensor` without what no loop reaches that is an index of `map` by itself.
static Value sliceToLoops(OpBuilder &builder, Location loc, Value tensor,
                          AffineMap map, ArrayRef<int64_t> extents) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> sizes(type.getShape());
  for (auto [size, expr] : llvm::zip_equal(sizes, map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      size = extents[loop.getPosition()];
  if (ArrayRef(sizes) == type.getShape())
    return tensor;
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      builder, loc, tensor, offsets,
      getAsIndexOpFoldResult(builder.getContext(), sizes), strides);
}

/// Makes `tensor`, read by `map`, the last input of `op` in place of `extract`.
static linalg::GenericOp addInput(linalg::GenericOp op,
                                  tensor::ExtractOp extract, AffineMap map) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value tensor = sliceToLoops(builder, loc, extract.getTensor(), map,
                              op.getStaticLoopRanges());
  unsigned position = op.getNumDpsInputs();
  SmallVector<Value> inputs = op.getInputs();
  inputs.push_back(tensor);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.insert(maps.begin() + position, map);
  auto raised = linalg::GenericOp::create(
      builder, loc, op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(), /*bodyBuild=*/nullptr,
      linalg::getPrunedAttributeList(op));
  raised.getRegion().takeBody(op.getRegion());
  BlockArgument element = raised.getBlock()->insertArgument(
      position, extract.getType(), extract.getLoc());
  extract.getResult().replaceAllUsesWith(element);
  extract.erase();
  op->replaceAllUsesWith(raised);
  op.erase();
  return raised;
}

namespace {
struct RaiseExtracts : public amp::impl::RaiseExtractsPassBase<RaiseExtracts> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics())
        ops.push_back(op);
    });
    bool changed = false;
    for (linalg::GenericOp op : ops) {
      // Whatever stands in a region of the body may not be reached.
      SmallVector<tensor::ExtractOp> extracts(
          op.getBlock()->getOps<tensor::ExtractOp>());
      for (tensor::ExtractOp extract : extracts) {
        std::optional<AffineMap> map = readMap(extract, op);
        bool isOutside =
            !op.getRegion().isAncestor(extract.getTensor().getParentRegion());
        if (!map || !isOutside)
          continue;
        op = addInput(op, extract, *map);
        ++numRaised;
        changed = true;
      }
    }
    // What computed indices.
    IRRewriter rewriter(&getContext());
    if (changed)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
