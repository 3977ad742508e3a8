//===- GuardUpdates.cpp - An overflow leaves every state as it was --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in the order of the program carries beside each value that an
// overflow may have come into a tensor<i1> that says whether it has: what
// amp.unscale found, joined over operands, and handed through loops, branches
// and blocks as one value more. So a predicate is exact wherever its value is:
// the gradients that a loop hands to its next round bring the overflow of the
// round that computed them. OverflowReach says beforehand which values those
// are; nothing is carried beside the others.
//
// Guards are of two forms. A call of an optimizer step moves into an
// amp.apply_if_finite with what its operands bring. A new state that the train
// step computes itself, in any other way, is kept at the place where it leaves
// its region: the return, or the yield of a loop or branch that contains the
// step. The states of a place fall into units: those that are computed from
// each other's old or new values. A unit takes one predicate, the union of its
// members'; a state that reads nothing (a count of steps) takes that of the
// unit that reads it, or of all.
//
// A guarded value is clean, so a model that is called with it after the step
// brings nothing into the next gradients, and independent optimizers skip
// independently.
//
// Linear in operations and uses, times the number of backward passes.
//
//===----------------------------------------------------------------------===//

#include "Callees.h"
#include "ModulePolicy.h"
#include "OverflowReach.h"

#include "amp/Analysis/ValueOrigins.h"
#include "amp/Dialect/Amp/Transforms/IndexSwitchToIf.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <map>

#define DEBUG_TYPE "amp-guard-updates"

namespace mlir::amp {
#define GEN_PASS_DEF_GUARDUPDATESPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// A place where a new state leaves its region: operand `index` of a
/// terminator, or of a loop that takes it as its start.
struct Slot {
  unsigned index;
  /// What a skipped step has there instead.
  Value old;
  RoleInfo info;
};

/// An operand of an operation that stays while others are replaced.
using Place = std::pair<Operation *, unsigned>;

/// What may become of an accumulator at the end of a call.
struct Window {
  /// The sum goes on, or a new one begins.
  bool goesOn = false;
  /// The program resets it to what no overflow is in.
  bool isReset = false;
  /// Operands by which the program resets it to what an infinity survives.
  SmallVector<Place> dirtyResets;
};

/// What the guards of a step have to know of the options.
struct GuardOptions {
  bool skipOnOverflow, keepFiniteSums;
};

class StepGuard {
public:
  StepGuard(func::FuncOp step, GuardOptions options)
      : step(step), options(options), reach(guardedPlaces),
        builder(step.getContext()) {}

  LogicalResult run();
  unsigned getNumGuards() const { return guards.size(); }

private:
  const ArgumentIndex &getArguments(func::FuncOp function);
  std::optional<unsigned> findArgument(func::FuncOp function, RoleInfo info,
                                       Type type);
  Value findHalfCopy(func::CallOp call, StringRef name, Type type);
  /// What an operation calls, by its roles; `Other` for what is no call.
  FunctionKind getKind(Operation *op);

  // Before the walk.
  bool findSources();
  void findSlots();
  void findSlotsInside(Operation *owner, Slot slot);
  void addSlot(Operation *owner, Slot slot);
  bool containsStep(Operation *op);
  llvm::DenseSet<Operation *> findSlice(Operation *owner);
  void findUpdates();
  void followReads(SmallVector<Value> values, llvm::DenseSet<Value> &seen,
                   function_ref<void(Operation *)> visit);
  void releaseCounters();

  // The walk.
  LogicalResult walkRegion(Region &region);
  LogicalResult enterBlock(Block &block);
  LogicalResult checkCondition(Operation *end);
  void closeLoops();
  void dropCommonArgument(BlockArgument argument);
  LogicalResult walkBlock(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult visitFor(scf::ForOp loop);
  LogicalResult visitIf(scf::IfOp branch);
  void visitSelect(arith::SelectOp select);
  LogicalResult visitOpaque(Operation *op);
  LogicalResult guardCall(func::CallOp call);
  void guardAccumulation(Operation *add);
  bool isHandedOnAsOld(Value value, Operation *user);
  bool isKept(Value value, const Slot &slot);
  void addDirtyBuffers(Operation *end);
  LogicalResult guardSlots(Operation *owner);
  void replaceLaterUses(Value value, ApplyIfFiniteOp guard, Value guarded,
                        Value kept);
  bool isAccumulator(Value value);
  bool isRunningSum(Value value);
  SmallVector<Place> getHandedOn(Value value);
  LogicalResult findWindow(Place end, Window &window);
  LogicalResult clearAccumulators(Operation *end);
  void removeUnused();

  // Rewrites.
  scf::IfOp addResults(scf::IfOp branch, ArrayRef<Value> yes,
                       ArrayRef<Value> no);
  scf::ForOp addIterArgs(scf::ForOp loop, ArrayRef<Value> starts);
  void replaceResults(Operation *from, Operation *to);
  ApplyIfFiniteOp createGuard(Location loc, Value any, ValueRange kept,
                              ValueRange values);

  // Predicates.
  SmallVector<SmallVector<unsigned>>
  groupBySources(ArrayRef<SmallVector<Value>> values) const;
  bool hasSource(Operation *op) const { return opsWithSources.contains(op); }
  Value join(ArrayRef<Value> predicates);
  Value joinOf(ValueRange values);
  Value joinOf(ValueRange values, ArrayRef<unsigned> numbers);
  BlockArgument addPredicate(Block &block);
  Value orFalse(Value predicate);
  SmallVector<Place> getSkipReads(Value value);
  Value getRepresentative(Value value);
  Value lookupSkip(Value value);
  Value findSkip(Value value);
  Value getSkipped(Place place);
  Value handOutSkip(scf::IfOp branch, unsigned number);
  Value handOutSkip(scf::ForOp loop, unsigned number);
  Value handOutSkip(BlockArgument argument);
  Value testFinite(Value accumulator);

  func::FuncOp step;
  GuardOptions options;
  OverflowReach::Guarded guardedPlaces;
  OverflowReach reach;
  OpBuilder builder;

  /// Arguments of the step and of its callees by role and name.
  llvm::DenseMap<Operation *, ArgumentIndex> arguments;
  /// Of calls: telling it takes looking at all roles of the callee.
  llvm::DenseMap<Operation *, FunctionKind> kinds;
  llvm::MapVector<Operation *, SmallVector<Slot>> slots;
  /// Operations that new states are computed by, in the regions that they
  /// leave.
  llvm::DenseSet<Operation *> updates;
  /// Values that new states are computed from, one by one through branches.
  llvm::DenseSet<Value> readByUpdates;
  /// New parameters, which whatever is no part of an update takes guarded.
  llvm::DenseSet<Value> newParams;
  /// Results of loops and branches whose guards stand inside.
  llvm::DenseSet<Value> guardedInside;
  /// What each amp.unscale contributes; those that skip nothing are not in it.
  llvm::DenseSet<Operation *> sources;
  /// Operations that contain one of them.
  llvm::DenseSet<Operation *> opsWithSources;
  /// Sums come from earlier calls, and may bring an infinity.
  bool hasAccumulators = false;
  /// Answers of containsStep.
  llvm::DenseMap<Operation *, bool> stepsInside;
  /// Whether an overflow came into a value and no guard has kept it away.
  llvm::DenseMap<Value, Value> found;
  /// amp.apply_if_finite operations made here.
  llvm::SetVector<Operation *> guards;
  /// Joins by block and operands, and all operations that may be unused.
  llvm::DenseMap<std::tuple<Block *, Value, Value>, Value> joined;
  SmallVector<Operation *> created;
  /// Whether a step that a value is computed by was skipped, once asked; the
  /// others that were asked for.
  llvm::DenseMap<Value, Value> skipped;
  llvm::DenseSet<Value> neverSkipped;
  /// Arguments whose skip is asked for again by what they are computed from.
  llvm::DenseMap<Value, BlockArgument> skipsInCycles;
  /// Blocks that were walked, and arguments of those that were entered before
  /// all blocks that lead to them: predicate, arguments that it is for.
  llvm::DenseSet<Block *> walked;
  SmallVector<std::pair<BlockArgument, SmallVector<unsigned>>> openArguments;
  /// Skips handed out of branches and loops: terminator, one for each region.
  llvm::DenseMap<std::tuple<Operation *, Value, Value>, Value> handedOut;
  /// Sums so far that start at an accumulator, where finite sums are kept.
  llvm::DenseSet<Value> sums;
};
} // namespace

static RankedTensorType getPredicateType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 1));
}

