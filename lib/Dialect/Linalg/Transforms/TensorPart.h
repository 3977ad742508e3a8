//===- TensorPart.h - A part of a tensor, read and written ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes that compute tensors in blocks read and write of them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_LINALG_TRANSFORMS_TENSORPART_H
#define AMP_LIB_DIALECT_LINALG_TRANSFORMS_TENSORPART_H

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::amp {

/// True if `tensor` is nothing yet, or one value everywhere.
bool isEmptyOrFilled(Value tensor);

/// Consecutive elements along each dimension of a tensor of static shape: all
/// of it at first.
class TensorPart {
public:
  TensorPart(Builder &b, RankedTensorType type);

  /// Leaves `size` elements from `offset` on along `dim`.
  void cut(unsigned dim, OpFoldResult offset, int64_t size);

  RankedTensorType getType() const { return type; }
  bool isWhole() const { return !isCut; }

  Value extract(OpBuilder &b, Location loc, Value whole) const;
  /// `whole` with `part` in its place.
  Value insert(OpBuilder &b, Location loc, Value part, Value whole) const;
  /// What `extract` gives, but where `whole` is empty or filled a smaller one,
  /// so that nobody needs the whole.
  Value extractOrFill(OpBuilder &b, Location loc, Value whole) const;

  ArrayRef<OpFoldResult> getOffsets() const { return offsets; }
  SmallVector<OpFoldResult> getSizes() const;
  SmallVector<OpFoldResult> getStrides() const;

private:
  RankedTensorType type;
  SmallVector<OpFoldResult> offsets;
  bool isCut = false;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_LINALG_TRANSFORMS_TENSORPART_H
