//===- Im2col.cpp - What TMA can gather of a convolution ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Corners of the box have 8 bits each in an image of two dimensions, and so
// have offsets; steps are at most 8 (CUDA driver API, cuTensorMapEncodeIm2col;
// PTX ISA, tensor im2col mode).
//
//===----------------------------------------------------------------------===//

#include "Im2col.h"

#include "amp/Support/ShapedBytes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kMinCorner = -128, kMaxCorner = 127;
static constexpr int64_t kMaxOffset = 255, kMaxStep = 8;
static constexpr int64_t kMaxStride = (int64_t(1) << 40) - 1;

/// Of x under the filter.
static Im2colAxis getImageAxis(int64_t size, int64_t places, int64_t before,
                               int64_t after, int64_t filter, int64_t dilation,
                               int64_t stride) {
  int64_t reach = (filter - 1) * dilation;
  return {size, -before, after - reach, stride, places, reach};
}

/// Of y under the taps of the classes of x. The first pixel of a place is the
/// least that a tap of any class meets there.
static Im2colAxis getGradientAxis(int64_t size, int64_t places, int64_t before,
                                  int64_t filter, int64_t dilation,
                                  int64_t stride) {
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (int64_t residue = 0; residue < stride; ++residue) {
    TapSequence taps =
        getTapSequence(residue, stride, dilation, before, filter);
    if (taps.count == 0)
      continue;
    least = std::min(least, taps.origin - (taps.count - 1) * taps.outputStep);
    most = std::max(most, taps.origin);
  }
  return {size, least, places - size + least, 1, places, most - least};
}

Im2colAxis mlir::amp::getIm2colRows(const ConvolutionProblem &problem) {
  if (problem.kind == ConvolutionKind::DataGradient)
    return getGradientAxis(problem.outputHeight(), problem.classHeight(),
                           problem.padTop, problem.filterHeight,
                           problem.dilationHeight, problem.strideHeight);
  return getImageAxis(problem.height, problem.outputHeight(), problem.padTop,
                      problem.padBottom, problem.filterHeight,
                      problem.dilationHeight, problem.strideHeight);
}

Im2colAxis mlir::amp::getIm2colColumns(const ConvolutionProblem &problem) {
  if (problem.kind == ConvolutionKind::DataGradient)
    return getGradientAxis(problem.outputWidth(), problem.classWidth(),
                           problem.padLeft, problem.filterWidth,
                           problem.dilationWidth, problem.strideWidth);
  return getImageAxis(problem.width, problem.outputWidth(), problem.padLeft,
                      problem.padRight, problem.filterWidth,
                      problem.dilationWidth, problem.strideWidth);
}

GemmProblem mlir::amp::getIm2colProduct(const ConvolutionProblem &problem) {
  GemmProblem product = getImplicitProduct(problem);
  auto padded = [&](int64_t run) {
    return getIm2colBlocks(problem, run) * getIm2colChannels(problem);
  };
  if (problem.kind != ConvolutionKind::WeightGradient) {
    product.k = product.k / problem.runOfA() * padded(problem.runOfA());
    return product;
  }
  product.ldd = product.n;
  product.n = problem.taps() * padded(problem.channelsPerGroup());
  return product;
}

MatrixAccess mlir::amp::chooseIm2colStore(const ConvolutionProblem &problem) {
  GemmProblem product = getIm2colProduct(problem);
  int64_t group = problem.groups > 1 ? product.n : product.strideOfD();
  bool inOrder = problem.kind == ConvolutionKind::WeightGradient
                     ? product.n == product.strideOfD()
                     : problem.classes() == 1;
  return inOrder && isTmaStride(product.strideOfD(), problem.d) &&
                 isTmaStride(group, problem.d)
             ? MatrixAccess::Tma
             : MatrixAccess::Threads;
}

std::string
mlir::amp::explainIm2colObstacle(const ConvolutionProblem &problem) {
  for (auto [name, count] :
       {std::pair("channels", problem.channels),
        {"filters", problem.filters},
        {"channels of a group", problem.channelsPerGroup()}})
    if (!isTmaStride(count, problem.a))
      return llvm::formatv("{0} {1} are not a multiple of 16 bytes", count,
                           name);
  int64_t depth = getIm2colChannels(problem);
  if (problem.groups > 1 && problem.kind != ConvolutionKind::WeightGradient &&
      problem.runOfA() % depth)
    return llvm::formatv(
        "{0} {1} of a group are not a multiple of {2}", problem.runOfA(),
        problem.kind == ConvolutionKind::Forward ? "channels" : "filters",
        depth);
  Im2colAxis rows = getIm2colRows(problem);
  Im2colAxis columns = getIm2colColumns(problem);
  int64_t channels = problem.kind == ConvolutionKind::DataGradient
                         ? problem.filters
                         : problem.channels;
  int64_t bytes;
  if (llvm::MulOverflow(rows.size * columns.size,
                        channels * getElementBytes(problem.a), bytes) ||
      bytes > kMaxStride)
    return llvm::formatv("an image takes more than {0} bytes", kMaxStride);
  for (const Im2colAxis &axis : {rows, columns}) {
    if (axis.step > kMaxStep)
      return llvm::formatv("a stride of {0} is more than {1}", axis.step,
                           kMaxStep);
    if (axis.reach > kMaxOffset)
      return llvm::formatv("taps are {0} pixels apart, more than {1}",
                           axis.reach, kMaxOffset);
    for (int64_t corner : {axis.lower, axis.upper})
      if (corner < kMinCorner || corner > kMaxCorner)
        return llvm::formatv("a corner of its box at {0} is not from {1} to "
                             "{2}",
                             corner, kMinCorner, kMaxCorner);
  }
  return "";
}
