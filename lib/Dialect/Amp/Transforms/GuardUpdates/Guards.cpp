//===- Guards.cpp - The guards themselves ---------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Around a call of an optimizer step, and at the slots of the others. Slots
// fall into units that are kept or taken as one.
//
//===----------------------------------------------------------------------===//

#include "StepGuard.h"

#include "amp/Analysis/ValueOrigins.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace mlir::amp;

/// The first call, among the uses of `gradient`, of a function that unscales;
/// null if there is none.
static func::CallOp findUnscalingCall(Value gradient) {
  for (Operation *user : gradient.getUsers())
    if (auto call = dyn_cast<func::CallOp>(user))
      if (func::FuncOp callee = getCallee(call);
          callee &&
          callee.walk([](UnscaleOp) { return WalkResult::interrupt(); })
              .wasInterrupted())
        return call;
  return {};
}

/// `origin` is the scaled gradient that a new state is computed from.
static InFlightDiagnostic refuseScaled(InFlightDiagnostic diagnostic,
                                       Value origin) {
  diagnostic << " to be unscaled, but one is still scaled; ";
  Operation *def = origin.getDefiningOp();
  if (func::CallOp call = findUnscalingCall(origin)) {
    diagnostic << "write 'amp.unscale' in the train step instead of '@"
               << call.getCallee()
               << "', whose overflow is not handed to the step";
    diagnostic.attachNote(call.getLoc()) << "unscaled by this call";
  } else if (def && isFlagSet(def, kDelayUnscaleAttr)) {
    diagnostic << "take 'amp.delay_unscale' off the last backward pass before "
                  "the step";
    diagnostic.attachNote(origin.getLoc())
        << "this gradient's unscaling was delayed";
  } else {
    diagnostic << "unscale it by 'amp.unscale' in the train step, before the "
                  "update reads it";
    diagnostic.attachNote(origin.getLoc()) << "this gradient is scaled";
  }
  return diagnostic;
}

/// The half copy of the master `name` that `call` was given.
Value StepGuard::findHalfCopy(func::CallOp call, StringRef name, Type type) {
  for (unsigned number :
       getArguments(getCallee(call, symbols)).find(Role::Master, name))
    if (Value master = call.getOperand(number);
        !isa<BlockArgument>(master) ||
        !isa<func::FuncOp>(master.getParentBlock()->getParentOp())) {
      // A second step on the same master: the first one's copy, made again.
      OpBuilder builder(call);
      return MasterCopyOp::create(builder, call.getLoc(), type, master);
    }
  std::optional<unsigned> copy = findArgument(step, {Role::Param, name}, type);
  return copy ? step.getArgument(*copy) : Value();
}

/// new = step(old, grads)  ->  new = apply_if_finite found keep(old) { step }
LogicalResult StepGuard::guardCall(func::CallOp call) {
  func::FuncOp callee = getCallee(call, symbols);
  for (Value operand : call.getOperands())
    if (Value origin = reach.getScaledOrigin(operand))
      return refuseScaled(call.emitError()
                              << "expected the gradients of optimizer step '@"
                              << callee.getName() << "'",
                          origin);
  builder.setInsertionPoint(call);
  Value any = joinOf(call.getOperands());
  if (!any)
    return success();
  SmallVector<Value> kept, results;
  for (unsigned i = 0, e = callee.getNumResults(); i != e; ++i) {
    RoleInfo result = getResultRole(callee, i);
    // What the caller wants to see, and keeps no state in, is what it is.
    if (result.is(Role::Output) || result.is(Role::Loss))
      continue;
    Value old;
    if (std::optional<unsigned> argument =
            findArgument(callee, result, call.getResult(i).getType()))
      old = call.getOperand(*argument);
    // The half copy of a master is kept as the copy that the step was given.
    if (!old && result.is(Role::Param))
      old = findHalfCopy(call, result.name, call.getResult(i).getType());
    if (!old)
      return call.emitError()
             << "expected an old value to keep for result " << i << " ('"
             << (result.role ? stringifyRole(*result.role) : "no role") << "' '"
             << result.name << "') of optimizer step '@" << callee.getName()
             << "' when the step is skipped; give it an argument of the same role, "
                "name and type";
    if (!isWeight(result) && advancedWith.contains(old) &&
        !isa<FloatType>(getElementTypeOrSelf(old)))
      return call.emitError()
             << "expected '" << stringifyRole(*result.role) << "' '"
             << result.name << "', which a scaler of '@" << step.getName()
             << "' is advanced with, to be computed outside of optimizer step "
                "'@"
             << callee.getName()
             << "', which is left out where a gradient overflows; what was "
                "found would be lost with it, so join that in the train step";
    // A skipped step ends its window all the same.
    if (result.is(Role::Accumulator)) {
      builder.setInsertionPoint(call);
      old = createZeros(builder, old);
    }
    kept.push_back(old);
    results.push_back(call.getResult(i));
  }
  bool keepsAll = kept.size() == call.getNumResults();
  if (keepsAll)
    builder.setInsertionPoint(call);
  else
    builder.setInsertionPointAfter(call);
  auto guard = createGuard(call.getLoc(), any, kept, results);
  Operation *yield = guard.getBody().front().getTerminator();
  for (auto [before, keptValue, result] :
       llvm::zip_equal(results, kept, guard.getResults())) {
    reach.replace(before, result);
    // An update before this one that nothing has guarded yet.
    if (Value dirty = found.lookup(keptValue))
      found[result] = dirty;
    before.replaceAllUsesExcept(result, yield);
  }
  if (keepsAll) {
    call->moveBefore(yield);
    return success();
  }
  for (OpResult result : call.getResults())
    if (reach.isReached(result))
      found[result] = any;
  return success();
}

