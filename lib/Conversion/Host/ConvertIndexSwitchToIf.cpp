//===- ConvertIndexSwitchToIf.cpp - scf.index_switch as scf.if ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Switches inside of switches come first.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "amp/Dialect/Amp/Transforms/IndexSwitchToIf.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "convert-index-switch-to-if"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTINDEXSWITCHTOIFPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct ConvertIndexSwitchToIf
    : public amp::impl::ConvertIndexSwitchToIfPassBase<ConvertIndexSwitchToIf> {
  void runOnOperation() override {
    SmallVector<scf::IndexSwitchOp> switches;
    getOperation()->walk(
        [&](scf::IndexSwitchOp op) { switches.push_back(op); });
    if (switches.empty())
      return markAllAnalysesPreserved();
    IRRewriter rewriter(&getContext());
    for (scf::IndexSwitchOp op : switches)
      convertIndexSwitchToIf(op, rewriter);
  }
};
} // namespace
