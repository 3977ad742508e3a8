//===- FlagFlow.h - Which flags surely hold ---------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If some flags are true behind one operation, which are true at another, or in
// the results of the function, on all ways that lead there. Flags are those of
// FlagRules. Ways end where a transition of a scaler (amp.update_scale) is told
// that an infinity was found: then nothing is owed any more.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_FLAGFLOW_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_FLAGFLOW_H

#include "FlagRules.h"
#include "HandedOver.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <set>

namespace mlir::amp {

/// What the ways that have ended told.
struct EndedWays {
  /// On some way a transition was told, and of a marked flag.
  bool hasTold = false, hasHeard = false;

  void addEnded(const EndedWays &other) {
    hasTold |= other.hasTold;
    hasHeard |= other.hasHeard;
  }
};

/// The ways that lead to a place.
struct Ways : EndedWays {
  /// None: all have ended, or none leads here.
  bool isNone = true;
  /// On some way that has not ended a transition was told of a marked flag, on
  /// all.
  bool mayBeTold = false, isTold = false;
  /// What was taken was not known to be.
  bool isAssumed = false;
};

/// What holds at a place on all ways that lead to it and have not ended. Flags
/// are marked that hold because of what the ways began with, and not by chance,
/// as the conditions of branches do that were taken. Where no unscaling finds
/// an infinity, these are marked instead.
struct Facts : Ways {
  /// Those that hold, and whether they are marked.
  llvm::DenseMap<FlagPart, bool> parts;

  bool holds(FlagPart part) const {
    return parts.contains(part) || isConstantFlag(part);
  }
  bool isMarked(FlagPart part) const { return parts.lookup(part); }
  void add(FlagPart part, bool isMarked) { parts.try_emplace(part, isMarked); }
  /// Nothing, on the same ways.
  Facts getWays() const {
    Facts ways;
    static_cast<Ways &>(ways) = *this;
    return ways;
  }
  /// Takes the ways of `other` in; true if this changes anything.
  bool join(const Facts &other);
};

/// A result, or an argument, whether it is the negation of it, and whether that
/// is marked.
struct FlagPlace {
  unsigned number, isNegated;
  bool isMarked = true;

  std::tuple<unsigned, unsigned, bool> get() const {
    return {number, isNegated, isMarked};
  }
  bool operator==(const FlagPlace &other) const { return get() == other.get(); }
  bool operator<(const FlagPlace &other) const { return get() < other.get(); }
};

/// Among places: a transition was told of a marked flag, surely or on some way,
/// before a function or in it.
inline constexpr FlagPlace kTold{~0u, 0}, kMayBeTold{~0u, 1};

/// Why a transition may not be told of what was found.
enum class FlagLoss {
  /// An operation takes what was found and gives what may be false.
  Loses,
  /// A transition is told the negation.
  Negates,
  /// An operation decides whether a transition runs.
  Decides,
  /// The same, where what was found keeps it from running.
  Skips,
  /// The same, where nothing was found.
  SkipsFinite,
  /// A guard leaves a transition out where an infinity was found.
  LeavesOut,
  /// No round of a loop is told of its last one.
  LosesLastRound,
  /// A transition is told what is true where nothing was found.
  IsAlways,
  /// An unscaling has no way to a transition that is in the list.
  HasNoWay,
};

/// At which transitions ways end.
struct EndingTransitions {
  enum Kind {
    /// Those that are told a true flag.
    ToldTrue,
    /// Those that are not surely told a true flag.
    ToldOther,
    /// None.
    Never,
  };

  /// Of this scaler; empty for those of none.
  std::string scaler;
  /// True if one is in an operation, or in what that calls.
  function_ref<bool(Operation *)> areIn;
  Kind kind = ToldTrue;
  /// No unscaling finds an infinity.
  bool isFinite = false;
};

class FlagFlow {
public:
  FlagFlow(const SymbolTable &symbols, HandedOver &handedOver,
           DominanceInfo &dominance, EndingTransitions transitions = {})
      : symbols(symbols), handedOver(handedOver), dominance(dominance),
        transitions(std::move(transitions)) {}

