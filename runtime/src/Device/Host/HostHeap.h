//===-- HostHeap.h - Aligned memory that is counted -------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_HOST_HOSTHEAP_H
#define AMP_RT_SRC_DEVICE_HOST_HOSTHEAP_H

#include "amp-rt/Device.h"

#include <mutex>

namespace amp::rt {

/// Memory blocks from the C library, and a table of those that are live. The
/// table makes freeing a wrong pointer an error instead of a crash. Its nodes
/// are the headers in front of the blocks, so it never needs memory of its own.
class HostHeap {
public:
  static constexpr int64_t kAlignment = 64; // a cache line, an AVX-512 register

  /// Null if there is no memory. `alignment` is a power of two or 0.
  void *allocate(int64_t bytes, int64_t alignment);

  /// False, and nothing done, if `pointer` is not a live block's.
  bool free(void *pointer);

  void statistics(AmpRtDeviceStatistics &result) const;
  void resetPeak();

private:
  struct Header {
    /// What the caller was given.
    void *pointer;
    /// The next live block of the same bucket.
    Header *next;
    /// What the caller asked for.
    int64_t bytes;
  };

  // A step has hundreds of live tensors: chains stay short.
  static constexpr unsigned kBucketBits = 12;
  static unsigned bucketOf(const void *pointer);

  mutable std::mutex mutex;
  Header *buckets[1u << kBucketBits] = {};
  AmpRtDeviceStatistics counts = {sizeof(AmpRtDeviceStatistics), 0, 0, 0, 0, 0};
};

} // namespace amp::rt

#endif // AMP_RT_SRC_DEVICE_HOST_HOSTHEAP_H
