//===- StepTraffic.cpp - Bytes that a step cannot do without --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forward pass is the backward slice of the losses; what it gives to an
// operation outside of the slice is kept. Values are named by the tensor that
// their elements come from, through reshapes, slices, transposes, broadcasts
// and widening conversions, which a reader can do while it reads. A result of
// a contraction that is read by one rounding alone is the rounded one, which
// its writer can do while it writes.
//
//===----------------------------------------------------------------------===//

#include "amp/Fusion/StepTraffic.h"

#include "amp/Analysis/Contraction.h"
#include "amp/Analysis/Fill.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

/// The operand that `op` moves or widens, or null.
static Value getMoved(Operation *op) {
  if (isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                      tensor::ExtractSliceOp, tensor::CastOp>(op))
    return op->getOperand(0);
  auto structured = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!structured || structured.getNumDpsInputs() != 1 ||
      op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getOperand(0).getType()))
    return {};
  Block *body = structured.getBlock();
  Value yielded = body->getTerminator()->getOperand(0);
  while (isa_and_present<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
      yielded.getDefiningOp()))
    yielded = yielded.getDefiningOp()->getOperand(0);
  return yielded == body->getArgument(0) ? op->getOperand(0) : Value();
}

/// What `value` is rounded to, if that is all that is done with it, or `value`.
static Value getRounded(Value value) {
  while (value.hasOneUse()) {
    auto user = dyn_cast<linalg::LinalgOp>(*value.user_begin());
    if (!user || !linalg::isElementwise(user) || user.getNumDpsInputs() != 1 ||
        user->getNumResults() != 1 || user->getOperand(0) != value)
      break;
    Block *body = user.getBlock();
    auto truncation =
        body->getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
    if (!truncation || truncation.getIn() != body->getArgument(0))
      break;
    value = user->getResult(0);
  }
  return value;
}

/// The tensor that the elements of `value` come from.
static Value getSource(Value value) {
  while (true) {
    if (Value moved = getMoved(value.getDefiningOp())) {
      value = moved;
      continue;
    }
    // A result of a branch is what the branch that computes yields; one of a
    // loop is a tensor of its own.
    auto branch = value.getDefiningOp<scf::IfOp>();
    if (!branch)
      return value;
    unsigned number = cast<OpResult>(value).getResultNumber();
    Value computed = branch.thenYield().getOperand(number);
    if (!branch->isProperAncestor(computed.getParentBlock()->getParentOp()) &&
        computed.getParentBlock()->getParentOp() != branch)
      computed = branch.elseYield().getOperand(number);
    value = computed;
  }
}

/// The operations that `values` depend on, in whatever region of `step`.
static llvm::DenseSet<Operation *> getSlice(ValueRange values) {
  llvm::DenseSet<Operation *> slice;
  SmallVector<Value> open(values);
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op) {
      // What a region is given.
      op = cast<BlockArgument>(value).getOwner()->getParentOp();
      if (isa<func::FuncOp>(op))
        continue;
    }
    if (!slice.insert(op).second)
      continue;
    llvm::append_range(open, op->getOperands());
    op->walk([&](Operation *inner) {
      slice.insert(inner);
      llvm::append_range(open, inner->getOperands());
    });
  }
  return slice;
}

/// Whether something that is no contraction reads the elements of `tensor`.
static bool isReadByOthers(Value tensor) {
  llvm::SetVector<Value> moved;
  moved.insert(tensor);
  for (size_t i = 0; i != moved.size(); ++i)
    for (Operation *user : moved[i].getUsers()) {
      auto structured = dyn_cast<linalg::LinalgOp>(user);
      if (user->hasTrait<OpTrait::IsTerminator>() ||
          (structured && succeeded(matchContraction(structured))))
        continue;
      if (getMoved(user) != moved[i])
        return true;
      moved.insert_range(user->getResults());
    }
  return false;
}

LeastTraffic mlir::amp::countLeastTraffic(func::FuncOp step,
                                          ArrayRef<unsigned> losses) {
  llvm::SetVector<Value> inMemory;
  llvm::DenseSet<Value> ofContractions;
  auto add = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()))
      inMemory.insert(getSource(value));
  };
  Operation *end = step.front().getTerminator();
  llvm::for_each(step.getArguments(), add);
  llvm::for_each(end->getOperands(), add);

  SmallVector<Value> lossValues;
  for (unsigned loss : losses)
    lossValues.push_back(end->getOperand(loss));
  llvm::DenseSet<Operation *> forward = getSlice(lossValues);
  step.walk([&](linalg::LinalgOp op) {
    if (succeeded(matchContraction(op))) {
      llvm::for_each(op.getDpsInputs(), add);
      for (Value result : op->getResults()) {
        add(getRounded(result));
        ofContractions.insert(getSource(getRounded(result)));
      }
    }
  });
  for (Operation *op : forward) {
    // What holds one value, or none, is made anew.
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>() ||
        (structured && getFillValue(structured)))
      continue;
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers())
        if (!forward.contains(user) && user != end && !getMoved(user))
          add(result);
  }

  LeastTraffic traffic;
  for (Value tensor : inMemory) {
    bool isArgument = isa<BlockArgument>(tensor);
    bool isRead = llvm::any_of(tensor.getUsers(), [](Operation *user) {
      return !user->hasTrait<OpTrait::IsTerminator>();
    });
    const int64_t bytes = countShapedBytes(cast<ShapedType>(tensor.getType()),
                                           /*unknownExtent=*/1);
    traffic.bytes += bytes * (!isArgument + isRead);
    const bool isWritten = !isArgument && !ofContractions.contains(tensor);
    traffic.memoryBound += bytes * (isWritten + isReadByOthers(tensor));
  }
  return traffic;
}
