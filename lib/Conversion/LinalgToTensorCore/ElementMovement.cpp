//===- ElementMovement.cpp - Operations that read elements as they lie ----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transposes and broadcasts are known by their maps and a body that only
// yields, whatever they are called.
//
//===----------------------------------------------------------------------===//

#include "ElementMovement.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

std::optional<SmallVector<int64_t>>
mlir::amp::getOperandStrides(linalg::LinalgOp op, OpOperand &operand,
                             unsigned result) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  if (!type || !type.hasStaticShape() ||
      op.getNumParallelLoops() != op.getNumLoops() || !output.isPermutation() ||
      !map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return std::nullopt;
  SmallVector<int64_t> dense = getDenseStrides(type.getShape());
  SmallVector<int64_t> strides(output.getNumResults(), 0);
  for (auto [dim, expr] : llvm::enumerate(output.getResults()))
    if (std::optional<unsigned> position = map.getResultPosition(expr))
      strides[dim] = dense[*position];
  return strides;
}

/// The source of a cast to a wider type on tensors, or null.
static Value getNarrower(Operation *op) {
  if (auto extend = dyn_cast<arith::ExtFOp>(op))
    return extend.getIn();
  auto cast = dyn_cast<CastOp>(op);
  if (cast &&
      getElementTypeOrSelf(cast.getInput()).getIntOrFloatBitWidth() <
          getElementTypeOrSelf(cast.getResult()).getIntOrFloatBitWidth())
    return cast.getInput();
  return {};
}

/// The input whose elements `op` yields, as they are or what `lookThrough`
/// makes its value of, or null.
static OpOperand *getMovedInput(linalg::LinalgOp op,
                                function_ref<Value(Operation *)> lookThrough) {
  if (op->getNumResults() != 1 || op.getNumDpsInits() != 1)
    return nullptr;
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  if (Operation *def = yielded.getDefiningOp())
    yielded = lookThrough(def);
  auto argument = dyn_cast_or_null<BlockArgument>(yielded);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  OpOperand *operand = &op->getOpOperand(argument.getArgNumber());
  return op.isDpsInput(operand) ? operand : nullptr;
}

/// Takes walks over a dense tensor of `shape` to one in which a step in
/// dimension i is `strides[i]` elements long, and its first element is `first`.
static bool mapWalks(TensorWalks &walks, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> strides, int64_t first = 0) {
  TensorWalks mapped;
  mapped.place = first;
  // Of a walk that begins within a dimension, mapView does not see where it
  // leaves it.
  SmallVector<int64_t> dense = getDenseStrides(shape);
  for (size_t dim = 0; walks.place && dim < shape.size(); ++dim) {
    int64_t last = walks.place / dense[dim] % shape[dim];
    mapped.place += last * strides[dim];
    SmallVector<int64_t> steps(shape.size(), 0);
    steps[dim] = 1;
    for (const StridedView &view : walks.views) {
      std::optional<StridedView> inDim = mapView(view, shape, steps);
      if (!inDim)
        return false;
      for (StridedLoop loop : *inDim)
        last += (loop.size - 1) * loop.stride;
    }
    if (last >= shape[dim])
      return false;
  }
  for (const StridedView &view : walks.views) {
    std::optional<StridedView> other =
        mapView(mergeLoops(view), shape, strides);
    if (!other)
      return false;
    mapped.views.push_back(std::move(*other));
  }
  walks = std::move(mapped);
  return true;
}

namespace {
/// Where a slice lies in a dense tensor.
struct SlicePlace {
  int64_t first = 0;
  SmallVector<int64_t> strides;
};
} // namespace

/// That of a slice of `whole`, with `dropped` dimensions; none if only a run
/// knows.
static std::optional<SlicePlace>
locateSlice(OffsetSizeAndStrideOpInterface slice, RankedTensorType whole,
            const llvm::SmallBitVector &dropped) {
  if (!whole.hasStaticShape() ||
      ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
      ShapedType::isDynamicShape(slice.getStaticStrides()))
    return std::nullopt;
  SlicePlace place;
  for (auto [dim, stride] :
       llvm::enumerate(getDenseStrides(whole.getShape()))) {
    place.first += slice.getStaticOffsets()[dim] * stride;
    if (!dropped.test(dim))
      place.strides.push_back(slice.getStaticStrides()[dim] * stride);
  }
  return place;
}

/// The same through a slice, from its result to its source.
static bool mapThroughSlice(tensor::ExtractSliceOp slice, TensorWalks &walks) {
  RankedTensorType type = slice.getType();
  std::optional<SlicePlace> place =
      locateSlice(slice, slice.getSourceType(), slice.getDroppedDims());
  return place && type.hasStaticShape() &&
         mapWalks(walks, type.getShape(), place->strides, place->first);
}

Value mlir::amp::followMovement(Value value, TensorWalks &walks) {
  Operation *def = value.getDefiningOp();
  auto type = cast<RankedTensorType>(value.getType());
  if (!def || !type.hasStaticShape())
    return {};
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def))
    return def->getOperand(0);
  if (Value narrower = getNarrower(def))
    return narrower;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(def))
    return mapThroughSlice(slice, walks) ? slice.getSource() : Value();
  auto op = dyn_cast<linalg::LinalgOp>(def);
  OpOperand *input = op ? getMovedInput(op, getNarrower) : nullptr;
  if (!input)
    return {};
  std::optional<SmallVector<int64_t>> strides =
      getOperandStrides(op, *input, /*result=*/0);
  return strides && mapWalks(walks, type.getShape(), *strides) ? input->get()
                                                               : Value();
}

/// The same from an inserted tensor to the one in which it is then.
static bool mapThroughInsertion(tensor::InsertSliceOp insertion,
                                TensorWalks &walks) {
  RankedTensorType type = insertion.getSourceType();
  std::optional<SlicePlace> place =
      locateSlice(insertion, insertion.getType(), insertion.getDroppedDims());
  return place && type.hasStaticShape() && !insertion.getType().getEncoding() &&
         mapWalks(walks, type.getShape(), place->strides, place->first);
}

Value mlir::amp::followReader(OpOperand &use, TensorWalks &walks) {
  Operation *reader = use.getOwner();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(reader))
    return reader->getResult(0);
  if (auto insertion = dyn_cast<tensor::InsertSliceOp>(reader))
    return use == insertion.getSourceMutable() &&
                   mapThroughInsertion(insertion, walks)
               ? insertion.getResult()
               : Value();
  auto op = dyn_cast<linalg::LinalgOp>(reader);
  auto getRounded = [](Operation *def) {
    auto round = dyn_cast<arith::TruncFOp>(def);
    return round && !round.getRoundingmode() && round.getIn().getType().isF32()
               ? round.getIn()
               : Value();
  };
  if (!op || getMovedInput(op, getRounded) != &use)
    return {};
  Value result = op->getResult(0);
  auto source = cast<RankedTensorType>(use.get().getType());
  auto target = cast<RankedTensorType>(result.getType());
  AffineMap map = op.getMatchingIndexingMap(&use);
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!target.hasStaticShape() || target.getEncoding() ||
      !map.isPermutation() || !output.isPermutation() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return {};
  SmallVector<int64_t> dense = getDenseStrides(target.getShape()), strides;
  for (AffineExpr loop : map.getResults())
    strides.push_back(dense[*output.getResultPosition(loop)]);
  return mapWalks(walks, source.getShape(), strides) ? result : Value();
}
