//===- HiddenBackward.h - Backward passes behind helpers --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loss is scaled where the train step calls its backward pass. What a
// function without roles calls is not seen there.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_HIDDENBACKWARD_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_HIDDENBACKWARD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::amp {

/// Refuses a call in `step` of a function without roles that calls a backward
/// pass, itself or through others: its seed would not be scaled, nor its
/// overflow seen.
LogicalResult refuseHiddenBackward(func::FuncOp step,
                                   const SymbolTable &symbols);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_HIDDENBACKWARD_H
