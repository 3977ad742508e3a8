//===- LoopKernel.cpp - Loops of numbers as kernels -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operation is copied into the kernel as it is, and its loads and stores
// become those of device code. Where LoopThreads.cpp proves that threads can
// share it, each goes through the copy for one iteration of the independent
// loops and one part of the elements after the other; parts lie behind one
// another, so that the threads of a warp run the same part and neighbours in
// the innermost independent loop. Where updates have blocks of their own, one
// copy says whose an update is, and one runs it for a thread's iteration of the
// independent loops. Else one thread runs the nest, in the order of the
// text: no host waits for single elements.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/LoopKernel.h"

#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "Elements/GenericBody.h"
#include "Elements/LoopThreads.h"
#include "Elements/SameOwner.h"
#include "Elements/WideAccess.h"
#include "amp/Kernels/CopyKernel.h"
#include "amp/Kernels/DeviceFunctions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kWarp = 32, kBlocksPerMultiprocessor = 8;
/// Updates that a thread of a block with one update looks at, at least, so that
/// few columns have no fewer threads than are of use.
static constexpr int64_t kUpdatesOfThread = 4;

/// Whether device code has an operation of the region.
static bool isKnown(Operation *op) {
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp,
          memref::LoadOp, memref::StoreOp>(op) ||
      hasDeviceCode(op))
    return true;
  return isa_and_present<arith::ArithDialect>(op->getDialect()) &&
         op->getNumResults() == 1 &&
         op->getResult(0).getType().isIntOrIndexOrFloat();
}

/// What is wrong with a value from outside, or nothing.
static std::string checkOutside(Value value) {
  if (auto buffer = dyn_cast<MemRefType>(value.getType())) {
    std::string reason;
    (void)CopyKernel::match(buffer, buffer, reason);
    return reason;
  }
  return value.getType().isIndex() ? std::string() : checkRead(value);
}

std::optional<LoopKernel> LoopKernel::match(Operation *op,
                                            int64_t mostUpdateBlocks,
                                            std::string &reason) {
  auto refuse = [&](const Twine &text) {
    reason = text.str();
    return std::nullopt;
  };
  Operation *unknown = nullptr;
  Type changing;
  llvm::SetVector<Value> outside, written;
  op->walk([&](Operation *inner) {
    for (Type type : inner->getResultTypes())
      if (isa<BaseMemRefType>(type))
        changing = type;
    for (Region &region : inner->getRegions())
      for (Type type : region.getArgumentTypes())
        if (isa<BaseMemRefType>(type))
          changing = type;
    if (!unknown && !isKnown(inner))
      unknown = inner;
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      written.insert(store.getMemRef());
  });
  if (changing)
    return refuse(llvm::formatv(
        "expected a loop or a branch that leaves each tensor where it is, as "
        "one that inserts into what it carries does, but the one in {0} "
        "changes",
        changing));
  if (op->getNumResults() != 0)
    return refuse("expected a loop or a branch without results, but got some");
  if (unknown)
    return refuse(llvm::formatv("expected operations on numbers that kernels "
                                "have code for, but got '{0}'",
                                unknown->getName()));
  outside.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), outside);
  LoopKernel kernel(op, mostUpdateBlocks);
  for (Value value : outside) {
    if (isConstant(value))
      continue;
    if (std::string wrong = checkOutside(value); !wrong.empty())
      return refuse(wrong);
    SmallVector<Value> &list = !isa<MemRefType>(value.getType())
                                   ? kernel.numbers
                               : written.contains(value) ? kernel.writes
                                                         : kernel.reads;
    list.push_back(value);
  }
  return kernel;
}

namespace {
/// Replaces loads and stores of buffers by those of device code.
class Accesses {
public:
  explicit Accesses(DeviceBuilder &b) : b(b) {}

  void place(Value buffer, Value pointer) {
    places[buffer] =
        placeBuffer(b, pointer, cast<MemRefType>(buffer.getType()));
  }

  static SmallVector<Operation *> collect(Operation *nest) {
    SmallVector<Operation *> accesses;
    nest->walk([&](Operation *op) {
      if (isa<memref::LoadOp, memref::StoreOp>(op))
        accesses.push_back(op);
    });
    return accesses;
  }

