//===- ExpandMasks.cpp - Operations on vectors without masks around them --===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a mask leaves out of a reduction becomes what changes no result of it:
//
//   vector.mask %m { vector.multi_reduction <add>, %v, %acc [1] }
//
// is the reduction of "%m ? %v : -0". Upstream takes reductions over an extent
// of 1 apart, and then has the vector's elements where the mask leaves the
// accumulator (LLVM 22).
//
// A mask around a transfer becomes its operand: of two equal reads, one of them
// with a mask around it, CSE keeps one. Upstream's patterns do that, without
// the folds that its own pass adds, which forget masks of writes.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorTransforms.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#define DEBUG_TYPE "amp-expand-masks"

namespace mlir::amp {
#define GEN_PASS_DEF_EXPANDMASKSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;

using vector::CombiningKind;

/// The number of `type` that leaves whatever it is combined with as it is.
static TypedAttr getNeutral(Builder &b, CombiningKind kind, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    const unsigned width = integer.getWidth();
    switch (kind) {
    case CombiningKind::MUL:
      return b.getIntegerAttr(type, APInt(width, 1));
    case CombiningKind::AND:
    case CombiningKind::MINUI:
      return b.getIntegerAttr(type, APInt::getAllOnes(width));
    case CombiningKind::MINSI:
      return b.getIntegerAttr(type, APInt::getSignedMaxValue(width));
    case CombiningKind::MAXSI:
      return b.getIntegerAttr(type, APInt::getSignedMinValue(width));
    default:
      return b.getIntegerAttr(type, APInt::getZero(width));
    }
  }
  auto number = dyn_cast<FloatType>(type);
  if (!number)
    return {};
  const llvm::fltSemantics &semantics = number.getFloatSemantics();
  auto getLargest = [&](bool negative) {
    return APFloat::semanticsHasInf(semantics)
               ? APFloat::getInf(semantics, negative)
               : APFloat::getLargest(semantics, negative);
  };
  switch (kind) {
  case CombiningKind::ADD:
    // 0 would make a sum of -0 positive.
    return b.getFloatAttr(type, APFloat::getZero(semantics, /*Negative=*/true));
  case CombiningKind::MUL:
    return b.getFloatAttr(type, APFloat::getOne(semantics));
  case CombiningKind::MINIMUMF:
    return b.getFloatAttr(type, getLargest(/*negative=*/false));
  case CombiningKind::MAXIMUMF:
    return b.getFloatAttr(type, getLargest(/*negative=*/true));
  case CombiningKind::MINNUMF:
  case CombiningKind::MAXNUMF:
    return b.getFloatAttr(type, APFloat::getNaN(semantics));
  default:
    return {};
  }
}

namespace {
struct ExpandMasks : public amp::impl::ExpandMasksPassBase<ExpandMasks> {
  void runOnOperation() override {
    SmallVector<vector::MaskOp> masks;
    getOperation().walk([&](vector::MaskOp mask) { masks.push_back(mask); });
    if (masks.empty())
      return;
    for (vector::MaskOp mask : masks)
      expand(mask);
    RewritePatternSet patterns(&getContext());
    vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

private:
  void expand(vector::MaskOp mask) {
    auto reduction =
        dyn_cast_or_null<vector::MultiDimReductionOp>(mask.getMaskableOp());
    if (!reduction || mask.getPassthru())
      return;
    OpBuilder b(mask);
    VectorType type = reduction.getSourceVectorType();
    TypedAttr neutral =
        getNeutral(b, reduction.getKind(), type.getElementType());
    if (!neutral)
      return;
    Location loc = reduction.getLoc();
    Value left = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, Attribute(neutral)));
    Value chosen = arith::SelectOp::create(b, loc, mask.getMask(),
                                           reduction.getSource(), left);
    IRMapping operands;
    operands.map(reduction.getSource(), chosen);
    Operation *whole = b.clone(*reduction, operands);
    mask.replaceAllUsesWith(whole);
    mask.erase();
    ++numExpanded;
  }
};
} // namespace
