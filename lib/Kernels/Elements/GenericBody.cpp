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
                       Number number, int64_t width) {
  auto extents =
      llvm::map_to_vector(loops, [&](unsigned loop) { return sizes[loop]; });
  if (width > 1)
    extents.back() /= width;
  for (auto [loop, index] :
       llvm::zip_equal(loops, delinearize(b, extents, number)))
    at[loop] = index;
  if (width > 1)
    at[loops.back()] = at[loops.back()] * width;
}

GenericLoops Lanes::at(DeviceBuilder &b, const GenericLoops &loops,
                       int64_t number) const {
  GenericLoops moved = loops;
  if (number)
    moved.set(loop, loops.get(b, loop) + number);
  return moved;
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

static Access getAccess(linalg::GenericOp op, OpOperand &operand,
                        const GenericLoops &loops, const Lanes &lanes,
                        const ElementLayout &layout) {
  return getAccess(op.getMatchingIndexingMap(&operand), layout,
                   getElementTypeOrSelf(operand.get().getType()), loops.sizes,
                   lanes.loop, lanes.width);
}

SmallVector<Value> mlir::amp::loadLanes(DeviceBuilder &b, linalg::GenericOp op,
                                        OpOperand &operand,
                                        const GenericLoops &loops,
                                        const Lanes &lanes, const Place &place,
                                        const ElementLayout &layout) {
  switch (lanes.width == 1 ? Access::Row
                           : ::getAccess(op, operand, loops, lanes, layout)) {
  case Access::Row:
    return loadRow(b, place, loops.getIndices(b, op, operand), lanes.width);
  case Access::Same:
    return SmallVector<Value>(
        lanes.width, loadElement(b, place, loops.getIndices(b, op, operand)));
  case Access::Apart:
    break;
  }
  SmallVector<Value> values;
  for (int64_t lane = 0; lane < lanes.width; ++lane)
    values.push_back(loadElement(
        b, place, lanes.at(b, loops, lane).getIndices(b, op, operand)));
  return values;
}

void mlir::amp::storeLanes(DeviceBuilder &b, linalg::GenericOp op,
                           OpOperand &operand, const GenericLoops &loops,
                           const Lanes &lanes, const Place &place,
                           const ElementLayout &layout, ValueRange values) {
  if (lanes.width == 1 ||
      ::getAccess(op, operand, loops, lanes, layout) == Access::Row)
    return storeRow(b, values, place, loops.getIndices(b, op, operand));
  for (auto [lane, value] : llvm::enumerate(values))
    storeElement(b, value, place,
                 lanes.at(b, loops, lane).getIndices(b, op, operand));
}

static int64_t getBytes(OpOperand &operand) {
  Type element = getElementTypeOrSelf(operand.get().getType());
  return llvm::divideCeil(getStorage(element).getIntOrFloatBitWidth(), 8);
}

static bool areRows(const LaneLoop &lanes, int64_t width) {
  linalg::GenericOp op = lanes.op;
  GenericLoops loops(op);
  return loops.sizes[lanes.loop] % width == 0 &&
         llvm::all_of(lanes.operands, [&](const LaneLoop::Operand &part) {
           bool isFree = op.isDpsInput(part.operand) && loops.sums.empty();
           return isFree ||
                  ::getAccess(op, *part.operand, loops, {lanes.loop, width},
                              part.layout) != Access::Apart;
         });
}

int64_t mlir::amp::chooseWidth(ArrayRef<LaneLoop> loops) {
  int64_t bytes = 0;
  for (const LaneLoop &lanes : loops)
    for (const LaneLoop::Operand &part : lanes.operands)
      if (linalg::GenericOp(lanes.op)
              .getMatchingIndexingMap(part.operand)
              .isFunctionOfDim(lanes.loop))
        bytes = std::max(bytes, getBytes(*part.operand));
  if (bytes == 0)
    return 1;
  int64_t width = kWideBytes / bytes;
  while (width > 1 && !llvm::all_of(loops, [&](const LaneLoop &lanes) {
           return areRows(lanes, width);
         }))
    width /= 2;
  return width;
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
