//===- LoopThreads.cpp - Which thread runs what of a nest -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two proofs, each of which gives every written element one thread that runs
// what touches it, in the loops' order. So a sum has the bits of the loop for
// any number of threads, and no thread waits for another.
//
// Independent loops: where a dimension of all that is written is indexed by a
// loop's own variable, scaled and shifted by what the nest does not change, two
// iterations touch different elements. Each thread has one iteration. Nothing
// leaves a loop without results but by memory, and all accesses to what is
// written are inside.
//
// Owners: what is left of the index is often data (a scatter). Then every
// thread goes through the remaining loops, and runs the part that touches what
// is written only where the index belongs to it. The part is the operations
// from the first access to the last in the outermost block where the index
// is computed in front of them; it is the same in every access, and nothing
// behind them uses their values, so that no thread can tell what others did. An
// index outside of its buffer belongs to nobody.
//
// The naive version goes wrong where another view of a written buffer is read:
// all other buffers have to be apart from it.
//
//===----------------------------------------------------------------------===//

#include "Elements/LoopThreads.h"

#include "amp/Analysis/BufferRoots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::amp;

/// Reading an element that was just written costs as much as looking at this
/// many indices: 300 cycles by the second-level cache beside 10. More parts
/// would be in each other's way without ending earlier.
static constexpr int64_t kMostParts = 32;
/// From here on threads queue up: 132 multiprocessors, 1,024 threads each.
static constexpr int64_t kManyThreads = int64_t(1) << 17;

SmallVector<int64_t> mlir::amp::getTrips(ArrayRef<scf::ForOp> loops) {
  return llvm::map_to_vector(loops, [](scf::ForOp loop) {
    return loop.getStaticTripCount()->getSExtValue();
  });
}

int64_t LoopThreads::countUpdates() const {
  return llvm::product_of(getTrips(updates));
}

int64_t LoopThreads::countBlocksOfUpdate() const {
  return llvm::divideCeil(llvm::product_of(getTrips(loops)), kMostThreads);
}

int64_t LoopThreads::count() const {
  return llvm::product_of(getTrips(loops)) * countUpdates() * parts;
}

/// Whether a loop carries nothing and its iterations are known.
static bool hasKnownIterations(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  return loop.getNumResults() == 0 && trips && trips->isStrictlyPositive() &&
         getConstantIntValue(loop.getLowerBound()) &&
         getConstantIntValue(loop.getStep());
}

static bool isOutside(Value value, Operation *nest) {
  return !nest->isAncestor(value.getParentRegion()->getParentOp());
}

/// The loop whose iterations an index tells apart, or null.
static scf::ForOp getLoop(Value index, Operation *nest) {
  while (Operation *op = index.getDefiningOp()) {
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      return {};
    unsigned varying = isOutside(op->getOperand(0), nest) ? 1 : 0;
    Value other = op->getOperand(1 - varying);
    if (!isOutside(other, nest))
      return {};
    // A product may not come back to where it was, and 2^31 rounds are no loop
    // over memory.
    const int64_t factor =
        isa<arith::MulIOp>(op) ? getConstantIntValue(other).value_or(0) : 1;
    if (factor == 0 || factor > INT32_MAX || factor < -INT32_MAX)
      return {};
    index = op->getOperand(varying);
  }
  auto argument = cast<BlockArgument>(index);
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  return loop && nest->isAncestor(loop) && loop.getInductionVar() == index
             ? loop
             : scf::ForOp();
}

namespace {
/// An access to what is written.
struct Access {
  Operation *op;
  Value buffer;
  ValueRange indices;
};

class Sharing {
public:
  Sharing(Operation *nest, ArrayRef<Value> writes)
      : nest(nest), writes(writes) {
    nest->walk([&](Operation *op) {
      if (auto load = dyn_cast<memref::LoadOp>(op))
        add({op, load.getMemRef(), load.getIndices()});
      else if (auto store = dyn_cast<memref::StoreOp>(op))
        add({op, store.getMemRef(), store.getIndices()});
    });
  }

