//===- VerifyHostLowering.cpp - What the lowering has left ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions to LLVM are partial: an operation that none of them knows stays,
// between casts of its operands and results, and the translation to LLVM
// stumbles over one of those casts, anywhere. Here the operation is named. A
// cast for which there is none stands between two of the LLVM dialect that
// disagree.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#define DEBUG_TYPE "amp-verify-host-lowering"

namespace mlir::amp {
#define GEN_PASS_DEF_VERIFYHOSTLOWERINGPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct VerifyHostLowering
    : public amp::impl::VerifyHostLoweringPassBase<VerifyHostLowering> {
  void runOnOperation() override {
    bool hasFailed = false;
    UnrealizedConversionCastOp firstCast;
    // Operations around others first: of a loop that stays, nothing in it is
    // converted either.
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op)) {
        if (!firstCast)
          firstCast = cast;
        return WalkResult::advance();
      }
      if (isa<ModuleOp>(op) ||
          isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitError() << "expected an operation that can be lowered to the "
                         "host, but got '"
                      << op->getName() << "'";
      hasFailed = true;
      return WalkResult::skip();
    });
    if (!hasFailed && firstCast) {
      firstCast.emitError()
          << "expected types that can be lowered to the host, but got a "
             "conversion from "
          << firstCast.getOperandTypes() << " to "
          << firstCast.getResultTypes();
      hasFailed = true;
    }
    if (hasFailed)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
