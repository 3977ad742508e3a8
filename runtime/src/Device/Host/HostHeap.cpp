//===-- HostHeap.cpp - Memory of the host, counted and kept ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptions of blocks are allocated apart from them: in front of a block
// they would waste a large page, and hide from AddressSanitizer what a program
// writes there.
//
//===----------------------------------------------------------------------===//

#include "Device/Host/HostHeap.h"

#include <cstdint>
#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

// AddressSanitizer knows freed memory by what it has been given back.
#if defined(__SANITIZE_ADDRESS__)
#define AMP_RT_KEEPS_BLOCKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AMP_RT_KEEPS_BLOCKS 0
#endif
#endif
#ifndef AMP_RT_KEEPS_BLOCKS
#define AMP_RT_KEEPS_BLOCKS 1
#endif

using namespace amp::rt;

/// A large page of x86-64 and of most AArch64 kernels.
static constexpr size_t kLargePage = size_t(2) << 20;

struct HostHeap::Block {
  /// What the caller was given.
  void *pointer;
  /// What the caller asked for.
  int64_t bytes;
  /// The same with padding, and the alignment: a kept block serves requests of
  /// exactly these.
  size_t capacity, unit;
  /// The next block of the same bucket, of live or of kept blocks.
  Block *next;
  /// Live: the group, if there is one, and the neighbours in it. Kept: the
  /// blocks freed before and after.
  Group *group;
  Block *before, *after;
};

static unsigned hash(uint64_t key, unsigned bits) {
  // Multiplicative hashing: the upper bits of the product depend on all bits of
  // the key, of which the lowest six are usually 0.
  return static_cast<unsigned>((key * UINT64_C(0x9e3779b97f4a7c15)) >>
                               (64 - bits));
}

unsigned HostHeap::bucketOf(const void *pointer) {
  return hash(reinterpret_cast<uintptr_t>(pointer), kBucketBits);
}

unsigned HostHeap::bucketOf(size_t capacity, size_t unit) {
  return hash(capacity ^ unit, kBucketBits);
}

//===----------------------------------------------------------------------===//
// Blocks from the system and blocks kept
//===----------------------------------------------------------------------===//

void HostHeap::release(Block *block) {
  std::free(block->pointer);
  delete block;
}

HostHeap::Block *HostHeap::takeNew(size_t capacity, size_t unit) {
  // Unlike aligned_alloc, it takes any size.
  void *pointer = nullptr;
  if (posix_memalign(&pointer, unit, capacity + gap) != 0)
    return nullptr;
  auto *block = new (std::nothrow) Block{};
  if (!block) {
    std::free(pointer);
    return nullptr;
  }
#ifdef __linux__
  // Advice, and it is all the same if the kernel does not follow it.
  if (unit >= kLargePage)
    madvise(pointer, capacity / kLargePage * kLargePage, MADV_HUGEPAGE);
#endif
  block->pointer = pointer;
  block->capacity = capacity;
  block->unit = unit;
  ++counts.systemAllocations;
  return block;
}

void HostHeap::unlinkKept(Block *block) {
  Block **link = &kept[bucketOf(block->capacity, block->unit)];
  while (*link != block)
    link = &(*link)->next;
  *link = block->next;
  (block->before ? block->before->after : oldest) = block->after;
  (block->after ? block->after->before : newest) = block->before;
  bytesKept -= block->capacity;
}

HostHeap::Block *HostHeap::takeKept(size_t capacity, size_t unit) {
  for (Block *block = kept[bucketOf(capacity, unit)]; block;
       block = block->next)
    if (block->capacity == capacity && block->unit == unit) {
      unlinkKept(block);
      return block;
    }
  return nullptr;
}

