//===- PixelReader.cpp - Read the channels of a thread --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Channels past the last are read as the last and never stored, so that no load
// needs a condition of its own.
//
//===----------------------------------------------------------------------===//

#include "PixelReader.h"

#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

SmallVector<Number> mlir::amp::getChannels(DeviceBuilder &b,
                                           const DepthwiseShape &shape,
                                           Number channel) {
  SmallVector<Number> channels;
  for (int64_t i = 0; i < shape.vector; i += shape.access)
    channels.push_back(min(channel + i, b.number(shape.channels - 1)));
  return channels;
}

SmallVector<Value> PixelReader::locate(Number pixel, Number column) const {
  auto wide = [&](int64_t x) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(x));
  };
  // Before the first pixel, the offset is negative.
  Value offset = b.createOrFold<arith::MulIOp>(
      b.createOrFold<arith::ExtSIOp>(b.getI64Type(), column), wide(channels));
  SmallVector<Value> addresses;
  for (Number place : places)
    addresses.push_back(LLVM::GEPOp::create(
        b, image.getType(), type,
        b.element(image, type, pixel, b.number(channels), place),
        ValueRange{offset}));
  return addresses;
}

Value PixelReader::load(ArrayRef<Value> addresses, int64_t column,
                        Value inside) const {
  Type element = shape.access == 1 ? type : VectorType::get(shape.access, type);
  int64_t bytes = getElementBytes(type);
  SmallVector<Value> values;
  for (Value address : addresses) {
    Value place = b.advance(address, column * channels * bytes);
    unsigned alignment = shape.access * bytes;
    values.push_back(inside ? b.loadIf(inside, element, place, alignment)
                            : b.load(element, place, alignment));
  }
  return b.widen(shape.access == 1 ? b.gather(values) : values[0]);
}
