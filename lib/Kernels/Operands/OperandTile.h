//===- OperandTile.h - A tile of A or B in shared memory --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operand's part of a stage: where TMA or threads put it, and how wgmma or
// ldmatrix finds it. Both and TMA know a pattern of 8 rows of 128 bytes, in
// which the 16-byte chunk c of row r lies at place c xor r. The tile is boxes
// of 128-byte rows.
//
//   K innermost        one box; a row of it is one row of A (or column of B),
//                      128 bytes of K. Instructions step along K inside the
//                      rows, by 32 bytes.
//   M or N innermost   a box for each 64 of M (N); a row of it is one k. The
//                      next box is 8 KiB on, and instructions step along K by
//                      rows, 2 KiB. Of 32 bits a box has 32 of M (N) and of K,
//                      4 KiB, and an instruction 1 KiB.
//
// In both, 64 rows of A take 8 KiB, so the second consumer's half of the tile,
// or a cluster block's half of B, is at the same place whatever the layout.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_OPERANDS_OPERANDTILE_H
#define AMP_LIB_KERNELS_OPERANDS_OPERANDTILE_H

#include "Device/Sm90Instructions.h"
#include "amp/Kernels/GemmProblem.h"
#include "amp/Kernels/Schedule.h"
#include "amp/Support/ShapedBytes.h"

namespace mlir::amp {

/// An operand in global memory.
struct OperandSource {
  MatrixAccess access;
  /// A tensor map or the matrix itself.
  Value pointer;
  /// Without TMA: elements along the stored row, stored rows, elements from
  /// one to the next, and from one matrix of a batch to the next.
  Number inner, outer, stride;
  /// `inner` is a multiple of 16 bytes.
  bool wholeChunks = false;
};

class OperandTile {
public:
  /// `extent` rows of A or columns of B; `transposed`: M or N innermost.
  OperandTile(Type type, int64_t extent, bool transposed)
      : type(type), extent(extent), transposed(transposed) {}

  bool isTransposed() const { return transposed; }
  /// Rows of A or columns of B.
  int64_t size() const { return extent; }
  int64_t bytes() const { return extent * 128; }
  /// Elements of the box along the stored row, and rows of it.
  int64_t boxColumns() const { return 128 / getElementBytes(type); }
  int64_t boxRows() const { return transposed ? boxColumns() : extent; }
  /// Elements of 16 bytes.
  int64_t perChunk() const { return 16 / getElementBytes(type); }
  /// Where a chunk of a box's row lies in the box.
  static Number chunkPlace(Number boxRow, Number chunk) {
    return boxRow * 128 + (chunk ^ (boxRow % 8)) * 16;
  }

  /// Has the copy engine load the tile that begins at `position` along M or N
  /// and at `k`; its bytes count on `barrier`. `matrix` are further coordinates
  /// in the tensor map. By one thread.
  void loadByTma(DeviceBuilder &b, const OperandSource &source, Value shared,
                 Number position, Number k, ArrayRef<Value> matrix,
                 Value barrier, Value multicast) const;

  /// Loads the same with `threads` threads, zeros outside the matrix: by
  /// asynchronous copies or through registers, as the source's access says.
  /// The caller waits or fences, and signals.
  void loadByThreads(DeviceBuilder &b, const OperandSource &source,
                     Value shared, Number position, Number k, Number batch,
                     Number thread, int64_t threads) const;

  /// The four 8x8 matrices that a lane addresses with ldmatrix are two along M
  /// or N by two along K; this says which pair comes first.
  enum class MatrixOrder { PositionFirst, KFirst };
  /// Loads 16 of M or N, by 16 of K, for mma.sync. They begin `offset` after
  /// `position`, which is a multiple of 32, of 64 if `offset` is above 16.
  SmallVector<Value> loadMatrices(DeviceBuilder &b, Value shared,
                                  Number position, int64_t offset, int64_t step,
                                  Number lane, MatrixOrder order) const;
  /// The same for 32 bits, half as many of K, word by word: ldmatrix does not
  /// transpose these. The k of a lane's words are others than ldmatrix gives
  /// it, so both operands are loaded in one way.
  SmallVector<Value> loadWords(DeviceBuilder &b, Value shared, Number position,
                               int64_t offset, int64_t step, Number lane,
                               MatrixOrder order) const;

  /// The descriptor of the tile at `address`.
  Value descriptor(DeviceBuilder &b, Value address) const;
  /// The descriptor of the part for the `step`-th instruction of a stage.
  Value advance(DeviceBuilder &b, Value descriptor, int64_t step) const;

private:
  /// Emits the load of one 16-byte chunk of a stored row, or its copy.
  void copyChunk(DeviceBuilder &b, const OperandSource &source, Value shared,
                 Number row, Number column, Number batch) const;
  Value loadChunk(DeviceBuilder &b, const OperandSource &source, Number row,
                  Number column, Number batch) const;

  Type type;
  int64_t extent;
  bool transposed;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_OPERANDS_OPERANDTILE_H
