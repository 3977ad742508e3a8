//===- TensorBytes.h - What the plan counts ---------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of whole tensors, by which plans are compared.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_TENSORBYTES_H
#define AMP_LIB_FUSION_TENSORBYTES_H

#include "amp/Support/ShapedBytes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::amp {

/// A tensor whose bytes are this part of the largest one's is small.
inline constexpr int64_t kSmallShare = 16;

/// Bytes of `tensor`; extents that are not known count as 64.
inline int64_t countTensorBytes(Value tensor) {
  return countShapedBytes(cast<ShapedType>(tensor.getType()),
                          /*unknownExtent=*/64);
}

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_TENSORBYTES_H
