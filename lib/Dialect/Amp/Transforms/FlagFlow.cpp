//===- FlagFlow.cpp - Which flags surely hold -----------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A proof from a closed list of forms, forwards from one place: suppose that
// some flags are true behind it, and keep at each place the set of flags that
// are true then on all ways to it (FlagRules). Where ways meet, the sets are
// intersected; a way on which a transition was given a true flag is done and
// meets no other. A call does what a summary of its callee says, which is made
// once for each set of arguments that hold. Nothing is followed through memory,
// nor by an operation that is not in the list.
//
// A branch that is taken says of its condition that it holds there, and so of
// what that is computed from and of what is computed from it. Facts of that
// kind are told from those that hold because of what the ways began with, by
// marks: a result is marked if it would not hold without what is marked, or
// holds by that alone, or was handed over where a marked flag decided.
//
// Recursive functions begin with the assumption that each call does all, and
// are gone through until nothing changes: a call that ends has ended after
// finitely many calls, so what is left is true of it.
//
//===----------------------------------------------------------------------===//

#include "FlagFlow.h"

#include "Callees.h"
#include "Reachable.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::amp;

bool Facts::join(const Facts &other) {
  bool isChanged = (other.hasTold && !hasTold) || (other.hasHeard && !hasHeard);
  addEnded(other);
  if (other.isNone)
    return isChanged;
  if (isNone) {
    EndedWays ended = *this;
    *this = other;
    addEnded(ended);
    return true;
  }
  isChanged |= (isTold && !other.isTold) || (other.mayBeTold && !mayBeTold) ||
               (isAssumed && !other.isAssumed);
  isTold &= other.isTold;
  mayBeTold |= other.mayBeTold;
  isAssumed &= other.isAssumed;
  SmallVector<FlagPart> missing;
  for (auto &[part, isMarked] : parts) {
    auto it = other.parts.find(part);
    if (it == other.parts.end()) {
      missing.push_back(part);
    } else if (isMarked && !it->second) {
      isMarked = false;
      isChanged = true;
    }
  }
  for (FlagPart part : missing)
    parts.erase(part);
  return isChanged || !missing.empty();
}

bool mlir::amp::hasKnownRegions(Operation *op) {
  return isa<scf::IfOp, scf::ForOp, scf::WhileOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp, affine::AffineForOp, affine::AffineIfOp,
             memref::AllocaScopeOp, ApplyIfFiniteOp, AutocastOp>(op) &&
         isa<RegionBranchOpInterface>(op);
}

void FlagFlow::suspect(Operation *op, FlagLoss kind, Value lost) {
  if (suspects)
    suspects->push_back({kind, op, lost});
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A way that is done.
static void setTold(Facts &facts) {
  facts.isNone = facts.hasTold = true;
  facts.mayBeTold = facts.isTold = facts.isAssumed = false;
  facts.parts.clear();
}

/// True if `part`, a result of an operation, is marked: it would not hold
/// without what is marked, or it holds by that alone.
bool FlagFlow::isMarked(FlagPart part, const Facts &facts) const {
  if (isImplied(part, isConstantFlag))
    return false;
  auto isKnown = [&](FlagPart other, bool isMarked) {
    auto it = facts.parts.find(other);
    return it == facts.parts.end() ? isConstantFlag(other)
                                   : it->second == isMarked;
  };
  if (!isImplied(part, [&](FlagPart other) { return isKnown(other, false); }))
    return true;
  return !transitions.isFinite &&
         isImplied(part, [&](FlagPart other) { return isKnown(other, true); });
}

/// Adds to `learned` that `part` holds at `at`, where `facts` do, and what that
/// says of the values that it is computed from, and of those that are computed
/// from it before `at`.
void FlagFlow::learn(FlagPart part, Operation *at, const Facts &facts,
                     Facts &learned) {
  constexpr unsigned kMaxLearned = 64;
  bool isMarked = transitions.isFinite;
  auto holds = [&](FlagPart other) {
    return facts.holds(other) || learned.holds(other);
  };
  llvm::SetVector<FlagPart> parts;
  parts.insert(part);
  for (unsigned i = 0; i != std::min<size_t>(parts.size(), kMaxLearned); ++i) {
    FlagPart next = parts[i];
    if (!holds(next))
      learned.add(next, isMarked);
    SmallVector<FlagPart> more;
    addNecessary(next, more);
    unsigned numUsers = 0;
    for (Operation *user : next.first.getUsers()) {
      if (++numUsers > kMaxLearned)
        break;
      if (user->getNumRegions() != 0 || user->getNumResults() != 1 ||
          !isFlagType(user->getResult(0).getType()) ||
          !dominance.properlyDominates(user, at))
        continue;
      for (unsigned isNegated : {0, 1})
        if (FlagPart computed{user->getResult(0), isNegated};
            !holds(computed) && isImplied(computed, holds))
          more.push_back(computed);
    }
    parts.insert_range(more);
  }
}

/// True if an operand of `op` is a part that holds, constants aside.
static bool takesFact(Operation *op, const Facts &facts) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return facts.parts.contains({operand, 0}) ||
           facts.parts.contains({operand, 1});
  });
}

