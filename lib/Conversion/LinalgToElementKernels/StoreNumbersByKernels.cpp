//===- StoreNumbersByKernels.cpp - Numbers that the host would store ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A store to the device's memory of what the host would have to load from there
// becomes a loop of one iteration with those loads, and the arithmetic between
// (a slice), which is a kernel of one thread:
//
//   %a = memref.load %x[]            scf.for 0 to 1 {
//   ... launches ...                   %a = memref.load %x[]
//   %b = memref.load %y[]        ->    %b = memref.load %y[]
//   %c = arith.addf %a, %b             %c = arith.addf %a, %b
//   memref.store %c, %z[]              memref.store %c, %z[]
//                                    }
//
// Stores behind one another share a loop, at the place of the last of them.
// Loads move there with them. The case that makes this wrong is a load of what
// is written before that place: by a launch, by a store that is not in the
// loop, or by another round of a loop that the load is not in. Such a number is
// stored where it is loaded, into memory of its own, from which the slice loads
// it.
//
// What the host knows is left to it: places that it knows are views, and other
// numbers go to the kernel as numbers.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/BufferRoots.h"
#include "amp/Analysis/DeviceNumbers.h"
#include "amp/Analysis/ElementLoops.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/LoopKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-store-numbers-by-kernels"

namespace mlir::amp {
#define GEN_PASS_DEF_STORENUMBERSBYKERNELSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Stores of one kernel at most: each may have a buffer that is a parameter.
static constexpr size_t kMostStores = 32;

namespace {
/// What an operation, with what is in it, may do to buffers.
struct Touched {
  /// To any of them.
  bool any = false;
  llvm::SmallSetVector<Value, 4> buffers;

  bool contains(Value buffer) const {
    return any || llvm::any_of(buffers, [&](Value touched) {
             return !areBuffersApart(touched, buffer);
           });
  }
};
} // namespace

/// Adds what `op`, or what is in it, may write to or free; with `orRead`, or
/// read.
static void addTouched(Operation *op, bool orRead, Touched &touched) {
  bool isInside = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface && !isInside) {
    touched.any |= !op->hasTrait<OpTrait::IsTerminator>();
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (interface)
    interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &it : effects) {
    if (isa<MemoryEffects::Allocate>(it.getEffect()) ||
        (!orRead && isa<MemoryEffects::Read>(it.getEffect())))
      continue;
    Value buffer = it.getValue();
    if (buffer && isa<BaseMemRefType>(buffer.getType()))
      touched.buffers.insert(buffer);
    else
      touched.any = true;
  }
  if (isInside)
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        addTouched(&inner, orRead, touched);
}

static Touched getTouched(Operation *op, bool orRead = false) {
  Touched touched;
  addTouched(op, orRead, touched);
  return touched;
}

/// Whether `op`, or what is in it, may write to a buffer or free it.
static bool touches(Operation *op, Value buffer) {
  return getTouched(op).contains(buffer);
}

/// Operands, and values that regions of `op` take from around it.
static llvm::SetVector<Value> getTaken(Operation *op) {
  llvm::SetVector<Value> taken;
  taken.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), taken);
  return taken;
}

namespace {
/// Stores of a block that become one kernel.
struct Group {
  SmallVector<memref::StoreOp> stores;
  /// What they store is computed by, those and loads.
  llvm::SetVector<Operation *> slice;
  /// Buffers of its stores.
  llvm::SmallSetVector<Value, 4> written;
  /// So many operations of the slice are known to give in front of the last
  /// store what they give where they are, and what those of its block read.
  size_t numKnown = 0;
  llvm::SmallSetVector<Value, 4> read;
};

struct StoreNumbersByKernels
    : public amp::impl::StoreNumbersByKernelsPassBase<StoreNumbersByKernels> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // What is in front of what is not known of several blocks.
    if (function.isExternal() || !hasOneBlockEach(function))
      return;
    DeviceNumbers ofDevice(function);
    numbers = &ofDevice;
    SmallVector<Block *> blocks;
    SmallVector<OpOperand *> conditions;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // A kernel as a whole, or refused as such.
      if (isOfNumbers(op))
        return WalkResult::skip();
      if (isa<scf::IfOp, scf::ConditionOp>(op))
        conditions.push_back(&op->getOpOperand(0));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
    for (OpOperand *condition : conditions)
      readOnce(*condition);
    // Inner ones first: what they want kept aside is stored further out.
    for (Block *block : llvm::reverse(blocks))
      runOn(*block);
    eraseUnused();
    aside.clear();
    unused.clear();
    split.clear();
    computable.clear();
    writtenBy.clear();
    numbers = nullptr;
  }

