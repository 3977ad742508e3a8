//===- ValueOrigins.cpp - What a value is computed from -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One forward walk suffices without a fixpoint: a region's arguments take the
// union of all that enters the region, loop-carried values included, so a
// second walk could not add to it.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/ValueOrigins.h"

#include "mlir/IR/Operation.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::amp;

SmallVector<Value> mlir::amp::getReadValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (op->getNumRegions() == 0)
    return values;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  values.append(captured.begin(), captured.end());
  return values;
}

static Origins getArgumentOrigins(FunctionOpInterface function,
                                  unsigned index) {
  RoleInfo info = getArgRole(function, index);
  Origins result;
  if (!info.role) {
    result.batch = true;
    return result;
  }
  switch (*info.role) {
  case Role::Param:
  case Role::Master:
  case Role::Buffer:
    result.param = true;
    result.batchNorm = info.isBatchNorm;
    break;
  case Role::LossSeed:
    result.seed = true;
    break;
  case Role::Grad:
  case Role::Accumulator:
    result.gradient = true;
    break;
  case Role::Batch:
  case Role::Rng:
    result.batch = true;
    break;
  case Role::OptState:
  case Role::Hyper:
  case Role::ScalerState:
    break;
  case Role::Loss:
  case Role::Output:
    // Results of a forward function that its caller hands on.
    result.batch = true;
    break;
  }
  return result;
}

ValueOrigins::ValueOrigins(FunctionOpInterface function) {
  FunctionKind kind = getFunctionKind(function);
  isOptimizer = kind == FunctionKind::OptimizerStep;
  isTrainStep = kind == FunctionKind::TrainStep;
  if (function.isExternal())
    return;
  for (auto [index, argument] : llvm::enumerate(function.getArguments()))
    origins[argument] = getArgumentOrigins(function, index);
  visit(function.getFunctionBody(), Origins());
}

void ValueOrigins::visit(Region &region, Origins entry) {
  for (Block &block : region) {
    for (BlockArgument argument : block.getArguments())
      origins.try_emplace(argument, entry);
    for (Operation &op : block) {
      Origins read;
      for (Value value : getReadValues(&op))
        read.join(lookup(value));
      for (Region &nested : op.getRegions())
        visit(nested, read);
      for (Value result : op.getResults())
        origins[result] = read;
    }
  }
}

Phase ValueOrigins::getPhase(Operation *op) const {
  if (isTrainStep)
    return Phase::Optimizer;
  if (std::optional<Phase> given = mlir::amp::getPhase(op))
    return *given;
  if (isOptimizer)
    return Phase::Optimizer;
  for (Value value : getReadValues(op))
    if (lookup(value).seed)
      return Phase::Backward;
  return Phase::Forward;
}
