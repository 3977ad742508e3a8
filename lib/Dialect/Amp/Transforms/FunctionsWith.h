//===- FunctionsWith.h - Functions that lead to an operation ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which functions of a module have an operation of some kind, or call one that
// does. A call by reference may call each function that is referred to.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_FUNCTIONSWITH_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_FUNCTIONSWITH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::amp {

class FunctionsWith {
public:
  /// `isOne` tells the operations. Linear in the module.
  FunctionsWith(ModuleOp module, const SymbolTable &symbols,
                function_ref<bool(Operation *)> isOne);

  bool contains(func::FuncOp function) const {
    return found.contains(function);
  }
  /// True if `op` calls one of them.
  bool isCall(Operation *op) const;

private:
  const SymbolTable &symbols;
  llvm::DenseSet<Operation *> found;
  bool isByReference = false;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_FUNCTIONSWITH_H
