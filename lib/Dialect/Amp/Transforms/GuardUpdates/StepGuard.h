//===- StepGuard.h - The guards of one train step ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What amp-guard-updates knows of a train step while it walks it. Each section
// of the class is a file of this folder.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_GUARDUPDATES_STEPGUARD_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_GUARDUPDATES_STEPGUARD_H

#include "../Callees.h"
#include "../FunctionsWith.h"
#include "../OverflowReach.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::amp {

/// A place where a new state leaves its region: operand `index` of a
/// terminator, or of a loop that takes it as its start.
struct Slot {
  unsigned index;
  /// What a skipped step has there instead.
  Value old;
  RoleInfo info;
};

/// True for the roles of weights. What else a skipped step keeps are states.
inline bool isWeight(const RoleInfo &info) {
  return info.is(Role::Param) || info.is(Role::Master);
}

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

/// What `loop` is given beside what it hands from round to round.
SmallVector<Value> getBounds(LoopLikeOpInterface loop);

struct Hazard;

/// What the guards of a step have to know of the options.
struct GuardOptions {
  bool skipOnOverflow, keepFiniteSums;
};

/// tensor<i1>: whether something overflowed.
RankedTensorType getPredicateType(MLIRContext *context);

/// What the branches to its block hand over for `argument`.
SmallVector<Value> getIncoming(BlockArgument argument);

/// Has the branch at `it` hand over `value` for `argument`.
void setIncoming(Block::pred_iterator it, BlockArgument argument, Value value);

/// `element` in each place of a value of the type of `like`, which is one of
/// such elements or a tensor or vector of them.
Value createSplat(OpBuilder &builder, Value like, TypedAttr element);

/// Zeros of the type of `like`.
Value createZeros(OpBuilder &builder, Value like);

/// Appends what the branches around `op` that are inside of `function` choose
/// by.
void appendBranchConditions(Operation *op, Operation *function,
                            SmallVectorImpl<Value> &conditions);

/// What the terminator `end` chooses a successor by.
SmallVector<Value> getConditions(Operation *end);

/// True if `op` advances a dynamic scaler: static ones do not change.
bool isTransition(Operation *op, const SymbolTable &symbols);

class StepGuard {
public:
  /// `advancing` are the functions with transitions.
  StepGuard(func::FuncOp step, const SymbolTable &symbols,
            const FunctionsWith &advancing, GuardOptions options)
      : step(step), symbols(symbols), advancing(advancing), options(options),
        reach(guardedPlaces, symbols), builder(step.getContext()) {}

  LogicalResult run();
  unsigned getNumGuards() const { return guards.size(); }
  /// True if it has put anything into the step that is not put there twice.
  bool hasChanged() const { return !guards.empty() || numChanges != 0; }

private:
  // States.cpp
  const ArgumentIndex &getArguments(func::FuncOp function);
  std::optional<unsigned> findArgument(func::FuncOp function, RoleInfo info,
                                       Type type);
  /// What an operation calls, by its roles; `Other` for what is no call.
  FunctionKind getKind(Operation *op);
  bool findSources();
  bool containsStep(Operation *op);
  void findSlots();
  void findSlotsInside(Operation *owner, Slot slot,
                       SmallVectorImpl<std::pair<Operation *, Slot>> &inside);
  void addSlot(Operation *owner, Slot slot);
  llvm::DenseSet<Operation *> findSlice(Region *region,
                                        ArrayRef<Operation *> owners);
  void findUpdates();
  void followReads(SmallVector<Value> values, llvm::DenseSet<Value> &seen,
                   function_ref<void(Operation *)> visit);
  void
  releaseSlots(const llvm::DenseSet<std::pair<unsigned, StringRef>> &released);
  bool isResetBy(Value value, const llvm::DenseSet<Value> &conditions);
  void releaseCounters();
  bool isHandedOnAsOld(Value value, Operation *user);

