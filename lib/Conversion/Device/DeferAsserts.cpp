//===- DeferAsserts.cpp - Assertions that a device has checked ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host that asserts what a device has computed waits for it. At the end of a
// function, where nothing depends on the answer any more, the device's flag is
// handed to the runtime instead, which looks when the host waits anyway:
//
//   %f = tensor.extract %violated[]
//   %held = arith.xori %f, true
//   assert %held, "text"                 ->   amp.report_violation %violated,
//   return                                        "text"
//                                             return
//
// "The end" is what stands between the return and the last operation that does
// more than compute or assert, or that is defined only where an assertion
// holds: a slice at an index that was asserted. Runs behind
// amp-checks-to-flags, which puts its assertions there.
//
//===----------------------------------------------------------------------===//

#include "DefinedBehavior.h"

#include "amp/Analysis/NumberMemory.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define DEBUG_TYPE "amp-defer-asserts"

namespace mlir::amp {
#define GEN_PASS_DEF_DEFERASSERTSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// The memory of what is the opposite of `condition`, or null.
static Value getViolated(Value condition) {
  auto opposite = condition.getDefiningOp<arith::XOrIOp>();
  if (!opposite || !matchPattern(opposite.getRhs(), m_One()))
    return {};
  Value memory = getNumberMemory(opposite.getLhs());
  if (!memory || cast<RankedTensorType>(memory.getType()).getRank() != 0)
    return {};
  return memory;
}

namespace {
struct DeferAsserts : public amp::impl::DeferAssertsPassBase<DeferAsserts> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // Of another's callee the end is none.
    if (function.isExternal() || function.isPrivate() ||
        !function.getBody().hasOneBlock())
      return;
    Block &block = function.front();
    SmallVector<cf::AssertOp> asserts;
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      if (auto assertion = dyn_cast<cf::AssertOp>(op))
        asserts.push_back(assertion);
      else if (!mayRunUnasked(&op))
        break;
    }
    for (cf::AssertOp assertion : llvm::reverse(asserts)) {
      Value violated = getViolated(assertion.getArg());
      if (!violated) {
        ++numKept;
        continue;
      }
      OpBuilder b(assertion);
      ReportViolationOp::create(b, assertion.getLoc(), violated,
                                assertion.getMsgAttr());
      assertion.erase();
      ++numDeferred;
    }
  }
};
} // namespace
