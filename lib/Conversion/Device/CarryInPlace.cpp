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
// An scf.while begins with copies of parts and hands on copies of them. Tensors
// that are made of numbers have no known layout for upstream, either: their
// numbers are inserted into an empty tensor.
//
// Bufferization has no choice then, so that nobody may read the carried tensor
// behind that: the memory that each yielded tensor may be in is followed to
// where it begins, and no other yielded tensor may begin in that carried one.
// Nor may another one be a view of what is yielded, which may be computed in
// place.
//
// Upstream takes a destination for the memory in which its tensor is computed,
// and does not ask whether that is one of several tensors which are put there,
// or is handed on by a branch beside another one. Those are computed in memory
// of their own. It also takes a destination for the memory of whatever a branch
// yields in its place, of which a copy is yielded.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/TensorMemory.h"
#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

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

/// Whether a tensor, or what is computed in it, is inserted into another one,
/// where it may be computed then.
static bool isInserted(Value tensor) {
  DenseSet<Value> seen;
  SmallVector<Value> left = {tensor};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      auto insert = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
      if (insert && use == insert.getSourceMutable())
        return true;
      for (OpResult result : use.getOwner()->getResults())
        if (getComputedIn(result) == &use || getViewedTensor(result) == &use)
          left.push_back(result);
    }
  }
  return false;
}

/// Whether a tensor may lie in a part of another one: as one that is taken out
/// of it, or computed in such a one, or is inserted into it and computed there.
static bool isPart(Value tensor) {
  // In a block that nothing reaches, shapes may be made of themselves.
  SmallPtrSet<Operation *, 4> seen;
  // What all that is computed on the way is computed in. A tensor.empty is of
  // whoever computes in it.
  Value first;
  for (Operation *op = tensor.getDefiningOp(); op && !isa<tensor::EmptyOp>(op);
       op = tensor.getDefiningOp()) {
    if (isa<tensor::ExtractSliceOp>(op))
      return true;
    if (!seen.insert(op).second)
      return false;
    first = tensor;
    OpOperand *start = getViewedTensor(tensor);
    if (!start)
      start = getComputedIn(tensor);
    if (!start)
      break;
    tensor = start->get();
  }
  return first && isInserted(first);
}

/// Adds what both sides of a branch yield for one of its results.
static void addYielded(scf::IfOp branch, OpResult result,
                       SmallVectorImpl<Value> &values) {
  for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
    values.push_back(yield.getOperand(result.getResultNumber()));
}

namespace {
/// A tensor that a loop carries, and what its iteration yields for it.
struct CarriedTensor {
  BlockArgument carried;
  OpOperand *yielded;
  /// Where the memory of what is yielded may begin, and the results of
  /// operations in the loop that may be in it.
  DenseSet<Value> origins, results;
};
} // namespace

/// Finds where the memory of what is yielded begins. False where that is not
/// known.
static bool followMemory(CarriedTensor &tensor, scf::ForOp loop) {
  DenseSet<Value> visited;
  SmallVector<Value> worklist = {tensor.yielded->get()};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    if (!loop->isAncestor(value.getParentBlock()->getParentOp())) {
      tensor.origins.insert(value); // of outside
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto inner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!inner)
        return false;
      if (inner == loop) {
        tensor.origins.insert(value);
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
    if (isa<tensor::EmptyOp, arith::ConstantOp>(op)) {
      tensor.origins.insert(value);
      continue;
    }
    tensor.results.insert(value);
    if (OpTrait::hasElementwiseMappableTraits(op)) {
      tensor.origins.insert(value);
    } else if (OpOperand *viewed = getViewedTensor(value)) {
      worklist.push_back(viewed->get());
    } else if (OpOperand *start = getComputedIn(value)) {
      worklist.push_back(start->get());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      addYielded(branch, result, worklist);
    } else if (auto inner = dyn_cast<scf::ForOp>(op)) {
      worklist.push_back(inner.getInitArgs()[number]);
      worklist.push_back(inner.getYieldedValues()[number]);
    } else {
      return false;
    }
  }
  return true;
}

