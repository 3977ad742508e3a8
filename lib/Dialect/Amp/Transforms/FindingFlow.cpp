//===- FindingFlow.cpp - Whether findings reach transitions ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A proof from a closed list of forms, forwards from one unscaling: suppose
// that it found an infinity, and keep at each place the set of flags that are
// true then on all ways to it (FlagRules). Where ways meet, the sets are
// intersected; a way on which a transition was given a true flag is done and
// meets no other. So a loop hands on what each of its rounds does, a branch
// what both of its regions do, a call what a summary of its callee says, which
// is made once for each set of arguments that hold. What is left where a
// function ends is owed by its callers, and what is left of a train step by its
// next call, if a state hands it on. Nothing is followed through memory, nor by
// an operation that is not in the list: the finding is lost there, and the
// program is refused.
//
// Recursive functions begin with the assumption that each call does all, and
// are gone through until nothing changes: a call that ends has ended after
// finitely many calls, so what is left is true of it. Programs join the
// findings of thousands of unscalings one by one; therefore the outcome of a
// flag is kept, and a finding that another flag of its block surely follows is
// known by that.
//
//===----------------------------------------------------------------------===//

#include "FindingFlow.h"

#include "Callees.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::amp;

bool Facts::join(const Facts &other) {
  bool isChanged = other.hasTold && !hasTold;
  hasTold |= other.hasTold;
  if (other.isNone)
    return isChanged;
  if (isNone) {
    isNone = false;
    parts = other.parts;
    return true;
  }
  SmallVector<FlagPart> missing;
  for (FlagPart part : parts)
    if (!other.parts.contains(part))
      missing.push_back(part);
  for (FlagPart part : missing)
    parts.erase(part);
  return isChanged || !missing.empty();
}

/// True if `value` is made in the regions of `op`.
static bool isIn(Value value, Operation *op) {
  return op->isAncestor(value.getParentBlock()->getParentOp());
}

/// True if the regions of `op` run for each of many elements or threads, whose
/// findings nothing joins.
static bool runsForEach(Operation *op) {
  return op->hasTrait<OpTrait::HasParallelRegion>() ||
         !isa<RegionBranchOpInterface>(op);
}

