//===- PlanBuffers.cpp - One allocation for all buffers of a step ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of a function are numbered in program order. A buffer lives from
// its allocation to the last use of any view of it; where a use stands in a
// loop that the allocation does not stand in, to the end of the loop. Buffers
// whose lives meet must not overlap in the arena, also where one ends at the
// operation that another begins at: an operation may read the first and write
// the second.
//
// Offsets are given greedily, the largest buffer first, each into the smallest
// gap between the buffers placed before it that live at the same time ("Greedy
// by Size" of Pisarchyk and Lee, Efficient Memory Management for Deep Neural
// Net Inference, 2020). The arena is at least as large as what lives at the
// busiest operation; both numbers are statistics. Placement is quadratic in the
// number of buffers, a few hundred.
//
// The naive version goes wrong in loops: an allocation in the body of a loop
// that is yielded to the next iteration lives at the same time as the next one
// made at the same place. Such an allocation stays.
//
// So does one in an scf.parallel, which each thread needs for itself, and one
// that goes into an operation which gives memory, unless it is
// known whether that is a view. And so do buffers that 63 bits do not count,
// alone or together: amp-measure-workspace refuses them, and shows which.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "amp/Support/ByteCount.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "amp-plan-buffers"

namespace mlir::amp {
#define GEN_PASS_DEF_PLANBUFFERSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// A cache line, and the widest vector register.
static constexpr int64_t kAlignment = 64;

namespace {
/// A buffer to be placed.
struct Buffer {
  memref::AllocOp alloc;
  /// A multiple of the alignment.
  int64_t bytes;
  /// Numbers of the first and the last operation of its life, both included.
  unsigned first, last;
  /// Its place in the arena.
  int64_t offset = -1;

  bool meets(const Buffer &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// Lives of the buffers of one function.
class Lifetimes {
public:
  explicit Lifetimes(func::FuncOp function) : views(function) {
    number(function);
  }

  /// The buffer of `alloc`, or nothing if it must stay.
  std::optional<Buffer> getBuffer(memref::AllocOp alloc) const;

private:
  /// A buffer lives as long as `user` runs, in all rounds of its loops.
  void extend(Buffer &buffer, Operation *user) const;
  /// And as what is given its address.
  void extendByPointer(Buffer &buffer, Operation *pointer) const;

  /// First and last number in an operation, itself included.
  struct Span {
    unsigned first, last;
  };
  unsigned number(Operation *op) {
    Span span{next++, 0};
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        number(&inner);
    span.last = next - 1;
    spans[op] = span;
    return span.last;
  }

  BufferViewFlowAnalysis views;
  llvm::DenseMap<Operation *, Span> spans;
  unsigned next = 0;
};
} // namespace

/// Elements of `width` bytes, rounded up to the alignment; nothing if
/// 63 bits do not hold them.
static std::optional<int64_t> getBytes(ArrayRef<int64_t> shape, int64_t width) {
  std::optional<int64_t> exact = countBytes(shape, width);
  int64_t bytes;
  if (!exact || llvm::AddOverflow(*exact, kAlignment - 1, bytes))
    return std::nullopt;
  return bytes / kAlignment * kAlignment;
}

/// Bytes of a buffer of `type`, or nothing where that is not known here.
static std::optional<int64_t> getBytes(MemRefType type) {
  Type element = type.getElementType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getMemorySpace())
    return std::nullopt;
  if (element.isIndex())
    return getBytes(type.getShape(), 8);
  if (!element.isIntOrFloat())
    return std::nullopt;
  int64_t width = (element.getIntOrFloatBitWidth() + 7) / 8;
  if (!llvm::isPowerOf2_64(width))
    return std::nullopt;
  return getBytes(type.getShape(), width);
}

void Lifetimes::extend(Buffer &buffer, Operation *user) const {
  buffer.last = std::max(buffer.last, spans.lookup(user).last);
  for (Operation *parent = user->getParentOp(); !isa<func::FuncOp>(parent);
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent) &&
        !parent->isProperAncestor(buffer.alloc))
      buffer.last = std::max(buffer.last, spans.lookup(parent).last);
}

void Lifetimes::extendByPointer(Buffer &buffer, Operation *pointer) const {
  for (Operation *user : pointer->getUsers()) {
    extend(buffer, user);
    if (isa<arith::IndexCastOp, LLVM::IntToPtrOp>(user))
      extendByPointer(buffer, user);
  }
}

std::optional<Buffer> Lifetimes::getBuffer(memref::AllocOp alloc) const {
  std::optional<int64_t> bytes = getBytes(alloc.getType());
  if (!bytes || *bytes == 0)
    return std::nullopt;
  Span span = spans.lookup(alloc);
  Buffer buffer{alloc, *bytes, span.first, span.last};
  const auto known = views.resolve(alloc);
  for (Value view : known) {
    // Carried around a loop that the allocation stands in.
    Operation *owner = isa<BlockArgument>(view)
                           ? cast<BlockArgument>(view).getOwner()->getParentOp()
                           : view.getDefiningOp();
    for (auto loop = alloc->getParentOfType<LoopLikeOpInterface>(); loop;
         loop = loop->getParentOfType<LoopLikeOpInterface>())
      if (owner == loop.getOperation())
        return std::nullopt;
    for (Operation *user : view.getUsers()) {
      if (isa<func::ReturnOp>(user) || isa<memref::DeallocOp>(user))
        return std::nullopt;
      // What nobody knows to be no view may be one: a callee's, or that of an
      // operation whose interface is not registered.
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType()) && !known.contains(result))
          return std::nullopt;
      extend(buffer, user);
      if (isa<memref::ExtractAlignedPointerAsIndexOp>(user))
        extendByPointer(buffer, user);
    }
  }
  return buffer;
}

