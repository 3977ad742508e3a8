//===-- CudaMemory.cpp - Memory of the CUDA device, counted ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/Cuda/CudaMemory.h"

#include "Support/Failure.h"

#include <cstdio>
#include <new>

using namespace amp::rt;
using namespace amp::rt::cuda;

AmpRtStatus CudaMemory::open(const char *call, const Driver &newDriver,
                             Device device, Stream newStream) {
  driver = &newDriver;
  stream = newStream;
  pool = nullptr;
  int hasPools = 0;
  Result result = driver->DeviceGetAttribute(
      &hasPools, kDeviceMemoryPoolsSupported, device);
  if (result != kSuccess)
    return driver->fail(result, call, "cuDeviceGetAttribute");
  if (!hasPools)
    return AMP_RT_OK;
  MemoryPoolProperties properties = {};
  properties.allocationType = kMemoryAllocationPinned;
  properties.location.type = kMemoryLocationDevice;
  properties.location.id = device;
  result = driver->MemPoolCreate(&pool, &properties);
  if (result != kSuccess)
    return driver->fail(result, call, "cuMemPoolCreate");
  // Memory that is freed stays with the pool, or each synchronize would give it
  // back to the system.
  uint64_t threshold = UINT64_MAX;
  result = driver->MemPoolSetAttribute(pool, kMemoryPoolReleaseThreshold,
                                       &threshold);
  if (result == kSuccess)
    return AMP_RT_OK;
  AmpRtStatus status = driver->fail(result, call, "cuMemPoolSetAttribute");
  driver->MemPoolDestroy(pool);
  pool = nullptr;
  return status;
}

AmpRtStatus CudaMemory::close(const char *call) {
  if (!pool)
    return AMP_RT_OK;
  Result result = driver->MemPoolDestroy(pool);
  pool = nullptr;
  return result == kSuccess ? AMP_RT_OK
                            : driver->fail(result, call, "cuMemPoolDestroy");
}

Result CudaMemory::take(DevicePointer &base, size_t bytes) {
  return pool ? driver->MemAllocFromPoolAsync(&base, bytes, pool, stream)
              : driver->MemAlloc(&base, bytes);
}

Result CudaMemory::giveBack(DevicePointer base) {
  return pool ? driver->MemFreeAsync(base, stream) : driver->MemFree(base);
}

AmpRtStatus CudaMemory::allocate(const char *call, int64_t bytes,
                                 int64_t alignment, void *&pointer) {
  // The driver refuses 0 bytes; padding serves alignments above its own.
  int64_t padding = alignment > kAlignment ? alignment : 0;
  if (bytes > INT64_MAX - padding - 1)
    return fail(AMP_RT_OUT_OF_MEMORY,
                "%s: device 'cuda': no memory left for %lld bytes; use smaller "
                "batches",
                call, static_cast<long long>(bytes));
  auto *block = new (std::nothrow) Block;
  if (!block)
    return failNoMemory(call, "an allocation's record");
  size_t total = static_cast<size_t>(bytes + padding);
  Result result = take(block->base, total ? total : 1);
  if (result != kSuccess) {
    delete block;
    char function[96];
    std::snprintf(function, sizeof(function), "%s of %lld bytes",
                  pool ? "cuMemAllocFromPoolAsync" : "cuMemAlloc",
                  static_cast<long long>(bytes));
    return driver->fail(result, call, function);
  }
  DevicePointer address = block->base;
  if (padding)
    address = (address + static_cast<DevicePointer>(padding) - 1) &
              ~(static_cast<DevicePointer>(padding) - 1);
  block->pointer = reinterpret_cast<void *>(address);
  block->bytes = bytes;
  insert(block);
  pointer = block->pointer;
  return AMP_RT_OK;
}

AmpRtStatus CudaMemory::free(const char *call, void *pointer) {
  Block *block = remove(pointer);
  if (!block)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device 'cuda': expected a pointer that this device "
                "allocated and that is not freed yet, but got %p",
                call, pointer);
  Result result = giveBack(block->base);
  delete block;
  return result == kSuccess
             ? AMP_RT_OK
             : driver->fail(result, call,
                            pool ? "cuMemFreeAsync" : "cuMemFree");
}

unsigned CudaMemory::bucketOf(const void *pointer) {
  // As in HostHeap: the product's upper bits depend on all bits of the address.
  uint64_t product =
      reinterpret_cast<uintptr_t>(pointer) * UINT64_C(0x9e3779b97f4a7c15);
  return static_cast<unsigned>(product >> (64 - kBucketBits));
}

void CudaMemory::insert(Block *block) {
  std::lock_guard<std::mutex> lock(mutex);
  Block *&bucket = buckets[bucketOf(block->pointer)];
  block->next = bucket;
  bucket = block;
  ++counts.allocations;
  counts.bytesCurrent += block->bytes;
  if (counts.bytesCurrent > counts.bytesPeak)
    counts.bytesPeak = counts.bytesCurrent;
}

CudaMemory::Block *CudaMemory::remove(void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  Block **link = &buckets[bucketOf(pointer)];
  while (*link && (*link)->pointer != pointer)
    link = &(*link)->next;
  Block *block = *link;
  if (!block)
    return nullptr;
  *link = block->next;
  ++counts.frees;
  counts.bytesCurrent -= block->bytes;
  return block;
}

void CudaMemory::statistics(AmpRtDeviceStatistics &result) const {
  std::lock_guard<std::mutex> lock(mutex);
  result = counts;
}

void CudaMemory::resetPeak() {
  std::lock_guard<std::mutex> lock(mutex);
  counts.bytesPeak = counts.bytesCurrent;
}

int64_t CudaMemory::liveCount() const {
  std::lock_guard<std::mutex> lock(mutex);
  return counts.allocations - counts.frees;
}
