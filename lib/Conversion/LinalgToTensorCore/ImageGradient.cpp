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
// insertion that leaves zeros behind the last pixel changes nothing. z itself,
// zeros and all, is the gradient of an output of a convolution without strides.
//
//===----------------------------------------------------------------------===//

#include "ImageGradient.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Where the pixels of an image stand among zeros, in rows and columns.
struct SpreadImage {
  Value pixels;
  std::array<int64_t, 2> low, stride;
};
} // namespace

static SpreadImage getImageWithZeros(const ConvolutionMatch &convolution) {
  return {convolution.image,
          {convolution.problem.padTop, convolution.problem.padLeft},
          {1, 1}};
}

/// The pixels that have zeros between them or, beyond a tensor.pad, around.
static std::optional<SpreadImage>
getPixelsAmongZeros(const ConvolutionMatch &convolution) {
  std::optional<SpreadTensor> spread = getSpreadPixels(convolution.image);
  if (!spread)
    return std::nullopt;
  SpreadImage image = getImageWithZeros(convolution);
  image.pixels = lookThroughChannels(spread->elements);
  for (unsigned dim : {0, 1}) {
    image.low[dim] += spread->offsets[dim + 1];
    image.stride[dim] = spread->strides[dim + 1];
  }
  return image;
}

static std::optional<ImageGradient>
getGradient(const ConvolutionMatch &convolution, const SpreadImage &spread) {
  const ConvolutionProblem &forward = convolution.problem;
  ImageGradient gradient;
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
  std::optional<FilterMove> reversal =
      FilterMove::find(convolution.other, convolution.filterDims, problem,
                       /*isGradient=*/true);
  if (!reversal)
    return std::nullopt;
  gradient.filters = *reversal;
  return gradient;
}

SmallVector<ImageGradient, 2>
mlir::amp::matchImageGradients(const ConvolutionMatch &convolution) {
  const ConvolutionProblem &problem = convolution.problem;
  SmallVector<ImageGradient, 2> gradients;
  if (problem.kind != ConvolutionKind::Forward || problem.strideHeight != 1 ||
      problem.strideWidth != 1)
    return gradients;
  auto add = [&](const SpreadImage &spread) {
    if (std::optional<ImageGradient> gradient =
            getGradient(convolution, spread))
      gradients.push_back(*gradient);
  };
  std::optional<SpreadImage> spread = getPixelsAmongZeros(convolution);
  if (spread)
    add(*spread);
  if (!spread || spread->pixels != convolution.image)
    add(getImageWithZeros(convolution));
  return gradients;
}
