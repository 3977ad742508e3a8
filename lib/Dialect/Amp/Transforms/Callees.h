//===- Callees.h - What a call calls ----------------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For passes that ask about a few calls. One that asks about all calls of a
// module makes a SymbolTable: looking a symbol up without one takes time linear
// in the module's symbols.
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

/// What `call` calls, by its roles.
inline FunctionKind getCalleeKind(func::CallOp call) {
  func::FuncOp callee = getCallee(call);
  return callee ? getFunctionKind(callee) : FunctionKind::Other;
}

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_CALLEES_H
