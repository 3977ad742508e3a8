//===- ConvolutionProblem.cpp - A convolution as a product ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes that follow from a convolution, and the rules. Kernels number pixels
// and elements of K in 32 bits, and elements in 64; a coordinate in an image
// needs two bits more than the image, for what lies outside it.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/ConvolutionProblem.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::amp;

/// Of an image with its padding, and of a filter with its dilation.
static constexpr int64_t kMaxExtent = 1 << 28;
/// Tiles are rounded up in 32 bits.
static constexpr int64_t kMaxCount = INT32_MAX - 1024;
/// A kernel chooses among its classes by comparisons.
static constexpr int64_t kMaxClasses = 64;

StringRef mlir::amp::stringifyConvolutionKind(ConvolutionKind kind) {
  switch (kind) {
  case ConvolutionKind::Forward:
    return "forward";
  case ConvolutionKind::DataGradient:
    return "data-gradient";
  case ConvolutionKind::WeightGradient:
    return "weight-gradient";
  }
  llvm_unreachable("unknown kind of convolution");
}

ConvolutionNames mlir::amp::getTensorNames(ConvolutionKind kind) {
  switch (kind) {
  case ConvolutionKind::Forward:
    return {"x", "f", "y"};
  case ConvolutionKind::DataGradient:
    return {"y", "f", "x"};
  case ConvolutionKind::WeightGradient:
    return {"y", "x", "f"};
  }
  llvm_unreachable("unknown kind of convolution");
}

std::optional<ConvolutionKind> mlir::amp::parseConvolutionKind(StringRef name) {
  for (auto kind : {ConvolutionKind::Forward, ConvolutionKind::DataGradient,
                    ConvolutionKind::WeightGradient})
    if (name == stringifyConvolutionKind(kind))
      return kind;
  return std::nullopt;
}

/// Places of a filter in a padded image.
static int64_t getPlaces(int64_t padded, int64_t filter, int64_t dilation,
                         int64_t stride) {
  int64_t last = padded - (filter - 1) * dilation - 1;
  return last < 0 ? 0 : last / stride + 1;
}

int64_t ConvolutionProblem::outputHeight() const {
  return getPlaces(height + padTop + padBottom, filterHeight, dilationHeight,
                   strideHeight);
}

int64_t ConvolutionProblem::outputWidth() const {
  return getPlaces(width + padLeft + padRight, filterWidth, dilationWidth,
                   strideWidth);
}

int64_t ConvolutionProblem::classes() const {
  return kind == ConvolutionKind::DataGradient ? strideHeight * strideWidth : 1;
}

// Tap r of the filter meets pixel h at output (h + padding - r * dilation) /
// stride, if that is a whole number. The taps for which it is one are
// stride / gcd(stride, dilation) apart.
TapSequence mlir::amp::getTapSequence(int64_t residue, int64_t stride,
                                      int64_t dilation, int64_t padding,
                                      int64_t filter) {
  int64_t common = std::gcd(stride, dilation);
  TapSequence taps{0, stride / common, 0, 0, dilation / common};
  auto meets = [&](int64_t tap) {
    return (residue + padding - tap * dilation) % stride == 0;
  };
  while (taps.first < taps.step && !meets(taps.first))
    ++taps.first;
  if (taps.first == taps.step || taps.first >= filter)
    return taps;
  taps.count = llvm::divideCeil(filter - taps.first, taps.step);
  taps.origin = (residue + padding - taps.first * dilation) / stride;
  return taps;
}

GemmProblem mlir::amp::getImplicitProduct(const ConvolutionProblem &problem) {
  int64_t channels = problem.channelsPerGroup();
  int64_t filters = problem.filtersPerGroup();
  GemmProblem product;
  product.a = problem.a;
  product.b = problem.b;
  product.d = problem.d;
  product.batch = problem.groups * problem.classes();
  switch (problem.kind) {
  case ConvolutionKind::Forward:
    product.m = problem.outputPixels();
    product.n = filters;
    product.k = problem.taps() * channels;
    product.transposeB = true;
    product.ldd = problem.filters;
    break;
  case ConvolutionKind::DataGradient: {
    auto most = [](int64_t stride, int64_t dilation, int64_t filter) {
      return llvm::divideCeil(filter, stride / std::gcd(stride, dilation));
    };
    product.m = problem.batch * problem.classHeight() * problem.classWidth();
    product.n = channels;
    product.k =
        most(problem.strideHeight, problem.dilationHeight,
             problem.filterHeight) *
        most(problem.strideWidth, problem.dilationWidth, problem.filterWidth) *
        filters;
    product.ldd = problem.channels;
    break;
  }
  case ConvolutionKind::WeightGradient:
    product.m = filters;
    product.n = problem.taps() * channels;
    product.k = problem.outputPixels();
    product.transposeA = true;
    product.lda = problem.filters;
    break;
  }
  return product;
}

