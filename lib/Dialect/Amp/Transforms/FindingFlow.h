//===- FindingFlow.h - Whether findings reach transitions -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each amp.unscale of a scaler: if it finds an infinity, an
// amp.update_scale of that scaler is surely told, after it and in the same call
// of the train step, or in a later one to which a state hands it on.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_FINDINGFLOW_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_FINDINGFLOW_H

#include "FlagRules.h"
#include "HandedOver.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace mlir::amp {

/// What holds at a place on all ways that lead to it, and on which no
/// transition was told.
struct Facts {
  /// No such way: all were told, or none leads here.
  bool isNone = true;
  /// Some way was told.
  bool hasTold = false;
  llvm::DenseSet<FlagPart> parts;

  bool holds(FlagPart part) const {
    return parts.contains(part) || isConstantFlag(part);
  }
  /// Takes the ways of `other` in; true if this changes anything.
  bool join(const Facts &other);
};

/// Why a transition may not be told of a finding.
struct LostFinding {
  enum Kind {
    /// `op` takes what was found and gives what may be false.
    Loses,
    /// `op`, a transition, is told the negation.
    Negates,
    /// `op` decides whether a transition runs.
    Decides,
    /// The same, where what was found keeps it from running.
    Skips,
    /// `op`, a guard, leaves a transition out where an infinity was found.
    LeavesOut,
    /// The same, where nothing was found.
    SkipsFinite,
    /// No round of `op` is told of its last one.
    LosesLastRound,
    /// `op`, an unscaling, has no way to a transition that is in the list.
    HasNoWay,
  };
  Operation *unscale;
  Kind kind;
  Operation *op;
};

/// What is asked about a value or an operation of the scaler's program.
struct FindingQueries {
  /// The calls of a function that a step reaches.
  function_ref<ArrayRef<func::CallOp>(func::FuncOp)> getCalls;
  /// True if a transition may come from a value.
  function_ref<bool(Value)> reachesTransition;
  /// True if a transition is in an operation, or in what that calls.
  function_ref<bool(Operation *)> hasTransition;
};

/// The findings of one scaler.
class FindingFlow {
public:
  /// If `hasSteps`, calls of functions that no step reaches do not count.
  FindingFlow(StringRef scaler, const SymbolTable &symbols,
              const FindingQueries &queries, HandedOver &handedOver,
              DominanceInfo &dominance, bool hasSteps)
      : scaler(scaler), symbols(symbols), queries(queries),
        handedOver(handedOver), dominance(dominance), hasSteps(hasSteps) {}

  /// Those of `unscalings`, in the order of the module, of which none of
  /// `updates` is surely told; otherwise the first behind which one runs where
  /// it finds an infinity alone, so that the scale would never grow.
  SmallVector<LostFinding> findLost(ArrayRef<Operation *> unscalings,
                                    ArrayRef<UpdateScaleOp> updates);

  /// A result, or an argument, and whether it is the negation of it.
  using Place = std::pair<unsigned, unsigned>;
  /// The results of its function that hold where `known` do behind `after`.
  SmallVector<Place, 2> findResults(Operation *after, ArrayRef<FlagPart> known);
  /// True if one of `parts` holds at `target`, of the same function, as ways
  /// from `after` come to it first, where `known` do behind that. Of what is
  /// around both, this round; of other loops around `target`, each one.
  bool holdsAt(Operation *after, ArrayRef<FlagPart> known, Operation *target,
               ArrayRef<FlagPart> parts);
  /// The same where `known`, an argument of its function, holds at the start.
  bool holdsAt(FlagPart known, Operation *target, ArrayRef<FlagPart> parts);

private:
  /// What a function does with what holds where it is entered.
  struct Summary {
    bool isNone = true;
    bool hasTold = false;
    /// Sorted.
    SmallVector<Place, 2> results;

    bool operator==(const Summary &other) const {
      return isNone == other.isNone && hasTold == other.hasTold &&
             results == other.results;
    }
  };
  using Entry = std::pair<Operation *, SmallVector<Place, 2>>;
  /// What a call of a function, or one unscaling, leaves in its results.
  struct Open {
    func::FuncOp function;
    SmallVector<Place, 2> results;
    Operation *unscale;
  };
  /// Where ways leave a region, and with what.
  using Ends = SmallVector<std::pair<Operation *, Facts>, 2>;

  void visit(Operation *op, Facts &facts);
  void visitCall(CallOpInterface call, func::FuncOp callee, Facts &facts);
  void visitGuard(ApplyIfFiniteOp guard, Facts &facts);
  void visitRegions(RegionBranchOpInterface op, Facts &facts);
  Facts runRegions(RegionBranchOpInterface op, Ends starts);
  Facts runRounds(scf::ForOp loop, Ends starts);
  bool isUnrolled(scf::ForOp loop, Operation *start) const;
  void suspectRegions(RegionBranchOpInterface op, const Facts &before,
                      const Facts &behind);
  Ends runRegion(Block *block, Block::iterator first, Facts facts);
  void runBlock(Block::iterator first, Block::iterator end, Facts &facts);
  void branch(Operation *terminator, const Facts &facts,
              function_ref<void(Block *, const Facts &)> enter);
  Facts leave(const Facts &facts, Operation *op) const;
  void handOver(Operation *owner, RegionBranchOpInterface op, ValueRange values,
                const Facts &facts, Facts &handed);
  Summary runToEnd(Operation *after, const Facts &facts);
  Summary runFrom(Operation *after, Facts facts);
  std::optional<bool> getComparison(Operation *op, const Facts &facts) const;
  void addKnown(Operation *after, Facts &facts);
  Summary summarize(const Ends &ends) const;
  const Summary &getSummary(const Entry &entry);
  Summary enter(const Entry &entry);

  Summary getOutcome(FlagPart part);
  bool addForwarded(FlagPart part, OpOperand &use,
                    SmallVectorImpl<FlagPart> &forwarded) const;
  Summary getOutcome(Operation *after, ArrayRef<FlagPart> parts);
  bool isKeptByStates(const Open &open);
  bool handsOn(func::FuncOp step, ArrayRef<Place> results,
               SmallVectorImpl<Place> &arguments) const;
  std::optional<LostFinding> findNeverGrown(ArrayRef<Operation *> unscalings,
                                            ArrayRef<UpdateScaleOp> updates);
  bool mayAdvance(Operation *after, ArrayRef<FlagPart> parts,
                  std::set<Entry> &seen);
  LostFinding explain(Operation *unscale, Operation *after,
                      ArrayRef<FlagPart> parts);
  void suspect(Operation *op, LostFinding::Kind kind, Value lost = {});

  std::string scaler;
  const SymbolTable &symbols;
  FindingQueries queries;
  HandedOver &handedOver;
  DominanceInfo &dominance;
  bool hasSteps;
  /// Each transition counts, whatever it is told, and no unscaling finds one.
  bool countsAll = false;
  /// An operation whose ways to it are looked at, what holds on all of them,
  /// and the one behind which they end.
  Operation *watched = nullptr, *last = nullptr;
  Facts atWatched;
  /// The induction variables of the rounds that are gone through.
  llvm::DenseMap<Value, int64_t> rounds;

  std::map<Entry, Summary> summaries;
  /// Those that are being made, and whether one was asked for.
  std::set<Entry> unfinished;
  bool isRecursive = false;
  llvm::DenseMap<FlagPart, Summary> outcomes;

  /// Where something may be lost, while that is asked for.
  struct Suspect {
    LostFinding::Kind kind;
    Operation *op;
    Value lost;
  };
  std::optional<SmallVector<Suspect>> suspects;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_FINDINGFLOW_H
