//===- Normalizations.cpp - Normalisations written by hand ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in program order gives each operation a part in a normalisation:
//
//   statistic   a reduction, or made of statistics of the same elements, with
//               constants and parameters (a mean, a deviation times gamma)
//   normalized  combines elements with a statistic of them (x - mean)
//   derived     made of normalized values alone (the square, the exp)
//   affine      a normalized value with parameters (gamma, beta)
//
// Statistic, normalized and affine operations are joined as they are met.
// Derived ones are joined when a statistic of them comes back to them, so that
// the square before the variance is inside and an activation function after
// the norm is not. An affine result is an end: a second norm of it is another.
//
// Only what has a normalized operation counts: a lone mean is no normalisation.
//
// A sum of statistics is one of everything that they are of, and each sum on
// the way to it is one as well: their sets share what they have in common, and
// the smaller one is added to the larger. What a normalized operation takes in
// is found by what it reads, not among all that its statistics were made of.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Normalizations.h"

#include "amp/Analysis/ComputeKind.h"
#include "amp/Support/AllocationOrder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/ImmutableSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
class NormalizationFinder {
public:
  NormalizationFinder(const ValueOrigins &origins,
                      llvm::function_ref<bool(Operation *, Operation *)> may)
      : origins(origins), mayJoin(may) {}

  void visit(Operation *op);
  bool isNormalized(Operation *op) const { return normalized.contains(op); }
  const llvm::EquivalenceClasses<Operation *> &getGroups() const {
    return groups;
  }

private:
  using Set = llvm::ImmutableSet<const void *>;
  /// What a statistic is one of.
  struct Statistic {
    /// The values that were reduced, and those that they were made of
    /// elementwise.
    Set elements{nullptr};
    /// The operations that made the reduced values.
    Set makers{nullptr};
  };

  bool isElementwise(Operation *op) const;
  SmallVector<Value> getReads(Operation *op) const;
  void visitReduction(Operation *op);
  void visitStatistic(Operation *op, ArrayRef<Value> stats);
  void visitNormalized(Operation *op, ArrayRef<Value> stats,
                       ArrayRef<Value> others);
  void join(Operation *op, Value value) {
    groups.unionSets(op, value.getDefiningOp());
  }
  Set unite(Set a, Set b);
  void listMaker(Operation *maker);
  bool isElement(Operation *op, Value value, ArrayRef<Statistic> stats) const;
  void pullIn(Operation *op, Value element);

  const ValueOrigins &origins;
  llvm::function_ref<bool(Operation *, Operation *)> mayJoin;
  llvm::EquivalenceClasses<Operation *> groups;
  /// Outlives the sets that it made.
  Set::Factory sets{/*canonicalize=*/false};
  llvm::DenseMap<Operation *, Statistic> statistics;
  /// Makers of reduced values by one of their reads; null where there is none.
  llvm::DenseMap<Value, SmallVector<Operation *, 2>> makersByRead;
  AllocationOrderSet<Operation *> listedMakers;
  AllocationOrderSet<Operation *> normalized, derived, affine;
};
} // namespace

static bool isReduction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() != 0;
}

bool NormalizationFinder::isElementwise(Operation *op) const {
  switch (origins.getKind(op)) {
  case ComputeKind::Wide:
  case ComputeKind::Promote:
  case ComputeKind::Follow:
    return !isReduction(op);
  default:
    return false;
  }
}

/// The floating tensors that `op` works on, each once, looked at through
/// movements, without constants and without what it writes over or adds to.
SmallVector<Value> NormalizationFinder::getReads(Operation *op) const {
  SmallVector<Value> reads, elements;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (linalgOp)
    elements = getElementOperands(linalgOp);
  for (Value value : origins.getReadValues(op)) {
    if (!isCastableTensor(value.getType()) ||
        origins.lookup(value).isConstant() ||
        (linalgOp && llvm::is_contained(linalgOp.getDpsInits(), value) &&
         !llvm::is_contained(elements, value)))
      continue;
    Value moved = origins.getMovedValue(value);
    if (!llvm::is_contained(reads, moved))
      reads.push_back(moved);
  }
  return reads;
}