  void rewrite(Operation *access) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(access);
    if (auto load = dyn_cast<memref::LoadOp>(access)) {
      Value value = loadElement(b, places.lookup(load.getMemRef()),
                                getIndices(load.getIndices()));
      load.replaceAllUsesWith(value);
    } else {
      auto store = cast<memref::StoreOp>(access);
      storeElement(b, store.getValueToStore(), places.lookup(store.getMemRef()),
                   getIndices(store.getIndices()));
    }
    access->erase();
  }

private:
  SmallVector<Number> getIndices(ValueRange indices) {
    return llvm::map_to_vector(indices, [&](Value index) {
      return b.number(
          b.createOrFold<arith::IndexCastOp>(b.getI32Type(), index));
    });
  }

  DeviceBuilder &b;
  llvm::DenseMap<Value, Place> places;
};
} // namespace

/// Moves the operations from `first` to `last` to the end of `block`, before
/// its terminator.
static void moveToEnd(Operation *first, Operation *last, Block *block) {
  block->getOperations().splice(
      block->getTerminator()->getIterator(), first->getBlock()->getOperations(),
      first->getIterator(), std::next(last->getIterator()));
}

/// Which owner an access to what is written has, and whether it has any.
static std::pair<Number, Value> findOwner(DeviceBuilder &b,
                                          const LoopThreads &threads,
                                          const IRMapping &copies) {
  Value isOwned;
  Number place = b.number(0);
  for (auto [value, extent] : threads.owner) {
    Value index = copies.lookup(value);
    Value isInside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index,
                              arith::ConstantIndexOp::create(b, extent));
    isOwned = isOwned ? b.both(isOwned, isInside) : isInside;
    place = place * extent +
            b.number(b.createOrFold<arith::IndexCastOp>(b.getI32Type(), index));
  }
  return {place, isOwned};
}

/// In a copy of the nest, runs `first` to `last` only where the index is inside
/// and belongs to `part`.
static void restrictToPart(DeviceBuilder &b, const LoopThreads &threads,
                           Number part, const IRMapping &copies) {
  OpBuilder::InsertionGuard guard(b);
  Operation *first = copies.lookup(threads.first),
            *last = copies.lookup(threads.last);
  b.setInsertionPoint(first);
  auto [place, isOwn] = findOwner(b, threads, copies);
  if (threads.parts > 1)
    isOwn = b.both(isOwn, place % threads.parts == part);
  auto branch = scf::IfOp::create(b, isOwn, /*withElseRegion=*/false);
  moveToEnd(first, last, branch.thenBlock());
}

/// In a copy of the nest, replaces each of some loops by one iteration.
static void takeIterations(DeviceBuilder &b, ArrayRef<scf::ForOp> loops,
                           Numbers iterations, const IRMapping &copies) {
  OpBuilder::InsertionGuard guard(b);
  for (auto [from, iteration] : llvm::zip_equal(loops, iterations)) {
    scf::ForOp original = from;
    auto loop = cast<scf::ForOp>(copies.lookup(original.getOperation()));
    b.setInsertionPoint(loop);
    auto constant = [&](Value bound) {
      return arith::ConstantIndexOp::create(b, *getConstantIntValue(bound));
    };
    Value index = b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(),
                                                       Value(iteration));
    index = b.createOrFold<arith::MulIOp>(index, constant(original.getStep()));
    index = b.createOrFold<arith::AddIOp>(index,
                                          constant(original.getLowerBound()));
    Value variable = loop.getInductionVar();
    if (!variable.getType().isIndex())
      index = b.createOrFold<arith::IndexCastOp>(variable.getType(), index);
    variable.replaceAllUsesWith(index);
    loop.getBody()->getTerminator()->erase();
    loop->getBlock()->getOperations().splice(loop->getIterator(),
                                             loop.getBody()->getOperations());
    loop.erase();
  }
}

//===----------------------------------------------------------------------===//
// Blocks of updates
//===----------------------------------------------------------------------===//

