//===- MixedScales.cpp - Scales that do not cancel ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A degree says how often a value carries the scale, not which one: g / h has
// degree 0, but is off by the ratio of two scales if the scaler has advanced
// between them. Each scaled value has the versions of the scale that what it is
// computed from has, up to two of them, which is one too many; what a loop
// brings from a round before is of another one than that round's. Only where
// more than one version is met is the function gone through, until nothing is
// new.
//
//===----------------------------------------------------------------------===//

#include "MixedScales.h"

#include "Reachable.h"
#include "ValueSources.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Which scale a value carries.
struct Origin {
  unsigned version;
  /// The loop in which it was scaled in a round before; null if in this one.
  Operation *loop;
  /// What was scaled.
  Value value;

  bool isSame(const Origin &other) const {
    return version == other.version && loop == other.loop;
  }
};
using Origins = SmallVector<Origin, 2>;

class MixedScaleFinder {
public:
  MixedScaleFinder(func::FuncOp function, const ScaledValues &carrying,
                   const ScaleVersions &versions, ArrayRef<Value> settled)
      : function(function), carrying(carrying), versions(versions),
        settled(settled), sources(function) {}

  std::optional<MixedScale> find();

private:
  bool mayMix() const;
  bool isScaled(Value value) const {
    return carrying.contains(value, function);
  }
  Operation *findRound(Value value, OpOperand &source) const;
  void forEachSource(Value value, ValueSources::Handler handle);
  bool update(Value value);
  void findOrigins();
  std::optional<MixedScale> getMixed(Operation *op) const;

  func::FuncOp function;
  const ScaledValues &carrying;
  const ScaleVersions &versions;
  ArrayRef<Value> settled;
  ValueSources sources;
  llvm::DenseMap<Value, Origins> origins;
};
} // namespace

/// True if one more is found; two are enough.
static bool add(Origins &origins, const Origin &origin) {
  if (origins.size() == 2 || llvm::any_of(origins, [&](const Origin &known) {
        return known.isSame(origin);
      }))
    return false;
  origins.push_back(origin);
  return true;
}

/// True if there is more than one version of the scale that values carry.
bool MixedScaleFinder::mayMix() const {
  if (settled.empty())
    return false;
  Value first = settled.front();
  Operation *def = first.getDefiningOp();
  return llvm::any_of(settled,
                      [&](Value value) {
                        return versions.getVersion(value) !=
                               versions.getVersion(first);
                      }) ||
         versions.findLoopAround(def ? def : &first.getParentBlock()->front(),
                                 Value());
}

/// The loop that advances the scaler and by a round of which `source` is handed
/// over for `value`; null if it is none.
Operation *MixedScaleFinder::findRound(Value value, OpOperand &source) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->empty())
    return nullptr;
  Block *block = argument.getOwner();
  Operation *parent = block->getParentOp();
  Operation *loop = versions.findLoopAround(&block->front(), Value());
  bool isRound =
      block->isEntryBlock()
          ? loop == parent && source.getOwner() != parent
          : loop == block->getTerminator() &&
                getReachable(block).contains(source.getOwner()->getBlock());
  return isRound ? loop : nullptr;
}

/// The same as ValueSources, but by elements in the bodies of linalg.
void MixedScaleFinder::forEachSource(Value value,
                                     ValueSources::Handler handle) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto op = dyn_cast<linalg::LinalgOp>(parent)) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      handle(*operand);
      if (op.isDpsInit(operand))
        handle(*op.getMatchingYieldValue(operand));
      return;
    }
  } else if (auto op = value.getDefiningOp<linalg::LinalgOp>()) {
    handle(*op.getMatchingYieldValue(
        op.getDpsInitOperand(cast<OpResult>(value).getResultNumber())));
    return;
  }
  sources.forEachOf(value, handle);
}

/// True if something new is known of `value`.
bool MixedScaleFinder::update(Value value) {
  if (!isScaled(value))
    return false;
  bool isNew = false, isComputed = false;
  Origins &known = origins[value];
  forEachSource(value, [&](OpOperand &source) {
    if (source.get() == value || !isScaled(source.get()))
      return;
    isComputed = true;
    Operation *round = findRound(value, source);
    for (Origin origin : Origins(origins.lookup(source.get()))) {
      if (round)
        origin.loop = round;
      isNew |= add(known, origin);
    }
  });
  if (!isComputed)
    isNew |= add(known, {versions.getVersion(value), nullptr, value});
  return isNew;
}

void MixedScaleFinder::findOrigins() {
  for (Value value : settled)
    origins[value] = {{versions.getVersion(value), nullptr, value}};
  llvm::DenseSet<Value> known(settled.begin(), settled.end());
  bool isNew = true;
  auto updateAll = [&](ValueRange values) {
    for (Value value : values)
      if (!known.contains(value))
        isNew |= update(value);
  };
  while (isNew) {
    isNew = false;
    for (Block &block : function.getBody())
      updateAll(block.getArguments());
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      updateAll(op->getResults());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          updateAll(block.getArguments());
    });
  }
}

/// What `op` takes of two versions, if it makes something without scale of it
/// by itself.
std::optional<MixedScale> MixedScaleFinder::getMixed(Operation *op) const {
  if (isa<UnscaleOp, RegionBranchOpInterface, linalg::LinalgOp>(op) ||
      llvm::any_of(op->getResults(),
                   [&](Value result) { return isScaled(result); }) ||
      llvm::none_of(op->getResults(), [&](Value result) {
        return carrying.isTouchedBy(carrying.getDegree(result), function);
      }))
    return std::nullopt;
  llvm::SetVector<Value> scaled;
  for (Value operand : op->getOperands())
    if (isScaled(operand))
      scaled.insert(operand);
  Origins all;
  for (Value operand : scaled)
    for (const Origin &origin : origins.lookup(operand))
      add(all, origin);
  if (scaled.size() < 2 || all.size() < 2)
    return std::nullopt;
  Origin before = all[0], behind = all[1];
  if (behind.loop || (!before.loop && behind.version < before.version))
    std::swap(before, behind);
  Operation *transition =
      before.loop ? before.loop : versions.getCause(behind.version);
  return MixedScale{op, before.value, behind.value, transition};
}

std::optional<MixedScale> MixedScaleFinder::find() {
  if (!mayMix())
    return std::nullopt;
  findOrigins();
  std::optional<MixedScale> mixed;
  function.getBody().walk([&](Operation *op) {
    mixed = getMixed(op);
    return mixed ? WalkResult::interrupt() : WalkResult::advance();
  });
  return mixed;
}

std::optional<MixedScale>
mlir::amp::findMixedScale(func::FuncOp function, const ScaledValues &carrying,
                          const ScaleVersions &versions,
                          ArrayRef<Value> settled) {
  return MixedScaleFinder(function, carrying, versions, settled).find();
}