void NormalizationFinder::visitReduction(Operation *op) {
  // x, x - mean, (x - mean)^2: further than that, elements are no longer what
  // is reduced.
  constexpr unsigned kMaxSteps = 3;
  Statistic statistic;
  llvm::SetVector<Value> elements;
  for (Value value : getReads(op)) {
    elements.insert(value);
    if (Operation *maker = value.getDefiningOp();
        maker && isElementwise(maker)) {
      statistic.makers = sets.add(statistic.makers, maker);
      listMaker(maker);
    }
  }
  unsigned done = 0;
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    unsigned end = elements.size();
    for (; done < end; ++done) {
      Operation *def = elements[done].getDefiningOp();
      if (!def || !isElementwise(def) || affine.contains(def))
        continue;
      for (Value value : getReads(def))
        if (!value.getDefiningOp() ||
            !statistics.contains(value.getDefiningOp()))
          elements.insert(value);
    }
  }
  for (Value value : elements)
    statistic.elements =
        sets.add(statistic.elements, value.getAsOpaquePointer());
  statistics.try_emplace(op, std::move(statistic));
}

/// The values of both. Adding is logarithmic; a sum that grows by one statistic
/// at a time adds a few values.
NormalizationFinder::Set NormalizationFinder::unite(Set a, Set b) {
  // What was added before gives the same set, not an equal one.
  if (a.getRootWithoutRetain() == b.getRootWithoutRetain())
    return a;
  if (a.getHeight() < b.getHeight())
    std::swap(a, b);
  for (const void *value : b)
    if (!a.contains(value))
      a = sets.add(a, value);
  return a;
}

/// Lists `maker` under the one of its reads that has the fewest makers: one
/// value may be read by all of them.
void NormalizationFinder::listMaker(Operation *maker) {
  if (!listedMakers.insert(maker).second)
    return;
  SmallVector<Value> reads = getReads(maker);
  if (reads.empty())
    reads.push_back(Value());
  Value rarest = *llvm::min_element(reads, [&](Value a, Value b) {
    return makersByRead[a].size() < makersByRead[b].size();
  });
  makersByRead[rarest].push_back(maker);
}

/// What is made of statistics of the same elements is a statistic of them.
void NormalizationFinder::visitStatistic(Operation *op, ArrayRef<Value> stats) {
  auto intersects = [](Set a, Set b) {
    if (a.getHeight() < b.getHeight())
      std::swap(a, b);
    return llvm::any_of(b,
                        [&](const void *value) { return a.contains(value); });
  };
  Statistic all = statistics.at(stats.front().getDefiningOp());
  for (Value value : stats.drop_front()) {
    const Statistic &other = statistics.at(value.getDefiningOp());
    if (!intersects(all.elements, other.elements))
      return;
    all.elements = unite(all.elements, other.elements);
    all.makers = unite(all.makers, other.makers);
  }
  for (Value value : stats)
    join(op, value);
  statistics.try_emplace(op, std::move(all));
}

/// True if one of `stats` is of `value`, or of what that was normalized from:
/// x - mean, times a deviation that was computed from x itself.
bool NormalizationFinder::isElement(Operation *op, Value value,
                                    ArrayRef<Statistic> stats) const {
  auto contains = [&](Value element) {
    return llvm::any_of(stats, [&](const Statistic &statistic) {
      return statistic.elements.contains(element.getAsOpaquePointer());
    });
  };
  if (contains(value))
    return true;
  Operation *def = value.getDefiningOp();
  return def && normalized.contains(def) && mayJoin(op, def) &&
         llvm::all_of(getReads(def), [&](Value read) {
           return contains(read) || (read.getDefiningOp() &&
                                     statistics.contains(read.getDefiningOp()));
         });
}

