//===- OneElement.cpp - Numbers and the tensors that hold them ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneElement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isOneElement(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.hasStaticShape() && tensor.getNumElements() == 1;
  return type.isIntOrIndexOrFloat();
}

/// The input whose element an argument of the body of `op` is.
static Value getInput(linalg::GenericOp op, BlockArgument argument) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return op.isDpsInput(operand) ? operand->get() : Value();
}

/// The same, of whatever shape.
static Value getSource(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
    return op && op.hasPureTensorSemantics() ? getInput(op, argument) : Value();
  }
  Operation *op = value.getDefiningOp();
  if (isa<tensor::ExtractOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::CastOp>(op))
    return op->getOperand(0);
  if (auto made = dyn_cast<tensor::FromElementsOp>(op))
    return made.getElements().front();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureTensorSemantics())
    return {};
  // What a sum takes in is not what it comes to, nor is what a loop without
  // iterations yields.
  if (generic.getNumParallelLoops() != generic.getNumLoops() ||
      !llvm::all_of(generic.getStaticLoopRanges(),
                    [](int64_t extent) { return extent == 1; }))
    return {};
  return generic.getBody()->getTerminator()->getOperand(
      cast<OpResult>(value).getResultNumber());
}

Value mlir::amp::getNumberSource(Value value) {
  if (!isOneElement(value.getType()))
    return {};
  Value source = getSource(value);
  return source && isOneElement(source.getType()) ? source : Value();
}

Value mlir::amp::getNumberOf(Value value) {
  // In a block that nothing reaches, a value may be made of itself.
  llvm::SmallPtrSet<Value, 8> seen;
  while (seen.insert(value).second) {
    Value source = getNumberSource(value);
    if (!source)
      break;
    value = source;
  }
  return value;
}
