//===- TransitionFlow.h - What a scaler is advanced with --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a module, from where the operands of amp.update_scale come: a scaler that
// is advanced with anything but what its own unscalings found never learns of
// its overflows.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_TRANSITIONFLOW_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_TRANSITIONFLOW_H

#include "FindingFlow.h"
#include "HandedOver.h"
#include "ScalerOperations.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace mlir::amp {

/// From which of some things ways go backwards to a goal. What has been looked
/// at for one is known for all: programs join what thousands of unscalings
/// found one after the other, and ask about each union.
class WaysToGoal {
public:
  /// `expand` appends what its key comes from, and is true for a goal.
  bool hasWay(Value value,
              function_ref<bool(Value, SmallVectorImpl<Value> &)> expand) {
    SmallVector<Value> worklist{value};
    while (!worklist.empty()) {
      Value next = worklist.pop_back_val();
      if (!seen.insert(next).second)
        continue;
      SmallVector<Value> sources;
      bool isLeading = expand(next, sources);
      for (Value source : sources) {
        isLeading |= leading.contains(source);
        targets[source].push_back(next);
        worklist.push_back(source);
      }
      if (isLeading)
        addLeading(next);
    }
    return leading.contains(value);
  }

private:
  void addLeading(Value value) {
    SmallVector<Value> worklist{value};
    while (!worklist.empty()) {
      Value next = worklist.pop_back_val();
      if (leading.insert(next).second)
        llvm::append_range(worklist, targets.lookup(next));
    }
  }

  llvm::DenseSet<Value> seen, leading;
  llvm::DenseMap<Value, SmallVector<Value, 1>> targets;
};

struct ScalerFindings {
  /// Those of which no transition is surely told.
  SmallVector<LostFinding> lost;
  /// The first of which one is told again, if none is lost.
  std::optional<FindingToldTwice> toldTwice;
};

/// From where the operands of amp.update_scale come.
class TransitionFlow {
public:
  explicit TransitionFlow(ModuleOp module);

  /// Functions that a train step calls or refers to, directly or not; all of
  /// them, if there is none.
  ArrayRef<Operation *> getReached() const { return reached.getArrayRef(); }
  /// True if `found` comes from an unscaling with `scaler`, or from where that
  /// cannot be seen: a state, memory, a function without body.
  bool comesFrom(Value found, StringRef scaler) const;
  /// Adds the unscalings with `scaler` that `found` comes from by values that
  /// are not among `seen`, to which they are added; false if some of what it
  /// comes from cannot be seen.
  bool findUnscalings(Value found, StringRef scaler,
                      llvm::DenseSet<Value> &seen,
                      llvm::SetVector<Operation *> &unscalings) const;

  /// What is wrong between `all` unscalings with `scaler` and its transitions.
  ScalerFindings checkFindings(StringRef scaler,
                               ArrayRef<UpdateScaleOp> updates,
                               ArrayRef<Operation *> all) const;

  /// A value, or the negation of it.
  using Part = FlagPart;
  /// What holds at guards; it is changed by being asked.
  FlagFlow &getGuardFlow() const { return *guardFlow; }
  ArrayRef<Operation *> getUnscalings(StringRef scaler) const {
    return operations.getUnscalings(scaler);
  }
  /// The calls of `function` that a step reaches.
  ArrayRef<func::CallOp> getCallers(func::FuncOp function) const {
    auto it = callers.find(function);
    return it == callers.end() ? ArrayRef<func::CallOp>()
                               : ArrayRef<func::CallOp>(it->second);
  }

  /// The first guard that is told the negation of what an unscaling with
  /// `scaler` found; null if there is none. Each value is looked at once.
  ApplyIfFiniteOp findNegatedGuard(StringRef scaler) const;

  /// The first choice that gives a train step's parameters or state a value
  /// that an overflow comes into where an unscaling with `scaler` found one,
  /// and one that none comes into elsewhere; null if there is none.
  Operation *findNegatedChoice(StringRef scaler) const;

