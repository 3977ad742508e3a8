//===- TensorSum.h - What all elements of a tensor add up to ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction of all elements of one tensor to an f32: the sum of what becomes
// of each, in any order. So is the square of a gradient's norm.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_TENSORSUM_H
#define AMP_KERNELS_TENSORSUM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <string>

namespace mlir::amp {

class DeviceBuilder;

class TensorSum {
public:
  /// Views an operation; or says in `reason` why it is none: "expected ..., but
  /// got ...".
  static std::optional<TensorSum> match(linalg::GenericOp op,
                                        std::string &reason);

  linalg::GenericOp getOperation() const { return op; }

  /// The tensor, as it lies in memory, and how many elements it has.
  Value getTensor() const { return tensor; }
  int64_t getCount() const { return count; }
  Type getElement() const { return getElementTypeOrSelf(tensor.getType()); }

  /// Numbers from outside of the body, an f32 each or others that are no
  /// constants: a loss scale.
  ArrayRef<Value> getNumbers() const { return numbers; }

  /// Whether both compute the same of an element, of elements of one type and
  /// the same numbers.
  bool computesAs(const TensorSum &other) const;

  /// `sum`, and what becomes of `element`; `values` are those of the numbers.
  Value emitElement(DeviceBuilder &b, Value element, ArrayRef<Value> values,
                    Value sum) const;

private:
  TensorSum(linalg::GenericOp op, Value tensor);

  linalg::GenericOp op;
  Value tensor;
  int64_t count;
  SmallVector<Value> numbers;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_TENSORSUM_H
