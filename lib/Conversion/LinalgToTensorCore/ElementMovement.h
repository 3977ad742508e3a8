//===- ElementMovement.h - What reads elements as they lie -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both operands and epilogues need to know of an operation on tensors:
// which element of an operand belongs to an element of the result.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_ELEMENTMOVEMENT_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_ELEMENTMOVEMENT_H

#include "StridedView.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::amp {

/// The strides in `operand` of the dimensions of result `result` of `op`, an
/// operation with parallel loops alone; 0 where it is broadcast. None if an
/// element of the operand is not found by such strides.
std::optional<SmallVector<int64_t>>
getOperandStrides(linalg::LinalgOp op, OpOperand &operand, unsigned result);

/// Walks over one tensor that begin at one place, that of an element in the
/// tensor's order. An index of the tensor is the sum of what they add to it.
struct TensorWalks {
  SmallVector<StridedView> views;
  int64_t place = 0;
};

/// The tensor whose elements `value` has in another order, shape or wider type,
/// all or a slice of them, or null. `walks` then walk that tensor as they did
/// `value`.
Value followMovement(Value value, TensorWalks &walks);

/// The tensor to which the reader of `use` moves its elements, all of them, as
/// they are or rounded from f32, perhaps among others, or null. `walks` then
/// walk that tensor as they did the elements.
Value followReader(OpOperand &use, TensorWalks &walks);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_ELEMENTMOVEMENT_H
