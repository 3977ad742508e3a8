//===- MoveCarriedElements.cpp - Tensors of loops on elements stay --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops and branches on elements are one kernel, in which no memory can be
// allocated and no tensor be in one of two places. Where they hand on a tensor
// that is in another one's memory, it is copied into a tensor from outside of
// all of them, and from there to where it is carried:
//
//   scf.for ... (%a, %b)           ->  scf.for ... (%a, %b)
//     scf.yield %b, %a                   %c = %b in %x, %d = %a in %y
//                                        scf.yield (%c in %a), (%d in %b)
//
//   scf.if ... yield %a            ->  scf.if ... yield (%a in %x)
//         else yield %b                      else yield (%b in %x)
//
// A choice between tensors is such a branch. A tensor is copied right behind
// what computes it, before others may be computed in its memory.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/ElementLoops.h"
#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallPtrSet.h"

#define DEBUG_TYPE "amp-move-carried-elements"

namespace mlir::amp {
#define GEN_PASS_DEF_MOVECARRIEDELEMENTSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Whether an operation chooses one of two tensors.
static bool isChoice(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  return select && isa<TensorType>(select.getType()) &&
         select.getCondition().getType().isInteger(1);
}

/// Whether a loop or a branch computes with numbers and elements alone, or with
/// what this pass makes a kernel of.
static bool canBeOfNumbers(Operation *op) {
  return isOfNumbers(op, [](Operation *inner) {
    return isChoice(inner) ||
           isa<bufferization::MaterializeInDestinationOp>(inner);
  });
}

/// The outermost loop or branch on elements that `op` is or is in. Null: none.
static Operation *getNest(Operation *op) {
  Operation *nest = nullptr;
  for (; canBeOfNumbers(op); op = op->getParentOp())
    if (touchesElements(op))
      nest = op;
  return nest;
}

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Memory for a tensor of `nest`, in front of it.
static Value allocate(Type type, Operation *nest) {
  OpBuilder b(nest);
  return bufferization::AllocTensorOp::create(
      b, nest->getLoc(), cast<RankedTensorType>(type), ValueRange());
}

/// `tensor` where `place` is.
static Value put(OpBuilder &b, Value tensor, Value place) {
  return bufferization::MaterializeInDestinationOp::create(
             b, tensor.getLoc(), tensor.getType(), tensor, place)
      .getResult();
}

/// Where the memory of a tensor begins that is computed from elements. A result
/// that may begin in several places is where it begins itself.
/// `ofBranches` are those that are known: each may lead to the one before it
/// twice.
static Value getBase(Value tensor, DenseMap<Value, Value> &ofBranches) {
  // In a block that nothing reaches, tensors may be made of themselves.
  SmallPtrSet<Operation *, 4> seen;
  while (Operation *op = tensor.getDefiningOp()) {
    if (!seen.insert(op).second)
      return tensor;
    if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
      tensor = insert.getDest();
    } else if (auto put =
                   dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
      tensor = put.getDest();
    } else if (auto loop = dyn_cast<scf::ForOp>(op);
               loop && canBeOfNumbers(op)) {
      tensor = loop.getTiedLoopInit(cast<OpResult>(tensor))->get();
    } else if (auto branch = dyn_cast<scf::IfOp>(op);
               branch && canBeOfNumbers(op)) {
      if (Value known = ofBranches.lookup(tensor))
        return known;
      unsigned number = cast<OpResult>(tensor).getResultNumber();
      Value base = getBase(branch.thenYield().getOperand(number), ofBranches);
      if (base != getBase(branch.elseYield().getOperand(number), ofBranches))
        base = tensor;
      ofBranches[tensor] = base;
      return base;
    } else {
      return tensor;
    }
  }
  return tensor;
}

static Value getBase(Value tensor) {
  DenseMap<Value, Value> ofBranches;
  return getBase(tensor, ofBranches);
}

