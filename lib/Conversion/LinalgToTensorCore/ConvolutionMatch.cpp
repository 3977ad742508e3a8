//===- ConvolutionMatch.cpp - A contraction with windows ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In
//
//   y[n][p][q][k] += x[n][p * stride + r * dilation][...][c] * f[k][r][s][c]
//
// each of the image's rows and columns is a sum over two loops. Where p and q
// index the result and r and s are summed, it is the convolution; the other way
// round it is the gradient of the filters. Zeros around the image are part of
// the kernel: a tensor.pad of zeros is looked through, and so is a slice that
// cuts off pixels which no window reaches.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionMatch.h"

#include "ElementMovement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// The two loops over the image's rows, or columns.
struct Window {
  /// Pixels of the output, `stride` pixels of the image apart, and taps of the
  /// filter, `dilation` pixels apart.
  unsigned pixel, tap;
  int64_t stride, dilation;
};
} // namespace

/// The loops of `index`, with coefficients.
static SmallVector<std::pair<unsigned, int64_t>>
getLoops(const LinearExpr &index) {
  SmallVector<std::pair<unsigned, int64_t>> loops;
  for (auto [loop, coefficient] : llvm::enumerate(index.coefficients))
    if (coefficient != 0)
      loops.push_back({loop, coefficient});
  return loops;
}

/// The map from loops to dimensions that are these loops.
static bool hasLoops(const ContractionOperand &operand,
                     ArrayRef<unsigned> loops) {
  return llvm::equal(operand.map.getResults(), loops,
                     [&](AffineExpr expr, unsigned loop) {
                       return expr == getAffineDimExpr(loop, expr.getContext());
                     });
}

static FailureOr<Window> readWindow(const ContractionOperand &image,
                                    unsigned dim,
                                    function_ref<bool(unsigned)> isPixel) {
  LinearExpr index = image.getIndex(dim);
  auto loops = getLoops(index);
  if (loops.size() != 2 || index.constant != 0 ||
      isPixel(loops[0].first) == isPixel(loops[1].first) ||
      loops[0].second < 0 || loops[1].second < 0)
    return failure();
  if (!isPixel(loops[0].first))
    std::swap(loops[0], loops[1]);
  return Window{loops[0].first, loops[1].first, loops[0].second,
                loops[1].second};
}

/// Takes zeros around the image into the problem.
static Value absorbPadding(Value image, ConvolutionProblem &problem) {
  auto pad = image.getDefiningOp<tensor::PadOp>();
  if (!pad || !pad.getSourceType().hasStaticShape())
    return image;
  Value value = pad.getConstantPaddingValue();
  TypedAttr number = value ? getSplatValue(value) : TypedAttr();
  auto zero = dyn_cast_or_null<FloatAttr>(number);
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  if (!zero || !zero.getValue().isPosZero() ||
      ShapedType::isDynamicShape(low) || ShapedType::isDynamicShape(high) ||
      low[0] || low[3] || high[0] || high[3] ||
      llvm::any_of(low, [](int64_t size) { return size < 0; }) ||
      llvm::any_of(high, [](int64_t size) { return size < 0; }))
    return image;
  problem.padTop = low[1];
  problem.padLeft = low[2];
  problem.padBottom = high[1];
  problem.padRight = high[2];
  return pad.getSource();
}

/// The image of which `image` has all but the last rows and columns, or `image`
/// itself.
static Value getWholeImage(Value image) {
  auto slice = image.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSourceType().getRank() != 4 ||
      slice.getType().getRank() != 4 ||
      !slice.getSourceType().hasStaticShape() || !slice.hasUnitStride() ||
      !slice.hasZeroOffset())
    return image;
  for (unsigned dim : {0, 3})
    if (slice.getType().getDimSize(dim) !=
        slice.getSourceType().getDimSize(dim))
      return image;
  return slice.getSource();
}

