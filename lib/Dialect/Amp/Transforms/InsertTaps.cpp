//===- InsertTaps.cpp - Show gradients to the host ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Taps stand where values cross the calls of a train step, so they are found by
// roles alone, whether the step scales its loss or not.
//
//===----------------------------------------------------------------------===//

#include "Callees.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#define DEBUG_TYPE "amp-insert-taps"

namespace mlir::amp {
#define GEN_PASS_DEF_INSERTTAPSPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct InsertTaps : public amp::impl::InsertTapsPassBase<InsertTaps> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>())
      if (function.walk([](TapOp) { return WalkResult::interrupt(); })
              .wasInterrupted())
        return;
    for (auto function : module.getOps<func::FuncOp>())
      if (getFunctionKind(function) == FunctionKind::TrainStep)
        function.walk([&](func::CallOp call) { insertAround(call); });
  }

  void insertAround(func::CallOp call) {
    func::FuncOp callee = getCallee(call);
    if (!callee)
      return;
    OpBuilder builder(call);
    switch (getFunctionKind(callee)) {
    case FunctionKind::ForwardBackward:
      builder.setInsertionPointAfter(call);
      for (unsigned i = 0, e = callee.getNumResults(); i != e; ++i) {
        RoleInfo info = getResultRole(callee, i);
        if (!info.is(Role::Grad))
          continue;
        Value gradient = call.getResult(i);
        auto tap = TapOp::create(builder, call.getLoc(), "scaled_grad",
                                 info.name, gradient);
        gradient.replaceAllUsesExcept(tap, tap);
        ++numTaps;
      }
      return;
    case FunctionKind::OptimizerStep:
      for (unsigned i = 0, e = callee.getNumArguments(); i != e; ++i) {
        RoleInfo info = getArgRole(callee, i);
        if (!info.is(Role::Grad))
          continue;
        OpOperand &operand = call->getOpOperand(i);
        operand.set(TapOp::create(builder, call.getLoc(), "grad", info.name,
                                  operand.get()));
        ++numTaps;
      }
      return;
    default:
      return;
    }
  }
};
} // namespace