/// What the branches to its block hand over for `argument`.
static SmallVector<Value> getIncoming(BlockArgument argument) {
  SmallVector<Value> incoming;
  Block *block = argument.getOwner();
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it)
    if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator())) {
      SuccessorOperands handed =
          branch.getSuccessorOperands(it.getSuccessorIndex());
      if (argument.getArgNumber() < handed.size())
        if (Value operand = handed[argument.getArgNumber()])
          incoming.push_back(operand);
    }
  return incoming;
}

//===----------------------------------------------------------------------===//
// Before the walk
//===----------------------------------------------------------------------===//

const ArgumentIndex &StepGuard::getArguments(func::FuncOp function) {
  return arguments.try_emplace(function, function).first->second;
}

FunctionKind StepGuard::getKind(Operation *op) {
  auto call = dyn_cast_if_present<func::CallOp>(op);
  if (!call)
    return FunctionKind::Other;
  auto [it, isNew] = kinds.try_emplace(op, FunctionKind::Other);
  if (isNew)
    it->second = getCalleeKind(call);
  return it->second;
}

/// The argument of `function` with the role and name of `info` and this type.
std::optional<unsigned> StepGuard::findArgument(func::FuncOp function,
                                                RoleInfo info, Type type) {
  for (unsigned number : getArguments(function).find(info.role, info.name))
    if (function.getArgumentTypes()[number] == type)
      return number;
  return std::nullopt;
}

/// Finds what may bring an overflow; false if nothing does.
bool StepGuard::findSources() {
  unsigned number = 0;
  bool isScaled = false;
  step.walk([&](UnscaleOp unscale) {
    // One whose transition was left to the next hands on what it found.
    bool isChecked =
        llvm::any_of(unscale.getFoundInf().getUsers(),
                     [](Operation *user) { return isa<UpdateScaleOp>(user); });
    auto scaler = SymbolTable::lookupNearestSymbolFrom<ScalerOp>(
        unscale, unscale.getScalerAttr());
    if (!isChecked ||
        (scaler && scaler.getStaticScale() && !options.skipOnOverflow))
      return;
    sources.insert(unscale);
    for (Value gradient : unscale.getUnscaled())
      reach.addSource(gradient, number);
    ++number;
    for (Operation *op = unscale; op != step; op = op->getParentOp())
      opsWithSources.insert(op);
  });
  step.walk([&](func::CallOp call) {
    if (getKind(call) != FunctionKind::ForwardBackward ||
        llvm::none_of(call.getOperands(), [](Value operand) {
          return operand.getDefiningOp<ScaleLossOp>();
        }))
      return;
    func::FuncOp callee = getCallee(call);
    for (OpResult result : call.getResults())
      if (getResultRole(callee, result.getResultNumber()).is(Role::Grad)) {
        reach.addScaled(result);
        isScaled = true;
      }
  });
  if (number == 0)
    return isScaled;
  builder.setInsertionPointToStart(&step.getBody().front());
  for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i) {
    BlockArgument argument = step.getArgument(i);
    if (!getArgRole(step, i).is(Role::Accumulator) ||
        !isa<FloatType>(getElementTypeOrSelf(argument.getType())))
      continue;
    if (options.keepFiniteSums) {
      sums.insert(argument);
      continue;
    }
    hasAccumulators = true;
    // An infinity of an earlier call.
    reach.addSource(argument, number++);
    found[argument] = testFinite(argument);
  }
  return true;
}

/// any(x - x != 0): true if an element of `accumulator` is inf or NaN.
Value StepGuard::testFinite(Value accumulator) {
  Location loc = accumulator.getLoc();
  auto type = cast<RankedTensorType>(accumulator.getType());
  auto constant = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(getPredicateType(builder.getContext()), false));
  SmallVector<AffineMap> maps = {
      builder.getMultiDimIdentityMap(type.getRank()),
      AffineMap::get(type.getRank(), 0, builder.getContext())};
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::reduction);
  auto test = linalg::GenericOp::create(
      builder, loc, constant.getType(), accumulator, constant.getResult(), maps,
      iterators, [](OpBuilder &inside, Location loc, ValueRange arguments) {
        Value difference =
            arith::SubFOp::create(inside, loc, arguments[0], arguments[0]);
        Value isBad = arith::CmpFOp::create(
            inside, loc, arith::CmpFPredicate::UNO, difference, difference);
        Value any = arith::OrIOp::create(inside, loc, arguments[1], isBad);
        linalg::YieldOp::create(inside, loc, any);
      });
  created.push_back(constant);
  created.push_back(test);
  return test.getResult(0);
}

/// True for a loop or branch that contains a backward pass or an optimizer
/// step.
bool StepGuard::containsStep(Operation *op) {
  auto [it, isNew] = stepsInside.try_emplace(op, hasSource(op));
  if (isNew && !it->second)
    it->second = op->walk([&](func::CallOp call) {
                     return getKind(call) == FunctionKind::OptimizerStep
                                ? WalkResult::interrupt()
                                : WalkResult::advance();
                   }).wasInterrupted();
  return it->second;
}