private:
  void runOn(Block &block);
  bool canCompute(Value value);
  void addSlice(Value value, llvm::SetVector<Operation *> &slice) const;
  void add(Group &group, memref::StoreOp store) const;
  bool canStore(memref::StoreOp store);
  const Touched &getWritten(Operation *op);
  Operation *findTouch(memref::LoadOp load, const Group &group,
                       Operation *place);
  SmallVector<memref::LoadOp> findChanged(ArrayRef<Operation *> ops,
                                          const Group &group, Operation *place);
  bool staysThere(memref::LoadOp load, Operation *place) {
    return aside.contains(load) || !findTouch(load, Group(), place);
  }
  bool waitFor(Group &group, memref::StoreOp store);
  bool readInstead(memref::StoreOp store);
  void readOnce(OpOperand &use);
  void keepAside(memref::LoadOp load);
  std::pair<Value, SmallVector<Value>> getPlace(OpBuilder &b, OpBuilder &inside,
                                                Value buffer,
                                                ValueRange indices,
                                                const IRMapping &copies);
  void write(Group &group);
  void eraseUnused();

  const DeviceNumbers *numbers = nullptr;
  /// Where loaded numbers are kept whose memory is written over.
  llvm::DenseMap<Operation *, Value> aside;
  /// What computed what is stored by kernels.
  llvm::SetVector<Operation *> unused;
  /// Numbers for conditions whose operands are read instead: of those that
  /// share them, each is looked at once.
  llvm::DenseSet<Value> split;
  /// Whether what computes a number can be a kernel's.
  llvm::DenseMap<Operation *, bool> computable;
  /// What operations with regions may write, as long as these do not change:
  /// while one block is looked at, in which none of them is erased.
  llvm::DenseMap<Operation *, Touched> writtenBy;
};
} // namespace

/// Whether all that computes a number of the device can be a kernel's.
bool StoreNumbersByKernels::canCompute(Value value) {
  if (!numbers->contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto [known, isNew] = computable.try_emplace(op, false);
  if (!isNew)
    return known->second;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (!load.getMemRefType().hasStaticShape())
      return false;
  } else if (!isMemoryEffectFree(op) ||
             (op->getNumRegions() != 0 && !isOfNumbers(op))) {
    return false;
  }
  const bool answer = llvm::all_of(
      getTaken(op), [&](Value taken) { return canCompute(taken); });
  return computable[op] = answer;
}

/// Adds what computes a number of the device.
void StoreNumbersByKernels::addSlice(
    Value value, llvm::SetVector<Operation *> &slice) const {
  if (!numbers->contains(value) || slice.contains(value.getDefiningOp()))
    return;
  for (Value taken : getTaken(value.getDefiningOp()))
    addSlice(taken, slice);
  slice.insert(value.getDefiningOp());
}

/// Adds a store, and what computes what it stores, and where.
void StoreNumbersByKernels::add(Group &group, memref::StoreOp store) const {
  group.stores.push_back(store);
  group.written.insert(store.getMemRef());
  addSlice(store.getValueToStore(), group.slice);
  for (Value index : store.getIndices())
    addSlice(index, group.slice);
}

/// Whether a store is for a kernel: of a number of the device, or to a place
/// that is one, or of a constant, in the device's memory.
bool StoreNumbersByKernels::canStore(memref::StoreOp store) {
  auto isNumber = [&](Value value) { return numbers->contains(value); };
  return store.getMemRefType().hasStaticShape() &&
         numbers->isOfDevice(store.getMemRef()) &&
         (isNumber(store.getValueToStore()) ||
          llvm::any_of(store.getIndices(), isNumber) ||
          matchPattern(store.getValueToStore(), m_Constant())) &&
         canCompute(store.getValueToStore()) &&
         llvm::all_of(store.getIndices(),
                      [&](Value index) { return canCompute(index); });
}

const Touched &StoreNumbersByKernels::getWritten(Operation *op) {
  auto [known, isNew] = writtenBy.try_emplace(op);
  if (isNew)
    known->second = getTouched(op);
  return known->second;
}

