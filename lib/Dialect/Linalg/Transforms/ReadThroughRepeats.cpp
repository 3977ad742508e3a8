//===- ReadThroughRepeats.cpp - Slices of what is repeated ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor whose elements are repeated f times in a dimension, as a broadcast
// to h x f that is reshaped to h * f, is element (o + i) / f of x at element i
// of a slice from o on. With i = f * h + b,
//
//   (o + f h + b) / f = h + o / f             if f divides o,
//                       h + b + (o - 1) / 2   if f is 2 and o is odd,
//
// an index that linalg knows. The slice becomes an operation that reads x by
// it, which elementwise fusion takes into its reader. Where all readers are
// such slices the repeated tensor, larger than x by all its factors, is in
// nobody's memory.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/SpreadTensor.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "amp-read-through-repeats"

namespace mlir::amp {
#define GEN_PASS_DEF_READTHROUGHREPEATSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// A dimension that is repeated: that of the reshaped tensor, and the loops of
/// the broadcast over elements and over their repetitions.
struct Repeat {
  unsigned dim, loop, copy;
  int64_t factor;
};

class RepeatedTensor {
public:
  /// What `collapse` joins, if that is one input with repetitions.
  static std::optional<RepeatedTensor> match(tensor::CollapseShapeOp collapse);

  /// Whether `op` is a slice that can read what is repeated.
  bool canRead(Operation *op) const;
  /// What `slice` gives, read from there.
  Value read(RewriterBase &rewriter, tensor::ExtractSliceOp slice) const;

private:
  linalg::GenericOp broadcast;
  SmallVector<ReassociationIndices> joined;
  SmallVector<Repeat> repeats;
};
} // namespace

/// Whether `op` gives its one input as it is, in more loops and their order.
static bool isBroadcast(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumDpsInputs() == 1 &&
         op->getNumResults() == 1 &&
         op.getNumLoops() == op.getNumParallelLoops() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         op.getMatchingIndexingMap(op.getDpsInputOperand(0))
             .isProjectedPermutation() &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getBody()->getArgument(0);
}

std::optional<RepeatedTensor>
RepeatedTensor::match(tensor::CollapseShapeOp collapse) {
  RepeatedTensor repeated;
  repeated.broadcast = collapse.getSrc().getDefiningOp<linalg::GenericOp>();
  repeated.joined = collapse.getReassociationIndices();
  if (!isBroadcast(repeated.broadcast) || !repeated.broadcast->hasOneUse() ||
      !isPlainTensor(collapse.getSrcType()) ||
      !isPlainTensor(repeated.broadcast.getInputs()[0].getType()))
    return std::nullopt;
  AffineMap read = repeated.broadcast.getMatchingIndexingMap(
      repeated.broadcast.getDpsInputOperand(0));
  for (auto [dim, loops] : llvm::enumerate(repeated.joined)) {
    if (loops.size() == 1)
      continue;
    if (loops.size() != 2 || !read.isFunctionOfDim(loops[0]) ||
        read.isFunctionOfDim(loops[1]))
      return std::nullopt;
    repeated.repeats.push_back({unsigned(dim), unsigned(loops[0]),
                                unsigned(loops[1]),
                                collapse.getSrcType().getDimSize(loops[1])});
  }
  if (repeated.repeats.empty())
    return std::nullopt;
  return repeated;
}

bool RepeatedTensor::canRead(Operation *op) const {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  if (!slice || !slice.hasUnitStride() ||
      ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
      ShapedType::isDynamicShape(slice.getStaticSizes()) ||
      slice.getType().getRank() != slice.getSourceType().getRank())
    return false;
  return llvm::all_of(repeats, [&](const Repeat &repeat) {
    int64_t offset = slice.getStaticOffsets()[repeat.dim],
            size = slice.getStaticSizes()[repeat.dim];
    return size > 0 && size % repeat.factor == 0 &&
           (offset % repeat.factor == 0 || repeat.factor == 2);
  });
}

