//===- VerifyDeviceLowering.cpp - What has no kernel ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the outside in: a loop that launches kernels or copies tensors is looked
// into, as it waits once for each iteration; one that only touches elements is
// refused as a whole, with the reason why it is no kernel. Copies likewise.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/BufferRoots.h"
#include "amp/Analysis/CopyOfBytes.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/CopyKernel.h"
#include "amp/Kernels/LoopKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::amp {
#define GEN_PASS_DEF_VERIFYDEVICELOWERINGPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Whether an operation loads or stores an element of the device. A buffer
/// without elements has none.
static bool touchesElement(Operation *op) {
  Value buffer;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    buffer = load.getMemRef();
  else if (auto store = dyn_cast<memref::StoreOp>(op))
    buffer = store.getMemRef();
  return buffer && !isOnStack(buffer) &&
         !llvm::is_contained(cast<MemRefType>(buffer.getType()).getShape(), 0);
}

/// Whether a loop touches elements, and the device does nothing else in it.
static bool isOfElements(Operation *loop) {
  bool touches = false, launches = false;
  loop->walk([&](Operation *op) {
    touches |= touchesElement(op);
    launches |= isa<LaunchKernelsOp, memref::CopyOp, CallOpInterface>(op);
  });
  return touches && !launches;
}

/// Whether a buffer of `op` has extents that only a run knows.
static bool hasUnknownExtents(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return llvm::any_of(inner->getOperandTypes(),
                            [](Type type) {
                              auto buffer = dyn_cast<MemRefType>(type);
                              return buffer && !buffer.hasStaticShape();
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What is wrong with an operation as a kernel, which has been tried.
static std::string explain(Operation *op) {
  std::string reason;
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    (void)CopyKernel::match(cast<MemRefType>(copy.getSource().getType()),
                            cast<MemRefType>(copy.getTarget().getType()),
                            reason);
  else
    (void)LoopKernel::match(op, /*mostUpdateBlocks=*/0, reason);
  return reason.empty() ? "run the conversions to kernels first" : reason;
}

namespace {
struct VerifyDeviceLowering
    : public amp::impl::VerifyDeviceLoweringPassBase<VerifyDeviceLowering> {
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool isRefused = false;
      if (auto copy = dyn_cast<memref::CopyOp>(op))
        isRefused = !isCopyOfBytes(copy);
      else if (isa<LoopLikeOpInterface>(op))
        isRefused = isOfElements(op);
      if (!isRefused)
        return WalkResult::advance();
      op->emitError() << "this has no kernel, and the host would wait for each "
                         "of its elements: "
                      << explain(op)
                      << (hasUnknownExtents(op)
                              ? "; give the extents of the batch ('extents')"
                              : "; change it")
                      << ", or run the step on the host";
      signalPassFailure();
      return WalkResult::skip();
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
