//===- BodyExpressions.h - What the body of an operation computes ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For passes that take sums apart: a number that a body computes from its
// arguments, asked for what it follows from and computed elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_DEVICE_BODYEXPRESSIONS_H
#define AMP_LIB_CONVERSION_DEVICE_BODYEXPRESSIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::amp {

/// Whether `value`, in `body` or outside, can be computed elsewhere by pure
/// operations without regions from arguments of which `isAllowed` is true. A
/// place (`linalg.index`) cannot.
bool followsFrom(Value value, Block *body,
                 function_ref<bool(BlockArgument)> isAllowed);

/// `value`, of the block `body`, computed where `b` is; `known` has what takes
/// the place of the block's arguments, and gets what was computed.
Value cloneExpression(OpBuilder &b, Value value, Block *body, IRMapping &known);

/// Whether `a`, in the body of `first`, and `b`, in that of `second`, are the
/// same number at the same place of loops that are the same: computed by the
/// same operations from the same elements of the same tensors.
bool areSameExpression(Value a, linalg::GenericOp first, Value b,
                       linalg::GenericOp second);

/// What `value` widens to a larger type of floating point, or `value`.
Value getUnwidened(Value value);

/// `value` in f32.
Value widen(OpBuilder &b, Location loc, Value value);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_DEVICE_BODYEXPRESSIONS_H
