//===-- StridedCopy.cpp - Copies between arrays of any strides ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The innermost dimensions that lie in one piece on both sides are copied as
// one; the others are walked from the outermost on.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Memory.h"

#include <cstring>

namespace {
/// One side of a copy.
struct Side {
  char *address;
  const int64_t *strides;
};

/// The head of a descriptor; sizes and strides follow it.
struct Descriptor {
  char *allocated, *aligned;
  int64_t offset;
  int64_t numbers[];
};
} // namespace

/// Copies pieces of `inner` bytes, `rank` dimensions of them.
static void copyPieces(int64_t elementSize, int64_t inner, int64_t rank,
                       const int64_t *extents, Side from, Side to) {
  if (rank == 0) {
    std::memcpy(to.address, from.address, static_cast<size_t>(inner));
    return;
  }
  for (int64_t i = 0; i < *extents; ++i)
    copyPieces(
        elementSize, inner, rank - 1, extents + 1,
        {from.address + i * *from.strides * elementSize, from.strides + 1},
        {to.address + i * *to.strides * elementSize, to.strides + 1});
}

void ampRtMemoryCopyStrided(int64_t elementSize, int64_t rank,
                            const int64_t *extents, const void *from,
                            const int64_t *fromStrides, void *to,
                            const int64_t *toStrides) {
  // Its strides may be anything, its addresses null.
  for (int64_t i = 0; i < rank; ++i)
    if (extents[i] == 0)
      return;
  int64_t inner = 1;
  while (rank > 0 &&
         (extents[rank - 1] == 1 ||
          (fromStrides[rank - 1] == inner && toStrides[rank - 1] == inner)))
    inner *= extents[--rank];
  copyPieces(elementSize, inner * elementSize, rank, extents,
             {static_cast<char *>(const_cast<void *>(from)), fromStrides},
             {static_cast<char *>(to), toStrides});
}

void ampRtMemoryCopyMemref(int64_t elementSize, const AmpRtMemref *from,
                           const AmpRtMemref *to) {
  const auto &source = *static_cast<const Descriptor *>(from->descriptor);
  const auto &target = *static_cast<const Descriptor *>(to->descriptor);
  const int64_t rank = from->rank;
  ampRtMemoryCopyStrided(
      elementSize, rank, source.numbers,
      source.aligned + source.offset * elementSize, source.numbers + rank,
      target.aligned + target.offset * elementSize, target.numbers + rank);
}
