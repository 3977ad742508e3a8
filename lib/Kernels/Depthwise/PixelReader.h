//===- PixelReader.h - Read the channels of a thread ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread of a depthwise kernel reads of an image: its channels of one
// pixel, as f32. Which channels are its own, DepthwiseShape.h says.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_DEPTHWISE_PIXELREADER_H
#define AMP_LIB_KERNELS_DEPTHWISE_PIXELREADER_H

#include "Config/DepthwiseShape.h"
#include "Device/DeviceBuilder.h"

namespace mlir::amp {

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

#endif // AMP_LIB_KERNELS_DEPTHWISE_PIXELREADER_H
