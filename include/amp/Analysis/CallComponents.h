//===- CallComponents.h - Functions, callees first --------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strongly connected components of a module's direct calls, each after
// those that it calls: the order in which summaries of functions are made. A
// component of several functions, or of one that calls itself, is recursive.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_CALLCOMPONENTS_H
#define AMP_ANALYSIS_CALLCOMPONENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::amp {

struct CallComponent {
  /// In the order of the module.
  llvm::SmallVector<func::FuncOp, 1> functions;
  bool isRecursive = false;
};

/// Components of the functions of `module` itself, nested modules not entered.
/// Linear in operations.
std::vector<CallComponent> getCallComponents(ModuleOp module);

/// The operations with which `function` returns. Linear in its blocks, where a
/// walk is in its operations: for those who ask about each of many results.
SmallVector<Operation *> getReturns(FunctionOpInterface function);

/// The first operation that `isOne` in `roots`, which may be one themselves,
/// and then in the functions that they call, directly or not; null if there is
/// none.
Operation *findReached(ArrayRef<Operation *> roots, const SymbolTable &symbols,
                       function_ref<bool(Operation *)> isOne);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_CALLCOMPONENTS_H