/// Elements with statistics of themselves.
void NormalizationFinder::visitNormalized(Operation *op, ArrayRef<Value> stats,
                                          ArrayRef<Value> others) {
  SmallVector<Statistic> of = llvm::map_to_vector(
      stats, [&](Value value) { return statistics.at(value.getDefiningOp()); });
  for (const Statistic &statistic : of)
    if (llvm::none_of(others, [&](Value other) {
          return isElement(op, other, statistic);
        }))
      return;
  if (!llvm::all_of(others,
                    [&](Value other) { return isElement(op, other, of); }))
    return;

  for (Value value : stats)
    join(op, value);
  for (Value other : others)
    pullIn(op, other);
  // The squares of the elements, whose sum is the statistic; also where the
  // elements have been centred since (E[x^2] - E[x]^2).
  llvm::SetVector<Value> bases(llvm::from_range, others);
  for (Value other : others)
    if (Operation *def = other.getDefiningOp();
        def && normalized.contains(def) && mayJoin(op, def))
      bases.insert_range(getReads(def));
  auto isMaker = [&](Operation *maker) {
    return llvm::any_of(of, [&](const Statistic &statistic) {
      return statistic.makers.contains(maker);
    });
  };
  auto joinMakers = [&](Value read) {
    auto it = makersByRead.find(read);
    if (it == makersByRead.end())
      return;
    for (Operation *maker : it->second)
      if (isMaker(maker) && mayJoin(op, maker) &&
          llvm::none_of(maker->getResults(),
                        [&](Value result) { return bases.contains(result); }) &&
          llvm::all_of(getReads(maker),
                       [&](Value value) { return bases.contains(value); }))
        groups.unionSets(op, maker);
  };
  joinMakers(Value());
  llvm::for_each(bases, joinMakers);
  normalized.insert(op);
}

/// Joins `op` with what made `element` out of normalized values. Chains of
/// these are longer than the stack.
void NormalizationFinder::pullIn(Operation *op, Value element) {
  SmallVector<Value> pending{element};
  while (!pending.empty()) {
    Operation *def = pending.pop_back_val().getDefiningOp();
    if (!def || !mayJoin(op, def) || groups.isEquivalent(op, def))
      continue;
    if (normalized.contains(def)) {
      groups.unionSets(op, def);
    } else if (derived.contains(def)) {
      groups.unionSets(op, def);
      llvm::append_range(pending, llvm::reverse(getReads(def)));
    }
  }
}

void NormalizationFinder::visit(Operation *op) {
  if (origins.getKind(op) == ComputeKind::Contraction)
    return;
  if (isReduction(op))
    return visitReduction(op);
  if (!isElementwise(op))
    return;
  auto isOf = [&](const auto &set, Value value) {
    Operation *def = value.getDefiningOp();
    return def && set.contains(def) && mayJoin(op, def);
  };
  SmallVector<Value> stats, others;
  for (Value value : getReads(op))
    (isOf(statistics, value) ? stats : others).push_back(value);
  if (!stats.empty()) {
    if (llvm::all_of(others, [&](Value value) {
          return origins.lookup(value).isParameterOnly();
        }))
      visitStatistic(op, stats);
    else
      visitNormalized(op, stats, others);
    return;
  }
  if (others.empty())
    return;
  SmallVector<Value> inner, parameters;
  for (Value value : others) {
    if (isOf(normalized, value) || isOf(affine, value))
      inner.push_back(value);
    else if (origins.lookup(value).isParameterOnly())
      parameters.push_back(value);
  }
  if (inner.size() == 1 && !parameters.empty() &&
      inner.size() + parameters.size() == others.size()) {
    join(op, inner.front());
    affine.insert(op);
  } else if (llvm::all_of(others, [&](Value value) {
               return isOf(normalized, value) || isOf(derived, value);
             })) {
    derived.insert(op);
  }
}

SmallVector<SmallVector<Operation *>> mlir::amp::findNormalizations(
    ArrayRef<Operation *> ops, const ValueOrigins &origins,
    llvm::function_ref<bool(Operation *, Operation *)> mayJoin) {
  NormalizationFinder finder(origins, mayJoin);
  for (Operation *op : ops)
    if (origins.getPhase(op) == Phase::Forward)
      finder.visit(op);

  const llvm::EquivalenceClasses<Operation *> &groups = finder.getGroups();
  llvm::MapVector<Operation *, SmallVector<Operation *>> members;
  AllocationOrderSet<Operation *> confirmed;
  for (Operation *op : ops) {
    auto leader = groups.findLeader(op);
    if (leader == groups.member_end())
      continue;
    members[*leader].push_back(op);
    if (finder.isNormalized(op))
      confirmed.insert(*leader);
  }
  SmallVector<SmallVector<Operation *>> result;
  for (auto &[leader, group] : members)
    if (confirmed.contains(leader))
      result.push_back(std::move(group));
  return result;
}
