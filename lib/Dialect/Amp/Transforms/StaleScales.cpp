//===- StaleScales.cpp - Scaled values that a scale outruns ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In each function that advances a scaler: backwards from what unscales (an
// amp.unscale, a call of a function with one, a return of what is still scaled)
// over values that carry the scale or were computed from one that does, as a
// comparison of two, and for each use on the way of one that carries it,
// whether a transition lies between definition and use. In one block that is a
// matter of order. What stands in a loop with a transition, and reads what
// comes from outside, reads it again after that; among blocks a transition lies
// between if the definition reaches it and it reaches the use.
//
//===----------------------------------------------------------------------===//

#include "StaleScales.h"

#include "Callees.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Support/AllocationOrder.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Which values carry one scale: a power of it, or what a caller hands over
/// that does.
class ScaledValues {
public:
  ScaledValues(ModuleOp module, const SymbolTable &symbols,
               const ScaleDegreeAnalysis &analysis, unsigned scale);

  bool contains(Value value, func::FuncOp function) const;
  DegreeId getDegree(Value value) const { return analysis.lookup(value); }
  /// True if an overflow of the scale may have come into a value of `degree`.
  bool isIn(DegreeId degree, func::FuncOp function) const;

private:
  const ScaleDegreeAnalysis &analysis;
  unsigned scale;
  /// Arguments that a call gives such a value.
  llvm::DenseSet<std::pair<Operation *, unsigned>> arguments;
};

/// One scaler in one function.
class StaleScaleFinder {
public:
  /// `advances` and `unscales` say that of single operations, calls included.
  StaleScaleFinder(func::FuncOp function, const ScaledValues &carrying,
                   llvm::function_ref<bool(Operation *)> advances,
                   llvm::function_ref<bool(Operation *)> unscales);

  std::optional<StaleScale> find(StringRef scaler);

private:
  void addScaled(ValueRange values);
  void addSources(Value value);
  Operation *findBetween(Block *block, Operation *after, Operation *use) const;
  Operation *findBetween(Value value, Operation *use) const;

  func::FuncOp function;
  const ScaledValues &carrying;
  /// Operations that advance the scaler or contain one that does, in order.
  struct Transitions {
    SmallVector<Operation *> ops;
    /// Blocks of the same region from which the block is reached, and that are
    /// reached from it.
    llvm::DenseSet<Block *> before, behind;
  };
  llvm::MapVector<Block *, Transitions> transitions;
  llvm::DenseSet<Operation *> isTransition;
  /// Scaled values on the way to an unscaling, and what is computed from some.
  AllocationOrderSet<Value> scaled;
  /// Whether the scale is in what has a degree.
  llvm::DenseMap<DegreeId, bool> isIn;
  SmallVector<Value> worklist;
  SmallVector<Operation *> ends;
  /// Operations that bring a scaled value on the way, by a result or inside.
  llvm::DenseSet<Operation *> sources;
};
} // namespace

bool ScaledValues::contains(Value value, func::FuncOp function) const {
  const ScaleDegree &degree = analysis.getTable()[analysis.lookup(value)];
  unsigned numScales = analysis.getScales().size();
  return degree.kind == ScaleDegree::Known &&
         llvm::any_of(degree.form.getTerms(), [&](LinearForm::Term term) {
           return term.first == scale ||
                  (term.first >= numScales &&
                   arguments.contains({function, term.first - numScales}));
         });
}

bool ScaledValues::isIn(DegreeId degree, func::FuncOp function) const {
  const DegreeTable &table = analysis.getTable();
  return llvm::is_contained(table.getOverflows(degree), scale) ||
         llvm::any_of(table.getOverflowingArguments(degree),
                      [&](unsigned argument) {
                        return arguments.contains({function, argument});
                      });
}

