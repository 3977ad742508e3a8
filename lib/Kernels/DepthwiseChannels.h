//===- DepthwiseChannels.h - Channels of a thread ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the threads of a depthwise kernel share the work, and how they read
// pixels. A thread has a few neighbouring channels: as many as 16 bytes hold
// where pixels are multiples of that, else two. Up to eight threads stand side
// by side along the channels; together they are a slab. The other threads of
// the block have the same channels at other strips, which are short pieces of
// an image's row.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_DEPTHWISECHANNELS_H
#define AMP_LIB_KERNELS_DEPTHWISECHANNELS_H

#include "DeviceBuilder.h"
#include "amp/Kernels/Convolution.h"

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

/// Reads a thread's channels in an image.
class PixelReader {
public:
  /// `channels` of the image's pixels; `places` are the channels that the
  /// thread reads, one for each access.
  PixelReader(DeviceBuilder &b, const DepthwiseShape &shape, Type type,
              Value image, int64_t channels, ArrayRef<Number> places)
      : b(b), shape(shape), type(type), image(image), channels(channels),
        places(places) {}

  /// Addresses, one for each access, in the pixel `column` after `pixel`.
  /// `column` is signed.
  SmallVector<Value> locate(Number pixel, Number column) const;
  /// The channels, in f32, `column` pixels after `addresses`. If not `inside`,
  /// nothing is read, and they are zeros.
  Value load(ArrayRef<Value> addresses, int64_t column,
             Value inside = Value()) const;

private:
  DeviceBuilder &b;
  const DepthwiseShape &shape;
  Type type;
  Value image;
  int64_t channels;
  SmallVector<Number> places;
};

/// The channels of the result that begin at `channel`, one for each access;
/// none is past the last.
SmallVector<Number> getChannels(DeviceBuilder &b, const DepthwiseShape &shape,
                                Number channel);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_DEPTHWISECHANNELS_H
