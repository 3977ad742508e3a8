//===- WideAccess.cpp - What one instruction reads or writes --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strides are those that upstream gives to views of buffers, so a view that no
// strides describe has no layout. The first element's place is a sum of offsets
// times strides, of which only divisors are known: those of constants, of the
// steps of loops, and of sums and products of them. A power of two that divides
// a number still does when the number has lost its upper bits, so numbers of 32
// bits need no care.
//
//===----------------------------------------------------------------------===//

#include "Elements/WideAccess.h"

#include "Elements/ElementRules.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isView(Operation *op) {
  return isa_and_present<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
                         tensor::CollapseShapeOp>(op);
}

//===----------------------------------------------------------------------===//
// Divisors
//===----------------------------------------------------------------------===//

static int64_t getDivisor(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return std::abs(*constant);
  return mlir::amp::getDivisor(cast<Value>(number));
}

/// Of the variable of a loop.
static int64_t getDivisor(BlockArgument variable) {
  auto loop = dyn_cast<LoopLikeOpInterface>(variable.getOwner()->getParentOp());
  if (!loop)
    return 1;
  std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
  std::optional<SmallVector<OpFoldResult>> begins = loop.getLoopLowerBounds(),
                                           steps = loop.getLoopSteps();
  if (!variables || !begins || !steps)
    return 1;
  for (auto [candidate, begin, step] :
       llvm::zip_equal(*variables, *begins, *steps))
    if (candidate == variable)
      return std::gcd(getDivisor(begin), getDivisor(step));
  return 1;
}

int64_t mlir::amp::getDivisor(Value number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return std::abs(*constant);
  if (auto variable = dyn_cast<BlockArgument>(number))
    return ::getDivisor(variable);
  Operation *op = number.getDefiningOp();
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return getDivisor(op->getOperand(0));
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::gcd(getDivisor(op->getOperand(0)),
                    getDivisor(op->getOperand(1)));
  if (isa<arith::MulIOp>(op)) {
    int64_t product = 0;
    bool overflows = llvm::MulOverflow(getDivisor(op->getOperand(0)),
                                       getDivisor(op->getOperand(1)), product);
    return overflows ? 1 : product;
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return apply.getAffineMap().getResult(0).getLargestKnownDivisor();
  return 1;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

ElementLayout ElementLayout::getWhole(RankedTensorType type) {
  return {MemRefType::get(type.getShape(), type.getElementType()), 0};
}

ElementLayout ElementLayout::slice(OffsetSizeAndStrideOpInterface slice,
                                   RankedTensorType result) const {
  if (!type)
    return *this;
  ElementLayout part;
  part.unit = unit;
  for (auto [offset, stride] : llvm::zip_equal(
           slice.getMixedOffsets(), type.getStridesAndOffset().first))
    part.unit = std::gcd(part.unit, ::getDivisor(offset) * stride);
  // Where it begins, `unit` has said.
  SmallVector<int64_t> offsets(slice.getStaticOffsets().size(), 0);
  part.type = memref::SubViewOp::inferRankReducedResultType(
      result.getShape(), type, offsets, slice.getStaticSizes(),
      slice.getStaticStrides());
  return part;
}

ElementLayout ElementLayout::get(Value tensor,
                                 function_ref<bool(Value)> isRoot) {
  Operation *view = tensor.getDefiningOp();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (isRoot(tensor) || !isView(view))
    return getWhole(type);
  ElementLayout source = get(view->getOperand(0), isRoot);
  if (!source.type)
    return source;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view))
    return source.slice(slice, type);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
    FailureOr<MemRefType> expanded = memref::ExpandShapeOp::computeExpandedType(
        source.type, type.getShape(), expand.getReassociationIndices());
    return {succeeded(expanded) ? *expanded : MemRefType(), source.unit};
  }
  auto groups = cast<tensor::CollapseShapeOp>(view).getReassociationIndices();
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(source.type, groups))
    return {MemRefType(), source.unit};
  return {memref::CollapseShapeOp::computeCollapsedType(source.type, groups),
          source.unit};
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::optional<ElementNumber> ElementNumber::get(AffineMap map,
                                                const ElementLayout &layout) {
  if (!layout.type)
    return std::nullopt;
  ElementNumber number;
  number.unit = layout.unit;
  number.steps.assign(map.getNumDims(), 0);
  for (auto [index, stride] : llvm::zip_equal(
           map.getResults(), layout.type.getStridesAndOffset().first)) {
    SmallVector<int64_t> factors;
    if (failed(getFlattenedAffineExpr(index, map.getNumDims(), 0, &factors)) ||
        factors.size() != map.getNumDims() + 1)
      return std::nullopt;
    number.start += factors.pop_back_val() * stride;
    for (auto [step, factor] : llvm::zip_equal(number.steps, factors))
      step += factor * stride;
  }
  return number;
}

Access mlir::amp::getAccess(AffineMap map, const ElementLayout &layout,
                            Type element, ArrayRef<int64_t> sizes,
                            unsigned loop, int64_t width) {
  if (!map.isFunctionOfDim(loop))
    return Access::Same;
  std::optional<ElementNumber> number = ElementNumber::get(map, layout);
  int64_t bytes =
      llvm::divideCeil(getStorage(element).getIntOrFloatBitWidth(), 8);
  if (!number || number->steps[loop] != 1 || sizes[loop] % width != 0 ||
      !llvm::isPowerOf2_64(width) || width * bytes > kWideBytes ||
      number->start % width != 0 || number->unit % width != 0)
    return Access::Apart;
  for (auto [i, step] : llvm::enumerate(number->steps))
    if (i != loop && sizes[i] > 1 && step % width != 0)
      return Access::Apart;
  return Access::Row;
}
