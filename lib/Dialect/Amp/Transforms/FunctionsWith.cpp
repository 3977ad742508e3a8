//===- FunctionsWith.cpp - Functions that lead to an operation ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards over calls from the functions that have one.
//
//===----------------------------------------------------------------------===//

#include "FunctionsWith.h"

#include "Callees.h"

using namespace mlir;
using namespace mlir::amp;

ModuleCalls::ModuleCalls(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        calls[call.getCallee()].push_back(call);
      else if (auto reference = dyn_cast<func::ConstantOp>(op))
        referredTo.insert(reference.getValue());
      else if (isa<func::CallIndirectOp>(op))
        byReference.push_back(op);
    });
}

static SmallVector<Operation *> findAll(ModuleOp module,
                                        function_ref<bool(Operation *)> isOne) {
  SmallVector<Operation *> ones;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (isOne(op))
        ones.push_back(op);
    });
  return ones;
}

FunctionsWith::FunctionsWith(ModuleOp module, const SymbolTable &symbols,
                             function_ref<bool(Operation *)> isOne)
    : FunctionsWith(ModuleCalls(module), symbols, findAll(module, isOne)) {}

FunctionsWith::FunctionsWith(const ModuleCalls &calls,
                             const SymbolTable &symbols,
                             ArrayRef<Operation *> ones)
    : symbols(symbols) {
  SmallVector<func::FuncOp> pending;
  auto addFunctionsOf = [&](ArrayRef<Operation *> operations) {
    for (Operation *op : operations)
      pending.push_back(op->getParentOfType<func::FuncOp>());
  };
  addFunctionsOf(ones);
  while (!pending.empty()) {
    func::FuncOp function = pending.pop_back_val();
    if (!found.insert(function).second)
      continue;
    auto addCalls = [&](ArrayRef<Operation *> more) {
      llvm::append_range(leading, more);
      addFunctionsOf(more);
    };
    addCalls(calls.getCalls(function.getName()));
    if (!isByReference && calls.isReferredTo(function.getName())) {
      isByReference = true;
      addCalls(calls.getCallsByReference());
    }
  }
}

bool FunctionsWith::isCall(Operation *op) const {
  if (auto call = dyn_cast<func::CallOp>(op))
    return found.contains(getCallee(call, symbols));
  return isByReference && isa<func::CallIndirectOp>(op);
}
