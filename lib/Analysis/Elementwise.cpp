//===- Elementwise.cpp - Operations on elements ---------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a body reads by index is a tensor from outside of it: an operand is seen
// through its elements.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

bool amp::keepsElements(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.getNumParallelLoops() == structured.getNumLoops();
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

bool amp::readsByElement(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::none_of(
      captured, [](Value value) { return isa<ShapedType>(value.getType()); });
}

/// True for operations that take a vector unit one cycle or so, and for the end
/// of a body.
static bool isCheap(Operation &op) {
  return isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
             arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, arith::CmpIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp,
             arith::IndexCastOp, linalg::IndexOp, linalg::YieldOp>(op);
}

bool amp::isCheapByElement(linalg::GenericOp op) {
  return op->getNumResults() == 1 &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) &&
         llvm::all_of(*op.getBody(), isCheap) && readsByElement(op);
}

std::optional<llvm::SetVector<Operation *>>
amp::getGenericReaders(linalg::GenericOp op) {
  llvm::SetVector<Operation *> readers;
  for (OpOperand &use : op->getUses()) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader || !reader.hasPureTensorSemantics() || !reader.isDpsInput(&use))
      return std::nullopt;
    readers.insert(reader);
  }
  return readers;
}