  // Predicates.cpp
  bool hasSource(Operation *op) const { return opsWithSources.contains(op); }
  Value join(ArrayRef<Value> predicates);
  Value joinOf(ValueRange values);
  Value joinOf(ValueRange values, ArrayRef<unsigned> numbers);
  SmallVector<SmallVector<unsigned>>
  groupBySources(ArrayRef<SmallVector<Value>> values) const;
  BlockArgument addPredicate(Block &block);
  Value orFalse(Value predicate);
  Value testFinite(Value accumulator);
  scf::IfOp addResults(scf::IfOp branch, ArrayRef<Value> yes,
                       ArrayRef<Value> no);
  scf::ForOp addIterArgs(scf::ForOp loop, ArrayRef<Value> starts);
  void replaceResults(Operation *from, Operation *to);
  ApplyIfFiniteOp createGuard(Location loc, Value any, ValueRange kept,
                              ValueRange values);

  // Transitions.cpp
  void findTransitions();
  void releaseScalerStates();
  LogicalResult checkTransitions(Operation *op);

  // Agreements.cpp
  void findAgreements();
  LogicalResult useAgreements();

  // Skips.cpp
  SmallVector<Place> getSkipReads(Value value);
  Value getRepresentative(Value value);
  Value lookupSkip(Value value);
  Value findSkip(Value value);
  bool reachesGuard(Value value);
  void handOutSkips(Place place);
  Value handOutSkip(scf::IfOp branch, unsigned number);
  Value handOutSkip(scf::ForOp loop, unsigned number);
  Value handOutSkip(BlockArgument argument);

  // Hazards.cpp
  void guardHazard(const Hazard &hazard, Value overflows);
  LogicalResult guardHazards(Operation *op);
  LogicalResult checkSizes(Operation *op);
  LogicalResult refuseSizes(Operation *op);
  Value extract(Location loc, Value predicate);
  void guardChecks(Operation *op);
  void endOnOverflow(scf::ConditionOp end, Value overflows);
  void boundOnOverflow(scf::ForOp loop, Value overflows, bool stepMayOverflow);
  LogicalResult refuseBounds(Operation *loop);
  bool isInfinite(Value value) const;
  llvm::SmallBitVector findDecisive(func::FuncOp callee);
  llvm::SmallBitVector findDecisiveAfterCallees(func::FuncOp callee);
  bool leadsToCheck(Operation *op);
  bool mayNotEnd(func::CallOp call, function_ref<bool(Value)> mayOverflow);
  bool mayBeLeftOut(func::CallOp call);
  LogicalResult skipHelper(func::CallOp call, Value any, Value overflows);
  LogicalResult guardBody(linalg::LinalgOp op);

  // Walk.cpp
  LogicalResult walkRegion(Region &region);
  LogicalResult walkBlock(Block &block);
  LogicalResult checkCondition(Operation *end);
  LogicalResult enterBlock(Block &block);
  void closeLoops();
  void dropCommonArguments();
  LogicalResult visit(Operation *op);
  LogicalResult visitOpaque(Operation *op, Value bounds);
  LogicalResult visitFor(scf::ForOp loop, Value bounds);
  bool isFinding(Operation *op);
  Value findChoice(Value condition, Value yes, Value no, Value chosen);
  LogicalResult visitIf(scf::IfOp branch);
  LogicalResult visitSelect(arith::SelectOp select);

  // Guards.cpp
  Value findHalfCopy(func::CallOp call, StringRef name, Type type);
  LogicalResult guardCall(func::CallOp call);
  bool isKept(Value value, const Slot &slot);
  void replaceLaterUses(Value value, ApplyIfFiniteOp guard, Value guarded,
                        Value kept);
  bool isCopyOfParams(Value value);
  void addDirtyStates(Operation *end);
  LogicalResult guardSlots(Operation *owner);

