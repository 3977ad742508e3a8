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

FunctionsWith::FunctionsWith(ModuleOp module, const SymbolTable &symbols,
                             function_ref<bool(Operation *)> isOne)
    : symbols(symbols) {
  llvm::DenseMap<StringRef, SmallVector<func::FuncOp>> callers;
  SmallVector<func::FuncOp> pending, callersByReference;
  llvm::DenseSet<StringRef> referredTo;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        callers[call.getCallee()].push_back(function);
      else if (auto reference = dyn_cast<func::ConstantOp>(op))
        referredTo.insert(reference.getValue());
      else if (isa<func::CallIndirectOp>(op))
        callersByReference.push_back(function);
      else if (isOne(op))
        pending.push_back(function);
    });
  while (!pending.empty()) {
    func::FuncOp function = pending.pop_back_val();
    if (!found.insert(function).second)
      continue;
    llvm::append_range(pending, callers.lookup(function.getName()));
    if (!isByReference && referredTo.contains(function.getName())) {
      isByReference = true;
      llvm::append_range(pending, callersByReference);
    }
  }
}

bool FunctionsWith::isCall(Operation *op) const {
  if (auto call = dyn_cast<func::CallOp>(op))
    return found.contains(getCallee(call, symbols));
  return isByReference && isa<func::CallIndirectOp>(op);
}