void HostHeap::keep(Block *block) {
  Block *&bucket = kept[bucketOf(block->capacity, block->unit)];
  block->next = bucket;
  bucket = block;
  block->group = nullptr;
  block->after = nullptr;
  block->before = newest;
  (newest ? newest->after : oldest) = block;
  newest = block;
  bytesKept += block->capacity;
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

void *HostHeap::allocate(int64_t bytes, int64_t alignment, Group *group) {
  if (alignment < kAlignment)
    alignment = kAlignment;
  // Beyond what an address space has, or a size with padding might not fit.
  if (bytes > INT64_MAX / 2 || alignment > INT64_MAX / 4)
    return nullptr;
  // At least one byte: an empty block has an address of its own, too.
  size_t wanted = bytes > 0 ? static_cast<size_t>(bytes) : 1;
  // Padded to whole cache lines, not to whole large pages, whose rest would
  // be memory that nobody asked for.
  size_t padding = static_cast<size_t>(alignment);
  if (wanted >= kLargePage && padding < kLargePage)
    alignment = static_cast<int64_t>(kLargePage);
  size_t capacity = (wanted + padding - 1) / padding * padding;
  auto unit = static_cast<size_t>(alignment);

  std::lock_guard<std::mutex> lock(mutex);
  Block *block = takeKept(capacity, unit);
  if (!block) {
    while (oldest && bytesLive + bytesKept + capacity > bytesMost) {
      Block *victim = oldest;
      unlinkKept(victim);
      release(victim);
    }
    block = takeNew(capacity, unit);
  }
  // What is kept for later is worth less than a program that goes on.
  while (!block && oldest) {
    Block *victim = oldest;
    unlinkKept(victim);
    release(victim);
    block = takeNew(capacity, unit);
  }
  if (!block)
    return nullptr;

  block->bytes = bytes;
  Block *&bucket = live[bucketOf(block->pointer)];
  block->next = bucket;
  bucket = block;
  block->group = group;
  block->before = nullptr;
  block->after = nullptr;
  if (group) {
    block->after = group->first;
    if (block->after)
      block->after->before = block;
    group->first = block;
    group->bytesCurrent += bytes;
    ++group->allocations;
    if (group->bytesCurrent > group->bytesPeak)
      group->bytesPeak = group->bytesCurrent;
  }
  bytesLive += capacity;
  if (bytesLive > bytesMost)
    bytesMost = bytesLive;
  ++counts.allocations;
  counts.bytesCurrent += bytes;
  if (counts.bytesCurrent > counts.bytesPeak)
    counts.bytesPeak = counts.bytesCurrent;
  return block->pointer;
}

void HostHeap::releaseLive(Block **link) {
  Block *block = *link;
  *link = block->next;
  if (Group *group = block->group) {
    (block->before ? block->before->after : group->first) = block->after;
    if (block->after)
      block->after->before = block->before;
    group->bytesCurrent -= block->bytes;
  }
  ++counts.frees;
  counts.bytesCurrent -= block->bytes;
  bytesLive -= block->capacity;
  if (AMP_RT_KEEPS_BLOCKS)
    keep(block);
  else
    release(block);
}

bool HostHeap::free(void *pointer, const Group *group) {
  std::lock_guard<std::mutex> lock(mutex);
  Block **link = &live[bucketOf(pointer)];
  while (*link && (*link)->pointer != pointer)
    link = &(*link)->next;
  if (!*link || (*link)->group != group)
    return false;
  releaseLive(link);
  return true;
}

int64_t HostHeap::freeAll(Group &group) {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t freed = 0;
  for (; group.first; ++freed) {
    Block **link = &live[bucketOf(group.first->pointer)];
    while (*link != group.first)
      link = &(*link)->next;
    releaseLive(link);
  }
  return freed;
}

void HostHeap::statistics(AmpRtDeviceStatistics &result) const {
  std::lock_guard<std::mutex> lock(mutex);
  result = counts;
  result.bytesReserved = static_cast<int64_t>(bytesLive + bytesKept);
}

void HostHeap::resetPeak() {
  std::lock_guard<std::mutex> lock(mutex);
  counts.bytesPeak = counts.bytesCurrent;
}

HostHeap &amp::rt::hostHeap() {
  // Never destroyed: compiled programs may free memory while the process exits.
  alignas(HostHeap) static char storage[sizeof(HostHeap)];
  static HostHeap *heap = new (storage) HostHeap;
  return *heap;
}
