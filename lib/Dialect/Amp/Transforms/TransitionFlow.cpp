//===- TransitionFlow.cpp - What a scaler is advanced with ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards from a value, through regions, blocks and calls in both directions.
// Whatever an operation reads is a source of what it gives, conditions as well:
// that tells what an update may have heard of. Whether it hears of it surely,
// is followed beside that with a sign, over operations that are true wherever
// one of their operands is ('arith.ori', and 'arith.andi' of what is negated)
// and movements; all others may lose what was found. A loop hands over what all
// of its rounds found where that goes round in it.
//
//===----------------------------------------------------------------------===//

#include "TransitionFlow.h"

#include "Callees.h"
#include "Reachable.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
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
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::amp;

TransitionFlow::TransitionFlow(ModuleOp module)
    : symbols(module), operations(module, symbols) {
  for (auto function : module.getOps<func::FuncOp>())
    if (getFunctionKind(function) == FunctionKind::TrainStep)
      reached.insert(function);
  if (reached.empty())
    for (auto function : module.getOps<func::FuncOp>())
      reached.insert(function);
  for (unsigned i = 0; i != reached.size(); ++i)
    reached[i]->walk([&](Operation *op) {
      if (auto guard = dyn_cast<ApplyIfFiniteOp>(op))
        guards.push_back(guard);
      // Attributes are made anew for each that asks for all of them.
      if (isa<func::FuncOp>(op) ||
          (!isa<SymbolUserOpInterface, CallOpInterface>(op) &&
           op->isRegistered()))
        return;
      for (NamedAttribute attribute : op->getAttrs())
        attribute.getValue().walk([&](FlatSymbolRefAttr name) {
          if (auto callee = symbols.lookup<func::FuncOp>(name.getValue())) {
            reached.insert(callee);
            if (auto call = dyn_cast<func::CallOp>(op);
                call && call.getCallee() == callee.getName())
              callers[callee].push_back(call);
          }
        });
    });
  // No scaler's transitions end a way there.
  guardFlow = std::make_unique<FindingFlow>(
      /*scaler=*/"", symbols, FindingQueries(), handedOver, dominance,
      /*hasSteps=*/true);
}

/// What the blocks in the regions of `op` end with.
static void addTerminators(Operation *op, SmallVectorImpl<Value> &sources) {
  forEachHandedOver(op, [&](MutableArrayRef<OpOperand> operands) {
    for (OpOperand &operand : operands)
      sources.push_back(operand.get());
  });
}

/// Appends the bounds of a loop's induction variable; false if `argument` is
/// none.
static bool addInductionSources(BlockArgument argument,
                                SmallVectorImpl<Value> &sources) {
  auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  std::optional<SmallVector<Value>> variables;
  if (loop)
    variables = loop.getLoopInductionVars();
  if (!variables || !llvm::is_contained(*variables, argument))
    return false;
  llvm::DenseSet<OpOperand *> inits;
  for (OpOperand &init : loop.getInitsMutable())
    inits.insert(&init);
  for (OpOperand &operand : loop->getOpOperands())
    if (!inits.contains(&operand))
      sources.push_back(operand.get());
  return true;
}

/// Appends what is handed over for `value`, a result of `op` or an argument of
/// its regions, and what decides what is.
void TransitionFlow::addSources(RegionBranchOpInterface op, Value value,
                                SmallVectorImpl<Value> &sources) const {
  for (ArrayRef<OpOperand *> operands :
       {handedOver.getSources(op, value), handedOver.getDeciding(op)})
    for (OpOperand *operand : operands)
      sources.push_back(operand->get());
}

/// Appends what the branch `from` a block hands over for an argument, and what
/// decides where it goes.
static void addBranchSources(Block::pred_iterator from, unsigned number,
                             SmallVectorImpl<Value> &sources) {
  Operation *end = (*from)->getTerminator();
  auto branch = dyn_cast<BranchOpInterface>(end);
  llvm::SmallBitVector isHanded(end->getNumOperands());
  for (unsigned i = 0; branch && i != end->getNumSuccessors(); ++i) {
    OperandRange handed = branch.getSuccessorOperands(i).getForwardedOperands();
    for (unsigned j = 0; j != handed.size(); ++j)
      isHanded.set(handed.getBeginOperandIndex() + j);
  }
  if (branch)
    if (Value handed =
            branch.getSuccessorOperands(from.getSuccessorIndex())[number])
      sources.push_back(handed);
  for (OpOperand &operand : end->getOpOperands())
    if (!isHanded.test(operand.getOperandNumber()))
      sources.push_back(operand.get());
}

bool TransitionFlow::addSources(BlockArgument argument,
                                SmallVectorImpl<Value> &sources) const {
  Block *block = argument.getOwner();
  Operation *parent = block->getParentOp();
  if (!block->isEntryBlock()) {
    for (auto it = block->pred_begin(); it != block->pred_end(); ++it)
      addBranchSources(it, argument.getArgNumber(), sources);
    return true;
  }
  auto function = dyn_cast<func::FuncOp>(parent);
  if (addInductionSources(argument, sources))
    return true;
  if (auto op = dyn_cast<RegionBranchOpInterface>(parent)) {
    addSources(op, argument, sources);
    return true;
  }
  if (!function) {
    llvm::append_range(sources, parent->getOperands());
    addTerminators(parent, sources);
    return true;
  }
  auto it = callers.find(function);
  if (it == callers.end())
    return false;
  for (func::CallOp call : it->second)
    sources.push_back(call.getOperand(argument.getArgNumber()));
  return true;
}

bool TransitionFlow::addSources(Value value, StringRef scaler,
                                SmallVectorImpl<Value> &sources) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return addSources(argument, sources);
  Operation *def = value.getDefiningOp();
  if (auto unscale = dyn_cast<UnscaleOp>(def)) {
    if (value == unscale.getFoundInf() && unscale.getAlreadyFound())
      sources.push_back(unscale.getAlreadyFound());
    return true;
  }
  if (auto scale = dyn_cast<ScaleLossOp>(def))
    return scale.getScaler() != scaler;
  if (auto call = dyn_cast<func::CallOp>(def)) {
    func::FuncOp callee = getCallee(call, symbols);
    if (!callee || callee.isExternal())
      return false;
    for (Operation *end : getReturns(callee))
      sources.push_back(
          end->getOperand(cast<OpResult>(value).getResultNumber()));
    return true;
  }
  if (auto op = dyn_cast<RegionBranchOpInterface>(def)) {
    addSources(op, value, sources);
    return true;
  }
  if (!isMemoryEffectFree(def))
    return false;
  llvm::append_range(sources, def->getOperands());
  addTerminators(def, sources);
  return true;
}

