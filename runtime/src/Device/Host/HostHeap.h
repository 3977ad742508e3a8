//===-- HostHeap.h - Memory of the host, counted and kept -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one allocator of everything a step works on: arguments, results and what
// lies between. A table of live blocks makes freeing a wrong pointer an error
// instead of a crash.
//
// Freed blocks are kept for the next request of exactly their size and
// alignment. A step asks for what the step before freed, and fresh pages from
// the system cost more than most of the work in them. What is live and kept
// together never exceeds the most that was ever live; blocks that were kept
// longest go first.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_HOST_HOSTHEAP_H
#define AMP_RT_SRC_DEVICE_HOST_HOSTHEAP_H

#include "amp-rt/Device.h"

#include <cstddef>
#include <mutex>

namespace amp::rt {

class HostHeap {
  struct Block;

public:
  static constexpr int64_t kAlignment = 64; // a cache line, an AVX-512 register

  /// Live blocks that are freed together. Guarded by the heap's lock.
  class Group {
    friend class HostHeap;
    Block *first = nullptr;

  public:
    /// Bytes that are live, the most since the last freeAll, and how often
    /// memory was asked for since then.
    int64_t bytesCurrent = 0, bytesPeak = 0, allocations = 0;
  };

  /// Leaves at least `gap` bytes between blocks, for whoever tells them apart by
  /// addresses: an allocator may put one right behind another.
  explicit HostHeap(size_t gap = 0) : gap(gap) {}

  /// Null if there is no memory. `alignment` is a power of two or 0.
  void *allocate(int64_t bytes, int64_t alignment, Group *group = nullptr);

  /// False, and nothing done, if `pointer` is not a live block's of this group,
  /// or of no group.
  bool free(void *pointer, const Group *group = nullptr);

  /// Frees what is live of a group and returns how many blocks that were.
  int64_t freeAll(Group &group);

  void statistics(AmpRtDeviceStatistics &result) const;
  void resetPeak();

private:
  static constexpr unsigned kBucketBits = 12;
  static unsigned bucketOf(const void *pointer);
  static unsigned bucketOf(size_t capacity, size_t unit);

  Block *takeKept(size_t capacity, size_t unit);
  Block *takeNew(size_t capacity, size_t unit);
  void keep(Block *block);
  /// Takes a block out of all lists of kept blocks.
  void unlinkKept(Block *block);
  void release(Block *block);
  void releaseLive(Block **link);

  const size_t gap;
  mutable std::mutex mutex;
  /// Live blocks by address, kept ones by size: chains stay short, as a step
  /// has hundreds of tensors.
  Block *live[1u << kBucketBits] = {};
  Block *kept[1u << kBucketBits] = {};
  /// Kept blocks in the order in which they were freed.
  Block *oldest = nullptr, *newest = nullptr;
  /// With padding. `bytesMost` is the largest `bytesLive`.
  size_t bytesLive = 0, bytesKept = 0, bytesMost = 0;
  AmpRtDeviceStatistics counts = {};
};

/// The one heap of the process.
HostHeap &hostHeap();

} // namespace amp::rt

#endif // AMP_RT_SRC_DEVICE_HOST_HOSTHEAP_H
