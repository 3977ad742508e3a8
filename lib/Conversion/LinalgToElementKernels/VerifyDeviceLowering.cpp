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
// What to do about unknown extents depends on where they come from.
//
//===----------------------------------------------------------------------===//

#include "UnknownExtents.h"
#include "amp/Analysis/BufferRoots.h"
#include "amp/Analysis/CopyOfBytes.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/CopyKernel.h"
#include "amp/Kernels/LoopKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"
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

/// Whether `op` has complex numbers.
static bool hasComplex(Operation *op) {
  auto isComplex = [](Type type) {
    return isa<ComplexType>(getElementTypeOrSelf(type));
  };
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperandTypes(), isComplex) ||
                       llvm::any_of(inner->getResultTypes(), isComplex)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What to do where only a run knows an extent, or about anything else.
static StringRef advise(Operation *op, const UnknownExtents &extents) {
  switch (extents.cause) {
  case UnknownExtents::Cause::None:
    return hasComplex(op) ? "keep the real and the imaginary parts in tensors "
                            "of their own"
                          : "change it";
  case UnknownExtents::Cause::Argument:
    return "give the extents of the batch ('extents')";
  case UnknownExtents::Cause::HandedOn:
    return "this extent is one of a loop, a block or a call, so 'extents' "
           "cannot give it: compute with a tensor of the greatest extent, and "
           "choose what counts by its index ('linalg.index', 'arith.select')";
  case UnknownExtents::Cause::Element:
    return "this extent is computed from an element of a tensor, so 'extents' "
           "cannot give it: compute with a tensor of the greatest extent, and "
           "choose what counts by its index ('linalg.index', 'arith.select')";
  }
  llvm_unreachable("a cause has advice");
}

/// Adds where an unknown extent comes from.
static void noteOrigin(InFlightDiagnostic &error,
                       const UnknownExtents &extents) {
  if (extents.cause == UnknownExtents::Cause::Element)
    error.attachNote(extents.origin->getLoc())
        << "this element is what the extent is computed from";
  else if (extents.cause == UnknownExtents::Cause::HandedOn)
    error.attachNote(extents.origin->getLoc())
        << "'" << extents.origin->getName() << "' decides on the extent";
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
      UnknownExtents extents = UnknownExtents::find(op);
      InFlightDiagnostic error = op->emitError();
      error << "this has no kernel, and the host would wait for each of its "
               "elements: "
            << explain(op) << "; " << advise(op, extents)
            << ", or run the step on the host";
      noteOrigin(error, extents);
      signalPassFailure();
      return WalkResult::skip();
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
