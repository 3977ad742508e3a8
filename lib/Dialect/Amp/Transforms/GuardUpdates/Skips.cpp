//===- Skips.cpp - Was the step that computed a value skipped? ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A state that is computed from a guarded one belongs to that guard's step.
// handOutSkips makes that known where a state leaves its region, backwards from
// there: branches, loops and blocks come to hand it on. lookupSkip tells it.
//
//===----------------------------------------------------------------------===//

#include "StepGuard.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

/// What the skip of `value` is the union of. Not those of gradients: a backward
/// pass at kept weights is no part of the step that kept them.
SmallVector<Place> StepGuard::getSkipReads(Value value) {
  SmallVector<Place> reads;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Block *block = argument.getOwner();
    if (block->isEntryBlock() || block->getParentOp() != step)
      return reads;
    for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
      auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
      if (!branch)
        return {};
      SuccessorOperands handed =
          branch.getSuccessorOperands(it.getSuccessorIndex());
      if (argument.getArgNumber() < handed.getProducedOperandCount())
        return {};
      reads.push_back(
          {branch, handed.getOperandIndex(argument.getArgNumber())});
    }
    return reads;
  }
  Operation *def = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (guards.contains(def)) {
    reads.push_back({def, number + 1});
  } else if (isa<scf::IfOp>(def)) {
    reads.push_back({def, 0});
    for (Region &region : def->getRegions())
      reads.push_back({region.front().getTerminator(), number});
  } else if (auto loop = dyn_cast<scf::ForOp>(def)) {
    reads.push_back({loop, number + loop.getNumControlOperands()});
    reads.push_back({loop.getBody()->getTerminator(), number});
  } else if (!isa<UnscaleOp>(def) &&
             getKind(def) != FunctionKind::ForwardBackward) {
    for (unsigned i = 0, e = def->getNumOperands(); i != e; ++i)
      reads.push_back({def, i});
    for (Region &region : def->getRegions())
      region.walk([&](Operation *inner) {
        for (OpOperand &operand : inner->getOpOperands())
          if (!def->isAncestor(operand.get().getParentRegion()->getParentOp()))
            reads.push_back({inner, operand.getOperandNumber()});
      });
  }
  return reads;
}

/// Results that read the same have one skip, which their first stands for.
Value StepGuard::getRepresentative(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def || guards.contains(def) || isa<scf::IfOp, scf::ForOp>(def))
    return value;
  return def->getResult(0);
}

/// Whether a step that `value` is computed by was skipped, as far as it was
/// handed out; null if no guard is on its way.
Value StepGuard::lookupSkip(Value value) {
  return skipped.lookup(getRepresentative(value));
}

/// The skip of `value`, if those of what it reads are known.
Value StepGuard::findSkip(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return handOutSkip(argument);
  Operation *def = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(def))
    return handOutSkip(branch, number);
  if (auto loop = dyn_cast<scf::ForOp>(def))
    return handOutSkip(loop, number);
  SmallVector<Value> skips;
  for (auto [op, operand] : getSkipReads(value))
    skips.push_back(lookupSkip(op->getOperand(operand)));
  builder.setInsertionPointAfter(def);
  if (guards.contains(def)) {
    skips.insert(skips.begin(), cast<ApplyIfFiniteOp>(def).getFoundInf());
  } else if (auto select = dyn_cast<arith::SelectOp>(def);
             select && select.getCondition().getType().isInteger(1) &&
             skips[1] != skips[2]) {
    Value chosen =
        arith::SelectOp::create(builder, def->getLoc(), select.getCondition(),
                                orFalse(skips[1]), orFalse(skips[2]));
    created.push_back(chosen.getDefiningOp());
    skips = {skips[0], chosen, found.lookup(select.getCondition())};
  }
  return join(skips);
}

/// True if a guard is on the way to `value`.
bool StepGuard::reachesGuard(Value value) {
  SmallVector<Value> pending{value};
  llvm::DenseSet<Value> seen{value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (guards.contains(next.getDefiningOp()) || skipped.contains(next))
      return true;
    for (auto [op, operand] : getSkipReads(next))
      if (Value read = getRepresentative(op->getOperand(operand));
          !neverSkipped.contains(read) && seen.insert(read).second)
        pending.push_back(read);
  }
  return false;
}

