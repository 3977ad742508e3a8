//===- PrecisionUnits.cpp - Operations that round together ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Origins first: equal function and scope id, forward and backward alike, share
// a number. An id without a function is only a place in the source (JAX), so
// the places that a normalisation is spread over are then made one unit, within
// a layer; with them goes the part of the gradient that has no forward half of
// its own and lies between values of the unit. Where the model is cast, so are
// normalisations without any origin. Then movements: front ends put
// no origin on views and pads, so a view of a unit's inner value that only the
// unit uses belongs to it; otherwise it would round the value on its way. Last,
// for operations without origin, structure: a bias joins its contraction; what
// only feeds FP32 operations joins them (the subtraction before an exp); and a
// reduction takes with it what is made of its result and of the elements it
// reduced, so that a softmax or a normalisation becomes one unit: a mean of
// many values must not pass through a sum in half. Walks in both directions, a
// few times, since either finds what the other needs.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/PrecisionUnits.h"

#include "amp/Analysis/ComputeKind.h"
#include "amp/Analysis/Normalizations.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::amp;

PrecisionUnits::PrecisionUnits(FunctionOpInterface function,
                               const ValueOrigins &origins,
                               const ModelBoundary *boundary)
    : origins(origins) {
  SmallVector<Operation *> ops;
  origins.collectOperations(function.getFunctionBody(), ops);
  llvm::erase_if(ops, [&](Operation *op) {
    ComputeKind kind = origins.getKind(op);
    return kind == ComputeKind::Control || kind == ComputeKind::Other;
  });
  groupByOrigin(ops, boundary);
  joinNormalizations(ops, boundary);
  joinMovements(ops);
  joinByStructure(ops);
  tidy();
}

unsigned PrecisionUnits::open(StringRef function) {
  unsigned unit = units.size();
  units.emplace_back().function = function;
  mergedInto.push_back(unit);
  members.emplace_back();
  return unit;
}

unsigned PrecisionUnits::find(unsigned unit) const {
  while (mergedInto[unit] != unit)
    unit = mergedInto[unit] = mergedInto[mergedInto[unit]];
  return unit;
}

void PrecisionUnits::assign(Operation *op, unsigned unit) {
  unsigned kind = static_cast<unsigned>(origins.getKind(op));
  auto [it, isNew] = unitOf.try_emplace(op, unit);
  if (!isNew) {
    --units[find(it->second)].kinds[kind];
    it->second = unit;
  }
  ++units[unit].kinds[kind];
  members[unit].emplace_back(op, unit);
}

void PrecisionUnits::merge(unsigned from, unsigned into) {
  mergedInto[from] = into;
  for (auto [count, moved] :
       llvm::zip_equal(units[into].kinds, units[from].kinds))
    count += std::exchange(moved, 0);
  members[into].splice(members[into].end(), members[from]);
}

void PrecisionUnits::tidy() {
  AllocationOrderSet<Operation *> seen;
  for (auto [unit, list] : llvm::zip_equal(units, members)) {
    // An operation that came back stands where it came last.
    for (auto [op, assigned] : llvm::reverse(list))
      if (unitOf.lookup(op) == assigned && seen.insert(op).second)
        unit.ops.push_back(op);
    std::reverse(unit.ops.begin(), unit.ops.end());
  }
  members.clear();
}

/// True if the origin of `op` is a place in the source. The functions of
/// jax.numpy are arithmetic as its operators are.
static bool isPlace(Operation *op) {
  auto function = op->getAttrOfType<StringAttr>(kFunctionAttr);
  return function ? function.getValue().starts_with("jax.numpy.")
                  : op->hasAttr(kScopeAttr) || op->hasAttr(kScopeIdAttr);
}

/// The operation of the framework that `op` comes from, or nothing.
static StringRef getFunctionName(Operation *op) {
  auto function = op->getAttrOfType<StringAttr>(kFunctionAttr);
  return function ? function.getValue() : StringRef();
}

