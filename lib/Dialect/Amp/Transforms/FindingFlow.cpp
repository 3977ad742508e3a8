//===- FindingFlow.cpp - Whether findings reach transitions ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A finding is told where FlagFlow finds no way from its unscaling to the end
// of the function on which no transition was given a true flag. What is left
// where a function ends is owed by its callers, and what is left of a train
// step by its next call, if a state hands it on. Programs join the findings of
// thousands of unscalings one by one; therefore the outcome of a flag is kept,
// and a finding that another flag of its block surely follows is known by that.
//
// A transition that no finite step comes to, or that is told true in each, is
// the opposite mistake: the scale would fall and never grow. There no unscaling
// finds an infinity.
//
// A transition that is told of what another was told of lowers the scale again
// for one overflow, and counts one step twice. For that, ways go on behind
// transitions.
//
// What went wrong is told by the first place on the way where something true
// was taken and given as what may be false, or where some ways were told and
// others were not.
//
//===----------------------------------------------------------------------===//

#include "FindingFlow.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;

/// The first of the blocks that lead to `block` by branches that go nowhere
/// else and that come from nowhere else: if it runs, they do.
Block *FindingFlow::getChainHead(Block *block) {
  SmallVector<Block *> chain;
  Block *head = block;
  while (!chainHeads.contains(head)) {
    chain.push_back(head);
    Block *before = head->getSinglePredecessor();
    if (!before || before == block ||
        !isa<cf::BranchOp>(before->getTerminator()))
      break;
    head = before;
  }
  if (auto it = chainHeads.find(head); it != chainHeads.end())
    head = it->second;
  for (Block *each : chain)
    chainHeads[each] = head;
  return head;
}

/// What `user` is, or is in, of `block` or of one behind it in its chain; null
/// if it is in none.
Operation *FindingFlow::findInChain(Operation *user, Block *block) {
  Operation *inRegion = block->getParent()->findAncestorOpInRegion(*user);
  return inRegion && getChainHead(inRegion->getBlock()) == getChainHead(block)
             ? inRegion
             : nullptr;
}

/// Appends what surely holds where `part` does and that `user`, of its block,
/// or what is in that makes of it; true if a transition is told. `hasOther` is
/// set where it may have a way that is not seen by that.
bool FindingFlow::forward(FlagPart part, Operation *user,
                          SmallVectorImpl<FlagPart> &forwarded,
                          bool &hasOther) {
  // The block behind it comes from nowhere else.
  if (auto branch = dyn_cast<cf::BranchOp>(user);
      branch && getChainHead(branch.getDest()) != branch.getDest()) {
    for (auto [operand, argument] :
         llvm::zip(branch.getDestOperands(), branch.getDest()->getArguments()))
      if (operand == part.first)
        forwarded.emplace_back(argument, part.second);
    return false;
  }
  // The region that it is in was chosen.
  if (isa<scf::YieldOp>(user) &&
      isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(
          user->getParentOp())) {
    for (OpOperand &operand : user->getOpOperands())
      if (operand.get() == part.first)
        forwarded.emplace_back(
            user->getParentOp()->getResult(operand.getOperandNumber()),
            part.second);
    return false;
  }
  if (user->hasTrait<OpTrait::IsTerminator>()) {
    hasOther = true;
    return false;
  }
  Summary summary = flow.runOne(user, part);
  for (Place place : summary.results)
    if (place.isMarked)
      forwarded.emplace_back(user->getResult(place.number), place.isNegated);
  // By itself, a flag goes through others or not at all.
  bool isComplete = isa<UpdateScaleOp, UnscaleOp, ApplyIfFiniteOp>(user);
  hasOther |= summary.results.empty() && !isComplete;
  return summary.isNone && summary.hasTold;
}

/// Leaves what holds because of a finding.
static void keepMarked(FlagFlow::Summary &summary) {
  llvm::erase_if(summary.results,
                 [](FlagFlow::Place place) { return !place.isMarked; });
}

