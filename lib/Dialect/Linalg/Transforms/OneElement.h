//===- OneElement.h - Numbers and the tensors that hold them ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends that know tensors alone write a number as a tensor of one element,
// and arithmetic on it as operations on tensors. For passes that ask what the
// number is.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_LINALG_TRANSFORMS_ONEELEMENT_H
#define AMP_LIB_DIALECT_LINALG_TRANSFORMS_ONEELEMENT_H

#include "mlir/IR/Value.h"

namespace mlir::amp {

/// Whether `type` is a number, or a tensor of one element.
bool isOneElement(Type type);

/// What `value`, a number or a tensor of one element, has its number from as it
/// is: an operand of a reshape, of `tensor.extract` or `from_elements`, what
/// the body of a `linalg.generic` yields, the input that an argument of such a
/// body stands for. Nothing if it is computed, or known no better.
Value getNumberSource(Value value);

/// What has the same number as `value`, a number or a tensor of one element,
/// and is computed by no reshape, no `tensor.extract` or `from_elements`, and
/// no `linalg.generic` around it: a constant, an argument of a block that is no
/// body of linalg, or the result of an operation on numbers, which may be in
/// such a body, or on tensors of one element.
Value getNumberOf(Value value);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_LINALG_TRANSFORMS_ONEELEMENT_H