/// The operands that give a tensor its memory, as tensor.empty, on any way to
/// `tensor`. False if it may also be in other memory than `destination`'s.
static bool findEmptyTensors(Value tensor, Value destination,
                             SmallVectorImpl<OpOperand *> &operands) {
  auto carried = dyn_cast<BlockArgument>(destination);
  Operation *loop = carried ? carried.getOwner()->getParentOp() : nullptr;
  SmallVector<Value> left = {tensor};
  DenseSet<Value> seen = {destination};
  bool areAll = true;
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
      addYielded(branch, cast<OpResult>(value), left);
    } else if (OpOperand *viewed = getViewedTensor(value)) {
      left.push_back(viewed->get());
    } else if (OpOperand *start = getComputedIn(value)) {
      areAll &= !loop || loop->isAncestor(op); // computed in each iteration
      if (start->get().getDefiningOp<tensor::EmptyOp>())
        operands.push_back(start);
      else
        left.push_back(start->get());
    } else {
      areAll = false;
    }
  }
  return areAll;
}

/// Whether the memory of a tensor may be a destination that is given to it, or
/// with `outside`, may begin outside of that operation.
static bool mayBeIn(Value tensor, Operation *outside) {
  SmallVector<Value> left = {tensor};
  DenseSet<Value> seen;
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (outside && !outside->isAncestor(value.getParentBlock()->getParentOp()))
      return true;
    Operation *op = value.getDefiningOp();
    if (isa_and_present<bufferization::MaterializeInDestinationOp>(op)) {
      if (!outside)
        return true;
    } else if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
      addYielded(branch, cast<OpResult>(value), left);
    } else if (OpOperand *viewed = getViewedTensor(value)) {
      left.push_back(viewed->get());
    } else if (OpOperand *start = getComputedIn(value)) {
      left.push_back(start->get());
    }
  }
  return false;
}

/// Writes a tensor of several numbers as insertions, whose layout is known.
static void insertElements(tensor::FromElementsOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value tensor =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  for (auto [i, element] : llvm::enumerate(op.getElements())) {
    SmallVector<Value> place = llvm::map_to_vector(
        delinearize(int64_t(i), computeStrides(type.getShape())),
        [&](int64_t index) -> Value {
          return arith::ConstantIndexOp::create(b, loc, index);
        });
    tensor = tensor::InsertOp::create(b, loc, element, tensor, place);
  }
  op.replaceAllUsesWith(tensor);
  op.erase();
}

static bool intersects(const DenseSet<Value> &x, const DenseSet<Value> &y) {
  return llvm::any_of(x, [&](Value value) { return y.contains(value); });
}

namespace {
struct CarryInPlace : public amp::impl::CarryInPlacePassBase<CarryInPlace> {
  void runOnOperation() override {
    getOperation()->walk([&](tensor::FromElementsOp op) {
      // One number that is not handed on is memory of its readers.
      if (cast<RankedTensorType>(op.getType()).getRank() != 0 ||
          llvm::any_of(op->getUsers(),
                       llvm::IsaPred<scf::ForOp, scf::WhileOp, scf::YieldOp,
                                     scf::ConditionOp>)) {
        insertElements(op);
        ++numInserted;
      }
    });
    getOperation()->walk([&](scf::ForOp loop) { carryIn(loop); });
    getOperation()->walk([&](scf::IfOp branch) { yieldFrom(branch); });
    getOperation()->walk([&](scf::IfOp branch) { yieldApart(branch); });
    getOperation()->walk([&](scf::WhileOp loop) {
      for (Operation *op :
           {loop.getOperation(), loop.getConditionOp().getOperation(),
            loop.getYieldOp().getOperation()})
        for (OpOperand &handed : op->getOpOperands())
          copyPart(handed);
    });
    keepApart();
  }

