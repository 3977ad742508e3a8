//===- HelperCopies.h - Copies that take a helper's place -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A helper, a function without roles, is copied for what its callers make of
// it: for contexts, and for how arguments are stored.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_HELPERCOPIES_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_HELPERCOPIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace mlir::amp {

/// True for a function with a body whose callers say what its values are;
/// `function` may be null.
bool isHelper(func::FuncOp function);

/// A helper is copied so often, and helpers that call helpers are followed so
/// deep; what lies beyond is called as it is.
constexpr unsigned kMaxHelperCopies = 64, kMaxHelperDepth = 200;

/// The copies of the helpers of a module.
class HelperCopies {
public:
  HelperCopies(ModuleOp module, SymbolTable &symbols)
      : module(module), symbols(symbols) {}

  /// Puts `copy` of `helper` into the module, behind `helper` and its copies.
  void insert(func::FuncOp helper, func::FuncOp copy);
  /// Erases the private helpers that only copies of helpers called, and gives
  /// the first copy of each the name.
  void replaceHelpers();

private:
  std::optional<llvm::SetVector<Operation *>> findKept();

  ModuleOp module;
  SymbolTable &symbols;
  /// By helper the first copy and the last one.
  llvm::MapVector<Operation *, std::pair<func::FuncOp, func::FuncOp>> copies;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_HELPERCOPIES_H
