//===- ImageGradient.cpp - A convolution that is a data gradient ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward convolution that reads its image x at p * stride + r * dilation -
// padding has for pixel h of x the gradient
//
//   dx[h] = sum over p, r with h = p * stride + r * dilation - padding
//           of dy[p] * f[r].
//
// Written as a convolution of an image z, in which dy[p] stands at
// low + p * stride among zeros, and of filters g[t] = f[R - 1 - t], it is
//
//   dx[h] = sum over t of z[h + t * dilation] * g[t],
//
// so that padding = (R - 1) * dilation - low. `low` is of a tensor.pad, which
// the convolution has absorbed, or of an insertion into zeros, or of both. An
// insertion that leaves zeros behind the last pixel changes nothing.
//
//===----------------------------------------------------------------------===//

#include "ImageGradient.h"

#include "amp/Analysis/Fill.h"
#include "amp/Analysis/LinearMap.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Where the pixels of an image stand among zeros, in rows and columns.
struct SpreadImage {
  Value pixels;
  std::array<int64_t, 2> low, stride;
};
} // namespace

/// Dimensions of filters K,R,S,C.
enum FilterDim : unsigned { kFilters, kRow, kColumn, kChannels };

static SpreadImage readSpreadImage(const ConvolutionMatch &convolution) {
  const ConvolutionProblem &problem = convolution.problem;
  SpreadImage spread{
      convolution.image, {problem.padTop, problem.padLeft}, {1, 1}};
  auto insertion = spread.pixels.getDefiningOp<tensor::InsertSliceOp>();
  if (!insertion || insertion.getSourceType().getRank() != 4 ||
      !insertion.getSourceType().hasStaticShape() ||
      ShapedType::isDynamicShape(insertion.getStaticOffsets()) ||
      ShapedType::isDynamicShape(insertion.getStaticStrides()) ||
      !isFilledWithZero(insertion.getDest()))
    return spread;
  for (unsigned dim : {0, 3})
    if (insertion.getSourceType().getDimSize(dim) !=
        insertion.getDestType().getDimSize(dim))
      return spread;
  spread.pixels = insertion.getSource();
  for (unsigned dim : {0, 1}) {
    spread.low[dim] += insertion.getStaticOffsets()[dim + 1];
    spread.stride[dim] = insertion.getStaticStrides()[dim + 1];
  }
  return spread;
}

/// The input of `op` in terms of the filters K,R,S,C of the forward pass, if
/// `op` reverses their taps.
static AffineMap getForwardMap(linalg::GenericOp op) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> loops = {getAffineDimExpr(kChannels, context),
                                   {},
                                   {},
                                   getAffineDimExpr(kFilters, context)};
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  for (unsigned dim : {kRow, kColumn}) {
    AffineExpr loop = getAffineDimExpr(dim, context);
    loops[dim] = shape[dim] == 1 ? loop : shape[dim] - 1 - loop;
  }
  AffineMap forward =
      simplifyAffineMap(map.replaceDimsAndSymbols(loops, {}, 4, 0));
  SmallVector<int64_t> extents = {shape[kChannels], shape[kRow], shape[kColumn],
                                  shape[kFilters]};
  ArrayRef<int64_t> source =
      cast<RankedTensorType>(op.getDpsInputs()[0].getType()).getShape();
  // Taps that are in order here would be reversed there.
  return forward.isProjectedPermutation(/*allowZeroInResults=*/true) &&
                 fitsExtents(forward, source, extents)
             ? forward
             : AffineMap();
}

/// The operation that makes `filters` of others, each element of one.
static linalg::GenericOp getReversal(Value filters) {
  auto op = filters.getDefiningOp<linalg::GenericOp>();
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op->getNumResults() != 1 || op.hasIndexSemantics() ||
      op.getNumParallelLoops() != 4 || op.getNumLoops() != 4 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return nullptr;
  auto source = dyn_cast<RankedTensorType>(op.getDpsInputs()[0].getType());
  return source && source.hasStaticShape() ? op : nullptr;
}