void StepGuard::addSlot(Operation *owner, Slot slot) {
  slots[owner].push_back(slot);
  guardedPlaces.insert({owner, slot.index});
  findSlotsInside(owner, slot);
}

/// A loop or branch that contains the step guards inside, round by round.
void StepGuard::findSlotsInside(Operation *owner, Slot slot) {
  auto result = dyn_cast<OpResult>(owner->getOperand(slot.index));
  if (!result || !isa<scf::ForOp, scf::IfOp>(result.getOwner()) ||
      !containsStep(result.getOwner()))
    return;
  unsigned number = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
    if (!guardedInside.insert(result).second)
      return;
    Slot inside{number, loop.getRegionIterArg(number), slot.info};
    addSlot(loop.getBody()->getTerminator(), inside);
    if (Value start = loop.getInitArgs()[number]; start != slot.old)
      addSlot(loop,
              {number + loop.getNumControlOperands(), slot.old, slot.info});
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
    if (!guardedInside.insert(result).second)
      return;
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      addSlot(region->front().getTerminator(), {number, slot.old, slot.info});
  }
}

void StepGuard::findSlots() {
  step.walk([&](func::ReturnOp end) {
    for (unsigned i = 0, e = step.getNumResults(); i != e; ++i) {
      RoleInfo info = getResultRole(step, i);
      if (!isKeptOnSkip(info.role))
        continue;
      Value old;
      if (std::optional<unsigned> argument =
              findArgument(step, info, end.getOperand(i).getType()))
        old = step.getArgument(*argument);
      if (end.getOperand(i) != old)
        addSlot(end, {i, old, info});
    }
  });
}

/// What the new states of `owner` are computed by, in its region, from the
/// gradients on.
llvm::DenseSet<Operation *> StepGuard::findSlice(Operation *owner) {
  Region *region = owner->getParentRegion();
  llvm::DenseSet<Operation *> slice;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist;
  for (const Slot &slot : slots[owner])
    worklist.push_back(owner->getOperand(slot.index));
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Block *block = argument.getOwner();
      if (block->getParent() == region && !block->isEntryBlock())
        llvm::append_range(worklist, getIncoming(argument));
      continue;
    }
    Operation *def = region->findAncestorOpInRegion(*value.getDefiningOp());
    if (!def || isa<UnscaleOp>(def))
      continue;
    if (getKind(def) == FunctionKind::ForwardBackward)
      continue;
    if (slice.insert(def).second)
      llvm::append_range(worklist, getReadValues(def));
  }
  return slice;
}

/// A value that a new parameter is, and that is nothing else as well: no old
/// state, no gradient, no loss.
void StepGuard::findUpdates() {
  for (auto &[owner, members] : slots)
    updates.insert_range(findSlice(owner));
  for (auto &[owner, members] : slots)
    for (const Slot &slot : members) {
      if (slot.info.role == Role::OptState)
        continue;
      Value value = owner->getOperand(slot.index);
      if (value.getParentRegion() != owner->getParentRegion())
        continue;
      auto argument = dyn_cast<BlockArgument>(value);
      if (argument ? !argument.getOwner()->isEntryBlock()
                   : updates.contains(value.getDefiningOp()))
        newParams.insert(value);
    }
  SmallVector<Value> states;
  for (auto &[owner, members] : slots)
    for (const Slot &slot : members)
      states.push_back(owner->getOperand(slot.index));
  followReads(std::move(states), readByUpdates, [](Operation *) {});
}

/// Adds to `seen` all that `values` are computed from, and calls `visit` with
/// the operations that compute it.
void StepGuard::followReads(SmallVector<Value> values,
                            llvm::DenseSet<Value> &seen,
                            function_ref<void(Operation *)> visit) {
  llvm::DenseSet<Value> followed;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (Operation *def = value.getDefiningOp())
      visit(def);
    SmallVector<Place> places = getHandedOn(value);
    if (places.empty()) {
      if (!followed.insert(getRepresentative(value)).second)
        continue;
      places = getSkipReads(value);
    }
    for (auto [op, operand] : places)
      values.push_back(op->getOperand(operand));
  }
}

/// A state that decides where a window ends, and that no gradient comes into,
/// counts calls and not steps: it goes on with the window that a skip drops.
void StepGuard::releaseCounters() {
  SmallVector<Value> accumulators;
  for (func::ReturnOp end : step.getOps<func::ReturnOp>())
    for (unsigned i = 0, e = step.getNumResults(); i != e; ++i)
      if (getResultRole(step, i).is(Role::Accumulator))
        accumulators.push_back(end.getOperand(i));
  if (accumulators.empty())
    return;
  llvm::DenseSet<Value> seen, conditions;
  followReads(std::move(accumulators), seen, [&](Operation *def) {
    if (isa<scf::IfOp, arith::SelectOp>(def) &&
        def->getOperand(0).getType().isInteger(1))
      conditions.insert(def->getOperand(0));
  });
  for (Block &block : step.getBody())
    if (Operation *end = block.getTerminator(); end->getNumSuccessors() > 1)
      conditions.insert_range(end->getOperands());
  seen.clear();
  followReads(llvm::to_vector(conditions), seen, [](Operation *) {});
  llvm::StringSet<> released;
  for (func::ReturnOp end : step.getOps<func::ReturnOp>())
    for (const Slot &slot : slots.lookup(end)) {
      Value value = end.getOperand(slot.index);
      if (slot.info.role == Role::OptState && !reach.isReached(value) &&
          !reach.getScaledOrigin(value) &&
          (seen.contains(value) || seen.contains(slot.old)))
        released.insert(slot.info.name);
    }
  if (!released.empty())
    for (auto &[owner, members] : slots)
      llvm::erase_if(members, [&](const Slot &slot) {
        return slot.info.role == Role::OptState &&
               released.contains(slot.info.name);
      });
}

