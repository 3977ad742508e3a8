//===- OwnBackward.h - Gradients computed beside a call ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A train step calls a backward pass, and computes another gradient itself.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_OWNBACKWARD_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_OWNBACKWARD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::amp {

/// Refuses gradients of `step` that are written out beside `backwardCall`, a
/// call of a backward pass: losses are scaled and gradients unscaled around
/// calls. Unless `hasScale`, no loss has a scale, and a gradient may be added
/// by hand to what such a pass gives.
LogicalResult refuseOwnBackward(func::FuncOp step, func::CallOp backwardCall,
                                const SymbolTable &symbols, bool hasScale);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_OWNBACKWARD_H
