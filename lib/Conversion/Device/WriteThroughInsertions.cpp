//===- WriteThroughInsertions.cpp - Tiles written where they are inserted -===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result of a loop over tiles whose rows are only inserted at the front of
// longer ones gets the longer rows itself: the loop inserts its tiles there,
// and the insertion is gone. What is behind the rows is what it was in the
// tensor.empty that they were inserted into: any number.
//
// The naive version goes wrong where somebody else reads the result, who would
// read longer rows, and where the insertion is into a tensor with elements,
// which the loop would have to write too. Both stay.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::amp {
#define GEN_PASS_DEF_WRITETHROUGHINSERTIONSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// The operation that alone uses `value`, if it is of this kind.
template <typename Op> static Op getOnlyUser(Value value) {
  return value.hasOneUse() ? dyn_cast<Op>(*value.user_begin()) : Op();
}

/// Whether whole rows are inserted at the front of longer ones, with nothing
/// behind them.
static bool extendsRows(tensor::InsertSliceOp insertion) {
  RankedTensorType from = insertion.getSourceType(),
                   to = insertion.getDestType();
  return insertion.getDest().getDefiningOp<tensor::EmptyOp>() &&
         from.getRank() > 0 && from.getRank() == to.getRank() &&
         from.hasStaticShape() && to.hasStaticShape() &&
         from.getShape().drop_back() == to.getShape().drop_back() &&
         insertion.hasZeroOffset() && insertion.hasUnitStride();
}

/// The insertion of a result, perhaps with its rows in fewer dimensions, that
/// is all that is done with it.
static tensor::InsertSliceOp findInsertion(Value result) {
  Value rows = result;
  if (auto collapse = getOnlyUser<tensor::CollapseShapeOp>(result)) {
    if (collapse.getReassociationIndices().back().size() != 1)
      return {};
    rows = collapse.getResult();
  }
  auto insertion = getOnlyUser<tensor::InsertSliceOp>(rows);
  return insertion && insertion.getSource() == rows && extendsRows(insertion)
             ? insertion
             : tensor::InsertSliceOp();
}

/// Whether the loop writes the result and does not read it, and begins with no
/// elements.
static bool isWritten(scf::ForallOp loop, unsigned number) {
  return loop.getOutputs()[number].getDefiningOp<tensor::EmptyOp>() &&
         llvm::all_of(
             loop.getRegionOutArgs()[number].getUses(), [](OpOperand &use) {
               auto insertion =
                   dyn_cast<tensor::ParallelInsertSliceOp>(use.getOwner());
               return insertion && &insertion.getDestMutable() == &use;
             });
}

namespace {
struct WriteThroughInsertions
    : public amp::impl::WriteThroughInsertionsPassBase<WriteThroughInsertions> {
  void runOnOperation() override {
    // An insertion that goes may be the operation behind the loop.
    SmallVector<scf::ForallOp> loops;
    getOperation().walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    for (scf::ForallOp loop : loops)
      for (OpResult result : loop.getResults()) {
        tensor::InsertSliceOp insertion = findInsertion(result);
        if (insertion && isWritten(loop, result.getResultNumber()))
          write(loop, result, insertion);
      }
  }

private:
  void write(scf::ForallOp loop, OpResult result,
             tensor::InsertSliceOp insertion) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = insertion.getDestType().getShape().back();
    RankedTensorType longer = type.clone(shape);
    const unsigned number = result.getResultNumber();

    OpBuilder b(loop);
    loop.getOutputsMutable()[number].set(tensor::EmptyOp::create(
        b, loop.getLoc(), shape, type.getElementType()));
    loop.getRegionOutArgs()[number].setType(longer);
    result.setType(longer);

    Operation *rows = insertion.getSource().getDefiningOp();
    Value whole = result;
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(rows)) {
      b.setInsertionPoint(collapse);
      whole = tensor::CollapseShapeOp::create(
          b, collapse.getLoc(), insertion.getDestType(), result,
          collapse.getReassociationIndices());
    }
    insertion.getResult().replaceAllUsesWith(whole);
    insertion.erase();
    if (rows != loop)
      rows->erase();
    ++numWritten;
  }
};
} // namespace