/// True if `op` computes nothing and `forward` reads its input in the order in
/// which it lies.
static bool isReshape(linalg::GenericOp op, AffineMap forward) {
  auto yielded =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  auto type = cast<RankedTensorType>(op.getDpsInputs()[0].getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (!yielded || yielded.getOwner() != op.getBlock() ||
      type.getNumElements() != result.getNumElements())
    return false;
  int64_t last = -1;
  for (auto [size, expr] : llvm::zip(type.getShape(), forward.getResults())) {
    if (size == 1)
      continue;
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || int64_t(loop.getPosition()) < last)
      return false;
    last = loop.getPosition();
  }
  return true;
}

Value ImageGradient::buildFilters(OpBuilder &b) const {
  linalg::GenericOp op = reversal;
  Location loc = op.getLoc();
  AffineMap forward = getForwardMap(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType())
                  .clone({problem.filters, problem.filterHeight,
                          problem.filterWidth, problem.channels});
  Value source = op.getDpsInputs()[0];
  if (isReshape(op, forward)) {
    auto flat =
        RankedTensorType::get(type.getNumElements(), type.getElementType());
    auto all = [](int64_t rank) {
      return SmallVector<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
    };
    int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
    Value line =
        tensor::CollapseShapeOp::create(b, loc, flat, source, all(rank));
    return tensor::ExpandShapeOp::create(b, loc, type, line, all(4));
  }
  Value init =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  auto filters = linalg::GenericOp::create(
      b, loc, type, source, init, {forward, b.getMultiDimIdentityMap(4)},
      SmallVector<utils::IteratorType>(4, utils::IteratorType::parallel));
  IRMapping mapping;
  op.getRegion().cloneInto(&filters.getRegion(), mapping);
  return filters->getResult(0);
}

std::optional<ImageGradient>
mlir::amp::matchImageGradient(const ConvolutionMatch &convolution) {
  const ConvolutionProblem &forward = convolution.problem;
  if (forward.kind != ConvolutionKind::Forward || forward.strideHeight != 1 ||
      forward.strideWidth != 1)
    return std::nullopt;
  ImageGradient gradient;
  gradient.reversal = getReversal(convolution.other);
  if (!gradient.reversal || !getForwardMap(gradient.reversal))
    return std::nullopt;

  SpreadImage spread = readSpreadImage(convolution);
  auto output = cast<RankedTensorType>(spread.pixels.getType());
  gradient.output = spread.pixels;
  ConvolutionProblem &problem = gradient.problem;
  problem = forward;
  problem.kind = ConvolutionKind::DataGradient;
  problem.height = forward.outputHeight();
  problem.width = forward.outputWidth();
  problem.channels = forward.filters;
  problem.filters = forward.channels;
  problem.strideHeight = spread.stride[0];
  problem.strideWidth = spread.stride[1];
  std::array<int64_t, 2> reach = {
      (forward.filterHeight - 1) * forward.dilationHeight,
      (forward.filterWidth - 1) * forward.dilationWidth};
  problem.padTop = reach[0] - spread.low[0];
  problem.padLeft = reach[1] - spread.low[1];
  // Zeros that the last pixels of the output need.
  auto getRest = [&](unsigned dim, int64_t extent) {
    int64_t last = (output.getDimSize(dim + 1) - 1) * spread.stride[dim];
    return std::max<int64_t>(0, last + reach[dim] + 1 - extent);
  };
  problem.padBottom = getRest(0, problem.height + problem.padTop);
  problem.padRight = getRest(1, problem.width + problem.padLeft);
  if (problem.padTop < 0 || problem.padLeft < 0 ||
      problem.outputHeight() != output.getDimSize(1) ||
      problem.outputWidth() != output.getDimSize(2))
    return std::nullopt;
  return gradient;
}
