//===- PixelMatrix.cpp - Images and filters as matrices -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divisors are constants, so that a division is a multiplication and a shift:
// no more than to carry a counter from stage to stage, and without its
// registers. The one that is not, how many columns of taps the pixels of a
// class meet, is one of two constants.
//
//===----------------------------------------------------------------------===//

#include "PixelMatrix.h"

#include "amp/Kernels/GemmProblem.h"
#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

/// Coordinates and steps are below 2^29 in magnitude (verifyConvolution), so
/// neither this nor twice this comes back into an image.
static constexpr int64_t kOutside = 1 << 30;

PixelMatrix::~PixelMatrix() = default;

Number PixelMatrix::orOutside(Value inside, Number y) const {
  return b.select(inside, y, b.number(kOutside));
}

Value PixelMatrix::isInside(const OperandPlace &row,
                            const OperandPlace &column) const {
  return b.both(row.y + column.y < height, row.x + column.x < width);
}

Value PixelMatrix::address(const OperandPlace &row,
                           const OperandPlace &column) const {
  // As bits: tf32 is no type of what lies in memory.
  Type bits = b.getIntegerType(8 * getElementBytes(type));
  return b.element(pointer, bits, row.pixel + column.pixel, b.number(channels),
                   column.channel);
}

OperandPlace MatrixOperand::locateRow(Number row) const {
  return {shape.firstRow + row, orOutside(row < shape.rows, b.number(0)),
          b.number(0)};
}

OperandPlace MatrixOperand::locateColumn(Number column) const {
  return {b.number(0), orOutside(column < shape.columns, b.number(0)),
          b.number(0), shape.firstColumn + column};
}

TapOrder::Tap TapOrder::locate(DeviceBuilder &b, Number index) const {
  Number tap = index / run;
  Number row = tap / mostColumns;
  if (mostColumns > 1)
    row = b.select(columns == mostColumns, row, tap / (mostColumns - 1));
  return {row, tap - row * columns, index % run, row < rows};
}

OperandPlace ImageOperand::locateRow(Number row) const {
  Number line = row / shape.gridWidth, image = line / shape.gridHeight;
  Number y = line % shape.gridHeight * shape.scaleY + shape.originY;
  Number x = row % shape.gridWidth * shape.scaleX + shape.originX;
  Number pixel = (image * shape.height + y) * shape.width + x;
  return {pixel, orOutside(row < shape.gridPixels, y), x};
}

OperandPlace ImageOperand::locateColumn(Number column) const {
  TapOrder::Tap tap = shape.taps.locate(b, column);
  Number y = tap.row * shape.stepY, x = tap.column * shape.stepX;
  return {y * shape.width + x, orOutside(tap.inside, y), x,
          shape.firstChannel + tap.inRun};
}

OperandPlace FilterOperand::locateRow(Number row) const {
  TapOrder::Tap tap = shape.taps.locate(b, row);
  Number filter = shape.firstFilter + tap.inRun;
  Number y = shape.firstY + tap.row * shape.stepY;
  Number x = shape.firstX + tap.column * shape.stepX;
  return {(filter * shape.height + y) * shape.width + x,
          orOutside(tap.inside, b.number(0)), b.number(0)};
}

OperandPlace FilterOperand::locateColumn(Number column) const {
  return {b.number(0), orOutside(column < shape.channels, b.number(0)),
          b.number(0), column};
}
