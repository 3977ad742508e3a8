//===- RaiseScalars.cpp - Integers that no tensor is needed for -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a slice begins is a number. Front ends that know tensors alone compute
// it in tensors of one element, from constants and the index of a loop, and
// read it from the last one:
//
//   %i = tensor.from_elements %k             %i = 7 - %k
//   %last = 7 - %i  (linalg.generic)   ->    %x[%i, 0] ...
//   %n = tensor.extract %last[]
//   %x[%n, 0] ...
//
// All of it is arithmetic on numbers, which on a device the host does itself,
// and need not read.
//
//===----------------------------------------------------------------------===//

#include "OneElement.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-raise-scalars"

namespace mlir::amp {
#define GEN_PASS_DEF_RAISESCALARSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Operations of one number, at most.
static constexpr size_t kMostOperations = 64;

/// Whether `op` computes a number, or a tensor of one element, from such, and
/// does the same on numbers.
static bool computesNumber(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isPure(op) &&
         !isa<linalg::IndexOp>(op) &&
         OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::all_of(op->getOperandTypes(), isOneElement);
}

/// Whether `value` is a number that can be used anywhere behind it: not one of
/// the body of an operation on tensors.
static bool isNumber(Value value) {
  return value.getType().isIntOrIndex() &&
         !isa<linalg::LinalgOp>(value.getParentBlock()->getParentOp());
}

/// The number that `value` always is, if it is one of a constant whose elements
/// are known.
static TypedAttr getConstantNumber(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  if (auto elements = dyn_cast<DenseElementsAttr>(constant))
    constant =
        elements.isSplat() ? elements.getSplatValue<Attribute>() : Attribute();
  return isa_and_present<IntegerAttr, FloatAttr>(constant)
             ? cast<TypedAttr>(constant)
             : TypedAttr();
}

/// What the number that `extract` reads is computed by, operands first: numbers
/// as they are, constants, and operations on those. Nothing if anything else is
/// read.
static FailureOr<llvm::SetVector<Value>> getNumbers(tensor::ExtractOp extract) {
  llvm::SetVector<Value> numbers;
  SmallVector<std::pair<Value, bool>> stack = {
      {getNumberOf(extract.getResult()), /*operandsAreDone=*/false}};
  while (!stack.empty()) {
    if (numbers.size() + stack.size() > kMostOperations)
      return failure();
    auto [value, operandsAreDone] = stack.pop_back_val();
    if (operandsAreDone || isNumber(value) || getConstantNumber(value)) {
      numbers.insert(value);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || !computesNumber(op))
      return failure();
    stack.emplace_back(value, true);
    for (Value operand : op->getOperands())
      if (Value number = getNumberOf(operand); !numbers.contains(number))
        stack.emplace_back(number, false);
  }
  return numbers;
}

/// `value`, a number or a tensor of one element, as a number; `known` has its
/// operands.
static Value compute(OpBuilder &b, Value value,
                     const DenseMap<Value, Value> &known) {
  if (isNumber(value))
    return value;
  Type type = getElementTypeOrSelf(value.getType());
  if (TypedAttr constant = getConstantNumber(value))
    return arith::ConstantOp::create(b, value.getLoc(), type, constant);
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(known.at(getNumberOf(operand)));
  OperationState state(op->getLoc(), op->getName(), operands, type,
                       op->getAttrs());
  return b.create(state)->getResult(0);
}

namespace {
struct RaiseScalars : public amp::impl::RaiseScalarsPassBase<RaiseScalars> {
  void runOnOperation() override {
    SmallVector<tensor::ExtractOp> extracts;
    getOperation().walk([&](tensor::ExtractOp extract) {
      if (extract.getType().isIntOrIndex() &&
          isOneElement(extract.getTensor().getType()) &&
          !extract->getParentOfType<linalg::LinalgOp>())
        extracts.push_back(extract);
    });
    IRRewriter rewriter(&getContext());
    for (tensor::ExtractOp extract : extracts) {
      FailureOr<llvm::SetVector<Value>> numbers = getNumbers(extract);
      // In a block that nothing reaches, it may be what it is made of.
      if (failed(numbers) || numbers->back() == extract.getResult())
        continue;
      rewriter.setInsertionPoint(extract);
      DenseMap<Value, Value> known;
      for (Value number : *numbers)
        known[number] = compute(rewriter, number, known);
      rewriter.replaceOp(extract, known.at(numbers->back()));
      ++numRaised;
    }
  }
};
} // namespace
