//===- ReorderOperation.cpp - An operation in another order ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linalg becomes a linalg.generic whose indexing maps list their results in the
// order of the tensor. Its loops are sorted so that the last parallel one runs
// along the innermost dimension; reductions keep their order among themselves,
// and with it each sum its bits. All else has a list per dimension (sizes,
// offsets, indices), which is permuted.
//
//===----------------------------------------------------------------------===//

#include "ReorderOperation.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

/// `loops` with the reductions, where they stand, in the order as written.
/// Nothing if the outputs depend on reductions, so that their order means more.
static SmallVector<unsigned> sortLoops(linalg::LinalgOp op,
                                       ArrayRef<unsigned> loops) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto isReduction = [&](unsigned loop) {
    return kinds[loop] == utils::IteratorType::reduction;
  };
  for (OpOperand &init : op.getDpsInitsMutable())
    for (unsigned loop = 0; loop < kinds.size(); ++loop)
      if (isReduction(loop) &&
          op.getMatchingIndexingMap(&init).isFunctionOfDim(loop))
        return {};
  SmallVector<unsigned> reductions =
      llvm::to_vector(llvm::make_filter_range(loops, isReduction));
  llvm::sort(reductions);
  SmallVector<unsigned> sorted;
  auto *next = reductions.begin();
  for (unsigned loop : loops)
    sorted.push_back(isReduction(loop) ? *next++ : loop);
  return sorted;
}

/// A reordered convolution: outputs in their order, then the sums.
static SmallVector<unsigned> getLoopsOfOutput(linalg::LinalgOp op,
                                              ArrayRef<int64_t> order) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<unsigned> loops;
  for (int64_t dim : order)
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.getResult(dim).isFunctionOfDim(loop) &&
          !llvm::is_contained(loops, loop))
        loops.push_back(loop);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!llvm::is_contained(loops, loop))
      loops.push_back(loop);
  return loops;
}

static AffineMap reorderResults(AffineMap map, ArrayRef<int64_t> order) {
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(),
                        reorder(map.getResults(), order), map.getContext());
}

Operation *mlir::amp::createReorderedLinalg(OpBuilder &builder, Operation *op,
                                            ArrayRef<ReorderedOperand> operands,
                                            ArrayRef<StorageOrder> resultOrders,
                                            ArrayRef<unsigned> loops) {
  auto linalg = cast<linalg::LinalgOp>(op);
  SmallVector<unsigned> chosen(loops);
  if (chosen.empty() && !resultOrders.empty())
    chosen = getLoopsOfOutput(linalg, resultOrders.front());
  chosen = sortLoops(linalg, chosen);
  if (chosen.empty())
    chosen = llvm::to_vector(llvm::seq<unsigned>(0, linalg.getNumLoops()));

  // Loop i as written is loop places[i] now.
  SmallVector<AffineExpr> places(chosen.size());
  SmallVector<utils::IteratorType> kinds = linalg.getIteratorTypesArray();
  SmallVector<utils::IteratorType> newKinds;
  for (auto [place, loop] : llvm::enumerate(chosen)) {
    places[loop] = builder.getAffineDimExpr(place);
    newKinds.push_back(kinds[loop]);
  }
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (auto [operand, given] : llvm::zip_equal(op->getOpOperands(), operands)) {
    AffineMap map = linalg.getMatchingIndexingMap(&operand);
    values.push_back(given.value);
    maps.push_back(
        (map.getNumResults() ? reorderResults(map, given.order) : map)
            .replaceDimsAndSymbols(places, {}, chosen.size(), 0));
  }
  SmallVector<Type> types;
  for (auto [result, order] : llvm::zip_equal(op->getResults(), resultOrders))
    types.push_back(
        reorderType(cast<RankedTensorType>(result.getType()), order));

  unsigned numInputs = linalg.getNumDpsInputs();
  auto generic = linalg::GenericOp::create(
      builder, op->getLoc(), types, ArrayRef(values).take_front(numInputs),
      ArrayRef(values).drop_front(numInputs), maps, newKinds);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
  generic.walk([&](linalg::IndexOp index) {
    index.setDim(cast<AffineDimExpr>(places[index.getDim()]).getPosition());
  });
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  // A named operation remembers its maps.
  generic->removeDiscardableAttr(
      linalg::LinalgDialect::kMemoizedIndexingMapsAttrName);
  return generic;
}

