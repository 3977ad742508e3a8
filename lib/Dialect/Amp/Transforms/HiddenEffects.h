//===- HiddenEffects.h - What no use of a value shows -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gradients, overflows and scales are followed from values to their uses. What
// goes through memory, or through code that is not in the module, is not seen:
// steps with the first are refused, of the second the order is kept.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_HIDDENEFFECTS_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_HIDDENEFFECTS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::amp {

/// The first operation in `root`, or in a function that it calls, that writes
/// to memory, or that is known for nothing but effects which it does not tell;
/// null if there is none. Assertions and the operations of amp do not count.
Operation *findMemoryWrite(Operation *root, const SymbolTable &symbols);

/// The first call in `root`, or in a function that it calls, of code that is
/// not in the module; null if there is none.
Operation *findForeignCall(Operation *root, const SymbolTable &symbols);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_HIDDENEFFECTS_H
