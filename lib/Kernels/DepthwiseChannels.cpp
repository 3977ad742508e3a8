//===- DepthwiseChannels.cpp - Channels of a thread -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of a thread's share, and its loads. Channels past the last are
// read as the last and never stored.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseChannels.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

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