bool TransitionFlow::comesFrom(Value found, StringRef scaler) const {
  return ofScaler[scaler].sources.hasWay(
      found, [&](Value value, SmallVectorImpl<Value> &sources) {
        auto unscale = value.getDefiningOp<UnscaleOp>();
        return (unscale && unscale.getScaler() == scaler) ||
               !addSources(value, scaler, sources);
      });
}

bool TransitionFlow::findUnscalings(
    Value found, StringRef scaler, llvm::DenseSet<Value> &seen,
    llvm::SetVector<Operation *> &unscalings) const {
  SmallVector<Value> worklist{found};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto unscale = value.getDefiningOp<UnscaleOp>();
    if (unscale && unscale.getScaler() == scaler) {
      unscalings.insert(unscale);
      if (unscale.getAlreadyFound())
        worklist.push_back(unscale.getAlreadyFound());
    } else if (!addSources(value, scaler, worklist)) {
      return false;
    }
  }
  return true;
}

SmallVector<LostFinding>
TransitionFlow::findLost(StringRef scaler, ArrayRef<UpdateScaleOp> updates,
                         ArrayRef<Operation *> unscalings) const {
  llvm::DenseSet<Value> reaching;
  for (UpdateScaleOp update : updates) {
    SmallVector<Value> worklist{update.getFoundInf()};
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (!reaching.insert(value).second)
        continue;
      if (auto unscale = value.getDefiningOp<UnscaleOp>();
          unscale && unscale.getAlreadyFound())
        worklist.push_back(unscale.getAlreadyFound());
      else if (!unscale)
        addSources(value, scaler, worklist);
    }
  }
  bool hasSteps = getFunctionKind(cast<func::FuncOp>(reached.front())) ==
                  FunctionKind::TrainStep;
  auto getCalls = [&](func::FuncOp function) { return getCallers(function); };
  auto reachesTransition = [&](Value value) {
    return reaching.contains(value);
  };
  auto hasTransition = [&](Operation *op) { return advances(op, scaler); };
  FindingQueries queries{getCalls, reachesTransition, hasTransition};
  return FindingFlow(scaler, symbols, queries, handedOver, dominance, hasSteps)
      .findLost(unscalings, updates);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {
/// An operation on one value and a constant that keeps its truth or negates it.
struct Kept {
  Value value;
  bool isNegated;
};
} // namespace

/// What `def` keeps or negates of its one operand that is no constant: a value
/// is true where it is not 0.
static std::optional<Kept> getKept(Operation *def) {
  if (isa<AllReduceFoundInfOp, arith::ExtUIOp, arith::ExtSIOp>(def))
    return Kept{def->getOperand(0), false};
  if (def->getNumOperands() != 2)
    return std::nullopt;
  for (auto [kept, other] : {std::pair(0, 1), std::pair(1, 0)}) {
    Value value = def->getOperand(kept), constant = def->getOperand(other);
    bool isZero = matchPattern(constant, m_Zero());
    bool isTrue = getElementTypeOrSelf(value.getType()).isInteger(1) &&
                  matchPattern(constant, m_One());
    if (!isZero && !isTrue)
      continue;
    if (isa<arith::XOrIOp>(def))
      return Kept{value, isTrue};
    if (auto compare = dyn_cast<arith::CmpIOp>(def)) {
      bool isEqual = compare.getPredicate() == arith::CmpIPredicate::eq;
      if (isEqual || compare.getPredicate() == arith::CmpIPredicate::ne)
        return Kept{value, isEqual == isZero};
      if (isZero &&
          compare.getPredicate() == (kept == 0 ? arith::CmpIPredicate::ugt
                                               : arith::CmpIPredicate::ult))
        return Kept{value, false};
    }
    if (isa<arith::AndIOp>(def) && isTrue)
      return Kept{value, false};
  }
  return std::nullopt;
}

/// True if `value` is the constant `truth`.
static bool isConstant(Value value, bool truth) {
  return truth ? matchPattern(value, m_One()) : matchPattern(value, m_Zero());
}

/// True if some elements may be chosen from one of two tensors and some from
/// the other.
static bool choosesElements(Operation *choice) {
  if (!choice)
    return false;
  auto op = choice->getParentOfType<linalg::LinalgOp>();
  auto shaped = dyn_cast<ShapedType>(choice->getOperand(0).getType());
  return (op && op.getNumLoops() != 0) || (shaped && shaped.getRank() != 0);
}

bool TransitionFlow::hearsOutside(ValueRange values, Operation *op,
                                  StringRef scaler) const {
  llvm::DenseSet<Value> seen;
  return llvm::any_of(values, [&](Value value) {
    return isFinding(value, scaler) &&
           llvm::any_of(findFound(value, scaler, seen),
                        [&](Operation *unscale) {
                          return !op || !op->isAncestor(unscale);
                        });
  });
}

/// The parts of what is `taken` where `condition` holds, and `other` elsewhere.
/// If the condition says itself what was found, the choice is a disjunction or
/// loses one of them.
bool TransitionFlow::addChosen(Operation *choice, Value condition,
                               ValueRange taken, ValueRange other,
                               bool isNegated, StringRef scaler,
                               SmallVectorImpl<Part> &parts) const {
  for (bool isTaken : {true, false})
    if (isConstant(condition, isTaken)) {
      for (Value value : isTaken ? taken : other)
        parts.emplace_back(value, isNegated);
      return llvm::none_of(isTaken ? other : taken, [&](Value dropped) {
        return isFinding(dropped, scaler);
      });
    }
  auto areTrue = [&](ValueRange values) {
    return llvm::all_of(
        values, [&](Value value) { return isConstant(value, !isNegated); });
  };
  if (areTrue(taken))
    parts.emplace_back(condition, false);
  else if (areTrue(other))
    parts.emplace_back(condition, true);
  else if (isFinding(condition, scaler) ||
           ((isOverflowing(condition, scaler) || choosesElements(choice)) &&
            (hearsOutside(taken, choice, scaler) ||
             hearsOutside(other, choice, scaler))))
    return false;
  for (Value value : llvm::concat<const Value>(llvm::to_vector(taken),
                                               llvm::to_vector(other)))
    parts.emplace_back(value, isNegated);
  return true;
}

