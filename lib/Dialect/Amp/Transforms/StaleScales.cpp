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
// over values that carry the scale or were computed
// from one that does, as a comparison of two. A use on the way, of a value that
// carries the scale, is stale where another version of the scale holds than
// behind the definition. Versions are those of SSA form, for one variable that
// each transition writes. What is read from memory is stale where another one
// holds than behind a store of such a value to what may be the same memory, or
// where a loop that advances the scaler may bring it from a round before;
// unless, in the version of the reader, something was written over it.
//
//===----------------------------------------------------------------------===//

#include "StaleScales.h"

#include "Callees.h"
#include "HandedOver.h"
#include "MixedScales.h"
#include "ScaleVersions.h"
#include "ScaledValues.h"
#include "ScalerOperations.h"
#include "ValueSources.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Analysis/MemoryOfTensors.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Support/AllocationOrder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// What may write memory in each function, found when it is asked for.
class MemoryStores {
public:
  /// In order, by where the memory is made; null where that is not seen.
  using ByRoot = llvm::MapVector<Value, SmallVector<Operation *>>;

  const ByRoot &get(func::FuncOp function);

private:
  llvm::DenseMap<Operation *, std::unique_ptr<ByRoot>> known;
};

/// One scaler in one function.
class StaleScaleFinder {
public:
  /// `ends` are what unscales, by itself or by a call, or returns, in order.
  StaleScaleFinder(func::FuncOp function, const ScaledValues &carrying,
                   const ScaleVersions &versions, MemoryStores &stores,
                   DominanceInfo &dominance, ArrayRef<Operation *> ends);

  std::optional<StaleScale> find(StringRef scaler);

private:
  void addScaled(OpOperand &operand);
  void addStored(Operation *reader);
  bool isOverwritten(Operation *reader);
  std::optional<StaleScale> findStored(StringRef scaler);
  void addScaled(MutableArrayRef<OpOperand> operands);

  func::FuncOp function;
  const ScaledValues &carrying;
  const ScaleVersions &versions;
  MemoryStores &stores;
  DominanceInfo &dominance;
  /// Scaled values on the way to an unscaling, and what is computed from some.
  AllocationOrderSet<Value> scaled;
  /// Whether an overflow of the scale may be in what has a degree.
  llvm::DenseMap<DegreeId, bool> isTouched;
  SmallVector<Value> worklist;
  /// Uses on the way.
  llvm::DenseSet<OpOperand *> leading;
  ValueSources sources;

  /// A store of a scaled value, and what may read it.
  struct Stored {
    OpOperand *value;
    Operation *store, *reader;
    /// The memory; null if it is not seen where it is made.
    Value root;
  };
  SmallVector<Stored> stored;
  llvm::DenseSet<Operation *> readers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static bool isMemory(Value value) {
  return isa<BaseMemRefType>(value.getType());
}

/// Where memory is made that no other one shares; null if that is not seen.
static Value getMemoryRoot(Value memory) {
  memory = memref::skipViewLikeOps(cast<MemrefValue>(memory));
  Operation *def = memory.getDefiningOp();
  return isa_and_present<memref::AllocOp, memref::AllocaOp, func::CallOp>(def)
             ? memory
             : Value();
}

/// True if `op` reads and writes itself what it is given, by its regions too,
/// and does not only hand it to them.
static bool accessesOperands(Operation *op) {
  return op->getNumRegions() == 0 ||
         !isa<RegionBranchOpInterface, LoopLikeOpInterface>(op);
}

/// True if `op` may write memory, other than by what is in its regions.
static bool mayStore(Operation *op) {
  if (makesMemoryOfTensor(op))
    return true;
  if (isa<func::CallOp>(op))
    return llvm::any_of(op->getOperands(), isMemory) ||
           llvm::any_of(op->getResults(), isMemory);
  return llvm::any_of(op->getOperands(), isMemory) && accessesOperands(op) &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<memref::DeallocOp>(op) &&
         !hasSingleEffect<MemoryEffects::Read>(op) && !isMemoryEffectFree(op);
}

const MemoryStores::ByRoot &MemoryStores::get(func::FuncOp function) {
  std::unique_ptr<ByRoot> &stores = known[function];
  if (stores)
    return *stores;
  stores = std::make_unique<ByRoot>();
  function.walk([&](Operation *op) {
    if (!mayStore(op))
      return;
    llvm::SetVector<Value> roots;
    for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                                           llvm::to_vector(op->getResults())))
      if (isMemory(value))
        roots.insert(getMemoryRoot(value));
    for (Value root : roots)
      (*stores)[root].push_back(op);
  });
  return *stores;
}

