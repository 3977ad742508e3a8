//===- States.cpp - What a train step keeps, and what computes it ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before the walk: the slots where new states leave their regions, and the
// values and operations that they are computed from. A state that only counts
// the calls of a window is released again.
//
//===----------------------------------------------------------------------===//

#include "StepGuard.h"

#include "amp/Analysis/ValueOrigins.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

const ArgumentIndex &StepGuard::getArguments(func::FuncOp function) {
  return arguments.try_emplace(function, function).first->second;
}

FunctionKind StepGuard::getKind(Operation *op) {
  auto call = dyn_cast_if_present<func::CallOp>(op);
  if (!call)
    return FunctionKind::Other;
  auto [it, isNew] = kinds.try_emplace(op, FunctionKind::Other);
  if (isNew)
    if (func::FuncOp callee = getCallee(call, symbols))
      it->second = getFunctionKind(callee);
  return it->second;
}

/// The argument of `function` with the role and name of `info` and this type.
std::optional<unsigned> StepGuard::findArgument(func::FuncOp function,
                                                RoleInfo info, Type type) {
  for (unsigned number : getArguments(function).find(info.role, info.name))
    if (function.getArgumentTypes()[number] == type)
      return number;
  return std::nullopt;
}

/// What takes the scale out of the gradients of a backward pass first, in its
/// block.
static UnscaleOp findUnscale(func::CallOp call) {
  UnscaleOp first;
  llvm::DenseSet<Operation *> seen;
  SmallVector<Operation *> worklist(call->user_begin(), call->user_end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (op->getBlock() != call->getBlock() || !seen.insert(op).second)
      continue;
    if (auto unscale = dyn_cast<UnscaleOp>(op)) {
      if (!first || op->isBeforeInBlock(first))
        first = unscale;
    } else if (isa<CastOp>(op) || isElementwiseAdd(op)) {
      llvm::append_range(worklist, op->getUsers());
    }
  }
  return first;
}

/// Results of a backward pass that are computed from its seed and are no
/// gradients: signs, ratios, places. They are as good as its gradients.
static SmallVector<unsigned> getOthersFromSeed(func::FuncOp callee,
                                               const SymbolTable &symbols) {
  SmallVector<unsigned> others;
  for (unsigned i = 0, e = callee.getNumResults(); i != e; ++i)
    if (RoleInfo info = getResultRole(callee, i);
        !info.is(Role::Grad) && !info.is(Role::Loss))
      others.push_back(i);
  if (others.empty())
    return others;
  OverflowReach::Guarded none;
  OverflowReach inside(none, symbols);
  for (BlockArgument argument : callee.getArguments())
    if (getArgRole(callee, argument.getArgNumber()).is(Role::LossSeed))
      inside.addSource(argument, 0);
  inside.propagate();
  llvm::erase_if(others, [&](unsigned i) {
    return llvm::none_of(callee.getOps<func::ReturnOp>(),
                         [&](func::ReturnOp end) {
                           return inside.isReached(end.getOperand(i));
                         });
  });
  return others;
}

/// Finds what may bring an overflow; false if nothing does.
bool StepGuard::findSources() {
  unsigned number = 0;
  bool isScaled = false;
  llvm::DenseMap<Operation *, unsigned> numbers;
  step.walk([&](UnscaleOp unscale) {
    auto scaler = SymbolTable::lookupNearestSymbolFrom<ScalerOp>(
        unscale, unscale.getScalerAttr());
    if (scaler && scaler.getStaticScale() && !options.skipOnOverflow)
      return;
    sources[unscale] = unscale.getFoundInf();
    // All ranks skip the step, or none.
    for (Operation *user : unscale.getFoundInf().getUsers())
      if (auto agreed = dyn_cast<AllReduceFoundInfOp>(user);
          agreed && agreed->getBlock() == unscale->getBlock()) {
        agreed->moveAfter(unscale);
        sources[unscale] = agreed;
        break;
      }
    numbers[unscale] = number;
    for (Value gradient : unscale.getUnscaled())
      reach.addSource(gradient, number);
    ++number;
    reach.addFinding(unscale.getFoundInf(), number++);
    for (Operation *op = unscale; op != step; op = op->getParentOp())
      opsWithSources.insert(op);
  });
  llvm::DenseMap<Operation *, SmallVector<unsigned>> othersOf;
  step.walk([&](func::CallOp call) {
    if (getKind(call) != FunctionKind::ForwardBackward ||
        llvm::none_of(call.getOperands(), [](Value operand) {
          return operand.getDefiningOp<ScaleLossOp>();
        }))
      return;
    func::FuncOp callee = getCallee(call, symbols);
    for (OpResult result : call.getResults())
      if (getResultRole(callee, result.getResultNumber()).is(Role::Grad)) {
        reach.addScaled(result);
        isScaled = true;
      }
    UnscaleOp unscale = findUnscale(call);
    auto it = numbers.find(unscale);
    if (it == numbers.end())
      return;
    auto [others, isNew] = othersOf.try_emplace(callee);
    if (isNew)
      others->second = getOthersFromSeed(callee, symbols);
    for (unsigned i : others->second) {
      Value result = call.getResult(i);
      reach.addSource(result, it->second);
      withGradients[unscale].push_back(result);
      // Read before anything is found: as a gradient whose unscaling was
      // delayed.
      for (Operation *user : result.getUsers())
        if (Operation *op = call->getBlock()->findAncestorOpInBlock(*user);
            op && op->isBeforeInBlock(unscale)) {
          reach.addScaled(result);
          isScaled = true;
        }
    }
  });
  if (number == 0)
    return isScaled;
  builder.setInsertionPointToStart(&step.getBody().front());
  for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i) {
    BlockArgument argument = step.getArgument(i);
    if (!getArgRole(step, i).is(Role::Accumulator) ||
        !isa<FloatType>(getElementTypeOrSelf(argument.getType())))
      continue;
    if (options.keepFiniteSums)
      continue;
    hasAccumulators = true;
    // An infinity of an earlier call.
    reach.addSource(argument, number++);
    found[argument] = testFinite(argument);
  }
  return true;
}