Block *TransitionFlow::getFork(Block *block) const {
  return dominance.getDomTree(block->getParent())
      .getNode(block)
      ->getIDom()
      ->getBlock();
}

SmallVector<unsigned> TransitionFlow::getWaysBehind(ArrayRef<Way> ways,
                                                    Block *fork,
                                                    unsigned number,
                                                    Block *to) {
  llvm::SetVector<Block *> behind;
  Block *first = fork->getSuccessor(number);
  if (first != to)
    behind.insert(first);
  for (unsigned i = 0; i < behind.size(); ++i)
    for (Block *next : behind[i]->getSuccessors())
      if (next != to && next != fork)
        behind.insert(next);
  SmallVector<unsigned> leading;
  for (auto [index, way] : llvm::enumerate(ways))
    if (behind.contains(way.from) ||
        (way.from == fork && first == to && way.number == number))
      leading.push_back(index);
  return leading;
}

bool TransitionFlow::addWays(ArrayRef<Way> ways, Region *region, Block *to,
                             bool isNegated, StringRef scaler,
                             SmallVectorImpl<Part> &parts) const {
  bool isOne = llvm::all_of(
      ways, [&](const Way &way) { return way.value == ways.front().value; });
  // Ways to a block part behind the one that dominates it.
  Block *first = &region->front();
  if (to && to != first)
    first = getFork(to);
  llvm::SetVector<Block *> forks;
  if (!isOne)
    for (const Way &way : ways)
      if (dominance.isReachableFromEntry(way.from))
        forks.insert(way.from);
  for (unsigned i = 0; i < forks.size(); ++i)
    if (forks[i] != first)
      forks.insert(forks[i]->pred_begin(), forks[i]->pred_end());
  for (Block *fork : forks) {
    Operation *decision = fork->getTerminator();
    if (fork->getNumSuccessors() < 2)
      continue;
    auto conditional = dyn_cast<cf::CondBranchOp>(decision);
    auto choice = dyn_cast<cf::SwitchOp>(decision);
    if (!conditional && !choice)
      continue;
    Value condition =
        conditional ? conditional.getCondition() : choice.getFlag();
    if (!scaler.empty() && !isDecidedByOverflow(condition, scaler))
      continue;
    SmallVector<SmallVector<unsigned>> behind;
    for (unsigned i = 0; i != fork->getNumSuccessors(); ++i)
      behind.push_back(getWaysBehind(ways, fork, i, to));
    if (llvm::all_equal(behind) ||
        llvm::count_if(behind, [](auto &each) { return !each.empty(); }) < 2)
      continue;
    auto areTrue = [&](ArrayRef<unsigned> indices) {
      return llvm::all_of(indices, [&](unsigned index) {
        return isConstant(ways[index].value, !isNegated);
      });
    };
    if (conditional && areTrue(behind[0]))
      parts.emplace_back(condition, false);
    else if (conditional && areTrue(behind[1]))
      parts.emplace_back(condition, true);
    else if (isDecidedByOverflow(condition, scaler))
      return false;
  }
  for (const Way &way : ways)
    parts.emplace_back(way.value, isNegated);
  return true;
}

bool TransitionFlow::addBlockParts(BlockArgument argument, bool isNegated,
                                   StringRef scaler,
                                   SmallVectorImpl<Part> &parts) const {
  Block *block = argument.getOwner();
  if (!dominance.isReachableFromEntry(block))
    return false;
  SmallVector<Way> ways;
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    if (!branch)
      return false;
    Value operand = branch.getSuccessorOperands(
        it.getSuccessorIndex())[argument.getArgNumber()];
    if (!operand)
      return false;
    ways.push_back({*it, it.getSuccessorIndex(), operand});
  }
  return addWays(ways, block->getParent(), block, isNegated, scaler, parts);
}

bool TransitionFlow::leadsBack(func::FuncOp function, func::CallOp call) const {
  llvm::SetVector<Operation *> leading;
  leading.insert(call->getParentOfType<func::FuncOp>());
  for (unsigned i = 0; i < leading.size(); ++i) {
    if (leading[i] == function)
      return true;
    for (func::CallOp before : getCallers(cast<func::FuncOp>(leading[i])))
      leading.insert(before->getParentOfType<func::FuncOp>());
  }
  return false;
}

bool TransitionFlow::addReturned(func::CallOp call, func::FuncOp callee,
                                 unsigned number, bool isNegated,
                                 StringRef scaler,
                                 SmallVectorImpl<Part> &parts) const {
  // What each of its calls of itself found is not joined here.
  if (leadsBack(callee, call) &&
      llvm::is_contained(operations.findUnscaling(scaler), call))
    return false;
  SmallVector<Way> ways;
  for (Operation *end : getReturns(callee))
    ways.push_back({end->getBlock(), 0, end->getOperand(number)});
  return addWays(ways, &callee.getBody(), /*to=*/nullptr, isNegated, scaler,
                 parts);
}

/// True if `op` reads each element of `operand`, an input.
static bool readsAll(linalg::LinalgOp op, OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  return !type || (type.hasStaticShape() && type.getNumElements() == 1) ||
         op.getMatchingIndexingMap(&operand).isProjectedPermutation();
}

/// True if `map` tells all loops apart that are not `excepted`.
static bool tellsApart(AffineMap map, const llvm::SmallBitVector &excepted) {
  llvm::SmallBitVector missing = excepted;
  missing.flip();
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      missing.reset(dim.getPosition());
  return missing.none();
}

