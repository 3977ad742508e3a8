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
// Recursive functions begin with the assumption that each call does all, and
// are gone through until nothing changes: a call that ends has ended after
// finitely many calls, so what is left is true of it.
//
//===----------------------------------------------------------------------===//

#include "FlagFlow.h"

#include "Callees.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::amp;

bool Facts::join(const Facts &other) {
  bool isChanged = other.hasTold && !hasTold;
  hasTold |= other.hasTold;
  if (other.isNone)
    return isChanged;
  if (isNone) {
    isNone = false;
    isTold = other.isTold;
    parts = other.parts;
    return true;
  }
  isChanged |= isTold && !other.isTold;
  isTold &= other.isTold;
  SmallVector<FlagPart> missing;
  for (FlagPart part : parts)
    if (!other.parts.contains(part))
      missing.push_back(part);
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
  facts.parts.clear();
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
    facts.parts.insert({op->getResult(0), *truth ? 0u : 1u});
    return;
  }
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
  switch (transitions.kind) {
  case EndingTransitions::Told:
    if (isTrue)
      setTold(facts);
    else if (facts.holds({found, true}))
      suspect(update, FlagLoss::Negates);
    break;
  case EndingTransitions::First:
    if (isTrue) {
      wronglyTold.insert(update);
    } else {
      isOver = true;
      setTold(facts);
    }
    break;
  case EndingTransitions::Never:
    if (isTrue && facts.isTold)
      wronglyTold.insert(update);
    facts.isTold |= isTrue;
    break;
  }
}

void FlagFlow::visitUnscale(UnscaleOp unscale, Facts &facts) {
  Value found = unscale.getFoundInf(), before = unscale.getAlreadyFound();
  if (transitions.kind == EndingTransitions::First)
    facts.parts.insert({found, true});
  else if (before && facts.holds({before, false}))
    facts.parts.insert({found, false});
  else if (before && facts.holds({before, true}))
    suspect(unscale, FlagLoss::Negates);
}

/// What FlagRules say of `op`, without regions or of linalg.
void FlagFlow::visitResults(Operation *op, Facts &facts) {
  if (!takesFact(op, facts) && !isa<linalg::LinalgOp>(op))
    return;
  auto holds = [&](FlagPart part) { return facts.holds(part); };
  // A counter that begins with 0 is a fact, and no flag.
  bool takesFlag = llvm::any_of(op->getOperands(), [&](Value operand) {
    return !operand.getType().isIndex() || facts.parts.contains({operand, 0});
  });
  for (Value result : op->getResults()) {
    bool isKnown = false;
    for (unsigned isNegated : {0, 1})
      if (FlagPart part{result, isNegated}; isImplied(part, holds)) {
        facts.parts.insert(part);
        isKnown |= !suspects || !isImplied(part, isConstantFlag);
      }
    if (!isKnown && takesFlag && !isa<tensor::EmptyOp>(op))
      suspect(op, FlagLoss::Loses, result);
  }
}

void FlagFlow::visitCall(CallOpInterface call, func::FuncOp callee,
                         Facts &facts) {
  // What a call does that takes no fact has nothing to do with the finding.
  // Where nothing is found, it may advance the scaler or give what is false.
  bool isFinite = transitions.kind == EndingTransitions::First;
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
    for (unsigned isNegated : {0, 1})
      if (FlagPart part{operand, isNegated};
          facts.parts.contains(part) ||
          (isFlagType(operand.getType()) && isConstantFlag(part)))
        entry.second.emplace_back(index, isNegated);
  if (facts.isTold)
    entry.second.push_back(kTold);
  Summary summary = getSummary(entry);
  facts.hasTold |= summary.hasTold;
  if (summary.isNone) {
    facts.isNone = true;
    facts.parts.clear();
    return;
  }
  if (summary.results.empty())
    loseResults();
  for (Place place : summary.results)
    if (place == kTold)
      facts.isTold = true;
    else
      facts.parts.insert({call->getResult(place.first), place.second});
}