  void findLoops();
  void findOwners();
  /// Finds the updates, if each can have blocks, at most so many in all.
  void findUpdates(int64_t mostBlocks);

  LoopThreads threads;

private:
  void add(Access access) {
    if (llvm::is_contained(writes, access.buffer))
      accesses.push_back(access);
  }
  /// The index along a dimension of all accesses to a buffer, or null.
  Value getIndex(Value buffer, unsigned dim) const;
  bool isIndependent(scf::ForOp loop) const;
  /// Finds what a thread runs for its own elements alone, in a block that has
  /// all accesses.
  bool findPart(Block *block);
  bool isInPart(Operation *op) const;
  /// Finds by which indices elements have owners.
  bool findIndex();
  /// How often the part runs, with all loops around it that are left.
  int64_t countRuns() const;
  /// Whether a value is another one in other iterations of `threads.loops`.
  bool dependsOnLoops(Value value) const;

  Operation *nest;
  ArrayRef<Value> writes;
  SmallVector<Access> accesses;
};
} // namespace

Value Sharing::getIndex(Value buffer, unsigned dim) const {
  Value index;
  for (const Access &access : accesses) {
    if (access.buffer != buffer)
      continue;
    if (index && index != access.indices[dim])
      return {};
    index = access.indices[dim];
  }
  return index;
}

bool Sharing::isIndependent(scf::ForOp loop) const {
  if (!hasKnownIterations(loop) ||
      loop.getStaticTripCount()->getSExtValue() > INT32_MAX / threads.count())
    return false;
  return llvm::all_of(accesses,
                      [&](const Access &access) {
                        return loop->isProperAncestor(access.op);
                      }) &&
         llvm::all_of(writes, [&](Value buffer) {
           auto dims = llvm::seq(cast<MemRefType>(buffer.getType()).getRank());
           return llvm::any_of(dims, [&](unsigned dim) {
             Value index = getIndex(buffer, dim);
             return index && getLoop(index, nest) == loop;
           });
         });
}

void Sharing::findLoops() {
  nest->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (isIndependent(loop))
      threads.loops.push_back(loop);
  });
}

bool Sharing::findPart(Block *block) {
  threads.first = threads.last = nullptr;
  for (const Access &access : accesses) {
    Operation *op = block->findAncestorOpInBlock(*access.op);
    if (!threads.first || op->isBeforeInBlock(threads.first))
      threads.first = op;
    if (!threads.last || threads.last->isBeforeInBlock(op))
      threads.last = op;
  }
  for (Operation *op = threads.first;; op = op->getNextNode()) {
    if (!llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return isInPart(user); }))
      return false;
    if (op == threads.last)
      return true;
  }
}

bool Sharing::isInPart(Operation *op) const {
  op = threads.first->getBlock()->findAncestorOpInBlock(*op);
  return op && !op->isBeforeInBlock(threads.first) &&
         !threads.last->isBeforeInBlock(op);
}

bool Sharing::findIndex() {
  for (Value buffer : writes) {
    SmallVector<std::pair<Value, int64_t>> owner;
    auto shape = cast<MemRefType>(buffer.getType()).getShape();
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      Value index = getIndex(buffer, dim);
      if (!index)
        return false;
      if (isOutside(index, nest) ||
          llvm::is_contained(threads.loops, getLoop(index, nest)))
        continue;
      Operation *from = index.getDefiningOp();
      if (!from)
        from = cast<BlockArgument>(index).getOwner()->getParentOp();
      if (isInPart(from))
        return false;
      owner.push_back({index, extent});
    }
    if (buffer == writes.front())
      threads.owner = owner;
    else if (threads.owner != owner)
      return false;
  }
  return !threads.owner.empty();
}

