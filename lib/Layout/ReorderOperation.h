//===- ReorderOperation.h - An operation in another order -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same operation on tensors in other storage orders.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_LAYOUT_REORDEROPERATION_H
#define AMP_LIB_LAYOUT_REORDEROPERATION_H

#include "amp/Layout/StorageOrder.h"
#include "mlir/IR/Builders.h"

namespace mlir::amp {

/// What an operation gets instead of one operand.
struct ReorderedOperand {
  Value value;
  StorageOrder order; // the written one for scalars and small tensors
};

/// Creates the linalg operation `op` on `operands`; `resultOrders` has one
/// order for each result. Sums keep their order. If `loops` is not empty, it is
/// the order of the loops; reductions among them stay in the order as written.
Operation *createReorderedLinalg(OpBuilder &builder, Operation *op,
                                 ArrayRef<ReorderedOperand> operands,
                                 ArrayRef<StorageOrder> resultOrders,
                                 ArrayRef<unsigned> loops);

/// Creates any other operation that `getTensorAccesses` knows, with its only
/// result in `resultOrder`.
Operation *createReordered(OpBuilder &builder, Operation *op,
                           ArrayRef<ReorderedOperand> operands,
                           ArrayRef<int64_t> resultOrder);

} // namespace mlir::amp

#endif // AMP_LIB_LAYOUT_REORDEROPERATION_H
