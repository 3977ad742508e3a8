//===- DepthwiseConvolution.cpp - One channel for each filter -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules, and the choice of a kernel.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseKernels.h"

using namespace mlir;
using namespace mlir::amp;

/// A thread has the sums of as many columns in registers.
static constexpr int64_t kMaxGradientStride = 32;

LogicalResult mlir::amp::verifyDepthwiseKernels(
    const ConvolutionProblem &problem,
    function_ref<InFlightDiagnostic()> emitError) {
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

void mlir::amp::emitDepthwiseKernels(DeviceBuilder &b, StringRef name,
                                     const ConvolutionProblem &problem,
                                     const GemmEpilogue &epilogue,
                                     int64_t multiprocessors) {
  if (problem.kind == ConvolutionKind::WeightGradient)
    emitDepthwiseWeights(b, name, problem, epilogue, multiprocessors);
  else
    emitDepthwiseImages(b, name, problem, epilogue);
}
