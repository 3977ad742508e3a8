//===- UnscaledSteps.cpp - Steps that no role tells -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnscaledSteps.h"

#include "Callees.h"
#include "FunctionsWith.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::amp;

/// The first new parameter or master among the results; empty for none.
static RoleInfo findUpdate(func::FuncOp function) {
  for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
    if (RoleInfo info = getResultRole(function, i);
        info.is(Role::Param) || info.is(Role::Master))
      return info;
  return {};
}

/// The first argument with `role`; empty for none.
static RoleInfo findArgument(func::FuncOp function, Role role) {
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (RoleInfo info = getArgRole(function, i); info.is(role))
      return info;
  return {};
}

/// What shows that gradients are computed in `function`: an operation in it, or
/// itself for the batch that it takes; null for nothing.
static Operation *findTraining(func::FuncOp function, const ModuleCalls &calls,
                               const SymbolTable &symbols) {
  Operation *found = nullptr;
  function.walk([&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    func::FuncOp callee = call ? getCallee(call, symbols) : nullptr;
    bool isBackward =
        callee && getFunctionKind(callee) == FunctionKind::ForwardBackward;
    if (!isBackward && !isa<ScaleLossOp, UnscaleOp>(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  bool isEntry = calls.getCalls(function.getName()).empty();
  if (!found && isEntry && findArgument(function, Role::Batch).role)
    return function;
  return found;
}

/// Says that the backward pass of `function` starts from no seed of its caller.
static void explainUpdate(InFlightDiagnostic &&diagnostic,
                          func::FuncOp function, RoleInfo update,
                          Operation *training) {
  diagnostic << "expected '@" << function.getName() << "', which updates '"
             << stringifyRole(*update.role) << "' '" << update.name
             << "', to have its loss seed as an argument, or its loss is not "
                "scaled and no overflow skips the update; start its backward "
                "pass from an argument with amp.role = \"loss_seed\", which is "
                "1 in each call";
  if (training == function)
    diagnostic << ", or give results that no gradient comes into the role "
                  "'buffer'";
  else
    diagnostic.attachNote(training->getLoc()) << "gradients are computed here";
}

static void explainSeed(InFlightDiagnostic &&diagnostic, func::FuncOp function,
                        RoleInfo seed) {
  diagnostic << "expected '@" << function.getName()
             << "', which takes the seed of loss '" << seed.name
             << "', to give gradients (amp.role = \"grad\") or new parameters "
                "(\"param\" or \"master\"), or its loss is not scaled and no "
                "overflow skips what it computes; give its results their roles";
}

void mlir::amp::reportUnscaledSteps(
    ModuleOp module, function_ref<InFlightDiagnostic(Location)> emit) {
  SymbolTable symbols(module);
  ModuleCalls calls(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    FunctionKind kind = getFunctionKind(function);
    if (function.isExternal() || kind == FunctionKind::TrainStep ||
        kind == FunctionKind::ForwardBackward ||
        kind == FunctionKind::OptimizerStep)
      continue;
    RoleInfo update = findUpdate(function);
    if (RoleInfo seed = findArgument(function, Role::LossSeed); seed.role)
      explainSeed(emit(function.getLoc()), function, seed);
    else if (Operation *training =
                 update.role ? findTraining(function, calls, symbols) : nullptr)
      explainUpdate(emit(function.getLoc()), function, update, training);
  }
}

void mlir::amp::warnOfCallersElsewhere(ModuleOp module) {
  SmallVector<func::FuncOp> passes;
  func::FuncOp optimizer;
  for (auto function : module.getOps<func::FuncOp>()) {
    FunctionKind kind = getFunctionKind(function);
    if (kind == FunctionKind::TrainStep)
      return;
    if (kind == FunctionKind::ForwardBackward && !function.isExternal())
      passes.push_back(function);
    if (kind == FunctionKind::OptimizerStep)
      optimizer = function;
  }
  if (!optimizer)
    return;
  for (func::FuncOp pass : passes)
    pass.emitWarning() << "no train step calls '@" << pass.getName()
                       << "' and '@" << optimizer.getName()
                       << "': the loss is not scaled here, and no overflow "
                          "skips an update; add a function with the loss seed "
                          "and the new parameters that calls both, or scale, "
                          "unscale and skip where they are called";
}
