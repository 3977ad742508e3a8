//===- StridedCopy.cpp - Copies between arrays of any strides -------------===//
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

#include "amp/Execution/StridedCopy.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using llvm::ArrayRef;

/// `inner`: bytes of a piece; the other arguments are about what is left.
static void copyPieces(int64_t elementSize, int64_t inner,
                       ArrayRef<int64_t> extents, const char *from,
                       ArrayRef<int64_t> fromStrides, char *to,
                       ArrayRef<int64_t> toStrides) {
  if (extents.empty()) {
    std::memcpy(to, from, inner);
    return;
  }
  for (int64_t i = 0; i < extents.front(); ++i)
    copyPieces(
        elementSize, inner, extents.drop_front(),
        from + i * fromStrides.front() * elementSize, fromStrides.drop_front(),
        to + i * toStrides.front() * elementSize, toStrides.drop_front());
}

void mlir::amp::copyStrided(int64_t elementSize, ArrayRef<int64_t> extents,
                            const char *from, ArrayRef<int64_t> fromStrides,
                            char *to, ArrayRef<int64_t> toStrides) {
  // Its strides may be anything, its addresses null.
  if (llvm::is_contained(extents, 0))
    return;
  int64_t inner = 1;
  size_t rank = extents.size();
  while (rank > 0 &&
         (extents[rank - 1] == 1 ||
          (fromStrides[rank - 1] == inner && toStrides[rank - 1] == inner)))
    inner *= extents[--rank];
  copyPieces(elementSize, inner * elementSize, extents.take_front(rank), from,
             fromStrides.take_front(rank), to, toStrides.take_front(rank));
}

namespace {
/// The head of a descriptor; sizes and strides follow it.
struct Descriptor {
  char *allocated, *aligned;
  int64_t offset;
  int64_t numbers[];
};
} // namespace

void mlir::amp::copyDescribedArray(int64_t elementSize,
                                   const DescribedArray *from,
                                   const DescribedArray *to) {
  const auto &source = *static_cast<const Descriptor *>(from->descriptor);
  const auto &target = *static_cast<const Descriptor *>(to->descriptor);
  const size_t rank = from->rank;
  copyStrided(elementSize, ArrayRef(source.numbers, rank),
              source.aligned + source.offset * elementSize,
              ArrayRef(source.numbers + rank, rank),
              target.aligned + target.offset * elementSize,
              ArrayRef(target.numbers + rank, rank));
}