/// True if `user` is no part of an update and takes the new parameter `value`
/// as a skipped step leaves it.
bool StepGuard::isHandedOnAsOld(Value value, Operation *user) {
  return newParams.contains(value) &&
         !updates.contains(
             value.getParentRegion()->findAncestorOpInRegion(*user));
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

/// The union of `predicates` at the builder's place; null for none. Null
/// elements are false.
Value StepGuard::join(ArrayRef<Value> predicates) {
  llvm::SetVector<Value> distinct;
  for (Value predicate : predicates)
    if (predicate)
      distinct.insert(predicate);
  Value any;
  Block *block = builder.getInsertionBlock();
  for (Value predicate : distinct) {
    if (!any) {
      any = predicate;
      continue;
    }
    auto key = std::make_tuple(block, any, predicate);
    Value &known = joined[key];
    // One made for a later place of this block is of no use here.
    bool isBefore =
        known && builder.getInsertionPoint() != block->end() &&
        known.getDefiningOp()->isBeforeInBlock(&*builder.getInsertionPoint());
    if (!isBefore && !(known && builder.getInsertionPoint() == block->end())) {
      known = arith::OrIOp::create(builder, predicate.getLoc(), any, predicate);
      created.push_back(known.getDefiningOp());
    }
    any = known;
  }
  return any;
}

Value StepGuard::joinOf(ValueRange values) {
  SmallVector<Value> predicates;
  for (Value value : values)
    if (Value predicate = found.lookup(value))
      predicates.push_back(predicate);
  return join(predicates);
}

Value StepGuard::joinOf(ValueRange values, ArrayRef<unsigned> numbers) {
  return joinOf(llvm::map_to_vector(
      numbers, [&](unsigned number) { return values[number]; }));
}

/// Numbers of those lists whose first value an overflow may have come into, in
/// groups that have the same sources in each place: one predicate serves a
/// group.
SmallVector<SmallVector<unsigned>>
StepGuard::groupBySources(ArrayRef<SmallVector<Value>> values) const {
  SmallVector<SmallVector<llvm::SmallBitVector>> keys;
  SmallVector<SmallVector<unsigned>> groups;
  for (auto [number, list] : llvm::enumerate(values)) {
    if (!reach.isReached(list.front()))
      continue;
    SmallVector<llvm::SmallBitVector> key;
    for (Value value : list)
      key.push_back(reach.getSources(value));
    unsigned group = llvm::find(keys, key) - keys.begin();
    if (group == keys.size()) {
      keys.push_back(std::move(key));
      groups.emplace_back();
    }
    groups[group].push_back(number);
  }
  return groups;
}

/// One more argument of `block`, which every branch to it hands false for.
BlockArgument StepGuard::addPredicate(Block &block) {
  BlockArgument argument =
      block.addArgument(getPredicateType(builder.getContext()), step.getLoc());
  for (auto it = block.pred_begin(); it != block.pred_end(); ++it) {
    Operation *end = (*it)->getTerminator();
    builder.setInsertionPoint(end);
    cast<BranchOpInterface>(end)
        .getSuccessorOperands(it.getSuccessorIndex())
        .append(orFalse({}));
  }
  return argument;
}

/// Has the branch at `it` hand over `value` for `argument`.
static void setIncoming(Block::pred_iterator it, BlockArgument argument,
                        Value value) {
  Operation *end = (*it)->getTerminator();
  SuccessorOperands operands =
      cast<BranchOpInterface>(end).getSuccessorOperands(it.getSuccessorIndex());
  end->setOperand(operands.getOperandIndex(argument.getArgNumber()), value);
}

Value StepGuard::orFalse(Value predicate) {
  if (predicate)
    return predicate;
  auto constant = arith::ConstantOp::create(
      builder, step.getLoc(),
      DenseElementsAttr::get(getPredicateType(builder.getContext()), false));
  created.push_back(constant);
  return constant;
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// Puts a branch in the place of `branch` that has further results: the
/// predicates `yes` of one region and `no` of the other.
scf::IfOp StepGuard::addResults(scf::IfOp branch, ArrayRef<Value> yes,
                                ArrayRef<Value> no) {
  SmallVector<Type> types(branch.getResultTypes());
  types.append(yes.size(), getPredicateType(builder.getContext()));
  builder.setInsertionPoint(branch);
  auto replaced =
      scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(),
                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  replaced->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  replaced.getThenRegion().takeBody(branch.getThenRegion());
  replaced.getElseRegion().takeBody(branch.getElseRegion());
  for (auto [region, predicates] : {std::pair(&replaced.getThenRegion(), yes),
                                    {&replaced.getElseRegion(), no}}) {
    Operation *end = region->front().getTerminator();
    builder.setInsertionPoint(end);
    SmallVector<Value> yielded;
    for (Value predicate : predicates)
      yielded.push_back(orFalse(predicate));
    end->insertOperands(end->getNumOperands(), yielded);
  }
  replaceResults(branch, replaced);
  return replaced;
}

/// Puts a loop in the place of `loop` that carries further predicates, which
/// begin as `starts`. What it yields for them is left to the caller.
scf::ForOp StepGuard::addIterArgs(scf::ForOp loop, ArrayRef<Value> starts) {
  builder.setInsertionPoint(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  llvm::append_range(inits, starts);
  auto replaced = scf::ForOp::create(
      builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), inits, [](OpBuilder &, Location, Value, ValueRange) {});
  replaced->setAttrs(loop->getAttrDictionary());
  replaced.getRegion().takeBody(loop.getRegion());
  replaceResults(loop, replaced);
  for (size_t i = 0; i != starts.size(); ++i)
    replaced.getBody()->addArgument(getPredicateType(builder.getContext()),
                                    replaced.getLoc());
  return replaced;
}

/// At the builder's place: `values`, or `kept` where `any` is true.
ApplyIfFiniteOp StepGuard::createGuard(Location loc, Value any, ValueRange kept,
                                       ValueRange values) {
  auto guard =
      ApplyIfFiniteOp::create(builder, loc, TypeRange(kept), any, kept);
  guards.insert(guard);
  builder.createBlock(&guard.getBody());
  YieldOp::create(builder, loc, values);
  return guard;
}

/// `to` is `from` with further results: what is known of the one holds for the
/// other.
void StepGuard::replaceResults(Operation *from, Operation *to) {
  auto renew = [&](Value value) -> Value {
    return value && value.getDefiningOp() == from
               ? to->getResult(cast<OpResult>(value).getResultNumber())
               : value;
  };
  for (auto [before, after] : llvm::zip(from->getResults(), to->getResults())) {
    before.replaceAllUsesWith(after);
    reach.replace(before, after);
    for (auto *places :
         {&guardedInside, &newParams, &neverSkipped, &readByUpdates})
      if (places->erase(before))
        places->insert(after);
    for (auto *known : {&found, &skipped})
      if (auto it = known->find(before); it != known->end()) {
        Value predicate = it->second;
        known->erase(it);
        (*known)[after] = predicate;
      }
  }
  for (auto *known : {&found, &skipped})
    for (auto &[value, predicate] : *known)
      predicate = renew(predicate);
  llvm::DenseMap<std::tuple<Operation *, Value, Value>, Value> renewed;
  for (auto &[key, predicate] : handedOut)
    renewed[{std::get<0>(key), renew(std::get<1>(key)),
             renew(std::get<2>(key))}] = renew(predicate);
  handedOut = std::move(renewed);
  joined.clear();
  for (auto *operations : {&opsWithSources, &updates})
    if (operations->erase(from))
      operations->insert(to);
  slots.erase(from);
  from->erase();
}

//===----------------------------------------------------------------------===//
// Skips
//===----------------------------------------------------------------------===//

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

/// The skip of `value` as far as it is known.
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
    skips = {skips[0], chosen};
  }
  return join(skips);
}

