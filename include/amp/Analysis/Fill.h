//===- Fill.h - Tensors of one value ----------------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named fills are gone once linalg is generalized; what is left of them is
// recognised here, on tensors and on buffers.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_FILL_H
#define AMP_ANALYSIS_FILL_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::amp {

/// The scalar that `op` writes everywhere, null if it does anything else.
Value getFillValue(linalg::LinalgOp op);

/// The number that `value` is, or that all elements of it are: a constant, or
/// what is filled with one. Null if that is not known.
TypedAttr getSplatValue(Value value);

/// True if `op` writes 0.0, and not -0.0, to all of `memref`.
bool fillsWithZero(Operation *op, Value memref);

/// True if every element of `tensor` is 0.0 or -0.0: a fill or a constant.
bool isFilledWithZero(Value tensor);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_FILL_H
