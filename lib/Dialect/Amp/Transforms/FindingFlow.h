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
// of the train step, or in a later one to which a state hands it on; and none
// is told of it again.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_FINDINGFLOW_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_FINDINGFLOW_H

#include "FlagFlow.h"

namespace mlir::amp {

/// A finding of which a transition may not be told.
struct LostFinding {
  Operation *unscale;
  FlagLoss kind;
  /// What loses it; the unscaling where it has no way, the transition that is
  /// told what is always true.
  Operation *op;
};

/// A finding of which a scaler is told more than once.
struct FindingToldTwice {
  Operation *unscale;
  /// The transition that is told of it again.
  UpdateScaleOp update;
};

/// What is asked about the program of a scaler.
struct FindingQueries {
  /// The calls of a function that a step reaches.
  function_ref<ArrayRef<func::CallOp>(func::FuncOp)> getCalls;
  /// True if a transition may come from a value.
  function_ref<bool(Value)> reachesTransition;
  /// True if a transition is in an operation, or in what that calls.
  function_ref<bool(Operation *)> hasTransition;
  /// True if something but calls refers to a function.
  function_ref<bool(func::FuncOp)> isReferredTo;
  /// All train steps. If there are any, calls that none of them reaches do not
  /// count.
  ArrayRef<func::FuncOp> steps;
};

/// The findings of one scaler.
class FindingFlow {
public:
  FindingFlow(StringRef scaler, const SymbolTable &symbols,
              const FindingQueries &queries, HandedOver &handedOver,
              DominanceInfo &dominance)
      : scaler(scaler), queries(queries), dominance(dominance),
        flow(
            symbols, handedOver, dominance,
            {scaler.str(), queries.hasTransition, EndingTransitions::ToldTrue}),
        finite(symbols, handedOver, dominance,
               {scaler.str(), queries.hasTransition,
                EndingTransitions::ToldOther,
                /*isFinite=*/true}),
        whole(symbols, handedOver, dominance,
              {scaler.str(), queries.hasTransition, EndingTransitions::Never,
               /*isFinite=*/true}),
        again(symbols, handedOver, dominance,
              {scaler.str(), queries.hasTransition, EndingTransitions::Never}) {
  }

  /// Those of `unscalings`, in the order of the module, of which none of
  /// `updates` is surely told; otherwise the first behind which one runs where
  /// it finds an infinity alone, so that the scale would never grow.
  SmallVector<LostFinding> findLost(ArrayRef<Operation *> unscalings,
                                    ArrayRef<UpdateScaleOp> updates);

  /// The first of `unscalings` of which a transition is told on a way on which
  /// one was told before, in the same call of a step or an earlier one. So many
  /// are looked at.
  std::optional<FindingToldTwice>
  findToldTwice(ArrayRef<Operation *> unscalings,
                ArrayRef<UpdateScaleOp> updates);
  static constexpr size_t kMaxLookedAt = 64;

private:
  using Place = FlagFlow::Place;
  using Entry = FlagFlow::Entry;
  using Summary = FlagFlow::Summary;
  /// What a call of a function, or one unscaling, leaves in its results.
  struct Open {
    func::FuncOp function;
    SmallVector<Place, 2> results;
    Operation *unscale;
  };

  Summary runToEnd(Operation *after, ArrayRef<FlagPart> known);
  Summary getOutcome(FlagPart part);
  bool forward(FlagPart part, Operation *user,
               SmallVectorImpl<FlagPart> &forwarded, bool &hasOther);
  Summary getOutcome(Operation *after, ArrayRef<FlagPart> parts,
                     bool asksTogether);
  bool isKeptByStates(const Open &open);
  Block *getChainHead(Block *block);
  Operation *findInChain(Operation *user, Block *block);
  static bool overwrites(func::FuncOp step, ArrayRef<Place> results,
                         func::FuncOp next);
  static bool handsOn(func::FuncOp step, ArrayRef<Place> results,
                      SmallVectorImpl<Place> &arguments, func::FuncOp next);
  bool runsInStep(Operation *op, llvm::DenseSet<Operation *> &seen) const;
  SmallVector<Place, 2> findFoundStates(func::FuncOp step);
  std::optional<LostFinding> findNeverGrown(ArrayRef<Operation *> unscalings,
                                            ArrayRef<UpdateScaleOp> updates);
  bool runsOnce(Operation *op) const;
  UpdateScaleOp findToldAgain(Operation *unscale);
  LostFinding explain(Operation *unscale, Operation *after,
                      ArrayRef<FlagPart> parts);

  /// Of so many it is told what loses them: to find that takes longer.
  static constexpr size_t kMaxExplained = 16;

  std::string scaler;
  FindingQueries queries;
  DominanceInfo &dominance;
  /// Where something was found, where nothing is, and both where ways go on
  /// behind transitions.
  FlagFlow flow, finite, whole, again;
  /// What train steps return where something was found.
  std::map<Operation *, std::set<Place>> foundStates;
  llvm::DenseMap<Block *, Block *> chainHeads;
  llvm::DenseMap<FlagPart, Summary> outcomes;
  /// Arguments of blocks whose outcome is not known by that.
  llvm::DenseSet<FlagPart> ofBlocks;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_FINDINGFLOW_H