ScaledValues::ScaledValues(ModuleOp module, const SymbolTable &symbols,
                           const ScaleDegreeAnalysis &analysis, unsigned scale)
    : analysis(analysis), scale(scale) {
  llvm::MapVector<func::FuncOp, SmallVector<func::CallOp>> callsOf;
  module.walk([&](func::CallOp call) {
    callsOf[call->getParentOfType<func::FuncOp>()].push_back(call);
  });
  SmallVector<func::FuncOp> pending;
  for (auto &[function, calls] : callsOf)
    pending.push_back(function);
  while (!pending.empty()) {
    func::FuncOp function = pending.pop_back_val();
    for (func::CallOp call : callsOf.lookup(function))
      for (auto [index, operand] : llvm::enumerate(call.getOperands()))
        if (func::FuncOp callee = getCallee(call, symbols);
            callee && contains(operand, function) &&
            arguments.insert({callee, index}).second)
          pending.push_back(callee);
  }
}

StaleScaleFinder::StaleScaleFinder(
    func::FuncOp function, const ScaledValues &carrying,
    llvm::function_ref<bool(Operation *)> advances,
    llvm::function_ref<bool(Operation *)> unscales)
    : function(function), carrying(carrying) {
  bool isStep = getFunctionKind(function) == FunctionKind::TrainStep;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (advances(op))
      for (Operation *up = op; up != function && isTransition.insert(up).second;
           up = up->getParentOp())
        transitions[up->getBlock()].ops.push_back(up);
    // What a train step returns scaled is an error by itself.
    if (unscales(op) || (isa<func::ReturnOp>(op) && !isStep))
      ends.push_back(op);
  });
}

void StaleScaleFinder::addScaled(ValueRange values) {
  for (Value value : values) {
    DegreeId degree = carrying.getDegree(value);
    auto [it, isNew] = isIn.try_emplace(degree);
    if (isNew)
      it->second = carrying.isIn(degree, function);
    if ((it->second || carrying.contains(value, function)) &&
        scaled.insert(value).second)
      worklist.push_back(value);
  }
}

/// What `value` is computed from or handed over for.
void StaleScaleFinder::addSources(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def) {
    Block *block = cast<BlockArgument>(value).getOwner();
    if (block->getParentOp() == function)
      for (Block *predecessor : block->getPredecessors())
        addScaled(predecessor->getTerminator()->getOperands());
    else
      def = block->getParentOp();
  }
  if (!def || !sources.insert(def).second)
    return;
  addScaled(def->getOperands());
  for (Region &region : def->getRegions())
    for (Block &block : region)
      if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
        addScaled(block.back().getOperands());
}

/// The blocks that a walk by `next` comes to from `block`, itself only if it
/// comes back.
template <typename Next>
static llvm::DenseSet<Block *> findReached(Block *block, Next next) {
  llvm::DenseSet<Block *> reached;
  SmallVector<Block *> pending(next(block));
  while (!pending.empty())
    if (Block *other = pending.pop_back_val(); reached.insert(other).second)
      llvm::append_range(pending, next(other));
  return reached;
}

/// The first transition that a run of `block` comes to behind `after`, or
/// behind its start, and before `use`, which is inside of the block's region.
Operation *StaleScaleFinder::findBetween(Block *block, Operation *after,
                                         Operation *use) const {
  Operation *user = block->getParent()->findAncestorOpInRegion(*use);
  auto it = transitions.find(block);
  if (it != transitions.end()) {
    const Transitions &inside = it->second;
    const auto *next = llvm::partition_point(inside.ops, [&](Operation *op) {
      return after && !after->isBeforeInBlock(op);
    });
    if (next != inside.ops.end() &&
        (user->getBlock() != block || (*next)->isBeforeInBlock(user)))
      return user->getBlock() == block ||
                     inside.behind.contains(user->getBlock())
                 ? *next
                 : nullptr;
  }
  if (user->getBlock() != block)
    for (auto &[other, inside] : transitions) {
      if (other == block || !inside.before.contains(block))
        continue;
      if ((other == user->getBlock() &&
           inside.ops.front()->isBeforeInBlock(user)) ||
          inside.behind.contains(user->getBlock()))
        return inside.ops.front();
    }
  if (user == use || !isTransition.contains(user))
    return nullptr;
  if (isa<LoopLikeOpInterface>(user))
    return user; // read again in the next round
  Region *inner = use->getParentRegion();
  while (inner->getParentOp() != user)
    inner = inner->getParentOp()->getParentRegion();
  return findBetween(&inner->front(), nullptr, use);
}

