//===- ValueOrigins.cpp - What a value is computed from -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One forward walk suffices where control is structured: a region's arguments
// take the union of all that enters the region, loop-carried values included,
// so a second walk could not add to it. The blocks of a function take what the
// branches hand to them, walked until nothing is added, which is as often as a
// set of origins can grow. Sizes are not data: `tensor.dim` has no origins, nor
// has the `tensor.empty` that it sizes.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/ValueOrigins.h"

#include "amp/Analysis/ComputeKind.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

static SmallVector<Value> getCapturedValues(Operation *op) {
  llvm::SetVector<Value> captured;
  if (op->getNumRegions() != 0)
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  return captured.takeVector();
}

SmallVector<Value> mlir::amp::getReadValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, getCapturedValues(op));
  return values;
}

static Value getMoveSource(Value value,
                           function_ref<ComputeKind(Operation *)> getKind) {
  Operation *def = value.getDefiningOp();
  if (!def || getKind(def) != ComputeKind::Movement)
    return {};
  Value source;
  // What a linalg movement writes over is no source of elements.
  auto linalgOp = dyn_cast<linalg::LinalgOp>(def);
  for (Value operand : getReadValues(def)) {
    if (!isCastableTensor(operand.getType()) ||
        (linalgOp && llvm::is_contained(linalgOp.getDpsInits(), operand) &&
         !llvm::is_contained(linalgOp.getDpsInputs(), operand)))
      continue;
    Operation *producer = operand.getDefiningOp();
    if (producer && getKind(producer) == ComputeKind::Neutral)
      continue;
    if (source && source != operand)
      return {}; // concat, insert_slice: a value of its own
    source = operand;
  }
  return source;
}

Value mlir::amp::getMoveSource(Value value) {
  return ::getMoveSource(value, getComputeKind);
}

Value mlir::amp::getMovedValue(Value value) {
  // Movements of a block that nothing reaches may form a circle (Brent: `mark`
  // is left behind at steps that are powers of two).
  Value mark;
  uint64_t steps = 0;
  while (Value source = getMoveSource(value)) {
    if (value == mark)
      return value;
    if (llvm::isPowerOf2_64(++steps))
      mark = value;
    value = source;
  }
  return value;
}

void ValueOrigins::collectOperations(Region &region,
                                     SmallVectorImpl<Operation *> &ops) const {
  for (Block *block : getBlocksSortedByDominance(region))
    for (Operation &op : *block) {
      ops.push_back(&op);
      if (getKind(&op) == ComputeKind::Control)
        for (Region &nested : op.getRegions())
          collectOperations(nested, ops);
    }
}

ComputeKind ValueOrigins::getKind(Operation *op) const {
  auto it = facts.find(op);
  if (it == facts.end())
    return getComputeKind(op);
  if (!it->second.kind)
    it->second.kind = getComputeKind(op);
  return *it->second.kind;
}

SmallVector<Value> ValueOrigins::getReadValues(Operation *op) const {
  auto it = facts.find(op);
  if (it == facts.end())
    return amp::getReadValues(op);
  SmallVector<Value> values(op->getOperands());
  if (it->second.captures)
    llvm::append_range(values, captured.find(op)->second);
  return values;
}

Value ValueOrigins::getMovedValue(Value value) const {
  Operation *def = value.getDefiningOp();
  if (!def || getKind(def) != ComputeKind::Movement)
    return value;
  SmallVector<Value> path;
  llvm::DenseSet<Value> onPath;
  auto known = moved.find(value);
  while (known == moved.end() && onPath.insert(value).second) {
    path.push_back(value);
    Value source =
        ::getMoveSource(value, [&](Operation *op) { return getKind(op); });
    if (!source)
      break;
    value = source;
    known = moved.find(value);
  }
  Value end = known == moved.end() ? value : known->second;
  for (Value passed : path)
    moved[passed] = end;
  return end;
}

