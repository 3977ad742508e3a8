//===- OrReduction.h - Bits that elements have ------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg.generic that ors into one i32 what becomes of each element of one
// tensor, as a check for overflows does. The order of elements does not matter,
// and neither does where one tensor ends and the next begins.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_ORREDUCTION_H
#define AMP_KERNELS_ORREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <string>

namespace mlir::amp {

class DeviceBuilder;

class OrReduction {
public:
  /// Views an operation; or says in `reason` why it is none: "expected ..., but
  /// got ...".
  static std::optional<OrReduction> match(linalg::GenericOp op,
                                          std::string &reason);

  /// Whether the result of an operation is an i32, and an or of what it begins
  /// with and something that does not depend on that: it may begin with
  /// anything else, and that be ored in later.
  static bool orsIntoStart(linalg::GenericOp op);

  /// Whether `op` is one that begins with the result of `before`, which nothing
  /// else reads, in its block: the two are one or.
  static bool follows(linalg::GenericOp op, linalg::GenericOp before);

  linalg::GenericOp getOperation() const { return op; }

  /// The tensor, as it lies in memory, and how many elements it has.
  Value getTensor() const { return tensor; }
  int64_t getCount() const { return count; }
  Type getElement() const { return getElementTypeOrSelf(tensor.getType()); }

  /// Whether both compute the same of an element.
  bool computesAs(const OrReduction &other) const;

  /// `bits`, or what becomes of `element`.
  Value emitElement(DeviceBuilder &b, Value element, Value bits) const;

private:
  OrReduction(linalg::GenericOp op, Value tensor);

  linalg::GenericOp op;
  Value tensor;
  int64_t count;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_ORREDUCTION_H
