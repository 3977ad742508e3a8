//===- DepthwiseShape.h - Threads of a depthwise kernel ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has a few neighbouring channels: as many as 16 bytes hold where
// pixels are multiples of that, else two. Up to eight threads stand side by
// side along the channels; together they are a slab. The other threads of the
// block have the same channels at other strips, which are short pieces of an
// image's row. All of it follows from the convolution, and so does what these
// kernels refuse: filters that shared memory does not hold.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_CONFIG_DEPTHWISESHAPE_H
#define AMP_LIB_KERNELS_CONFIG_DEPTHWISESHAPE_H

#include "amp/Kernels/ConvolutionProblem.h"

namespace mlir::amp {

struct DepthwiseShape {
  static constexpr int64_t threads = 256;

  /// Channels of the result, those of a thread, and those of one access.
  int64_t channels, vector, access;
  /// Threads side by side along the channels.
  int64_t lanes;

  int64_t slab() const { return lanes * vector; }
  int64_t slabs() const { return llvm::divideCeil(channels, slab()); }
  /// Strips of a block at a time.
  int64_t strips() const { return threads / lanes; }
};

/// Shared memory that every chip gives to a block unasked.
inline constexpr int64_t kDepthwiseSharedBytes = 48 * 1024;

/// Columns of a strip.
int64_t getStripWidth(const ConvolutionProblem &problem);

/// Filters of one channel.
inline int64_t getMultiplier(const ConvolutionProblem &problem) {
  return problem.filters / problem.channels;
}

DepthwiseShape getDepthwiseShape(const ConvolutionProblem &problem);

/// Bytes of the filters that a block keeps in shared memory, by the tap: not of
/// a weight gradient.
int64_t getDepthwiseFilterBytes(const ConvolutionProblem &problem,
                                const DepthwiseShape &shape);

/// Checks what the depthwise kernels ask of a convolution that is verified.
/// Says what is wrong and what to do about it.
LogicalResult
verifyDepthwiseKernels(const ConvolutionProblem &problem,
                       function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_CONFIG_DEPTHWISESHAPE_H
