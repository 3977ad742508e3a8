//===- ValueSources.h - What values are computed from -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In one function, from a value to the uses that it is computed from, handed
// over, or decided by: through regions, blocks and bodies, one step at a time.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_VALUESOURCES_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_VALUESOURCES_H

#include "HandedOver.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::amp {

class ValueSources {
public:
  using Handler = function_ref<void(OpOperand &)>;

  explicit ValueSources(func::FuncOp function) : function(function) {}

  /// Calls `handle` with what `value` is computed from; with the operands of an
  /// operation for the first of its results alone.
  void forEach(Value value, Handler handle);
  /// The same for each result, again and again.
  void forEachOf(Value value, Handler handle) {
    visited.clear();
    forEach(value, handle);
  }

private:
  void visit(BlockArgument argument, Handler handle);
  void visit(RegionBranchOpInterface op, Value value, Handler handle);

  func::FuncOp function;
  /// Operations all of whose operands were handled.
  llvm::DenseSet<Operation *> visited;
  HandedOver handedOver;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_VALUESOURCES_H
