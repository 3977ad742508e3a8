//===- ResultMatrix.h - Where elements of D lie -----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix that a kernel writes: D, one of its batch, some columns of it, or
// the workspace of a split K. Emitters number rows and columns as the product
// does; where these are in memory, and which of them are there at all, is said
// here.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_EPILOGUE_RESULTMATRIX_H
#define AMP_LIB_KERNELS_EPILOGUE_RESULTMATRIX_H

#include "Device/DeviceBuilder.h"
#include "amp/Kernels/GemmProblem.h"

namespace mlir::amp {

/// The matrix that an epilogue's elements are part of.
struct EpilogueShape {
  Number m, n;
  /// Added to the row of a "matrix" operand: matrix of the batch times m.
  Number firstRow;
  /// n is even, so that two elements of a row lie on a multiple of two.
  bool evenColumns;
  /// Where the matrix is some columns of a wider one: the first of them, and
  /// the elements of a row of a "matrix" operand.
  Number firstColumn = {}, stride = {};

  Number locateColumn(Number column) const {
    return firstColumn ? firstColumn + column : column;
  }
};

/// Where elements go.
struct ResultMatrix {
  EpilogueShape shape;
  Value pointer;
  /// Elements from one row to the next, and whether they are an even number.
  Number stride;
  bool evenStride;
  /// The row of the matrix that a row of the product is: shape.m or more if it
  /// is none. Without it they are the same.
  std::function<Number(Number)> rowOf = nullptr;
  /// n and `stride` are multiples of 16 bytes.
  bool wholeChunks = false;
  /// As rowOf, of columns; pairs stay together. For wgmma alone.
  std::function<Number(Number)> columnOf = nullptr;
  /// Where it is one of several in a tensor map: its further coordinates.
  SmallVector<Value, 3> mapCoordinates = {};
  /// `pointer` is that of the matrix itself, whatever shape.firstRow is.
  bool pointsAtMatrix = false;

  Number locateRow(Number row) const { return rowOf ? rowOf(row) : row; }
  Number locateColumn(Number column) const {
    return columnOf ? columnOf(column) : column;
  }
  /// The address of an element.
  Value element(DeviceBuilder &b, Type type, Number row, Number column) const {
    return b.element(pointer, type, pointsAtMatrix ? row : row + shape.firstRow,
                     stride, shape.locateColumn(column));
  }
};

/// Whether two elements of a row of D, from an even one on, lie on a multiple
/// of two.
bool hasEvenResult(const GemmProblem &problem);

/// Stores two elements of a row, as far as they lie in the matrix.
void storePair(DeviceBuilder &b, Value pair, const ResultMatrix &matrix,
               Number row, Number column);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_EPILOGUE_RESULTMATRIX_H
