//===- HiddenBackward.cpp - Backward passes behind helpers ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HiddenBackward.h"

#include "Callees.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"

using namespace mlir;
using namespace mlir::amp;

/// The backward pass that `helper` calls, itself or through others; null for
/// none.
static Operation *findBackward(func::FuncOp helper,
                               const SymbolTable &symbols) {
  return findReached({helper}, symbols, [](Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op);
    return function &&
           getFunctionKind(function) == FunctionKind::ForwardBackward;
  });
}

LogicalResult mlir::amp::refuseHiddenBackward(func::FuncOp step,
                                              const SymbolTable &symbols) {
  WalkResult walk = step.walk([&](func::CallOp call) {
    func::FuncOp callee = getCallee(call, symbols);
    if (!callee || hasRoles(callee))
      return WalkResult::advance();
    Operation *backward = findBackward(callee, symbols);
    if (!backward)
      return WalkResult::advance();
    StringRef name = SymbolTable::getSymbolName(backward).strref();
    call.emitError() << "expected train step '@" << step.getName()
                     << "' to call '@" << name
                     << "' itself, to scale its loss, but '@"
                     << callee.getName() << "' does; call '@" << name
                     << "' in the train step, and give its gradients to '@"
                     << callee.getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}