Operation *StaleScaleFinder::findBetween(Value value, Operation *use) const {
  return findBetween(value.getParentBlock(), value.getDefiningOp(), use);
}

std::optional<StaleScale> StaleScaleFinder::find(StringRef scaler) {
  if (transitions.empty())
    return std::nullopt;
  for (auto &[block, inside] : transitions) {
    inside.before = findReached(
        block, [](Block *other) { return other->getPredecessors(); });
    inside.behind =
        findReached(block, [](Block *other) { return other->getSuccessors(); });
  }
  for (Operation *end : ends)
    addScaled(end->getOperands());
  SmallVector<Value> all;
  while (!worklist.empty()) {
    all.push_back(worklist.back());
    addSources(worklist.pop_back_val());
  }
  llvm::DenseSet<Operation *> isEnd(ends.begin(), ends.end());
  for (Value value : all) {
    if (!carrying.contains(value, function))
      continue;
    for (Operation *user : value.getUsers()) {
      bool leads = isEnd.contains(user) || sources.contains(user) ||
                   user->hasTrait<OpTrait::IsTerminator>();
      if (Operation *transition = leads ? findBetween(value, user) : nullptr)
        return StaleScale{value, user, transition, scaler};
    }
  }
  return std::nullopt;
}

/// The functions with an operation that `isOne`, and those that call them.
static llvm::DenseSet<Operation *>
findFunctionsWith(ModuleOp module,
                  llvm::function_ref<bool(Operation *)> isOne) {
  llvm::DenseMap<StringRef, SmallVector<func::FuncOp>> callers;
  SmallVector<func::FuncOp> pending;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        callers[call.getCallee()].push_back(function);
      else if (isOne(op))
        pending.push_back(function);
    });
  llvm::DenseSet<Operation *> found;
  while (!pending.empty()) {
    func::FuncOp function = pending.pop_back_val();
    if (found.insert(function).second)
      llvm::append_range(pending, callers.lookup(function.getName()));
  }
  return found;
}

SmallVector<StaleScale>
mlir::amp::findStaleScales(ModuleOp module,
                           const ScaleDegreeAnalysis &analysis) {
  SmallVector<StaleScale> found;
  SymbolTable symbols(module);
  for (auto scaler : module.getOps<ScalerOp>()) {
    ArrayRef<StringRef> scales = analysis.getScales();
    unsigned scale = llvm::find(scales, scaler.getSymName()) - scales.begin();
    if (scaler.getStaticScale() || scale == scales.size())
      continue;
    auto advances = [&](Operation *op) {
      auto update = dyn_cast<UpdateScaleOp>(op);
      return update && update.getScaler() == scaler.getSymName();
    };
    auto unscales = [&](Operation *op) {
      auto unscale = dyn_cast<UnscaleOp>(op);
      return unscale && unscale.getScaler() == scaler.getSymName();
    };
    auto advancing = findFunctionsWith(module, advances);
    auto unscaling = findFunctionsWith(module, unscales);
    ScaledValues carrying(module, symbols, analysis, scale);
    auto calls = [&](Operation *op, const llvm::DenseSet<Operation *> &which) {
      auto call = dyn_cast<func::CallOp>(op);
      return call && which.contains(getCallee(call, symbols));
    };
    for (auto function : module.getOps<func::FuncOp>())
      if (advancing.contains(function))
        if (std::optional<StaleScale> stale =
                StaleScaleFinder(
                    function, carrying,
                    [&](Operation *op) {
                      return advances(op) || calls(op, advancing);
                    },
                    [&](Operation *op) {
                      return unscales(op) || calls(op, unscaling);
                    })
                    .find(scales[scale]))
          found.push_back(*stale);
  }
  return found;
}