/// What is left of `known` at the end of the function. Ways that come to no end
/// tell nothing.
FindingFlow::Summary FindingFlow::runToEnd(Operation *after,
                                           ArrayRef<FlagPart> known) {
  Summary summary = flow.runToEnd(after, known);
  summary.isNone &= summary.hasTold;
  keepMarked(summary);
  return summary;
}

FindingFlow::Summary FindingFlow::getOutcome(FlagPart first) {
  SmallVector<FlagPart> stack{first};
  llvm::DenseSet<FlagPart> opened;
  while (!stack.empty()) {
    FlagPart part = stack.back();
    if (outcomes.contains(part)) {
      stack.pop_back();
      continue;
    }
    SmallVector<FlagPart> forwarded;
    bool hasOther = false, isTold = false;
    llvm::SetVector<Operation *> users;
    for (Operation *user : part.first.getUsers())
      if (Operation *inBlock = findInChain(user, part.first.getParentBlock()))
        users.insert(inBlock);
      else
        hasOther = true;
    for (Operation *user : users)
      if (!isTold)
        isTold = forward(part, user, forwarded, hasOther);
    if (opened.insert(part).second && !isTold) {
      for (FlagPart next : forwarded)
        if (!outcomes.contains(next))
          stack.push_back(next);
      if (stack.back() != part)
        continue;
    }
    Summary summary;
    summary.isNone = isTold;
    summary.hasTold = isTold;
    if (!isTold)
      for (FlagPart next : forwarded) {
        const Summary &known = outcomes[next];
        hasOther |= ofBlocks.contains(next);
        summary.hasTold |= known.hasTold;
        summary.isNone |= known.isNone;
        llvm::append_range(summary.results, known.results);
      }
    if (summary.isNone) {
      summary.results.clear();
    } else if (hasOther && isa<BlockArgument>(part.first)) {
      ofBlocks.insert(part); // it is asked about from where it comes
    } else if (hasOther) {
      Summary whole = runToEnd(part.first.getDefiningOp(), part);
      llvm::append_range(whole.results, summary.results);
      summary = std::move(whole);
      if (summary.isNone)
        summary.results.clear();
    }
    llvm::sort(summary.results);
    summary.results.erase(llvm::unique(summary.results), summary.results.end());
    outcomes[part] = std::move(summary);
    stack.pop_back();
  }
  return outcomes[first];
}

/// The outcome of what `after` gives, of which `parts` hold. `asksTogether`
/// looks for what goes apart and comes together again, which takes longer.
FindingFlow::Summary FindingFlow::getOutcome(Operation *after,
                                             ArrayRef<FlagPart> parts,
                                             bool asksTogether) {
  Summary all;
  all.isNone = false;
  for (FlagPart part : parts) {
    Summary one = getOutcome(part);
    if (one.isNone)
      return one;
    all.hasTold |= one.hasTold;
    llvm::append_range(all.results, one.results);
  }
  if (all.results.empty() && asksTogether)
    return runToEnd(after, parts);
  llvm::sort(all.results);
  all.results.erase(llvm::unique(all.results), all.results.end());
  return all;
}

/// True for roles of what the next call of a step is given.
static bool isState(RoleInfo info) {
  return info.is(Role::OptState) || info.is(Role::Buffer) ||
         info.is(Role::Accumulator);
}

/// True if `next` gives a state anew that is among `results` of `step`.
bool FindingFlow::overwrites(func::FuncOp step, ArrayRef<Place> results,
                             func::FuncOp next) {
  return llvm::any_of(results, [&](Place place) {
    RoleInfo info = getResultRole(step, place.number);
    for (unsigned i = 0; isState(info) && i != next.getNumResults(); ++i)
      if (RoleInfo other = getResultRole(next, i);
          other.role == info.role && other.name == info.name)
        return true;
    return false;
  });
}

