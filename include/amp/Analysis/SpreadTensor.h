//===- SpreadTensor.h - Elements that stand among zeros ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The image of a transposed convolution has its pixels apart, with zeros
// between and around them. Front ends write that as one insertion into zeros,
// one for each dimension, or an insertion that is padded.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_SPREADTENSOR_H
#define AMP_ANALYSIS_SPREADTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace mlir::amp {

/// Whether `type` is a tensor of which the shape is known, and nothing else of
/// how it lies in memory.
bool isPlainTensor(Type type);

/// What a tensor has besides zeros: in each dimension element i of `elements`
/// stands at offsets + strides * i.
struct SpreadTensor {
  Value elements;
  SmallVector<int64_t> offsets, strides;

  ArrayRef<int64_t> getShape() const {
    return cast<RankedTensorType>(elements.getType()).getShape();
  }
};

/// Follows insertions into zeros (0.0 or -0.0), and pads with them, from a
/// ranked tensor back, as far as sizes, offsets and strides are known, strides
/// are above 0 and tensors have no encoding. The result is `tensor` itself if
/// it is made otherwise; it may have no elements.
SpreadTensor getSpreadTensor(Value tensor);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_SPREADTENSOR_H
