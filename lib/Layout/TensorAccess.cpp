//===- TensorAccess.cpp - How operations run over tensors -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linalg states its loops; what else moves tensors has one loop for each
// dimension, and a reshape one for each dimension of the expanded tensor. A
// dimension with several loops (a window, a group of dimensions) stands where
// the first of them does.
//
// A tensor that is read backwards (a filter turned around for a data gradient)
// is copied element by element anyway, so it puts no condition on the order: a
// transposition costs nothing there that the copy does not.
//
//===----------------------------------------------------------------------===//

#include "amp/Layout/TensorAccess.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::amp;

/// True if `expr` counts a loop down.
static bool countsDown(AffineExpr expr) {
  bool found = false;
  expr.walk([&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (!binary || binary.getKind() != AffineExprKind::Mul)
      return;
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    found |= factor && factor.getValue() < 0;
  });
  return found;
}

static TensorAccess getLinalgAccess(linalg::LinalgOp op, AffineMap map,
                                    OpOperand *use, Value definition) {
  TensorAccess access{use, definition, {}};
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (AffineExpr expr : map.getResults()) {
    auto &loops = access.loopsOfDim.emplace_back();
    for (utils::IteratorType kind :
         {utils::IteratorType::parallel, utils::IteratorType::reduction})
      for (unsigned loop = 0; loop < kinds.size(); ++loop)
        if (kinds[loop] == kind && expr.isFunctionOfDim(loop))
          loops.push_back(loop);
  }
  return access;
}

static TensorAccesses getLinalgAccesses(linalg::LinalgOp op) {
  TensorAccesses accesses;
  accesses.numLoops = op.getNumLoops();
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (hasSeveralOrders(operand.get().getType()) &&
        op.payloadUsesValueFromOperand(&operand) &&
        llvm::none_of(map.getResults(), countsDown))
      accesses.tensors.push_back(getLinalgAccess(op, map, &operand, Value()));
  }
  for (OpResult result : op->getResults())
    if (hasSeveralOrders(result.getType()))
      accesses.tensors.push_back(getLinalgAccess(
          op, op.getIndexingMapMatchingResult(result), nullptr, result));
  return accesses;
}

TensorAccess mlir::amp::getElementwiseAccess(OpOperand *use, Value definition) {
  TensorAccess access{use, definition, {}};
  for (int64_t dim = 0, e = access.getType().getRank(); dim < e; ++dim)
    access.loopsOfDim.push_back({unsigned(dim)});
  return access;
}

/// Each tensor among `uses` and the result of `op` element by element. Nothing
/// if the order of one says nothing while another has several: a slice of one
/// row is in the written order, and its offsets are.
static std::optional<TensorAccesses>
getElementwiseAccesses(Operation *op, ArrayRef<OpOperand *> uses) {
  TensorAccesses accesses;
  SmallVector<Value> tensors(op->getResults());
  for (OpOperand *use : uses)
    if (isa<RankedTensorType>(use->get().getType()))
      tensors.push_back(use->get());
  auto haveOrders = [](Value tensor) {
    return hasSeveralOrders(tensor.getType());
  };
  if (llvm::any_of(tensors, haveOrders) && !llvm::all_of(tensors, haveOrders))
    return std::nullopt;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  accesses.numLoops = type.getRank();
  for (OpOperand *use : uses)
    if (hasSeveralOrders(use->get().getType()))
      accesses.tensors.push_back(getElementwiseAccess(use, Value()));
  for (Value result : op->getResults())
    if (hasSeveralOrders(result.getType()))
      accesses.tensors.push_back(getElementwiseAccess(nullptr, result));
  return accesses;
}

static SmallVector<ReassociationIndices> getGroups(Operation *reshape) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
    return expand.getReassociationIndices();
  return cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices();
}

static TensorAccesses getReshapeAccesses(Operation *op) {
  bool expands = isa<tensor::ExpandShapeOp>(op);
  TensorAccess source{&op->getOpOperand(0), Value(), {}};
  TensorAccess result{nullptr, op->getResult(0), {}};
  TensorAccess &expanded = expands ? result : source;
  TensorAccess &collapsed = expands ? source : result;
  TensorAccesses accesses;
  accesses.numLoops = expanded.getType().getRank();
  for (unsigned loop = 0; loop < accesses.numLoops; ++loop)
    expanded.loopsOfDim.push_back({loop});
  for (const ReassociationIndices &group : getGroups(op)) {
    auto &loops = collapsed.loopsOfDim.emplace_back();
    // Dimensions of one element say nothing about the place of the others.
    for (bool isMoving : {true, false})
      for (int64_t dim : group)
        if ((expanded.getType().getDimSize(dim) != 1) == isMoving)
          loops.push_back(dim);
  }
  for (TensorAccess *access : {&source, &result})
    if (hasSeveralOrders(access->getValue().getType()))
      accesses.tensors.push_back(*access);
  return accesses;
}

