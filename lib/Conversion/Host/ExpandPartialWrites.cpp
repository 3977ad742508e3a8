//===- ExpandPartialWrites.cpp - What a destination keeps -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's bufferization, and its fusion, take a structured operation whose
// body does not read its destination for one that writes all of it, and so a
// masked transfer, which is folded away where it writes what was read whole
// (LLVM 22). Where an element is not written (a diagonal, rows from an offset
// on, a reduction over nothing) there is uninitialised memory then, or what the
// mask left out.
//
// Such an operation becomes a nest of loops over its iterations, in their
// order, that carries the destination and inserts one element at a time; a
// masked transfer reads what is there, chooses, and writes the whole vector.
// Both are rare in training steps, and are not made fast.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "amp-expand-partial-writes"

namespace mlir::amp {
#define GEN_PASS_DEF_EXPANDPARTIALWRITESPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;

/// Whether each element of `out` is surely written: it has a loop of its own
/// for each dimension, and all other loops have an iteration.
static bool writesAll(linalg::GenericOp op, OpOperand &out) {
  AffineMap map = op.getMatchingIndexingMap(&out);
  if (!map.isProjectedPermutation())
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned loop = 0, e = op.getNumLoops(); loop != e; ++loop)
    if (!map.isFunctionOfDim(loop) &&
        (ShapedType::isDynamic(extents[loop]) || extents[loop] == 0))
      return false;
  return true;
}

/// Whether `op` has a destination that it does not read and may not write
/// wholly.
static bool writesInPart(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics())
    return false;
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &out) {
    return !op.payloadUsesValueFromOperand(&out) && !writesAll(op, out);
  });
}

/// The places that `operand` has in the iteration of `indices`.
static SmallVector<Value> getPlaces(OpBuilder &b, linalg::GenericOp op,
                                    OpOperand &operand, ValueRange indices) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return llvm::to_vector(
      *affine::expandAffineMap(b, op.getLoc(), map, indices));
}

/// One iteration: the body on elements, and the results with what it yields.
static SmallVector<Value> emitIteration(OpBuilder &b, linalg::GenericOp op,
                                        ValueRange indices,
                                        ValueRange carried) {
  Location loc = op.getLoc();
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!op.payloadUsesValueFromOperand(&operand))
      continue;
    Value held = operand.get();
    if (op.isDpsInit(&operand))
      held = carried[operand.getOperandNumber() - op.getNumDpsInputs()];
    if (isa<RankedTensorType>(held.getType()))
      held = tensor::ExtractOp::create(b, loc, held,
                                       getPlaces(b, op, operand, indices));
    mapping.map(op.getMatchingBlockArgument(&operand), held);
  }
  for (Operation &inner : op.getBlock()->without_terminator())
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(), indices[index.getDim()]);
    else
      b.clone(inner, mapping);
  SmallVector<Value> results;
  for (auto [out, held, yielded] : llvm::zip_equal(
           op.getDpsInitsMutable(), carried,
           cast<linalg::YieldOp>(op.getBlock()->getTerminator()).getValues()))
    results.push_back(
        tensor::InsertOp::create(b, loc, mapping.lookupOrDefault(yielded), held,
                                 getPlaces(b, op, out, indices)));
  return results;
}

static void expand(linalg::GenericOp op, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  SmallVector<Value> ends;
  for (Range range :
       cast<linalg::LinalgOp>(*op).createLoopRanges(rewriter, loc))
    ends.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
  SmallVector<Value> begins(ends.size(), zero), steps(ends.size(), one);
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, loc, begins, ends, steps, op.getDpsInits(),
      [&](OpBuilder &b, Location, ValueRange indices, ValueRange carried) {
        return scf::ValueVector(emitIteration(b, op, indices, carried));
      });
  rewriter.replaceOp(op, nest.results);
}

/// The mask of `op`, which has the order of the tensor, in that of the vector.
static Value getMaskOfVector(vector::TransferWriteOp op, OpBuilder &b) {
  // That of a vector without dimensions has one element.
  if (op.getVectorType().getRank() == 0)
    return vector::ExtractOp::create(b, op.getLoc(), op.getMask(), 0);
  SmallVector<unsigned> dims;
  for (AffineExpr place : op.getPermutationMap().getResults())
    dims.push_back(cast<AffineDimExpr>(place).getPosition());
  SmallVector<int64_t> order;
  for (unsigned dim : dims)
    order.push_back(
        llvm::count_if(dims, [&](unsigned other) { return other < dim; }));
  if (llvm::is_sorted(order))
    return op.getMask();
  return vector::TransposeOp::create(b, op.getLoc(), op.getMask(), order);
}

/// Where the whole vector is in the tensor: `in_bounds` may be said of what the
/// mask leaves.
static SmallVector<bool> getKnownBounds(vector::TransferWriteOp op) {
  auto tensor = cast<RankedTensorType>(op.getShapedType());
  SmallVector<bool> bounds = op.getInBoundsValues();
  for (auto [place, extent, isInside] :
       llvm::zip_equal(op.getPermutationMap().getResults(),
                       op.getVectorType().getShape(), bounds)) {
    const unsigned dim = cast<AffineDimExpr>(place).getPosition();
    std::optional<int64_t> offset = getConstantIntValue(op.getIndices()[dim]);
    const int64_t size = tensor.getDimSize(dim);
    isInside &= offset && !ShapedType::isDynamic(size) && *offset >= 0 &&
                extent <= size && *offset <= size - extent;
  }
  return bounds;
}

/// Reads what is there, and writes the whole vector.
static void expand(vector::TransferWriteOp op, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  VectorType type = op.getVectorType();
  ArrayAttr bounds = rewriter.getBoolArrayAttr(getKnownBounds(op));
  Value padding = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  Value old = vector::TransferReadOp::create(
      rewriter, loc, type, op.getBase(), op.getIndices(),
      op.getPermutationMap(), padding, /*mask=*/Value(), bounds);
  Value chosen = arith::SelectOp::create(
      rewriter, loc, getMaskOfVector(op, rewriter), op.getVector(), old);
  rewriter.modifyOpInPlace(op, [&] {
    op.getValueToStoreMutable().assign(chosen);
    op.getMaskMutable().clear();
    op.setInBoundsAttr(bounds);
  });
}

namespace {
struct ExpandPartialWrites
    : public amp::impl::ExpandPartialWritesPassBase<ExpandPartialWrites> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> structured;
    SmallVector<vector::TransferWriteOp> masked;
    getOperation()->walk([&](Operation *op) {
      if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        if (writesInPart(generic))
          structured.push_back(generic);
      } else if (auto write = dyn_cast<vector::TransferWriteOp>(op)) {
        if (write.getMask() && isa<RankedTensorType>(write.getShapedType()))
          masked.push_back(write);
      }
    });
    if (structured.empty() && masked.empty())
      return markAllAnalysesPreserved();
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : structured)
      expand(op, rewriter);
    for (vector::TransferWriteOp op : masked)
      expand(op, rewriter);
  }
};
} // namespace