bool TransitionFlow::addLinalgParts(linalg::LinalgOp op, unsigned number,
                                    bool isNegated, StringRef scaler,
                                    SmallVectorImpl<Part> &parts) const {
  Part yielded{op.getBlock()->getTerminator()->getOperand(number), isNegated};
  OpOperand *init = op.getDpsInitOperand(number);
  BlockArgument carried = op.getMatchingBlockArgument(init);
  // A reduction keeps what it joins with its elements before; where it joins
  // nothing, each element is to have a place of its own.
  llvm::SmallBitVector none(op.getNumLoops());
  if ((op.getNumReductionLoops() != 0 ||
       !tellsApart(op.getMatchingIndexingMap(init), none)) &&
      carried != yielded.first &&
      !findInside(yielded, op, scaler).contains({carried, isNegated}))
    return false;
  // What is repeated in no element is lost.
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isFinding(input->get(), scaler))
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    for (unsigned loop = 0; loop != op.getNumLoops(); ++loop)
      if (!map.isFunctionOfDim(loop) &&
          (sizes[loop] == 0 ||
           (ShapedType::isDynamic(sizes[loop]) &&
            llvm::any_of(op->getOperands(), [&](Value sized) {
              return sized != input->get() &&
                     isDecidedByOverflow(sized, scaler);
            }))))
        return false;
  }
  parts.push_back(yielded);
  return true;
}

bool TransitionFlow::addParts(BlockArgument argument, bool isNegated,
                              StringRef scaler,
                              SmallVectorImpl<Part> &parts) const {
  Block *block = argument.getOwner();
  Operation *parent = block->getParentOp();
  unsigned number = argument.getArgNumber();
  if (!block->isEntryBlock())
    return addBlockParts(argument, isNegated, scaler, parts);
  if (isa<func::FuncOp>(parent)) {
    for (func::CallOp call : callers.lookup(parent)) {
      Value operand = call.getOperand(number);
      // A function that calls itself has to hand on what it was handed.
      if (operand != argument && leadsBack(cast<func::FuncOp>(parent), call) &&
          !findInside({operand, isNegated}, parent, scaler)
               .contains({argument, isNegated}))
        return false;
      parts.emplace_back(operand, isNegated);
    }
    return true;
  }
  if (auto op = dyn_cast<linalg::LinalgOp>(parent)) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (op.isDpsInput(operand) && !readsAll(op, *operand))
      return false;
    parts.emplace_back(operand->get(), isNegated);
    if (op.isDpsInit(operand))
      parts.emplace_back(
          block->getTerminator()->getOperand(number - op.getNumDpsInputs()),
          isNegated);
    return true;
  }
  return false;
}

/// Appends what regions and the operation itself hand over for `value`.
bool TransitionFlow::addHandedOver(RegionBranchOpInterface op, Value value,
                                   bool isNegated,
                                   SmallVectorImpl<Part> &parts) const {
  ArrayRef<OpOperand *> sources = handedOver.getSources(op, value);
  for (OpOperand *operand : sources)
    parts.emplace_back(operand->get(), isNegated);
  return !sources.empty();
}

bool TransitionFlow::addParts(Part part, StringRef scaler,
                              SmallVectorImpl<Part> &parts) const {
  Value value = part.first;
  bool isNegated = part.second;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op =
        dyn_cast<RegionBranchOpInterface>(argument.getOwner()->getParentOp());
    return op && argument.getOwner()->isEntryBlock()
               ? addHandedOver(op, value, isNegated, parts)
               : addParts(argument, isNegated, scaler, parts);
  }
  Operation *def = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto call = dyn_cast<func::CallOp>(def)) {
    func::FuncOp callee = getCallee(call, symbols);
    if (!callee || callee.isExternal())
      return false;
    return addReturned(call, callee, number, isNegated, scaler, parts);
  }
  if (auto select = dyn_cast<arith::SelectOp>(def))
    return addChosen(select, select.getCondition(), select.getTrueValue(),
                     select.getFalseValue(), isNegated, scaler, parts);
  if (auto branch = dyn_cast<scf::IfOp>(def))
    return addChosen(
        branch, branch.getCondition(), branch.thenYield().getOperand(number),
        branch.elseYield().getOperand(number), isNegated, scaler, parts);
  if (auto op = dyn_cast<linalg::LinalgOp>(def))
    return addLinalgParts(op, number, isNegated, scaler, parts);
  // The kept values come out where one was found.
  if (auto guard = dyn_cast<ApplyIfFiniteOp>(def))
    return addChosen(
        guard, guard.getFoundInf(), guard.getKept()[number],
        guard.getBody().front().getTerminator()->getOperand(number), isNegated,
        scaler, parts);
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(def);
      choice && (isFinding(choice.getArg(), scaler) ||
                 (isOverflowing(choice.getArg(), scaler) &&
                  hearsOutside(value, choice, scaler))))
    return false;
  if (auto op = dyn_cast<RegionBranchOpInterface>(def))
    return addHandedOver(op, value, isNegated, parts);
  if (std::optional<Kept> kept = getKept(def)) {
    parts.emplace_back(kept->value, isNegated != kept->isNegated);
    return true;
  }
  if (isa<tensor::TensorDialect>(def->getDialect()))
    return addTensorParts(def, isNegated, scaler, parts);
  if (!(isNegated ? isa<arith::AndIOp>(def)
                  : isa<arith::OrIOp, arith::MaxUIOp>(def)))
    return false;
  for (Value operand : def->getOperands())
    parts.emplace_back(operand, isNegated);
  return true;
}

/// True if `part` has as many elements as `whole`.
static bool isWhole(Value part, Value whole) {
  auto ofPart = dyn_cast<RankedTensorType>(part.getType());
  auto ofWhole = cast<RankedTensorType>(whole.getType());
  return ofWhole.hasStaticShape() &&
         (ofPart ? ofPart.hasStaticShape() : true) &&
         (ofPart ? ofPart.getNumElements() : 1) == ofWhole.getNumElements();
}

/// True if a value of `type` has no elements.
static bool isEmpty(ShapedType type) {
  return llvm::is_contained(type.getShape(), 0);
}

bool TransitionFlow::addTensorParts(Operation *def, bool isNegated,
                                    StringRef scaler,
                                    SmallVectorImpl<Part> &parts) const {
  bool joins = isa<tensor::FromElementsOp, tensor::ConcatOp>(def);
  bool moves = isa<tensor::CastOp, tensor::CollapseShapeOp,
                   tensor::ExpandShapeOp, tensor::SplatOp>(def);
  if (isa<tensor::ReshapeOp, tensor::ExtractOp, tensor::ExtractSliceOp>(def))
    moves = isWhole(def->getResult(0), def->getOperand(0));
  // Of a source and a destination, which is written over.
  if (isa<tensor::InsertOp, tensor::InsertSliceOp>(def))
    moves = isWhole(def->getOperand(0), def->getOperand(1)) &&
            !isFinding(def->getOperand(1), scaler);
  if (auto splat = dyn_cast<tensor::SplatOp>(def))
    moves = !isEmpty(splat.getType()) &&
            llvm::none_of(splat.getDynamicSizes(), [&](Value size) {
              return isDecidedByOverflow(size, scaler);
            });
  if (!joins && !moves)
    return false;
  for (Value operand :
       def->getOperands().take_front(joins ? def->getNumOperands() : 1))
    parts.emplace_back(operand, isNegated);
  return true;
}

