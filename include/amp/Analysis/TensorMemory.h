//===- TensorMemory.h - Where bufferization puts results --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step back from a tensor to the one whose memory it is in, as long as
// bufferization needs no copy. What loops and branches give is not asked here:
// they may give one of several.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_TENSORMEMORY_H
#define AMP_ANALYSIS_TENSORMEMORY_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace mlir::amp {

/// The operand that `tensor` is a view of, of all its elements or some; null if
/// it is none.
inline OpOperand *getViewedTensor(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (isa_and_present<tensor::CastOp, tensor::CollapseShapeOp,
                      tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op))
    return &op->getOpOperand(0);
  return nullptr;
}

/// The operand in whose memory `tensor` is computed; null if it is in none's.
inline OpOperand *getComputedIn(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto insert = dyn_cast_or_null<tensor::InsertOp>(op))
    return &insert.getDestMutable();
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op))
    return &insert.getDestMutable();
  if (auto put =
          dyn_cast_or_null<bufferization::MaterializeInDestinationOp>(op))
    return &put.getDestMutable();
  if (auto style = dyn_cast_or_null<DestinationStyleOpInterface>(op))
    return style.getTiedOpOperand(cast<OpResult>(tensor));
  return nullptr;
}

} // namespace mlir::amp

#endif // AMP_ANALYSIS_TENSORMEMORY_H