  using Place = FlagPlace;
  /// A function and the arguments of it that hold.
  using Entry = std::pair<Operation *, SmallVector<Place, 2>>;
  /// What a function leaves.
  struct Summary : EndedWays {
    bool isNone = true;
    /// Those that hold, sorted.
    SmallVector<Place, 2> results;

    bool operator==(const Summary &other) const {
      return isNone == other.isNone && hasTold == other.hasTold &&
             hasHeard == other.hasHeard && results == other.results;
    }
  };
  Summary getSummary(const Entry &entry);

  /// The results of `op` at `places`.
  static SmallVector<FlagPart> getParts(Operation *op, ArrayRef<Place> places);

  /// What is left at the end of the function where `known` hold behind
  /// `after`, in each round of loops around it, and a transition was told of
  /// them if `isTold`.
  Summary runToEnd(Operation *after, ArrayRef<FlagPart> known,
                   bool isTold = false);

  /// Where ways never end, transitions that are told again on one of them of a
  /// marked flag; where those that are told true end none, these, if the flag
  /// is not marked.
  ArrayRef<UpdateScaleOp> getWronglyTold() const {
    return wronglyTold.getArrayRef();
  }

  /// What holds of the results of `op` where `known` does in front of it.
  Summary runOne(Operation *op, FlagPart known);

  /// True if one of `parts` holds at `target`, of the same function, as ways
  /// from `after` come to it first, where `known` do behind that. Of what is
  /// around both, this round; of other loops around `target`, each one.
  bool holdsAt(Operation *after, ArrayRef<FlagPart> known, Operation *target,
               ArrayRef<FlagPart> parts);
  /// The same where `known`, an argument of its function, holds at the start.
  bool holdsAt(FlagPart known, Operation *target, ArrayRef<FlagPart> parts);

  /// A place where something may go wrong.
  struct Suspect {
    FlagLoss kind;
    Operation *op;
    /// What does not hold, if it is a loss.
    Value lost;
  };
  /// What may go wrong on the ways of runToEnd, in the order of the ways.
  SmallVector<Suspect> findSuspects(Operation *after, ArrayRef<FlagPart> known);
  /// The same from where a function begins.
  SmallVector<Suspect> findSuspects(const Entry &entry);

private:
  /// Where ways leave a region, and with what.
  using Ends = SmallVector<std::pair<Operation *, Facts>, 2>;

  // Operations and blocks.
  void visit(Operation *op, Facts &facts);
  void visitUpdate(UpdateScaleOp update, Facts &facts);
  void visitUnscale(UnscaleOp unscale, Facts &facts);
  void visitCall(CallOpInterface call, func::FuncOp callee, Facts &facts);
  void visitGuard(ApplyIfFiniteOp guard, Facts &facts);
  void visitResults(Operation *op, Facts &facts);
  std::optional<bool> getComparison(Operation *op, const Facts &facts) const;
  bool isMarked(FlagPart part, const Facts &facts) const;
  void learn(FlagPart part, Operation *at, const Facts &facts, Facts &learned);
  void runBlock(Block::iterator first, Block::iterator end, Facts &facts);
  void branch(Operation *terminator, const Facts &facts,
              function_ref<void(Block *, const Facts &)> enter);
  Ends runRegion(Block *block, Block::iterator first, Facts facts);
  void suspectBlocks(const Ends &ends, Block *start,
                     const llvm::MapVector<Block *, Facts> &entered,
                     ArrayRef<Value> handed);