/// Adds what `reader` may read of what is stored in this function.
void StaleScaleFinder::addStored(Operation *reader) {
  if (llvm::none_of(reader->getOperands(), isMemory) ||
      !readers.insert(reader).second)
    return;
  auto addStore = [&](Operation *store, Value root) {
    bool isRead = false;
    auto add = [&](MutableArrayRef<OpOperand> operands) {
      for (OpOperand &operand : operands) {
        isRead |= isMemory(operand.get()) &&
                  !hasSingleEffect<MemoryEffects::Write>(store);
        addScaled(operand);
        if (carrying.contains(operand.get(), function))
          stored.push_back({&operand, store, reader, root});
      }
    };
    add(store->getOpOperands());
    forEachHandedOver(store, add);
    // A copy.
    if (isRead && store != reader)
      addStored(store);
  };
  for (Value operand : reader->getOperands()) {
    if (!isMemory(operand))
      continue;
    Value root = getMemoryRoot(operand);
    for (auto &[other, writers] : stores.get(function))
      if (!root || !other || other == root)
        for (Operation *store : writers)
          addStore(store, root);
  }
}

/// True if all that `reader` reads was written in the version of the scale in
/// which it is read.
bool StaleScaleFinder::isOverwritten(Operation *reader) {
  auto load = dyn_cast<memref::LoadOp>(reader);
  auto isMadeHere = [&](Value memory) {
    Operation *def = memory.getDefiningOp();
    return def && makesMemoryOfTensor(def) && isMemoryEffectFree(def) &&
           versions.isSame(def, reader);
  };
  return llvm::all_of(reader->getOperands(), [&](Value memory) {
    return !isMemory(memory) || isMadeHere(memory) ||
           llvm::any_of(memory.getUsers(), [&](Operation *user) {
             auto store = dyn_cast<memref::StoreOp>(user);
             return store && store.getMemRef() == memory &&
                    (store.getIndices().empty() ||
                     (load && store.getIndices() == load.getIndices())) &&
                    dominance.properlyDominates(store, reader) &&
                    versions.isSame(store, reader);
           });
  });
}

