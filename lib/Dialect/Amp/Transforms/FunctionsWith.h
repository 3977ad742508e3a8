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

/// The calls of a module by what they may call, found once for all that ask.
class ModuleCalls {
public:
  explicit ModuleCalls(ModuleOp module);

  ArrayRef<Operation *> getCalls(StringRef function) const {
    auto it = calls.find(function);
    return it == calls.end() ? ArrayRef<Operation *>()
                             : ArrayRef<Operation *>(it->second);
  }
  bool isReferredTo(StringRef function) const {
    return referredTo.contains(function);
  }
  ArrayRef<Operation *> getCallsByReference() const { return byReference; }

private:
  llvm::DenseMap<StringRef, SmallVector<Operation *, 1>> calls;
  llvm::DenseSet<StringRef> referredTo;
  SmallVector<Operation *> byReference;
};

class FunctionsWith {
public:
  /// `isOne` tells the operations. Linear in the module.
  FunctionsWith(ModuleOp module, const SymbolTable &symbols,
                function_ref<bool(Operation *)> isOne);
  /// `ones` are the operations. Linear in the calls that lead to one.
  FunctionsWith(const ModuleCalls &calls, const SymbolTable &symbols,
                ArrayRef<Operation *> ones);

  bool contains(func::FuncOp function) const {
    return found.contains(function);
  }
  /// True if `op` calls one of them.
  bool isCall(Operation *op) const;
  /// All that do.
  ArrayRef<Operation *> getCalls() const { return leading; }

private:
  const SymbolTable &symbols;
  llvm::DenseSet<Operation *> found;
  SmallVector<Operation *> leading;
  bool isByReference = false;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_FUNCTIONSWITH_H
