//===- TransitionFlow.cpp - What a scaler is advanced with ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards from a value, through regions, blocks and calls in both directions.
// Whatever an operation reads is a source of what it gives, conditions as well.
//
//===----------------------------------------------------------------------===//

#include "TransitionFlow.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

TransitionFlow::TransitionFlow(ModuleOp module) : symbols(module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (getFunctionKind(function) == FunctionKind::TrainStep)
      reached.insert(function);
  if (reached.empty())
    for (auto function : module.getOps<func::FuncOp>())
      reached.insert(function);
  for (unsigned i = 0; i != reached.size(); ++i)
    reached[i]->walk([&](Operation *op) {
      // Attributes are made anew for each that asks for all of them.
      if (isa<func::FuncOp>(op) ||
          (!isa<SymbolUserOpInterface, CallOpInterface>(op) &&
           op->isRegistered()))
        return;
      for (NamedAttribute attribute : op->getAttrs())
        attribute.getValue().walk([&](FlatSymbolRefAttr name) {
          if (auto callee = symbols.lookup<func::FuncOp>(name.getValue())) {
            reached.insert(callee);
            if (auto call = dyn_cast<func::CallOp>(op))
              callers[callee].push_back(call);
          }
        });
    });
}

/// What the blocks in the regions of `op` end with.
static void addTerminators(Operation *op, SmallVectorImpl<Value> &sources) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator())
        llvm::append_range(sources, block.getTerminator()->getOperands());
}

bool TransitionFlow::addSources(BlockArgument argument,
                                SmallVectorImpl<Value> &sources) const {
  Block *block = argument.getOwner();
  Operation *parent = block->getParentOp();
  if (!block->isEntryBlock()) {
    for (Block *before : block->getPredecessors())
      llvm::append_range(sources, before->getTerminator()->getOperands());
    return true;
  }
  auto function = dyn_cast<func::FuncOp>(parent);
  if (!function) {
    llvm::append_range(sources, parent->getOperands());
    addTerminators(parent, sources);
    return true;
  }
  auto it = callers.find(function);
  if (it == callers.end())
    return false;
  for (func::CallOp call : it->second)
    sources.push_back(call.getOperand(argument.getArgNumber()));
  return true;
}

bool TransitionFlow::addSources(Value value, StringRef scaler,
                                SmallVectorImpl<Value> &sources) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return addSources(argument, sources);
  Operation *def = value.getDefiningOp();
  if (auto unscale = dyn_cast<UnscaleOp>(def)) {
    if (value == unscale.getFoundInf() && unscale.getAlreadyFound())
      sources.push_back(unscale.getAlreadyFound());
    return true;
  }
  if (auto scale = dyn_cast<ScaleLossOp>(def))
    return scale.getScaler() != scaler;
  if (auto call = dyn_cast<func::CallOp>(def)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return false;
    callee.walk([&](func::ReturnOp end) {
      sources.push_back(
          end.getOperand(cast<OpResult>(value).getResultNumber()));
    });
    return true;
  }
  if (!isMemoryEffectFree(def) && !isa<RegionBranchOpInterface>(def))
    return false;
  llvm::append_range(sources, def->getOperands());
  addTerminators(def, sources);
  return true;
}

bool TransitionFlow::comesFrom(Value found, StringRef scaler) const {
  llvm::SetVector<Operation *> unscalings;
  return !findUnscalings(found, scaler, unscalings) || !unscalings.empty();
}

bool TransitionFlow::findUnscalings(
    Value found, StringRef scaler,
    llvm::SetVector<Operation *> &unscalings) const {
  SmallVector<Value> worklist{found};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto unscale = value.getDefiningOp<UnscaleOp>();
    if (unscale && unscale.getScaler() == scaler) {
      unscalings.insert(unscale);
      if (unscale.getAlreadyFound())
        worklist.push_back(unscale.getAlreadyFound());
    } else if (!addSources(value, scaler, worklist)) {
      return false;
    }
  }
  return true;
}
