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
  if (!type || op.getNumParallelLoops() != op.getNumLoops() ||
      !output.isPermutation() ||
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

/// The input whose elements `op` yields, perhaps wider, or null.
static OpOperand *getMovedInput(linalg::LinalgOp op) {
  if (op->getNumResults() != 1 || op.getNumDpsInits() != 1)
    return nullptr;
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  if (Operation *def = yielded.getDefiningOp()) {
    yielded = getNarrower(def);
    if (!yielded)
      return nullptr;
  }
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  OpOperand *operand = &op->getOpOperand(argument.getArgNumber());
  return op.isDpsInput(operand) ? operand : nullptr;
}

Value mlir::amp::followMovement(Value value,
                                MutableArrayRef<StridedView> views) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return {};
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def))
    return def->getOperand(0);
  if (Value narrower = getNarrower(def))
    return narrower;
  auto op = dyn_cast<linalg::LinalgOp>(def);
  OpOperand *input = op ? getMovedInput(op) : nullptr;
  if (!input)
    return {};
  std::optional<SmallVector<int64_t>> strides =
      getOperandStrides(op, *input, /*result=*/0);
  if (!strides)
    return {};
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<StridedView> mapped;
  for (const StridedView &view : views) {
    std::optional<StridedView> other =
        mapView(mergeLoops(view), type.getShape(), *strides);
    if (!other)
      return {};
    mapped.push_back(std::move(*other));
  }
  llvm::move(mapped, views.begin());
  return input->get();
}

TypedAttr mlir::amp::getSplatValue(Value value) {
  Attribute attribute;
  if (matchPattern(value, m_Constant(&attribute))) {
    if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
      return dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
    return isa<ShapedType>(value.getType()) ? TypedAttr()
                                            : dyn_cast<TypedAttr>(attribute);
  }
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return getSplatValue(fill.getInputs()[0]);
  return {};
}