/// The part of `tensor` that `map` reads in loops of these extents, as far as
/// linalg asks for it: a loop by itself walks all of a dimension.
static Value getRead(OpBuilder &b, Location loc, Value tensor, AffineMap map,
                     ArrayRef<int64_t> extents) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> sizes(type.getShape());
  for (auto [size, expr] : llvm::zip_equal(sizes, map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      size = extents[loop.getPosition()];
  if (llvm::equal(sizes, type.getShape()))
    return tensor;
  return tensor::ExtractSliceOp::create(
      b, loc, type.clone(sizes), tensor,
      SmallVector<OpFoldResult>(sizes.size(), b.getIndexAttr(0)),
      getAsIndexOpFoldResult(b.getContext(), sizes),
      SmallVector<OpFoldResult>(sizes.size(), b.getIndexAttr(1)));
}

Value RepeatedTensor::read(RewriterBase &rewriter,
                           tensor::ExtractSliceOp slice) const {
  linalg::GenericOp op = broadcast;
  MLIRContext *context = op.getContext();
  ArrayRef<int64_t> offsets = slice.getStaticOffsets(),
                    sizes = slice.getStaticSizes();
  // What each loop of the broadcast is, and how long.
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(rewriter.getAffineDimExpr(loop));
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  for (auto [dim, of] : llvm::enumerate(joined))
    if (of.size() == 1) {
      loops[of[0]] = loops[of[0]] + offsets[dim];
      shape[of[0]] = sizes[dim];
    }
  for (const Repeat &repeat : repeats) {
    AffineExpr &loop = loops[repeat.loop];
    int64_t offset = offsets[repeat.dim];
    if (offset % repeat.factor != 0)
      loop = loop + rewriter.getAffineDimExpr(repeat.copy);
    loop = loop + offset / repeat.factor;
    shape[repeat.loop] = sizes[repeat.dim] / repeat.factor;
  }
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0))
                      .replaceDimsAndSymbols(loops, {}, loops.size(), 0);
  Location loc = slice.getLoc();
  rewriter.setInsertionPoint(slice);
  Value init = tensor::EmptyOp::create(rewriter, loc, shape,
                                       slice.getType().getElementType());
  Value input = getRead(rewriter, loc, op.getInputs()[0], map, shape);
  auto read = linalg::GenericOp::create(
      rewriter, loc, init.getType(), input, init,
      {map, AffineMap::getMultiDimIdentityMap(loops.size(), context)},
      op.getIteratorTypesArray(),
      [](OpBuilder &b, Location at, ValueRange elements) {
        linalg::YieldOp::create(b, at, elements[0]);
      });
  return tensor::CollapseShapeOp::create(rewriter, loc, slice.getType(),
                                         read->getResult(0), joined);
}

namespace {
struct ReadThroughRepeats
    : public amp::impl::ReadThroughRepeatsPassBase<ReadThroughRepeats> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<tensor::CollapseShapeOp> reshapes;
    getOperation().walk(
        [&](tensor::CollapseShapeOp op) { reshapes.push_back(op); });
    for (tensor::CollapseShapeOp reshape : reshapes) {
      std::optional<RepeatedTensor> repeated = RepeatedTensor::match(reshape);
      if (!repeated || reshape->use_empty() ||
          !llvm::all_of(reshape->getUsers(), [&](Operation *reader) {
            return repeated->canRead(reader);
          }))
        continue;
      for (Operation *reader :
           llvm::make_early_inc_range(reshape->getUsers())) {
        auto slice = cast<tensor::ExtractSliceOp>(reader);
        rewriter.replaceOp(slice, repeated->read(rewriter, slice));
        ++numSlices;
      }
      Operation *broadcast = reshape.getSrc().getDefiningOp();
      rewriter.eraseOp(reshape);
      rewriter.eraseOp(broadcast);
    }
  }
};
} // namespace
