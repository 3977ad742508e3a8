//===- UnstackNumbers.cpp - Sums of numbers that were put together --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction of one loop reads a tensor of N numbers, each of which was put
// there by itself: a chain of tensor.insert_slice, the last of which at a place
// counts, or a tensor.concat of single numbers. It becomes N operations without
// loops, each with the body of the reduction, that read one number and go on
// from the result of the one before.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-unstack-numbers"

namespace mlir::amp {
#define GEN_PASS_DEF_UNSTACKNUMBERSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Operations that a reduction becomes at most.
static constexpr int64_t kMostNumbers = 1024;

/// Whether `value` is one number, in however many dimensions.
static bool isNumber(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() && type.getNumElements() == 1;
}

/// The place that `insertion` puts one number at, if it is known.
static std::optional<int64_t> getPlace(tensor::InsertSliceOp insertion) {
  int64_t place = insertion.getStaticOffsets().front();
  if (!isNumber(insertion.getSource()) || ShapedType::isDynamic(place))
    return std::nullopt;
  return place;
}

/// The numbers that `tensor`, of one dimension, was put together of, or none.
static SmallVector<Value> findNumbers(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || type.getRank() != 1 || !type.hasStaticShape() ||
      type.getNumElements() > kMostNumbers)
    return {};
  if (auto concat = tensor.getDefiningOp<tensor::ConcatOp>())
    return llvm::all_of(concat.getInputs(), isNumber)
               ? SmallVector<Value>(concat.getInputs())
               : SmallVector<Value>();
  SmallVector<Value> numbers(type.getNumElements());
  int64_t left = numbers.size();
  // In a block that nothing reaches, a tensor may be made of itself.
  llvm::DenseSet<Value> seen;
  while (left > 0) {
    auto insertion = tensor.getDefiningOp<tensor::InsertSliceOp>();
    std::optional<int64_t> place =
        insertion ? getPlace(insertion) : std::nullopt;
    if (!place || !seen.insert(tensor).second)
      return {};
    if (!numbers[*place]) {
      numbers[*place] = insertion.getSource();
      --left;
    }
    tensor = insertion.getDest();
  }
  return numbers;
}

/// Whether `op` goes over the elements of its only input, from the first to the
/// last, and gives single numbers.
static bool isReduction(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.hasIndexSemantics() ||
      op.getNumLoops() != 1 || op.getNumReductionLoops() != 1 ||
      op.getNumDpsInputs() != 1)
    return false;
  OpOperand *input = op.getDpsInputOperand(0);
  return isa<RankedTensorType>(input->get().getType()) &&
         op.getMatchingIndexingMap(input).isIdentity() &&
         llvm::all_of(op.getDpsInits(), [](Value init) {
           return cast<RankedTensorType>(init.getType()).getRank() == 0;
         });
}

/// `number` without dimensions.
static Value collapse(OpBuilder &b, Location loc, Value number) {
  auto type = cast<RankedTensorType>(number.getType());
  if (type.getRank() == 0)
    return number;
  return tensor::CollapseShapeOp::create(
      b, loc, RankedTensorType::get({}, type.getElementType()), number,
      ArrayRef<ReassociationIndices>());
}

static void unroll(linalg::GenericOp op, ArrayRef<Value> numbers) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps(1 + op.getNumDpsInits(),
                              b.getMultiDimIdentityMap(0));
  SmallVector<Value> soFar(op.getDpsInits());
  for (Value number : numbers) {
    auto step = linalg::GenericOp::create(b, loc, op.getResultTypes(),
                                          collapse(b, loc, number), soFar, maps,
                                          ArrayRef<utils::IteratorType>());
    IRMapping mapping;
    op.getRegion().cloneInto(&step.getRegion(), mapping);
    soFar.assign(step.getResults().begin(), step.getResults().end());
  }
  op->replaceAllUsesWith(soFar);
  op.erase();
}

namespace {
struct UnstackNumbers
    : public amp::impl::UnstackNumbersPassBase<UnstackNumbers> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isReduction(op))
        ops.push_back(op);
    });
    bool changed = false;
    for (linalg::GenericOp op : ops) {
      SmallVector<Value> numbers = findNumbers(op.getInputs().front());
      if (numbers.empty())
        continue;
      unroll(op, numbers);
      ++numUnstacked;
      changed = true;
    }
    // Of what put them together.
    IRRewriter rewriter(&getContext());
    if (changed)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
