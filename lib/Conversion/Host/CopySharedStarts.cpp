//===- CopySharedStarts.cpp - What results in a tile start as is one's ----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where several results of an iteration of scf.forall start as one tensor,
// upstream's eliminate-empty-tensors puts that into the slice of the first
// one's destination, and one-shot bufferization (LLVM 22) computes another
// result there, in the slice that the first is then copied to before the other
// one is taken out:
//
//   %s = (in an empty tensor)          ->  %s = (in an empty tensor)
//   %a = op ins(%x) outs(%s)               %t = copy of %s
//   %b = op ins(%y) outs(%s)               %a = op ins(%x) outs(%t)
//   parallel_insert_slice %a ..., %b ...   %b = op ins(%y) outs(%s)
//
// All but the last start as copies, which bufferization would make anyway.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

#define DEBUG_TYPE "amp-copy-shared-starts"

namespace mlir::amp {
#define GEN_PASS_DEF_COPYSHAREDSTARTSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// True if `value` is computed in a tensor that was empty before.
static bool wasEmpty(Value value) {
  bool isComputed = false;
  while (auto op = value.getDefiningOp<DestinationStyleOpInterface>()) {
    value = op.getTiedOpOperand(cast<OpResult>(value))->get();
    isComputed = true;
  }
  return isComputed && value.getDefiningOp<tensor::EmptyOp>();
}

/// Where results start as `value`, in the order of their operations; those of
/// other blocks first.
static SmallVector<OpOperand *> getStarts(Value value) {
  SmallVector<OpOperand *> starts;
  for (OpOperand &use : value.getUses())
    if (auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
        user && user.isDpsInit(&use))
      starts.push_back(&use);
  llvm::sort(starts, [&](OpOperand *x, OpOperand *y) {
    Operation *a = x->getOwner(), *b = y->getOwner();
    auto isHere = [&](Operation *op) {
      return op->getBlock() == value.getParentBlock();
    };
    if (!isHere(a) || !isHere(b))
      return isHere(b) && !isHere(a);
    return a == b ? x->getOperandNumber() < y->getOperandNumber()
                  : a->isBeforeInBlock(b);
  });
  return starts;
}

namespace {
struct CopySharedStarts
    : public amp::impl::CopySharedStartsPassBase<CopySharedStarts> {
  void runOnOperation() override {
    SmallVector<Value> values;
    getOperation().walk([&](Operation *op) {
      if (op->getParentOfType<scf::ForallOp>())
        llvm::copy_if(op->getResults(), std::back_inserter(values), wasEmpty);
    });
    for (Value value : values) {
      SmallVector<OpOperand *> starts = getStarts(value);
      if (starts.size() < 2)
        continue;
      for (OpOperand *start : ArrayRef(starts).drop_back()) {
        OpBuilder builder(start->getOwner());
        start->set(bufferization::AllocTensorOp::create(
            builder, value.getLoc(), cast<RankedTensorType>(value.getType()),
            /*dynamicSizes=*/ValueRange(), /*copy=*/value));
        ++numCopies;
      }
    }
  }
};
} // namespace
