//===- CutNegativePads.cpp - What a negative pad cuts off is a slice ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   pad(%x) low[-1] high[1]  ->  pad(%x[1:]) low[0] high[1]
//
// A pad becomes an insertion later, and none is in front of its tensor:
// upstream would write there.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "amp-cut-negative-pads"

namespace mlir::amp {
#define GEN_PASS_DEF_CUTNEGATIVEPADSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static bool isNegative(int64_t amount) {
  return !ShapedType::isDynamic(amount) && amount < 0;
}

/// Cuts off what `pad` does not leave, where a number says so. Amounts that are
/// not known are asserted not to (amp-check-extents).
static LogicalResult cut(tensor::PadOp pad) {
  SmallVector<int64_t> low(pad.getStaticLow()), high(pad.getStaticHigh());
  if (llvm::none_of(low, isNegative) && llvm::none_of(high, isNegative))
    return success();
  OpBuilder b(pad);
  Location loc = pad.getLoc();
  SmallVector<OpFoldResult> offsets(low.size(), b.getIndexAttr(0)),
      sizes = tensor::getMixedSizes(b, loc, pad.getSource()),
      strides(low.size(), b.getIndexAttr(1));
  for (auto [offset, size, before, behind] :
       llvm::zip_equal(offsets, sizes, low, high)) {
    int64_t less = 0;
    if (isNegative(before)) {
      offset = b.getIndexAttr(-before);
      less += std::exchange(before, 0);
    }
    if (isNegative(behind))
      less += std::exchange(behind, 0);
    if (less == 0)
      continue;
    if (std::optional<int64_t> known = getConstantIntValue(size)) {
      if (*known + less < 0)
        return pad.emitError()
               << "expected a pad that cuts off no more than there is, but of "
               << *known << " elements " << -less << " are cut off";
      size = b.getIndexAttr(*known + less);
      // Nothing is nowhere behind the end.
      if (*known + less == 0)
        offset = b.getIndexAttr(0);
      continue;
    }
    Value added = arith::ConstantIndexOp::create(b, loc, less);
    size = arith::AddIOp::create(b, loc, cast<Value>(size), added).getResult();
  }
  Value part = tensor::ExtractSliceOp::create(b, loc, pad.getSource(), offsets,
                                              sizes, strides);
  pad.getSourceMutable().assign(part);
  pad.setStaticLow(low);
  pad.setStaticHigh(high);
  return success();
}

namespace {
struct CutNegativePads
    : public amp::impl::CutNegativePadsPassBase<CutNegativePads> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk([](tensor::PadOp pad) {
      return succeeded(cut(pad)) ? WalkResult::advance()
                                 : WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
