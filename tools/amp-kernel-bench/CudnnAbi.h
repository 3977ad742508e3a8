//===-- CudnnAbi.h - What we use of cuDNN's ABI -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations of cuDNN 9's convolution functions, so that no package is
// needed to build. A unit test compares them with cudnn.h where that is found.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TOOLS_AMP_KERNEL_BENCH_CUDNNABI_H
#define AMP_TOOLS_AMP_KERNEL_BENCH_CUDNNABI_H

#include <cstddef>

namespace amp::bench::cudnn {

using Status = int;
using Handle = struct HandleObject *;
using TensorDesc = struct TensorDescObject *;
using FilterDesc = struct FilterDescObject *;
using ConvolutionDesc = struct ConvolutionDescObject *;

enum : int {
  kFloat = 0,
  kHalf = 2,
  kBFloat16 = 9,
  kNchw = 0,
  kNhwc = 1,
  kCrossCorrelation = 1,
  kTensorOpMath = 1,
  kFmaMath = 3
};

/// The same for the three directions.
struct Performance {
  int algorithm;
  Status status;
  float milliseconds;
  size_t memory;
  int determinism;
  int mathType;
  int reserved[3];
};

#define AMP_CUDNN_FUNCTIONS(X)                                                 \
  X(Create, (Handle *))                                                        \
  X(Destroy, (Handle))                                                         \
  X(SetStream, (Handle, void *stream))                                         \
  X(CreateTensorDescriptor, (TensorDesc *))                                    \
  X(DestroyTensorDescriptor, (TensorDesc))                                     \
  X(SetTensor4dDescriptor,                                                     \
    (TensorDesc, int format, int type, int n, int c, int h, int w))            \
  X(CreateFilterDescriptor, (FilterDesc *))                                    \
  X(DestroyFilterDescriptor, (FilterDesc))                                     \
  X(SetFilter4dDescriptor,                                                     \
    (FilterDesc, int type, int format, int k, int c, int r, int s))            \
  X(CreateConvolutionDescriptor, (ConvolutionDesc *))                          \
  X(DestroyConvolutionDescriptor, (ConvolutionDesc))                           \
  X(SetConvolutionNdDescriptor,                                                \
    (ConvolutionDesc, int dimensions, const int *padding, const int *stride,   \
     const int *dilation, int mode, int computeType))                          \
  X(SetConvolutionMathType, (ConvolutionDesc, int mathType))                   \
  X(SetConvolutionGroupCount, (ConvolutionDesc, int groups))                   \
  X(FindConvolutionForwardAlgorithm,                                           \
    (Handle, TensorDesc x, FilterDesc, ConvolutionDesc, TensorDesc y,          \
     int requested, int *found, Performance *))                                \
  X(FindConvolutionBackwardDataAlgorithm,                                      \
    (Handle, FilterDesc, TensorDesc y, ConvolutionDesc, TensorDesc x,          \
     int requested, int *found, Performance *))                                \
  X(FindConvolutionBackwardFilterAlgorithm,                                    \
    (Handle, TensorDesc x, TensorDesc y, ConvolutionDesc, FilterDesc,          \
     int requested, int *found, Performance *))                                \
  X(ConvolutionForward,                                                        \
    (Handle, const void *alpha, TensorDesc, const void *x, FilterDesc,         \
     const void *f, ConvolutionDesc, int algorithm, void *workspace,           \
     size_t workspaceBytes, const void *beta, TensorDesc, void *y))            \
  X(ConvolutionBackwardData,                                                   \
    (Handle, const void *alpha, FilterDesc, const void *f, TensorDesc,         \
     const void *y, ConvolutionDesc, int algorithm, void *workspace,           \
     size_t workspaceBytes, const void *beta, TensorDesc, void *x))            \
  X(ConvolutionBackwardFilter,                                                 \
    (Handle, const void *alpha, TensorDesc, const void *x, TensorDesc,         \
     const void *y, ConvolutionDesc, int algorithm, void *workspace,           \
     size_t workspaceBytes, const void *beta, FilterDesc, void *f))

} // namespace amp::bench::cudnn

#endif // AMP_TOOLS_AMP_KERNEL_BENCH_CUDNNABI_H