  /// Gives tensors memory of their own that cannot all be computed where they
  /// are put.
  void keepApart() {
    DenseMap<Value, SmallVector<Value, 2>> sources;
    getOperation()->walk([&](bufferization::MaterializeInDestinationOp op) {
      SmallVector<Value, 2> &known = sources[op.getDest()];
      if (!llvm::is_contained(known, op.getSource()))
        known.push_back(op.getSource());
    });
    getOperation()->walk([&](bufferization::MaterializeInDestinationOp op) {
      SmallVector<OpOperand *> operands;
      if (findEmptyTensors(op.getSource(), op.getDest(), operands) &&
          sources[op.getDest()].size() == 1)
        return;
      for (OpOperand *operand : operands) {
        OpBuilder b(operand->getOwner());
        operand->set(bufferization::AllocTensorOp::create(
            b, operand->getOwner()->getLoc(),
            cast<RankedTensorType>(operand->get().getType()),
            operand->get().getDefiningOp<tensor::EmptyOp>().getDynamicSizes()));
        ++numApart;
      }
    });
  }

  /// Hands on a copy of a part of a tensor.
  void copyPart(OpOperand &handed) {
    auto type = dyn_cast<RankedTensorType>(handed.get().getType());
    if (!type || !type.hasStaticShape() || !isPart(handed.get()))
      return;
    OpBuilder b(handed.getOwner());
    handed.set(bufferization::AllocTensorOp::create(
        b, handed.getOwner()->getLoc(), type, ValueRange(), handed.get()));
    ++numYielded;
  }

  void carryIn(scf::ForOp loop) {
    SmallVector<CarriedTensor> tensors;
    for (auto [carried, yielded] : llvm::zip_equal(
             loop.getRegionIterArgs(), *loop.getYieldedValuesMutable())) {
      if (!isa<TensorType>(carried.getType()))
        continue;
      CarriedTensor &tensor =
          tensors.emplace_back(CarriedTensor{carried, &yielded, {}, {}});
      if (!followMemory(tensor, loop))
        return;
    }
    SmallVector<const CarriedTensor *> inPlace;
    for (const CarriedTensor &tensor : tensors)
      // One that is not known may have another size in each iteration.
      if (cast<TensorType>(tensor.carried.getType()).hasStaticShape() &&
          llvm::none_of(tensors, [&](const CarriedTensor &other) {
            return other.origins.contains(tensor.carried) ||
                   (other.yielded->get() != tensor.yielded->get() &&
                    intersects(other.results, tensor.results));
          }))
        inPlace.push_back(&tensor);
    // What is yielded for several is copied from the first.
    DenseMap<Value, Value> copies;
    for (const CarriedTensor *tensor : inPlace) {
      Value yielded = tensor->yielded->get();
      if (Value copy = copies.lookup(yielded))
        tensor->yielded->set(copy);
      yieldIn(*tensor->yielded, tensor->carried);
      copies.try_emplace(yielded, tensor->yielded->get());
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

  /// Lets a branch yield a copy of what is used elsewhere, if the other one
  /// yields what is put into a destination.
  void yieldApart(scf::IfOp branch) {
    for (OpResult result : branch->getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      OpOperand &then =
                    branch.thenYield()->getOpOperand(result.getResultNumber()),
                &other =
                    branch.elseYield()->getOpOperand(result.getResultNumber());
      const bool isThenIn = mayBeIn(then.get(), /*outside=*/nullptr);
      if (isThenIn == mayBeIn(other.get(), /*outside=*/nullptr))
        continue;
      OpOperand &yielded = isThenIn ? other : then;
      if (yielded.get().hasOneUse() || !mayBeIn(yielded.get(), branch))
        continue;
      OpBuilder b(yielded.getOwner());
      yielded.set(bufferization::AllocTensorOp::create(
          b, branch.getLoc(), cast<RankedTensorType>(result.getType()),
          ValueRange(), yielded.get()));
      ++numYielded;
    }
  }
};
} // namespace
