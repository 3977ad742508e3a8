//===- StoreLoopResults.cpp - Numbers that loops on elements give ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel gives no values, so that a loop that does, as running sums and
// searches are written, would be the host's. Around it goes a loop of one
// iteration without results, which stores each number that is used:
//
//   %r = scf.for ... -> (f32)      %m = memref.alloc() : memref<f32>
//                                  scf.for 0 to 1 {
//                              ->    %r = scf.for ... -> (f32)
//                                    memref.store %r, %m[]
//                                  }
//                                  %v = memref.load %m[]
//
// Stores of a result that follow the loop go in there with it, with the
// arithmetic between them, so that the host has nothing to read.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/ElementLoops.h"
#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define DEBUG_TYPE "amp-store-loop-results"

namespace mlir::amp {
#define GEN_PASS_DEF_STORELOOPRESULTSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Whether an operation gives nothing but numbers of up to 64 bits.
static bool givesNumbers(Operation *op) {
  return op->getNumResults() != 0 &&
         llvm::all_of(op->getResultTypes(), [](Type type) {
           return type.isIndex() ||
                  (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
         });
}

/// Whether an operation gives memory that it might give in front of `loop`.
static bool isMemoryFromBefore(Operation *op, Operation *loop) {
  return isa<memref::AllocOp, memref::ViewOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           Operation *def = operand.getDefiningOp();
           return !def || def->getBlock() != loop->getBlock() ||
                  def->isBeforeInBlock(loop);
         });
}

/// The operations behind a loop up to the last store, with nothing but stores,
/// their memory and arithmetic between.
static SmallVector<Operation *> getStoresBehind(Operation *loop) {
  SmallVector<Operation *> taken, seen;
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
    seen.push_back(op);
    if (isa<memref::StoreOp>(op)) {
      taken.append(seen);
      seen.clear();
    } else if (isMemoryFromBefore(op, loop)) {
      continue;
    } else if (!isPure(op) || op->getNumRegions() != 0 ||
               op->hasTrait<OpTrait::IsTerminator>() ||
               llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>)) {
      break;
    }
  }
  return taken;
}

/// Moves the loop, and what is stored behind it, into a loop of one iteration.
static void wrap(Operation *loop) {
  OpBuilder b(loop);
  Location loc = loop->getLoc();
  SmallVector<Operation *> behind = getStoresBehind(loop);
  llvm::erase_if(behind, [&](Operation *op) {
    bool isMemory = isMemoryFromBefore(op, loop);
    if (isMemory)
      op->moveBefore(loop);
    return isMemory;
  });
  Value zero = arith::ConstantIndexOp::create(b, loc, 0),
        one = arith::ConstantIndexOp::create(b, loc, 1);
  auto around = scf::ForOp::create(b, loc, zero, one, one);
  Operation *end = around.getBody()->getTerminator();
  loop->moveBefore(end);
  b.setInsertionPoint(end);
  IRMapping copies;
  for (Operation *op : behind)
    b.clone(*op, copies);
  // Arithmetic that is needed further behind as well stays there, too.
  for (Operation *op : llvm::reverse(behind))
    if (isa<memref::StoreOp>(op) || op->use_empty())
      op->erase();
  for (OpResult result : loop->getResults()) {
    auto isOutside = [&](OpOperand &use) {
      return !around->isAncestor(use.getOwner());
    };
    if (llvm::none_of(result.getUses(), isOutside))
      continue;
    Type type = result.getType(),
         stored = type.isIndex() ? Type(b.getI64Type()) : type;
    b.setInsertionPoint(around);
    Value memory = memref::AllocOp::create(b, loc, MemRefType::get({}, stored));
    b.setInsertionPoint(end);
    memref::StoreOp::create(
        b, loc,
        type.isIndex() ? arith::IndexCastOp::create(b, loc, stored, result)
                       : Value(result),
        memory, ValueRange());
    b.setInsertionPointAfter(around);
    Value value = memref::LoadOp::create(b, loc, memory, ValueRange());
    if (type.isIndex())
      value = arith::IndexCastOp::create(b, loc, type, value);
    result.replaceUsesWithIf(value, isOutside);
    // A later reader may read it there (amp-store-numbers-by-kernels).
    b.setInsertionPoint(around->getBlock()->getTerminator());
    memref::DeallocOp::create(b, loc, memory);
  }
}

namespace {
struct StoreLoopResults
    : public amp::impl::StoreLoopResultsPassBase<StoreLoopResults> {
  void runOnOperation() override {
    SmallVector<Operation *> loops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<scf::ForOp, scf::WhileOp>(op) || !touchesElements(op) ||
          !isOfNumbers(op))
        return WalkResult::advance();
      // What is in it is its kernel's, whatever it gives.
      if (givesNumbers(op))
        loops.push_back(op);
      return WalkResult::skip();
    });
    llvm::for_each(loops, wrap);
    numWrapped += loops.size();
  }
};
} // namespace