/// Whether a step that the value at `place` is computed by was skipped, at the
/// place of that value; null if no guard is on its way. May put others in the
/// place of branches and loops, which say so, so values are asked for by the
/// operands that they are. Without recursion: updates may be long chains.
Value StepGuard::getSkipped(Place place) {
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
  return lookupSkip(getValue(place));
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
  auto key = std::make_tuple(thenEnd, yes, no);
  Value skip = handedOut.lookup(key);
  if (!skip) {
    branch = addResults(branch, yes, no);
    skip = branch.getResults().back();
    handedOut[key] = skip;
  }
  builder.setInsertionPointAfter(branch);
  return join({skip, condition});
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

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult StepGuard::walkBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (failed(visit(&op)))
      return failure();
  return success();
}

/// Blocks are walked after those that lead to them, and left when all were
/// walked: what a loop of blocks brings to a return is known then.
LogicalResult StepGuard::walkRegion(Region &region) {
  if (region.empty())
    return success();
  if (llvm::hasSingleElement(region)) {
    if (failed(walkBlock(region.front())))
      return failure();
    return visit(region.front().getTerminator());
  }
  SmallVector<Block *> order;
  for (Block *block : llvm::ReversePostOrderTraversal<Region *>(&region))
    order.push_back(block);
  for (Block *block : order) {
    if (!block->isEntryBlock() && failed(enterBlock(*block)))
      return failure();
    if (failed(walkBlock(*block)) ||
        failed(checkCondition(block->getTerminator())))
      return failure();
    walked.insert(block);
  }
  closeLoops();
  for (Block *block : order)
    if (failed(visit(block->getTerminator())))
      return failure();
  return success();
}

/// Which blocks run is no value that a predicate could go beside, so a branch
/// by a gradient is refused.
LogicalResult StepGuard::checkCondition(Operation *end) {
  auto branch = dyn_cast<BranchOpInterface>(end);
  if (!branch || end->getNumSuccessors() < 2)
    return success();
  for (OpOperand &operand : end->getOpOperands())
    if (!branch.getSuccessorBlockArgument(operand.getOperandNumber()) &&
        (reach.isReached(operand.get()) ||
         reach.getScaledOrigin(operand.get())))
      return end->emitError()
             << "expected the blocks of '@" << step.getName()
             << "' to be chosen by what no gradient comes into, but the "
                "condition of '"
             << end->getName()
             << "' is computed from one, and its overflow would be lost; "
                "choose by scf.if or arith.select";
  return success();
}

/// Blocks take predicates as arguments more. Where all that lead to `block`
/// were walked, one for each union that their branches hand over, and none for
/// what all of them do; at the head of a loop, one for each set of overflows
/// that its arguments may have.
LogicalResult StepGuard::enterBlock(Block &block) {
  if (llvm::none_of(block.getArguments(),
                    [&](Value argument) { return reach.isReached(argument); }))
    return success();
  SmallVector<SuccessorOperands> handed;
  bool isLoop = false;
  for (auto it = block.pred_begin(); it != block.pred_end(); ++it) {
    Operation *end = (*it)->getTerminator();
    auto branch = dyn_cast<BranchOpInterface>(end);
    if (!branch)
      return end->emitError()
             << "expected a gradient to be handed to another block by a "
                "branch, but got '"
             << end->getName() << "'";
    handed.push_back(branch.getSuccessorOperands(it.getSuccessorIndex()));
    isLoop |= !walked.contains(*it);
  }
  unsigned count = block.getNumArguments();
  if (isLoop) {
    SmallVector<SmallVector<Value>> values;
    for (BlockArgument argument : block.getArguments()) {
      values.push_back({argument});
      for (const SuccessorOperands &operands : handed)
        values.back().push_back(operands[argument.getArgNumber()]);
    }
    for (SmallVector<unsigned> &numbers : groupBySources(values)) {
      BlockArgument predicate = addPredicate(block);
      for (unsigned number : numbers)
        found[block.getArgument(number)] = predicate;
      openArguments.push_back({predicate, std::move(numbers)});
    }
    return success();
  }
  std::map<SmallVector<void *>, Value> known;
  for (unsigned i = 0; i != count; ++i) {
    BlockArgument argument = block.getArgument(i);
    if (!reach.isReached(argument))
      continue;
    SmallVector<Value> incoming;
    SmallVector<void *> key;
    for (const SuccessorOperands &operands : handed) {
      incoming.push_back(found.lookup(operands[i]));
      key.push_back(incoming.back().getAsOpaquePointer());
    }
    auto [place, isNew] = known.try_emplace(std::move(key));
    if (isNew && llvm::all_equal(incoming)) {
      place->second = incoming.front();
    } else if (isNew) {
      BlockArgument predicate = addPredicate(block);
      auto it = block.pred_begin();
      for (Value value : incoming) {
        if (value)
          setIncoming(it, predicate, value);
        ++it;
      }
      place->second = predicate;
    }
    if (place->second)
      found[argument] = place->second;
  }
  return success();
}

/// Hands over what the arguments that were opened at the heads of loops wait
/// for.
void StepGuard::closeLoops() {
  for (auto &[predicate, numbers] : openArguments) {
    Block &block = *predicate.getOwner();
    for (auto it = block.pred_begin(); it != block.pred_end(); ++it) {
      Operation *end = (*it)->getTerminator();
      SuccessorOperands operands =
          cast<BranchOpInterface>(end).getSuccessorOperands(
              it.getSuccessorIndex());
      builder.setInsertionPoint(end);
      Value any = joinOf(llvm::map_to_vector(
          numbers, [&](unsigned number) { return operands[number]; }));
      if (any)
        setIncoming(it, predicate, any);
    }
  }
  for (auto &[predicate, numbers] : llvm::reverse(openArguments))
    dropCommonArgument(predicate);
  openArguments.clear();
}

/// Takes a predicate away that every branch to its block hands the same for.
void StepGuard::dropCommonArgument(BlockArgument argument) {
  llvm::SetVector<Value> incoming;
  incoming.insert_range(getIncoming(argument));
  incoming.remove(argument);
  if (incoming.size() != 1)
    return;
  Value common = incoming.front();
  Block &block = *argument.getOwner();
  argument.replaceAllUsesWith(common);
  for (auto *known : {&found, &skipped})
    for (auto &[value, predicate] : *known)
      if (predicate == argument)
        predicate = common;
  joined.clear();
  handedOut.clear();
  for (auto it = block.pred_begin(); it != block.pred_end(); ++it)
    cast<BranchOpInterface>((*it)->getTerminator())
        .getSuccessorOperands(it.getSuccessorIndex())
        .erase(argument.getArgNumber());
  block.eraseArgument(argument.getArgNumber());
}

