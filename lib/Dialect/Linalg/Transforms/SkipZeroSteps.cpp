//===- SkipZeroSteps.cpp - Sums without steps that are zero ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JAX has the gradient of a filter with strides as a convolution whose filter
// is the result's gradient, with zeros between its pixels (rhs_dilation in
// XLA). A loop of the sum then walks an operand by itself of which only
// elements o + s i are not zero. That loop walks those alone,
//
//   sum of x(t) y(t)  =  sum of x(o + s i) y'(i),
//
// where y' is y without zeros: the other operand is read with a stride. Zeros
// in front of and behind the elements, which a pad put there, are left out the
// same way. Zeros between pixels of the image are amp-skip-inserted-zeros'.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Contraction.h"
#include "amp/Analysis/LinearMap.h"
#include "amp/Analysis/SpreadTensor.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-skip-zero-steps"

namespace mlir::amp {
#define GEN_PASS_DEF_SKIPZEROSTEPSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Takes the zeros out of input `number` of a contraction of known extents, if
/// loops of the sum walk all of its dimensions that have some.
static bool skipZeros(linalg::GenericOp op, unsigned number) {
  Value input = op.getInputs()[number];
  SpreadTensor spread = getSpreadTensor(input);
  if (spread.elements == input || llvm::is_contained(spread.getShape(), 0))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap map = maps[number], &other = maps[1 - number];
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    int64_t offset = spread.offsets[dim], stride = spread.strides[dim],
            size = spread.getShape()[dim];
    if (size == cast<ShapedType>(input.getType()).getDimSize(dim))
      continue;
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || kinds[loop.getPosition()] != utils::IteratorType::reduction ||
        !walksOneDim(map, loop.getPosition()))
      return false;
    other = simplifyAffineMap(
        other.replace(loop, loop * stride + offset, other.getNumDims(), 0));
    extents[loop.getPosition()] = size;
  }
  auto otherType = cast<RankedTensorType>(op.getInputs()[1 - number].getType());
  if (!fitsExtents(other, otherType.getShape(), extents))
    return false;
  op.setIndexingMapsAttr(
      OpBuilder(op.getContext()).getAffineMapArrayAttr(maps));
  op.setOperand(number, spread.elements);
  return true;
}

namespace {
struct SkipZeroSteps : public amp::impl::SkipZeroStepsPassBase<SkipZeroSteps> {
  void runOnOperation() override {
    unsigned skipped = 0;
    getOperation().walk([&](linalg::GenericOp op) {
      SmallVector<int64_t> extents = op.getStaticLoopRanges();
      if (!op.hasPureTensorSemantics() || ShapedType::isDynamicShape(extents) ||
          llvm::is_contained(extents, 0) || failed(matchContraction(op)))
        return;
      for (unsigned number : {0, 1})
        skipped += skipZeros(op, number);
    });
    numInputs += skipped;
    // The operands with zeros.
    IRRewriter rewriter(&getContext());
    if (skipped != 0)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
