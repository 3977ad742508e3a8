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
// that tells what an update may have heard of; whether it does so surely is
// FindingFlow's to prove. A guard that takes the negation of what was found is
// looked for beside that with a sign, over what a flag follows by itself, the
// alternatives of choices and what is handed over.
//
//===----------------------------------------------------------------------===//

#include "TransitionFlow.h"

#include "Callees.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Analysis/LoopRounds.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
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
            else
              referredTo.insert(callee);
          }
        });
    });
  // No scaler's transitions end a way there.
  guardFlow = std::make_unique<FlagFlow>(symbols, handedOver, dominance);
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
  bool isSeen = true;
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
    } else {
      isSeen &= addSources(value, scaler, worklist);
    }
  }
  return isSeen;
}

ScalerFindings TransitionFlow::checkFindings(StringRef scaler,
                                             ArrayRef<UpdateScaleOp> updates,
                                             ArrayRef<Operation *> all) const {
  SmallVector<Operation *> unscalings;
  for (Operation *unscale : all)
    if (dominance.isReachableFromEntry(unscale->getBlock()))
      unscalings.push_back(unscale);
  llvm::DenseSet<Value> reaching;
  llvm::SetVector<Operation *> heard;
  for (UpdateScaleOp update : updates)
    findUnscalings(update.getFoundInf(), scaler, reaching, heard);
  SmallVector<func::FuncOp> steps;
  for (Operation *each : reached)
    if (auto step = cast<func::FuncOp>(each);
        getFunctionKind(step) == FunctionKind::TrainStep)
      steps.push_back(step);
  auto getCalls = [&](func::FuncOp function) { return getCallers(function); };
  auto reachesTransition = [&](Value value) {
    return reaching.contains(value);
  };
  auto hasTransition = [&](Operation *op) { return advances(op, scaler); };
  auto isReferredTo = [&](func::FuncOp function) {
    return referredTo.contains(function);
  };
  FindingQueries queries{getCalls, reachesTransition, hasTransition,
                         isReferredTo, steps};
  FindingFlow findings(scaler, symbols, queries, handedOver, dominance);
  ScalerFindings checked;
  checked.lost = findings.findLost(unscalings, updates);
  if (checked.lost.empty())
    checked.toldTwice = findings.findToldTwice(unscalings, updates);
  return checked;
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

UnscaleOp TransitionFlow::getUnscaling(Value value, StringRef scaler) {
  auto unscale = value.getDefiningOp<UnscaleOp>();
  return unscale && unscale.getScaler() == scaler &&
                 value == unscale.getFoundInf()
             ? unscale
             : UnscaleOp();
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

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

/// The two values one of which `def` chooses; none if it is no such choice.
static SmallVector<Value, 2> getAlternatives(Operation *def, unsigned number) {
  if (auto select = dyn_cast<arith::SelectOp>(def))
    return {select.getTrueValue(), select.getFalseValue()};
  if (auto branch = dyn_cast<scf::IfOp>(def))
    return {branch.thenYield().getOperand(number),
            branch.elseYield().getOperand(number)};
  if (auto guard = dyn_cast<ApplyIfFiniteOp>(def))
    return {guard.getKept()[number],
            guard.getBody().front().getTerminator()->getOperand(number)};
  return {};
}

void TransitionFlow::addSigned(BlockArgument argument, bool isNegated,
                               SmallVectorImpl<Part> &parts) const {
  Block *block = argument.getOwner();
  unsigned number = argument.getArgNumber();
  if (!block->isEntryBlock()) {
    for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
      unsigned index = it.getSuccessorIndex();
      auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
      Value operand =
          branch ? branch.getSuccessorOperands(index)[number] : Value();
      if (!operand)
        continue;
      parts.emplace_back(operand, isNegated);
      auto conditional = dyn_cast<cf::CondBranchOp>(*branch);
      if (conditional && isConstantFlag(parts.back()))
        parts.emplace_back(conditional.getCondition(), index != 0);
    }
    return;
  }
  Operation *parent = block->getParentOp();
  if (auto op = dyn_cast<RegionBranchOpInterface>(parent))
    for (OpOperand *operand : handedOver.getSources(op, argument))
      parts.emplace_back(operand->get(), isNegated);
  for (func::CallOp call : callers.lookup(parent))
    parts.emplace_back(call.getOperand(number), isNegated);
}

void TransitionFlow::addSigned(Part part, SmallVectorImpl<Part> &parts) const {
  auto [value, isNegated] = part;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return addSigned(argument, isNegated, parts);
  Operation *def = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto call = dyn_cast<func::CallOp>(def)) {
    func::FuncOp callee = getCallee(call, symbols);
    if (callee && !callee.isExternal())
      for (Operation *end : getReturns(callee))
        parts.emplace_back(end->getOperand(number), isNegated);
    return;
  }
  for (auto [index, way] : llvm::enumerate(getAlternatives(def, number))) {
    parts.emplace_back(way, isNegated);
    if (isConstantFlag(parts.back()))
      parts.emplace_back(def->getOperand(0), index != 0);
  }
  if (auto op = dyn_cast<RegionBranchOpInterface>(def))
    for (OpOperand *operand : handedOver.getSources(op, value))
      parts.emplace_back(operand->get(), isNegated);
  else
    addSufficient(part, parts);
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
    if (!seen.insert(part).second)
      continue;
    addSigned(part, parts);
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
    addSigned(part, worklist);
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
  return isConstantFlag({branch.getCondition(), isThen});
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
