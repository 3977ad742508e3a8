//===- EpilogueBuilder.h - Apply an epilogue to two elements ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clones an epilogue's operations onto vectors of two neighbouring elements of
// a row, which is how the results of a matrix instruction lie in a thread, and
// loads the operands that belong to them. Addresses are clamped into the
// matrix: a tile at the edge computes elements that are never stored, from
// values that exist. What depends on the row or the column alone is loaded once
// for each.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_EPILOGUEBUILDER_H
#define AMP_LIB_KERNELS_EPILOGUEBUILDER_H

#include "DeviceBuilder.h"
#include "amp/Kernels/GemmEpilogue.h"

namespace mlir::amp {

class EpilogueOutputs;

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

class EpilogueBuilder {
public:
  /// `pointers` to the operands, in their order.
  EpilogueBuilder(DeviceBuilder &b, const GemmEpilogue &epilogue,
                  ArrayRef<Value> pointers, EpilogueShape shape, Type result)
      : b(b), epilogue(epilogue), pointers(pointers), shape(shape),
        result(result) {}

  /// Where what the epilogue gives beside elements goes; needed if it does.
  void setOutputs(EpilogueOutputs *target) { outputs = target; }

  /// Two sums at (row, column) and (row, column + 1) become two elements. All
  /// calls stand in one block of operations.
  Value apply(Value sums, Number row, Number column);

private:
  Value loadOperand(unsigned index, Number row, Number column);
  Value loadPair(Type type, Value pointer, Number row, Number stride,
                 Number column);
  Value clone(Operation &op, IRMapping &mapping);

  DeviceBuilder &b;
  const GemmEpilogue &epilogue;
  SmallVector<Value> pointers;
  EpilogueShape shape;
  Type result;
  EpilogueOutputs *outputs = nullptr;
  /// Operands that were loaded, by index and by what they depend on.
  DenseMap<std::pair<unsigned, Value>, Value> loaded;
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

  Number locateRow(Number row) const { return rowOf ? rowOf(row) : row; }
  Number locateColumn(Number column) const {
    return columnOf ? columnOf(column) : column;
  }
};

/// Stores two elements of a row, as far as they lie in the matrix.
void storePair(DeviceBuilder &b, Value pair, const ResultMatrix &matrix,
               Number row, Number column);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_EPILOGUEBUILDER_H
