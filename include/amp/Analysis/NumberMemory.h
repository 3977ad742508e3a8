//===- NumberMemory.h - Numbers that are elements of tensors ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number that was taken from a tensor of one element is in memory already,
// where a kernel can read it: the host need not.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_NUMBERMEMORY_H
#define AMP_ANALYSIS_NUMBERMEMORY_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::amp {

/// The tensor whose only element `number` is, or null.
inline Value getNumberMemory(Value number) {
  auto extract = number.getDefiningOp<tensor::ExtractOp>();
  if (!extract)
    return {};
  RankedTensorType type = extract.getTensor().getType();
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    return {};
  return extract.getTensor();
}

/// A tensor of one element, which is `number`: made, where it is in none.
inline Value getOrMakeNumberMemory(OpBuilder &builder, Value number) {
  if (Value memory = getNumberMemory(number))
    return memory;
  return tensor::FromElementsOp::create(
      builder, number.getLoc(), RankedTensorType::get({}, number.getType()),
      number);
}

/// The map by which loops read the only element of such a tensor.
inline AffineMap getNumberMap(Value memory, unsigned numLoops) {
  MLIRContext *context = memory.getContext();
  SmallVector<AffineExpr> zeros(
      cast<RankedTensorType>(memory.getType()).getRank(),
      getAffineConstantExpr(0, context));
  return AffineMap::get(numLoops, 0, zeros, context);
}

} // namespace mlir::amp

#endif // AMP_ANALYSIS_NUMBERMEMORY_H
