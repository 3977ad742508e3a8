//===- AmpFolds.cpp - Exact folds and canonicalisations of amp ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only rewrites that keep every bit. A widening cast followed by the narrowing
// one back is the identity; the other order is a rounding that the program
// states, and stays.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;

/// True if every value of `from` is a value of `to`.
static bool widensExactly(Type from, Type to) {
  return to.isF32() && (from.isF16() || from.isBF16());
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  // cast(cast(x : half -> f32) : f32 -> half) -> x, where both halves are one
  // type. f16 -> f32 -> bf16 rounds once either way, but is left alone: the
  // single cast has no form on the host.
  if (auto producer = getInput().getDefiningOp<CastOp>()) {
    Type origin = getElementTypeOrSelf(producer.getInput().getType());
    Type middle = getElementTypeOrSelf(producer.getType());
    if (widensExactly(origin, middle) &&
        producer.getInput().getType() == getType())
      return producer.getInput();
  }
  Type target = getElementTypeOrSelf(getType());
  const llvm::fltSemantics &semantics =
      cast<FloatType>(target).getFloatSemantics();
  auto convert = [&](APFloat value, bool &ok) {
    bool losesInfo = false;
    value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    ok = true;
    return value;
  };
  return constFoldCastOp<FloatAttr, FloatAttr, FloatAttr::ValueType,
                         FloatAttr::ValueType, void>(adaptor.getOperands(),
                                                     getType(), convert);
}

OpFoldResult AllReduceFoundInfOp::fold(FoldAdaptor) {
  // Agreement is idempotent: all ranks already hold the same value.
  if (auto producer = getFoundInf().getDefiningOp<AllReduceFoundInfOp>())
    return producer.getResult();
  return {};
}

namespace {
/// found = constant false: the region's values; constant true: the kept ones.
///   %r = amp.apply_if_finite %false keep(%old) { ... yield %new }  ->  %new
struct ResolveConstantFoundInf : OpRewritePattern<ApplyIfFiniteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ApplyIfFiniteOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr found;
    if (!matchPattern(op.getFoundInf(), m_Constant(&found)))
      return rewriter.notifyMatchFailure(op, "found_inf is not constant");
    if (found.getSplatValue<bool>()) {
      rewriter.replaceOp(op, op.getKept());
      return success();
    }
    Block &body = op.getBody().front();
    auto yield = cast<YieldOp>(body.getTerminator());
    SmallVector<Value> values(yield.getValues());
    rewriter.inlineBlockBefore(&body, op);
    rewriter.eraseOp(yield);
    rewriter.replaceOp(op, values);
    return success();
  }
};
} // namespace

// Beside our own: upstream's patterns for operations with regions, which drop
// results that nobody uses and pass through values that every way yields.

void ApplyIfFiniteOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<ResolveConstantFoundInf>(context);
  populateRegionBranchOpInterfaceCanonicalizationPatterns(patterns,
                                                          getOperationName());
}

void AutocastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *) {
  populateRegionBranchOpInterfaceCanonicalizationPatterns(patterns,
                                                          getOperationName());
}