std::optional<StaleScale> StaleScaleFinder::findStored(StringRef scaler) {
  for (const Stored &each : stored) {
    Operation *transition = versions.findBetween(each.store, each.reader);
    if (!transition)
      transition = versions.findLoopAround(each.reader, each.root);
    if (transition && !isOverwritten(each.reader))
      return StaleScale{each.value->get(), each.reader, transition, scaler,
                        each.store};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ways to unscalings
//===----------------------------------------------------------------------===//

StaleScaleFinder::StaleScaleFinder(func::FuncOp function,
                                   const ScaledValues &carrying,
                                   const ScaleVersions &versions,
                                   MemoryStores &stores,
                                   DominanceInfo &dominance,
                                   ArrayRef<Operation *> ends)
    : function(function), carrying(carrying), versions(versions),
      stores(stores), dominance(dominance), sources(function) {
  for (Operation *end : ends)
    addScaled(end->getOpOperands());
}

void StaleScaleFinder::addScaled(OpOperand &operand) {
  Value value = operand.get();
  DegreeId degree = carrying.getDegree(value);
  auto [it, isNew] = isTouched.try_emplace(degree);
  if (isNew)
    it->second = carrying.isTouchedBy(degree, function);
  if (!it->second && !carrying.contains(value, function))
    return;
  leading.insert(&operand);
  if (scaled.insert(value).second)
    worklist.push_back(value);
}

void StaleScaleFinder::addScaled(MutableArrayRef<OpOperand> operands) {
  for (OpOperand &operand : operands)
    addScaled(operand);
}

std::optional<StaleScale> StaleScaleFinder::find(StringRef scaler) {
  SmallVector<Value> all;
  while (!worklist.empty()) {
    all.push_back(worklist.back());
    Value value = worklist.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (!def)
      def = value.getParentBlock()->getParentOp();
    if (accessesOperands(def))
      addStored(def);
    sources.forEach(value, [&](OpOperand &operand) { addScaled(operand); });
  }
  for (Value value : all) {
    if (!carrying.contains(value, function))
      continue;
    for (OpOperand &use : value.getUses())
      if (leading.contains(&use))
        if (Operation *transition = versions.findBetween(value, use.getOwner()))
          return StaleScale{value, use.getOwner(), transition, scaler, nullptr};
  }
  if (std::optional<StaleScale> stale = findStored(scaler))
    return stale;
  llvm::erase_if(
      all, [&](Value value) { return !carrying.contains(value, function); });
  if (std::optional<MixedScale> mixed =
          findMixedScale(function, carrying, versions, all))
    return StaleScale{mixed->before, mixed->op, mixed->transition,
                      scaler,        nullptr,   mixed->behind};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// By function, each in its order; functions in the order of what they hold.
static llvm::MapVector<func::FuncOp, SmallVector<Operation *>>
groupByFunction(ArrayRef<Operation *> operations) {
  llvm::MapVector<func::FuncOp, SmallVector<Operation *>> groups;
  for (Operation *op : operations)
    groups[op->getParentOfType<func::FuncOp>()].push_back(op);
  return groups;
}

/// What returns, by function. What a train step returns scaled is an error by
/// itself.
static llvm::DenseMap<Operation *, SmallVector<Operation *, 1>>
findReturns(ModuleOp module) {
  llvm::DenseMap<Operation *, SmallVector<Operation *, 1>> returns;
  for (auto function : module.getOps<func::FuncOp>())
    if (getFunctionKind(function) != FunctionKind::TrainStep)
      llvm::append_range(returns[function], getReturns(function));
  return returns;
}

SmallVector<StaleScale>
mlir::amp::findStaleScales(ModuleOp module,
                           const ScaleDegreeAnalysis &analysis) {
  SmallVector<StaleScale> found;
  SymbolTable symbols(module);
  ScalerOperations operations(module, symbols);
  HandedScales handed(module, symbols, analysis);
  auto returns = findReturns(module);
  MemoryStores stores;
  DominanceInfo dominance(module);
  llvm::StringMap<unsigned> numbers;
  for (auto [number, name] : llvm::enumerate(analysis.getScales()))
    numbers.try_emplace(name, number);
  for (auto scaler : module.getOps<ScalerOp>()) {
    auto number = numbers.find(scaler.getSymName());
    if (scaler.getStaticScale() || number == numbers.end())
      continue;
    ScaledValues carrying(handed, analysis, number->second);
    auto unscaling =
        groupByFunction(operations.findUnscaling(scaler.getSymName()));
    for (auto &[function, advancing] :
         groupByFunction(operations.findAdvancing(scaler.getSymName()))) {
      ScaleVersions versions(function, dominance, advancing);
      SmallVector<Operation *> ends = unscaling.lookup(function);
      llvm::append_range(ends, returns.lookup(function));
      operations.sort(ends);
      StaleScaleFinder finder(function, carrying, versions, stores, dominance,
                              ends);
      if (std::optional<StaleScale> stale =
              finder.find(analysis.getScales()[number->second]))
        found.push_back(*stale);
    }
  }
  return found;
}