/// What `call` calls, by name or by a constant reference; null if that is not
/// seen or has no body.
static func::FuncOp getKnownCallee(CallOpInterface call,
                                   const SymbolTable &symbols) {
  CallInterfaceCallable target = call.getCallableForCallee();
  auto name = dyn_cast<SymbolRefAttr>(target);
  if (auto value = dyn_cast<Value>(target))
    if (auto reference = value.getDefiningOp<func::ConstantOp>())
      name = reference.getValueAttr();
  auto callee = name ? symbols.lookup<func::FuncOp>(name.getLeafReference())
                     : func::FuncOp();
  return callee && !callee.isExternal() ? callee : func::FuncOp();
}

/// What a comparison of an induction variable with a constant is in a round,
/// or one of what is known to be 0.
std::optional<bool> FlagFlow::getComparison(Operation *op,
                                            const Facts &facts) const {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || isa<ShapedType>(compare.getLhs().getType()))
    return std::nullopt;
  std::optional<int64_t> sides[2];
  for (auto [side, operand] : llvm::zip(sides, compare->getOperands())) {
    if (auto it = rounds.find(operand); it != rounds.end())
      side = it->second;
    else if (facts.parts.contains({operand, 1}))
      side = 0;
    else
      side = getConstantIntValue(operand);
  }
  if (!sides[0] || !sides[1])
    return std::nullopt;
  return arith::applyCmpPredicate(compare.getPredicate(),
                                  APInt(64, *sides[0], /*isSigned=*/true),
                                  APInt(64, *sides[1], /*isSigned=*/true));
}

void FlagFlow::visit(Operation *op, Facts &facts) {
  if (op == watched)
    atWatched.join(facts);
  if (std::optional<bool> truth = getComparison(op, facts)) {
    bool isMarked = llvm::any_of(op->getOperands(), [&](Value operand) {
      return facts.isMarked({operand, 1});
    });
    facts.add({op->getResult(0), *truth ? 0u : 1u}, isMarked);
    return;
  }
  if (auto all = dyn_cast<AllReduceFoundInfOp>(op);
      all && transitions.isFinite && facts.holds({all.getOperand(), true}))
    // No rank found any.
    return facts.add({all.getResult(), true},
                     facts.isMarked({all.getOperand(), true}));
  if (auto update = dyn_cast<UpdateScaleOp>(op))
    return visitUpdate(update, facts);
  if (auto unscale = dyn_cast<UnscaleOp>(op))
    return visitUnscale(unscale, facts);
  if (auto call = dyn_cast<CallOpInterface>(op))
    return visitCall(call, getKnownCallee(call, symbols), facts);
  if (auto guard = dyn_cast<ApplyIfFiniteOp>(op))
    return visitGuard(guard, facts);
  if (auto regions = dyn_cast<RegionBranchOpInterface>(op);
      regions && hasKnownRegions(op))
    return visitRegions(regions, facts);
  visitResults(op, facts);
}