void FindingFlow::suspect(Operation *op, LostFinding::Kind kind, Value lost) {
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

/// True if `value` is a flag, or a tensor of flags.
static bool isFlag(Value value) {
  return getElementTypeOrSelf(value.getType()).isInteger(1);
}

/// What a comparison of an induction variable with a constant is in a round,
/// or one of what is known to be 0.
std::optional<bool> FindingFlow::getComparison(Operation *op,
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

void FindingFlow::visit(Operation *op, Facts &facts) {
  if (op == watched)
    atWatched.join(facts);
  if (std::optional<bool> truth = getComparison(op, facts)) {
    facts.parts.insert({op->getResult(0), *truth ? 0u : 1u});
    return;
  }
  if (auto update = dyn_cast<UpdateScaleOp>(op)) {
    if (update.getScaler() != scaler)
      return;
    if (countsAll || facts.holds({update.getFoundInf(), false}))
      setTold(facts);
    else if (facts.holds({update.getFoundInf(), true}))
      suspect(op, LostFinding::Negates);
    return;
  }
  if (auto unscale = dyn_cast<UnscaleOp>(op)) {
    Value before = unscale.getAlreadyFound();
    if (countsAll) // nothing is found in this call
      facts.parts.insert({unscale.getFoundInf(), true});
    else if (before && facts.holds({before, false}))
      facts.parts.insert({unscale.getFoundInf(), false});
    else if (before && facts.holds({before, true}))
      suspect(op, LostFinding::Negates);
    return;
  }
  if (auto call = dyn_cast<CallOpInterface>(op))
    return visitCall(call, getKnownCallee(call, symbols), facts);
  if (auto guard = dyn_cast<ApplyIfFiniteOp>(op))
    return visitGuard(guard, facts);
  if (auto regions = dyn_cast<RegionBranchOpInterface>(op);
      regions && !runsForEach(op))
    return visitRegions(regions, facts);
  if (!takesFact(op, facts) && !isa<linalg::LinalgOp>(op))
    return;
  auto holds = [&](FlagPart part) { return facts.holds(part); };
  for (Value result : op->getResults()) {
    bool isKnown = false;
    for (unsigned isNegated : {0, 1})
      if (FlagPart part{result, isNegated}; isImplied(part, holds)) {
        facts.parts.insert(part);
        isKnown |= !suspects || !isImplied(part, isConstantFlag);
      }
    if (!isKnown && !isa<tensor::EmptyOp>(op))
      suspect(op, LostFinding::Loses, result);
  }
}

void FindingFlow::visitCall(CallOpInterface call, func::FuncOp callee,
                            Facts &facts) {
  facts.hasTold |= countsAll && queries.hasTransition(call);
  if (!takesFact(call, facts))
    return; // what it does has nothing to do with the finding
  auto loseResults = [&] {
    for (Value result : call->getResults())
      suspect(call, LostFinding::Loses, result);
  };
  if (!callee)
    return loseResults();
  Entry entry{callee, {}};
  for (auto [index, operand] : llvm::enumerate(call.getArgOperands()))
    for (unsigned isNegated : {0, 1})
      if (FlagPart part{operand, isNegated};
          facts.parts.contains(part) ||
          (isFlag(operand) && isConstantFlag(part)))
        entry.second.emplace_back(index, isNegated);
  Summary summary = getSummary(entry);
  facts.hasTold |= summary.hasTold;
  if (summary.isNone) {
    facts.isNone = true;
    facts.parts.clear();
    return;
  }
  if (summary.results.empty())
    loseResults();
  for (auto [number, isNegated] : summary.results)
    facts.parts.insert({call->getResult(number), isNegated});
}

/// The kept values come out where an infinity was found, whether the body runs
/// or not; elsewhere the body's.
void FindingFlow::visitGuard(ApplyIfFiniteOp guard, Facts &facts) {
  Value found = guard.getFoundInf();
  Block &body = guard.getBody().front();
  Operation *end = body.getTerminator();
  Facts inside = facts, joined;
  inside.hasTold = false;
  runBlock(body.begin(), end->getIterator(), inside);
  bool isFound = facts.holds({found, false});
  if (inside.isNone && inside.hasTold && isFound)
    suspect(guard, LostFinding::LeavesOut);
  auto add = [&](const Facts &way, ValueRange values) {
    Facts left = leave(way, guard);
    for (auto [result, value] : llvm::zip(guard.getResults(), values))
      for (unsigned isNegated : {0, 1})
        if (!way.isNone && way.holds({value, isNegated}))
          left.parts.insert({result, isNegated});
    joined.join(left);
  };
  if (!facts.holds({found, true}))
    add(facts, guard.getKept());
  if (!isFound)
    add(inside, end->getOperands());
  if (!joined.isNone) {
    if (joined.hasTold && !facts.hasTold)
      suspect(guard, LostFinding::Decides);
    for (OpResult result : guard.getResults())
      if (!joined.parts.contains({result, 0}) &&
          (facts.holds({guard.getKept()[result.getResultNumber()], 0}) ||
           inside.parts.contains(
               {end->getOperand(result.getResultNumber()), 0})))
        suspect(guard, LostFinding::Loses, result);
  }
  joined.hasTold |= facts.hasTold;
  facts = std::move(joined);
}

void FindingFlow::runBlock(Block::iterator first, Block::iterator end,
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

/// Hands over to each successor that `terminator` may go to what holds there.
void FindingFlow::branch(Operation *terminator, const Facts &facts,
                         function_ref<void(Block *, const Facts &)> enter) {
  auto branching = dyn_cast<BranchOpInterface>(terminator);
  auto conditional = dyn_cast<cf::CondBranchOp>(terminator);
  for (auto [index, successor] : llvm::enumerate(terminator->getSuccessors())) {
    if (conditional &&
        facts.holds({conditional.getCondition(), index == 0 ? 1u : 0u})) {
      // The other one is taken.
      suspect(terminator, LostFinding::Skips);
      for (Value argument : terminator->getSuccessor(1 - index)->getArguments())
        suspect(terminator, LostFinding::Loses, argument);
      continue;
    }
    Facts next, known = facts;
    if (conditional)
      known.parts.insert({conditional.getCondition(), index == 0 ? 0u : 1u});
    next.isNone = false;
    // Values of blocks that the successor is not always behind are others in
    // each round.
    for (FlagPart part : known.parts)
      if (Block *made = part.first.getParentBlock();
          made->getParent() != successor->getParent() ||
          dominance.properlyDominates(made, successor))
        next.parts.insert(part);
    if (branching) {
      SuccessorOperands handed = branching.getSuccessorOperands(index);
      for (BlockArgument argument : successor->getArguments())
        for (unsigned isNegated : {0, 1})
          if (Value operand = handed[argument.getArgNumber()];
              operand && known.holds({operand, isNegated}))
            next.parts.insert({argument, isNegated});
    }
    enter(successor, next);
  }
}

/// What holds at the ends of a region, from `first` of `block` on.
FindingFlow::Ends FindingFlow::runRegion(Block *block, Block::iterator first,
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
  llvm::DenseMap<Block *, llvm::DenseSet<Value>> handed;
  llvm::SetVector<Block *> worklist;
  auto enter = [&](Block *successor, const Facts &next) {
    for (FlagPart part : next.parts)
      if (part.first.getParentBlock() == successor)
        handed[successor].insert(part.first);
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
  if (suspects) {
    Facts all;
    for (auto &end : ends)
      all.join(end.second);
    if (!all.isNone && all.hasTold)
      for (Block &fork : *region)
        if (fork.getNumSuccessors() > 1 &&
            (&fork == block || entered.contains(&fork))) {
          suspect(fork.getTerminator(), LostFinding::Decides);
          break;
        }
    for (auto &[next, values] : handed)
      for (Value value : values)
        if (!entered[next].parts.contains({value, 0}) &&
            !entered[next].parts.contains({value, 1})) {
          Operation *decision = dominance.getDomTree(region)
                                    .getNode(next)
                                    ->getIDom()
                                    ->getBlock()
                                    ->getTerminator();
          suspect(decision, LostFinding::Loses, value);
        }
  }
  return ends;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// What is left of `facts` outside of `op`.
Facts FindingFlow::leave(const Facts &facts, Operation *op) const {
  Facts left;
  left.isNone = facts.isNone;
  left.hasTold = facts.hasTold;
  for (FlagPart part : facts.parts)
    if (!isIn(part.first, op))
      left.parts.insert(part);
  return left;
}

/// Adds to `handed` those of `values` for which `owner`, `op` or what one of
/// its regions ends with, hands over what holds.
void FindingFlow::handOver(Operation *owner, RegionBranchOpInterface op,
                           ValueRange values, const Facts &facts,
                           Facts &handed) {
  for (Value value : values)
    for (unsigned isNegated : {0, 1}) {
      bool isHanded = false, holds = true;
      for (OpOperand *source : handedOver.getSources(op, value))
        if (source->getOwner() == owner) {
          isHanded = true;
          holds &= facts.holds({source->get(), isNegated});
        }
      if (isHanded && holds)
        handed.parts.insert({value, isNegated});
    }
}

/// Whether a loop with constant bounds runs a round.
static std::optional<bool> runsRound(LoopLikeOpInterface loop) {
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds();
  if (!lower || !upper)
    return std::nullopt;
  bool areConstant = true;
  for (auto [first, end] : llvm::zip(*lower, *upper)) {
    std::optional<int64_t> from = getConstantIntValue(first),
                           to = getConstantIntValue(end);
    if (from && to && *from >= *to)
      return false;
    areConstant &= from && to;
  }
  return areConstant ? std::optional(true) : std::nullopt;
}

/// So many rounds of loops are gone through one by one, inner ones together
/// with those around them.
static constexpr int64_t kMostRounds = 256;

/// How many rounds `loop` runs, where that is a constant, not large, and its
/// induction variable is compared.
static std::optional<int64_t> countRounds(scf::ForOp loop) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound()),
                         end = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!first || !end || !step || *step <= 0 || *first >= *end ||
      (*end - *first - 1) / *step >= kMostRounds ||
      llvm::none_of(loop.getInductionVar().getUsers(),
                    llvm::IsaPred<arith::CmpIOp>))
    return std::nullopt;
  return (*end - *first - 1) / *step + 1;
}

/// Where `owner`, `op` or what one of its regions ends with, may go to.
static SmallVector<RegionSuccessor> getSuccessors(RegionBranchOpInterface op,
                                                  Operation *owner) {
  SmallVector<RegionSuccessor> successors;
  SmallVector<Attribute> constants(owner->getNumOperands());
  for (auto [constant, operand] : llvm::zip(constants, owner->getOperands()))
    matchPattern(operand, m_Constant(&constant));
  if (owner != op) {
    if (auto end = dyn_cast<RegionBranchTerminatorOpInterface>(owner))
      end.getSuccessorRegions(constants, successors);
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

/// True if `region` is the one of a case 0.
static bool isOfZero(scf::IndexSwitchOp choice, Region *region) {
  for (auto [value, each] :
       llvm::zip(choice.getCases(), choice.getCaseRegions()))
    if (value == 0 && &each == region)
      return true;
  return false;
}

/// What holds behind `op`, which is left or gone round in from `starts`: the
/// operation itself, or ends of its regions.
Facts FindingFlow::runRegions(RegionBranchOpInterface op, Ends starts) {
  if (auto loop = dyn_cast<scf::ForOp>(*op);
      loop && isUnrolled(loop, starts.front().first))
    return runRounds(loop, std::move(starts));
  Facts behind;
  llvm::MapVector<Region *, Facts> entered;
  llvm::SetVector<Region *> worklist;
  llvm::SetVector<Value> handed;
  auto branch = dyn_cast<scf::IfOp>(*op);
  auto choice = dyn_cast<scf::IndexSwitchOp>(*op);
  auto goOn = [&](Operation *owner, const Facts &facts) {
    if (facts.isNone) {
      behind.join(facts);
      return;
    }
    for (RegionSuccessor successor : getSuccessors(op, owner)) {
      Region *region = successor.getSuccessor();
      Facts next = leave(facts, op);
      // Of the operation that chooses a region, one is entered alone.
      if (choice && owner == op && isOfZero(choice, region) &&
          facts.holds({choice.getArg(), false}))
        continue;
      if (branch && owner == op) {
        bool isElse = region != &branch.getThenRegion();
        if (facts.holds({branch.getCondition(), !isElse}))
          continue;
        next.parts.insert({branch.getCondition(), isElse});
      }
      if (auto end = dyn_cast<scf::ConditionOp>(owner);
          end && facts.holds({end.getCondition(), region ? 1u : 0u}))
        continue;
      ValueRange inputs = region ? ValueRange(region->getArguments())
                                 : ValueRange(op->getResults());
      handOver(owner, op, inputs, facts, next);
      for (FlagPart part : next.parts)
        if (llvm::is_contained(inputs, part.first))
          handed.insert(part.first);
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
  // What a loop begins with holds in its first round alone.
  if (isa<LoopLikeOpInterface>(*op) && starts.front().first == op) {
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
        suspect(op, LostFinding::Loses, value);
    }
  return behind;
}

/// True if the rounds of `loop` from `start` on, the loop itself or the end of
/// one, are gone through one by one.
bool FindingFlow::isUnrolled(scf::ForOp loop, Operation *start) const {
  std::optional<int64_t> numRounds = countRounds(loop);
  if (!numRounds || (start != loop && !rounds.contains(loop.getInductionVar())))
    return false;
  for (auto around = loop->getParentOfType<scf::ForOp>(); around;
       around = around->getParentOfType<scf::ForOp>())
    if (rounds.contains(around.getInductionVar()))
      *numRounds *= *countRounds(around);
  return *numRounds <= kMostRounds;
}

/// The rounds of `loop` that begin with `starts`, the loop itself or the end of
/// a round, in which comparisons of the induction variable are known.
Facts FindingFlow::runRounds(scf::ForOp loop, Ends starts) {
  Operation *before = starts.front().first;
  Facts facts = std::move(starts.front().second);
  for (auto &start : llvm::drop_begin(starts))
    facts.join(start.second);
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
      suspect(loop, LostFinding::Loses, result);
  return behind;
}

/// What is lost by the regions of `op` where one of its operands, which may
/// decide, says what was found.
void FindingFlow::suspectRegions(RegionBranchOpInterface op,
                                 const Facts &before, const Facts &behind) {
  if (!suspects || behind.isNone)
    return;
  if (behind.hasTold)
    suspect(op, LostFinding::Decides);
  else if (queries.hasTransition(op))
    suspect(op, LostFinding::Skips);
  bool takesSome = llvm::any_of(before.parts, [&](FlagPart part) {
    return llvm::any_of(part.first.getUsers(),
                        [&](Operation *user) { return op->isAncestor(user); });
  });
  if (takesSome)
    for (Value result : op->getResults())
      if (!behind.parts.contains({result, 0}))
        suspect(op, LostFinding::Loses, result);
}

void FindingFlow::visitRegions(RegionBranchOpInterface op, Facts &facts) {
  Facts before = facts;
  before.hasTold = false;
  Ends starts;
  starts.emplace_back(op, before);
  Facts behind = runRegions(op, std::move(starts));
  suspectRegions(op, before, behind);
  behind.hasTold |= facts.hasTold;
  facts = std::move(behind);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// What all returns have in common. Other ends, as of what cannot be reached,
/// return nothing.
FindingFlow::Summary FindingFlow::summarize(const Ends &ends) const {
  Summary summary;
  unsigned numReturns = 0;
  std::map<Place, unsigned> counts;
  std::set<Place> told; // numbers and flags that are false always are not
  for (auto &[end, facts] : ends) {
    summary.hasTold |= facts.hasTold;
    if (facts.isNone || !isa<func::ReturnOp>(end))
      continue;
    ++numReturns;
    for (OpOperand &operand : end->getOpOperands())
      for (unsigned isNegated : {0, 1})
        if (FlagPart part{operand.get(), isNegated}; facts.holds(part)) {
          ++counts[{operand.getOperandNumber(), isNegated}];
          if (facts.parts.contains(part) ||
              (!isNegated && isFlag(operand.get())))
            told.insert({operand.getOperandNumber(), isNegated});
        }
  }
  for (auto [place, count] : counts)
    if (count == numReturns && told.count(place))
      summary.results.push_back(place);
  summary.isNone = numReturns == 0;
  return summary;
}

/// What is left at the end of the function of what holds behind `after`, in
/// each round of loops around it.
FindingFlow::Summary FindingFlow::runToEnd(Operation *after,
                                           const Facts &facts) {
  SmallVector<scf::ForOp> loops;
  int64_t numRounds = 1;
  for (auto loop = after->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (std::optional<int64_t> count = countRounds(loop);
        count && numRounds * *count <= kMostRounds) {
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
void FindingFlow::addKnown(Operation *after, Facts &facts) {
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

FindingFlow::Summary FindingFlow::runFrom(Operation *after, Facts facts) {
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
    if (runsForEach(around)) {
      suspect(around, LostFinding::Loses);
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
                          ? LostFinding::LosesLastRound
                          : LostFinding::Decides);
    hasTold |= facts.hasTold;
    if (facts.isNone) {
      Summary done;
      done.hasTold = hasTold;
      return done;
    }
    after = around;
  }
}

FindingFlow::Summary FindingFlow::enter(const Entry &entry) {
  auto function = cast<func::FuncOp>(entry.first);
  Block &first = function.getBody().front();
  Facts facts;
  facts.isNone = false;
  for (auto [number, isNegated] : entry.second)
    facts.parts.insert({function.getArgument(number), isNegated});
  return summarize(runRegion(&first, first.begin(), std::move(facts)));
}

const FindingFlow::Summary &FindingFlow::getSummary(const Entry &entry) {
  auto [it, isNew] = summaries.try_emplace(entry);
  if (!isNew) {
    isRecursive |= unfinished.count(entry) != 0;
    return it->second;
  }
  bool isOutermost = unfinished.empty();
  unfinished.insert(entry);
  it->second = enter(entry);
  unfinished.erase(entry);
  if (!isOutermost || !isRecursive)
    return it->second;
  // Those that are known rest on the assumption still.
  unfinished.insert(entry);
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    SmallVector<Entry> entries;
    for (auto &known : summaries)
      entries.push_back(known.first);
    for (const Entry &each : entries) {
      Summary next = enter(each);
      Summary &known = summaries[each];
      isChanged |= !(next == known);
      known = std::move(next);
    }
    isChanged |= entries.size() != summaries.size();
  }
  unfinished.erase(entry);
  isRecursive = false;
  return it->second;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static Facts getFacts(ArrayRef<FlagPart> known) {
  Facts facts;
  facts.isNone = false;
  facts.parts.insert_range(known);
  return facts;
}

SmallVector<FindingFlow::Place, 2>
FindingFlow::findResults(Operation *after, ArrayRef<FlagPart> known) {
  return runToEnd(after, getFacts(known)).results;
}

bool FindingFlow::holdsAt(Operation *after, ArrayRef<FlagPart> known,
                          Operation *target, ArrayRef<FlagPart> parts) {
  Facts facts = getFacts(known);
  addKnown(after, facts);
  watched = target;
  atWatched = Facts();
  // To the region that both are in.
  while (!facts.isNone &&
         !after->getParentRegion()->isAncestor(target->getParentRegion())) {
    Operation *around = after->getParentOp();
    Ends ends = runRegion(after->getBlock(), std::next(after->getIterator()),
                          std::move(facts));
    facts = Facts();
    if (!runsForEach(around))
      facts = runRegions(cast<RegionBranchOpInterface>(around), ends);
    after = around;
  }
  last = after->getParentRegion()->findAncestorOpInRegion(*target);
  if (!facts.isNone && last != after)
    runRegion(after->getBlock(), std::next(after->getIterator()),
              std::move(facts));
  watched = last = nullptr;
  return !atWatched.isNone && llvm::any_of(parts, [&](FlagPart part) {
    return atWatched.holds(part);
  });
}

bool FindingFlow::holdsAt(FlagPart known, Operation *target,
                          ArrayRef<FlagPart> parts) {
  Block *first = known.first.getParentBlock();
  watched = target;
  atWatched = Facts();
  runRegion(first, first->begin(), getFacts(known));
  watched = nullptr;
  return !atWatched.isNone && llvm::any_of(parts, [&](FlagPart part) {
    return atWatched.holds(part);
  });
}

//===----------------------------------------------------------------------===//
// Outcomes
//===----------------------------------------------------------------------===//

/// Appends what surely holds where `part` does, of what `use`, in its block,
/// makes; false if it may have a way that is not seen by that.
bool FindingFlow::addForwarded(FlagPart part, OpOperand &use,
                               SmallVectorImpl<FlagPart> &forwarded) const {
  Operation *user = use.getOwner();
  if (user->getBlock() != part.first.getParentBlock())
    return false;
  if (auto unscale = dyn_cast<UnscaleOp>(user)) {
    if (unscale.getAlreadyFound() == use.get() && !part.second)
      forwarded.emplace_back(unscale.getFoundInf(), false);
    return true;
  }
  if (isa<UpdateScaleOp>(user))
    return true;
  if (isa<ApplyIfFiniteOp>(user))
    return use.getOperandNumber() == 0;
  if (user->getNumRegions() != 0 && !isa<linalg::LinalgOp>(user))
    return false;
  if (isa<CallOpInterface>(user) || user->hasTrait<OpTrait::IsTerminator>())
    return false;
  auto holds = [&](FlagPart other) {
    return other == part || isConstantFlag(other);
  };
  size_t numBefore = forwarded.size();
  for (Value result : user->getResults())
    for (unsigned isNegated : {0, 1})
      if (isImplied({result, isNegated}, holds))
        forwarded.emplace_back(result, isNegated);
  return forwarded.size() != numBefore;
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
    for (OpOperand &use : part.first.getUses()) {
      auto update = dyn_cast<UpdateScaleOp>(use.getOwner());
      isTold |= update && update.getScaler() == scaler && !part.second &&
                update->getBlock() == part.first.getParentBlock();
      hasOther |= !addForwarded(part, use, forwarded);
    }
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
        summary.hasTold |= known.hasTold;
        summary.isNone |= known.isNone;
        llvm::append_range(summary.results, known.results);
      }
    if (summary.isNone) {
      summary.results.clear();
    } else if (summary.results.empty() && hasOther) {
      Facts facts;
      facts.isNone = false;
      facts.parts.insert(part);
      summary = runToEnd(part.first.getDefiningOp(), facts);
    }
    llvm::sort(summary.results);
    summary.results.erase(llvm::unique(summary.results), summary.results.end());
    outcomes[part] = std::move(summary);
    stack.pop_back();
  }
  return outcomes[first];
}

/// The outcome of what `after` gives, of which `parts` hold.
FindingFlow::Summary FindingFlow::getOutcome(Operation *after,
                                             ArrayRef<FlagPart> parts) {
  Summary all;
  all.isNone = false;
  for (FlagPart part : parts) {
    Summary one = getOutcome(part);
    if (one.isNone)
      return one;
    all.hasTold |= one.hasTold;
    llvm::append_range(all.results, one.results);
  }
  if (all.results.empty() && parts.size() > 1) {
    Facts facts;
    facts.isNone = false;
    facts.parts.insert_range(parts);
    return runToEnd(after, facts);
  }
  llvm::sort(all.results);
  all.results.erase(llvm::unique(all.results), all.results.end());
  return all;
}

/// Appends the arguments by which states hand on `results` of `step` to its
/// next call; false if there is none.
bool FindingFlow::handsOn(func::FuncOp step, ArrayRef<Place> results,
                          SmallVectorImpl<Place> &arguments) const {
  ArgumentIndex index(step);
  for (auto [number, isNegated] : results) {
    RoleInfo info = getResultRole(step, number);
    if (!info.is(Role::OptState) && !info.is(Role::Buffer) &&
        !info.is(Role::Accumulator))
      continue;
    for (unsigned argument : index.find(info.role, info.name))
      arguments.emplace_back(argument, isNegated);
  }
  llvm::sort(arguments);
  return !arguments.empty();
}

/// True if each call of a train step tells a transition of what `open` leaves,
/// or hands it on, and some call may tell one.
bool FindingFlow::isKeptByStates(const Open &open) {
  std::set<Entry> seen;
  bool mayTell = false;
  for (SmallVector<Place, 2> results = open.results;;) {
    Entry entry{open.function, {}};
    if (!handsOn(open.function, results, entry.second))
      return false;
    if (!seen.insert(entry).second)
      return mayTell;
    Summary next = getSummary(entry);
    mayTell |= next.hasTold;
    if (next.isNone)
      return mayTell;
    results = next.results;
  }
}

SmallVector<LostFinding>
FindingFlow::findLost(ArrayRef<Operation *> unscalings,
                      ArrayRef<UpdateScaleOp> updates) {
  SmallVector<LostFinding> lost;
  std::vector<Open> opened;
  std::set<Entry> known;
  auto check = [&](Operation *after, ArrayRef<FlagPart> parts,
                   Operation *unscale) {
    Summary outcome = getOutcome(after, parts);
    if (outcome.isNone)
      return;
    auto function = after->getParentOfType<func::FuncOp>();
    if (outcome.results.empty())
      lost.push_back(explain(unscale, after, parts));
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
      SmallVector<FlagPart> parts;
      for (auto [number, isNegated] : open.results)
        parts.emplace_back(call.getResult(number), isNegated);
      check(call, parts, open.unscale);
    }
    if (isStep ? !isKeptByStates(open) : calls.empty() && hasSteps)
      lost.push_back({open.unscale, LostFinding::HasNoWay, open.unscale});
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

/// True if something behind `after` may advance the scaler where `parts` hold,
/// in each call of its function or in the next one of a step.
bool FindingFlow::mayAdvance(Operation *after, ArrayRef<FlagPart> parts,
                             std::set<Entry> &seen) {
  Facts facts;
  facts.isNone = false;
  facts.parts.insert_range(parts);
  Summary summary = runToEnd(after, facts);
  if (summary.hasTold || summary.isNone)
    return true;
  auto function = after->getParentOfType<func::FuncOp>();
  if (!seen.insert({function, summary.results}).second)
    return true;
  ArrayRef<func::CallOp> calls = queries.getCalls(function);
  if (getFunctionKind(function) == FunctionKind::TrainStep || calls.empty())
    return !hasSteps || enter({function, {}}).hasTold;
  return llvm::all_of(calls, [&](func::CallOp call) {
    SmallVector<FlagPart> returned;
    for (auto [number, isNegated] : summary.results)
      returned.emplace_back(call.getResult(number), isNegated);
    return mayAdvance(call, returned, seen);
  });
}

std::optional<LostFinding>
FindingFlow::findNeverGrown(ArrayRef<Operation *> unscalings,
                            ArrayRef<UpdateScaleOp> updates) {
  llvm::DenseMap<Block *, Operation *> last;
  for (UpdateScaleOp update : updates) {
    Operation *&known = last[update->getBlock()];
    if (!known || known->isBeforeInBlock(update))
      known = update;
  }
  std::map<Entry, Summary> kept;
  std::swap(kept, summaries);
  countsAll = true;
  std::set<Entry> seen;
  std::optional<LostFinding> found;
  for (Operation *unscale : unscalings) {
    Operation *behind = last.lookup(unscale->getBlock());
    if (behind && unscale->isBeforeInBlock(behind))
      continue;
    suspects.emplace();
    FlagPart none{cast<UnscaleOp>(unscale).getFoundInf(), true};
    if (!mayAdvance(unscale, none, seen)) {
      auto *it = llvm::find_if(*suspects, [](const Suspect &each) {
        return each.kind == LostFinding::Skips;
      });
      found = {unscale, LostFinding::SkipsFinite,
               it == suspects->end() ? unscale : it->op};
      break;
    }
  }
  suspects.reset();
  countsAll = false;
  std::swap(kept, summaries);
  return found;
}

/// The first thing that went wrong on the way from `after`.
LostFinding FindingFlow::explain(Operation *unscale, Operation *after,
                                 ArrayRef<FlagPart> parts) {
  std::map<Entry, Summary> kept;
  std::swap(kept, summaries);
  suspects.emplace();
  Facts facts;
  facts.isNone = false;
  facts.parts.insert_range(parts);
  runToEnd(after, facts);
  SmallVector<Suspect> found = std::move(*suspects);
  suspects.reset();
  std::swap(kept, summaries);
  auto pick = [&](auto isOne) -> const Suspect * {
    auto *it = llvm::find_if(found, isOne);
    return it == found.end() ? nullptr : it;
  };
  const Suspect *first = pick(
      [](const Suspect &each) { return each.kind == LostFinding::LeavesOut; });
  if (!first)
    first = pick([&](const Suspect &each) {
      return each.kind == LostFinding::Loses
                 ? !each.lost || queries.reachesTransition(each.lost)
                 : each.kind != LostFinding::Skips &&
                       each.kind != LostFinding::Negates;
    });
  for (LostFinding::Kind kind : {LostFinding::Negates, LostFinding::Skips})
    if (!first)
      first = pick([&](const Suspect &each) { return each.kind == kind; });
  if (!first)
    return {unscale, LostFinding::HasNoWay, unscale};
  return {unscale, first->kind, first->op};
}
