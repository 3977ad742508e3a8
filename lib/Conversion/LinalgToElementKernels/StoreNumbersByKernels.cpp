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

/// Whether `op`, or what is in it, may write to a buffer or free it; with
/// `orRead`, or read it.
static bool touches(Operation *op, Value buffer, bool orRead = false) {
  bool isInside = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface && !isInside)
    return !op->hasTrait<OpTrait::IsTerminator>();
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (interface)
    interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &it : effects) {
    if (isa<MemoryEffects::Allocate>(it.getEffect()) ||
        (!orRead && isa<MemoryEffects::Read>(it.getEffect())))
      continue;
    Value touched = it.getValue();
    if (!touched || !isa<BaseMemRefType>(touched.getType()) ||
        !areBuffersApart(touched, buffer))
      return true;
  }
  return isInside && llvm::any_of(op->getRegions(), [&](Region &region) {
           return llvm::any_of(region.getOps(), [&](Operation &inner) {
             return touches(&inner, buffer, orRead);
           });
         });
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
    numbers = nullptr;
  }

private:
  void runOn(Block &block);
  bool addSlice(Value value, llvm::SetVector<Operation *> &slice) const;
  std::optional<llvm::SetVector<Operation *>>
  getSlice(memref::StoreOp store) const;
  bool canStore(memref::StoreOp store) const;
  bool staysThere(memref::LoadOp load, const Group &group,
                  Operation *place) const;
  bool allStayThere(const Group &group, Operation *place) const;
  bool canJoin(const Group &group, memref::StoreOp store) const;
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
};
} // namespace

/// Adds what computes a number of the device. False if not all of it can be a
/// kernel's.
bool StoreNumbersByKernels::addSlice(
    Value value, llvm::SetVector<Operation *> &slice) const {
  if (!numbers->contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (slice.contains(op))
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (!load.getMemRefType().hasStaticShape())
      return false;
  } else if (!isMemoryEffectFree(op) ||
             (op->getNumRegions() != 0 && !isOfNumbers(op))) {
    return false;
  }
  for (Value taken : getTaken(op))
    if (!addSlice(taken, slice))
      return false;
  slice.insert(op);
  return true;
}

/// What computes what is stored, and where; nothing if that is not for a
/// kernel.
std::optional<llvm::SetVector<Operation *>>
StoreNumbersByKernels::getSlice(memref::StoreOp store) const {
  llvm::SetVector<Operation *> slice;
  if (!addSlice(store.getValueToStore(), slice))
    return std::nullopt;
  for (Value index : store.getIndices())
    if (!addSlice(index, slice))
      return std::nullopt;
  return slice;
}

/// Whether a store is for a kernel: of a number of the device, or to a place
/// that is one, or of a constant, in the device's memory.
bool StoreNumbersByKernels::canStore(memref::StoreOp store) const {
  auto isNumber = [&](Value value) { return numbers->contains(value); };
  return store.getMemRefType().hasStaticShape() &&
         numbers->isOfDevice(store.getMemRef()) &&
         (isNumber(store.getValueToStore()) ||
          llvm::any_of(store.getIndices(), isNumber) ||
          matchPattern(store.getValueToStore(), m_Constant())) &&
         getSlice(store);
}

/// Whether a load gives in front of `place`, or as a part of a group there,
/// what it gives where it is.
bool StoreNumbersByKernels::staysThere(memref::LoadOp load, const Group &group,
                                       Operation *place) const {
  if (aside.contains(load))
    return true;
  Operation *around = load->getBlock()->findAncestorOpInBlock(*place);
  for (Operation *op = load->getNextNode(); op != around;
       op = op->getNextNode())
    if (!llvm::is_contained(group.stores, op) && touches(op, load.getMemRef()))
      return false;
  // Another round of a loop around the place.
  return around == place || !touches(around, load.getMemRef());
}

bool StoreNumbersByKernels::allStayThere(const Group &group,
                                         Operation *place) const {
  return llvm::all_of(group.slice, [&](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    return !load || staysThere(load, group, place);
  });
}

/// Whether the stores of a group may wait for another one behind them.
bool StoreNumbersByKernels::canJoin(const Group &group,
                                    memref::StoreOp store) const {
  if (group.stores.size() == kMostStores)
    return false;
  for (Operation *op = group.stores.front(); op != store;
       op = op->getNextNode())
    if (!llvm::is_contained(group.stores, op) &&
        llvm::any_of(group.stores, [&](memref::StoreOp earlier) {
          return touches(op, earlier.getMemRef(), /*orRead=*/true);
        }))
      return false;
  return allStayThere(group, store);
}

void StoreNumbersByKernels::runOn(Block &block) {
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
    if (!group.stores.empty() && !canJoin(group, store))
      end();
    group.stores.push_back(store);
    group.slice.insert_range(*getSlice(store));
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
    if (touches(last, source) || !staysThere(load, Group(), last))
      return false;
    for (OpOperand *use : *reads)
      use->set(source);
    ++numRead;
    unused.insert(copy.getDefiningOp());
  } else if (!staysThere(load, Group(), store)) {
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
  alone.stores.push_back(store);
  if (std::optional<llvm::SetVector<Operation *>> slice = getSlice(store)) {
    alone.slice = *slice;
    write(alone);
  }
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
      !addSlice(number, slice) ||
      llvm::count_if(slice, llvm::IsaPred<memref::LoadOp>) < 2)
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
  for (Operation *op : group.slice)
    if (auto load = dyn_cast<memref::LoadOp>(op))
      if (!staysThere(load, group, place))
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
        Group alone{{store}, *getSlice(store)};
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
