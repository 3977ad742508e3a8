//===- TensorMap.h - The CPU's form of a TMA descriptor ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a GPU a kernel gets 128 opaque bytes that the driver has encoded. Here it
// gets the address of this struct, with the same fields and under the same
// rules: what cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col would refuse,
// validate() names.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_TENSORMAP_H
#define AMP_EMULATOR_TENSORMAP_H

#include "amp/Emulator/Instruction.h"

#include <cstdint>

namespace amp::emu {

/// A tensor in global memory and the part of it that one copy moves. Dimension
/// 0 is the innermost.
struct TensorMap {
  char *base = nullptr;
  int rank = 2;
  /// Bytes of an element, and its format where copies reduce.
  int elementSize = 2;
  Format format = Format::F16;
  int64_t sizes[5] = {1, 1, 1, 1, 1};
  /// Bytes from one step of a dimension to the next; strides[0] is elementSize.
  int64_t strides[5] = {0, 0, 0, 0, 0};
  /// Tiled mode: elements of the box. A step of s > 1 in stepSizes loads every
  /// s-th element, so that the tile holds ceil(box / s) of them; dimension 0
  /// has none.
  int box[5] = {1, 1, 1, 1, 1};
  int stepSizes[5] = {1, 1, 1, 1, 1};
  /// Bytes of a row that the 16-byte chunks are permuted in: 0, 32, 64, 128.
  int swizzle = 0;
  /// Elements outside the tensor read as NaN instead of zero.
  bool fillNaN = false;

  /// im2col mode: dimension 0 is channels, the last is images, those between
  /// are spatial. The corners bound the pixels that start a window.
  bool im2col = false;
  int lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
  int channels = 0, pixels = 0;

  /// Elements along dimension `d` of the tile in shared memory (im2col: 0 is
  /// channels and 1 is pixels).
  int getTileSize(int d) const;
  /// Bytes of the tile; what a load counts on its mbarrier, whatever of it lies
  /// inside the tensor.
  int64_t getTileBytes() const;

  /// The first rule that this descriptor breaks, or null.
  const char *validate() const;
  /// The same for a tile at offset `shared` of shared memory.
  const char *validateTile(uint32_t shared) const;

  /// Where in global memory the elements of a tile row come from. A row is what
  /// lies together in dimension 0. `row` counts over the other dimensions, the
  /// second fastest. Returns the address of the row's first element (which may
  /// lie outside the tensor) or null when the whole row does; [first, last) is
  /// the part inside. `offsets` are im2col's, and null in tiled mode.
  char *getRow(int row, const int32_t *coordinates, const uint16_t *offsets,
               int &first, int &last) const;
  int getNumRows() const;
};

/// The permutation of 16-byte chunks that a tile of the given swizzle has, on
/// offsets from the start of shared memory (its alignment is 8 rows).
inline uint32_t swizzleOffset(uint32_t offset, int swizzle) {
  if (swizzle < 32)
    return offset;
  return offset ^ ((offset >> 7 & uint32_t(swizzle / 16 - 1)) << 4);
}

} // namespace amp::emu

#endif // AMP_EMULATOR_TENSORMAP_H