/// True if a branch or a select of whole values stands in `loop`.
static bool choosesInside(scf::ForOp loop) {
  return loop
      .walk([](Operation *op) {
        auto select = dyn_cast<arith::SelectOp>(op);
        return isa<scf::IfOp>(op) ||
                       (select && select.getCondition().getType().isInteger(1))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult StepGuard::visit(Operation *op) {
  if (isa<func::ReturnOp>(op))
    addDirtyBuffers(op);
  if (slots.contains(op) && failed(guardSlots(op)))
    return failure();
  if (auto unscale = dyn_cast<UnscaleOp>(op)) {
    builder.setInsertionPointAfter(op);
    Value own = sources.contains(op) ? Value(unscale.getFoundInf()) : Value();
    Value before = joinOf(op->getOperands());
    if (Value any = join({own, before}))
      for (Value result : unscale.getUnscaled())
        found[result] = any;
    return success();
  }
  if (auto call = dyn_cast<func::CallOp>(op);
      getKind(call) == FunctionKind::OptimizerStep &&
      !isa<ApplyIfFiniteOp>(op->getParentOp()))
    return guardCall(call);
  if (isa<func::ReturnOp>(op))
    return clearAccumulators(op);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  // One in which something is chosen hands on each value's own overflows too:
  // an accumulator's, which goes on, and none of the step that was not taken.
  if (auto loop = dyn_cast<scf::ForOp>(op);
      loop && (hasSource(op) || (hasAccumulators && choosesInside(loop))))
    return visitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch);
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && select.getCondition().getType().isInteger(1)) {
    visitSelect(select);
    return success();
  }
  if (!isa<linalg::LinalgOp>(op) && op->getNumRegions() != 0)
    return visitOpaque(op);
  // What is read back from memory has no trace of who wrote it.
  if (llvm::any_of(
          op->getOperands(),
          [&](Value operand) {
            return isa<RankedTensorType, FloatType>(operand.getType()) &&
                   (reach.isReached(operand) || reach.getScaledOrigin(operand));
          }) &&
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
    return op->emitError()
           << "expected gradients, and what is computed from them, to stay in "
              "tensors, but '"
           << op->getName()
           << "' writes them to memory, where their overflow is lost";
  if (llvm::none_of(op->getResults(),
                    [&](Value result) { return reach.isReached(result); }))
    return success();
  SmallVector<Value> read(op->getOperands());
  llvm::erase_if(read, [&](Value value) { return isHandedOnAsOld(value, op); });
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      llvm::append_range(read, inner->getOperands());
    });
  builder.setInsertionPointAfter(op);
  if (Value any = joinOf(read))
    for (Value result : op->getResults())
      found[result] = any;
  if (isElementwiseAdd(op))
    guardAccumulation(op);
  return success();
}

/// Any operation with regions into which overflows come from outside: all of it
/// takes all of them.
LogicalResult StepGuard::visitOpaque(Operation *op) {
  if (hasSource(op)) {
    SmallVector<Value> handed(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(handed, block.getArguments());
    for (Value value : handed)
      if (reach.isReached(value))
        return op->emitError()
               << "expected a backward pass whose gradients leave '"
               << op->getName()
               << "' to stand in scf.for, scf.if or no region, so that its "
                  "overflow can be handed to the optimizer step";
  }
  SmallVector<Value> read(op->getOperands());
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value value : inner->getOperands())
        if (!op->isAncestor(value.getParentRegion()->getParentOp()))
          read.push_back(value);
    });
  builder.setInsertionPoint(op);
  if (Value any = joinOf(read)) {
    for (Value result : op->getResults())
      if (reach.isReached(result))
        found[result] = any;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (reach.isReached(argument))
            found[argument] = any;
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(walkBlock(block)) ||
          (block.mightHaveTerminator() &&
           (failed(checkCondition(block.getTerminator())) ||
            failed(visit(block.getTerminator())))))
        return failure();
  return success();
}

/// A loop that contains a backward pass hands predicates from round to round:
///   for iter_args(%a = %x) { yield %y }
///   becomes
///   for iter_args(%a = %x, %p = found(%x)) { yield %y, found(%y) }
LogicalResult StepGuard::visitFor(scf::ForOp loop) {
  SmallVector<SmallVector<Value>> values;
  for (auto [argument, start, next] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(),
                       loop.getBody()->getTerminator()->getOperands()))
    values.push_back({argument, start, next});
  SmallVector<SmallVector<unsigned>> groups = groupBySources(values);
  if (groups.empty())
    return walkRegion(loop.getRegion());

  builder.setInsertionPoint(loop);
  SmallVector<Value> starts;
  for (ArrayRef<unsigned> numbers : groups)
    starts.push_back(orFalse(joinOf(loop.getInitArgs(), numbers)));
  unsigned numResults = loop.getNumResults();
  auto replaced = addIterArgs(loop, starts);
  for (auto [i, numbers] : llvm::enumerate(groups))
    for (unsigned number : numbers) {
      found[replaced.getRegionIterArg(number)] =
          replaced.getRegionIterArg(numResults + i);
      if (reach.isReached(replaced.getResult(number)))
        found[replaced.getResult(number)] = replaced.getResult(numResults + i);
    }
  if (failed(walkRegion(replaced.getRegion())))
    return failure();
  Operation *end = replaced.getBody()->getTerminator();
  for (ArrayRef<unsigned> numbers : groups) {
    builder.setInsertionPoint(end);
    end->insertOperands(end->getNumOperands(),
                        orFalse(joinOf(end->getOperands(), numbers)));
  }
  return success();
}

/// What a select leaves out brings nothing: the step of a window that goes on.
void StepGuard::visitSelect(arith::SelectOp select) {
  Value yes = found.lookup(select.getTrueValue());
  Value no = found.lookup(select.getFalseValue());
  if (!yes && !no && !found.contains(select.getCondition()))
    return;
  builder.setInsertionPointAfter(select);
  Value chosen = yes;
  if (yes != no) {
    yes = orFalse(yes);
    no = orFalse(no);
    chosen = arith::SelectOp::create(builder, select.getLoc(),
                                     select.getCondition(), yes, no);
    created.push_back(chosen.getDefiningOp());
  }
  found[select.getResult()] =
      join({chosen, found.lookup(select.getCondition())});
}

