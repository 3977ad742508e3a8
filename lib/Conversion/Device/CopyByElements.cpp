//===- CopyByElements.cpp - Copies inside loops on elements ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops and branches on elements are one kernel, in which no copy can be asked
// for and no memory be allocated. In the outermost ones copies become loops,
// and what they allocate is allocated in front:
//
//   scf.for ...                    ->  %m = memref.alloc()
//     %m = memref.alloc()              scf.for ...
//     memref.copy %x, %m                 scf.for %i
//     memref.store %v, %m[%k]              memref.store x[%i], %m[%i]
//                                        memref.store %v, %m[%k]
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/ElementLoops.h"
#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#define DEBUG_TYPE "amp-copy-by-elements"

namespace mlir::amp {
#define GEN_PASS_DEF_COPYBYELEMENTSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Whether memory that a loop allocates is the iteration's own: of known size,
/// and not handed on.
static bool isOwn(memref::AllocOp memory) {
  return memory.getType().hasStaticShape() &&
         llvm::all_of(
             memory->getUsers(),
             llvm::IsaPred<memref::LoadOp, memref::StoreOp, memref::CopyOp>);
}

static bool canCopy(memref::CopyOp copy) {
  auto isKnown = [](Value buffer) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    return type && type.hasStaticShape();
  };
  return isKnown(copy.getSource()) && isKnown(copy.getTarget());
}

/// Whether a loop or a branch touches elements, and does nothing besides but
/// copy and allocate.
static bool isOfElements(Operation *nest) {
  return touchesElements(nest) && isOfNumbers(nest, [](Operation *op) {
           auto memory = dyn_cast<memref::AllocOp>(op);
           auto copy = dyn_cast<memref::CopyOp>(op);
           return (memory && isOwn(memory)) || (copy && canCopy(copy));
         });
}

static void expand(memref::CopyOp copy) {
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  SmallVector<Value> low, high, step;
  for (int64_t extent :
       cast<MemRefType>(copy.getSource().getType()).getShape()) {
    low.push_back(arith::ConstantIndexOp::create(b, loc, 0));
    high.push_back(arith::ConstantIndexOp::create(b, loc, extent));
    step.push_back(arith::ConstantIndexOp::create(b, loc, 1));
  }
  scf::buildLoopNest(
      b, loc, low, high, step,
      [&](OpBuilder &b, Location loc, ValueRange index) {
        Value element = memref::LoadOp::create(b, loc, copy.getSource(), index);
        memref::StoreOp::create(b, loc, element, copy.getTarget(), index);
      });
  copy.erase();
}

namespace {
struct CopyByElements
    : public amp::impl::CopyByElementsPassBase<CopyByElements> {
  void runOnOperation() override {
    SmallVector<Operation *> nests;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isOfElements(op))
        return WalkResult::advance();
      nests.push_back(op);
      return WalkResult::skip();
    });
    for (Operation *nest : nests) {
      nest->walk([&](Operation *op) {
        if (auto memory = dyn_cast<memref::AllocOp>(op)) {
          memory->moveBefore(nest);
          ++numAllocated;
        } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
          expand(copy);
          ++numCopied;
        }
      });
    }
  }
};
} // namespace
