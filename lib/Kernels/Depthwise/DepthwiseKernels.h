//===- DepthwiseKernels.h - One channel for each filter ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a depthwise convolution each group is one channel, with one filter or a
// few. There is no sum over channels, so no matrix product in it: an element of
// a filter is used for one channel only. Its kernels are bound by memory. They
// use plain arithmetic, on every chip.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_DEPTHWISE_DEPTHWISEKERNELS_H
#define AMP_LIB_KERNELS_DEPTHWISE_DEPTHWISEKERNELS_H

#include "Device/DeviceBuilder.h"
#include "amp/Kernels/ConvolutionProblem.h"
#include "amp/Kernels/GemmEpilogue.h"

namespace mlir::amp {

/// Adds kernel `name`; for a weight gradient, which is a sum over blocks, also
/// `<name>_reduce`, in as many parts as keep `multiprocessors` busy.
void emitDepthwiseKernels(DeviceBuilder &b, StringRef name,
                          const ConvolutionProblem &problem,
                          const GemmEpilogue &epilogue,
                          int64_t multiprocessors);

// What it chooses from.
void emitDepthwiseImages(DeviceBuilder &b, StringRef name,
                         const ConvolutionProblem &problem,
                         const GemmEpilogue &epilogue);
void emitDepthwiseWeights(DeviceBuilder &b, StringRef name,
                          const ConvolutionProblem &problem,
                          const GemmEpilogue &epilogue,
                          int64_t multiprocessors);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_DEPTHWISE_DEPTHWISEKERNELS_H
