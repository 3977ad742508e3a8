//===- FlagRegions.cpp - Flags through branches and loops -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of FlagFlow that goes through operations with regions. A branch
// hands on what both of its regions do, a loop what each of its rounds does.
// The first round of a loop is gone through by itself, as what a loop begins
// with holds there alone; a loop of few rounds whose induction variable is
// compared is gone through round by round. The regions of operations that run
// them for many elements or threads at once are not entered.
//
//===----------------------------------------------------------------------===//

#include "FlagFlow.h"

#include "amp/Analysis/LoopRounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::amp;

/// True if `value` is made in the regions of `op`.
static bool isIn(Value value, Operation *op) {
  return op->isAncestor(value.getParentBlock()->getParentOp());
}

/// What is left of `facts` outside of `op`.
Facts FlagFlow::leave(const Facts &facts, Operation *op) {
  Facts left = facts.getWays();
  for (auto [part, isMarked] : facts.parts)
    if (!isIn(part.first, op))
      left.add(part, isMarked);
  return left;
}

/// What of `facts` matters to the regions of `op`, before a way is told there.
Facts FlagFlow::enterRegions(const Facts &facts, Operation *op) {
  auto [it, isNew] = usedValues.try_emplace(op);
  if (isNew) {
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    it->second.assign(used.begin(), used.end());
  }
  Facts inside = facts.getWays();
  inside.hasTold = inside.hasHeard = false;
  for (Value value : it->second)
    for (unsigned isNegated : {0, 1})
      if (auto known = facts.parts.find({value, isNegated});
          known != facts.parts.end())
        inside.add(known->first, known->second);
  return inside;
}

/// What holds behind an operation where `facts` do in front of it and its
/// regions leave `behind`.
void FlagFlow::goOnBehind(Facts &facts, const Facts &behind) {
  facts.addEnded(behind);
  facts.isNone = behind.isNone;
  facts.isTold = behind.isTold;
  facts.mayBeTold |= behind.mayBeTold;
  if (behind.isNone)
    facts.parts.clear();
  for (auto [part, isMarked] : behind.parts)
    facts.add(part, isMarked);
}

/// Adds to `handed` those of `values` for which `owner`, `op` or what one of
/// its regions ends with, hands over what holds.
void FlagFlow::handOver(Operation *owner, RegionBranchOpInterface op,
                        ValueRange values, const Facts &facts, Facts &handed) {
  auto branch = dyn_cast<scf::IfOp>(*op);
  // By what the ways began with.
  bool isDecided = branch && owner != op && !transitions.isFinite &&
                   (facts.isMarked({branch.getCondition(), 0}) ||
                    facts.isMarked({branch.getCondition(), 1}));
  for (Value value : values)
    for (unsigned isNegated : {0, 1}) {
      bool isHanded = false, holds = true;
      bool isMarked = isDecided || facts.isAssumed;
      for (OpOperand *source : handedOver.getSources(op, value))
        if (source->getOwner() == owner) {
          isHanded = true;
          holds &= facts.holds({source->get(), isNegated});
          isMarked |= facts.isMarked({source->get(), isNegated});
        }
      if (isHanded && holds)
        handed.add({value, isNegated}, isMarked);
    }
}

/// How many rounds `loop` runs, where that is a constant, not large, and its
/// induction variable is compared.
std::optional<int64_t> FlagFlow::countRounds(scf::ForOp loop) {
  std::optional<APInt> count = getTripCount(loop);
  if (!count || count->isZero() || count->ugt(kMaxRounds) ||
      loop.getUnsignedCmp() ||
      llvm::none_of(loop.getInductionVar().getUsers(),
                    llvm::IsaPred<arith::CmpIOp>))
    return std::nullopt;
  return count->getZExtValue();
}

