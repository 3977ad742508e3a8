//===- Elementwise.h - Operations on elements -------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operations on tensors compute each element by itself. Whoever needs
// more, such as one order of the elements or a kernel for the body, asks that
// besides.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_ELEMENTWISE_H
#define AMP_ANALYSIS_ELEMENTWISE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <optional>

namespace mlir::amp {

/// Whether `op` computes each element of its results by itself, in whatever
/// order and shape: what becomes of a contraction's result by such operations
/// may be part of its kernel.
bool keepsElements(Operation *op);

/// The operation of which `of` consists, if it is an OpT and all that a
/// linalg.generic does, element by element, to `numInputs` tensors of known
/// shape, in whatever order; else null.
template <typename OpT>
OpT getOnlyOperation(Operation *of, unsigned numInputs) {
  auto op = dyn_cast_or_null<linalg::GenericOp>(of);
  if (!op || !op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumDpsInputs() != numInputs || op.hasDynamicShape() ||
      !op.isAllParallelLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  Block &body = *op.getBody();
  auto only = body.getTerminator()->getOperand(0).template getDefiningOp<OpT>();
  if (!only || !llvm::hasSingleElement(body.without_terminator()))
    return {};
  auto inputs = body.getArguments().drop_back();
  bool readsInputs = std::is_permutation(
      inputs.begin(), inputs.end(), only->operand_begin(), only->operand_end());
  return readsInputs ? only : OpT();
}

/// Whether a reader could compute the elements that it needs of `op`, on
/// tensors, from elements of its inputs: loops are parallel, and no tensor is
/// read by index, which would have to be there whole.
bool readsByElement(linalg::GenericOp op);

/// Whether a reader could compute what it needs of the one result of `op` by
/// operations that take a vector unit one cycle or so each.
bool isCheapByElement(linalg::GenericOp op);

/// The linalg.generic that read the one result of `op`, on tensors, as inputs:
/// those that may be given a copy of `op`. Nothing if anything else reads it.
std::optional<llvm::SetVector<Operation *>>
getGenericReaders(linalg::GenericOp op);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_ELEMENTWISE_H