UnscaleOp TransitionFlow::getUnscaling(Value value, StringRef scaler) {
  auto unscale = value.getDefiningOp<UnscaleOp>();
  return unscale && unscale.getScaler() == scaler &&
                 value == unscale.getFoundInf()
             ? unscale
             : UnscaleOp();
}

llvm::SetVector<Operation *>
TransitionFlow::findFound(Value value, StringRef scaler,
                          llvm::DenseSet<Value> &seen) const {
  llvm::SetVector<Operation *> found;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value source = worklist.pop_back_val();
    if (!seen.insert(source).second)
      continue;
    if (UnscaleOp unscale = getUnscaling(source, scaler))
      found.insert(unscale);
    addSources(source, scaler, worklist);
  }
  return found;
}

const llvm::DenseMap<Value, SmallVector<Value, 2>> &
TransitionFlow::getTargets() const {
  if (targets)
    return *targets;
  targets.emplace();
  auto add = [&](Value target) {
    SmallVector<Value> sources;
    addSources(target, /*scaler=*/"", sources);
    for (Value source : sources)
      (*targets)[source].push_back(target);
  };
  for (Operation *function : reached)
    function->walk([&](Operation *op) {
      for (Value result : op->getResults())
        add(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            add(argument);
    });
  return *targets;
}

void TransitionFlow::spread(
    SmallVector<Value> worklist, llvm::DenseSet<Value> &seen,
    function_ref<void(Value, SmallVectorImpl<Value> &)> addMore) const {
  while (!worklist.empty()) {
    Value source = worklist.pop_back_val();
    if (!seen.insert(source).second)
      continue;
    if (auto it = getTargets().find(source); it != getTargets().end())
      llvm::append_range(worklist, it->second);
    addMore(source, worklist);
  }
}

bool TransitionFlow::isFinding(Value value, StringRef scaler) const {
  std::optional<llvm::DenseSet<Value>> &findings = ofScaler[scaler].findings;
  if (findings)
    return findings->contains(value);
  findings.emplace();
  SmallVector<Value> worklist;
  for (Operation *unscale : operations.getUnscalings(scaler))
    worklist.push_back(cast<UnscaleOp>(unscale).getFoundInf());
  spread(std::move(worklist), *findings,
         [](Value, SmallVectorImpl<Value> &) {});
  return findings->contains(value);
}

bool TransitionFlow::isOverflowing(Value value, StringRef scaler) const {
  std::optional<llvm::DenseSet<Value>> &overflowing =
      ofScaler[scaler].overflowing;
  if (overflowing)
    return overflowing->contains(value);
  overflowing.emplace();
  SmallVector<Value> worklist;
  if (!scaler.empty())
    for (Operation *each : reached) {
      auto function = cast<func::FuncOp>(each);
      function.walk([&](Operation *op) {
        if (auto scale = dyn_cast<ScaleLossOp>(op);
            scale && scale.getScaler() == scaler)
          worklist.push_back(scale.getResult());
        auto end = dyn_cast<func::ReturnOp>(op);
        for (unsigned i = 0; end && i != end.getNumOperands(); ++i)
          if (getResultRole(function, i).is(Role::Loss))
            worklist.push_back(end.getOperand(i));
      });
    }
  for (Operation *op : operations.getUnscalings(scaler)) {
    auto unscale = cast<UnscaleOp>(op);
    llvm::append_range(worklist, unscale.getGradients());
    for (Value result : unscale->getResults())
      if (result != unscale.getFoundInf())
        worklist.push_back(result);
  }
  // What is not seen may depend on all that it is handed.
  auto addUnseen = [&](Value source, SmallVectorImpl<Value> &targets) {
    for (Operation *user : source.getUsers()) {
      if (!isa<CallOpInterface>(user))
        continue;
      auto call = dyn_cast<func::CallOp>(user);
      func::FuncOp callee = call ? getCallee(call, symbols) : nullptr;
      if (!call || (callee && callee.isExternal()))
        llvm::append_range(targets, user->getResults());
    }
  };
  spread(std::move(worklist), *overflowing, addUnseen);
  return overflowing->contains(value);
}

bool TransitionFlow::addAllParts(Part part, StringRef scaler,
                                 SmallVectorImpl<Part> &parts) const {
  auto unscale = part.first.getDefiningOp<UnscaleOp>();
  if (!unscale)
    return addParts(part, scaler, parts);
  if (part.first == unscale.getFoundInf() && unscale.getAlreadyFound())
    parts.emplace_back(unscale.getAlreadyFound(), part.second);
  return true;
}

llvm::SetVector<TransitionFlow::Part>
TransitionFlow::findInside(Part part, StringRef scaler,
                           function_ref<bool(Value)> isInside) const {
  llvm::SetVector<Part> inside;
  SmallVector<Part> worklist;
  addAllParts(part, scaler, worklist);
  while (!worklist.empty()) {
    Part next = worklist.pop_back_val();
    if (isInside(next.first) && inside.insert(next))
      addAllParts(next, scaler, worklist);
  }
  return inside;
}

bool TransitionFlow::isIn(Value value, Operation *op) {
  return op->isAncestor(value.getParentBlock()->getParentOp());
}

llvm::SetVector<TransitionFlow::Part>
TransitionFlow::findInside(Part part, Operation *loop, StringRef scaler) const {
  return findInside(part, scaler,
                    [&](Value value) { return isIn(value, loop); });
}

bool TransitionFlow::findsInside(const llvm::SetVector<Part> &inside,
                                 StringRef scaler) const {
  return llvm::any_of(inside, [&](Part found) {
    Operation *def = found.first.getDefiningOp();
    return isa_and_present<UnscaleOp, func::CallOp>(def) &&
           isFinding(found.first, scaler);
  });
}

/// How many of the `numParts` parts of `value` are conditions, each of which
/// chooses a constant where it holds: they come before what is chosen from.
static size_t countConditions(Value value, size_t numParts) {
  size_t numWays = numParts;
  Block *block = value.getParentBlock();
  if (Operation *def = value.getDefiningOp())
    numWays = isa<arith::SelectOp, scf::IfOp>(def) ? 2 : numParts;
  else if (!block->isEntryBlock())
    numWays = std::distance(block->pred_begin(), block->pred_end());
  return numParts - std::min(numWays, numParts);
}

/// True if `value` with its `parts` is refuted, of which `isTrue` tells those
/// that are not: a choice is true if all that it chooses from is, or if a
/// condition is that decides for a constant.
static bool isRefuted(Value value, ArrayRef<TransitionFlow::Part> parts,
                      function_ref<bool(TransitionFlow::Part)> isTrue) {
  Operation *def = value.getDefiningOp();
  size_t numConditions = countConditions(value, parts.size());
  if (llvm::any_of(parts.take_front(numConditions), isTrue))
    return false;
  parts = parts.drop_front(numConditions);
  if (!def || isa<arith::SelectOp, RegionBranchOpInterface>(def))
    return parts.empty() || !llvm::all_of(parts, isTrue);
  return llvm::none_of(parts, isTrue);
}

bool TransitionFlow::isSurelyTrue(Part part, Part known, Expand expand) {
  llvm::MapVector<Part, SmallVector<Part>> sources;
  SmallVector<Part> worklist{part};
  while (!worklist.empty()) {
    Part next = worklist.pop_back_val();
    if (sources.contains(next))
      continue;
    SmallVector<Part> &parts = sources[next];
    if (next != known)
      expand(next, parts);
    llvm::append_range(worklist, parts);
  }
  // True is what nothing refutes: rounds of inner loops rest on those before.
  llvm::DenseSet<Part> refuted;
  auto isTrue = [&](Part source) { return !refuted.contains(source); };
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (auto &[value, parts] : llvm::reverse(sources))
      if (value != known && !isConstant(value.first, !value.second) &&
          isTrue(value) && isRefuted(value.first, parts, isTrue))
        isChanged |= refuted.insert(value).second;
  }
  return isTrue(part);
}

