//===- BodyExpressions.cpp - What the body of an operation computes -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyExpressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::followsFrom(Value value, Block *body,
                            function_ref<bool(BlockArgument)> isAllowed) {
  // Each once: a number may be computed from itself twice, and so on.
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Value next = values[i];
    if (next.getParentBlock() != body)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (!isAllowed(argument))
        return false;
      continue;
    }
    Operation *definition = next.getDefiningOp();
    if (definition->getNumRegions() != 0 || !isPure(definition) ||
        isa<linalg::IndexOp>(definition))
      return false;
    values.insert_range(definition->getOperands());
  }
  return true;
}

Value mlir::amp::cloneExpression(OpBuilder &b, Value value, Block *body,
                                 IRMapping &known) {
  if (value.getParentBlock() != body || known.contains(value))
    return known.lookupOrDefault(value);
  Operation *definition = value.getDefiningOp();
  for (Value operand : definition->getOperands())
    (void)cloneExpression(b, operand, body, known);
  b.clone(*definition, known);
  return known.lookup(value);
}

/// Whether two arguments are the same element of the same tensor.
static bool areSameElement(BlockArgument a, linalg::GenericOp first,
                           BlockArgument b, linalg::GenericOp second) {
  OpOperand *of = first.getMatchingOpOperand(a),
            *other = second.getMatchingOpOperand(b);
  return of->get() == other->get() && first.isDpsInput(of) &&
         second.isDpsInput(other) &&
         first.getMatchingIndexingMap(of) ==
             second.getMatchingIndexingMap(other);
}

bool mlir::amp::areSameExpression(Value a, linalg::GenericOp first, Value b,
                                  linalg::GenericOp second) {
  llvm::SetVector<std::pair<Value, Value>> pairs;
  pairs.insert({a, b});
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto [p, q] = pairs[i];
    bool isInside = p.getParentBlock() == first.getBody();
    if (isInside != (q.getParentBlock() == second.getBody()))
      return false;
    if (!isInside) {
      if (p != q)
        return false;
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(p),
         other = dyn_cast<BlockArgument>(q);
    if (argument && other && areSameElement(argument, first, other, second))
      continue;
    if (argument || other)
      return false;
    Operation *x = p.getDefiningOp(), *y = q.getDefiningOp();
    if (x->getName() != y->getName() ||
        cast<OpResult>(p).getResultNumber() !=
            cast<OpResult>(q).getResultNumber() ||
        x->getNumRegions() != 0 || y->getNumRegions() != 0 || !isPure(x) ||
        x->getAttrDictionary() != y->getAttrDictionary() ||
        x->getResultTypes() != y->getResultTypes() ||
        x->getNumOperands() != y->getNumOperands())
      return false;
    for (auto operands : llvm::zip(x->getOperands(), y->getOperands()))
      pairs.insert({std::get<0>(operands), std::get<1>(operands)});
  }
  return true;
}

Value mlir::amp::getUnwidened(Value value) {
  auto widened = value.getDefiningOp<arith::ExtFOp>();
  return widened ? widened.getIn() : value;
}

Value mlir::amp::widen(OpBuilder &b, Location loc, Value value) {
  return value.getType().isF32()
             ? value
             : arith::ExtFOp::create(b, loc, b.getF32Type(), value);
}