/// Has branches, loops and blocks hand on whether a step that the value at
/// `place` is computed by was skipped, so that lookupSkip knows it there. Puts
/// others in the places of those, so values are asked for by the operands that
/// they are. Without recursion: updates may be long chains.
void StepGuard::handOutSkips(Place place) {
  llvm::DenseSet<Value> open;
  SmallVector<Place> stack{place};
  auto getValue = [&](Place place) {
    return getRepresentative(place.first->getOperand(place.second));
  };
  auto isKnown = [&](Value value) {
    return skipped.contains(value) || neverSkipped.contains(value);
  };
  while (!stack.empty()) {
    Value value = getValue(stack.back());
    if (!open.contains(value)) {
      if (isKnown(value)) {
        stack.pop_back();
        continue;
      }
      open.insert(value);
      size_t size = stack.size();
      for (Place read : getSkipReads(value)) {
        Value next = getValue(read);
        if (isKnown(next))
          continue;
        auto argument = dyn_cast<BlockArgument>(next);
        if (!open.contains(next))
          stack.push_back(read);
        else if (argument && !reachesGuard(next))
          neverSkipped.insert(next); // goes round, with nothing to hand on
        else if (argument && !skipsInCycles.contains(next))
          skipped[next] = skipsInCycles[next] =
              addPredicate(*argument.getOwner());
      }
      if (stack.size() != size)
        continue;
    }
    open.erase(value);
    Place current = stack.pop_back_val();
    Value skip = findSkip(value);
    // The operation may have been replaced.
    value = getValue(current);
    if (skip)
      skipped[value] = skip;
    else
      neverSkipped.insert(value);
  }
}

/// The skip of result `number`, as one more result of the branch.
Value StepGuard::handOutSkip(scf::IfOp branch, unsigned number) {
  Operation *thenEnd = branch.getThenRegion().front().getTerminator();
  Operation *elseEnd = branch.getElseRegion().front().getTerminator();
  Value yes = lookupSkip(thenEnd->getOperand(number));
  Value no = lookupSkip(elseEnd->getOperand(number));
  Value condition = lookupSkip(branch.getCondition());
  if (!yes && !no)
    return condition;
  // The other side by what was found is a skip as well.
  Value finding = found.lookup(branch.getCondition());
  auto key = std::make_tuple(thenEnd, yes, no);
  Value skip = handedOut.lookup(key);
  if (!skip) {
    branch = addResults(branch, yes, no);
    skip = branch.getResults().back();
    handedOut[key] = skip;
  }
  builder.setInsertionPointAfter(branch);
  return join({skip, condition, finding});
}

/// The skip of any round in what the loop hands on as result `number`.
Value StepGuard::handOutSkip(scf::ForOp loop, unsigned number) {
  Operation *end = loop.getBody()->getTerminator();
  Value before = lookupSkip(loop.getInitArgs()[number]);
  Value inside = lookupSkip(end->getOperand(number));
  if (!before && !inside)
    return {};
  auto key = std::make_tuple(end, before, inside);
  if (Value known = handedOut.lookup(key))
    return known;
  builder.setInsertionPoint(loop);
  auto replaced = addIterArgs(loop, orFalse(before));
  Value sofar = replaced.getRegionIterArgs().back();
  builder.setInsertionPoint(end);
  end->insertOperands(end->getNumOperands(), join({sofar, inside}));
  Value skip = replaced.getResults().back();
  handedOut[key] = skip;
  return skip;
}

/// The skip of what the branches to a block hand over for `argument`, as one
/// more argument.
Value StepGuard::handOutSkip(BlockArgument argument) {
  SmallVector<Value> skips;
  for (auto [op, operand] : getSkipReads(argument))
    skips.push_back(lookupSkip(op->getOperand(operand)));
  BlockArgument skip = skipsInCycles.lookup(argument);
  if (!skip && llvm::none_of(skips, [](Value skip) { return skip; }))
    return {};
  if (!skip && llvm::all_equal(skips))
    return skips.front();
  Block &block = *argument.getOwner();
  if (!skip)
    skip = addPredicate(block);
  auto it = block.pred_begin();
  for (Value incoming : skips) {
    if (incoming)
      setIncoming(it, skip, incoming);
    ++it;
  }
  return skip;
}
