//===-- HostHeap.cpp - Aligned memory that is counted ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/Host/HostHeap.h"

#include <cstdint>
#include <cstdlib>

using namespace amp::rt;

unsigned HostHeap::bucketOf(const void *pointer) {
  // Multiplicative hashing: the upper bits of the product depend on all bits of
  // the address, of which the lowest six are always 0.
  uint64_t product =
      reinterpret_cast<uintptr_t>(pointer) * UINT64_C(0x9e3779b97f4a7c15);
  return static_cast<unsigned>(product >> (64 - kBucketBits));
}

void *HostHeap::allocate(int64_t bytes, int64_t alignment) {
  if (alignment < kAlignment)
    alignment = kAlignment;
  // The header takes one alignment unit (at least 64 bytes), so that the block
  // behind it is aligned as well.
  static_assert(sizeof(Header) <= kAlignment, "the header fits in front");
  if (bytes > INT64_MAX - 2 * alignment)
    return nullptr;
  auto unit = static_cast<size_t>(alignment);
  size_t total = (unit + static_cast<size_t>(bytes) + unit - 1) / unit * unit;
  void *base = std::aligned_alloc(unit, total);
  if (!base)
    return nullptr;

  auto *header = static_cast<Header *>(base);
  header->pointer = static_cast<char *>(base) + unit;
  header->bytes = bytes;
  std::lock_guard<std::mutex> lock(mutex);
  Header *&bucket = buckets[bucketOf(header->pointer)];
  header->next = bucket;
  bucket = header;
  ++counts.allocations;
  counts.bytesCurrent += bytes;
  if (counts.bytesCurrent > counts.bytesPeak)
    counts.bytesPeak = counts.bytesCurrent;
  return header->pointer;
}

bool HostHeap::free(void *pointer) {
  Header *header = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    Header **link = &buckets[bucketOf(pointer)];
    while (*link && (*link)->pointer != pointer)
      link = &(*link)->next;
    header = *link;
    if (!header)
      return false;
    *link = header->next;
    ++counts.frees;
    counts.bytesCurrent -= header->bytes;
  }
  // The header is where the block from the C library starts.
  std::free(header);
  return true;
}

void HostHeap::statistics(AmpRtDeviceStatistics &result) const {
  std::lock_guard<std::mutex> lock(mutex);
  result = counts;
}

void HostHeap::resetPeak() {
  std::lock_guard<std::mutex> lock(mutex);
  counts.bytesPeak = counts.bytesCurrent;
}