/// The kept values come out where an infinity was found, whether the body runs
/// or not; elsewhere the body's.
void FlagFlow::visitGuard(ApplyIfFiniteOp guard, Facts &facts) {
  Value found = guard.getFoundInf();
  Block &body = guard.getBody().front();
  Operation *end = body.getTerminator();
  Facts before = enterRegions(facts, guard), inside = before, joined;
  runBlock(body.begin(), end->getIterator(), inside);
  bool isFound = facts.holds({found, false});
  if (inside.isNone && inside.hasTold && isFound)
    suspect(guard, FlagLoss::LeavesOut);
  auto add = [&](const Facts &way, ValueRange values) {
    Facts left = leave(way, guard);
    for (auto [result, value] : llvm::zip(guard.getResults(), values))
      for (unsigned isNegated : {0, 1})
        if (way.holds({value, isNegated}))
          left.parts.insert({result, isNegated});
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
    if (isOver)
      return setTold(facts);
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
  auto [numbers, isNewRegion] = blockNumbers.try_emplace(region);
  if (isNewRegion) {
    unsigned number = kOutside;
    for (auto cycle = llvm::scc_begin(region); !cycle.isAtEnd(); ++cycle) {
      ++number;
      for (Block *each : *cycle)
        numbers->second[each] = number;
    }
  }
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
    Facts next;
    next.isNone = false;
    next.isTold = facts.isTold;
    std::optional<FlagPart> chosen;
    if (conditional)
      chosen = FlagPart{conditional.getCondition(), index == 0 ? 0u : 1u};
    // Values of blocks that the successor is not always behind are others in
    // each round.
    auto add = [&, to = successor](FlagPart part) {
      if (Block *made = part.first.getParentBlock();
          isUsedFrom(part.first, to) && (made->getParent() != to->getParent() ||
                                         dominance.properlyDominates(made, to)))
        next.parts.insert(part);
    };
    llvm::for_each(facts.parts, add);
    if (chosen)
      add(*chosen);
    if (branching) {
      SuccessorOperands handed = branching.getSuccessorOperands(index);
      for (BlockArgument argument : successor->getArguments())
        for (unsigned isNegated : {0, 1})
          if (Value operand = handed[argument.getArgNumber()];
              operand && (FlagPart{operand, isNegated} == chosen ||
                          facts.holds({operand, isNegated})))
            next.parts.insert({argument, isNegated});
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
    const llvm::DenseSet<FlagPart> &parts = entered.find(block)->second.parts;
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
  llvm::SetVector<Block *> worklist;
  auto enter = [&](Block *successor, const Facts &next) {
    for (BlockArgument argument : successor->getArguments())
      if (suspects && (next.parts.contains({argument, 0}) ||
                       next.parts.contains({argument, 1})))
        handed.insert(argument);
    if (entered[successor].join(next))
      worklist.insert(successor);
  };
  auto leaveBlock = [&](Operation *terminator, const Facts &at) {
    if (at.isNone || terminator->getNumSuccessors() == 0)
      ends.emplace_back(terminator, at);
    else
      branch(terminator, at, enter);
  };
  leaveBlock(last, facts);
  while (!worklist.empty()) {
    Block *next = worklist.pop_back_val();
    Facts at = entered[next];
    runBlock(next->begin(), next->back().getIterator(), at);
    // A block that is entered again holds no more than before.
    llvm::erase_if(ends, [&](auto &end) { return end.first == &next->back(); });
    leaveBlock(&next->back(), at);
  }
  if (suspects)
    suspectBlocks(ends, block, entered, handed.getArrayRef());
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
  std::map<Place, unsigned> counts;
  std::set<Place> told; // numbers and flags that are false always are not
  for (auto &[end, facts] : ends) {
    summary.hasTold |= facts.hasTold;
    if (facts.isNone || !isa<func::ReturnOp>(end))
      continue;
    ++numReturns;
    if (facts.isTold) {
      ++counts[kTold];
      told.insert(kTold);
    }
    for (OpOperand &operand : end->getOpOperands())
      for (unsigned isNegated : {0, 1})
        if (FlagPart part{operand.get(), isNegated}; facts.holds(part)) {
          ++counts[{operand.getOperandNumber(), isNegated}];
          if (facts.parts.contains(part) ||
              (!isNegated && isFlagType(operand.get().getType())))
            told.insert({operand.getOperandNumber(), isNegated});
        }
  }
  for (auto [place, count] : counts)
    if (count == numReturns && told.count(place))
      summary.results.push_back(place);
  summary.isNone = numReturns == 0;
  return summary;
}

/// Where `known` hold.
static Facts getFacts(ArrayRef<FlagPart> known) {
  Facts facts;
  facts.isNone = false;
  facts.parts.insert_range(known);
  return facts;
}

FlagFlow::Summary FlagFlow::runToEnd(Operation *after, ArrayRef<FlagPart> known,
                                     bool isTold) {
  Facts facts = getFacts(known);
  facts.isTold = isTold;
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
    all.hasTold |= one.hasTold;
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
    facts.parts.insert(
        {branch.getCondition(),
         !branch.getThenRegion().isAncestor(after->getParentRegion())});
  for (auto [variable, value] : rounds)
    for (Operation *user : variable.getUsers())
      if (std::optional<bool> truth = getComparison(user, facts);
          truth && dominance.properlyDominates(user, after))
        facts.parts.insert({user->getResult(0), !*truth});
}

FlagFlow::Summary FlagFlow::runFrom(Operation *after, Facts facts) {
  bool hasTold = false;
  addKnown(after, facts);
  for (;;) {
    Ends ends = runRegion(after->getBlock(), std::next(after->getIterator()),
                          std::move(facts));
    Operation *around = after->getParentOp();
    if (isa<func::FuncOp>(around)) {
      Summary summary = summarize(ends);
      summary.hasTold |= hasTold;
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
    hasTold |= atEnds.hasTold;
    facts = runRegions(cast<RegionBranchOpInterface>(around), std::move(ends));
    if (!facts.isNone && facts.hasTold && !atEnds.isNone)
      suspect(around, isa<LoopLikeOpInterface>(around) && !atEnds.hasTold
                          ? FlagLoss::LosesLastRound
                          : FlagLoss::Decides);
    hasTold |= facts.hasTold;
    if (facts.isNone) {
      Summary done;
      done.hasTold = hasTold;
      return done;
    }
    after = around;
  }
}

FlagFlow::Summary FlagFlow::enter(const Entry &entry) {
  auto function = cast<func::FuncOp>(entry.first);
  Block &first = function.getBody().front();
  Facts facts = getFacts({});
  for (Place place : entry.second)
    if (place == kTold)
      facts.isTold = true;
    else
      facts.parts.insert({function.getArgument(place.first), place.second});
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
  // Of chains of calls beyond any program's, nothing is known.
  if (unfinished.size() >= kMaxDepth) {
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
    for (unsigned isNegated : {0, 1})
      if (facts.parts.contains({result, isNegated}))
        summary.results.emplace_back(result.getResultNumber(), isNegated);
  return summary;
}

/// What `run` suspects, of what callees do as well.
SmallVector<FlagFlow::Suspect>
FlagFlow::collectSuspects(function_ref<void()> run) {
  std::map<Entry, Summary> kept;
  std::swap(kept, summaries);
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