  // Windows.cpp
  bool isAccumulator(Value value);
  bool isRunningSum(Value value);
  SmallVector<Place> getHandedOn(Value value);
  LogicalResult findWindow(Place end, Window &window);
  bool keepsOverflow(Value value, llvm::DenseMap<Value, bool> &known);
  bool keepsOverflow(linalg::LinalgOp op, OpOperand &operand, unsigned number);
  LogicalResult markOverflow(Place end);
  LogicalResult clearAccumulators(Operation *end);

  // Sums.cpp
  SmallVector<Place> getSumPlaces(Value value);
  OverflowReach followArguments(function_ref<bool(Value)> isSource);
  void findSums();
  Value leaveOut(Location loc, Value any, Value kept, Value value);
  void leaveOutOf(OpResult sum, Value any, Value old);
  LogicalResult beginSums(Operation *op);
  LogicalResult refuseSum(Operation *op);
  void guardAdditions(Operation *op);
  Value getOldSum(Value sum);
  LogicalResult guardChoice(OpResult sum, Value condition, Value yes, Value no);

  // GuardUpdates.cpp
  void removeUnused();

  func::FuncOp step;
  const SymbolTable &symbols;
  const FunctionsWith &advancing;
  GuardOptions options;
  OverflowReach::Guarded guardedPlaces;
  OverflowReach reach;
  OpBuilder builder;
  /// Of the blocks of the step's body, which stay as they are.
  DominanceInfo bodyDominance;

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
  llvm::DenseMap<Operation *, Value> sources;
  /// Answers of all ranks about unions of what was found, with their members,
  /// each with the operations that read it before the walk.
  struct Agreement {
    AllReduceFoundInfOp answer;
    SmallVector<std::pair<Value, llvm::DenseSet<Operation *>>> members;
  };
  SmallVector<Agreement> agreements;
  /// What else of their backward passes takes what they find.
  llvm::DenseMap<Operation *, SmallVector<Value>> withGradients;
  /// Operations that contain one of them.
  llvm::DenseSet<Operation *> opsWithSources;
  /// What advances dynamic scalers, calls included, and what that is in.
  llvm::DenseSet<Operation *> opsWithTransitions;
  /// Values that those are advanced with, or computed from.
  llvm::DenseSet<Value> advancedWith;
  /// Sums come from earlier calls, and may bring an infinity.
  bool hasAccumulators = false;
  /// Answers of findDecisive.
  llvm::DenseMap<Operation *, llvm::SmallBitVector> decisive;
  /// Numbers of the components of functions, callees first; empty until asked.
  llvm::DenseMap<Operation *, unsigned> componentOf;
  /// Functions that lead to an assertion, once asked.
  std::optional<FunctionsWith> checking;
  /// Answers of containsStep.
  llvm::DenseMap<Operation *, bool> stepsInside;
  /// Whether an overflow came into a value and no guard has kept it away.
  llvm::DenseMap<Value, Value> found;
  /// amp.apply_if_finite operations made here.
  llvm::SetVector<Operation *> guards;
  /// Assertions that hold, loops that end, and calls that are left out, where
  /// something overflowed.
  unsigned numChanges = 0;
  /// Joins by block and operands, and all operations that may be unused.
  llvm::DenseMap<std::tuple<Block *, Value, Value>, Value> joined;
  SmallVector<Operation *> created;
  /// Whether a step that a value is computed by was skipped, once asked, of
  /// representatives; the others that were asked for.
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
  /// Where finite sums are kept: values that accumulators lead to, and that
  /// lead to new ones. No overflow stays in them.
  llvm::DenseSet<Value> sums;
  /// Those that something is added to, with the operand that it is added to.
  llvm::DenseMap<Value, unsigned> additions;
  /// Operands that are no sums, where others of the same place are.
  llvm::DenseMap<Operation *, SmallVector<unsigned>> begun;
  /// What computes sums in any other way, from no gradient.
  llvm::DenseSet<Operation *> computedSums;
  /// Operands of backward passes.
  OverflowReach::Guarded backwardPasses;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_GUARDUPDATES_STEPGUARD_H