std::optional<TensorAccesses> mlir::amp::getTensorAccesses(Operation *op) {
  SmallVector<OpOperand *> all;
  for (OpOperand &operand : op->getOpOperands())
    all.push_back(&operand);
  using Result = std::optional<TensorAccesses>;
  return TypeSwitch<Operation *, Result>(op)
      .Case([](linalg::LinalgOp linalg) -> Result {
        if (!linalg.hasPureTensorSemantics())
          return std::nullopt;
        return getLinalgAccesses(linalg);
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [](auto reshape) -> Result { return getReshapeAccesses(reshape); })
      .Case([&](tensor::PadOp pad) -> Result {
        // What is padded with may not depend on the place.
        if (!pad.getConstantPaddingValue())
          return std::nullopt;
        return getElementwiseAccesses(op, {&pad.getSourceMutable()});
      })
      .Case([&](tensor::ExtractSliceOp slice) -> Result {
        if (slice.getSourceType().getRank() != slice.getType().getRank())
          return std::nullopt;
        return getElementwiseAccesses(op, {&slice.getSourceMutable()});
      })
      .Case([&](tensor::InsertSliceOp slice) -> Result {
        if (slice.getSourceType().getRank() != slice.getType().getRank())
          return std::nullopt;
        return getElementwiseAccesses(
            op, {&slice.getSourceMutable(), &slice.getDestMutable()});
      })
      .Case([&](tensor::InsertOp insert) -> Result {
        return getElementwiseAccesses(op, {&insert.getDestMutable()});
      })
      .Case([&](tensor::ConcatOp) -> Result {
        return getElementwiseAccesses(op, all);
      })
      .Default([&](Operation *) -> Result {
        if (!OpTrait::hasElementwiseMappableTraits(op) ||
            !isa<RankedTensorType>(op->getResult(0).getType()))
          return std::nullopt;
        return getElementwiseAccesses(op, all);
      });
}

SmallVector<unsigned> mlir::amp::getLoopOrder(const TensorAccess &access,
                                              ArrayRef<int64_t> order,
                                              unsigned numLoops) {
  SmallVector<unsigned> loops;
  for (int64_t dim : order)
    for (unsigned loop : access.loopsOfDim[dim])
      if (!llvm::is_contained(loops, loop))
        loops.push_back(loop);
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    if (llvm::is_contained(loops, loop))
      continue;
    auto *before = loop ? llvm::find(loops, loop - 1) : loops.end();
    loops.insert(before == loops.end() ? loops.begin() : std::next(before),
                 loop);
  }
  return loops;
}

StorageOrder mlir::amp::getTensorOrder(const TensorAccess &access,
                                       ArrayRef<unsigned> loops) {
  SmallVector<int64_t> place; // of each dimension
  for (ArrayRef<unsigned> along : access.loopsOfDim) {
    // A single element stays behind the dimension before it.
    int64_t first = place.empty() ? -1 : place.back();
    if (!along.empty())
      first = std::distance(loops.begin(), llvm::find(loops, along.front()));
    place.push_back(first);
  }
  StorageOrder order = getWrittenOrder(access.loopsOfDim.size());
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(place[a], a) < std::pair(place[b], b);
  });
  return order;
}

std::optional<StorageOrder>
mlir::amp::getExpandedOrder(Operation *reshape, ArrayRef<unsigned> loops) {
  bool expands = isa<tensor::ExpandShapeOp>(reshape);
  auto collapsedType = cast<RankedTensorType>(
      (expands ? reshape->getOperand(0) : reshape->getResult(0)).getType());
  auto expandedType = cast<RankedTensorType>(
      (expands ? reshape->getResult(0) : reshape->getOperand(0)).getType());
  StorageOrder collapsed = getWrittenOrder(collapsedType.getRank());
  for (const TensorAccess &access : getReshapeAccesses(reshape).tensors)
    if ((access.use != nullptr) == expands) // the collapsed one
      collapsed = getTensorOrder(access, loops);
  SmallVector<ReassociationIndices> groups = getGroups(reshape);
  StorageOrder together;
  for (int64_t dim : collapsed)
    together.append(groups[dim].begin(), groups[dim].end());
  StorageOrder wanted(loops.begin(), loops.end());
  if (!isSameInMemory(expandedType.getShape(), together, wanted))
    return std::nullopt;
  return together;
}
