//===- ExtentRequirements.h - What extents an operation needs ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_LINALG_TRANSFORMS_EXTENTREQUIREMENTS_H
#define AMP_LIB_DIALECT_LINALG_TRANSFORMS_EXTENTREQUIREMENTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir {
class Operation;

namespace amp {

/// Asserts (`cf.assert`) what extents of tensors have to be.
class ExtentRequirements {
public:
  /// On an assertion that is to be kept only where it depends on extents of
  /// arguments alone: of what is computed, a program looks after itself.
  static constexpr llvm::StringLiteral kOnlyInFront = "amp.only_in_front";

  /// Asserts in front of `op` what it needs to be defined. What is asserted may
  /// hold whatever the extents are.
  void require(Operation *op);

private:
  friend class Assertions;
  /// Where each extent that is not known was found.
  DenseMap<std::pair<Value, int64_t>, Value> extents;
};

} // namespace amp
} // namespace mlir

#endif // AMP_LIB_DIALECT_LINALG_TRANSFORMS_EXTENTREQUIREMENTS_H