void PrecisionUnits::groupByOrigin(ArrayRef<Operation *> ops,
                                   const ModelBoundary *boundary) {
  // A batch normalisation is keyed by its layer. Its operations without origin
  // belong with those that they exchange values with; two units of different
  // origin are never made one.
  auto isNorm = [&](Operation *op) {
    return boundary && boundary->isBatchNorm(op) &&
           origins.getKind(op) != ComputeKind::Neutral;
  };
  auto isBareNorm = [&](Operation *op) {
    return isNorm(op) && !op->hasAttr(kLayerAttr) && !op->hasAttr(kScopeIdAttr);
  };
  llvm::DenseSet<unsigned> bareUnits;
  auto joinNeighbours = [&](Operation *op) {
    for (Value value : origins.getReadValues(op)) {
      Operation *def = value.getDefiningOp();
      if (!def || !isNorm(def) || !unitOf.count(def) ||
          !(isBareNorm(op) || isBareNorm(def)))
        continue;
      unsigned own = *lookup(op), other = *lookup(def);
      if (own == other)
        continue;
      if (bareUnits.contains(own))
        merge(own, other);
      else if (bareUnits.contains(other))
        merge(other, own);
    }
  };
  llvm::DenseMap<std::pair<Attribute, Attribute>, unsigned> byOrigin;
  llvm::DenseMap<Attribute, unsigned> byLayer;
  for (Operation *op : ops) {
    ComputeKind kind = origins.getKind(op);
    Attribute id = op->getAttr(kScopeIdAttr);
    if (Attribute layer = op->getAttr(kLayerAttr); layer && isNorm(op)) {
      auto [it, isNew] = byLayer.try_emplace(layer, 0);
      if (isNew)
        it->second = open(getFunctionName(op));
      assign(op, it->second);
      joinNeighbours(op);
      continue;
    }
    if (isBareNorm(op)) {
      unsigned unit = open(getFunctionName(op));
      bareUnits.insert(unit);
      assign(op, unit);
      joinNeighbours(op);
      continue;
    }
    if (!id) {
      if (kind == ComputeKind::Neutral)
        continue; // belongs to whoever uses it
      unsigned unit = open(getFunctionName(op));
      units[unit].structural = !op->hasAttr(kScopeAttr);
      units[unit].place = isPlace(op);
      assign(op, unit);
      continue;
    }
    Attribute function = op->getAttr(kFunctionAttr);
    auto [it, isNew] = byOrigin.try_emplace({function, id}, 0);
    if (isNew) {
      it->second = open(getFunctionName(op));
      units[it->second].place = isPlace(op) && !isNorm(op);
    }
    assign(op, it->second);
    if (isNorm(op))
      joinNeighbours(op);
  }
}

void PrecisionUnits::joinNormalizations(ArrayRef<Operation *> ops,
                                        const ModelBoundary *boundary) {
  auto getLayer = [](Operation *op) { return op->getAttr(kLayerAttr); };
  // Without origin an operation may be anywhere. Only where the model is cast
  // does it matter: elsewhere what a normalisation computes stays in FP32.
  auto hasPlace = [&](Operation *op) {
    std::optional<unsigned> unit = lookup(op);
    return unit &&
           (units[*unit].place || (boundary && units[*unit].structural));
  };
  auto mayJoin = [&](Operation *a, Operation *b) {
    return hasPlace(a) && hasPlace(b) && getLayer(a) == getLayer(b) &&
           a->getBlock() == b->getBlock() &&
           (!boundary || boundary->isInModel(a) == boundary->isInModel(b));
  };
  auto contracts = [&](unsigned unit) {
    return units[unit].has(ComputeKind::Contraction);
  };
  llvm::DenseMap<unsigned, Attribute> layerOf;
  for (ArrayRef<Operation *> group :
       findNormalizations(ops, origins, mayJoin)) {
    std::optional<unsigned> into;
    for (Operation *op : group) {
      unsigned unit = *lookup(op);
      if (contracts(unit) || unit == into)
        continue;
      if (into)
        merge(unit, *into);
      else
        into = unit;
    }
    if (!into)
      continue;
    units[*into].function = {};
    units[*into].structural =
        false; // whole: no more is joined, none moved away
    layerOf[*into] = getLayer(group.front());
  }
  if (layerOf.empty())
    return;

  // Sums of its gradients, and gradients of what forward was shared with
  // another place.
  llvm::DenseSet<unsigned> hasForward;
  for (Operation *op : ops)
    if (origins.getPhase(op) == Phase::Forward)
      if (std::optional<unsigned> unit = lookup(op))
        hasForward.insert(*unit);
  for (Operation *op : ops) {
    ComputeKind kind = origins.getKind(op);
    if (origins.getPhase(op) != Phase::Backward || !hasPlace(op) ||
        hasForward.contains(*lookup(op)) || kind == ComputeKind::Contraction ||
        kind == ComputeKind::Movement)
      continue;
    std::optional<unsigned> only;
    bool inside = true;
    for (Value value : origins.getReadValues(op)) {
      if (!isCastableTensor(value.getType()) ||
          origins.lookup(value).isConstant())
        continue;
      Operation *def = origins.getMovedValue(value).getDefiningOp();
      std::optional<unsigned> unit = def ? lookup(def) : std::nullopt;
      inside &= unit && (!only || only == unit);
      only = unit;
    }
    if (inside && only && layerOf.count(*only) &&
        layerOf.lookup(*only) == getLayer(op))
      assign(op, *only);
  }
}

