//===- GuardUpdates.cpp - An overflow leaves every state as it was --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in the order of the program carries beside each value that an
// overflow may have come into a tensor<i1> that says whether it has: what
// amp.unscale found, joined over operands, and handed through loops, branches
// and blocks as one value more. So a predicate is exact wherever its value is:
// the gradients that a loop hands to its next round bring the overflow of the
// round that computed them. OverflowReach says beforehand which values those
// are; nothing is carried beside the others.
//
// Guards are of two forms. A call of an optimizer step moves into an
// amp.apply_if_finite with what its operands bring. A new state that the train
// step computes itself, in any other way, is kept at the place where it leaves
// its region: the return, or the yield of a loop or branch that contains the
// step. The states of a place fall into units: those that are computed from
// each other's old or new values. A unit takes one predicate, the union of its
// members'; a state that reads nothing (a count of steps) takes that of the
// unit that reads it, or of all.
//
// A guarded value is clean, so a model that is called with it after the step
// brings nothing into the next gradients, and independent optimizers skip
// independently.
//
// Linear in operations and uses, times the number of backward passes.
//
//===----------------------------------------------------------------------===//

#include "../HiddenEffects.h"
#include "StepGuard.h"

#include "amp/Analysis/ValueOrigins.h"
#include "amp/Dialect/Amp/Transforms/IndexSwitchToIf.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#define DEBUG_TYPE "amp-guard-updates"

namespace mlir::amp {
#define GEN_PASS_DEF_GUARDUPDATESPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Predicates that no guard asked for.
void StepGuard::removeUnused() {
  for (Operation *op : llvm::reverse(created))
    if (op->use_empty())
      op->erase();
}

LogicalResult StepGuard::run() {
  // A switch is a chain of branches, of which each hands on its own overflows.
  SmallVector<scf::IndexSwitchOp> switches;
  step.walk([&](scf::IndexSwitchOp choice) {
    if (choice.getNumResults() != 0)
      switches.push_back(choice);
  });
  IRRewriter rewriter(step.getContext());
  for (scf::IndexSwitchOp choice : switches)
    convertIndexSwitchToIf(choice, rewriter);
  if (!findSources())
    return success();
  if (Operation *write = findMemoryWrite(step, symbols))
    return write->emitError()
           << "expected train step '@" << step.getName()
           << "' and what it calls to keep their values in tensors, but '"
           << write->getName()
           << "' writes to memory, where an overflow is lost and a skipped step "
              "leaves its traces; hand the value on as a tensor";
  findAgreements();
  findSlots();
  findUpdates();
  if (options.keepFiniteSums)
    findSums();
  reach.propagate();
  findTransitions();
  releaseCounters();
  releaseScalerStates();
  if (failed(walkRegion(step.getBody())) || failed(useAgreements()))
    return failure();
  removeUnused();
  return success();
}

/// True if what `callee` returns as an accumulator depends on what it is given:
/// it adds to the sum, or decides itself whether the window ends. One that is
/// called at a window's end returns zeros.
static bool decidesWindow(func::FuncOp callee) {
  SmallVector<Value> pending;
  callee.walk([&](func::ReturnOp end) {
    for (OpOperand &returned : end->getOpOperands())
      if (getResultRole(callee, returned.getOperandNumber())
              .is(Role::Accumulator))
        pending.push_back(returned.get());
  });
  llvm::DenseSet<Value> seen(pending.begin(), pending.end());
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (!def)
      return true;
    for (Value read : getReadValues(def))
      if (seen.insert(read).second)
        pending.push_back(read);
  }
  return false;
}

/// True if `callee` is given a sum and a gradient beside it.
static bool takesSumAndGradient(func::FuncOp callee) {
  auto takes = [&](Role role) {
    return llvm::any_of(callee.getArguments(), [&](BlockArgument argument) {
      return getArgRole(callee, argument.getArgNumber()).is(role);
    });
  };
  return takes(Role::Accumulator) && takes(Role::Grad);
}

/// Writes the optimizer steps that decide about windows into `step`: a guard
/// around such a call would end the window in which one micro-batch is bad, and
/// go on with the rest of it. With `keepsFiniteSums` those as well that add to
/// the sum for themselves.
///   %n, %acc1 = call @step(%w, %acc, %g)  ->  its operations
static LogicalResult inlineWindows(func::FuncOp step,
                                   const SymbolTable &symbols,
                                   bool keepsFiniteSums) {
  SmallVector<std::pair<func::CallOp, func::FuncOp>> calls;
  step.walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (callee && getFunctionKind(callee) == FunctionKind::OptimizerStep &&
        (decidesWindow(callee) ||
         (keepsFiniteSums && takesSumAndGradient(callee))))
      calls.push_back({call, callee});
  });
  for (auto [call, callee] : calls) {
    if (!llvm::hasSingleElement(callee.getBody()))
      return call.emitError()
             << "expected optimizer step '@" << callee.getName()
             << "', which decides whether a window of accumulated gradients "
                "ends, to have one block, so that an overflow drops the window "
                "and not a part of it; write branches with scf.if";
    Block &body = callee.getBody().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), call.getOperands());
    OpBuilder builder(call);
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (auto [result, returned] : llvm::zip_equal(
             call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
    call.erase();
  }
  return success();
}

namespace {
struct GuardUpdates : public amp::impl::GuardUpdatesPassBase<GuardUpdates> {
  using GuardUpdatesPassBase::GuardUpdatesPassBase;

  void runOnOperation() override {
    std::optional<SymbolTable> symbols;
    std::optional<FunctionsWith> advancing;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (getFunctionKind(function) != FunctionKind::TrainStep ||
          function.isExternal() || isFlagSet(function, kUpdatesGuardedAttr))
        continue;
      WalkResult scaled = function.walk([](Operation *op) {
        return isa<ScaleLossOp, UnscaleOp>(op) ? WalkResult::interrupt()
                                               : WalkResult::advance();
      });
      if (!scaled.wasInterrupted())
        continue;
      if (!symbols) {
        symbols.emplace(getOperation());
        advancing.emplace(getOperation(), *symbols, [&](Operation *op) {
          return isTransition(op, *symbols);
        });
      }
      if (failed(inlineWindows(function, *symbols, keepFiniteSums)))
        return signalPassFailure();
      StepGuard guard(function, *symbols, *advancing,
                      {skipOnOverflow, keepFiniteSums});
      if (failed(guard.run()))
        return signalPassFailure();
      numGuarded += guard.getNumGuards();
      if (guard.hasChanged())
        function->setAttr(kUpdatesGuardedAttr, UnitAttr::get(&getContext()));
    }
    if (!symbols) // nothing is scaled
      markAllAnalysesPreserved();
  }
};
} // namespace
