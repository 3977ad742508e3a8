//===- Callees.h - What a call calls ----------------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looking a symbol up takes time linear in the module's symbols, but in a
// SymbolTable: a pass that asks about all calls of a module makes one.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_CALLEES_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_CALLEES_H

#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::amp {

/// The function that `call` calls; null if it is none of the module's.
inline func::FuncOp getCallee(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
}

/// The same, by the module's `symbols`.
inline func::FuncOp getCallee(func::CallOp call, const SymbolTable &symbols) {
  return symbols.lookup<func::FuncOp>(call.getCallee());
}

/// What `call` calls, by its roles.
inline FunctionKind getCalleeKind(func::CallOp call) {
  func::FuncOp callee = getCallee(call);
  return callee ? getFunctionKind(callee) : FunctionKind::Other;
}

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_CALLEES_H