/// True for a loop or branch that contains a backward pass or an optimizer
/// step.
bool StepGuard::containsStep(Operation *op) {
  auto [it, isNew] = stepsInside.try_emplace(op, hasSource(op));
  if (isNew && !it->second)
    it->second = op->walk([&](func::CallOp call) {
                     return getKind(call) == FunctionKind::OptimizerStep
                                ? WalkResult::interrupt()
                                : WalkResult::advance();
                   }).wasInterrupted();
  return it->second;
}

/// Adds a slot, and those inside of what it hands out. A worklist: a step may
/// be a long chain of branches.
void StepGuard::addSlot(Operation *owner, Slot slot) {
  SmallVector<std::pair<Operation *, Slot>> pending{{owner, slot}};
  while (!pending.empty()) {
    auto [owner, slot] = pending.pop_back_val();
    slots[owner].push_back(slot);
    guardedPlaces.insert({owner, slot.index});
    size_t known = pending.size();
    findSlotsInside(owner, slot, pending);
    std::reverse(pending.begin() + known, pending.end());
  }
}

/// A loop or branch that contains the step guards inside, round by round:
/// appends the slots there.
void StepGuard::findSlotsInside(
    Operation *owner, Slot slot,
    SmallVectorImpl<std::pair<Operation *, Slot>> &inside) {
  auto result = dyn_cast<OpResult>(owner->getOperand(slot.index));
  if (!result || !isa<scf::ForOp, scf::IfOp>(result.getOwner()) ||
      !containsStep(result.getOwner()) || !guardedInside.insert(result).second)
    return;
  unsigned number = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
    inside.push_back({loop.getBody()->getTerminator(),
                      {number, loop.getRegionIterArg(number), slot.info}});
    if (Value start = loop.getInitArgs()[number]; start != slot.old)
      inside.push_back(
          {loop, {number + loop.getNumControlOperands(), slot.old, slot.info}});
    return;
  }
  for (Region &region : result.getOwner()->getRegions())
    inside.push_back(
        {region.front().getTerminator(), {number, slot.old, slot.info}});
}

void StepGuard::findSlots() {
  step.walk([&](func::ReturnOp end) {
    for (unsigned i = 0, e = step.getNumResults(); i != e; ++i) {
      RoleInfo info = getResultRole(step, i);
      if (!isKeptOnSkip(info.role))
        continue;
      Value old;
      if (std::optional<unsigned> argument =
              findArgument(step, info, end.getOperand(i).getType()))
        old = step.getArgument(*argument);
      // A rate that the next call is not given is no state.
      if (info.is(Role::Hyper) && !old)
        continue;
      if (end.getOperand(i) != old)
        addSlot(end, {i, old, info});
    }
  });
}

/// What the new states of `owners` are computed by, in the `region` that all
/// these stand in, from the gradients on.
llvm::DenseSet<Operation *> StepGuard::findSlice(Region *region,
                                                 ArrayRef<Operation *> owners) {
  llvm::DenseSet<Operation *> slice;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist;
  for (Operation *owner : owners)
    for (const Slot &slot : slots[owner])
      worklist.push_back(owner->getOperand(slot.index));
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Block *block = argument.getOwner();
      if (block->getParent() == region && !block->isEntryBlock())
        llvm::append_range(worklist, getIncoming(argument));
      continue;
    }
    Operation *def = region->findAncestorOpInRegion(*value.getDefiningOp());
    if (!def || isa<UnscaleOp>(def))
      continue;
    if (getKind(def) == FunctionKind::ForwardBackward)
      continue;
    if (slice.insert(def).second)
      llvm::append_range(worklist, getReadValues(def));
  }
  return slice;
}

