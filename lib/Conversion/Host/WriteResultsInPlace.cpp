//===- WriteResultsInPlace.cpp - Results without a copy at the end --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two rewrites. First a copy of a branch's result moves into both branches:
//
//   %r = scf.if %c { ... yield %a } else { yield %b }     memref.copy %r, %out
//   ->  scf.if %c { ... memref.copy %a, %out } else { memref.copy %b, %out }
//
// Then an allocation that is copied to a result becomes the result:
//
//   %a = memref.alloc   ... writes %a ...   memref.copy %a, %out
//   ->  ... writes %out ...
//
// also where the copy is of the allocation in another shape: what writes it
// writes the result in the shape of the allocation.
//
// Nobody may notice: between the allocation and the copy nobody else touches
// `%out` (it has no other use, or only uses in the other branch), and after the
// copy nobody writes `%a` (it is only copied elsewhere).
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#define DEBUG_TYPE "amp-write-results-in-place"

namespace mlir::amp {
#define GEN_PASS_DEF_WRITERESULTSINPLACEPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// True if `value` is an argument of the function that `op` stands in.
static bool isFunctionArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

/// True if nothing between `branch` and `copy` can write a buffer: other copies
/// to results, pure operations, and calls without buffers.
static bool isUndisturbed(scf::IfOp branch, memref::CopyOp copy) {
  for (Operation *op = branch->getNextNode(); op != copy;
       op = op->getNextNode()) {
    if (auto other = dyn_cast<memref::CopyOp>(op)) {
      if (!isFunctionArgument(other.getTarget()))
        return false;
      continue;
    }
    bool isHarmlessCall =
        isa<func::CallOp>(op) &&
        llvm::none_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
    if (!isHarmlessCall && !isMemoryEffectFree(op) &&
        !isa<memref::DeallocOp>(op))
      return false;
  }
  return true;
}

/// Moves `copy` into the branches that its source comes from.
static bool sinkCopy(memref::CopyOp copy) {
  auto result = dyn_cast<OpResult>(copy.getSource());
  auto branch = copy.getSource().getDefiningOp<scf::IfOp>();
  if (!branch || !isFunctionArgument(copy.getTarget()) ||
      !copy.getTarget().hasOneUse() || branch->getBlock() != copy->getBlock() ||
      !isUndisturbed(branch, copy))
    return false;
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    OpBuilder builder(block->getTerminator());
    Value yielded =
        block->getTerminator()->getOperand(result.getResultNumber());
    memref::CopyOp::create(builder, copy.getLoc(), yielded, copy.getTarget());
  }
  copy.erase();
  return true;
}

/// Removes results of `branch` that have no use.
static scf::IfOp dropUnusedResults(scf::IfOp branch) {
  SmallVector<Value> kept;
  llvm::BitVector unused(branch.getNumResults());
  for (OpResult result : branch.getResults()) {
    if (result.use_empty())
      unused.set(result.getResultNumber());
    else
      kept.push_back(result);
  }
  if (unused.none())
    return branch;
  OpBuilder builder(branch);
  auto narrow =
      scf::IfOp::create(builder, branch.getLoc(), ValueRange(kept).getTypes(),
                        branch.getCondition(), /*withElseRegion=*/false);
  narrow.getThenRegion().takeBody(branch.getThenRegion());
  narrow.getElseRegion().takeBody(branch.getElseRegion());
  for (Block *block : {narrow.thenBlock(), narrow.elseBlock()})
    block->getTerminator()->eraseOperands(unused);
  for (auto [from, to] : llvm::zip_equal(kept, narrow.getResults()))
    from.replaceAllUsesWith(to);
  branch.erase();
  return narrow;
}

/// True if no use of `target` but `copy` can run where `copy` does.
static bool isOnlyUse(memref::CopyOp copy, Value target) {
  auto branch = dyn_cast<scf::IfOp>(copy->getParentOp());
  for (Operation *user : target.getUsers()) {
    if (user == copy)
      continue;
    bool isOtherBranch =
        branch && branch->isProperAncestor(user) &&
        !copy->getParentRegion()->isAncestor(user->getParentRegion());
    if (!isOtherBranch)
      return false;
  }
  return true;
}

/// True if `alloc` and its views stay in the block of `copy`, and after it are
/// only copied to results.
static bool isFinal(memref::AllocOp alloc, memref::CopyOp copy) {
  SmallVector<Value> views = {alloc};
  while (!views.empty()) {
    for (Operation *user : views.pop_back_val().getUsers()) {
      Operation *here = copy->getBlock()->findAncestorOpInBlock(*user);
      if (!here || user->hasTrait<OpTrait::IsTerminator>())
        return false;
      if (isa<ViewLikeOpInterface>(user)) {
        llvm::append_range(views, user->getResults());
        continue;
      }
      auto other = dyn_cast<memref::CopyOp>(user);
      bool isToResult = other && isFunctionArgument(other.getTarget());
      if (copy->isBeforeInBlock(here) && !isToResult)
        return false;
    }
  }
  return true;
}

/// `target` in the shape of the operand of `reshape`, of which it has the shape
/// of the result; null if not all of it lies in order.
static Value undoReshape(OpBuilder &builder, Operation *reshape, Value target) {
  auto from = cast<MemRefType>(reshape->getOperand(0).getType());
  auto to = cast<MemRefType>(reshape->getResult(0).getType());
  if (!from.getLayout().isIdentity() || !to.getLayout().isIdentity() ||
      !from.hasStaticShape() || target.getType() != to)
    return {};
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(reshape))
    return memref::ExpandShapeOp::create(builder, reshape->getLoc(),
                                         from.getShape(), target,
                                         collapse.getReassociationIndices());
  return memref::CollapseShapeOp::create(
      builder, reshape->getLoc(), from, target,
      cast<memref::ExpandShapeOp>(reshape).getReassociationIndices());
}

static bool replaceByTarget(memref::CopyOp copy) {
  Value target = copy.getTarget();
  SmallVector<Operation *> reshapes;
  Value source = copy.getSource();
  while (isa_and_present<memref::CollapseShapeOp, memref::ExpandShapeOp>(
      source.getDefiningOp())) {
    reshapes.push_back(source.getDefiningOp());
    source = reshapes.back()->getOperand(0);
  }
  auto alloc = source.getDefiningOp<memref::AllocOp>();
  if (!alloc || !isFunctionArgument(target) ||
      alloc->getBlock() != copy->getBlock() ||
      copy.getSource().getType() != target.getType() ||
      !isOnlyUse(copy, target) || !isFinal(alloc, copy))
    return false;
  OpBuilder builder(alloc);
  for (Operation *reshape : reshapes) {
    target = undoReshape(builder, reshape, target);
    if (!target)
      return false;
  }
  if (target.getType() != alloc.getType())
    return false;
  alloc.replaceAllUsesWith(target);
  copy.erase();
  alloc.erase();
  return true;
}

namespace {
struct WriteResultsInPlace
    : public amp::impl::WriteResultsInPlacePassBase<WriteResultsInPlace> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    auto collect = [&] {
      copies.clear();
      getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    };
    collect();
    for (memref::CopyOp copy : copies)
      numSunk += sinkCopy(copy);
    SmallVector<scf::IfOp> branches;
    getOperation().walk([&](scf::IfOp branch) {
      if (branch.getNumResults())
        branches.push_back(branch);
    });
    for (scf::IfOp branch : branches)
      dropUnusedResults(branch);
    collect();
    for (memref::CopyOp copy : copies)
      numRemoved += replaceByTarget(copy);
  }
};
} // namespace
