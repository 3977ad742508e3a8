//===- GroupParts.cpp - What a loop over tiles is made of -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers from uses and views alone; nothing is kept.
//
//===----------------------------------------------------------------------===//

#include "Elements/GroupParts.h"

#include "Elements/ElementRules.h"
#include "amp/Fusion/FusionNode.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Whether a view takes the same part of what it views at any time.
static bool isFixedView(Operation *op) {
  if (!isView(op) || !isStaticTensor(op->getOperand(0).getType()) ||
      !isStaticTensor(op->getResult(0).getType()))
    return false;
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  return !slice ||
         (!llvm::is_contained(slice.getStaticOffsets(), ShapedType::kDynamic) &&
          !llvm::is_contained(slice.getStaticStrides(), ShapedType::kDynamic));
}

Value mlir::amp::getRoot(Value tensor) {
  while (Operation *view = tensor.getDefiningOp()) {
    if (!isFixedView(view))
      break;
    tensor = view->getOperand(0);
  }
  return tensor;
}

Value mlir::amp::getViewed(scf::ForallOp loop, Value tensor) {
  while (isInside(loop, tensor) && isView(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return isInside(loop, tensor) ? tensor : getRoot(tensor);
}

ElementLayout mlir::amp::getTileLayout(scf::ForallOp loop, Value tensor) {
  Value root = getViewed(loop, tensor);
  return ElementLayout::get(tensor, [&](Value value) { return value == root; });
}

bool mlir::amp::isInside(scf::ForallOp loop, Value value) {
  return loop.getRegion().isAncestor(value.getParentRegion());
}

/// The constant that result `number` of `op` is full of, or null.
static Value getFillValue(linalg::GenericOp op, unsigned number) {
  Value value = op.getBody()->getTerminator()->getOperand(number);
  return isConstant(value) && value.getParentBlock() != op.getBody() ? value
                                                                     : Value();
}

Value mlir::amp::getStartValue(linalg::GenericOp op, OpOperand &init) {
  auto fill = init.get().getDefiningOp<linalg::GenericOp>();
  return fill ? getFillValue(fill, cast<OpResult>(init.get()).getResultNumber())
              : Value();
}

bool mlir::amp::isRead(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto insertion = dyn_cast<tensor::ParallelInsertSliceOp>(user))
    return use.get() == insertion.getSource();
  auto generic = dyn_cast<linalg::GenericOp>(user);
  return !generic ||
         (generic.payloadUsesValueFromOperand(&use) &&
          (generic.isDpsInput(&use) || !getStartValue(generic, use)));
}

bool mlir::amp::isReadInside(Value result) {
  return llvm::any_of(result.getUses(), [](OpOperand &use) {
    return !isa<tensor::ParallelInsertSliceOp>(use.getOwner()) && isRead(use);
  });
}

SmallVector<tensor::ParallelInsertSliceOp>
mlir::amp::getInsertions(Value result) {
  SmallVector<tensor::ParallelInsertSliceOp> insertions;
  for (OpOperand &use : result.getUses())
    if (auto insertion =
            dyn_cast<tensor::ParallelInsertSliceOp>(use.getOwner());
        insertion && insertion.getSource() == result)
      insertions.push_back(insertion);
  return insertions;
}

bool mlir::amp::isUnneeded(linalg::GenericOp op) {
  return llvm::all_of(op.getResults(), [](Value result) {
    return !isReadInside(result) && getInsertions(result).empty();
  });
}

SmallVector<Operation *> mlir::amp::getCombiners(linalg::GenericOp op) {
  // A group has no products but those of a matrix and a vector.
  FusionForms forms;
  forms.vectorsAsSums = true;
  std::optional<FusionNode> node = FusionNode::get(op, forms);
  if (!node)
    return {};
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && node->extents[i] != 1 &&
        !node->summed[i])
      return {};
  return node->combiners;
}
