//===- ExpandArith.cpp - Arithmetic that LLVM has no instruction for ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's expansions, but for maxima and minima of f32 and f64: LLVM has
// intrinsics for them, knows a loop of them for a reduction and vectorises it,
// which it does not with comparisons and selections. The intrinsics also order
// zeros by sign, as arith.maximumf does. Roundings to bf16 become integer
// arithmetic: no library call per element, and the same bits on every host.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

#define DEBUG_TYPE "amp-expand-arith"

namespace mlir::amp {
#define GEN_PASS_DEF_EXPANDARITHPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static bool isWide(Type type) {
  return getElementTypeOrSelf(type).isF32() ||
         getElementTypeOrSelf(type).isF64();
}

static bool isBF16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

namespace {
struct ExpandArith : public amp::impl::ExpandArithPassBase<ExpandArith> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateArithExpandOpsPatterns(patterns);
    arith::populateExpandBFloat16Patterns(patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addLegalDialect<arith::ArithDialect, vector::VectorDialect>();
    target.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp,
                        arith::FloorDivSIOp, arith::MaxNumFOp,
                        arith::MinNumFOp>();
    target.addDynamicallyLegalOp<arith::MaximumFOp, arith::MinimumFOp>(
        [](Operation *op) { return isWide(op->getResult(0).getType()); });
    target.addDynamicallyLegalOp<arith::ExtFOp>(
        [](arith::ExtFOp op) { return !isBF16(op.getIn().getType()); });
    target.addDynamicallyLegalOp<arith::TruncFOp>(
        [](arith::TruncFOp op) { return !isBF16(op.getType()); });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