/// Appends the arguments of `next` by which states hand on `results` of `step`;
/// false if there is none.
bool FindingFlow::handsOn(func::FuncOp step, ArrayRef<Place> results,
                          SmallVectorImpl<Place> &arguments,
                          func::FuncOp next) {
  ArgumentIndex index(next);
  for (Place place : results)
    if (RoleInfo info = getResultRole(step, place.number); isState(info))
      for (unsigned argument : index.find(info.role, info.name))
        arguments.push_back({argument, place.isNegated});
  llvm::sort(arguments);
  return !arguments.empty();
}

/// True if each next call, of any step, tells a transition of what `open`
/// leaves, or hands it on, and some call may tell one.
bool FindingFlow::isKeptByStates(const Open &open) {
  std::set<Entry> seen;
  bool mayTell = false;
  std::vector<Entry> left{{open.function, open.results}};
  while (!left.empty()) {
    auto [function, results] = std::move(left.back());
    left.pop_back();
    bool isTaken = false;
    for (func::FuncOp step : queries.steps) {
      Entry entry{step, {}};
      auto from = cast<func::FuncOp>(function);
      if (!handsOn(from, results, entry.second, step)) {
        if (overwrites(from, results, step))
          return false;
        continue; // it leaves that state alone
      }
      isTaken |= step == from;
      if (!seen.insert(entry).second)
        continue;
      Summary next = flow.getSummary(entry);
      keepMarked(next);
      mayTell |= next.hasHeard;
      if (!next.isNone)
        left.emplace_back(step, next.results);
    }
    if (!isTaken)
      return false;
  }
  return mayTell;
}

SmallVector<LostFinding>
FindingFlow::findLost(ArrayRef<Operation *> unscalings,
                      ArrayRef<UpdateScaleOp> updates) {
  SmallVector<LostFinding> lost;
  std::vector<Open> opened;
  std::set<Entry> known;
  auto check = [&](Operation *after, ArrayRef<FlagPart> parts,
                   Operation *unscale) {
    bool isFirst = lost.size() < kMaxExplained;
    Summary outcome = getOutcome(after, parts, isFirst);
    if (outcome.isNone)
      return;
    auto function = after->getParentOfType<func::FuncOp>();
    if (outcome.results.empty())
      lost.push_back(isFirst
                         ? explain(unscale, after, parts)
                         : LostFinding{unscale, FlagLoss::HasNoWay, unscale});
    else if (known.insert({function, outcome.results}).second)
      opened.push_back({function, outcome.results, unscale});
  };
  // Findings are joined downwards.
  for (Operation *unscale : llvm::reverse(unscalings))
    check(unscale, {{cast<UnscaleOp>(unscale).getFoundInf(), false}}, unscale);
  for (size_t i = 0; i != opened.size(); ++i) {
    Open open = opened[i];
    bool isStep = getFunctionKind(open.function) == FunctionKind::TrainStep;
    ArrayRef<func::CallOp> calls = queries.getCalls(open.function);
    for (func::CallOp call : llvm::reverse(calls)) {
      check(call, FlagFlow::getParts(call, open.results), open.unscale);
    }
    if (isStep)
      foundStates[open.function].insert(open.results.begin(),
                                        open.results.end());
    if (isStep ? !isKeptByStates(open)
               : !queries.steps.empty() &&
                     (calls.empty() || queries.isReferredTo(open.function)))
      lost.push_back({open.unscale, FlagLoss::HasNoWay, open.unscale});
  }
  llvm::DenseMap<Operation *, SmallVector<LostFinding, 1>> ofUnscaling;
  for (const LostFinding &each : lost)
    ofUnscaling[each.unscale].push_back(each);
  lost.clear();
  for (Operation *unscale : unscalings)
    llvm::append_range(lost, ofUnscaling.lookup(unscale));
  if (lost.empty())
    if (std::optional<LostFinding> first = findNeverGrown(unscalings, updates))
      lost.push_back(*first);
  return lost;
}

/// True if `op` runs whenever a step does, as seen from where it stands: in the
/// one block of a step, or of a function that is called from there.
bool FindingFlow::runsInStep(Operation *op,
                             llvm::DenseSet<Operation *> &seen) const {
  auto function = dyn_cast<func::FuncOp>(op->getParentOp());
  if (!function || !llvm::hasSingleElement(function.getBody()) ||
      !seen.insert(function).second)
    return false;
  return getFunctionKind(function) == FunctionKind::TrainStep ||
         llvm::any_of(queries.getCalls(function), [&](func::CallOp call) {
           return runsInStep(call, seen);
         });
}