static Origins getOriginsOfRole(FunctionOpInterface function, unsigned index) {
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
    // What belongs to no parameter and not to the model is no weight of it.
    result.param = !info.of || !info.of->empty();
    result.batchNorm = result.param && info.isBatchNorm;
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

static Origins getArgumentOrigins(FunctionOpInterface function,
                                  unsigned index) {
  Origins result = getOriginsOfRole(function, index);
  result.floating = !result.isConstant();
  return result;
}

/// The part of `from` that a value of `type` has: integers end what is
/// floating.
static Origins restrictTo(Type type, Origins from) {
  from.floating &= !getElementTypeOrSelf(type).isIntOrIndex();
  return from;
}

ValueOrigins::ValueOrigins(FunctionOpInterface function)
    : ValueOrigins(function, CallContext::get(function), nullptr) {}

ValueOrigins::ValueOrigins(FunctionOpInterface function,
                           std::optional<CallContext> given,
                           CallFlowSource *flows)
    : context(std::move(given)), flows(flows) {
  FunctionKind kind = getFunctionKind(function);
  isOptimizer =
      kind == FunctionKind::OptimizerStep || (context && context->isOptimizer);
  isTrainStep = kind == FunctionKind::TrainStep;
  if (function.isExternal())
    return;
  for (auto [index, argument] : llvm::enumerate(function.getArguments()))
    origins[argument] = restrictTo(
        argument.getType(), context ? context->arguments[index].origins
                                    : getArgumentOrigins(function, index));
  Region &body = function.getFunctionBody();
  // Only what is handed back to a block asks for another round.
  bool isHandedBack = false;
  do {
    isHandedBack = false;
    llvm::SmallPtrSet<Block *, 8> visited;
    for (Block *block : getBlocksSortedByDominance(body)) {
      visit(*block, Origins());
      visited.insert(block);
      isHandedBack |= handOn(*block, visited);
    }
  } while (isHandedBack);
}

/// Gives the arguments of the blocks behind `block` what it hands over. True if
/// one of a block that is among `visited` has more origins than before.
bool ValueOrigins::handOn(Block &block,
                          const llvm::SmallPtrSetImpl<Block *> &visited) {
  auto branch =
      block.empty() ? nullptr : dyn_cast<BranchOpInterface>(block.back());
  if (!branch)
    return false;
  bool isHandedBack = false;
  for (auto [index, successor] : llvm::enumerate(branch->getSuccessors())) {
    SuccessorOperands operands = branch.getSuccessorOperands(index);
    for (BlockArgument argument : successor->getArguments())
      if (Value operand = operands[argument.getArgNumber()])
        isHandedBack |= origins[argument].join(lookup(operand)) &&
                        visited.contains(successor);
  }
  return isHandedBack;
}

/// True if `result` of a call is returned as a gradient or buffer and has no
/// other use.
static bool isReturnedAlone(Value result,
                            const std::optional<CallContext> &context) {
  return !result.use_empty() &&
         llvm::all_of(result.getUses(), [&](OpOperand &use) {
           auto end = dyn_cast<func::ReturnOp>(use.getOwner());
           if (!end)
             return false;
           unsigned number = use.getOperandNumber();
           if (context)
             return context->results[number].isUnrounded;
           auto function = end->getParentOfType<FunctionOpInterface>();
           RoleInfo info = getResultRole(function, number);
           return info.is(Role::Grad) || info.is(Role::Buffer);
         });
}

/// The results of a helper, each from what it is computed from; false for
/// another call.
bool ValueOrigins::visitCall(func::CallOp call) {
  CallContext passedOn;
  if (!flows) {
    std::optional<CallContext> given = CallContext::get(call);
    if (!given)
      return false;
    passedOn = std::move(*given);
  } else {
    passedOn.isOptimizer = isOptimizer || isTrainStep;
    passedOn.arguments.resize(call.getNumOperands());
    passedOn.results.resize(call.getNumResults());
    for (auto [passed, result] :
         llvm::zip_equal(passedOn.results, call.getResults()))
      passed.isUnrounded = isReturnedAlone(result, context);
  }
  for (auto [argument, operand] :
       llvm::zip_equal(passedOn.arguments, call.getOperands()))
    argument.origins = lookup(operand);
  if (flows && !flows->findOrigins(call, passedOn))
    return false;
  for (auto [result, passed] :
       llvm::zip_equal(call.getResults(), passedOn.results))
    origins[result] = restrictTo(result.getType(), passed.origins);
  calls[call] = std::move(passedOn);
  return true;
}

std::optional<CallContext>
ValueOrigins::getCallContext(func::CallOp call) const {
  auto it = calls.find(call);
  if (it == calls.end())
    return std::nullopt;
  return it->second;
}

void ValueOrigins::visit(Region &region, Origins entry) {
  for (Block *block : getBlocksSortedByDominance(region))
    visit(*block, entry);
}

void ValueOrigins::visit(Block &block, Origins entry) {
  for (BlockArgument argument : block.getArguments())
    origins.try_emplace(argument, restrictTo(argument.getType(), entry));
  for (Operation &op : block) {
    SmallVector<Value> above = getCapturedValues(&op);
    Origins read;
    if (!isa<tensor::DimOp>(op))
      for (Value value :
           llvm::concat<Value>(SmallVector<Value>(op.getOperands()), above))
        read.join(lookup(value));
    for (Region &nested : op.getRegions())
      visit(nested, read);
    auto call = dyn_cast<func::CallOp>(op);
    if (!call || !visitCall(call))
      for (Value result : op.getResults())
        origins[result] = restrictTo(result.getType(), read);
    Facts &known = facts[&op];
    known.phase = findPhase(&op, read.seed);
    known.captures = !above.empty();
    if (!above.empty())
      captured[&op] = std::move(above);
  }
}

Phase ValueOrigins::findPhase(Operation *op, bool readsSeed) const {
  // What a step computes is an update, whatever a front end calls it.
  if (isTrainStep || isOptimizer)
    return Phase::Optimizer;
  if (std::optional<Phase> given = mlir::amp::getPhase(op))
    return *given;
  return readsSeed ? Phase::Backward : Phase::Forward;
}

Phase ValueOrigins::getPhase(Operation *op) const {
  auto it = facts.find(op);
  return it != facts.end() ? it->second.phase
                           : findPhase(op, /*readsSeed=*/false);
}