/// True if all that `value` may be is what skipped steps leave of the state of
/// `slot`: its old value, or the result of a guard that keeps it.
bool StepGuard::isKept(Value value, const Slot &slot) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (next == slot.old || !seen.insert(next).second)
      continue;
    if (found.contains(next))
      return false;
    if (guardedInside.contains(next))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      Block *block = argument.getOwner();
      unsigned number = argument.getArgNumber();
      auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
      if (loop && number > 0) {
        worklist.push_back(loop.getInitArgs()[number - 1]);
        worklist.push_back(block->getTerminator()->getOperand(number - 1));
      } else if (!block->isEntryBlock()) {
        llvm::append_range(worklist, getIncoming(argument));
      } else if (block != &step.getBody().front() ||
                 !(getArgRole(step, number).is(Role::Master) &&
                   getArgRole(step, number).name == slot.info.name)) {
        // The copy of a kept master is the kept copy.
        return false;
      }
      continue;
    }
    Operation *def = next.getDefiningOp();
    unsigned number = cast<OpResult>(next).getResultNumber();
    if (guards.contains(def)) {
      if (slot.old)
        worklist.push_back(cast<ApplyIfFiniteOp>(def).getKept()[number]);
    } else if (auto copy = dyn_cast<MasterCopyOp>(def)) {
      worklist.push_back(copy.getMaster());
    } else if (auto select = dyn_cast<arith::SelectOp>(def)) {
      worklist.append({select.getTrueValue(), select.getFalseValue()});
    } else if (auto loop = dyn_cast<scf::ForOp>(def)) {
      worklist.push_back(loop.getInitArgs()[number]);
      worklist.push_back(loop.getBody()->getTerminator()->getOperand(number));
    } else if (isa<scf::IfOp>(def)) {
      for (Region &region : def->getRegions())
        worklist.push_back(region.front().getTerminator()->getOperand(number));
    } else {
      return false;
    }
  }
  return true;
}

/// What takes the new parameter `value` and is no part of an update (a model
/// that is called with it, an average of weights) gets it guarded: after
/// `guard` its result `guarded`, and before it by the parameter's own
/// overflows.
void StepGuard::replaceLaterUses(Value value, ApplyIfFiniteOp guard,
                                 Value guarded, Value kept) {
  Region *region = guard->getParentRegion();
  Block *block = guard->getBlock();
  auto isTaken = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    Operation *ancestor = region->findAncestorOpInRegion(*user);
    if (!ancestor || updates.contains(ancestor) || guards.contains(ancestor) ||
        isa<BranchOpInterface>(user) ||
        guardedPlaces.contains({user, use.getOperandNumber()}))
      return false;
    if (!isa<func::ReturnOp>(user))
      return true;
    RoleInfo role = getResultRole(step, use.getOperandNumber());
    return !role.is(Role::Loss) && !role.is(Role::Output);
  };
  // The blocks of the step's body stay as they are; other regions may go.
  std::optional<DominanceInfo> ofRegion;
  DominanceInfo *dominance = nullptr;
  if (!llvm::hasSingleElement(*region))
    dominance =
        region == &step.getBody() ? &bodyDominance : &ofRegion.emplace(step);
  value.replaceUsesWithIf(guarded, [&](OpOperand &use) {
    if (!isTaken(use))
      return false;
    if (dominance)
      return dominance->properlyDominates(
          guard, region->findAncestorOpInRegion(*use.getOwner()));
    Operation *ancestor = block->findAncestorOpInBlock(*use.getOwner());
    return ancestor && guard->isBeforeInBlock(ancestor);
  });
  Value own = found.lookup(value);
  if (!own || llvm::none_of(value.getUses(), isTaken))
    return;
  Operation *def = value.getDefiningOp(), *made = own.getDefiningOp();
  Block *place = def ? def->getBlock() : value.getParentBlock();
  if (made && made->getBlock() == place && (!def || def->isBeforeInBlock(made)))
    def = made;
  if (def)
    builder.setInsertionPointAfter(def);
  else
    builder.setInsertionPointToStart(place);
  auto early = createGuard(guard.getLoc(), own, kept, value);
  value.replaceUsesWithIf(early.getResult(0), isTaken);
}

