//===- StoredForms.cpp - Values in the orders that are needed -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three ways to another order: what is made in any order is made once more;
// orders that differ in dimensions of one element are a reshape; all else is a
// linalg.transpose, a layout change.
//
//===----------------------------------------------------------------------===//

#include "StoredForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amp;

SmallVector<StoredForms::Form, 2> &StoredForms::getForms(Value root) {
  SmallVector<Form, 2> &known = forms[root];
  if (known.empty()) {
    int64_t rank = cast<RankedTensorType>(root.getType()).getRank();
    known.push_back({getWrittenOrder(rank), root});
  }
  return known;
}

void StoredForms::setMade(Value value, Value form, ArrayRef<int64_t> order) {
  forms[value] = {{StorageOrder(order), form}};
}

std::pair<Value, StorageOrder> StoredForms::getMade(Value value) {
  TransposedValue seen = plan.lookThrough(value);
  const Form &made = getForms(seen.root).front();
  StorageOrder valueDims = getPositions(seen.dims), order;
  for (int64_t dim : made.order)
    order.push_back(valueDims[dim]);
  return {made.value, order};
}

void StoredForms::addTransposed(Value transposed) {
  TransposedValue seen = plan.lookThrough(transposed);
  SmallVector<Form, 2> &known = getForms(seen.root);
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(known.front().value.getType()).getShape();
  // In another block it would not reach all users of the value. One that moves
  // nothing is better made as a reshape.
  if (isWrittenOrder(known.front().order) &&
      !isSameInMemory(shape, seen.dims, known.front().order) &&
      transposed.getParentBlock() == seen.root.getParentBlock() &&
      llvm::none_of(known, [&](const Form &form) {
        return form.order == seen.dims;
      })) {
    known.push_back({seen.dims, transposed});
    // What it reads may be another operation's result by now.
    auto transpose = transposed.getDefiningOp<linalg::TransposeOp>();
    OpOperand &input = transpose.getInputMutable();
    input.set(get(input.get(), getWrittenOrder(shape.size())));
  }
}

Value StoredForms::get(Value value, ArrayRef<int64_t> order) {
  TransposedValue seen = plan.lookThrough(value);
  StorageOrder rootOrder = seen.toRoot(order);
  SmallVector<Form, 2> &known = getForms(seen.root);
  for (const Form &form : known)
    if (form.order == rootOrder)
      return form.value;
  // Shapes are those of the value as written.
  const Form &made = known.front();
  StorageOrder positions = getPositions(made.order);
  auto type = cast<RankedTensorType>(made.value.getType());
  SmallVector<int64_t> shape = reorder(type.getShape(), positions);
  const Form *same = llvm::find_if(known, [&](const Form &form) {
    return isSameInMemory(shape, form.order, rootOrder);
  });
  OpBuilder::InsertionGuard guard(builder);
  const Form &source = same == known.end() ? made : *same;
  builder.setInsertionPointAfterValue(source.value);
  Value created = isMadeInAnyOrder(seen.root) ? makeAnew(seen.root, rootOrder)
                  : same == known.end()       ? copy(made, rootOrder)
                                              : reshape(*same, rootOrder);
  forms[seen.root].push_back({rootOrder, created});
  return created;
}

/// The sizes of `form` in the order of the value as written, in `order`.
static SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Value form,
                                          ArrayRef<int64_t> formOrder,
                                          ArrayRef<int64_t> order) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, form.getLoc(), form);
  SmallVector<OpFoldResult> written = reorder(sizes, getPositions(formOrder));
  return reorder(written, order);
}

Value StoredForms::getEmpty(Value value, ArrayRef<int64_t> order) {
  auto [made, madeOrder] = getMade(value);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(made);
  return tensor::EmptyOp::create(
      builder, value.getLoc(), getSizes(builder, made, madeOrder, order),
      cast<RankedTensorType>(made.getType()).getElementType());
}

Value StoredForms::makeAnew(Value root, ArrayRef<int64_t> order) {
  Location loc = root.getLoc();
  Operation *def = root.getDefiningOp();
  auto type = reorderType(cast<RankedTensorType>(root.getType()), order);
  if (auto constant = dyn_cast<arith::ConstantOp>(def))
    return arith::ConstantOp::create(
        builder, loc,
        cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
  Value empty = getEmpty(root, order);
  auto fill = dyn_cast<linalg::FillOp>(def);
  if (!fill)
    return empty;
  auto created = linalg::FillOp::create(builder, loc, fill.value(), empty);
  created->setDiscardableAttrs(fill->getDiscardableAttrDictionary());
  return created.getResult(0);
}

/// A layout change:
///   %1 = linalg.transpose ins(%made) outs(%empty) permutation = [...]
Value StoredForms::copy(const Form &from, ArrayRef<int64_t> order) {
  Location loc = from.value.getLoc();
  auto type = cast<RankedTensorType>(from.value.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, getSizes(builder, from.value, from.order, order),
      type.getElementType());
  StorageOrder positions = getPositions(from.order);
  SmallVector<int64_t> permutation;
  for (int64_t dim : order)
    permutation.push_back(positions[dim]);
  return linalg::TransposeOp::create(builder, loc, from.value, empty,
                                     permutation)
      ->getResult(0);
}

/// Groups of `type`'s dimensions with one that moves each.
static SmallVector<ReassociationIndices> groupByMoving(RankedTensorType type) {
  SmallVector<ReassociationIndices> groups(1);
  bool moves = false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    bool isMoving = type.getDimSize(dim) != 1;
    if (isMoving && moves)
      groups.emplace_back();
    moves |= isMoving;
    groups.back().push_back(dim);
  }
  return groups;
}

/// The same bytes with dimensions of one element elsewhere:
///   %1 = tensor.collapse_shape %from   // without them
///   %2 = tensor.expand_shape %1
Value StoredForms::reshape(const Form &from, ArrayRef<int64_t> order) {
  Location loc = from.value.getLoc();
  auto type = cast<RankedTensorType>(from.value.getType());
  SmallVector<int64_t> written =
      reorder(type.getShape(), getPositions(from.order));
  auto result = type.clone(reorder(written, order));
  Value collapsed = tensor::CollapseShapeOp::create(builder, loc, from.value,
                                                    groupByMoving(type));
  return tensor::ExpandShapeOp::create(
      builder, loc, result, collapsed, groupByMoving(result),
      getSizes(builder, from.value, from.order, order));
}
