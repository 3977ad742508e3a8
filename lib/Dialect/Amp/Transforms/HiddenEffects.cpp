//===- HiddenEffects.cpp - What no use of a value shows -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over what is called, each function once. An operation that has an
// interface for its effects is asked; of another, that it hands memory around
// or gives nothing at all is taken as a write.
//
//===----------------------------------------------------------------------===//

#include "HiddenEffects.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

static bool writesMemory(Operation *op) {
  if (isa_and_present<AmpDialect>(op->getDialect()) ||
      isa<cf::AssertOp, CallOpInterface, FunctionOpInterface>(op) ||
      op->hasTrait<OpTrait::IsTerminator>() || op->getNumSuccessors() != 0 ||
      isa_and_present<InParallelOpInterface>(op->getParentOp()))
    return false; // the last is a slice of a tensor
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    return effects.hasEffect<MemoryEffects::Write>();
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false; // what it contains says so
  auto isMemory = llvm::IsaPred<BaseMemRefType>;
  return op->getNumResults() == 0 ||
         llvm::any_of(op->getOperandTypes(), isMemory) ||
         llvm::any_of(op->getResultTypes(), isMemory);
}

Operation *mlir::amp::findMemoryWrite(Operation *root,
                                      const SymbolTable &symbols) {
  return findReached(root, symbols, writesMemory);
}

Operation *mlir::amp::findForeignCall(Operation *root,
                                      const SymbolTable &symbols) {
  return findReached(root, symbols, [&](Operation *op) {
    if (!isa<CallOpInterface>(op))
      return false;
    auto call = dyn_cast<func::CallOp>(op);
    auto callee =
        call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
    return !callee || callee.isExternal();
  });
}