namespace {
/// What an iteration hands on, and the tensor of that iteration in whose place
/// the next one finds it; null if that is in no place known here.
struct CarriedTensor {
  Value carried;
  OpOperand *yielded;
};

struct MoveCarriedElements
    : public amp::impl::MoveCarriedElementsPassBase<MoveCarriedElements> {
  void runOnOperation() override {
    getOperation()->walk([&](arith::SelectOp select) {
      if (isChoice(select) && getNest(select->getParentOp()))
        branch(select);
    });
    // Inner ones first: what they give begins in one place then.
    getOperation()->walk([&](Operation *op) {
      Operation *nest = getNest(op);
      if (!nest)
        return;
      if (auto branch = dyn_cast<scf::IfOp>(op))
        join(branch, nest);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        move(getCarried(loop), nest);
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        move(getCarried(loop), nest);
    });
  }

  /// Writes a choice as a branch.
  static void branch(arith::SelectOp select) {
    OpBuilder b(select);
    auto give = [](Value tensor) {
      return [tensor](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, tensor);
      };
    };
    auto choice = scf::IfOp::create(b, select.getLoc(), select.getCondition(),
                                    give(select.getTrueValue()),
                                    give(select.getFalseValue()));
    select.replaceAllUsesWith(choice.getResult(0));
    select.erase();
  }

  static SmallVector<CarriedTensor> getCarried(scf::ForOp loop) {
    SmallVector<CarriedTensor> tensors;
    for (auto [carried, yielded] : llvm::zip_equal(
             loop.getRegionIterArgs(), *loop.getYieldedValuesMutable()))
      tensors.push_back({carried, &yielded});
    return tensors;
  }

  /// Places are known of the tensors that the condition hands on as they are.
  static SmallVector<CarriedTensor> getCarried(scf::WhileOp loop) {
    SmallVector<CarriedTensor> tensors;
    for (OpOperand &yielded : loop.getYieldOp()->getOpOperands())
      tensors.push_back({Value(), &yielded});
    for (auto [handed, argument] : llvm::zip_equal(
             loop.getConditionOp().getArgs(), loop.getAfterArguments()))
      if (auto before = dyn_cast<BlockArgument>(handed);
          before && before.getOwner() == loop.getBeforeBody())
        tensors[before.getArgNumber()].carried = argument;
    return tensors;
  }

  /// Copies what a loop hands on to where it is carried, after all of it was
  /// copied aside.
  void move(ArrayRef<CarriedTensor> carried, Operation *nest) {
    SmallVector<CarriedTensor> moved;
    DenseSet<Value> places;
    for (const CarriedTensor &tensor : carried)
      if (tensor.carried && isStaticTensor(tensor.carried.getType()) &&
          getBase(tensor.yielded->get()) != tensor.carried) {
        moved.push_back(tensor);
        places.insert(tensor.carried);
      }
    // Which would be written over.
    for (const CarriedTensor &tensor : carried)
      if (!tensor.carried && isStaticTensor(tensor.yielded->get().getType()) &&
          places.contains(getBase(tensor.yielded->get())))
        moved.push_back(tensor);
    SmallVector<Value> copies;
    for (const CarriedTensor &tensor : moved) {
      Value yielded = tensor.yielded->get();
      if (!nest->isAncestor(yielded.getParentBlock()->getParentOp())) {
        copies.push_back(yielded); // no loop here writes to it
        continue;
      }
      OpBuilder b(nest);
      b.setInsertionPointAfterValue(yielded);
      copies.push_back(put(b, yielded, allocate(yielded.getType(), nest)));
    }
    for (auto [tensor, copy] : llvm::zip_equal(moved, copies)) {
      OpBuilder b(tensor.yielded->getOwner());
      tensor.yielded->set(tensor.carried ? put(b, copy, tensor.carried) : copy);
    }
    numMoved += moved.size();
  }

  /// Copies what a branch gives to one place.
  void join(scf::IfOp branch, Operation *nest) {
    if (!branch.elseBlock())
      return;
    for (OpResult result : branch->getResults()) {
      if (!isStaticTensor(result.getType()) || getBase(result) != result)
        continue;
      Value memory = allocate(result.getType(), nest);
      for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
        OpOperand &yielded = yield->getOpOperand(result.getResultNumber());
        OpBuilder b(yield);
        yielded.set(put(b, yielded.get(), memory));
      }
      ++numMoved;
    }
  }
};
} // namespace
