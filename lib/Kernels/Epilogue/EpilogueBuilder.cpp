//===- EpilogueBuilder.cpp - Apply an epilogue to two elements ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of an epilogue are elementwise, so each is cloned with its
// result's type made a vector of two. Operands are found by what they depend
// on: a row's and a column's are loaded at their first use and kept, a matrix's
// at each.
//
//===----------------------------------------------------------------------===//

#include "EpilogueBuilder.h"

#include "amp/Kernels/GemmProblem.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::amp;

Value EpilogueBuilder::loadPair(Type type, Value pointer, Number row,
                                Number stride, Number column) {
  // Not marked as invariant: ptxas would load a whole tile's operands ahead of
  // the first barrier, and spill accumulators for them.
  auto load = [&](Type type, Number at, int64_t elements) {
    Type element = getElementTypeOrSelf(type);
    return b.load(
        type, b.element(pointer, element, row, stride, shape.locateColumn(at)),
        getElementBytes(element) * elements);
  };
  if (shape.evenColumns)
    return load(VectorType::get(2, type), min(column, shape.n - 2), 2);
  Number last = shape.n - 1;
  return b.gather(
      {load(type, min(column, last), 1), load(type, min(column + 1, last), 1)});
}

Value EpilogueBuilder::loadOperand(unsigned index, Number row, Number column) {
  EpilogueOperand::Kind kind = epilogue.operands[index].kind;
  Type type = epilogue.operands[index].type;
  Value pointer = pointers[index];
  Number zero = b.number(0);
  auto once = [&](Value key, function_ref<Value()> load) {
    Value &value = loaded[{index, key}];
    if (!value)
      value = load();
    return value;
  };
  auto splat = [&](Number at) {
    auto op =
        LLVM::LoadOp::create(b, type, b.element(pointer, type, zero, zero, at),
                             getElementBytes(type));
    op.setInvariant(true);
    return b.gather({op, op});
  };
  switch (kind) {
  case EpilogueOperand::Kind::Column:
    return once(column,
                [&] { return loadPair(type, pointer, zero, zero, column); });
  case EpilogueOperand::Kind::Row:
    return once(row, [&] { return splat(min(row, shape.m - 1)); });
  case EpilogueOperand::Kind::Scalar:
    return once(Value(), [&] { return splat(zero); });
  case EpilogueOperand::Kind::Matrix:
    return loadPair(type, pointer, min(row, shape.m - 1) + shape.firstRow,
                    shape.stride ? shape.stride : shape.n, column);
  case EpilogueOperand::Kind::RowIndex:
    return once(row, [&] { return b.gather({row, row}); });
  case EpilogueOperand::Kind::ColumnIndex:
    return once(column, [&] { return b.gather({column, column + 1}); });
  }
  llvm_unreachable("unknown kind of operand");
}

Value EpilogueBuilder::clone(Operation &op, IRMapping &mapping) {
  auto type = VectorType::get(2, op.getResult(0).getType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, cast<TypedAttr>(constant.getValue())));
  Operation *copy = b.clone(op, mapping);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

Value EpilogueBuilder::apply(Value sums, Number row, Number column) {
  if (!epilogue.body) {
    auto type = VectorType::get(2, result);
    return type == sums.getType() ? sums
                                  : arith::TruncFOp::create(b, type, sums);
  }
  Block &block = epilogue.body->front();
  IRMapping mapping;
  mapping.map(block.getArgument(0), sums);
  for (unsigned i = 0; i < epilogue.operands.size(); ++i)
    mapping.map(block.getArgument(i + 1), loadOperand(i, row, column));
  for (Operation &op : block.without_terminator())
    mapping.map(op.getResult(0), clone(op, mapping));
  Operation *end = block.getTerminator();
  if (outputs)
    for (unsigned i = 0; i < epilogue.outputs.size(); ++i)
      outputs->add(i, mapping.lookup(end->getOperand(i + 1)), row, column);
  return mapping.lookup(end->getOperand(0));
}