/// A value that a new parameter is, and that is nothing else as well: no old
/// state, no gradient, no loss.
void StepGuard::findUpdates() {
  llvm::MapVector<Region *, SmallVector<Operation *>> ownersIn;
  for (auto &[owner, members] : slots)
    ownersIn[owner->getParentRegion()].push_back(owner);
  for (auto &[region, owners] : ownersIn)
    updates.insert_range(findSlice(region, owners));
  for (auto &[owner, members] : slots)
    for (const Slot &slot : members) {
      if (!isWeight(slot.info))
        continue;
      Value value = owner->getOperand(slot.index);
      if (value.getParentRegion() != owner->getParentRegion())
        continue;
      auto argument = dyn_cast<BlockArgument>(value);
      if (argument ? !argument.getOwner()->isEntryBlock()
                   : updates.contains(value.getDefiningOp()))
        newParams.insert(value);
    }
  SmallVector<Value> states;
  for (auto &[owner, members] : slots)
    for (const Slot &slot : members)
      states.push_back(owner->getOperand(slot.index));
  followReads(std::move(states), readByUpdates, [](Operation *) {});
}

/// Adds to `seen` all that `values` are computed from, and calls `visit` with
/// the operations that compute it.
void StepGuard::followReads(SmallVector<Value> values,
                            llvm::DenseSet<Value> &seen,
                            function_ref<void(Operation *)> visit) {
  llvm::DenseSet<Value> followed;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (Operation *def = value.getDefiningOp())
      visit(def);
    SmallVector<Place> places = getHandedOn(value);
    if (places.empty()) {
      if (!followed.insert(getRepresentative(value)).second)
        continue;
      places = getSkipReads(value);
    }
    for (auto [op, operand] : places)
      values.push_back(op->getOperand(operand));
  }
}

/// A skipped step does not keep the states of these roles and names.
void StepGuard::releaseSlots(
    const llvm::DenseSet<std::pair<unsigned, StringRef>> &released) {
  if (released.empty())
    return;
  for (auto &[owner, members] : slots)
    llvm::erase_if(members, [&](const Slot &slot) {
      return released.contains({unsigned(*slot.info.role), slot.info.name});
    });
}

/// True if one of `conditions` chooses between a constant and another value for
/// `value`.
bool StepGuard::isResetBy(Value value,
                          const llvm::DenseSet<Value> &conditions) {
  Operation *def = value.getDefiningOp();
  auto getTensor = [](Value condition) {
    auto extract = condition.getDefiningOp<tensor::ExtractOp>();
    return extract ? extract.getTensor() : condition;
  };
  if (!isa_and_present<scf::IfOp, arith::SelectOp>(def) ||
      llvm::none_of(conditions, [&](Value condition) {
        return getTensor(condition) == getTensor(def->getOperand(0));
      }))
    return false;
  return llvm::count_if(getSumPlaces(value), [](Place place) {
           Value chosen = place.first->getOperand(place.second);
           auto fill = chosen.getDefiningOp<linalg::FillOp>();
           return matchPattern(fill ? fill.getInputs().front() : chosen,
                               m_Constant());
         }) == 1;
}

/// A state that decides where a window ends, and that no gradient comes into,
/// counts calls and not steps: it goes on with the window that a skip drops.
/// One that begins anew with the window and does not is warned of.
void StepGuard::releaseCounters() {
  SmallVector<Value> accumulators;
  for (func::ReturnOp end : step.getOps<func::ReturnOp>())
    for (unsigned i = 0, e = step.getNumResults(); i != e; ++i)
      if (getResultRole(step, i).is(Role::Accumulator))
        accumulators.push_back(end.getOperand(i));
  if (accumulators.empty())
    return;
  llvm::DenseSet<Value> seen, conditions;
  followReads(std::move(accumulators), seen, [&](Operation *def) {
    if (isa<scf::IfOp, arith::SelectOp>(def) &&
        def->getOperand(0).getType().isInteger(1))
      conditions.insert(def->getOperand(0));
  });
  for (Block &block : step.getBody())
    if (Operation *end = block.getTerminator(); end->getNumSuccessors() > 1)
      conditions.insert_range(end->getOperands());
  seen.clear();
  followReads(llvm::to_vector(conditions), seen, [](Operation *) {});
  llvm::DenseSet<std::pair<unsigned, StringRef>> released;
  for (func::ReturnOp end : step.getOps<func::ReturnOp>())
    for (const Slot &slot : slots.lookup(end)) {
      Value value = end.getOperand(slot.index);
      if (!isWeight(slot.info) && !reach.isReached(value) &&
          !reach.getScaledOrigin(value) &&
          (seen.contains(value) || seen.contains(slot.old)))
        released.insert({unsigned(*slot.info.role), slot.info.name});
      else if (slot.info.is(Role::OptState) && isResetBy(value, conditions))
        step.emitWarning()
            << "optimizer state '" << slot.info.name
            << "' begins anew where a window of accumulated gradients ends, "
               "but where that step is skipped for an infinity it keeps what "
               "it has, while the accumulators begin anew; give it the role "
               "'accumulator' or 'buffer' if it belongs to the window";
    }
  releaseSlots(released);
}

/// True if `user` is no part of an update and takes the new parameter `value`
/// as a skipped step leaves it.
bool StepGuard::isHandedOnAsOld(Value value, Operation *user) {
  return newParams.contains(value) &&
         !updates.contains(
             value.getParentRegion()->findAncestorOpInRegion(*user));
}