void PrecisionUnits::joinMovements(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    if ((op->hasAttr(kScopeIdAttr) && !isPlace(op)) ||
        origins.getKind(op) != ComputeKind::Movement)
      continue;
    Operation *producer =
        origins.getMovedValue(op->getResult(0)).getDefiningOp();
    if (!producer || producer == op)
      continue;
    std::optional<unsigned> unit = lookup(producer);
    if (!unit || op->use_empty())
      continue;
    if (llvm::all_of(op->getUsers(),
                     [&](Operation *user) { return lookup(user) == unit; }))
      assign(op, *unit);
  }
}

namespace {
/// Groups the operations without origin; see the head of the file.
class StructureFinder {
public:
  StructureFinder(ArrayRef<Operation *> ops, const ValueOrigins &origins,
                  PrecisionUnits &units,
                  llvm::function_ref<void(Operation *, unsigned)> assign)
      : ops(ops), origins(origins), units(units), assign(assign) {}

  void run();

private:
  bool isStructural(std::optional<unsigned> unit) const {
    return unit && units.getUnits()[*unit].structural;
  }
  bool isWide(unsigned unit) const { return has(unit, ComputeKind::Wide); }
  bool has(unsigned unit, ComputeKind kind) const {
    return units.getUnits()[unit].has(kind);
  }
  /// A unit that FP32 operations without origin may join. One with a
  /// contraction is none: only biases join that.
  bool isOpen(std::optional<unsigned> unit) const {
    return isStructural(unit) && isWide(*unit);
  }
  void move(Operation *op, unsigned unit) {
    assign(op, unit);
    changed = true;
  }
  std::optional<unsigned> getUsersUnit(Operation *op) const;
  bool reads(unsigned unit, Value value);
  bool joinContraction(Operation *op);
  bool joinUsers(Operation *op);
  bool joinReduction(Operation *op);

  ArrayRef<Operation *> ops;
  const ValueOrigins &origins;
  PrecisionUnits &units;
  llvm::function_ref<void(Operation *, unsigned)> assign;
  /// Operations that read a value, looked at through movements; made when it is
  /// first asked for.
  AllocationOrderMap<Value, SmallVector<Operation *, 2>> readers;
  bool changed = false;
  /// Results of reductions, and what was made of one alone: a mean, a
  /// deviation.
  AllocationOrderSet<Operation *> statistics;
  /// Elements that were combined with a statistic of their own.
  AllocationOrderSet<Operation *> normalized;
};
} // namespace

/// The unit of all users of `op` in its own phase, if they have one unit. Users
/// in another phase get what this one hands over.
std::optional<unsigned> StructureFinder::getUsersUnit(Operation *op) const {
  Phase phase = origins.getPhase(op);
  std::optional<unsigned> only;
  for (Operation *user : op->getUsers()) {
    if (origins.getPhase(user) != phase)
      continue;
    std::optional<unsigned> unit = units.lookup(user);
    if (!unit || (only && only != unit))
      return std::nullopt;
    only = unit;
  }
  return only;
}

/// True if `unit` reads or has `value`, or reads what was computed elementwise
/// from it (the product whose sum it takes).
bool StructureFinder::reads(unsigned unit, Value value) {
  if (readers.empty())
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        readers[origins.getMovedValue(operand)].push_back(op);
  value = origins.getMovedValue(value);
  if (Operation *def = value.getDefiningOp(); def && units.lookup(def) == unit)
    return true;
  auto isRead = [&](Value read) {
    auto it = readers.find(read);
    return it != readers.end() &&
           llvm::any_of(it->second, [&](Operation *reader) {
             return units.lookup(reader) == unit;
           });
  };
  auto it = readers.find(value);
  return it != readers.end() &&
         llvm::any_of(it->second, [&](Operation *reader) {
           return units.lookup(reader) == unit ||
                  (origins.getKind(reader) == ComputeKind::Promote &&
                   llvm::any_of(reader->getResults(), isRead));
         });
}

