//===- ThreadProducts.h - Products of f32 by plain arithmetic ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's part of a matrix product without Tensor Cores: 8 rows by 8 columns
// of f32, 32 rows by 64 columns in a warp. It reads the tiles that OperandTile
// describes, 16 bytes at a time.
//
// Which rows (columns) a thread has depends on how the operand is stored, so
// that one read is always four elements that it uses. With K innermost those
// are four of K in one row. With M or N innermost they are four rows, so the
// thread's rows come in fours. Columns come at least in pairs, for the
// epilogue.
//
// The eight lanes that read at a time have two rows of A and four columns of B,
// or four chunks of a row. In the swizzled tiles these lie in different banks.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_MAINLOOPS_THREADPRODUCTS_H
#define AMP_LIB_KERNELS_MAINLOOPS_THREADPRODUCTS_H

#include "Epilogue/EpilogueBuilder.h"
#include "Operands/OperandTile.h"

namespace mlir::amp {

class ThreadProducts {
public:
  static constexpr int64_t kWarpRows = 32, kWarpColumns = 64;
  static constexpr int64_t kSums = 8 * 8;

  /// `row` and `column` of the tile are where the warp's part begins.
  ThreadProducts(DeviceBuilder &b, const OperandTile &a, const OperandTile &bs,
                 Number lane, Number row, Number column);

  /// Adds to the thread's sums the product of one stage, 32 of K.
  SmallVector<Value> multiplyStage(Value tileA, Value tileB,
                                   ValueRange sums) const;

  /// Applies the epilogue and stores; `row` and `column` are where the tile
  /// begins.
  void store(ArrayRef<Value> sums, EpilogueBuilder &epilogue,
             const ResultMatrix &matrix, Number row, Number column) const;

private:
  /// One operand's eight rows or columns of the thread.
  struct Line {
    const OperandTile &tile;
    Number first, lane;
    /// Lanes along this side, and how many neighbours a lane has at least.
    int64_t lanes, neighbours;

    /// The i-th, in the tile.
    Number at(int64_t i) const;
  };
  /// The line's elements for four of K, the first of which is 4 * quad: the
  /// element i of k at 4 * i + k.
  SmallVector<Value> load(const Line &line, Value tile, Number quad) const;

  DeviceBuilder &b;
  Line rows, columns;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_MAINLOOPS_THREADPRODUCTS_H
