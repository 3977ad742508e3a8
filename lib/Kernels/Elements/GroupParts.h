//===- GroupParts.h - What a loop over tiles is made of ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about an scf.forall over tiles of tensors: who reads what, where it
// lies, and what leaves the loop.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ELEMENTS_GROUPPARTS_H
#define AMP_LIB_KERNELS_ELEMENTS_GROUPPARTS_H

#include "Elements/WideAccess.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::amp {

bool isStaticTensor(Type type);

bool isInside(scf::ForallOp loop, Value value);

/// What lies in memory of a tensor from outside of the loop.
Value getRoot(Value tensor);

/// What the loop computes or is given, of which a tensor is a view.
Value getViewed(scf::ForallOp loop, Value tensor);

/// Where the elements of a tensor are in what it is a view of.
ElementLayout getTileLayout(scf::ForallOp loop, Value tensor);

/// The constant that a sum starts from, or null.
Value getStartValue(linalg::GenericOp op, OpOperand &init);

/// Whether the elements of an operand are read, not its shape alone.
bool isRead(OpOperand &use);

/// Whether something in the loop reads a result, through views too.
bool isReadInside(Value result);

/// What leaves the loop as it is computed.
SmallVector<tensor::ParallelInsertSliceOp> getInsertions(Value result);

/// Whether nobody needs what an operation computes: fills that only say what
/// sums start from.
bool isUnneeded(linalg::GenericOp op);

/// What combines parts of the results of `op`, if all its sums may be in parts.
SmallVector<Operation *> getCombiners(linalg::GenericOp op);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_GROUPPARTS_H