  // Regions (FlagRegions.cpp).
  void visitRegions(RegionBranchOpInterface op, Facts &facts);
  Facts runRegions(RegionBranchOpInterface op, Ends starts);
  Facts runRounds(scf::ForOp loop, Operation *before, Facts facts);
  /// So many rounds of loops are gone through one by one, inner ones together
  /// with those around them.
  static constexpr int64_t kMaxRounds = 64;
  static std::optional<int64_t> countRounds(scf::ForOp loop);
  bool isUnrolled(scf::ForOp loop, Operation *start) const;
  static Facts leave(const Facts &facts, Operation *op);
  Facts enterRegions(const Facts &facts, Operation *op);
  static void goOnBehind(Facts &facts, const Facts &behind);
  void handOver(Operation *owner, RegionBranchOpInterface op, ValueRange values,
                const Facts &facts, Facts &handed);
  Facts runRegionsOnce(RegionBranchOpInterface op, const Facts &before);
  void suspectRegions(RegionBranchOpInterface op, const Facts &before,
                      const Facts &behind);

  // Functions.
  Summary runFrom(Operation *after, Facts facts);
  void addKnown(Operation *after, Facts &facts);
  Summary summarize(const Ends &ends) const;
  Summary enter(const Entry &entry);

  bool isUsedFrom(Value value, Block *block);
  const llvm::DenseMap<Block *, unsigned> &getBlockOrder(Region *region);

  bool watch(Operation *target, ArrayRef<FlagPart> parts,
             function_ref<void()> run);
  void suspect(Operation *op, FlagLoss kind, Value lost = {});
  SmallVector<Suspect> collectSuspects(function_ref<void()> run);

  const SymbolTable &symbols;
  HandedOver &handedOver;
  DominanceInfo &dominance;
  EndingTransitions transitions;
  /// An operation whose ways to it are looked at, what holds on all of them,
  /// and the one behind which they end.
  Operation *watched = nullptr, *last = nullptr;
  Facts atWatched;
  llvm::SetVector<UpdateScaleOp> wronglyTold;
  /// The operands of operations, and what their regions use from outside.
  llvm::DenseMap<Operation *, SmallVector<Value, 0>> usedValues;
  /// The places of blocks of regions in a reverse post-order, the cycles that
  /// they are in, and the last of those that a value is used in.
  std::map<Region *, llvm::DenseMap<Block *, unsigned>> blockOrders,
      cycleNumbers;
  llvm::DenseMap<std::pair<Region *, Value>, unsigned> lastUses;
  /// The induction variables of the rounds that are gone through.
  llvm::DenseMap<Value, int64_t> rounds;

  std::map<Entry, Summary> summaries;
  /// Those that are being made, and whether one was asked for.
  std::set<Entry> unfinished;
  /// Those that were made since the outermost one was begun.
  std::vector<Entry> made;
  /// Of calls on the way to a function.
  static constexpr size_t kMaxDepth = 1000;
  /// Of each function.
  llvm::DenseMap<Operation *, size_t> numEntries;
  static constexpr size_t kMaxEntries = 256;
  /// What holds behind operations in loops, and at the ends of regions from
  /// blocks that all ways come to, by what does in front of them: loops in
  /// loops are come to again and again, and blocks from each unscaling before
  /// them.
  using PlaceEntry =
      std::tuple<void *, std::vector<std::tuple<void *, unsigned, bool>>,
                 std::array<bool, 5>>;
  static PlaceEntry getEntry(void *place, const Facts &facts);
  bool areSame(Region *region) const;
  void forgetPlaces();
  std::map<PlaceEntry, Facts> behindRegions;
  std::map<PlaceEntry, Ends> behindBlocks;
  static constexpr size_t kMaxPlaces = 1 << 14;
  bool isRecursive = false;
  /// Filled where they are asked for.
  std::optional<SmallVector<Suspect>> suspects;
};

/// True if the regions of `op` run as its region branch interface says, each at
/// once and to its end: not for each of many elements or threads.
bool hasKnownRegions(Operation *op);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_FLAGFLOW_H