/// Where `owner`, `op` or what one of its regions ends with, may go to.
static SmallVector<RegionSuccessor> getSuccessors(RegionBranchOpInterface op,
                                                  Operation *owner) {
  auto counting = dyn_cast<scf::ForOp>(*op);
  bool isOnce = counting && owner != op &&
                getTripCount(counting).value_or(APInt()).isOne();
  SmallVector<RegionSuccessor> successors;
  SmallVector<Attribute> constants(owner->getNumOperands());
  for (auto [constant, operand] : llvm::zip(constants, owner->getOperands()))
    matchPattern(operand, m_Constant(&constant));
  if (owner != op) {
    if (auto end = dyn_cast<RegionBranchTerminatorOpInterface>(owner))
      end.getSuccessorRegions(constants, successors);
    if (isOnce)
      llvm::erase_if(successors, [](RegionSuccessor successor) {
        return !successor.isParent();
      });
    return successors;
  }
  op.getEntrySuccessorRegions(constants, successors);
  auto loop = dyn_cast<LoopLikeOpInterface>(*op);
  if (std::optional<bool> runs = loop ? runsRound(loop) : std::nullopt)
    llvm::erase_if(successors, [&](RegionSuccessor successor) {
      return successor.isParent() == *runs;
    });
  return successors;
}

/// What `region` of a choice says of the number that chose it: whether it is 0.
static std::optional<bool> isOfZero(scf::IndexSwitchOp choice, Region *region) {
  bool hasZero = false;
  for (auto [value, each] :
       llvm::zip(choice.getCases(), choice.getCaseRegions())) {
    if (&each == region)
      return value == 0;
    hasZero |= value == 0;
  }
  return hasZero ? std::optional(false) : std::nullopt;
}

/// What holds behind `op`, which is left or gone round in from `starts`: the
/// operation itself, or ends of its regions.
Facts FlagFlow::runRegions(RegionBranchOpInterface op, Ends starts) {
  if (auto loop = dyn_cast<scf::ForOp>(*op);
      loop && isUnrolled(loop, starts.front().first))
    return runRounds(loop, starts.front().first,
                     std::move(starts.front().second));
  if (auto loop = dyn_cast<scf::ForOp>(*op))
    rounds.erase(loop.getInductionVar());
  Facts behind;
  llvm::MapVector<Region *, Facts> entered;
  llvm::SetVector<Region *> worklist;
  llvm::SetVector<Value> handed; // while losses are looked for
  auto branch = dyn_cast<scf::IfOp>(*op);
  auto choice = dyn_cast<scf::IndexSwitchOp>(*op);
  auto goOn = [&](Operation *owner, const Facts &facts) {
    if (facts.isNone) {
      behind.join(facts);
      return;
    }
    for (RegionSuccessor successor : getSuccessors(op, owner)) {
      Region *region = successor.getSuccessor();
      // What leads to this successor and no other.
      std::optional<FlagPart> chosen;
      if (branch && owner == op)
        chosen =
            FlagPart{branch.getCondition(), region != &branch.getThenRegion()};
      else if (auto end = dyn_cast<scf::ConditionOp>(owner))
        chosen = FlagPart{end.getCondition(), !region};
      else if (std::optional<bool> isZero = choice && owner == op
                                                ? isOfZero(choice, region)
                                                : std::nullopt)
        chosen = FlagPart{choice.getArg(), *isZero};
      if (chosen && facts.holds({chosen->first, !chosen->second}))
        continue;
      Facts at = facts;
      if (chosen && !facts.holds(*chosen)) {
        learn(*chosen, owner, facts, at);
        at.isAssumed |= transitions.isFinite;
      }
      // Whether one was told in another branch is not known.
      if ((branch || choice) && owner == op &&
          !(chosen && facts.holds(*chosen)))
        at.mayBeTold = at.isTold;
      Facts next = leave(at, op);
      ValueRange inputs = region ? ValueRange(region->getArguments())
                                 : ValueRange(op->getResults());
      handOver(owner, op, inputs, at, next);
      for (Value input : inputs)
        if (suspects && (next.parts.contains({input, 0}) ||
                         next.parts.contains({input, 1})))
          handed.insert(input);
      if (!region)
        behind.join(next);
      else if (entered[region].join(next))
        worklist.insert(region);
    }
  };
  auto run = [&](Region *region) {
    Block &first = region->front();
    return runRegion(&first, first.begin(), entered[region]);
  };
  for (auto &[owner, facts] : starts)
    goOn(owner, facts);
  // What a loop begins with holds in its first round alone, which matters where
  // that decides whether it goes on.
  if (isa<scf::WhileOp>(*op) && starts.front().first == op) {
    Ends ends;
    for (Region *region : worklist)
      ends.append(run(region));
    worklist.clear();
    entered.clear();
    for (auto &[end, facts] : ends)
      goOn(end, facts);
  }
  while (!worklist.empty()) {
    for (auto &[end, facts] : run(worklist.pop_back_val()))
      goOn(end, facts);
  }
  if (suspects && !behind.isNone)
    for (Value value : handed) {
      const Facts &at =
          isa<OpResult>(value) ? behind : entered[value.getParentRegion()];
      if (!at.isNone && !at.parts.contains({value, 0}) &&
          !at.parts.contains({value, 1}))
        suspect(op, FlagLoss::Loses, value);
    }
  return behind;
}

