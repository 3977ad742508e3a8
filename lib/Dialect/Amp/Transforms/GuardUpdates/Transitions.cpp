//===- Transitions.cpp - No overflow is kept from the scaler --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scaler is no state of the step: it advances when that is skipped, with
// what was found. So what it is advanced with may not be kept as it was, nor
// come from what is cut short where something overflowed.
//
//===----------------------------------------------------------------------===//

#include "StepGuard.h"

#include "amp/Analysis/ValueOrigins.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isTransition(Operation *op, const SymbolTable &symbols) {
  auto update = dyn_cast<UpdateScaleOp>(op);
  if (!update)
    return false;
  auto scaler = symbols.lookup<ScalerOp>(update.getScaler());
  return !scaler || !scaler.getStaticScale();
}

/// Finds what advances a scaler, calls included, and the values that scalers
/// are advanced with, back to what unscalings found. Gradients and new weights
/// among them are tested for infinities; what they are computed from is no
/// finding.
void StepGuard::findTransitions() {
  SmallVector<Value> worklist;
  step.walk([&](Operation *op) {
    if (!isTransition(op, symbols) && !advancing.isCall(op))
      return;
    llvm::append_range(worklist, op->getOperands());
    for (; op != step && opsWithTransitions.insert(op).second;
         op = op->getParentOp())
      ;
  });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (isa_and_present<UnscaleOp>(def) ||
        getKind(def) == FunctionKind::ForwardBackward)
      continue;
    if (isa<FloatType>(getElementTypeOrSelf(value)) &&
        (reach.isReachedByGradient(value) ||
         getKind(def) == FunctionKind::OptimizerStep))
      continue;
    if (!advancedWith.insert(value).second)
      continue;
    if (SmallVector<Place> places = getHandedOn(value); !places.empty()) {
      for (auto [op, operand] : places)
        worklist.push_back(op->getOperand(operand));
      if (isa_and_present<scf::IfOp, arith::SelectOp>(def))
        worklist.push_back(def->getOperand(0));
    } else if (def) {
      llvm::append_range(worklist, getReadValues(def));
      for (Region &region : def->getRegions())
        region.walk([&](Operation *inner) {
          llvm::append_range(worklist, inner->getOperands());
        });
    } else {
      for (auto [op, operand] : getSkipReads(value))
        worklist.push_back(op->getOperand(operand));
    }
  }
}

/// A state that a scaler is advanced with and that no gradient comes into is
/// the scaler's: whether something was found in this window.
void StepGuard::releaseScalerStates() {
  llvm::DenseSet<std::pair<unsigned, StringRef>> released;
  for (func::ReturnOp end : step.getOps<func::ReturnOp>())
    for (const Slot &slot : slots.lookup(end)) {
      Value value = end.getOperand(slot.index);
      if (!isWeight(slot.info) && slot.old && advancedWith.contains(slot.old) &&
          !reach.isReachedByGradient(value) && !reach.getScaledOrigin(value))
        released.insert({unsigned(*slot.info.role), slot.info.name});
    }
  releaseSlots(released);
}

/// `op` is cut short where a gradient overflows. The rounds of a loop with a
/// backward pass of its own advance the scaler with what they find themselves.
LogicalResult StepGuard::checkTransitions(Operation *op) {
  bool isLost = (opsWithTransitions.contains(op) && !hasSource(op)) ||
                llvm::any_of(op->getResults(), [&](Value result) {
                  return !isa<FloatType>(getElementTypeOrSelf(result)) &&
                         advancedWith.contains(result);
                });
  if (!isLost)
    return success();
  InFlightDiagnostic diagnostic = op->emitError() << "expected '";
  if (auto call = dyn_cast<func::CallOp>(op))
    diagnostic << "@" << call.getCallee() << "', which is left out";
  else
    diagnostic << op->getName() << "', which ends at once";
  return diagnostic << " where a gradient of '@" << step.getName()
                    << "' overflows, neither to advance a scaler nor to give "
                       "what one is advanced with, for that would be lost; do "
                       "so outside of it";
}
