//===- OperationTypes.h - What an operation has values of -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For passes that replace a type, or refuse it, wherever it stands.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_OPERATIONTYPES_H
#define AMP_SUPPORT_OPERATIONTYPES_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::amp {

/// Types of the operands and results of `op`, of the arguments of its blocks,
/// and of its signature, if it is a function.
inline SmallVector<Type> getValueTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    llvm::append_range(types, function.getArgumentTypes());
    llvm::append_range(types, function.getResultTypes());
  }
  return types;
}

} // namespace mlir::amp

#endif // AMP_SUPPORT_OPERATIONTYPES_H
