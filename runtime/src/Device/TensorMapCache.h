//===-- TensorMapCache.h - Tensor maps by what they describe -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_TENSORMAPCACHE_H
#define AMP_RT_SRC_DEVICE_TENSORMAPCACHE_H

#include "amp-rt/Kernel.h"

#include <cstring>
#include <mutex>

namespace amp::rt {

/// The maps that were encoded last, by their normal descriptions. A step
/// encodes the same few hundred again and again; a set-associative table of
/// fixed size serves them without an allocation, and never grows with shapes
/// that come once.
class TensorMapCache {
public:
  bool find(const AmpRtTensorMapDescription &description, AmpRtTensorMap &map) {
    std::lock_guard<std::mutex> lock(mutex);
    for (Entry &entry : sets[setOf(description)].ways)
      if (entry.isUsed && isEqual(entry.description, description)) {
        map = entry.map;
        return true;
      }
    return false;
  }

  void insert(const AmpRtTensorMapDescription &description,
              const AmpRtTensorMap &map) {
    std::lock_guard<std::mutex> lock(mutex);
    Set &set = sets[setOf(description)];
    set.ways[set.next] = {description, map, true};
    set.next = (set.next + 1) % kWays;
  }

  void clear() {
    std::lock_guard<std::mutex> lock(mutex);
    for (Set &set : sets)
      for (Entry &entry : set.ways)
        entry.isUsed = false;
  }

private:
  static constexpr unsigned kSetBits = 7, kWays = 4;

  struct Entry {
    AmpRtTensorMapDescription description;
    AmpRtTensorMap map;
    bool isUsed = false;
  };
  struct Set {
    Entry ways[kWays];
    unsigned next = 0;
  };

  // Descriptions have no padding, so their bytes are their value.
  static bool isEqual(const AmpRtTensorMapDescription &a,
                      const AmpRtTensorMapDescription &b) {
    return std::memcmp(&a, &b, sizeof(a)) == 0;
  }
  static unsigned setOf(const AmpRtTensorMapDescription &description) {
    uint64_t hash = 0;
    auto *bytes = reinterpret_cast<const unsigned char *>(&description);
    for (size_t i = 0; i < sizeof(description); i += 8) {
      uint64_t word;
      std::memcpy(&word, bytes + i, 8);
      hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
      hash ^= hash >> 29;
    }
    return static_cast<unsigned>(hash >> (64 - kSetBits));
  }

  std::mutex mutex;
  Set sets[1u << kSetBits];
};

} // namespace amp::rt

#endif // AMP_RT_SRC_DEVICE_TENSORMAPCACHE_H
