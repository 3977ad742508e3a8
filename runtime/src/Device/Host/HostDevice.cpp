//===-- HostDevice.cpp - The processor the library runs on ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything happens in the call. A kernel is a function that is called for one
// block after another, in row-major order of the grid.
//
//===----------------------------------------------------------------------===//

#include "Device/Device.h"
#include "Device/Host/HostHeap.h"
#include "Support/Failure.h"

#include <cstring>
#include <new>
#include <unistd.h>

using namespace amp::rt;

namespace {

struct HostDevice final : AmpRtDevice {
  const char *name() const override { return "host"; }
  AmpRtStatus properties(AmpRtDeviceProperties &properties) const override;
  AmpRtStatus allocate(const char *call, int64_t bytes, int64_t alignment,
                       void *&pointer) override;
  AmpRtStatus free(const char *call, void *pointer) override;
  AmpRtStatus copy(const char *call, void *target, const void *source,
                   int64_t bytes, AmpRtCopyKind kind) override;
  void statistics(AmpRtDeviceStatistics &statistics) const override {
    hostHeap().statistics(statistics);
  }
  void resetPeak() override { hostHeap().resetPeak(); }
  AmpRtStatus launch(const AmpRtLaunch &launch) override;
  AmpRtStatus synchronize(const char *) override { return AMP_RT_OK; }
};

} // namespace

AmpRtStatus HostDevice::properties(AmpRtDeviceProperties &properties) const {
  properties.sharesHostMemory = 1;
  properties.totalBytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  properties.processors = sysconf(_SC_NPROCESSORS_ONLN);
  properties.alignment = HostHeap::kAlignment;
  properties.sharedBytesLimit = 0;
  properties.cacheBytes = 0;
  properties.computeMajor = 0;
  properties.computeMinor = 0;
  properties.model = "host";
  return AMP_RT_OK;
}

AmpRtStatus amp::rt::failNoHostMemory(const char *call, int64_t bytes) {
  AmpRtDeviceStatistics counts;
  hostHeap().statistics(counts);
  return fail(AMP_RT_OUT_OF_MEMORY,
              "%s: device 'host': no memory left for %lld bytes, with %lld "
              "bytes allocated; use smaller batches",
              call, static_cast<long long>(bytes),
              static_cast<long long>(counts.bytesCurrent));
}

AmpRtStatus HostDevice::allocate(const char *call, int64_t bytes,
                                 int64_t alignment, void *&pointer) {
  void *result = hostHeap().allocate(bytes, alignment);
  if (!result)
    return failNoHostMemory(call, bytes);
  pointer = result;
  return AMP_RT_OK;
}

AmpRtStatus HostDevice::free(const char *call, void *pointer) {
  if (hostHeap().free(pointer))
    return AMP_RT_OK;
  return fail(AMP_RT_INVALID_ARGUMENT,
              "%s: device 'host': expected a pointer that this device "
              "allocated and that is not freed yet, but got %p",
              call, pointer);
}

AmpRtStatus HostDevice::copy(const char *, void *target, const void *source,
                             int64_t bytes, AmpRtCopyKind) {
  std::memmove(target, source, static_cast<size_t>(bytes));
  return AMP_RT_OK;
}

AmpRtStatus HostDevice::launch(const AmpRtLaunch &launch) {
  for (int64_t threads : launch.threads)
    if (threads != 1)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "ampRtDeviceLaunch: device 'host': expected blocks of one "
                  "thread, but got %lld; loop over threads inside the kernel",
                  static_cast<long long>(threads));
  if (launch.sharedBytes != 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "ampRtDeviceLaunch: device 'host': expected no shared memory, "
                "but got %u bytes; use local variables of the kernel",
                launch.sharedBytes);
  for (int64_t blocks : launch.cluster)
    if (blocks != 1)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "ampRtDeviceLaunch: device 'host': expected clusters of one "
                  "block, but got %lld; blocks run one after another here",
                  static_cast<long long>(blocks));
  auto kernel = reinterpret_cast<AmpRtHostKernel>(launch.kernel);
  int64_t block[3];
  for (block[0] = 0; block[0] < launch.grid[0]; ++block[0])
    for (block[1] = 0; block[1] < launch.grid[1]; ++block[1])
      for (block[2] = 0; block[2] < launch.grid[2]; ++block[2])
        kernel(launch.arguments, block);
  return AMP_RT_OK;
}

AmpRtDevice &amp::rt::hostDevice() {
  // Never destroyed: compiled programs may free memory while the process exits.
  alignas(HostDevice) static char storage[sizeof(HostDevice)];
  static HostDevice *device = new (storage) HostDevice;
  return *device;
}
