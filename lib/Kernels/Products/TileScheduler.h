//===- TileScheduler.h - Which block computes which tile --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks (or clusters) are persistent: the i-th takes the tiles i, i + count,
// ... of one sequence. The sequence walks D in groups of `rasterGroup` rows of
// tiles, column by column within a group, so that the tiles in flight at one
// time form a block that is about as high as wide: each row of A and column of
// B that one of them loads is in the L2 cache for the others. Parts of K come
// after all tiles, batches after all parts. The producer and the consumers of a
// block walk the same sequence on their own.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_PRODUCTS_TILESCHEDULER_H
#define AMP_LIB_KERNELS_PRODUCTS_TILESCHEDULER_H

#include "Device/DeviceBuilder.h"

namespace mlir::amp {

/// What one turn of the loop works on.
struct WorkItem {
  /// In units of cluster tiles along M, and of tiles along N.
  Number tileRow, tileColumn;
  /// Part of K, and matrix in the batch.
  Number part, batch;
};

/// Stages of K from `first` up to, not including, `last`.
struct StageRange {
  Number first, last;
};

/// Which of the `stages` of K belong to a work item, where `parts` share them.
/// The last part may have fewer, or none.
inline StageRange getStages(DeviceBuilder &b, WorkItem item, Number stages,
                            int64_t parts) {
  if (parts == 1)
    return {b.number(0), stages};
  Number each = ceilDiv(stages, parts);
  Number first = item.part * each;
  return {first, min(first + each, stages)};
}

class TileScheduler {
public:
  struct Shape {
    int64_t rowsPerTile, columnsPerTile; ///< rows of all blocks of a cluster
    int64_t rasterGroup, parts;
  };

  TileScheduler(DeviceBuilder &b, Shape shape, Number m, Number n, Number batch)
      : b(b), shape(shape), batch(batch),
        tileRows(ceilDiv(m, shape.rowsPerTile)),
        tileColumns(ceilDiv(n, shape.columnsPerTile)) {}

  /// Emits the loop of walker `first` of `count`.
  SmallVector<Value>
  forEach(Number first, Number count, ValueRange start,
          function_ref<SmallVector<Value>(WorkItem, ValueRange)> body) {
    Number items = tileRows * tileColumns * (batch * shape.parts);
    return b.loop(first, items, count, start,
                  [&](Number item, ValueRange carried) {
                    return body(locate(item), carried);
                  });
  }

private:
  WorkItem locate(Number item) {
    Number tiles = tileRows * tileColumns;
    Number rest = item / tiles, tile = item % tiles;
    Number perGroup = tileColumns * shape.rasterGroup;
    Number firstRow = tile / perGroup * shape.rasterGroup;
    // The last group may have fewer rows.
    Number rows = min(b.number(shape.rasterGroup), tileRows - firstRow);
    Number inGroup = tile % perGroup;
    return {firstRow + inGroup % rows, inGroup / rows, rest % shape.parts,
            rest / shape.parts};
  }

  DeviceBuilder &b;
  Shape shape;
  Number batch, tileRows, tileColumns;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_PRODUCTS_TILESCHEDULER_H
