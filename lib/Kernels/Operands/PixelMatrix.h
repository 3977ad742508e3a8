//===- PixelMatrix.h - Images and filters as matrices -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of a convolution seen as the matrices that a main loop multiplies.
// Each is stored as pixels of `channels` elements. A row and a column of the
// matrix are each located by themselves, the row as a pixel, the column as a
// step from there and a channel; together they are an element, or outside:
//
//   pixel     row.pixel + column.pixel
//   channel   column.channel
//   inside    if row.y + column.y is below `height` and row.x + column.x below
//             `width`, as unsigned numbers
//
// So a row that many chunks of a tile share is divided into its image, its
// line and its place there once, and what is left for each chunk is three
// additions, two comparisons and the address. All of it is modulo 2^32: what
// lies above or left of the image is a large number. What is outside for
// another reason has a `y` that no sum brings back.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_OPERANDS_PIXELMATRIX_H
#define AMP_LIB_KERNELS_OPERANDS_PIXELMATRIX_H

#include "Device/DeviceBuilder.h"

namespace mlir::amp {

/// A row or a column, located.
struct OperandPlace {
  Number pixel, y, x;
  /// Of columns.
  Number channel = {};
};

class PixelMatrix {
public:
  virtual ~PixelMatrix();

  virtual OperandPlace locateRow(Number row) const = 0;
  virtual OperandPlace locateColumn(Number column) const = 0;

  Value isInside(const OperandPlace &row, const OperandPlace &column) const;
  Value address(const OperandPlace &row, const OperandPlace &column) const;
  Type getType() const { return type; }

protected:
  PixelMatrix(DeviceBuilder &b, Value pointer, Type type, int64_t channels,
              int64_t height, int64_t width)
      : b(b), pointer(pointer), type(type), channels(channels), height(height),
        width(width) {}

  /// `y`, or far away.
  Number orOutside(Value inside, Number y) const;

  DeviceBuilder &b;

private:
  Value pointer;
  Type type;
  /// Elements from one pixel to the next; bounds.
  int64_t channels, height, width;
};

/// A matrix that is one: its rows are pixels.
class MatrixOperand : public PixelMatrix {
public:
  struct Shape {
    /// Of the matrix as it is stored, and of this part of it.
    int64_t stride;
    Number rows, columns;
    Number firstRow, firstColumn;
  };
  MatrixOperand(DeviceBuilder &b, Value pointer, Type type, Shape shape)
      : PixelMatrix(b, pointer, type, shape.stride, 1, 1), shape(shape) {}

  OperandPlace locateRow(Number row) const override;
  OperandPlace locateColumn(Number column) const override;

private:
  Shape shape;
};

/// How K, or N, divides into taps, row by row, of `run` elements each.
struct TapOrder {
  struct Tap {
    Number row, column, inRun;
    Value inside;
  };
  Tap locate(DeviceBuilder &b, Number index) const;

  int64_t run;
  /// No rows if there are no columns.
  Number rows, columns;
  /// The largest that `columns` can be. It is this, one less, or 0.
  int64_t mostColumns;
};

/// An image: rows of the matrix are pixels of a grid laid over it, columns are
/// taps and channels.
class ImageOperand : public PixelMatrix {
public:
  struct Shape {
    /// Of the image, all groups.
    int64_t height, width, channels;
    /// Of the grid, and its rows in all images.
    int64_t gridHeight, gridWidth;
    Number gridPixels;
    /// The pixel under a place of the grid and a tap, in each dimension, is
    /// place * scale + origin + tap * step.
    int64_t scaleY, scaleX, stepY, stepX;
    Number originY, originX;
    TapOrder taps;
    /// Of the group.
    Number firstChannel;
  };
  ImageOperand(DeviceBuilder &b, Value pointer, Type type, Shape shape)
      : PixelMatrix(b, pointer, type, shape.channels, shape.height,
                    shape.width),
        shape(shape) {}

  OperandPlace locateRow(Number row) const override;
  OperandPlace locateColumn(Number column) const override;

private:
  Shape shape;
};

/// Filters with taps along the rows: a row is a tap and a filter, a column is a
/// channel.
class FilterOperand : public PixelMatrix {
public:
  struct Shape {
    int64_t height, width, channels;
    Number firstFilter;
    /// Those taps (row, column) that are used are (first + tap * step).
    TapOrder taps;
    Number firstY, firstX;
    int64_t stepY, stepX;
  };
  FilterOperand(DeviceBuilder &b, Value pointer, Type type, Shape shape)
      : PixelMatrix(b, pointer, type, shape.channels, 1, 1), shape(shape) {}

  OperandPlace locateRow(Number row) const override;
  OperandPlace locateColumn(Number column) const override;

private:
  Shape shape;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_OPERANDS_PIXELMATRIX_H