bool TransitionFlow::isSurelyTrue(Part part, Part known, Operation *op,
                                  StringRef scaler) const {
  return isSurelyTrue(part, known,
                      [&](Part next, SmallVectorImpl<Part> &parts) {
                        if (isIn(next.first, op))
                          addAllParts(next, scaler, parts);
                      });
}

bool TransitionFlow::isHandedOn(Part part, Part carried,
                                RegionBranchOpInterface loop,
                                StringRef scaler) const {
  bool isHanded = false;
  for (OpOperand *operand : handedOver.getSources(loop, part.first)) {
    if (operand->getOwner() == loop)
      continue; // before the first round
    if (!isSurelyTrue({operand->get(), part.second}, carried, loop, scaler))
      return false;
    isHanded = true;
  }
  return isHanded;
}

bool TransitionFlow::goesRound(Part part, ArrayRef<Part> carried,
                               RegionBranchOpInterface loop,
                               StringRef scaler) const {
  llvm::SetVector<Part> reached;
  reached.insert(part);
  for (unsigned i = 0; i != reached.size(); ++i) {
    if (isHandedOn(part, reached[i], loop, scaler))
      return true;
    for (Part next : carried)
      if (!reached.contains(next) && isHandedOn(next, reached[i], loop, scaler))
        reached.insert(next);
  }
  return false;
}

bool TransitionFlow::losesRounds(Part part, StringRef scaler) const {
  auto loop = part.first.getDefiningOp<LoopLikeOpInterface>();
  if (!loop)
    return false;
  if (skipsRounds(part, loop, scaler))
    return true;
  llvm::SetVector<Part> inside = findInside(part, loop, scaler);
  auto isCarried = [&](BlockArgument argument) {
    return argument.getOwner()->getParentOp() == loop;
  };
  auto branch = dyn_cast<RegionBranchOpInterface>(*loop);
  SmallVector<Part> carried;
  for (Part each : inside)
    if (auto argument = dyn_cast<BlockArgument>(each.first);
        argument && isCarried(argument))
      carried.push_back(each);
  return findsInside(inside, scaler) && llvm::none_of(carried, [&](Part each) {
           return branch && isHandedOn(part, each, branch, scaler) &&
                  goesRound(each, carried, branch, scaler);
         });
}

bool TransitionFlow::startsByOverflow(scf::WhileOp loop,
                                      StringRef scaler) const {
  SmallVector<Value> worklist{loop.getConditionOp().getCondition()};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second || !isDecidedByOverflow(value, scaler))
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!isIn(value, loop) ||
        isa_and_present<UnscaleOp, ScaleLossOp, CallOpInterface>(
            value.getDefiningOp()))
      return true;
    if (argument && argument.getOwner() == loop.getBeforeBody())
      worklist.push_back(loop.getInits()[argument.getArgNumber()]);
    else
      addSources(value, scaler, worklist);
  }
  return false;
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

bool TransitionFlow::mayRunNever(LoopLikeOpInterface loop,
                                 StringRef scaler) const {
  if (std::optional<bool> runs = runsRound(loop))
    return !*runs;
  if (auto conditional = dyn_cast<scf::WhileOp>(*loop))
    return startsByOverflow(conditional, scaler);
  auto branch = dyn_cast<RegionBranchOpInterface>(*loop);
  return branch &&
         llvm::any_of(handedOver.getDeciding(branch), [&](OpOperand *operand) {
           return operand->getOwner() == loop &&
                  isDecidedByOverflow(operand->get(), scaler);
         });
}

bool TransitionFlow::skipsRounds(Part part, LoopLikeOpInterface loop,
                                 StringRef scaler) const {
  if (!isFinding(part.first, scaler) || !mayRunNever(loop, scaler))
    return false;
  auto isInside = [&](Value value) { return isIn(value, loop); };
  SmallVector<Value> captured;
  for (Part inside : findInside(part, scaler, isInside)) {
    auto argument = dyn_cast<BlockArgument>(inside.first);
    if (argument && argument.getOwner()->getParentOp() == loop)
      continue; // of what is handed over, the start is there without a round
    SmallVector<Part> parts;
    addAllParts(inside, scaler, parts);
    if (auto call = inside.first.getDefiningOp<func::CallOp>())
      llvm::append_range(captured, call.getOperands());
    else
      for (Part source : parts)
        captured.push_back(source.first);
  }
  llvm::erase_if(captured, isInside);
  return hearsOutside(captured, loop, scaler);
}