namespace {
/// Writes what a block does that has one update.
class UpdateEmitter {
public:
  UpdateEmitter(DeviceBuilder &b, Operation *op, const LoopThreads &threads,
                const IRMapping &outside, Accesses &accesses)
      : b(b), op(op), threads(threads), outside(outside), accesses(accesses) {}

  /// Who owns an update. The owner's indices are left in `indices`.
  Number getOwner(Number update, SmallVector<Value> &indices);
  /// Runs an update whose owner has `indices`, for one iteration of the
  /// independent loops.
  void run(Number update, Number column, ValueRange indices);

private:
  DeviceBuilder &b;
  Operation *op;
  const LoopThreads &threads;
  const IRMapping &outside;
  Accesses &accesses;
};
} // namespace

Number UpdateEmitter::getOwner(Number update, SmallVector<Value> &indices) {
  SmallVector<Number> at = delinearize(b, getTrips(threads.updates), update);
  IRMapping copies = outside;
  Operation *copy = b.clone(*op, copies);
  Operation *part = copies.lookup(threads.first),
            *last = copies.lookup(threads.last);
  Number owner;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(part);
    auto [place, isOwned] = findOwner(b, threads, copies);
    owner = b.select(isOwned, place, b.number(kNobody));
  }
  for (auto [index, extent] : threads.owner)
    indices.push_back(copies.lookup(index));
  // Nothing outside of the part uses its values.
  while (last != part) {
    Operation *before = last->getPrevNode();
    last->erase();
    last = before;
  }
  part->erase();
  for (Operation *access : Accesses::collect(copy))
    accesses.rewrite(access);
  // The owner is the same for all iterations of the independent loops.
  SmallVector<scf::ForOp> around;
  for (scf::ForOp loop : threads.loops)
    if (loop->isProperAncestor(threads.first))
      around.push_back(loop);
  takeIterations(b, around, SmallVector<Number>(around.size(), b.number(0)),
                 copies);
  takeIterations(b, threads.updates, at, copies);
  return owner;
}

void UpdateEmitter::run(Number update, Number column, ValueRange indices) {
  SmallVector<Number> at = delinearize(b, getTrips(threads.updates), update),
                      columns = delinearize(b, getTrips(threads.loops), column);
  IRMapping copies = outside;
  Operation *copy = b.clone(*op, copies);
  // Which are known before the update's own are read.
  for (auto [owner, known] : llvm::zip_equal(threads.owner, indices))
    if (owner.first.getDefiningOp())
      copies.lookup(owner.first).replaceAllUsesWith(known);
  SmallVector<Operation *> loadsAndStores = Accesses::collect(copy);
  takeIterations(b, threads.loops, columns, copies);
  takeIterations(b, threads.updates, at, copies);
  for (Operation *access : loadsAndStores)
    accesses.rewrite(access);
}

/// A block for each update and some columns, which are iterations of the
/// independent loops.
static void emitUpdates(DeviceBuilder &b, UpdateEmitter &emitter,
                        const LoopThreads &threads, int64_t threadsOfBlock,
                        Value memory) {
  const int64_t columns = llvm::product_of(getTrips(threads.loops)),
                count = threads.countUpdates(),
                blocksOfUpdate = threads.countBlocksOfUpdate();
  auto getOwner = [&](Number update) {
    SmallVector<Value> indices;
    return emitter.getOwner(update, indices);
  };
  b.loop(sm80::blockId(b), b.number(count * blocksOfUpdate),
         sm80::blockCount(b), [&](Number item) {
           Number update = item / blocksOfUpdate,
                  column = item % blocksOfUpdate * threadsOfBlock +
                           sm80::threadId(b);
           SmallVector<Value> indices;
           Number owner = emitter.getOwner(update, indices);
           runSameOwner(b, {count, threadsOfBlock, memory, getOwner}, update,
                        owner, [&](Number other) {
                          b.branch(column < columns, [&] {
                            emitter.run(other, column, indices);
                          });
                        });
         });
}

int64_t LoopKernel::countThreads() const {
  return shareLoops(op, reads, writes, mostUpdateBlocks).count();
}