/// The flags that `step` is handed and that say whether something was found, as
/// they are where nothing is, and those that it always leaves so: if they are
/// so before a step, they are behind it.
SmallVector<FlagFlow::Place, 2>
FindingFlow::findFoundStates(func::FuncOp step) {
  std::set<Place> left;
  for (Place place : foundStates[step])
    left.insert({place.number, !place.isNegated, false});
  SmallVector<Operation *> ends = getReturns(step);
  auto isConstant = [&](Place place) {
    return llvm::all_of(ends, [&](Operation *end) {
      return isConstantFlag({end->getOperand(place.number), place.isNegated});
    });
  };
  for (unsigned i = 0; i != step.getNumResults(); ++i)
    if (Place place{i, true, false};
        isFlagType(step.getResultTypes()[i]) && isConstant(place))
      left.insert(place);
  for (;;) {
    SmallVector<Place, 2> places;
    for (Place place : left)
      handsOn(step, place, places, step);
    for (Place &place : places)
      place.isMarked = false;
    llvm::sort(places);
    Summary behind = whole.getSummary({step, places});
    std::set<Place> stays;
    for (Place place : left)
      if (behind.isNone || isConstant(place) ||
          llvm::any_of(behind.results, [&](Place other) {
            return other.number == place.number &&
                   other.isNegated == place.isNegated;
          }))
        stays.insert(place);
    if (stays.size() == left.size())
      return places;
    left = std::move(stays);
  }
}

/// Where nothing is found, some call of some step advances the scaler: it would
/// never grow otherwise.
std::optional<LostFinding>
FindingFlow::findNeverGrown(ArrayRef<Operation *> unscalings,
                            ArrayRef<UpdateScaleOp> updates) {
  if (queries.steps.empty() || unscalings.empty())
    return std::nullopt;
  bool isAdvanced = false;
  SmallVector<Entry> entries;
  for (func::FuncOp step : queries.steps) {
    entries.push_back({step, findFoundStates(step)});
    isAdvanced |= finite.getSummary(entries.back()).hasTold;
  }
  if (ArrayRef<UpdateScaleOp> always = finite.getWronglyTold(); !always.empty())
    return LostFinding{unscalings.front(), FlagLoss::IsAlways, always.front()};
  if (isAdvanced || llvm::any_of(updates, [&](UpdateScaleOp update) {
        llvm::DenseSet<Operation *> seen;
        return runsInStep(update, seen);
      }))
    return std::nullopt;
  for (const Entry &entry : entries)
    for (const FlagFlow::Suspect &each : finite.findSuspects(entry))
      if (each.kind == FlagLoss::Skips)
        return LostFinding{unscalings.front(), FlagLoss::SkipsFinite, each.op};
  // Between blocks.
  Operation *decision = unscalings.front();
  const auto *behindBranch = llvm::find_if(updates, [](UpdateScaleOp update) {
    return !update->getBlock()->isEntryBlock();
  });
  if (behindBranch != updates.end()) {
    UpdateScaleOp update = *behindBranch;
    decision = dominance.getDomTree(update->getParentRegion())
                   .getNode(update->getBlock())
                   ->getIDom()
                   ->getBlock()
                   ->getTerminator();
  }
  return LostFinding{unscalings.front(), FlagLoss::SkipsFinite, decision};
}