/// True if `value` is chosen among new parameters and what no gradient came
/// into, by what none came into: the parameters are kept for themselves, and it
/// is a copy of what the step left of them.
bool StepGuard::isCopyOfParams(Value value) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist{value};
  auto isDirty = [&](Value next) {
    return found.contains(next) && reach.isReachedByGradient(next);
  };
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second || !isDirty(next))
      continue;
    SmallVector<Place> places = getHandedOn(next);
    Operation *def = next.getDefiningOp();
    if (places.empty() || (isa_and_present<scf::IfOp, arith::SelectOp>(def) &&
                           isDirty(def->getOperand(0))))
      return false;
    for (auto [op, operand] : places)
      if (Value read = op->getOperand(operand); !isHandedOnAsOld(read, op))
        worklist.push_back(read);
  }
  return true;
}

/// Buffers are what the forward pass has made of them, and random states what
/// was drawn, also in a step that is skipped. One that gradients came into is a
/// state of the step that reads it: it would keep their infinity.
void StepGuard::addDirtyStates(Operation *end) {
  for (unsigned i = 0, e = step.getNumResults(); i != e; ++i) {
    RoleInfo state = getResultRole(step, i);
    Value value = end->getOperand(i);
    if ((!state.is(Role::Buffer) && !state.is(Role::Rng)) ||
        !found.contains(value) || !reach.isReachedByGradient(value) ||
        isCopyOfParams(value))
      continue;
    if (std::optional<unsigned> old =
            findArgument(step, state, value.getType()))
      slots[end].push_back({i, step.getArgument(*old), state});
  }
}