/// What is the last in the block of `load` to change what it would give in
/// front of `place`, or as a part of a group there; null if nothing does.
Operation *StoreNumbersByKernels::findTouch(memref::LoadOp load,
                                            const Group &group,
                                            Operation *place) {
  Operation *around = load->getBlock()->findAncestorOpInBlock(*place);
  // Another round of a loop around the place.
  Value buffer = load.getMemRef();
  if (around != place && touches(around, buffer))
    return around;
  for (Operation *op = around->getPrevNode(); op != load;
       op = op->getPrevNode())
    if ((op->getNumRegions() == 0 ? touches(op, buffer)
                                  : getWritten(op).contains(buffer)) &&
        !llvm::is_contained(group.stores, op))
      return op;
  return nullptr;
}

/// Which loads of `ops` would not give in front of `place`, or as parts of a
/// group there, what they give where they are.
SmallVector<memref::LoadOp>
StoreNumbersByKernels::findChanged(ArrayRef<Operation *> ops,
                                   const Group &group, Operation *place) {
  // The way to the place is the same for all of a buffer.
  llvm::MapVector<std::pair<Block *, Value>, SmallVector<memref::LoadOp>> ways;
  for (Operation *op : ops)
    if (auto load = dyn_cast<memref::LoadOp>(op); load && !aside.contains(load))
      ways[{load->getBlock(), load.getMemRef()}].push_back(load);
  SmallVector<memref::LoadOp> changed;
  for (auto &[way, loads] : ways) {
    memref::LoadOp first =
        *llvm::min_element(loads, [](Operation *a, Operation *b) {
          return a->isBeforeInBlock(b);
        });
    Operation *touch = findTouch(first, group, place);
    llvm::copy_if(loads, std::back_inserter(changed), [&](memref::LoadOp load) {
      return touch && load->isBeforeInBlock(touch);
    });
  }
  return changed;
}

/// Whether a group may wait for another store behind it, with its loads. Those
/// that are known to wait so far are not followed again from where they are.
bool StoreNumbersByKernels::waitFor(Group &group, memref::StoreOp store) {
  if (group.stores.size() == kMostStores)
    return false;
  for (Operation *op = group.stores.back()->getNextNode(); op != store;
       op = op->getNextNode()) {
    const Touched either = getTouched(op, /*orRead=*/true),
                  changed = getTouched(op);
    if (llvm::any_of(group.written,
                     [&](Value it) { return either.contains(it); }) ||
        llvm::any_of(group.read,
                     [&](Value it) { return changed.contains(it); }))
      return false;
  }
  ArrayRef<Operation *> others =
      group.slice.getArrayRef().drop_front(group.numKnown);
  if (!findChanged(others, group, store).empty())
    return false;
  for (Operation *op : others)
    if (auto load = dyn_cast<memref::LoadOp>(op);
        load && !aside.contains(load) && load->getBlock() == store->getBlock())
      group.read.insert(load.getMemRef());
  group.numKnown = group.slice.size();
  return true;
}

void StoreNumbersByKernels::runOn(Block &block) {
  writtenBy.clear();
  Group group;
  auto end = [&] {
    if (!group.stores.empty())
      write(group);
    group = Group();
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto store = dyn_cast<memref::StoreOp>(op);
    if (!store || !canStore(store) || readInstead(store))
      continue;
    if (!group.stores.empty() && !waitFor(group, store))
      end();
    add(group, store);
  }
  end();
}

/// Whether a buffer is read there, as a whole.
static bool isRead(OpOperand *use) {
  auto launch = dyn_cast<LaunchKernelsOp>(use->getOwner());
  return (launch && !launch.isDpsInit(use)) ||
         isa<memref::LoadOp>(use->getOwner());
}

/// Whether a buffer of one element is written or freed there, and not read.
static bool isOverwritten(OpOperand *use) {
  Operation *user = use->getOwner();
  auto launch = dyn_cast<LaunchKernelsOp>(user);
  return (launch && launch.isDpsInit(use) && !launch.reads(*use)) ||
         (isa<memref::StoreOp>(user) && use->getOperandNumber() == 1) ||
         isa<memref::DeallocOp>(user);
}