int64_t Sharing::countRuns() const {
  int64_t runs = 1;
  for (Operation *op = threads.first; op != nest && runs < kMostParts;) {
    op = op->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(op);
    if (isa<scf::IfOp>(op) || llvm::is_contained(threads.loops, loop))
      continue;
    std::optional<APInt> trips;
    if (loop)
      trips = loop.getStaticTripCount();
    runs *= trips ? trips->getLimitedValue(kMostParts) : kMostParts;
  }
  return std::max<int64_t>(runs, 1);
}

void Sharing::findOwners() {
  if (accesses.empty())
    return;
  Block *block = accesses.front().op->getBlock();
  auto isInBlock = [&](const Access &access) {
    return block->findAncestorOpInBlock(*access.op) != nullptr;
  };
  LoopThreads found = threads;
  for (; nest->isAncestor(block->getParentOp());
       block = block->getParentOp()->getBlock()) {
    if (!llvm::all_of(accesses, isInBlock))
      continue;
    if (!findPart(block) || !findIndex())
      break;
    found = threads;
  }
  threads = found;
  if (!threads.first)
    return;
  // A loop whose own variable is the index was not independent: it carries
  // values, and parts would go through all of them.
  int64_t elements = 1;
  for (auto [index, extent] : threads.owner)
    if (!getLoop(index, nest))
      elements *= extent;
  threads.parts =
      std::max<int64_t>(1, std::min({elements, countRuns(), kMostParts,
                                     kManyThreads / threads.count()}));
}

bool Sharing::dependsOnLoops(Value value) const {
  SmallVector<Value> todo = {value};
  llvm::DenseSet<Value> seen;
  while (!todo.empty()) {
    Value next = todo.pop_back_val();
    if (isOutside(next, nest) || !seen.insert(next).second)
      continue;
    Operation *from = next.getDefiningOp();
    if (!from) {
      // Operands of the operation whose argument it is were looked at with its
      // results, unless it is a loop around all.
      from = cast<BlockArgument>(next).getOwner()->getParentOp();
      if (llvm::is_contained(threads.loops, dyn_cast<scf::ForOp>(from)))
        return true;
      continue;
    }
    from->walk(
        [&](Operation *op) { llvm::append_range(todo, op->getOperands()); });
  }
  return false;
}

void Sharing::findUpdates(int64_t mostBlocks) {
  if (!threads.first)
    return;
  SmallVector<scf::ForOp> updates;
  int64_t count = 1, owners = 1;
  for (Operation *op = threads.first; op != nest;) {
    op = op->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop && llvm::is_contained(threads.loops, loop))
      continue;
    if (!loop || !hasKnownIterations(loop) ||
        loop.getStaticTripCount()->sgt(mostBlocks / count))
      return;
    count *= loop.getStaticTripCount()->getSExtValue();
    updates.push_back(loop);
  }
  // A key has 32 bits, and one that is nobody's.
  for (auto [index, extent] : threads.owner)
    owners = extent > INT32_MAX / owners ? INT32_MAX : owners * extent;
  if (count < 2 || count > mostBlocks / threads.countBlocksOfUpdate() ||
      owners == INT32_MAX ||
      llvm::any_of(threads.owner, [&](const std::pair<Value, int64_t> &index) {
        return dependsOnLoops(index.first);
      }))
    return;
  threads.updates.assign(updates.rbegin(), updates.rend());
  threads.parts = 1;
}

LoopThreads mlir::amp::shareLoops(Operation *nest, ArrayRef<Value> reads,
                                  ArrayRef<Value> writes,
                                  int64_t mostUpdateBlocks) {
  for (ArrayRef<Value> rest = writes; !rest.empty(); rest = rest.drop_front()) {
    auto isApart = [&](Value other) {
      return areBuffersApart(rest.front(), other);
    };
    if (!llvm::all_of(reads, isApart) ||
        !llvm::all_of(rest.drop_front(), isApart))
      return {};
  }
  if (writes.empty())
    return {};
  Sharing sharing(nest, writes);
  sharing.findLoops();
  sharing.findOwners();
  sharing.findUpdates(mostUpdateBlocks);
  return sharing.threads;
}