/// Guards the states that `owner` hands on and that nothing has guarded yet.
LogicalResult StepGuard::guardSlots(Operation *owner) {
  SmallVector<Slot> members = slots[owner];
  auto getValue = [&](unsigned i) {
    return owner->getOperand(members[i].index);
  };
  SmallVector<bool> kept = llvm::map_to_vector(members, [&](const Slot &slot) {
    return isKept(owner->getOperand(slot.index), slot);
  });
  auto isGuarded = [&](unsigned i) { return kept[i]; };
  auto numbers = llvm::seq<unsigned>(0, members.size());
  if (llvm::all_of(numbers, isGuarded))
    return success();
  for (unsigned i : numbers)
    if (Value origin = reach.getScaledOrigin(getValue(i)))
      return refuseScaled(owner->emitError()
                              << "expected the gradients that the new '"
                              << stringifyRole(*members[i].info.role) << "' '"
                              << members[i].info.name << "' is computed from",
                          origin);

  // Loops and branches come to say whether steps in them were skipped; they are
  // replaced, so what the new states are computed from is looked at afterwards.
  for (unsigned i : numbers)
    if (getValue(i) != members[i].old)
      handOutSkips({owner, members[i].index});
  Region *region = owner->getParentRegion();
  // One state alone is a unit whatever reads it.
  bool isAlone = members.size() == 1;
  llvm::DenseSet<Operation *> slice;
  if (!isAlone)
    slice = findSlice(region, owner);
  SmallVector<SmallVector<Value>> predicates(members.size());
  for (unsigned i : numbers) {
    Value value = getValue(i);
    if (value == members[i].old)
      continue;
    for (Value predicate : {found.lookup(value), lookupSkip(value)})
      if (predicate)
        predicates[i].push_back(predicate);
  }

  // Units: joined by what reads an old or a new state.
  llvm::IntEqClasses units(members.size());
  llvm::DenseMap<Value, unsigned> memberOf;
  auto touch = [&](std::optional<unsigned> &unit, Value value) {
    auto it = memberOf.find(value);
    if (it == memberOf.end())
      return;
    if (unit)
      units.join(*unit, it->second);
    else
      unit = it->second;
  };
  llvm::DenseMap<Value, SmallVector<unsigned, 1>> membersOfValue;
  for (unsigned i : numbers) {
    if (members[i].old)
      memberOf.try_emplace(members[i].old, i);
    membersOfValue[getValue(i)].push_back(i);
  }
  // A state that takes another's old value as it is.
  for (unsigned i : numbers)
    if (auto it = memberOf.find(getValue(i)); it != memberOf.end())
      units.join(i, it->second);
  for (Block *block : llvm::ReversePostOrderTraversal<Region *>(region)) {
    if (isAlone)
      break;
    for (BlockArgument argument : block->getArguments()) {
      if (block->isEntryBlock())
        break;
      std::optional<unsigned> unit;
      for (unsigned i : membersOfValue.lookup(argument)) {
        if (!unit)
          unit = i;
        units.join(*unit, i);
      }
      for (Value operand : getIncoming(argument))
        touch(unit, operand);
      if (unit)
        memberOf.try_emplace(argument, *unit);
    }
    for (Operation &op : *block) {
      if (!slice.contains(&op))
        continue;
      std::optional<unsigned> unit;
      for (Value operand : getReadValues(&op))
        touch(unit, operand);
      for (Value result : op.getResults())
        for (unsigned i : membersOfValue.lookup(result)) {
          if (!unit)
            unit = i;
          units.join(*unit, i);
        }
      if (!unit)
        continue;
      for (Value result : op.getResults())
        memberOf.try_emplace(result, *unit);
    }
  }
  units.compress();

  SmallVector<SmallVector<Value>> predicatesOf(units.getNumClasses());
  llvm::SmallBitVector needed(units.getNumClasses());
  SmallVector<Value> all;
  for (unsigned i : numbers) {
    llvm::append_range(predicatesOf[units[i]], predicates[i]);
    if (!isGuarded(i))
      needed.set(units[i]);
  }
  for (auto &list : predicatesOf)
    llvm::append_range(all, list);
  if (all.empty())
    return success();

  for (unsigned unit : needed.set_bits()) {
    // A state that no unit with gradients reads goes with all of them.
    ArrayRef<Value> list =
        predicatesOf[unit].empty() ? ArrayRef<Value>(all) : predicatesOf[unit];
    Block *block = owner->getBlock();
    Operation *last = nullptr;
    auto after = [&](Value value) {
      Operation *def = value.getDefiningOp();
      def = def ? block->findAncestorOpInBlock(*def) : nullptr;
      if (def && (!last || last->isBeforeInBlock(def)))
        last = def;
    };
    for (Value predicate : list)
      after(predicate);
    SmallVector<unsigned> moved;
    for (unsigned i : numbers)
      if (units[i] == unit && getValue(i) != members[i].old) {
        moved.push_back(i);
        after(getValue(i));
      }
    if (last)
      builder.setInsertionPointAfter(last);
    else
      builder.setInsertionPointToStart(block);
    Value any = join(list);
    llvm::erase_if(moved, [&](unsigned i) {
      return isGuarded(i) && predicates[i] == ArrayRef<Value>(any);
    });
    if (moved.empty())
      continue;
    SmallVector<Value> old, values;
    for (unsigned i : moved) {
      const Slot &member = members[i];
      if (!member.old)
        return owner->emitError()
               << "expected an old value to keep for the new '"
               << stringifyRole(*member.info.role) << "' '" << member.info.name
               << "' of '@" << step.getName()
               << "' when the step is skipped; give it an argument of the same role, "
                  "name and type";
      old.push_back(member.old);
      values.push_back(getValue(i));
    }
    auto guard = createGuard(owner->getLoc(), any, old, values);
    for (auto [i, value, guarded, keptValue] :
         llvm::zip_equal(moved, values, guard.getResults(), old)) {
      owner->setOperand(members[i].index, guarded);
      if (newParams.contains(value) && isWeight(members[i].info))
        replaceLaterUses(value, guard, guarded, keptValue);
    }
  }
  return success();
}