/// Finds who reads from `buffer` what `store` writes to it. Nothing if that is
/// not only launches and loads behind it in its block.
static std::optional<SmallVector<OpOperand *>> findReads(memref::StoreOp store,
                                                         Value buffer) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : buffer.getUses()) {
    if (use.getOwner()->getBlock() != store->getBlock() ||
        (!isRead(&use) && !isOverwritten(&use)))
      return std::nullopt;
    uses.push_back(&use);
  }
  llvm::sort(uses, [](OpOperand *a, OpOperand *b) {
    return a->getOwner()->isBeforeInBlock(b->getOwner());
  });
  // In the next round of a loop around it.
  if (isRead(uses.front()))
    return std::nullopt;
  auto isStore = [&](OpOperand *use) { return use->getOwner() == store; };
  auto behind = std::next(llvm::find_if(uses, isStore));
  return SmallVector<OpOperand *>(behind,
                                  std::find_if_not(behind, uses.end(), isRead));
}

/// Lets launches read a number where it is loaded from, if `store` does nothing
/// but move it for them:
///   %a = memref.load %x[]
///   memref.store %a, %y[]       ->
///   launch (%y)                     launch (%x)
bool StoreNumbersByKernels::readInstead(memref::StoreOp store) {
  auto load = store.getValueToStore().getDefiningOp<memref::LoadOp>();
  if (!load)
    return false;
  Value copy = store.getMemRef(), source = load.getMemRef();
  if (Value memory = aside.lookup(load))
    source = memory;
  if (source.getType() != copy.getType() ||
      store.getMemRefType().getRank() != 0)
    return false;
  if (source != copy) {
    if (!isa_and_present<memref::AllocOp, memref::ViewOp>(copy.getDefiningOp()))
      return false;
    std::optional<SmallVector<OpOperand *>> reads = findReads(store, copy);
    if (!reads || reads->empty())
      return false;
    Operation *last = reads->back()->getOwner();
    if (touches(last, source) || !staysThere(load, last))
      return false;
    for (OpOperand *use : *reads)
      use->set(source);
    ++numRead;
    unused.insert(copy.getDefiningOp());
  } else if (!staysThere(load, store)) {
    return false; // it puts back what it was
  }
  unused.insert(load);
  store.erase();
  return true;
}

/// Memory of its own for a number, into which `store` puts it where it is
/// computed.
static memref::StoreOp storeAlone(Value number) {
  Location loc = number.getLoc();
  OpBuilder b(number.getContext());
  b.setInsertionPointAfterValue(number);
  Value memory =
      memref::AllocOp::create(b, loc, MemRefType::get({}, number.getType()));
  auto store = memref::StoreOp::create(b, loc, number, memory, ValueRange());
  b.setInsertionPoint(store->getBlock()->getTerminator());
  memref::DeallocOp::create(b, loc, memory);
  return store;
}

/// Stores a loaded number into memory of its own, for those who want it after
/// it was written over.
void StoreNumbersByKernels::keepAside(memref::LoadOp load) {
  memref::StoreOp store = storeAlone(load.getResult());
  Value memory = store.getMemRef();
  Group alone;
  add(alone, store);
  write(alone);
  aside[load] = memory; // for all others
  ++numAside;
}

/// Lets the host load one number where it would load several for it: what
/// decides, or what that is computed from beside numbers of the host, which it
/// would have to send.
void StoreNumbersByKernels::readOnce(OpOperand &use) {
  Value number = use.get();
  llvm::SetVector<Operation *> slice;
  if (!numbers->contains(number) || split.contains(number) ||
      !canCompute(number))
    return;
  addSlice(number, slice);
  if (llvm::count_if(slice, llvm::IsaPred<memref::LoadOp>) < 2)
    return;
  auto isKnown = [&](Value value) {
    return !isa<MemRefType>(value.getType()) && !numbers->contains(value) &&
           !matchPattern(value, m_Constant());
  };
  // No kernel has memory of indices.
  if (number.getType().isIndex() || llvm::any_of(slice, [&](Operation *op) {
        return llvm::any_of(getTaken(op), isKnown);
      })) {
    split.insert(number);
    for (OpOperand &operand : number.getDefiningOp()->getOpOperands())
      readOnce(operand);
    return;
  }
  memref::StoreOp store = storeAlone(number);
  Operation *place = use.getOwner();
  if (place == store->getBlock()->getTerminator())
    place = place->getPrevNode(); // where its memory is freed
  OpBuilder b(place);
  use.set(memref::LoadOp::create(b, number.getLoc(), store.getMemRef(),
                                 ValueRange()));
  ++numConditions;
}

