//===- NarrowResults.cpp - Results that stay half -------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The widening is exact, so whoever takes the half value and widens it again
// has what there was: nothing is decided here, only where the cast stands.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#define DEBUG_TYPE "amp-narrow-results"

namespace mlir::amp {
#define GEN_PASS_DEF_NARROWRESULTSPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// What `value` is before it is widened; null if it is not.
static Value getHalf(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  if (!cast || !getElementTypeOrSelf(cast.getType()).isF32())
    return {};
  Type source = getElementTypeOrSelf(cast.getOperand().getType());
  return source.isF16() || source.isBF16() ? cast.getOperand() : Value();
}

namespace {
struct NarrowResults : public amp::impl::NarrowResultsPassBase<NarrowResults> {
  using NarrowResultsPassBase::NarrowResultsPassBase;

  void runOnOperation() override {
    func::FuncOp function;
    for (auto candidate : getOperation().getOps<func::FuncOp>()) {
      if (candidate.isExternal())
        continue;
      if (function || !candidate.getBody().hasOneBlock()) {
        candidate.emitError(
            "expected one function, of one block, whose results to narrow");
        return signalPassFailure();
      }
      function = candidate;
    }
    if (function && failed(narrow(function)))
      signalPassFailure();
  }

  LogicalResult narrow(func::FuncOp function) {
    Operation *end = function.getBody().front().getTerminator();
    SmallVector<Type> types(function.getResultTypes());
    for (int64_t index : results) {
      if (index < 0 || index >= int64_t(types.size()))
        return function.emitError("expected 'results' to number the ")
               << types.size() << " results of '" << function.getName()
               << "', but got " << index;
      Value half = getHalf(end->getOperand(index));
      if (!half)
        continue;
      end->setOperand(index, half);
      types[index] = half.getType();
      ++numNarrowed;
    }
    function.setType(FunctionType::get(
        &getContext(), function.getFunctionType().getInputs(), types));
    return success();
  }
};
} // namespace
