//===- CarryInPlace.cpp - What loops carry stays where it is --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization gives what an iteration yields a buffer of its own, unless it
// is computed where the carried tensor is; and a branch that yields a part of a
// tensor gives the result strides that nobody knows. Here both are told where
// their tensors have to be, as destinations that are materialized:
//
//   scf.yield %new                 ->  scf.yield (%new in %carried)
//   scf.if ... yield %slice        ->  scf.if ... yield (%slice in %new)
//          else yield %other                 else yield (%other in %new)
//
// Bufferization has no choice then, so that nobody may read the carried tensor
// behind that: the memory that each yielded tensor may be in is followed to
// where it begins, and no other yielded tensor may begin in that carried one.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

#define DEBUG_TYPE "amp-carry-in-place"

namespace mlir::amp {
#define GEN_PASS_DEF_CARRYINPLACEPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Puts the tensor that a terminator yields where `destination` is.
static void yieldIn(OpOperand &yielded, Value destination) {
  Operation *terminator = yielded.getOwner();
  OpBuilder b(terminator);
  yielded.set(bufferization::MaterializeInDestinationOp::create(
                  b, terminator->getLoc(), yielded.get().getType(),
                  yielded.get(), destination)
                  .getResult());
}

/// Whether a tensor may lie in a part of another one.
static bool isPart(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (isa<tensor::ExtractSliceOp>(op))
      return true;
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            op))
      return false;
    tensor = op->getOperand(0);
  }
  return false;
}

/// Where memory of a tensor may begin that is yielded by a loop's iteration.
/// Nothing where that is not known.
static std::optional<DenseSet<Value>> getOrigins(Value tensor,
                                                 scf::ForOp loop) {
  DenseSet<Value> origins, visited;
  SmallVector<Value> worklist = {tensor};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    if (!loop->isAncestor(value.getParentBlock()->getParentOp())) {
      origins.insert(value); // of outside
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto inner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!inner)
        return std::nullopt;
      if (inner == loop) {
        origins.insert(value);
      } else {
        OpOperand *start = inner.getTiedLoopInit(argument);
        worklist.push_back(start->get());
        worklist.push_back(inner.getTiedLoopYieldedValue(argument)->get());
      }
      continue;
    }
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    const unsigned number = result.getResultNumber();
    if (isa<tensor::EmptyOp, arith::ConstantOp>(op) ||
        OpTrait::hasElementwiseMappableTraits(op)) {
      origins.insert(value);
    } else if (isa<tensor::ExtractSliceOp, tensor::CastOp,
                   tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
      worklist.push_back(op->getOperand(0));
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      worklist.push_back(insert.getDest());
    } else if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
      worklist.push_back(insert.getDest());
    } else if (auto style = dyn_cast<DestinationStyleOpInterface>(op)) {
      worklist.push_back(style.getTiedOpOperand(result)->get());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      worklist.push_back(branch.thenYield().getOperand(number));
      worklist.push_back(branch.elseYield().getOperand(number));
    } else if (auto inner = dyn_cast<scf::ForOp>(op)) {
      worklist.push_back(inner.getInitArgs()[number]);
      worklist.push_back(inner.getYieldedValues()[number]);
    } else {
      return std::nullopt;
    }
  }
  return origins;
}

namespace {
struct CarryInPlace : public amp::impl::CarryInPlacePassBase<CarryInPlace> {
  void runOnOperation() override {
    getOperation()->walk([&](scf::ForOp loop) { carryIn(loop); });
    getOperation()->walk([&](scf::IfOp branch) { yieldFrom(branch); });
  }

  void carryIn(scf::ForOp loop) {
    SmallVector<std::pair<BlockArgument, OpOperand *>> tensors;
    SmallVector<DenseSet<Value>> origins;
    for (auto [carried, yielded] : llvm::zip_equal(
             loop.getRegionIterArgs(), *loop.getYieldedValuesMutable())) {
      if (!isa<TensorType>(carried.getType()))
        continue;
      std::optional<DenseSet<Value>> from = getOrigins(yielded.get(), loop);
      if (!from)
        return;
      tensors.emplace_back(carried, &yielded);
      origins.push_back(std::move(*from));
    }
    for (auto [carried, yielded] : tensors) {
      if (llvm::any_of(origins, [carried = carried](const auto &from) {
            return from.contains(carried);
          }))
        continue;
      yieldIn(*yielded, carried);
      ++numCarried;
    }
  }

  void yieldFrom(scf::IfOp branch) {
    if (!branch.elseBlock())
      return;
    scf::YieldOp yields[] = {branch.thenYield(), branch.elseYield()};
    for (OpResult result : branch->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      const unsigned number = result.getResultNumber();
      if (!type || !type.hasStaticShape() ||
          llvm::none_of(yields, [&](scf::YieldOp yield) {
            return isPart(yield.getOperand(number));
          }))
        continue;
      OpBuilder b(branch);
      // A tensor.empty could be taken for a part of what the result is inserted
      // into.
      Value destination = bufferization::AllocTensorOp::create(
          b, branch.getLoc(), type, ValueRange());
      for (scf::YieldOp yield : yields)
        yieldIn(yield->getOpOperand(number), destination);
      ++numYielded;
    }
  }
};
} // namespace