FailureOr<ConvolutionMatch>
mlir::amp::matchConvolution(const Contraction &contraction,
                            std::string &reason) {
  auto decline = [&](StringRef text) {
    reason = ("it is a convolution " + text).str();
    return failure();
  };
  const ContractionOperand *image = &contraction.a, *other = &contraction.b;
  if (image->map.isProjectedPermutation(/*allowZeroInResults=*/true))
    std::swap(image, other);
  if (!contraction.batch.empty())
    return decline("in groups");
  auto isInResult = [&](unsigned loop) {
    return contraction.c.map.isFunctionOfDim(loop);
  };
  if (image->map.getNumResults() != 4)
    return decline("of other than two dimensions");
  auto images = getLoops(image->getIndex(0)),
       channels = getLoops(image->getIndex(3));
  if (images.size() != 1 || channels.size() != 1)
    return decline("whose images are not stored N,H,W,C; run "
                   "amp-assign-layouts first");
  unsigned n = images[0].first, c = channels[0].first;
  bool isForward = isInResult(n);
  auto isPixel = [&](unsigned loop) { return isInResult(loop) == isForward; };
  FailureOr<Window> rows = readWindow(*image, 1, isPixel);
  FailureOr<Window> columns = readWindow(*image, 2, isPixel);
  if (failed(rows) || failed(columns) || isInResult(c) == isForward)
    return decline("whose windows are not of rows and columns");
  // The one loop that the image does not have.
  std::optional<unsigned> k;
  for (unsigned loop = 0; loop < image->map.getNumDims(); ++loop)
    if (!image->map.isFunctionOfDim(loop))
      k = loop;
  const ContractionOperand &output = isForward ? contraction.c : *other;
  const ContractionOperand &filters = isForward ? *other : contraction.c;
  if (!k || image->map.getNumDims() != 7 ||
      !hasLoops(output, {n, rows->pixel, columns->pixel, *k}) ||
      !hasLoops(filters, {*k, rows->tap, columns->tap, c}))
    return decline(
        "whose filters or outputs are not stored K,R,S,C and N,P,Q,K; "
        "run amp-assign-layouts first");

  ConvolutionMatch match;
  ConvolutionProblem &problem = match.problem;
  problem.kind =
      isForward ? ConvolutionKind::Forward : ConvolutionKind::WeightGradient;
  match.other = other->value;
  linalg::LinalgOp op = contraction.op;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  problem.filters = sizes[*k];
  problem.filterHeight = sizes[rows->tap];
  problem.filterWidth = sizes[columns->tap];
  problem.strideHeight = rows->stride;
  problem.strideWidth = columns->stride;
  problem.dilationHeight = rows->dilation;
  problem.dilationWidth = columns->dilation;
  auto takeImage = [&](Value value) {
    problem.padTop = problem.padBottom = 0;
    problem.padLeft = problem.padRight = 0;
    match.image = absorbPadding(value, problem);
    auto shape = cast<RankedTensorType>(match.image.getType()).getShape();
    problem.batch = shape[0];
    problem.height = shape[1];
    problem.width = shape[2];
    problem.channels = shape[3];
    return problem.outputHeight() == sizes[rows->pixel] &&
           problem.outputWidth() == sizes[columns->pixel];
  };
  // With strides there may be pixels behind the last ones that are read, which
  // front ends cut off.
  if (!takeImage(getWholeImage(image->value)) && !takeImage(image->value))
    return decline("that does not reach the end of its image");
  problem.a = getElementTypeOrSelf(match.image.getType());
  problem.b = getElementTypeOrSelf(match.other.getType());

  MatrixProduct &product = match.product;
  product.op = op;
  product.batch = 1;
  GemmProblem sums = getImplicitProduct(problem);
  product.m = sums.m;
  product.n = sums.n;
  product.k = sums.k;
  TypedAttr start = getSplatValue(contraction.c.value);
  auto zero = dyn_cast_or_null<FloatAttr>(start);
  if (!zero || !zero.getValue().isZero())
    product.init = contraction.c.value;
  return match;
}
