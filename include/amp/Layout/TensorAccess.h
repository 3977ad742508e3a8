//===- TensorAccess.h - How operations run over tensors ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation that may compute in any storage order is a set of loops and
// tensors whose dimensions those loops run along. Choosing an order of the
// loops chooses one for each tensor.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LAYOUT_TENSORACCESS_H
#define AMP_LAYOUT_TENSORACCESS_H

#include "amp/Layout/StorageOrder.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace mlir::amp {

/// One tensor that an operation reads or defines.
struct TensorAccess {
  /// What reads it, or null.
  OpOperand *use = nullptr;
  /// What is defined, or null.
  Value definition;
  /// The loops that run along each dimension; none where its only element is
  /// taken.
  SmallVector<SmallVector<unsigned, 2>, 6> loopsOfDim;

  Value getValue() const { return use ? use->get() : definition; }
  RankedTensorType getType() const {
    return cast<RankedTensorType>(getValue().getType());
  }
};

/// The tensors of more than two dimensions of one operation.
struct TensorAccesses {
  unsigned numLoops = 0;
  SmallVector<TensorAccess, 0> tensors;
};

/// The loops of `op`, if its tensors can be permuted: linalg, elementwise
/// operations, pads, slices that keep their rank, reshapes, concatenations,
/// insertion of elements. Not among its tensors are initial values that nobody
/// reads, and tensors that it reads backwards or gathers: every order of them
/// is as good.
std::optional<TensorAccesses> getTensorAccesses(Operation *op);

/// A tensor of `type` that a region hands on, element by element.
TensorAccess getElementwiseAccess(OpOperand *use, Value definition);

/// The order of the loops in which `access` runs through `order`. Loops that
/// the tensor does not have follow the loop before them.
SmallVector<unsigned> getLoopOrder(const TensorAccess &access,
                                   ArrayRef<int64_t> order, unsigned numLoops);

/// The order of the tensor of `access` under `loops`.
StorageOrder getTensorOrder(const TensorAccess &access,
                            ArrayRef<unsigned> loops);

/// For a reshape: `loops` as an order of the expanded tensor in which each
/// group of dimensions that are one in the collapsed tensor stays together.
/// Nothing if that is another order in memory, or if the collapsed tensor has
/// no order but the written one and that is another.
std::optional<StorageOrder> getExpandedOrder(Operation *reshape,
                                             ArrayRef<unsigned> loops);

} // namespace mlir::amp

#endif // AMP_LAYOUT_TENSORACCESS_H