gpu::GPUModuleOp LoopKernel::emit(OpBuilder &builder, StringRef name) const {
  Location loc = op->getLoc();
  const LoopThreads threads = shareLoops(op, reads, writes, mostUpdateBlocks);
  const bool hasUpdates = !threads.updates.empty();
  const int64_t items = threads.count(), updates = threads.countUpdates(),
                wanted = hasUpdates ? std::max(items / updates,
                                               updates / kUpdatesOfThread)
                                    : items,
                threadsOfBlock = std::min<int64_t>(llvm::alignTo(wanted, kWarp),
                                                   LoopThreads::kMostThreads),
                blocks = hasUpdates ? updates * threads.countBlocksOfUpdate()
                                    : llvm::divideCeil(items, threadsOfBlock);
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  std::string symbol = (name + "_memory").str();
  if (hasUpdates)
    LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External,
                           symbol, Attribute(), /*alignment=*/kWideBytes,
                           /*addrSpace=*/3);
  KernelSignature signature(b);
  auto addBuffers = [&](StringRef prefix, ArrayRef<Value> buffers) {
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      auto type = cast<MemRefType>(buffer.getType());
      signature.addBuffer((prefix + Twine(i)).str(),
                          getStorage(type.getElementType()), getSpan(type));
    }
  };
  auto getNumberType = [&](Value number) {
    return number.getType().isIndex() ? Type(b.getI64Type()) : number.getType();
  };
  addBuffers("in", reads);
  for (auto [i, number] : llvm::enumerate(numbers))
    signature.addBuffer(("number" + Twine(i)).str(),
                        getStorage(getNumberType(number)), 1);
  addBuffers("out", writes);
  auto func = signature.createKernel(
      name, {{blocks, items > 1 ? kBlocksPerMultiprocessor : 0},
             threadsOfBlock,
             /*minBlocks=*/1,
             /*cluster=*/1,
             hasUpdates ? getOwnedUpdatesBytes(updates) : 0,
             /*order=*/0});
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Accesses accesses(b);
  IRMapping mapping;
  unsigned argument = 0;
  for (Value buffer : reads)
    accesses.place(buffer, entry->getArgument(argument++));
  for (Value number : numbers) {
    Type type = getNumberType(number);
    Value value = loadNumber(b, entry->getArgument(argument++), type);
    if (number.getType().isIndex())
      value = arith::IndexCastOp::create(b, b.getIndexType(), value);
    mapping.map(number, value);
  }
  for (Value buffer : writes)
    accesses.place(buffer, entry->getArgument(argument++));
  llvm::SetVector<Value> outside;
  outside.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), outside);
  for (Value value : outside)
    if (isConstant(value))
      mapping.map(value, b.clone(*value.getDefiningOp())->getResult(0));
  const SmallVector<int64_t> trips = getTrips(threads.loops);
  const int64_t iterations = llvm::product_of(trips);
  auto run = [&](Number item) {
    const bool isOnePart = threads.parts == 1;
    SmallVector<Number> at =
        delinearize(b, trips, isOnePart ? item : item % iterations);
    Number part = isOnePart ? b.number(0) : item / iterations;
    Operation *copy = b.clone(*op, mapping);
    SmallVector<Operation *> loadsAndStores = Accesses::collect(copy);
    if (threads.first)
      restrictToPart(b, threads, part, mapping);
    takeIterations(b, threads.loops, at, mapping);
    for (Operation *access : loadsAndStores)
      accesses.rewrite(access);
  };
  if (hasUpdates) {
    Value memory = LLVM::AddressOfOp::create(b, b.pointer(3), symbol);
    UpdateEmitter emitter(b, op, threads, mapping, accesses);
    emitUpdates(b, emitter, threads, threadsOfBlock, memory);
  } else if (items == 1) {
    b.branch(sm80::threadId(b) == 0, [&] { run(b.number(0)); });
  } else {
    b.loop(sm80::blockId(b) * threadsOfBlock + sm80::threadId(b),
           b.number(items), sm80::blockCount(b) * threadsOfBlock, run);
  }
  b.setInsertionPointToEnd(entry);
  LLVM::ReturnOp::create(b, ValueRange());
  numberLaunches(module);
  return module;
}