/// A count from `least` on, at most what 32 bits hold.
static LogicalResult verifyCount(StringRef name, int64_t count, int64_t least,
                                 function_ref<InFlightDiagnostic()> emitError) {
  if (count >= least && count <= kMaxCount)
    return success();
  return emitError() << "expected '" << name << "' from " << least << " to "
                     << kMaxCount << ", but got " << count;
}

static LogicalResult verifyTypes(const ConvolutionProblem &problem,
                                 function_ref<InFlightDiagnostic()> emitError) {
  auto isNumber = [](Type type) {
    return type.isF16() || type.isBF16() || type.isF32();
  };
  bool tf32 = isa<FloatTF32Type>(problem.a);
  if (problem.a != problem.b || (!isNumber(problem.a) && !tf32))
    return emitError() << "expected operands of a convolution both of type "
                          "f16, bf16, f32 or tf32, but got "
                       << problem.a << " and " << problem.b
                       << "; cast one of them";
  if (!isNumber(problem.d))
    return emitError() << "expected a result of type f16, bf16 or f32, but got "
                       << problem.d << "; cast it after the convolution";
  return success();
}

/// Along one dimension of the image.
static LogicalResult
verifyExtent(StringRef name, int64_t padded, int64_t filter, int64_t dilation,
             function_ref<InFlightDiagnostic()> emitError) {
  // Both factors are below 2^31.
  int64_t reach = (filter - 1) * dilation + 1;
  if (padded > kMaxExtent)
    return emitError() << "expected at most " << kMaxExtent << " for the "
                       << name << " with its padding, but got " << padded;
  if (reach > padded)
    return emitError() << "expected a filter that fits into the image, but "
                          "its "
                       << name << " with dilation is " << reach
                       << " and the image's with padding " << padded
                       << "; add padding";
  return success();
}

static LogicalResult verifySizes(const ConvolutionProblem &problem,
                                 function_ref<InFlightDiagnostic()> emitError) {
  for (auto [name, count, least] :
       {std::tuple("batch", problem.batch, 0),
        {"height", problem.height, 1},
        {"width", problem.width, 1},
        {"channels", problem.channels, 1},
        {"filters", problem.filters, 1},
        {"filter height", problem.filterHeight, 1},
        {"filter width", problem.filterWidth, 1},
        {"stride height", problem.strideHeight, 1},
        {"stride width", problem.strideWidth, 1},
        {"dilation height", problem.dilationHeight, 1},
        {"dilation width", problem.dilationWidth, 1},
        {"top padding", problem.padTop, 0},
        {"bottom padding", problem.padBottom, 0},
        {"left padding", problem.padLeft, 0},
        {"right padding", problem.padRight, 0},
        {"groups", problem.groups, 1}})
    if (failed(verifyCount(name, count, least, emitError)))
      return failure();
  for (auto [name, count] :
       {std::pair("channels", problem.channels), {"filters", problem.filters}})
    if (count % problem.groups)
      return emitError() << "expected groups that divide the " << name
                         << ", but got " << count << " " << name << " in "
                         << problem.groups << " groups";
  if (failed(verifyExtent(
          "height", problem.height + problem.padTop + problem.padBottom,
          problem.filterHeight, problem.dilationHeight, emitError)) ||
      failed(verifyExtent(
          "width", problem.width + problem.padLeft + problem.padRight,
          problem.filterWidth, problem.dilationWidth, emitError)))
    return failure();
  auto product = [](std::initializer_list<int64_t> factors) {
    int64_t result = 1;
    for (int64_t factor : factors)
      if (llvm::MulOverflow(result, factor, result))
        return INT64_MAX;
    return result;
  };
  int64_t inputs = product({problem.batch, problem.height, problem.width});
  int64_t outputs =
      product({problem.batch, problem.outputHeight(), problem.outputWidth()});
  int64_t most =
      std::max(problem.channelsPerGroup(), problem.filtersPerGroup());
  int64_t depth = product({problem.filterHeight, problem.filterWidth, most});
  int64_t filterTaps =
      product({problem.filterHeight, problem.filterWidth, problem.filters});
  for (auto [name, count] :
       {std::pair("pixels of x", inputs),
        {"pixels of y", outputs},
        {"taps times channels or filters of a group", depth},
        {"taps of all filters", filterTaps}})
    if (count > kMaxCount)
      return emitError() << "expected at most " << kMaxCount << " " << name
                         << ", which kernels number in 32 bits, but got "
                         << count << "; divide the convolution";
  return success();
}

LogicalResult
mlir::amp::verifyConvolution(const ConvolutionProblem &problem,
                             function_ref<InFlightDiagnostic()> emitError) {
  if (failed(verifyTypes(problem, emitError)) ||
      failed(verifySizes(problem, emitError)))
    return failure();
  if (problem.classes() > kMaxClasses)
    return emitError() << "expected strides of a data gradient whose product "
                          "is at most "
                       << kMaxClasses << ", but got " << problem.strideHeight
                       << "x" << problem.strideWidth;
  return success();
}
