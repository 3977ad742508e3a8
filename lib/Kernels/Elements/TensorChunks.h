//===- TensorChunks.h - Many tensors, cut into chunks -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors, one behind the other, are cut into chunks, none of which has
// elements of two tensors. Where a chunk lies, a block finds by halving in a
// constant table of each tensor's first chunk.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ELEMENTS_TENSORCHUNKS_H
#define AMP_LIB_KERNELS_ELEMENTS_TENSORCHUNKS_H

#include "Device/DeviceBuilder.h"

namespace mlir::amp {

/// Bytes of an address in a table of parameters.
inline constexpr int64_t kPointerBytes = 8;

/// Bytes of an element as it lies in memory.
int64_t getStorageBytes(Type element);

class TensorChunks {
public:
  /// The next tensor: `count` elements in chunks of `chunk`, and a last one of
  /// what is left.
  void add(int64_t count, int64_t chunk);

  /// Chunks of all tensors.
  int64_t size() const { return chunks; }

  /// Adds the tables, whose names begin with the kernel's, in front of the
  /// kernel into which `b` writes.
  void emitTables(DeviceBuilder &b, StringRef kernel);

  /// The tensor whose chunk `chunk` is.
  Number findTensor(DeviceBuilder &b, Number chunk) const;

  /// Elements of a tensor, from the first on.
  struct Part {
    Number first, count;
  };
  /// Those of chunk `chunk` of `tensor`, whose chunks have `elements`.
  Part getPart(DeviceBuilder &b, Number tensor, Number chunk,
               int64_t elements) const;

  /// Chunks that follow one another.
  struct Run {
    Number first, count;
  };
  /// Those of `tensor`, of `elements` each.
  Run getChunks(DeviceBuilder &b, Number tensor, int64_t elements) const;

private:
  SmallVector<int32_t> firstChunks, counts;
  int64_t chunks = 0;
  Value chunkTable, countTable;
};

/// A chunk of a tensor that a block of threads reads, 16 bytes at once.
struct ChunkReader {
  Type element;
  int64_t threads;
  /// Of a thread to a whole chunk, all on their way at once.
  int64_t accesses;

  /// Elements of one access, and those of a whole chunk.
  int64_t getLanes() const;
  int64_t getElements() const { return threads * accesses * getLanes(); }

  /// What a thread makes of its elements of chunk `chunk` of `tensor`, whose
  /// address is in `table`: `fold` takes what has become of those before.
  Value
  fold(DeviceBuilder &b, const TensorChunks &chunks, Value table, Number tensor,
       Number chunk, Number thread, Value start,
       function_ref<Value(ArrayRef<Value> elements, Value soFar)> fold) const;
};

/// `count` elements from `place` on, one access for each 16 bytes; zeros
/// without an access unless `condition` holds, if there is one.
SmallVector<Value> loadElements(DeviceBuilder &b, Value base, Type element,
                                Number place, int64_t count,
                                Value condition = {});

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_TENSORCHUNKS_H
