//===-- CudaMemory.h - Memory of the CUDA device, counted -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_CUDA_CUDAMEMORY_H
#define AMP_RT_SRC_DEVICE_CUDA_CUDAMEMORY_H

#include "Device/Cuda/Driver.h"
#include "amp-rt/Device.h"

#include <mutex>

namespace amp::rt::cuda {

/// Allocates in the order of a stream from a pool of its own, where the device
/// has pools, else by plain calls that wait for the device. A table of what is
/// live makes freeing a wrong pointer an error before the driver sees it. The
/// caller has made the context current.
class CudaMemory {
public:
  /// What the driver's own allocations are aligned to.
  static constexpr int64_t kAlignment = 256;

  AmpRtStatus open(const char *call, const Driver &driver, Device device,
                   Stream stream);
  /// Nothing is live.
  AmpRtStatus close(const char *call);

  AmpRtStatus allocate(const char *call, int64_t bytes, int64_t alignment,
                       void *&pointer);
  AmpRtStatus free(const char *call, void *pointer);

  void statistics(AmpRtDeviceStatistics &result) const;
  void resetPeak();
  int64_t liveCount() const;

private:
  struct Block {
    void *pointer;
    Block *next;
    int64_t bytes;
    DevicePointer base;
  };

  Result take(DevicePointer &base, size_t bytes);
  Result giveBack(DevicePointer base);
  void insert(Block *block);
  Block *remove(void *pointer);

  static constexpr unsigned kBucketBits = 12;
  static unsigned bucketOf(const void *pointer);

  const Driver *driver = nullptr;
  Stream stream = nullptr;
  /// Null if the device has no pools.
  MemoryPool pool = nullptr;

  mutable std::mutex mutex;
  Block *buckets[1u << kBucketBits] = {};
  AmpRtDeviceStatistics counts = {};
};

} // namespace amp::rt::cuda

#endif // AMP_RT_SRC_DEVICE_CUDA_CUDAMEMORY_H