/// A transition that is told of what `unscale` found where one was told before.
UpdateScaleOp FindingFlow::findToldAgain(Operation *unscale) {
  auto getAgain = [&] {
    ArrayRef<UpdateScaleOp> told = again.getWronglyTold();
    return told.empty() ? UpdateScaleOp() : told.front();
  };
  struct Left {
    func::FuncOp function;
    Summary summary;
  };
  SmallVector<Left> worklist{
      {unscale->getParentOfType<func::FuncOp>(),
       again.runToEnd(unscale,
                      {{cast<UnscaleOp>(unscale).getFoundInf(), false}})}};
  std::set<Entry> seen;
  while (!worklist.empty() && !getAgain()) {
    auto [function, summary] = worklist.pop_back_val();
    SmallVector<Place, 2> results;
    bool isTold = false, mayBeTold = false;
    for (Place place : summary.results)
      if (place.number == kTold.number) {
        isTold |= place == kTold;
        mayBeTold = true;
      } else if (place.isMarked) {
        results.push_back(place);
      }
    if (results.empty() || !seen.insert({function, summary.results}).second)
      continue;
    for (func::CallOp call : queries.getCalls(function))
      worklist.push_back(
          {call->getParentOfType<func::FuncOp>(),
           again.runToEnd(call, FlagFlow::getParts(call, results), isTold)});
    if (getFunctionKind(function) != FunctionKind::TrainStep)
      continue;
    for (func::FuncOp step : queries.steps) {
      Entry entry{step, {}};
      if (!handsOn(function, results, entry.second, step))
        continue;
      // After a call that told one: the next decides anew.
      if (mayBeTold)
        entry.second.push_back(kTold);
      worklist.push_back({step, again.getSummary(entry)});
    }
  }
  return getAgain();
}

/// True if `step` is given a state that may be a flag, or count some.
static bool takesFlags(func::FuncOp step) {
  for (unsigned i = 0; i != step.getNumArguments(); ++i)
    if (isState(getArgRole(step, i)) &&
        getElementTypeOrSelf(step.getArgumentTypes()[i]).isIntOrIndex())
      return true;
  return false;
}

/// True if `op` runs once in each call of one train step, as seen from where it
/// stands: in the one block of functions that are called from one place each.
bool FindingFlow::runsOnce(Operation *op) const {
  for (;;) {
    auto function = dyn_cast<func::FuncOp>(op->getParentOp());
    if (!function || !llvm::hasSingleElement(function.getBody()) ||
        queries.isReferredTo(function))
      return false;
    ArrayRef<func::CallOp> calls = queries.getCalls(function);
    if (getFunctionKind(function) == FunctionKind::TrainStep)
      return calls.empty() && queries.steps.size() == 1 &&
             !takesFlags(function);
    if (calls.size() != 1)
      return false;
    op = calls.front();
  }
}

std::optional<FindingToldTwice>
FindingFlow::findToldTwice(ArrayRef<Operation *> unscalings,
                           ArrayRef<UpdateScaleOp> updates) {
  // Most programs.
  if (updates.size() == 1 && runsOnce(updates.front()))
    return std::nullopt;
  size_t numLookedAt = std::min(unscalings.size(), kMaxLookedAt);
  for (Operation *unscale : unscalings.take_front(numLookedAt))
    if (UpdateScaleOp update = findToldAgain(unscale))
      return FindingToldTwice{unscale, update};
  return std::nullopt;
}

/// The first thing that went wrong on the way from `after`.
LostFinding FindingFlow::explain(Operation *unscale, Operation *after,
                                 ArrayRef<FlagPart> parts) {
  SmallVector<FlagFlow::Suspect> suspects = flow.findSuspects(after, parts);
  // What is surely wrong before what may be, and what the finding itself
  // keeps from running last.
  auto rank = [&](const FlagFlow::Suspect &each) {
    switch (each.kind) {
    case FlagLoss::LeavesOut:
      return 0;
    case FlagLoss::Loses:
      return !each.lost || queries.reachesTransition(each.lost) ? 1 : 4;
    case FlagLoss::Negates:
      return 2;
    case FlagLoss::Skips:
      return 3;
    default:
      return 1;
    }
  };
  auto *first = llvm::min_element(suspects, [&](const auto &a, const auto &b) {
    return rank(a) < rank(b);
  });
  if (first == suspects.end() || rank(*first) == 4)
    return {unscale, FlagLoss::HasNoWay, unscale};
  return {unscale, first->kind, first->op};
}