//===----------------------------------------------------------------------===//
// Hearing
//===----------------------------------------------------------------------===//

void TransitionFlow::addHeard(func::CallOp call, Part part, StringRef scaler,
                              Heard &heard, SmallVectorImpl<Part> &parts,
                              Hearing &hearing) const {
  func::FuncOp callee = getCallee(call, symbols);
  if (!callee || callee.isExternal() ||
      llvm::is_contained(hearing.entered, call) ||
      !llvm::hasSingleElement(callee.getBody()))
    return;
  hearing.entered.push_back(call);
  Block &body = callee.getBody().front();
  Value returned = body.getTerminator()->getOperand(
      cast<OpResult>(part.first).getResultNumber());
  Heard inside = findHeard({returned, part.second}, scaler, hearing);
  hearing.entered.pop_back();
  for (Value gradient : inside.gradients) {
    auto argument = dyn_cast<BlockArgument>(gradient);
    bool isHanded = argument && argument.getOwner() == &body;
    heard.gradients.insert(isHanded ? call.getOperand(argument.getArgNumber())
                                    : gradient);
  }
  for (auto [argument, isNegated] : inside.arguments)
    parts.emplace_back(
        call.getOperand(cast<BlockArgument>(argument).getArgNumber()),
        isNegated);
}

/// The two values one of which `def` chooses; none if it is no such choice.
static SmallVector<Value, 2> getAlternatives(Operation *def, unsigned number) {
  if (auto select = dyn_cast<arith::SelectOp>(def))
    return {select.getTrueValue(), select.getFalseValue()};
  if (auto branch = dyn_cast<scf::IfOp>(def))
    return {branch.thenYield().getOperand(number),
            branch.elseYield().getOperand(number)};
  return {};
}

/// Adds to `heard` what `choice` hears of in each of `ways`, one of which it
/// takes, and of what is made on the way to one.
static void addCommon(Operation *choice, ArrayRef<TransitionFlow::Heard> ways,
                      TransitionFlow::Heard &heard) {
  using Heard = TransitionFlow::Heard;
  for (const Heard &way : ways) {
    for (Value gradient : way.gradients)
      if (choice->isAncestor(gradient.getParentBlock()->getParentOp()) ||
          llvm::all_of(ways, [&](const Heard &other) {
            return other.gradients.contains(gradient);
          }))
        heard.gradients.insert(gradient);
    for (TransitionFlow::Part argument : way.arguments)
      if (llvm::all_of(ways, [&](const Heard &other) {
            return other.arguments.contains(argument);
          }))
        heard.arguments.insert(argument);
  }
}

std::optional<TransitionFlow::Part>
TransitionFlow::getJoinedStart(Part part, StringRef scaler) const {
  auto result = cast<OpResult>(part.first);
  auto loop = dyn_cast<LoopLikeOpInterface>(result.getOwner());
  if (!loop || isa<scf::WhileOp>(*loop))
    return std::nullopt;
  OpOperand *start = loop.getTiedLoopInit(result);
  BlockArgument carried = loop.getTiedLoopRegionIterArg(result);
  if (!start || !carried ||
      !findInside(part, loop, scaler).contains({carried, part.second}))
    return std::nullopt;
  return Part{start->get(), part.second};
}

TransitionFlow::Heard TransitionFlow::findHeard(Part part, StringRef scaler,
                                                Hearing &hearing) const {
  std::pair key(part.first.getAsOpaquePointer(), part.second);
  auto it = hearing.known.find(key);
  if (it == hearing.known.end())
    it = hearing.known.try_emplace(key, computeHeard(part, scaler, hearing))
             .first;
  return it->second;
}

TransitionFlow::Heard TransitionFlow::computeHeard(Part first, StringRef scaler,
                                                   Hearing &hearing) const {
  Heard heard;
  llvm::SetVector<Part> seen;
  SmallVector<Part> worklist{first};
  while (!worklist.empty()) {
    Part part = worklist.pop_back_val();
    if (!seen.insert(part))
      continue;
    Value value = part.first;
    bool isNegated = part.second;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (isa<func::FuncOp>(parent) && argument.getOwner()->isEntryBlock())
        heard.arguments.insert(part);
      else if (isa<linalg::LinalgOp>(parent))
        addParts(argument, isNegated, scaler, worklist);
      continue; // what another round or way hands over may be something else
    }
    Operation *def = value.getDefiningOp();
    if (auto call = dyn_cast<func::CallOp>(def)) {
      addHeard(call, part, scaler, heard, worklist, hearing);
      continue;
    }
    if (UnscaleOp unscale = getUnscaling(value, scaler); unscale && !isNegated)
      heard.gradients.insert_range(unscale.getGradients());
    SmallVector<Part> parts;
    if (losesRounds(part, scaler) || !addAllParts(part, scaler, parts))
      continue;
    SmallVector<Value, 2> alternatives =
        getAlternatives(def, cast<OpResult>(value).getResultNumber());
    bool isDisjunction = llvm::any_of(alternatives, [&](Value alternative) {
      return isConstant(alternative, !isNegated);
    });
    if (isDisjunction ||
        (alternatives.empty() && !isa<RegionBranchOpInterface>(def))) {
      llvm::append_range(worklist, parts);
      continue;
    }
    SmallVector<Heard> ways;
    for (Part way : parts)
      ways.push_back(findHeard(way, scaler, hearing));
    addCommon(def, ways, heard);
    if (std::optional<Part> start = getJoinedStart(part, scaler))
      worklist.push_back(*start);
  }
  return heard;
}

