//===- GenericBody.cpp - One iteration of a linalg.generic ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body is copied operation by operation; constants from outside are copied
// where they are used first.
//
//===----------------------------------------------------------------------===//

#include "Elements/GenericBody.h"

#include "Elements/ElementRules.h"
#include "amp/Analysis/IndexBounds.h"

using namespace mlir;
using namespace mlir::amp;

GenericLoops::GenericLoops(linalg::GenericOp op)
    : sizes(op.getStaticLoopRanges()), at(sizes.size()) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expression : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expression))
      if (sizes[dim.getPosition()] > 1)
        parallel.push_back(dim.getPosition());
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && sizes[i] > 1)
      sums.push_back(i);
  for (unsigned i : parallel)
    iterations *= sizes[i];
  for (unsigned i : sums)
    summed *= sizes[i];
}

void GenericLoops::set(DeviceBuilder &b, ArrayRef<unsigned> loops,
                       Number number) {
  auto extents =
      llvm::map_to_vector(loops, [&](unsigned loop) { return sizes[loop]; });
  for (auto [loop, index] :
       llvm::zip_equal(loops, delinearize(b, extents, number)))
    at[loop] = index;
}

static Number evaluate(DeviceBuilder &b, AffineExpr expression,
                       const GenericLoops &loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return loops.get(b, dim.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return b.number(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Number left = evaluate(b, binary.getLHS(), loops),
         right = evaluate(b, binary.getRHS(), loops);
  return binary.getKind() == AffineExprKind::Add ? left + right : left * right;
}

SmallVector<Number> GenericLoops::getIndices(DeviceBuilder &b,
                                             linalg::GenericOp op,
                                             OpOperand &operand) const {
  return llvm::map_to_vector(
      op.getMatchingIndexingMap(&operand).getResults(),
      [&](AffineExpr expression) { return evaluate(b, expression, *this); });
}

void mlir::amp::addMemory(KernelSignature &signature, StringRef name,
                          Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  signature.addBuffer(name, getStorage(getElementTypeOrSelf(type)),
                      tensor ? tensor.getNumElements() : 1);
}

Value mlir::amp::loadNumber(DeviceBuilder &b, Value pointer, Type type) {
  return loadElement(
      b, placeTensor(b, pointer, RankedTensorType::get({}, type)), {});
}

Value mlir::amp::getNumber(DeviceBuilder &b, Value value,
                           const IRMapping &numbers) {
  if (Value known = numbers.lookupOrNull(value))
    return known;
  return b.clone(*value.getDefiningOp())->getResult(0);
}

/// An index of a body into a dimension of `size`, clamped if it may lie
/// outside: before it has 32 bits, as 2^32 is no 0, and unsigned, as what is
/// negative is large.
static Number narrow(DeviceBuilder &b, Value index, int64_t size,
                     bool isInside) {
  if (!isInside)
    index = arith::MinUIOp::create(b, index,
                                   arith::ConstantIndexOp::create(b, size - 1));
  return b.number(
      arith::IndexCastOp::create(b, b.getI32Type(), index).getResult());
}

SmallVector<Value> mlir::amp::emitBody(DeviceBuilder &b, linalg::GenericOp op,
                                       const GenericLoops &loops,
                                       ValueRange results,
                                       const IRMapping &numbers,
                                       const GenericReads &reads) {
  IRMapping values = numbers;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument inside = op.getMatchingBlockArgument(operand);
    if (!inside.use_empty())
      values.map(inside, isa<ShapedType>(operand->get().getType())
                             ? reads.input(*operand)
                             : getNumber(b, operand->get(), numbers));
  }
  for (auto [inside, value] :
       llvm::zip_equal(op.getRegionOutputArgs(), results))
    values.map(inside, value);
  auto get = [&](Value value) {
    if (!values.contains(value))
      values.map(value, getNumber(b, value, numbers));
    return values.lookup(value);
  };
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      values.map(index.getResult(),
                 b.createOrFold<arith::IndexCastUIOp>(
                     b.getIndexType(), loops.get(b, index.getDim())));
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      SmallVector<Number> indices;
      for (auto [index, size] : llvm::zip_equal(
               extract.getIndices(), extract.getTensor().getType().getShape()))
        indices.push_back(narrow(b, get(index), size,
                                 /*isInside=*/isWithin(index, size)));
      values.map(extract.getResult(),
                 reads.table(extract.getTensor(), indices));
    } else {
      for (Value operand : inner.getOperands())
        (void)get(operand);
      b.clone(inner, values);
    }
  }
  return llvm::map_to_vector(op.getBody()->getTerminator()->getOperands(), get);
}
