//===- Concatenations.cpp - Results put side by side ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each chain of insertions begins with memory of its own: what is only a part
// of another's would have to be copied, whatever it holds.
//
//===----------------------------------------------------------------------===//

#include "Concatenations.h"

#include "MatrixProduct.h"
#include "amp/Analysis/Elementwise.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amp;

/// On a tensor.empty, a number: no other shares its memory, also if it is the
/// same operation.
static constexpr StringLiteral kOwnMemoryAttr = "amp.own_memory";

/// The concatenation of what becomes of the result of `op`, or null.
static tensor::ConcatOp findConcatenation(Operation *op) {
  while (op->getNumResults() == 1 && op->hasOneUse()) {
    op = *op->user_begin();
    if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      return concat;
    if (!keepsElements(op))
      break;
  }
  return {};
}

void mlir::amp::insertConcatenated(ArrayRef<linalg::LinalgOp> contractions) {
  llvm::SetVector<Operation *> concatenations;
  for (linalg::LinalgOp op : contractions) {
    std::string reason;
    tensor::ConcatOp concat = findConcatenation(op);
    if (concat && concat.getType().hasStaticShape() &&
        succeeded(verifyContraction(*matchContraction(op), reason)))
      concatenations.insert(concat);
  }
  int64_t number = 0;
  for (Operation *op : concatenations) {
    OpBuilder b(op);
    FailureOr<SmallVector<Value>> parts =
        cast<tensor::ConcatOp>(op).decomposeOperation(b);
    if (failed(parts))
      continue;
    Value start = parts->front();
    while (auto insertion = start.getDefiningOp<tensor::InsertSliceOp>())
      start = insertion.getDest();
    if (auto empty = start.getDefiningOp<tensor::EmptyOp>())
      empty->setAttr(kOwnMemoryAttr, b.getI64IntegerAttr(number++));
    op->replaceAllUsesWith(*parts);
    op->erase();
  }
}