/// A bias goes to the contraction that only it uses.
bool StructureFinder::joinContraction(Operation *op) {
  if (origins.getKind(op) != ComputeKind::Promote)
    return false;
  Operation *contraction = nullptr;
  bool addsParameter = false;
  for (Value value : origins.getReadValues(op)) {
    Operation *def = value.getDefiningOp();
    if (def && origins.getKind(def) == ComputeKind::Contraction &&
        def->hasOneUse())
      contraction = def;
    else
      addsParameter |= origins.lookup(value).isParameterOnly();
  }
  if (!contraction || !addsParameter || !units.lookup(contraction))
    return false;
  if (units.lookup(op) != units.lookup(contraction))
    move(op, *units.lookup(contraction));
  return true;
}

/// What feeds one FP32 unit alone is computed with it: the subtraction before
/// an exp, the squares before their sum.
bool StructureFinder::joinUsers(Operation *op) {
  std::optional<unsigned> unit = getUsersUnit(op);
  if (!unit || unit == units.lookup(op) || !isOpen(unit))
    return false;
  move(op, *unit);
  return true;
}

/// What is made of a reduction's result belongs with it: alone (a sum becomes a
/// mean), with the elements that were reduced (their distance from the mean),
/// or, once those are normalised, with parameters.
bool StructureFinder::joinReduction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (linalgOp && linalgOp.getNumReductionLoops() != 0) {
    if (origins.getKind(op) == ComputeKind::Wide)
      statistics.insert(op);
    return false;
  }
  SmallVector<Value> values;
  for (Value value : origins.getReadValues(op)) {
    Operation *def = value.getDefiningOp();
    if (isCastableTensor(value.getType()) &&
        !(def && origins.getKind(def) == ComputeKind::Neutral) &&
        !llvm::is_contained(values, value))
      values.push_back(value);
  }
  for (Value value : values) {
    Operation *def = origins.getMovedValue(value).getDefiningOp();
    std::optional<unsigned> unit = def ? units.lookup(def) : std::nullopt;
    if (!unit || !isOpen(unit) || origins.getPhase(def) != origins.getPhase(op))
      continue;
    auto others = llvm::make_filter_range(
        values, [&](Value other) { return other != value; });
    bool isStatistic = statistics.contains(def) && others.empty();
    bool isElement =
        statistics.contains(def) && !others.empty() &&
        llvm::all_of(others, [&](Value other) { return reads(*unit, other); });
    bool isAffine =
        normalized.contains(def) && llvm::all_of(others, [&](Value other) {
          return origins.lookup(other).isParameterOnly() || reads(*unit, other);
        });
    if (!isStatistic && !isElement && !isAffine)
      continue;
    (isStatistic ? statistics : normalized).insert(op);
    if (unit == units.lookup(op))
      return false;
    move(op, *unit);
    return true;
  }
  return false;
}

void StructureFinder::run() {
  // Each round moves an operation towards its users or its reduction; a bound,
  // for a chain is short and the rules are not monotone.
  constexpr unsigned kMaxRounds = 8;
  for (unsigned round = 0; round < kMaxRounds; ++round) {
    changed = false;
    auto mayMove = [&](Operation *op) {
      ComputeKind kind = origins.getKind(op);
      return isStructural(units.lookup(op)) &&
             (kind == ComputeKind::Promote || kind == ComputeKind::Follow ||
              kind == ComputeKind::Wide || kind == ComputeKind::Movement);
    };
    for (Operation *op : llvm::reverse(ops))
      if (mayMove(op) && !joinContraction(op))
        joinUsers(op);
    for (Operation *op : ops)
      if (mayMove(op) && origins.getKind(op) != ComputeKind::Movement)
        joinReduction(op);
    if (!changed)
      return;
  }
}

void PrecisionUnits::joinByStructure(ArrayRef<Operation *> ops) {
  StructureFinder(ops, origins, *this, [&](Operation *op, unsigned unit) {
    assign(op, unit);
  }).run();
}