TransitionFlow::Heard TransitionFlow::findHeard(Part part,
                                                StringRef scaler) const {
  Hearing hearing;
  return findHeard(part, scaler, hearing);
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

const TransitionFlow::Told &TransitionFlow::getTold() const {
  if (told)
    return *told;
  told.emplace();
  llvm::DenseSet<Part> seen;
  SmallVector<Part> worklist;
  for (unsigned number = 0; number != guards.size(); ++number) {
    ApplyIfFiniteOp guard = guards[number];
    Part part{guard.getFoundInf(), false};
    told->guards[part].push_back(number);
    worklist.push_back(part);
  }
  while (!worklist.empty()) {
    Part part = worklist.pop_back_val();
    SmallVector<Part> parts;
    if (!seen.insert(part).second || !addAllParts(part, /*scaler=*/"", parts))
      continue;
    for (Part source : parts)
      told->targets[source].push_back(part);
    llvm::append_range(worklist, parts);
  }
  return *told;
}

SmallVector<ApplyIfFiniteOp>
TransitionFlow::findMaybeNegated(StringRef scaler) const {
  const Told &known = getTold();
  llvm::DenseSet<Part> seen;
  SmallVector<Part> worklist;
  for (Operation *unscale : operations.getUnscalings(scaler))
    worklist.emplace_back(cast<UnscaleOp>(unscale).getFoundInf(), true);
  SmallVector<unsigned> numbers;
  while (!worklist.empty()) {
    Part part = worklist.pop_back_val();
    if (!seen.insert(part).second)
      continue;
    llvm::append_range(numbers, known.guards.lookup(part));
    llvm::append_range(worklist, known.targets.lookup(part));
  }
  llvm::sort(numbers);
  return llvm::map_to_vector(numbers,
                             [&](unsigned number) { return guards[number]; });
}

bool TransitionFlow::comesFromUnscaling(Part told, bool isNegated,
                                        StringRef scaler,
                                        llvm::DenseSet<Part> &seen) const {
  SmallVector<Part> worklist{told};
  while (!worklist.empty()) {
    Part part = worklist.pop_back_val();
    if (!seen.insert(part).second)
      continue;
    if (part.second == isNegated && getUnscaling(part.first, scaler))
      return true;
    SmallVector<Part> parts;
    if (addAllParts(part, scaler, parts))
      llvm::append_range(worklist, parts);
  }
  return false;
}

ApplyIfFiniteOp TransitionFlow::findNegatedGuard(StringRef scaler) const {
  llvm::DenseSet<Part> seen;
  for (ApplyIfFiniteOp guard : findMaybeNegated(scaler))
    if (comesFromUnscaling({guard.getFoundInf(), false}, /*isNegated=*/true,
                           scaler, seen))
      return guard;
  return nullptr;
}

bool TransitionFlow::isKept(Value value) const {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value source = worklist.pop_back_val();
    if (!seen.insert(source).second)
      continue;
    for (OpOperand &use : source.getUses()) {
      auto function = dyn_cast<func::FuncOp>(use.getOwner()->getParentOp());
      if (!isa<func::ReturnOp>(use.getOwner()) || !function ||
          getFunctionKind(function) != FunctionKind::TrainStep)
        continue;
      RoleInfo info = getResultRole(function, use.getOperandNumber());
      if (info.is(Role::Param) || info.is(Role::Master) ||
          info.is(Role::OptState))
        return true;
    }
    if (auto it = getTargets().find(source); it != getTargets().end())
      llvm::append_range(worklist, it->second);
  }
  return false;
}

Operation *TransitionFlow::findNegatedChoice(StringRef scaler) const {
  auto isTrueWhereFound = [&](Part condition) {
    llvm::DenseSet<Part> seen;
    return comesFromUnscaling(condition, /*isNegated=*/false, scaler, seen);
  };
  auto isNegated = [&](Operation *op) {
    if (!isa<arith::SelectOp, scf::IfOp>(op) || op->getNumResults() == 0 ||
        !isFinding(op->getOperand(0), scaler))
      return false;
    for (OpResult result : op->getResults()) {
      SmallVector<Value, 2> ways =
          getAlternatives(op, result.getResultNumber());
      bool isTakenNew = isOverflowing(ways[0], scaler);
      if (isTakenNew != isOverflowing(ways[1], scaler) &&
          isa<FloatType>(getElementTypeOrSelf(result.getType())) &&
          isTrueWhereFound({op->getOperand(0), !isTakenNew}) && isKept(result))
        return true;
    }
    return false;
  };
  for (Operation *function : reached) {
    Operation *found = nullptr;
    function->walk([&](Operation *op) {
      if (!isNegated(op))
        return WalkResult::advance();
      found = op;
      return WalkResult::interrupt();
    });
    if (found)
      return found;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// True if `op` or what is in it advances `scaler`, or calls what does.
bool TransitionFlow::advances(Operation *op, StringRef scaler) const {
  std::optional<llvm::DenseSet<Operation *>> &advancing =
      ofScaler[scaler].advancing;
  if (!advancing) {
    advancing.emplace();
    for (Operation *inside : operations.findAdvancing(scaler))
      for (Operation *up = inside; up && advancing->insert(up).second;
           up = up->getParentOp())
        ;
  }
  return advancing->contains(op);
}

/// True if `branch` never runs the region that `op` is in.
static bool skipsRegion(scf::IfOp branch, Operation *op) {
  bool isThen = branch.getThenRegion().isAncestor(op->getParentRegion());
  return isConstant(branch.getCondition(), !isThen);
}

/// What of the operation that holds `op` keeps that from running once.
static std::optional<TransitionFlow::Decider::Kind> getDecision(Operation *op) {
  using Decider = TransitionFlow::Decider;
  Operation *around = op->getParentOp();
  if (isa<scf::ForallOp, scf::ParallelOp, tensor::GenerateOp, linalg::LinalgOp>(
          around))
    return Decider::ForEach;
  if (auto loop = dyn_cast<LoopLikeOpInterface>(around);
      loop && runsRound(loop) == false)
    return Decider::Never;
  if (auto branch = dyn_cast<scf::IfOp>(around);
      branch && skipsRegion(branch, op))
    return Decider::Never;
  return std::nullopt;
}

std::optional<TransitionFlow::Decider>
TransitionFlow::findDecider(UpdateScaleOp update) const {
  SmallVector<Operation *> worklist{update};
  llvm::DenseSet<Operation *> functions;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    for (; !isa<func::FuncOp>(op); op = op->getParentOp())
      if (std::optional<Decider::Kind> kind = getDecision(op))
        return Decider{op->getParentOp(), *kind};
    if (functions.insert(op).second)
      llvm::append_range(worklist, callers.lookup(op));
  }
  return std::nullopt;
}