void FlagFlow::visitUpdate(UpdateScaleOp update, Facts &facts) {
  if (update.getScaler() != transitions.scaler)
    return;
  Value found = update.getFoundInf();
  bool isTrue = facts.holds({found, false});
  bool isMarked = facts.isMarked({found, false});
  switch (transitions.kind) {
  case EndingTransitions::ToldTrue:
    facts.hasHeard |= isMarked;
    if (isTrue)
      setTold(facts);
    else if (facts.holds({found, true}))
      suspect(update, FlagLoss::Negates);
    break;
  case EndingTransitions::ToldOther:
    if (!isTrue)
      setTold(facts);
    else if (!isMarked)
      wronglyTold.insert(update);
    break;
  case EndingTransitions::Never:
    if (transitions.isFinite)
      break;
    if (isMarked && facts.mayBeTold)
      wronglyTold.insert(update);
    facts.isTold |= isMarked;
    facts.mayBeTold |= isMarked;
    break;
  }
}

void FlagFlow::visitUnscale(UnscaleOp unscale, Facts &facts) {
  Value found = unscale.getFoundInf(), before = unscale.getAlreadyFound();
  bool isFinite = transitions.isFinite;
  if (isFinite && (!before || facts.holds({before, true})))
    facts.add({found, true}, before && facts.isMarked({before, true}));
  else if (before && facts.holds({before, false}))
    facts.add({found, false}, facts.isMarked({before, false}));
  else if (before && facts.holds({before, true}))
    suspect(unscale, FlagLoss::Negates);
}

/// What FlagRules say of `op`, without regions or of linalg.
void FlagFlow::visitResults(Operation *op, Facts &facts) {
  // A constant may make it true by itself.
  bool givesFlag = llvm::any_of(op->getResultTypes(), isFlagType) &&
                   llvm::any_of(op->getOperands(), [](Value operand) {
                     return matchPattern(operand, m_Constant());
                   });
  bool takesSome = takesFact(op, facts) || isa<linalg::LinalgOp>(op);
  if (!takesSome && !givesFlag)
    return;
  auto holds = [&](FlagPart part) { return facts.holds(part); };
  // A counter that begins with 0 is a fact, and no flag.
  bool takesFlag =
      takesSome && llvm::any_of(op->getOperands(), [&](Value operand) {
        return !operand.getType().isIndex() ||
               facts.parts.contains({operand, 0});
      });
  for (Value result : op->getResults()) {
    bool isKnown = false;
    for (unsigned isNegated : {0, 1})
      if (FlagPart part{result, isNegated}; isImplied(part, holds)) {
        facts.add(part, isMarked(part, facts));
        isKnown |= !suspects || !isImplied(part, isConstantFlag);
      }
    if (!isKnown && takesFlag && !isa<tensor::EmptyOp>(op))
      suspect(op, FlagLoss::Loses, result);
  }
}

/// Takes from places whether a transition was told.
static void setWhetherTold(Facts &facts, ArrayRef<FlagFlow::Place> places) {
  facts.isTold |= llvm::is_contained(places, kTold);
  facts.mayBeTold |= facts.isTold || llvm::is_contained(places, kMayBeTold);
}

void FlagFlow::visitCall(CallOpInterface call, func::FuncOp callee,
                         Facts &facts) {
  // What a call does that takes no fact has nothing to do with the finding.
  // Where nothing is found, it may advance the scaler or give what is false.
  bool isFinite = transitions.isFinite;
  bool mayAdvance = isFinite && transitions.areIn(call);
  bool givesFlag = isFinite && llvm::any_of(call->getResultTypes(), isFlagType);
  if (!takesFact(call, facts) && !mayAdvance && !givesFlag)
    return;
  auto loseResults = [&] {
    for (Value result : call->getResults())
      suspect(call, FlagLoss::Loses, result);
  };
  if (!callee) {
    facts.hasTold |= mayAdvance;
    return loseResults();
  }
  Entry entry{callee, {}};
  for (auto [index, operand] : llvm::enumerate(call.getArgOperands()))
    for (unsigned isNegated : {0u, 1u})
      if (FlagPart part{operand, isNegated};
          facts.parts.contains(part) ||
          (isFlagType(operand.getType()) && isConstantFlag(part)))
        entry.second.push_back(
            {unsigned(index), isNegated, facts.isMarked(part)});
  if (facts.isTold)
    entry.second.push_back(kTold);
  else if (facts.mayBeTold)
    entry.second.push_back(kMayBeTold);
  Summary summary = getSummary(entry);
  facts.addEnded(summary);
  if (summary.isNone) {
    facts.isNone = true;
    facts.parts.clear();
    return;
  }
  if (summary.results.empty())
    loseResults();
  for (Place place : summary.results)
    if (place.number != kTold.number)
      facts.add({call->getResult(place.number), place.isNegated},
                place.isMarked);
  setWhetherTold(facts, summary.results);
}

