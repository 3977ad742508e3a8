//===- LoopOrder.cpp - In which order the loops of a group run ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without products, tiles go through the largest tensor as it lies in memory.
//
// Of products, an operand is packed again in each step of a loop that does not
// walk it and runs outside of those that do: A by tiles of columns if columns
// are outside, B by tiles of rows if rows are. The bytes of both are compared.
// Loops that walk neither rows nor columns (batches) are outermost, since they
// walk both operands.
//
//===----------------------------------------------------------------------===//

#include "LoopOrder.h"

#include "TensorBytes.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int kNoLoop = FusionGroup::kNoLoop;

/// Puts loop `order[place]` at each place.
static void permuteLoops(Candidate &candidate, ArrayRef<int> order) {
  SmallVector<int64_t> extents, tile;
  SmallVector<int> newOf(order.size());
  for (auto [place, loop] : llvm::enumerate(order)) {
    extents.push_back(candidate.extents[loop]);
    if (!candidate.tile.empty())
      tile.push_back(candidate.tile[loop]);
    newOf[loop] = place;
  }
  candidate.extents = extents;
  candidate.tile = tile;
  for (SmallVector<int> &loops : candidate.loops)
    for (int &loop : loops)
      if (loop != kNoLoop)
        loop = newOf[loop];
}

void mlir::amp::orderLoops(Candidate &candidate) {
  SmallVector<int> best;
  int64_t bestBytes = -1;
  candidate.forEachWalk([&](const FusionNode &, ArrayRef<int> loops,
                            const TensorWalk &walk, bool) {
    SmallVector<int> order;
    for (int loop : getGroupLoops(walk.dims, loops))
      if (loop != kNoLoop && !llvm::is_contained(order, loop))
        order.push_back(loop);
    int64_t bytes = countTensorBytes(walk.tensor);
    if (order.size() == candidate.extents.size() && bytes > bestBytes) {
      best = order;
      bestBytes = bytes;
    }
  });
  if (!best.empty())
    permuteLoops(candidate, best);
}

void mlir::amp::orderProductLoops(Candidate &candidate,
                                  ArrayRef<ProductSides> products) {
  auto countTiles = [&](const TileSide &side) {
    int64_t tiles = 1;
    for (auto [loop, extent] : side)
      if (loop != kNoLoop)
        tiles *= candidate.countSteps(loop);
    return tiles;
  };
  // A loop that walks rows of one and columns of another is what it is of the
  // first.
  llvm::SetVector<int> rows, columns;
  int64_t packedByColumns = 0, packedByRows = 0;
  for (const ProductSides &of : products) {
    for (auto [loop, extent] : of.rows)
      if (loop != kNoLoop && !columns.contains(loop))
        rows.insert(loop);
    for (auto [loop, extent] : of.columns)
      if (loop != kNoLoop && !rows.contains(loop))
        columns.insert(loop);
    packedByColumns +=
        countTensorBytes(of.a.tensor) * (countTiles(of.columns) - 1);
    packedByRows += countTensorBytes(of.b.tensor) * (countTiles(of.rows) - 1);
  }
  bool isByColumns = packedByColumns < packedByRows;
  SmallVector<int> order;
  for (int loop = 0, e = candidate.extents.size(); loop < e; ++loop)
    if (!rows.contains(loop) && !columns.contains(loop))
      order.push_back(loop);
  llvm::append_range(order, isByColumns ? columns : rows);
  llvm::append_range(order, isByColumns ? rows : columns);
  permuteLoops(candidate, order);
}