  /// What keeps an update from running once.
  struct Decider {
    enum Kind {
      /// Never runs it.
      Never,
      /// Runs it for each of its elements or threads.
      ForEach
    };
    Operation *op;
    Kind kind;
  };
  /// Of what `update` is in, directly or by calls, the first that keeps it from
  /// running once; nothing if there is none.
  std::optional<Decider> findDecider(UpdateScaleOp update) const;

private:
  /// The unscaling with `scaler` that `value` is the found_inf of; null if it
  /// is that of none.
  static UnscaleOp getUnscaling(Value value, StringRef scaler);
  /// Appends the values that `value` is computed or chosen from; false if they
  /// cannot be seen.
  bool addSources(Value value, StringRef scaler,
                  SmallVectorImpl<Value> &sources) const;
  bool addSources(BlockArgument argument,
                  SmallVectorImpl<Value> &sources) const;
  void addSources(RegionBranchOpInterface op, Value value,
                  SmallVectorImpl<Value> &sources) const;

  bool advances(Operation *op, StringRef scaler) const;
  /// True if `value` comes into what a train step keeps of its parameters and
  /// its optimizer's state.
  bool isKept(Value value) const;

  /// Appends what `part` follows by itself, the alternatives of choices, and
  /// what regions, blocks and calls hand over for it.
  void addSigned(Part part, SmallVectorImpl<Part> &parts) const;
  void addSigned(BlockArgument argument, bool isNegated,
                 SmallVectorImpl<Part> &parts) const;

  /// What guards are told, forwards: where no condition is known to be a
  /// finding, all parts are, so that it holds for each scaler what it may.
  struct Told {
    llvm::DenseMap<Part, SmallVector<Part, 1>> targets;
    /// Guards by number.
    llvm::DenseMap<Part, SmallVector<unsigned, 1>> guards;
  };
  const Told &getTold() const;
  /// True if what an unscaling with `scaler` found, or where `isNegated` its
  /// negation, is among the parts of `told` that are not in `seen`; they are
  /// added to it.
  bool comesFromUnscaling(Part told, bool isNegated, StringRef scaler,
                          llvm::DenseSet<Part> &seen) const;
  /// The guards that may be told the negation of what an unscaling with
  /// `scaler` found, in order.
  SmallVector<ApplyIfFiniteOp> findMaybeNegated(StringRef scaler) const;

  /// What is asked for of one scaler, made when it is.
  struct OfScaler {
    /// Values that depend on what its unscalings found.
    std::optional<llvm::DenseSet<Value>> findings;
    /// Values that its overflows come into otherwise: those that depend on
    /// scaled and unscaled gradients, or on losses.
    std::optional<llvm::DenseSet<Value>> overflowing;
    /// What advances it, and what that is in.
    std::optional<llvm::DenseSet<Operation *>> advancing;
    /// Values that come from its unscalings, or from what cannot be seen.
    WaysToGoal sources;
  };
  /// Adds all that those of `worklist` come into to `seen`, and what `addMore`
  /// appends for each.
  void
  spread(SmallVector<Value> worklist, llvm::DenseSet<Value> &seen,
         function_ref<void(Value, SmallVectorImpl<Value> &)> addMore) const;
  bool isFinding(Value value, StringRef scaler) const;
  bool isOverflowing(Value value, StringRef scaler) const;
  const llvm::DenseMap<Value, SmallVector<Value, 2>> &getTargets() const;

  SymbolTable symbols;
  ScalerOperations operations;
  mutable DominanceInfo dominance;
  llvm::SetVector<Operation *> reached;
  /// Those of them that something but a call refers to.
  llvm::DenseSet<Operation *> referredTo;
  /// Calls in reached functions, by what they call.
  llvm::DenseMap<Operation *, SmallVector<func::CallOp, 1>> callers;
  /// Those in reached functions.
  SmallVector<ApplyIfFiniteOp> guards;
  mutable std::optional<Told> told;
  /// What is computed from each value, the same for all scalers.
  mutable std::optional<llvm::DenseMap<Value, SmallVector<Value, 2>>> targets;
  mutable llvm::StringMap<OfScaler> ofScaler;
  mutable HandedOver handedOver;
  std::unique_ptr<FlagFlow> guardFlow;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_TRANSITIONFLOW_H
