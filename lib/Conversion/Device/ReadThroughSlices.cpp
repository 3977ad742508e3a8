//===- ReadThroughSlices.cpp - Slices that their reader indexes -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The map of an operand is composed with where its elements lie in the tensor
// that it is a slice or another shape of. A kernel takes a tensor from its
// first element on, so that a slice in between would be copied for it.
//
// The naive version goes wrong where a slice begins at 0 and is shorter: the
// index is a loop's own there, and a linalg.generic with such an index runs as
// far as the tensor does. It stays.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "amp-read-through-slices"

namespace mlir::amp {
#define GEN_PASS_DEF_READTHROUGHSLICESPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// A tensor, and for each of its dimensions the index of an element, in the
/// loops of the reader.
struct Read {
  Value tensor;
  SmallVector<AffineExpr> indices;
};
} // namespace

/// The same element in what a slice is cut from, if offsets are known.
static std::optional<Read> readWhole(const Read &read,
                                     tensor::ExtractSliceOp slice) {
  if (ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
      ShapedType::isDynamicShape(slice.getStaticStrides()) ||
      !slice.getSourceType().hasStaticShape())
    return std::nullopt;
  Read whole{slice.getSource(), {}};
  MLIRContext *context = slice.getContext();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  const AffineExpr *next = read.indices.begin();
  for (auto [i, offset, stride] :
       llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
    AffineExpr inside =
        dropped[i] ? getAffineConstantExpr(0, context) : *next++;
    whole.indices.push_back(inside * stride + offset);
  }
  return whole;
}

/// The same element before dimensions were split.
static Read readCollapsed(const Read &read, tensor::ExpandShapeOp expansion) {
  Read whole{expansion.getSrc(), {}};
  ArrayRef<int64_t> shape = expansion.getResultType().getShape();
  for (const ReassociationIndices &group :
       expansion.getReassociationIndices()) {
    AffineExpr index = getAffineConstantExpr(0, expansion.getContext());
    for (int64_t dim : group)
      index = index * shape[dim] + read.indices[dim];
    whole.indices.push_back(index);
  }
  return whole;
}

/// Whether a linalg.generic may have these indices: those that are loops run as
/// far as the tensor.
static bool isLegal(const Read &read, ArrayRef<int64_t> loops) {
  auto shape = cast<RankedTensorType>(read.tensor.getType()).getShape();
  return llvm::all_of(llvm::zip_equal(read.indices, shape), [&](auto pair) {
    auto [index, extent] = pair;
    auto loop = dyn_cast<AffineDimExpr>(index);
    return !loop || loops[loop.getPosition()] == extent;
  });
}

/// Follows an operand to the furthest tensor behind a slice that it can be read
/// from.
static std::optional<Read> findRead(linalg::GenericOp op, OpOperand &operand) {
  SmallVector<int64_t> loops = op.getStaticLoopRanges();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Read read{operand.get(), llvm::to_vector(map.getResults())};
  std::optional<Read> best;
  while (Operation *producer = read.tensor.getDefiningOp()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(producer);
    if (auto expansion = dyn_cast<tensor::ExpandShapeOp>(producer);
        expansion && expansion.getResultType().hasStaticShape())
      read = readCollapsed(read, expansion);
    else if (std::optional<Read> whole =
                 slice ? readWhole(read, slice) : std::nullopt)
      read = *whole;
    else
      break;
    if (slice && isLegal(read, loops))
      best = read;
  }
  return best;
}

/// Whether all loops have a dimension of the results of their own, which says
/// how far they run.
static bool hasOwnBounds(linalg::GenericOp op) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return llvm::all_of(llvm::seq(op.getNumLoops()), [&](unsigned loop) {
    return map.isFunctionOfDim(loop) &&
           map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
  });
}

namespace {
struct ReadThroughSlices
    : public amp::impl::ReadThroughSlicesPassBase<ReadThroughSlices> {
  void runOnOperation() override {
    getOperation().walk([&](linalg::GenericOp op) {
      if (!op.hasPureTensorSemantics() || op.getNumDpsInits() == 0 ||
          ShapedType::isDynamicShape(op.getStaticLoopRanges()) ||
          !hasOwnBounds(op))
        return;
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      for (OpOperand *operand : op.getDpsInputOperands()) {
        if (!isa<RankedTensorType>(operand->get().getType()))
          continue;
        std::optional<Read> read = findRead(op, *operand);
        if (!read)
          continue;
        maps[operand->getOperandNumber()] = simplifyAffineMap(AffineMap::get(
            op.getNumLoops(), 0, read->indices, op.getContext()));
        operand->set(read->tensor);
        op.setIndexingMapsAttr(Builder(op).getAffineMapArrayAttr(maps));
        ++numRead;
      }
    });
  }
};
} // namespace