/// So does a branch:
///   %r = if { yield %x } else { yield %y }
///   becomes
///   %r, %p = if { yield %x, found(%x) } else { yield %y, found(%y) }
LogicalResult StepGuard::visitIf(scf::IfOp branch) {
  for (Region &region : branch->getRegions())
    if (failed(walkRegion(region)))
      return failure();
  // A predicate for each pair of what the sides hand on; one that both have
  // from outside need not be handed on.
  Value condition = found.lookup(branch.getCondition());
  SmallVector<Value> yesses, noes;
  SmallVector<SmallVector<unsigned>> groups;
  llvm::DenseMap<std::pair<Value, Value>, unsigned> groupOf;
  for (OpResult result : branch.getResults()) {
    if (!reach.isReached(result))
      continue;
    unsigned number = result.getResultNumber();
    Value yes = found.lookup(
        branch.getThenRegion().front().getTerminator()->getOperand(number));
    Value no = found.lookup(
        branch.getElseRegion().front().getTerminator()->getOperand(number));
    if (yes == no &&
        !(yes && branch->isAncestor(yes.getParentRegion()->getParentOp()))) {
      builder.setInsertionPointAfter(branch);
      if (Value any = join({yes, condition}))
        found[result] = any;
      continue;
    }
    auto [it, isNew] = groupOf.try_emplace({yes, no}, groups.size());
    if (isNew) {
      yesses.push_back(yes);
      noes.push_back(no);
      groups.emplace_back();
    }
    groups[it->second].push_back(number);
  }
  if (groups.empty())
    return success();
  unsigned numResults = branch.getNumResults();
  auto replaced = addResults(branch, yesses, noes);
  builder.setInsertionPointAfter(replaced);
  for (auto [i, numbers] : llvm::enumerate(groups)) {
    Value any = join({replaced.getResult(numResults + i), condition});
    for (unsigned number : numbers)
      found[replaced.getResult(number)] = any;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

static InFlightDiagnostic refuseScaled(InFlightDiagnostic diagnostic,
                                       Value origin) {
  diagnostic
      << " to be unscaled, but one is still scaled; take "
         "'amp.delay_unscale' off the last backward pass before the step";
  diagnostic.attachNote(origin.getLoc())
      << "this gradient's unscaling was delayed";
  return diagnostic;
}

/// The half copy of the master `name` that `call` was given.
Value StepGuard::findHalfCopy(func::CallOp call, StringRef name, Type type) {
  for (unsigned number : getArguments(getCallee(call)).find(Role::Master, name))
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

/// Zeros of the type of `like`.
static Value createZeros(OpBuilder &builder, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  Location loc = like.getLoc();
  if (type.hasStaticShape())
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, like);
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
}

/// new = step(old, grads)  ->  new = apply_if_finite found keep(old) { step }
LogicalResult StepGuard::guardCall(func::CallOp call) {
  func::FuncOp callee = getCallee(call);
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
    // A skipped step ends its window all the same.
    if (result.is(Role::Accumulator) && !options.keepFiniteSums) {
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

/// Where finite sums are kept: sum = acc + g  ->  sum, but acc if g has an
/// overflow.
void StepGuard::guardAccumulation(Operation *add) {
  Value sum = add->getResult(0);
  for (Value operand : add->getOperands().take_front(2)) {
    if (!sums.contains(operand) || operand.getType() != sum.getType())
      continue;
    sums.insert(sum);
    Value any = found.lookup(sum);
    if (!any)
      return;
    Operation *last = any.getDefiningOp();
    builder.setInsertionPointAfter(
        last && last->getBlock() == add->getBlock() &&
                add->isBeforeInBlock(last)
            ? last
            : add);
    auto guard = createGuard(add->getLoc(), any, operand, sum);
    // A gradient was left out, no step.
    neverSkipped.insert(guard.getResult(0));
    sum.replaceAllUsesExcept(guard.getResult(0),
                             guard.getBody().front().getTerminator());
    reach.replace(sum, guard.getResult(0));
    sums.insert(guard.getResult(0));
    return;
  }
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
  std::unique_ptr<DominanceInfo> dominance;
  if (!llvm::hasSingleElement(*region))
    dominance = std::make_unique<DominanceInfo>(step);
  value.replaceUsesWithIf(guarded, [&](OpOperand &use) {
    if (!isTaken(use))
      return false;
    if (dominance)
      return dominance->properlyDominates(guard, use.getOwner());
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

/// Buffers are what the forward pass has made of them, also in a step that is
/// skipped. One that gradients came into is a state of the step that reads it:
/// it would keep their infinity.
void StepGuard::addDirtyBuffers(Operation *end) {
  for (unsigned i = 0, e = step.getNumResults(); i != e; ++i) {
    RoleInfo buffer = getResultRole(step, i);
    Value value = end->getOperand(i);
    if (!buffer.is(Role::Buffer) || !found.contains(value))
      continue;
    if (std::optional<unsigned> old =
            findArgument(step, buffer, value.getType()))
      slots[end].push_back({i, step.getArgument(*old), buffer});
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
      (void)getSkipped({owner, members[i].index});
  Region *region = owner->getParentRegion();
  llvm::DenseSet<Operation *> slice = findSlice(owner);
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
      if (newParams.contains(value) && members[i].info.role != Role::OptState)
        replaceLaterUses(value, guard, guarded, keptValue);
    }
  }
  return success();
}

/// True for an argument of the step that is an accumulator.
bool StepGuard::isAccumulator(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &step.getBody().front() &&
         getArgRole(step, argument.getArgNumber()).is(Role::Accumulator);
}

/// Operands that hand on to `value` what it is, unless it is computed.
SmallVector<Place> StepGuard::getHandedOn(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Block *block = argument.getOwner();
    unsigned number = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
        loop && number > 0)
      return {{loop, number - 1 + loop.getNumControlOperands()},
              {block->getTerminator(), number - 1}};
    return getSkipReads(value);
  }
  Operation *def = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto select = dyn_cast<arith::SelectOp>(def);
      select && select.getCondition().getType().isInteger(1))
    return {{def, 1}, {def, 2}};
  if (auto loop = dyn_cast<scf::ForOp>(def))
    return {{loop, number + loop.getNumControlOperands()},
            {loop.getBody()->getTerminator(), number}};
  SmallVector<Place> places;
  if (isa<scf::IfOp>(def))
    for (Region &region : def->getRegions())
      places.push_back({region.front().getTerminator(), number});
  if (isa<CastOp>(def))
    places.push_back({def, 0});
  return places;
}

/// True for a sum that starts at an accumulator.
bool StepGuard::isRunningSum(Value value) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (isAccumulator(next))
      return true;
    Operation *def = next.getDefiningOp();
    if (!seen.insert(next).second)
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(next.getParentBlock()->getParentOp());
        loop && !def && next != loop.getInductionVar())
      worklist.push_back(
          loop.getTiedLoopInit(cast<BlockArgument>(next))->get());
    else if (!def)
      continue;
    else if (isElementwiseAdd(def))
      llvm::append_range(worklist, def->getOperands().take_front(2));
  }
  return false;
}