/// The kept values come out where an infinity was found, whether the body runs
/// or not; elsewhere the body's.
void FlagFlow::visitGuard(ApplyIfFiniteOp guard, Facts &facts) {
  Value found = guard.getFoundInf();
  Block &body = guard.getBody().front();
  Operation *end = body.getTerminator();
  Facts before = enterRegions(facts, guard), inside = before, joined;
  bool isDecided = facts.isMarked({found, false});
  inside.mayBeTold = inside.isTold;
  learn({found, true}, guard, before, inside);
  runBlock(body.begin(), end->getIterator(), inside);
  bool isFound = facts.holds({found, false});
  if (inside.isNone && inside.hasTold && isFound)
    suspect(guard, FlagLoss::LeavesOut);
  auto add = [&](const Facts &way, ValueRange values) {
    Facts left = leave(way, guard);
    for (auto [result, value] : llvm::zip(guard.getResults(), values))
      for (unsigned isNegated : {0, 1})
        if (FlagPart part{value, isNegated}; way.holds(part))
          left.add({result, isNegated}, isDecided || way.isMarked(part));
    joined.join(left);
  };
  if (!facts.holds({found, true}))
    add(before, guard.getKept());
  if (!isFound)
    add(inside, end->getOperands());
  if (!joined.isNone) {
    if (joined.hasTold && !facts.hasTold)
      suspect(guard, FlagLoss::Decides);
    for (OpResult result : guard.getResults())
      if (!joined.parts.contains({result, 0}) &&
          (facts.holds({guard.getKept()[result.getResultNumber()], 0}) ||
           inside.parts.contains(
               {end->getOperand(result.getResultNumber()), 0})))
        suspect(guard, FlagLoss::Loses, result);
  }
  goOnBehind(facts, joined);
}

