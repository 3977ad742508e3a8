//===- MeasureWorkspace.cpp - Memory of a step, known in advance ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds up the allocations of static size in each entry point and in what it
// calls. Buffers were planned before (amp-plan-buffers), so there is one in
// most functions, and the sum is what is in use at one time; a function that is
// called twice holds its memory once.
//
// A size that 63 bits do not hold is refused here, where the type is still
// there to be shown: the lowering multiplies extents without looking.
//
//===----------------------------------------------------------------------===//

#include "amp/Program/Passes.h"
#include "amp/Program/ProgramSignature.h"
#include "amp/Support/ByteCount.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "amp-measure-workspace"

namespace mlir::amp {
#define GEN_PASS_DEF_MEASUREWORKSPACEPASS
#include "amp/Program/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Bytes of `type`, as far as its extents are known; nothing if 63 bits do not
/// hold them.
static std::optional<int64_t> getBytes(MemRefType type) {
  return countBytes(type.getShape(), getElementBytes(type));
}

namespace {
struct MeasureWorkspace
    : public amp::impl::MeasureWorkspacePassBase<MeasureWorkspace> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kSignatureAttr) && failed(measure(function)))
        return signalPassFailure();
  }

  LogicalResult measure(func::FuncOp entry) {
    llvm::SetVector<Operation *> functions;
    functions.insert(entry);
    for (size_t i = 0; i < functions.size(); ++i)
      functions[i]->walk([&](func::CallOp call) {
        if (auto callee =
                getOperation().lookupSymbol<func::FuncOp>(call.getCallee()))
          functions.insert(callee);
      });
    int64_t total = 0;
    for (Operation *function : functions) {
      WalkResult result = function->walk([&](memref::AllocOp alloc) {
        std::optional<int64_t> bytes = getBytes(alloc.getType());
        if (!bytes || (alloc.getType().hasStaticShape() &&
                       llvm::AddOverflow(total, *bytes, total))) {
          alloc.emitError() << "expected the buffers of '" << entry.getName()
                            << "' to take less than 2^63 bytes, but one is "
                            << alloc.getType();
          return WalkResult::interrupt();
        }
        return WalkResult::advance();
      });
      if (result.wasInterrupted())
        return failure();
    }
    entry->setAttr(kWorkspaceAttr,
                   Builder(&getContext()).getI64IntegerAttr(total));
    return success();
  }
};
} // namespace