/// Gives `buffers` their offsets; returns the size of the arena.
static int64_t place(MutableArrayRef<Buffer> buffers) {
  SmallVector<Buffer *> order;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](Buffer *a, Buffer *b) {
    return std::pair(-a->bytes, a->first) < std::pair(-b->bytes, b->first);
  });
  SmallVector<Buffer *> placed; // by offset
  int64_t size = 0;
  for (Buffer *buffer : order) {
    int64_t end = 0, best = -1, bestGap = 0;
    for (Buffer *other : placed) {
      if (!buffer->meets(*other))
        continue;
      int64_t gap = other->offset - end;
      if (gap >= buffer->bytes && (best < 0 || gap < bestGap)) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, other->offset + other->bytes);
    }
    buffer->offset = best < 0 ? end : best;
    size = std::max(size, buffer->offset + buffer->bytes);
    placed.insert(llvm::upper_bound(placed, buffer,
                                    [](Buffer *a, Buffer *b) {
                                      return a->offset < b->offset;
                                    }),
                  buffer);
  }
  return size;
}

/// Bytes that live at the busiest operation: no arena is smaller.
static int64_t getBusiest(ArrayRef<Buffer> buffers) {
  int64_t busiest = 0;
  for (const Buffer &at : buffers) {
    int64_t bytes = 0;
    for (const Buffer &buffer : buffers)
      if (buffer.first <= at.first && at.first <= buffer.last)
        bytes += buffer.bytes;
    busiest = std::max(busiest, bytes);
  }
  return busiest;
}

/// Replaces the allocations by views of one of `size` bytes.
static void rewrite(func::FuncOp function, MutableArrayRef<Buffer> buffers,
                    int64_t size) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  Location loc = function.getLoc();
  auto arena = memref::AllocOp::create(
      builder, loc, MemRefType::get(size, builder.getI8Type()),
      builder.getI64IntegerAttr(kAlignment));
  for (Buffer &buffer : buffers) {
    builder.setInsertionPoint(buffer.alloc);
    loc = buffer.alloc.getLoc();
    Value offset = arith::ConstantIndexOp::create(builder, loc, buffer.offset);
    Value view = memref::ViewOp::create(builder, loc, buffer.alloc.getType(),
                                        arena, offset, ValueRange());
    buffer.alloc.replaceAllUsesWith(view);
    buffer.alloc->erase();
  }
}

namespace {
struct PlanBuffers : public amp::impl::PlanBuffersPassBase<PlanBuffers> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // Numbers are program order only where blocks do not branch.
    WalkResult branches = function.walk(
        [](BranchOpInterface) { return WalkResult::interrupt(); });
    if (function.isExternal() || branches.wasInterrupted())
      return;
    Lifetimes lifetimes(function);
    SmallVector<Buffer> buffers;
    function.walk([&](memref::AllocOp alloc) {
      // Several threads are there at the same time.
      if (alloc->getParentOfType<scf::ParallelOp>())
        return;
      if (std::optional<Buffer> buffer = lifetimes.getBuffer(alloc))
        buffers.push_back(*buffer);
    });
    if (buffers.empty())
      return;
    // No offset is larger.
    int64_t total = 0;
    for (const Buffer &buffer : buffers)
      if (llvm::AddOverflow(total, buffer.bytes, total))
        return;
    int64_t size = place(buffers);
    numBytes += total;
    numBuffers += buffers.size();
    arenaBytes += size;
    busiestBytes += getBusiest(buffers);
    rewrite(function, buffers, size);
  }
};
} // namespace
