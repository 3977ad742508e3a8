//===- DepthwiseKernels.cpp - One channel for each filter -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of a kernel: images are summed over taps, the filters' gradient
// over pixels.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseKernels.h"

using namespace mlir;
using namespace mlir::amp;

void mlir::amp::emitDepthwiseKernels(DeviceBuilder &b, StringRef name,
                                     const ConvolutionProblem &problem,
                                     const GemmEpilogue &epilogue,
                                     int64_t multiprocessors) {
  if (problem.kind == ConvolutionKind::WeightGradient)
    emitDepthwiseWeights(b, name, problem, epilogue, multiprocessors);
  else
    emitDepthwiseImages(b, name, problem, epilogue);
}
