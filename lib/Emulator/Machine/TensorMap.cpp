//===- TensorMap.cpp - The CPU's form of a TMA descriptor -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, and the walk
// over the rows of a tile.
//
// In im2col mode a tile is a column of pixels. The pixels are those at which a
// convolution window may start: in each spatial dimension from `lower` up to,
// but not including, size + `upper`, every stepSizes-th of them, innermost
// dimension first, then the next image. The coordinates name the first pixel of
// the column, the offsets the position inside the window, which is added to
// each pixel. What then lies outside the tensor is filled.
//
//===----------------------------------------------------------------------===//

#include "amp/Emulator/TensorMap.h"

#include <algorithm>

using namespace amp::emu;

int TensorMap::getTileSize(int d) const {
  if (im2col)
    return d == 0 ? channels : d == 1 ? pixels : 1;
  // The hardware takes no step in dimension 0.
  return d == 0 ? box[0] : (box[d] + stepSizes[d] - 1) / stepSizes[d];
}

int TensorMap::getNumRows() const {
  if (im2col)
    return pixels;
  int rows = 1;
  for (int d = 1; d < rank; ++d)
    rows *= getTileSize(d);
  return rows;
}

int64_t TensorMap::getTileBytes() const {
  return int64_t(getTileSize(0)) * elementSize * getNumRows();
}

const char *TensorMap::validate() const {
  if (rank < 1 || rank > 5 || (im2col && rank < 3))
    return "expected a tensor map of rank 1 to 5 (3 to 5 for im2col)";
  if (reinterpret_cast<uintptr_t>(base) % 16)
    return "expected the address of a tensor map to be a multiple of 16";
  for (int d = 1; d < rank; ++d)
    if (strides[d] % 16 || strides[d] < 0 || strides[d] >= int64_t(1) << 40)
      return "expected the strides of a tensor map to be multiples of 16 below "
             "2^40";
  for (int d = 0; d < rank; ++d) {
    if (sizes[d] < 1 || sizes[d] > int64_t(1) << 32)
      return "expected the sizes of a tensor map to be from 1 to 2^32";
    if (stepSizes[d] < 1 || stepSizes[d] > 8)
      return "expected the element strides of a tensor map to be from 1 to 8";
    if (!im2col && (box[d] < 1 || box[d] > 256))
      return "expected the box of a tensor map to be from 1 to 256 in each "
             "dimension";
  }
  if (im2col && (channels < 1 || channels > 256 || pixels < 1 || pixels > 1024))
    return "expected 1 to 256 channels and 1 to 1024 pixels of an im2col tile";
  int rowBytes = getTileSize(0) * elementSize;
  if (rowBytes % 16)
    return "expected the rows of a tile to be multiples of 16 bytes";
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return "expected a swizzle of 0, 32, 64 or 128 bytes";
  if (swizzle && rowBytes > swizzle)
    return "expected the rows of a tile to fit into the swizzle";
  return nullptr;
}

const char *TensorMap::validateTile(uint32_t shared) const {
  if (const char *why = validate())
    return why;
  if (shared % 128)
    return "expected a tile at a multiple of 128 bytes";
  if (shared % (std::max(16, swizzle) * 8))
    return "expected a swizzled tile at a multiple of 8 of its rows";
  return nullptr;
}

char *TensorMap::getRow(int row, const int32_t *coordinates,
                        const uint16_t *offsets, int &first, int &last) const {
  int64_t position[5];
  position[0] = coordinates[0];
  bool inside = true;
  if (!im2col) {
    for (int d = 1; d < rank; ++d) {
      int size = getTileSize(d);
      position[d] = coordinates[d] + int64_t(row % size) * stepSizes[d];
      row /= size;
    }
  } else {
    // Count windows from the first one on; `row` carries into the next
    // dimension.
    int64_t carry = row;
    for (int d = 1; d < rank - 1; ++d) {
      int64_t extent = sizes[d] + upper[d - 1] - lower[d - 1];
      int64_t count =
          std::max<int64_t>(1, (extent + stepSizes[d] - 1) / stepSizes[d]);
      int64_t start = (coordinates[d] - lower[d - 1]) / stepSizes[d];
      int64_t at = start + carry;
      carry = at / count;
      position[d] = lower[d - 1] + at % count * stepSizes[d] + offsets[d - 1];
    }
    position[rank - 1] = coordinates[rank - 1] + carry;
  }
  char *address = base + position[0] * elementSize;
  for (int d = 1; d < rank; ++d) {
    inside &= position[d] >= 0 && position[d] < sizes[d];
    address += position[d] * strides[d];
  }
  int64_t size = getTileSize(0);
  first = int(std::clamp<int64_t>(-position[0], 0, size));
  last = int(std::clamp<int64_t>(sizes[0] - position[0], first, size));
  return inside && last > first ? address : nullptr;
}
