//===- CopySharedYields.cpp - What loops hand on is one's -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's one-shot bufferization (LLVM 22) takes what a loop hands on under
// two numbers for two buffers, which a later iteration may write to one by one,
// though it may be one buffer that the iteration has allocated:
//
//   scf.yield %t, %t               ->  scf.yield %t, (copy of %t)
//
// And it copies what the condition of an scf.while hands on, but not what its
// body yields: where the condition's region then writes to a carried tensor, it
// writes to whatever was yielded for it. That is copied, too, unless it is
// computed where the body's argument of the same number is and nothing else
// that is yielded may be in that memory.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/TensorMemory.h"
#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

#define DEBUG_TYPE "amp-copy-shared-yields"

namespace mlir::amp {
#define GEN_PASS_DEF_COPYSHAREDYIELDSPASS
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
    if (OpOperand *start = getComputedIn(tensor))
      tensor = start->get();
    else if (isa<tensor::EmptyOp, bufferization::AllocTensorOp,
                 arith::ConstantOp>(op))
      return tensor;
    else
      return {};
  }
  return tensor;
}

/// The tensors of which `tensor` may be a view, or one.
static DenseSet<Value> getSources(Value tensor) {
  DenseSet<Value> sources, seen;
  SmallVector<Value> left = {tensor};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (OpOperand *viewed = getViewedTensor(value)) {
      left.push_back(viewed->get());
    } else if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
      const unsigned number = cast<OpResult>(value).getResultNumber();
      left.push_back(branch.thenYield().getOperand(number));
      left.push_back(branch.elseYield().getOperand(number));
    } else if (auto loop = dyn_cast_or_null<scf::ForOp>(op)) {
      const unsigned number = cast<OpResult>(value).getResultNumber();
      left.push_back(loop.getInitArgs()[number]);
      left.push_back(loop.getYieldedValues()[number]);
    } else {
      sources.insert(value);
    }
  }
  return sources;
}

namespace {
struct CopySharedYields
    : public amp::impl::CopySharedYieldsPassBase<CopySharedYields> {
  void runOnOperation() override {
    getOperation()->walk([&](scf::ForOp loop) {
      copyRepeated(*loop.getYieldedValuesMutable());
    });
    getOperation()->walk([&](scf::WhileOp loop) {
      copyWritten(loop);
      copyRepeated(loop.getConditionOp().getArgsMutable());
      copyRepeated(loop.getYieldOp().getResultsMutable());
    });
  }

  void copy(OpOperand &handed) {
    OpBuilder b(handed.getOwner());
    handed.set(bufferization::AllocTensorOp::create(
        b, handed.getOwner()->getLoc(),
        cast<RankedTensorType>(handed.get().getType()), ValueRange(),
        handed.get()));
    ++numCopied;
  }

  /// Copies what may be, or be a part of, something that is handed on before.
  void copyRepeated(MutableArrayRef<OpOperand> handed) {
    DenseSet<Value> before;
    for (OpOperand &operand : handed) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      DenseSet<Value> sources = getSources(operand.get());
      if (llvm::any_of(sources,
                       [&](Value source) { return before.contains(source); }))
        copy(operand);
      else
        before.insert_range(sources);
    }
  }

  /// Copies what the region of the condition may write to.
  void copyWritten(scf::WhileOp loop) {
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
    for (OpOperand *yielded : shared)
      copy(*yielded);
  }
};
} // namespace
