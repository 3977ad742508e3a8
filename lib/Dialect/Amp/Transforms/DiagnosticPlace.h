//===- DiagnosticPlace.h - Where an operation is written --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_DIAGNOSTICPLACE_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_DIAGNOSTICPLACE_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::amp {

/// Where `op` is written: the body of a named linalg operation has no place of
/// its own.
inline Location getPlace(Operation *op) {
  while (isa<UnknownLoc>(op->getLoc()) && op->getParentOp() &&
         !isa<FunctionOpInterface>(op->getParentOp()))
    op = op->getParentOp();
  return op->getLoc();
}

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_DIAGNOSTICPLACE_H
