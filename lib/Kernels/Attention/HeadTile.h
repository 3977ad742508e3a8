//===- HeadTile.h - Rows of a head in shared memory -------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 64 rows of a head's Q, K, V or O: how they reach shared memory and how matrix
// instructions read them. They lie as OperandTile says, 64 elements of a row in
// a box of 128-byte rows, which of shorter rows has only the first chunks. So
// one tile is read both ways: its rows as rows of A or columns of B, with the
// depth as K; or the depth as columns of B, with its rows as K.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ATTENTION_HEADTILE_H
#define AMP_LIB_KERNELS_ATTENTION_HEADTILE_H

#include "Operands/OperandTile.h"

namespace mlir::amp {

/// The rows of one head in global memory, `stride` elements apart.
struct HeadRows {
  Value pointer;
  Number count, stride;
};

class HeadTile {
public:
  static constexpr int64_t kRows = 64;
  /// What shares the work of a tile.
  static constexpr int64_t kThreads = 128;

  HeadTile(Type type, int64_t depth) : type(type), depth(depth) {}

  int64_t bytes() const { return boxes() * kBoxBytes; }
  /// Steps of 16 along the depth, and along the rows.
  int64_t depthSteps() const { return depth / 16; }
  static constexpr int64_t kRowSteps = kRows / 16;
  /// Where a step of rows begins.
  static Value getStep(DeviceBuilder &b, Value shared, Number rowStep) {
    return b.advance(shared, rowStep * (16 * 128));
  }

  /// Copies the rows from `first` on asynchronously, zeros for those that are
  /// not there.
  void load(DeviceBuilder &b, const HeadRows &source, Value shared,
            Number first, Number thread) const;

  /// 16 rows from `row` on, as A, by 16 of the depth.
  SmallVector<Value> loadRows(DeviceBuilder &b, Value shared, Number row,
                              int64_t depthStep, Number lane) const;
  /// The first step of rows, as two times 8 columns of B.
  SmallVector<Value> loadColumns(DeviceBuilder &b, Value shared,
                                 int64_t depthStep, Number lane) const;
  /// The first step of rows as K, by 16 of the depth as two times 8 columns of
  /// B.
  SmallVector<Value> loadTransposed(DeviceBuilder &b, Value shared,
                                    int64_t depthStep, Number lane) const;

  /// Stores a warp's 16 rows of sums, four for each 8 of the depth as mma.sync
  /// leaves them, to global memory by way of `shared`, the memory of a tile of
  /// which nobody else reads these rows any more. `row` is the first of them in
  /// the tile, `first` the tile's in the head.
  void storeRows(DeviceBuilder &b, const HeadRows &target, Value shared,
                 Number row, Number first, ArrayRef<Value> sums,
                 Number lane) const;

private:
  static constexpr int64_t kBoxBytes = kRows * 128;

  int64_t boxes() const { return llvm::divideCeil(depth, 64); }
  /// Chunks of 16 bytes of a row in one box.
  int64_t chunks() const { return std::min<int64_t>(depth, 64) / 8; }
  /// The row and the chunk that a thread moves, of as many rows as there are
  /// threads for.
  std::pair<Number, Number> share(Number thread) const;
  Value getBox(DeviceBuilder &b, Value shared, int64_t depthStep) const {
    return b.advance(shared, depthStep / 4 * kBoxBytes);
  }

  Type type;
  int64_t depth;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ATTENTION_HEADTILE_H
