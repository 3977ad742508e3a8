//===- GatheredTile.h - Load a tile of scattered pixels ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills the tile that OperandTile describes from an operand of a convolution,
// with threads. A thread has one column of 16-byte chunks of each box, and
// every `threads / 8`-th row. Of these two, one is the same for all stages of
// K: it is located once, when the tile begins.
//
//   K innermost        rows are of M or N: kept; the column moves along K
//   M or N innermost   columns are: kept; rows move along K
//
// Where runs of channels are a multiple of 16 bytes, a chunk never meets two
// taps, and goes by an asynchronous copy or one load. Elsewhere each element
// is located by itself, and nothing is kept: there are too few registers.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_OPERANDS_GATHEREDTILE_H
#define AMP_LIB_KERNELS_OPERANDS_GATHEREDTILE_H

#include "OperandTile.h"
#include "PixelMatrix.h"

namespace mlir::amp {

class GatheredTile {
public:
  /// `wholeChunks`: runs of channels are multiples of 16 bytes.
  GatheredTile(DeviceBuilder &b, const OperandTile &tile, MatrixAccess access,
               bool wholeChunks)
      : b(b), tile(tile), access(access), wholeChunks(wholeChunks) {}

  /// Begins at `position` along M or N, in `operand`.
  void begin(std::unique_ptr<PixelMatrix> operand, Number position,
             Number thread, int64_t threads);
  /// Loads what begins at `k`; zeros outside.
  void load(Value shared, Number k);

private:
  /// The i-th row of the thread in a box.
  Number rowInBox(int64_t i) const { return firstRow + i * rowsAtOnce; }
  void loadChunk(Value target, const OperandPlace &row,
                 const OperandPlace &column);
  void loadElements(Value target, Number row, Number column);
  void loadBoxOfElements(Value box, Number row, Number column);

  DeviceBuilder &b;
  const OperandTile &tile;
  MatrixAccess access;
  bool wholeChunks;

  std::unique_ptr<PixelMatrix> operand;
  Number position, chunk, firstRow;
  int64_t rowsAtOnce = 0;
  /// Rows, or a column of each box.
  SmallVector<OperandPlace> kept;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_OPERANDS_GATHEREDTILE_H
