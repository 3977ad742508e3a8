//===- TransitionFlow.h - What a scaler is advanced with --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a module, from where the operands of amp.update_scale come: a scaler that
// is advanced with anything but what its own unscalings found never learns of
// its overflows.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_TRANSITIONFLOW_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_TRANSITIONFLOW_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::amp {

/// From where the operands of amp.update_scale come.
class TransitionFlow {
public:
  explicit TransitionFlow(ModuleOp module);

  /// Functions that a train step calls or refers to, directly or not; all of
  /// them, if there is none.
  ArrayRef<Operation *> getReached() const { return reached.getArrayRef(); }
  /// True if `found` comes from an unscaling with `scaler`, or from where that
  /// cannot be seen: a state, memory, a function without body.
  bool comesFrom(Value found, StringRef scaler) const;
  /// Adds the unscalings with `scaler` that `found` comes from; false if some
  /// of what it comes from cannot be seen.
  bool findUnscalings(Value found, StringRef scaler,
                      llvm::SetVector<Operation *> &unscalings) const;

private:
  /// Appends the values that `value` is computed or chosen from; false if they
  /// cannot be seen.
  bool addSources(Value value, StringRef scaler,
                  SmallVectorImpl<Value> &sources) const;
  bool addSources(BlockArgument argument,
                  SmallVectorImpl<Value> &sources) const;

  SymbolTable symbols;
  llvm::SetVector<Operation *> reached;
  /// Calls in reached functions, by what they call.
  llvm::DenseMap<Operation *, SmallVector<func::CallOp, 1>> callers;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_TRANSITIONFLOW_H