/// The buffer and indices of an access in a loop in front of which `b` is. What
/// the host knows of its place is the buffer's; what it does not is inside.
std::pair<Value, SmallVector<Value>>
StoreNumbersByKernels::getPlace(OpBuilder &b, OpBuilder &inside, Value buffer,
                                ValueRange indices, const IRMapping &copies) {
  auto type = cast<MemRefType>(buffer.getType());
  Location loc = buffer.getLoc();
  SmallVector<OpFoldResult> offsets, sizes,
      strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  SmallVector<Value> left;
  bool isView = false;
  for (auto [index, extent] : llvm::zip_equal(indices, type.getShape())) {
    const bool isInside = numbers->contains(index);
    if (!isInside && !getConstantIntValue(index)) {
      offsets.push_back(index);
      sizes.push_back(b.getIndexAttr(1));
      isView = true;
      continue;
    }
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(b.getIndexAttr(extent));
    shape.push_back(extent);
    if (!isInside) {
      left.push_back(index);
      continue;
    }
    Value zero = arith::ConstantIndexOp::create(inside, loc, 0),
          most = arith::ConstantIndexOp::create(inside, loc, extent - 1);
    Value place =
        arith::MaxSIOp::create(inside, loc, copies.lookup(index), zero);
    left.push_back(arith::MinSIOp::create(inside, loc, place, most));
  }
  if (!isView)
    return {buffer, left};
  MemRefType view = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return {
      memref::SubViewOp::create(b, loc, view, buffer, offsets, sizes, strides),
      left};
}

/// Whether `a` comes before `b`, in its block or around it.
static bool comesBefore(Operation *a, Operation *b) {
  if (a->getBlock() == b->getBlock())
    return a->isBeforeInBlock(b);
  return a->getBlock()->getParentOp()->isProperAncestor(b);
}

/// Writes the loop of a group in front of its last store, in place of its
/// stores. Those that no kernel has code for stay.
void StoreNumbersByKernels::write(Group &group) {
  Operation *place = group.stores.back();
  for (memref::LoadOp load :
       findChanged(group.slice.getArrayRef(), group, place))
    if (!aside.contains(load)) // not by another's way aside
      keepAside(load);
  SmallVector<Operation *> ops(group.slice.begin(), group.slice.end());
  llvm::append_range(ops, group.stores);
  llvm::sort(ops, comesBefore);
  Location loc = place->getLoc();
  Operation *before = place->getPrevNode();
  OpBuilder b(place);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0),
        one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, zero, one, one);
  b.setInsertionPoint(loop);
  OpBuilder inside(loop.getBody()->getTerminator());
  IRMapping copies;
  for (Operation *op : ops) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      Value memory = aside.lookup(load);
      auto [buffer, indices] = memory ? std::pair(memory, SmallVector<Value>())
                                      : getPlace(b, inside, load.getMemRef(),
                                                 load.getIndices(), copies);
      copies.map(
          load.getResult(),
          memref::LoadOp::create(inside, loc, buffer, indices).getResult());
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      auto [buffer, indices] =
          getPlace(b, inside, store.getMemRef(), store.getIndices(), copies);
      memref::StoreOp::create(inside, loc,
                              copies.lookupOrDefault(store.getValueToStore()),
                              buffer, indices);
    } else {
      inside.clone(*op, copies);
    }
  }
  std::string reason;
  if (!LoopKernel::match(loop, /*mostUpdateBlocks=*/0, reason)) {
    // With the views in front of it.
    while (place->getPrevNode() != before)
      place->getPrevNode()->erase();
    // One of them may be the reason.
    if (group.stores.size() > 1)
      for (memref::StoreOp store : group.stores) {
        Group alone;
        add(alone, store);
        write(alone);
      }
    return;
  }
  numStored += group.stores.size();
  ++numKernels;
  for (memref::StoreOp store : group.stores)
    store.erase();
  unused.insert_range(group.slice);
}

/// Erases what was computed for stores and is of no use now.
void StoreNumbersByKernels::eraseUnused() {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Operation *op : llvm::to_vector(llvm::reverse(unused))) {
      if (isa<memref::AllocOp>(op) &&
          llvm::all_of(op->getUsers(), llvm::IsaPred<memref::DeallocOp>))
        for (Operation *dealloc : llvm::make_early_inc_range(op->getUsers()))
          dealloc->erase();
      if (isOpTriviallyDead(op)) {
        unused.remove(op);
        op->erase();
        isChanged = true;
      }
    }
  }
}