void FlagFlow::runBlock(Block::iterator first, Block::iterator end,
                        Facts &facts) {
  for (; first != end && !facts.isNone; ++first) {
    visit(&*first, facts);
    if (&*first == last)
      setTold(facts);
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// True if `value` may be used in `block`, or behind it. What ways of many
/// blocks hold would grow with each otherwise.
bool FlagFlow::isUsedFrom(Value value, Block *block) {
  constexpr unsigned kOutside = 0;
  Region *region = block->getParent();
  auto [numbers, isNewRegion] = cycleNumbers.try_emplace(region);
  if (isNewRegion)
    numberCycles(*region, numbers->second);
  auto [last, isNew] = lastUses.try_emplace({region, value}, ~0u);
  if (isNew)
    for (Operation *user : value.getUsers()) {
      Block *inside = region->findAncestorBlockInRegion(*user->getBlock());
      auto number = numbers->second.find(inside);
      if (!inside)
        last->second = kOutside;
      else if (number != numbers->second.end())
        last->second = std::min(last->second, number->second);
    }
  return last->second <= numbers->second.lookup(block);
}

/// Hands over to each successor that `terminator` may go to what holds there.
void FlagFlow::branch(Operation *terminator, const Facts &facts,
                      function_ref<void(Block *, const Facts &)> enter) {
  auto branching = dyn_cast<BranchOpInterface>(terminator);
  auto conditional = dyn_cast<cf::CondBranchOp>(terminator);
  for (auto [index, successor] : llvm::enumerate(terminator->getSuccessors())) {
    if (conditional &&
        facts.holds({conditional.getCondition(), index == 0 ? 1u : 0u})) {
      // The other one is taken.
      suspect(terminator, FlagLoss::Skips);
      for (Value argument : terminator->getSuccessor(1 - index)->getArguments())
        suspect(terminator, FlagLoss::Loses, argument);
      continue;
    }
    Facts next = facts.getWays(), learned;
    bool isDecided = false;
    if (conditional) {
      FlagPart chosen{conditional.getCondition(), index == 0 ? 0u : 1u};
      bool isKnown = facts.holds(chosen);
      isDecided = isKnown && facts.isMarked(chosen);
      if (!isKnown)
        learn(chosen, terminator, facts, learned);
      next.mayBeTold &= isKnown || facts.isTold;
      next.isAssumed |= !isKnown && transitions.isFinite;
    }
    // Values of blocks that the successor is not always behind are others in
    // each round.
    for (const Facts *known : {&facts, static_cast<const Facts *>(&learned)})
      for (auto [part, isMarked] : known->parts)
        if (Block *made = part.first.getParentBlock();
            isUsedFrom(part.first, successor) &&
            (made->getParent() != successor->getParent() ||
             dominance.properlyDominates(made, successor)))
          next.add(part, isMarked);
    if (branching) {
      SuccessorOperands handed = branching.getSuccessorOperands(index);
      for (BlockArgument argument : successor->getArguments())
        for (unsigned isNegated : {0, 1})
          if (Value operand = handed[argument.getArgNumber()])
            if (FlagPart part{operand, isNegated};
                facts.holds(part) || learned.holds(part))
              next.add({argument, isNegated}, isDecided || next.isAssumed ||
                                                  facts.isMarked(part) ||
                                                  learned.isMarked(part));
    }
    enter(successor, next);
  }
}

/// What is lost between blocks, of which those that were `entered` come behind
/// `start`: where some ways were told, and what was `handed` over by some
/// alone.
void FlagFlow::suspectBlocks(const Ends &ends, Block *start,
                             const llvm::MapVector<Block *, Facts> &entered,
                             ArrayRef<Value> handed) {
  Facts all;
  for (auto &end : ends)
    all.join(end.second);
  if (!all.isNone && all.hasTold)
    for (Block &fork : *start->getParent())
      if (fork.getNumSuccessors() > 1 &&
          (&fork == start || entered.contains(&fork))) {
        suspect(fork.getTerminator(), FlagLoss::Decides);
        break;
      }
  for (Value value : handed) {
    Block *block = value.getParentBlock();
    const auto &parts = entered.find(block)->second.parts;
    if (!dominance.isReachableFromEntry(block) || parts.contains({value, 0}) ||
        parts.contains({value, 1}))
      continue;
    Block *fork = dominance.getDomTree(block->getParent())
                      .getNode(block)
                      ->getIDom()
                      ->getBlock();
    suspect(fork->getTerminator(), FlagLoss::Loses, value);
  }
}

FlagFlow::PlaceEntry FlagFlow::getEntry(void *place, const Facts &facts) {
  PlaceEntry entry{place,
                   {},
                   {facts.hasTold, facts.hasHeard, facts.mayBeTold,
                    facts.isTold, facts.isAssumed}};
  for (auto [part, isMarked] : facts.parts)
    std::get<1>(entry).emplace_back(part.first.getAsOpaquePointer(),
                                    part.second, isMarked);
  llvm::sort(std::get<1>(entry));
  return entry;
}

/// True if what the ways in `region` leave depends on what holds where they
/// enter it alone: no place in it is watched, and no round is gone through.
bool FlagFlow::areSame(Region *region) const {
  auto isInside = [&](Operation *place) {
    return place && region->isAncestor(place->getParentRegion());
  };
  return rounds.empty() && !isInside(watched) && !isInside(last);
}

void FlagFlow::forgetPlaces() {
  behindRegions.clear();
  behindBlocks.clear();
}

const llvm::DenseMap<Block *, unsigned> &
FlagFlow::getBlockOrder(Region *region) {
  auto [order, isNew] = blockOrders.try_emplace(region);
  if (isNew)
    for (Block *block : llvm::ReversePostOrderTraversal<Region *>(region))
      order->second.try_emplace(block, order->second.size());
  return order->second;
}

/// What holds at the ends of a region, from `first` of `block` on.
FlagFlow::Ends FlagFlow::runRegion(Block *block, Block::iterator first,
                                   Facts facts) {
  Ends ends;
  Region *region = block->getParent();
  Operation *last = &block->back();
  runBlock(first, last->getIterator(), facts);
  if (region->hasOneBlock() || facts.isNone) {
    ends.emplace_back(last, std::move(facts));
    return ends;
  }
  llvm::MapVector<Block *, Facts> entered;
  llvm::SetVector<Value> handed; // while losses are looked for
  // In the order in which ways lead there, so that few are gone through again.
  std::set<std::pair<unsigned, Block *>> worklist;
  const llvm::DenseMap<Block *, unsigned> &order = getBlockOrder(region);
  auto enter = [&](Block *successor, const Facts &next) {
    for (BlockArgument argument : successor->getArguments())
      if (suspects && (next.parts.contains({argument, 0}) ||
                       next.parts.contains({argument, 1})))
        handed.insert(argument);
    if (entered[successor].join(next))
      worklist.insert({order.lookup(successor), successor});
  };
  auto leaveBlock = [&](Operation *terminator, const Facts &at) {
    if (at.isNone || terminator->getNumSuccessors() == 0)
      ends.emplace_back(terminator, at);
    else
      branch(terminator, at, enter);
  };
  leaveBlock(last, facts);
  // Where all ways have come together: others come to the first of these.
  constexpr size_t kMaxJoined = 16;
  std::vector<PlaceEntry> joined;
  bool isSame = areSame(region) && !suspects;
  while (!worklist.empty()) {
    Block *next = worklist.begin()->second;
    worklist.erase(worklist.begin());
    Facts at = entered[next];
    if (isSame && worklist.empty() && ends.empty() &&
        joined.size() != kMaxJoined) {
      PlaceEntry entry = getEntry(next, at);
      if (auto known = behindBlocks.find(entry); known != behindBlocks.end()) {
        ends = known->second;
        break;
      }
      joined.push_back(std::move(entry));
    }
    runBlock(next->begin(), next->back().getIterator(), at);
    // A block that is entered again holds no more than before.
    llvm::erase_if(ends, [&](auto &end) { return end.first == &next->back(); });
    leaveBlock(&next->back(), at);
  }
  if (suspects)
    suspectBlocks(ends, block, entered, handed.getArrayRef());
  if (behindBlocks.size() + joined.size() > kMaxPlaces)
    behindBlocks.clear();
  for (PlaceEntry &entry : joined)
    behindBlocks[std::move(entry)] = ends;
  return ends;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// What all returns have in common. Other ends, as of what cannot be reached,
/// return nothing.
FlagFlow::Summary FlagFlow::summarize(const Ends &ends) const {
  Summary summary;
  unsigned numReturns = 0;
  struct Held {
    unsigned count = 0;
    bool isMarked = true;
    bool isTold = false; // numbers and flags that are false always are not
  };
  std::map<std::pair<unsigned, unsigned>, Held> places;
  bool isTold = true, mayBeTold = false;
  for (auto &[end, facts] : ends) {
    summary.addEnded(facts);
    if (facts.isNone || !isa<func::ReturnOp>(end))
      continue;
    ++numReturns;
    isTold &= facts.isTold;
    mayBeTold |= facts.mayBeTold;
    for (OpOperand &operand : end->getOpOperands())
      for (unsigned isNegated : {0, 1})
        if (FlagPart part{operand.get(), isNegated}; facts.holds(part)) {
          Held &held = places[{operand.getOperandNumber(), isNegated}];
          ++held.count;
          held.isMarked &= facts.isMarked(part);
          held.isTold |= facts.parts.contains(part) ||
                         (!isNegated && isFlagType(operand.get().getType()));
        }
  }
  for (auto [place, held] : places)
    if (held.count == numReturns && held.isTold)
      summary.results.push_back({place.first, place.second, held.isMarked});
  summary.isNone = numReturns == 0;
  if (!summary.isNone && mayBeTold)
    summary.results.push_back(isTold ? kTold : kMayBeTold);
  return summary;
}

SmallVector<FlagPart> FlagFlow::getParts(Operation *op,
                                         ArrayRef<Place> places) {
  SmallVector<FlagPart> parts;
  for (Place place : places)
    parts.emplace_back(op->getResult(place.number), place.isNegated);
  return parts;
}

/// Where `known` hold.
static Facts getFacts(ArrayRef<FlagPart> known) {
  Facts facts;
  facts.isNone = false;
  for (FlagPart part : known)
    facts.add(part, true);
  return facts;
}

FlagFlow::Summary FlagFlow::runToEnd(Operation *after, ArrayRef<FlagPart> known,
                                     bool isTold) {
  Facts facts = getFacts(known);
  facts.isTold = facts.mayBeTold = isTold;
  SmallVector<scf::ForOp> loops;
  int64_t numRounds = 1;
  for (auto loop = after->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (std::optional<int64_t> count = countRounds(loop);
        count && numRounds * *count <= kMaxRounds) {
      loops.push_back(loop);
      numRounds *= *count;
    }
  Summary all;
  std::optional<SmallVector<Place, 2>> results;
  for (int64_t number = 0; number != numRounds; ++number) {
    int64_t left = number;
    for (scf::ForOp loop : loops) {
      int64_t count = *countRounds(loop);
      rounds[loop.getInductionVar()] =
          *getConstantIntValue(loop.getLowerBound()) +
          left % count * *getConstantIntValue(loop.getStep());
      left /= count;
    }
    Summary one = runFrom(after, facts);
    all.addEnded(one);
    if (one.isNone)
      continue;
    all.isNone = false;
    if (results)
      llvm::erase_if(*results, [&](Place place) {
        return !llvm::is_contained(one.results, place);
      });
    else
      results = one.results;
  }
  rounds.clear();
  if (results)
    all.results = *results;
  return all;
}

/// Adds what is known where `after` runs: which regions it is in, and what
/// comparisons of induction variables give in this round.
void FlagFlow::addKnown(Operation *after, Facts &facts) {
  for (auto branch = after->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>())
    learn({branch.getCondition(),
           !branch.getThenRegion().isAncestor(after->getParentRegion())},
          branch, facts, facts);
  for (auto [variable, value] : rounds)
    for (Operation *user : variable.getUsers())
      if (std::optional<bool> truth = getComparison(user, facts);
          truth && dominance.properlyDominates(user, after))
        facts.add({user->getResult(0), !*truth}, false);
}

FlagFlow::Summary FlagFlow::runFrom(Operation *after, Facts facts) {
  Summary told;
  addKnown(after, facts);
  for (;;) {
    Ends ends = runRegion(after->getBlock(), std::next(after->getIterator()),
                          std::move(facts));
    Operation *around = after->getParentOp();
    if (isa<func::FuncOp>(around)) {
      Summary summary = summarize(ends);
      summary.addEnded(told);
      return summary;
    }
    if (!hasKnownRegions(around)) {
      suspect(around, FlagLoss::Loses);
      Summary lost;
      lost.isNone = false;
      return lost;
    }
    Facts atEnds;
    for (auto &end : ends)
      atEnds.join(end.second);
    told.addEnded(atEnds);
    facts = runRegions(cast<RegionBranchOpInterface>(around), std::move(ends));
    if (!facts.isNone && facts.hasTold && !atEnds.isNone)
      suspect(around, isa<LoopLikeOpInterface>(around) && !atEnds.hasTold
                          ? FlagLoss::LosesLastRound
                          : FlagLoss::Decides);
    told.addEnded(facts);
    if (facts.isNone)
      return told;
    after = around;
  }
}

FlagFlow::Summary FlagFlow::enter(const Entry &entry) {
  auto function = cast<func::FuncOp>(entry.first);
  Block &first = function.getBody().front();
  Facts facts = getFacts({});
  for (Place place : entry.second)
    if (place.number != kTold.number)
      facts.add({function.getArgument(place.number), place.isNegated},
                place.isMarked);
  setWhetherTold(facts, entry.second);
  // A summary holds for all callers: without the rounds of one, and without
  // what one looks at.
  llvm::SaveAndRestore<llvm::DenseMap<Value, int64_t>> ofCaller(
      rounds, llvm::DenseMap<Value, int64_t>());
  llvm::SaveAndRestore<Operation *> target(watched, nullptr),
      end(last, nullptr);
  return summarize(runRegion(&first, first.begin(), std::move(facts)));
}

FlagFlow::Summary FlagFlow::getSummary(const Entry &entry) {
  auto [it, isNew] = summaries.try_emplace(entry);
  if (!isNew) {
    isRecursive |= unfinished.count(entry) != 0;
    return it->second;
  }
  // Of chains of calls beyond any program's, nothing is known, nor of functions
  // that are called with ever other flags.
  if (unfinished.size() >= kMaxDepth ||
      ++numEntries[entry.first] > kMaxEntries) {
    summaries.erase(it);
    Summary unknown;
    unknown.isNone = false;
    return unknown;
  }
  bool isOutermost = unfinished.empty();
  if (isOutermost)
    made.clear();
  made.push_back(entry);
  unfinished.insert(entry);
  Summary &summary = it->second;
  Summary first = enter(entry);
  summary = std::move(first);
  unfinished.erase(entry);
  if (!isOutermost || !isRecursive)
    return summary;
  // Those that were made with it rest on the assumption still.
  unfinished.insert(entry);
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    forgetPlaces();
    size_t numMade = made.size();
    for (size_t i = 0; i != numMade; ++i) {
      Entry each = made[i];
      Summary next = enter(each);
      Summary &known = summaries[each];
      isChanged |= !(next == known);
      known = std::move(next);
    }
    isChanged |= numMade != made.size();
  }
  forgetPlaces();
  unfinished.erase(entry);
  isRecursive = false;
  return summary;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// True if one of `parts` holds at `target` each time that `run` comes to it,
/// and it does.
bool FlagFlow::watch(Operation *target, ArrayRef<FlagPart> parts,
                     function_ref<void()> run) {
  watched = target;
  atWatched = Facts();
  run();
  watched = last = nullptr;
  return !atWatched.isNone && llvm::any_of(parts, [&](FlagPart part) {
    return atWatched.holds(part);
  });
}

bool FlagFlow::holdsAt(Operation *after, ArrayRef<FlagPart> known,
                       Operation *target, ArrayRef<FlagPart> parts) {
  return watch(target, parts, [&] {
    Facts facts = getFacts(known);
    addKnown(after, facts);
    // To the region that both are in.
    while (!facts.isNone &&
           !after->getParentRegion()->isAncestor(target->getParentRegion())) {
      Operation *around = after->getParentOp();
      Ends ends = runRegion(after->getBlock(), std::next(after->getIterator()),
                            std::move(facts));
      facts = Facts();
      if (hasKnownRegions(around))
        facts = runRegions(cast<RegionBranchOpInterface>(around), ends);
      after = around;
    }
    last = after->getParentRegion()->findAncestorOpInRegion(*target);
    if (!facts.isNone && last != after)
      runRegion(after->getBlock(), std::next(after->getIterator()),
                std::move(facts));
  });
}

bool FlagFlow::holdsAt(FlagPart known, Operation *target,
                       ArrayRef<FlagPart> parts) {
  Block *first = known.first.getParentBlock();
  return watch(target, parts,
               [&] { runRegion(first, first->begin(), getFacts(known)); });
}

FlagFlow::Summary FlagFlow::runOne(Operation *op, FlagPart known) {
  Facts facts = getFacts(known);
  visit(op, facts);
  Summary summary;
  summary.isNone = facts.isNone;
  summary.hasTold = facts.hasTold;
  for (OpResult result : op->getResults())
    for (unsigned isNegated : {0u, 1u})
      if (FlagPart part{result, isNegated}; facts.parts.contains(part))
        summary.results.push_back(
            {result.getResultNumber(), isNegated, facts.isMarked(part)});
  return summary;
}

/// What `run` suspects, of what callees do as well.
SmallVector<FlagFlow::Suspect>
FlagFlow::collectSuspects(function_ref<void()> run) {
  std::map<Entry, Summary> kept;
  std::swap(kept, summaries);
  numEntries.clear();
  forgetPlaces();
  suspects.emplace();
  run();
  SmallVector<Suspect> found = std::move(*suspects);
  suspects.reset();
  std::swap(kept, summaries);
  return found;
}

SmallVector<FlagFlow::Suspect>
FlagFlow::findSuspects(Operation *after, ArrayRef<FlagPart> known) {
  return collectSuspects([&] { runToEnd(after, known); });
}

SmallVector<FlagFlow::Suspect> FlagFlow::findSuspects(const Entry &entry) {
  return collectSuspects([&] { getSummary(entry); });
}
