//===- SinkHostReads.cpp - The host asks when all is under way ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only the host wants to know of a step, whether gradients overflowed and
// whether an index was out of range, is asked for at the end of its function:
//
//   %f = tensor.extract %found[]
//   call @update(%f)
//   %r = step(...)
//   return %r
//   ->  %r = step(...)
//       %f = tensor.extract %found[]
//       call @update(%f)
//       return %r
//
// Effects keep their order: from the end of a block backwards, operations
// without results are taken up to the first that stays, one with results or
// regions. What they read of tensors, and numbers computed from that, goes with
// them where nobody else needs it. An assertion that reads no tensor stays: the
// host knows before it starts anything that the extents of a batch do not fit.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "amp-sink-host-reads"

namespace mlir::amp {
#define GEN_PASS_DEF_SINKHOSTREADSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Whether `value` is a number that is computed from no element of a tensor.
static bool isKnownToHost(Value value) {
  if (isa<ShapedType>(value.getType()))
    return false;
  Operation *op = value.getDefiningOp();
  if (!op || isa<tensor::DimOp>(op))
    return true;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(), isKnownToHost);
}

/// Whether an operation only tells the host something that it has to wait for.
static bool isReport(Operation &op) {
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return !isKnownToHost(assertion.getArg());
  return isa<ReportViolationOp, WriteScalerOp>(op) ||
         (isa<func::CallOp>(op) && op.getNumResults() == 0 &&
          llvm::none_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>));
}

/// Adds what `value` is made of, as far as it is numbers, to what moves.
static void addNumbers(Value value, Block &block,
                       llvm::SetVector<Operation *> &moving) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &block || op->getNumRegions() != 0 ||
      op->getNumResults() != 1 || isa<ShapedType>(value.getType()) ||
      !isMemoryEffectFree(op) || moving.contains(op))
    return;
  if (!llvm::all_of(op->getUsers(),
                    [&](Operation *user) { return moving.contains(user); }))
    return;
  moving.insert(op);
  for (Value operand : op->getOperands())
    addNumbers(operand, block, moving);
}

namespace {
struct SinkHostReads : public amp::impl::SinkHostReadsPassBase<SinkHostReads> {
  void runOnOperation() override {
    if (getOperation().isExternal() || !getOperation().getBody().hasOneBlock())
      return;
    Block &block = getOperation().front();
    llvm::SetVector<Operation *> moving;
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      if (isReport(op)) {
        moving.insert(&op);
        ++numReports;
      } else if (!isMemoryEffectFree(&op)) {
        break;
      }
    }
    for (Operation *report : llvm::to_vector(moving))
      for (Value operand : report->getOperands())
        addNumbers(operand, block, moving);
    SmallVector<Operation *> inOrder;
    for (Operation &op : block.without_terminator())
      if (moving.contains(&op))
        inOrder.push_back(&op);
    for (Operation *op : inOrder)
      op->moveBefore(block.getTerminator());
  }
};
} // namespace
