//===- DepthwiseShape.cpp - Threads of a depthwise kernel -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The widest access that pixels allow, then as many threads along the channels
// as have some and keep their filters in shared memory.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseShape.h"

#include "amp/Support/ShapedBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

/// A thread has the sums of as many columns in registers.
static constexpr int64_t kMaxGradientStride = 32;
/// Results of a thread in a row, so that it reads a pixel once for several.
static constexpr int64_t kStripWidth = 4;
/// With more columns, the sums of eight channels are more than the registers.
static constexpr int64_t kMaxWideStrip = 8;
static constexpr int64_t kMaxLanes = 8;

int64_t mlir::amp::getStripWidth(const ConvolutionProblem &problem) {
  // Of a data gradient, the columns of a strip have the same classes in each.
  return problem.kind == ConvolutionKind::DataGradient
             ? llvm::alignTo(kStripWidth, problem.strideWidth)
             : kStripWidth;
}

int64_t mlir::amp::getDepthwiseFilterBytes(const ConvolutionProblem &problem,
                                           const DepthwiseShape &shape) {
  if (problem.kind == ConvolutionKind::WeightGradient)
    return 0;
  int64_t perResult = problem.kind == ConvolutionKind::DataGradient
                          ? getMultiplier(problem)
                          : 1;
  return problem.taps() * perResult * shape.slab() * getElementBytes(problem.a);
}

DepthwiseShape mlir::amp::getDepthwiseShape(const ConvolutionProblem &problem) {
  DepthwiseShape shape;
  shape.channels = problem.kind == ConvolutionKind::DataGradient
                       ? problem.channels
                       : problem.filters;
  int64_t wide = 16 / getElementBytes(problem.a);
  bool dense = problem.channels == problem.filters;
  if (dense && shape.channels % wide == 0 &&
      getStripWidth(problem) <= kMaxWideStrip)
    shape.access = wide;
  else
    shape.access = dense && shape.channels % 2 == 0 ? 2 : 1;
  shape.vector = std::max<int64_t>(shape.access, 2);
  shape.lanes = 1;
  DepthwiseShape more = shape;
  while ((more.lanes *= 2) <= kMaxLanes && shape.slab() < shape.channels &&
         getDepthwiseFilterBytes(problem, more) <= kDepthwiseSharedBytes)
    shape.lanes = more.lanes;
  return shape;
}

LogicalResult mlir::amp::verifyDepthwiseKernels(
    const ConvolutionProblem &problem,
    function_ref<InFlightDiagnostic()> emitError) {
  if (isa<FloatTF32Type>(problem.a))
    return emitError() << "expected operands of type f16, bf16 or f32 for a "
                          "depthwise convolution, which Tensor Cores do not "
                          "compute, but got "
                       << problem.a << "; use 'a-type=f32'";
  if (problem.kind == ConvolutionKind::DataGradient &&
      problem.strideWidth > kMaxGradientStride)
    return emitError() << "expected a stride width of at most "
                       << kMaxGradientStride
                       << " for a depthwise data gradient, but got "
                       << problem.strideWidth;
  DepthwiseShape shape = getDepthwiseShape(problem);
  int64_t bytes = getDepthwiseFilterBytes(problem, shape);
  if (bytes > kDepthwiseSharedBytes)
    return emitError() << "expected depthwise filters that take at most "
                       << kDepthwiseSharedBytes
                       << " bytes of shared memory, but those of "
                       << shape.slab() << " channels, " << problem.filterHeight
                       << "x" << problem.filterWidth << ", take " << bytes
                       << "; divide the filter";
  return success();
}