//===----------------------------------------------------------------------===//
// Other operations
//===----------------------------------------------------------------------===//

/// The groups of `reshape`, of which one side has the dimensions `collapsed`
/// and the other those of its groups, one group after the other.
template <typename Reshape>
static SmallVector<ReassociationIndices>
getNewGroups(Reshape reshape, ArrayRef<int64_t> collapsed) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (const ReassociationIndices &group :
       reorder(reshape.getReassociationIndices(), collapsed)) {
    groups.emplace_back();
    for (size_t i = 0; i < group.size(); ++i)
      groups.back().push_back(next++);
  }
  return groups;
}

Operation *mlir::amp::createReordered(OpBuilder &builder, Operation *op,
                                      ArrayRef<ReorderedOperand> operands,
                                      ArrayRef<int64_t> order) {
  Location loc = op->getLoc();
  Value first = operands.front().value;
  auto type =
      reorderType(cast<RankedTensorType>(op->getResult(0).getType()), order);
  Operation *created =
      TypeSwitch<Operation *, Operation *>(op)
          .Case([&](tensor::ExpandShapeOp expand) -> Operation * {
            return tensor::ExpandShapeOp::create(
                builder, loc, type, first,
                getNewGroups(expand, operands.front().order),
                reorder(expand.getMixedOutputShape(), order));
          })
          .Case([&](tensor::CollapseShapeOp collapse) -> Operation * {
            return tensor::CollapseShapeOp::create(
                builder, loc, type, first, getNewGroups(collapse, order));
          })
          .Case([&](tensor::PadOp pad) -> Operation * {
            Value padding = pad.getConstantPaddingValue();
            if (padding.getParentRegion() == &pad.getRegion())
              padding = builder.clone(*padding.getDefiningOp())->getResult(0);
            return tensor::PadOp::create(builder, loc, type, first,
                                         reorder(pad.getMixedLowPad(), order),
                                         reorder(pad.getMixedHighPad(), order),
                                         padding, pad.getNofold());
          })
          .Case([&](tensor::ExtractSliceOp slice) -> Operation * {
            return tensor::ExtractSliceOp::create(
                builder, loc, type, first,
                reorder(slice.getMixedOffsets(), order),
                reorder(slice.getMixedSizes(), order),
                reorder(slice.getMixedStrides(), order));
          })
          .Case([&](tensor::InsertSliceOp slice) -> Operation * {
            return tensor::InsertSliceOp::create(
                builder, loc, first, operands[1].value,
                reorder(slice.getMixedOffsets(), order),
                reorder(slice.getMixedSizes(), order),
                reorder(slice.getMixedStrides(), order));
          })
          .Case([&](tensor::InsertOp insert) -> Operation * {
            SmallVector<Value> indices(insert.getIndices());
            return tensor::InsertOp::create(builder, loc, insert.getScalar(),
                                            operands[1].value,
                                            reorder(indices, order));
          })
          .Case([&](tensor::ConcatOp concat) -> Operation * {
            SmallVector<Value> parts;
            for (const ReorderedOperand &operand : operands)
              parts.push_back(operand.value);
            return tensor::ConcatOp::create(
                builder, loc, type, getPositions(order)[concat.getDim()],
                parts);
          })
          .Default([&](Operation *elementwise) {
            Operation *clone = builder.clone(*elementwise);
            for (auto [operand, given] :
                 llvm::zip_equal(clone->getOpOperands(), operands))
              operand.set(given.value);
            clone->getResult(0).setType(type);
            return clone;
          });
  created->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return created;
}