/// What becomes of the accumulator that is handed back at `end`: a sum that an
/// update reads goes on, and so does one that is begun.
LogicalResult StepGuard::findWindow(Place end, Window &window) {
  llvm::DenseSet<Value> seen, running;
  SmallVector<Place> worklist{end}, computed;
  while (!worklist.empty()) {
    Place place = worklist.pop_back_val();
    Value value = place.first->getOperand(place.second);
    if (!found.contains(value) || guards.contains(value.getDefiningOp())) {
      window.isReset = true;
    } else if (readByUpdates.contains(value) || isRunningSum(value)) {
      running.insert(value);
    } else if (SmallVector<Place> places = getHandedOn(value);
               !places.empty()) {
      if (seen.insert(value).second)
        llvm::append_range(worklist, places);
    } else {
      computed.push_back(place);
    }
  }
  window.goesOn = !running.empty();
  for (Place place : llvm::reverse(computed)) {
    bool hasSum = false;
    std::optional<unsigned> other;
    llvm::DenseSet<Value> read;
    SmallVector<Value> values{place.first->getOperand(place.second)};
    while (!values.empty()) {
      Value value = values.pop_back_val();
      if (!read.insert(value).second)
        continue;
      if (running.contains(value) || isRunningSum(value)) {
        hasSum = true;
        continue;
      }
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (argument.getOwner() == &step.getBody().front())
          other = argument.getArgNumber();
        for (auto [op, operand] : getHandedOn(value))
          values.push_back(op->getOperand(operand));
        continue;
      }
      Operation *def = value.getDefiningOp();
      if (!isa<UnscaleOp>(def) && getKind(def) != FunctionKind::ForwardBackward)
        llvm::append_range(values, getReadValues(def));
    }
    if (!hasSum) {
      window.goesOn = true;
    } else if (other) {
      RoleInfo role = getArgRole(step, *other);
      return end.first->emitError()
             << "expected to see at which calls the window of accumulator '"
             << getResultRole(step, end.second).name
             << "' ends, but its new value is computed from its sum and from "
                "argument "
             << *other << " ('" << role.name
             << "'), and an infinity survives that; choose between the sum and "
                "zero by scf.if or arith.select";
    } else {
      window.dirtyResets.push_back(place);
    }
  }
  return success();
}

/// At the end of a window that an infinity came into, the step was skipped; the
/// accumulator begins with zeros all the same. Where the program resets it to
/// what no overflow is in, it has done so; what an infinity survives is guarded
/// at its place. A sum that no call resets, or every call, is cleared when the
/// step that reads it is skipped.
LogicalResult StepGuard::clearAccumulators(Operation *end) {
  for (unsigned i = 0, e = step.getNumResults(); i != e; ++i) {
    RoleInfo accumulator = getResultRole(step, i);
    if (!accumulator.is(Role::Accumulator) ||
        matchPattern(end->getOperand(i), m_Constant()))
      continue;
    if (options.keepFiniteSums) {
      // A sum that is no addition of the two, and has taken the bad gradient.
      Value value = end->getOperand(i);
      std::optional<unsigned> old =
          findArgument(step, accumulator, value.getType());
      Value any = found.lookup(value);
      if (!any || !old)
        continue;
      builder.setInsertionPoint(end);
      auto guard =
          createGuard(end->getLoc(), any, step.getArgument(*old), value);
      end->setOperand(i, guard.getResult(0));
      continue;
    }
    Window window;
    if (failed(findWindow({end, i}, window)))
      return failure();
    if (window.isReset || window.goesOn) {
      for (auto [op, operand] : window.dirtyResets) {
        Value value = op->getOperand(operand);
        builder.setInsertionPoint(op);
        auto guard = createGuard(value.getLoc(), found.lookup(value),
                                 createZeros(builder, value), value);
        op->setOperand(operand, guard.getResult(0));
      }
      if (window.isReset || !window.dirtyResets.empty())
        continue;
    }
    SmallVector<Value> skips;
    for (bool sameName : {true, false}) {
      for (unsigned j = 0; j != e; ++j)
        if (RoleInfo info = getResultRole(step, j);
            isKeptOnSkip(info.role) &&
            (!sameName || info.name == accumulator.name))
          if (Value skip = getSkipped({end, j}))
            skips.push_back(skip);
      if (!skips.empty())
        break;
    }
    builder.setInsertionPoint(end);
    Value any = join(skips);
    if (!any)
      continue;
    Value value = end->getOperand(i);
    auto guard =
        createGuard(end->getLoc(), any, createZeros(builder, value), value);
    end->setOperand(i, guard.getResult(0));
  }
  return success();
}

/// Predicates that no guard asked for.
void StepGuard::removeUnused() {
  for (Operation *op : llvm::reverse(created))
    if (op->use_empty())
      op->erase();
}

LogicalResult StepGuard::run() {
  // A switch is a chain of branches, of which each hands on its own overflows.
  SmallVector<scf::IndexSwitchOp> switches;
  bool isScaled = false;
  step.walk([&](Operation *op) {
    isScaled |= isa<UnscaleOp>(op);
    if (auto choice = dyn_cast<scf::IndexSwitchOp>(op);
        choice && choice.getNumResults() != 0)
      switches.push_back(choice);
  });
  IRRewriter rewriter(step.getContext());
  if (isScaled)
    for (scf::IndexSwitchOp choice : switches)
      convertIndexSwitchToIf(choice, rewriter);
  if (!findSources())
    return success();
  findSlots();
  findUpdates();
  reach.propagate();
  releaseCounters();
  if (failed(walkRegion(step.getBody())))
    return failure();
  removeUnused();
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct GuardUpdates : public amp::impl::GuardUpdatesPassBase<GuardUpdates> {
  using GuardUpdatesPassBase::GuardUpdatesPassBase;

  void runOnOperation() override {
    bool hasStep = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (getFunctionKind(function) != FunctionKind::TrainStep ||
          function.isExternal() || isFlagSet(function, kUpdatesGuardedAttr))
        continue;
      hasStep = true;
      StepGuard guard(function, {skipOnOverflow, keepFiniteSums});
      if (failed(guard.run()))
        return signalPassFailure();
      numGuarded += guard.getNumGuards();
      if (guard.getNumGuards() != 0)
        function->setAttr(kUpdatesGuardedAttr, UnitAttr::get(&getContext()));
    }
    if (!hasStep)
      markAllAnalysesPreserved();
  }
};
} // namespace
