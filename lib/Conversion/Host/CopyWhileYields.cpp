//===- CopyWhileYields.cpp - What conditions write is nobody else's -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's one-shot bufferization (LLVM 22) copies what the condition of an
// scf.while hands on, but not what its body yields: where the condition's
// region then writes to a carried tensor, it writes to whatever was yielded for
// it. That is copied here, unless it is computed where the body's argument of
// the same number is and nothing else that is yielded may be in that memory.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

#define DEBUG_TYPE "amp-copy-while-yields"

namespace mlir::amp {
#define GEN_PASS_DEF_COPYWHILEYIELDSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Whether a region that `tensor` belongs to may write where it is.
static bool mayBeWritten(BlockArgument tensor) {
  bufferization::BufferizationOptions options;
  bufferization::AnalysisState state(options);
  DenseSet<Value> seen;
  SmallVector<Value> left = {tensor};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!isa<TensorType>(value.getType()) || !seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      if (state.bufferizesToMemoryWrite(use))
        return true;
      for (const bufferization::AliasingValue &alias :
           state.getAliasingValues(use))
        left.push_back(alias.value);
    }
  }
  return false;
}

/// Where the memory of a tensor begins; null if that is not known.
static Value getBase(Value tensor) {
  // In a block that nothing reaches, tensors may be made of themselves.
  SmallPtrSet<Operation *, 4> seen;
  while (Operation *op = tensor.getDefiningOp()) {
    if (!seen.insert(op).second)
      return {};
    if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
      tensor = style.getTiedOpOperand(cast<OpResult>(tensor))->get();
    else if (auto insert = dyn_cast<tensor::InsertOp>(op))
      tensor = insert.getDest();
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      tensor = insert.getDest();
    else if (isa<tensor::EmptyOp, bufferization::AllocTensorOp,
                 arith::ConstantOp>(op))
      return tensor;
    else
      return {};
  }
  return tensor;
}

namespace {
struct CopyWhileYields
    : public amp::impl::CopyWhileYieldsPassBase<CopyWhileYields> {
  void runOnOperation() override {
    getOperation()->walk([&](scf::WhileOp loop) { copyYields(loop); });
  }

  void copyYields(scf::WhileOp loop) {
    scf::YieldOp yield = loop.getYieldOp();
    SmallVector<Value> bases =
        llvm::map_to_vector(yield.getOperands(), [](Value value) -> Value {
          return isa<TensorType>(value.getType()) ? getBase(value) : Value();
        });
    auto isItsOwn = [&](unsigned number) {
      if (number >= loop.getAfterArguments().size() ||
          bases[number] != loop.getAfterArguments()[number])
        return false;
      for (auto [other, value] : llvm::enumerate(yield.getOperands()))
        if (other != number && isa<TensorType>(value.getType()) &&
            (!bases[other] || bases[other] == bases[number]))
          return false;
      return true;
    };
    SmallVector<OpOperand *> shared;
    for (BlockArgument carried : loop.getBeforeArguments())
      if (isa<RankedTensorType>(carried.getType()) &&
          !isItsOwn(carried.getArgNumber()) && mayBeWritten(carried))
        shared.push_back(&yield->getOpOperand(carried.getArgNumber()));
    OpBuilder b(yield);
    for (OpOperand *yielded : shared) {
      yielded->set(bufferization::AllocTensorOp::create(
          b, yield.getLoc(), cast<RankedTensorType>(yielded->get().getType()),
          ValueRange(), yielded->get()));
      ++numCopied;
    }
  }
};
} // namespace