/// True if the rounds of `loop` from `start` on, the loop itself or the end of
/// one, are gone through one by one.
bool FlagFlow::isUnrolled(scf::ForOp loop, Operation *start) const {
  std::optional<int64_t> numRounds = countRounds(loop);
  if (!numRounds || (start != loop && !rounds.contains(loop.getInductionVar())))
    return false;
  for (auto around = loop->getParentOfType<scf::ForOp>(); around;
       around = around->getParentOfType<scf::ForOp>())
    if (rounds.contains(around.getInductionVar()))
      *numRounds *= *countRounds(around);
  return *numRounds <= kMaxRounds;
}

/// The rounds of `loop` that begin behind `before`, the loop itself or the end
/// of a round, in which comparisons of the induction variable are known.
Facts FlagFlow::runRounds(scf::ForOp loop, Operation *before, Facts facts) {
  Value variable = loop.getInductionVar();
  int64_t numRounds = *countRounds(loop);
  int64_t first = *getConstantIntValue(loop.getLowerBound()),
          step = *getConstantIntValue(loop.getStep());
  auto it = rounds.find(variable);
  int64_t round = before == loop ? 0 : (it->second - first) / step + 1;
  Block *body = loop.getBody();
  llvm::SmallBitVector everHeld(loop.getNumResults());
  for (; round < numRounds && !facts.isNone; ++round) {
    Facts next = leave(facts, loop);
    handOver(before, loop, loop.getRegionIterArgs(), facts, next);
    for (auto [index, carried] : llvm::enumerate(loop.getRegionIterArgs()))
      if (next.parts.contains({carried, 0}))
        everHeld.set(index);
    rounds[variable] = first + round * step;
    before = body->getTerminator();
    runBlock(body->begin(), before->getIterator(), next);
    facts = std::move(next);
  }
  rounds.erase(variable);
  if (facts.isNone)
    return facts;
  Facts behind = leave(facts, loop);
  handOver(before, loop, loop.getResults(), facts, behind);
  for (unsigned index : everHeld.set_bits())
    if (Value result = loop.getResult(index);
        !behind.parts.contains({result, 0}))
      suspect(loop, FlagLoss::Loses, result);
  return behind;
}

/// What is lost by the regions of `op` where one of its operands, which may
/// decide, says what was found.
void FlagFlow::suspectRegions(RegionBranchOpInterface op, const Facts &before,
                              const Facts &behind) {
  if (!suspects || behind.isNone)
    return;
  if (behind.hasTold)
    suspect(op, FlagLoss::Decides);
  else if (transitions.areIn(op))
    suspect(op, FlagLoss::Skips);
  bool takesSome = llvm::any_of(before.parts, [&](const auto &known) {
    return llvm::any_of(known.first.first.getUsers(),
                        [&](Operation *user) { return op->isAncestor(user); });
  });
  if (takesSome)
    for (Value result : op->getResults())
      if (!behind.parts.contains({result, 0}))
        suspect(op, FlagLoss::Loses, result);
}

/// What holds behind `op` where `before` does in front of it.
Facts FlagFlow::runRegionsOnce(RegionBranchOpInterface op,
                               const Facts &before) {
  Ends starts;
  starts.emplace_back(op, before);
  if (!op->getParentOfType<LoopLikeOpInterface>() ||
      !llvm::all_of(op->getRegions(),
                    [&](Region &region) { return areSame(&region); }))
    return runRegions(op, std::move(starts));
  PlaceEntry entry = getEntry(op, before);
  if (auto known = behindRegions.find(entry); known != behindRegions.end())
    return known->second;
  Facts behind = runRegions(op, std::move(starts));
  if (behindRegions.size() == kMaxPlaces)
    behindRegions.clear();
  return behindRegions[entry] = std::move(behind);
}

void FlagFlow::visitRegions(RegionBranchOpInterface op, Facts &facts) {
  Facts before = enterRegions(facts, op);
  Facts behind = runRegionsOnce(op, before);
  suspectRegions(op, before, behind);
  goOnBehind(facts, behind);
}
