//===-- MemoryTest.cpp - The allocator of host memory ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Memory.h"
#include "amp-rt/Device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

static AmpRtDevice *host() {
  AmpRtDevice *device = nullptr;
  EXPECT_EQ(ampRtDeviceGet("host", &device), AMP_RT_OK);
  return device;
}

static AmpRtDeviceStatistics statistics() {
  AmpRtDeviceStatistics result;
  result.structSize = sizeof(result);
  EXPECT_EQ(ampRtDeviceGetStatistics(host(), &result), AMP_RT_OK);
  return result;
}

static void *allocate(int64_t bytes, int64_t alignment = 0) {
  void *pointer = nullptr;
  EXPECT_EQ(ampRtDeviceAllocate(host(), bytes, alignment, &pointer), AMP_RT_OK);
  return pointer;
}

static void release(void *pointer) {
  EXPECT_EQ(ampRtDeviceFree(host(), pointer), AMP_RT_OK);
}

/// AddressSanitizer finds what is used after it was freed only if it is given
/// back, so nothing is kept there.
static bool keepsBlocks() {
#if defined(__SANITIZE_ADDRESS__)
  return false;
#elif defined(__has_feature)
  return !__has_feature(address_sanitizer);
#else
  return true;
#endif
}

// Two arrays of state and a workspace, as a step has them: the second step on
// takes nothing from the system.
TEST(Memory, StepsTakeWhatStepsBeforeFreed) {
  if (!keepsBlocks())
    GTEST_SKIP() << "blocks are not kept under AddressSanitizer";
  const int64_t sizes[] = {1000, 3 << 20, 1000, 64};
  std::vector<void *> state;
  for (int64_t size : sizes)
    state.push_back(allocate(size));
  int64_t afterFirst = 0;
  for (int step = 0; step < 5; ++step) {
    std::vector<void *> results;
    for (int64_t size : sizes)
      results.push_back(allocate(size));
    void *workspace = allocate(5 << 20);
    release(workspace);
    for (void *old : state)
      release(old);
    state = results;
    if (step == 0)
      afterFirst = statistics().systemAllocations;
  }
  EXPECT_EQ(statistics().systemAllocations, afterFirst);
  for (void *pointer : state)
    release(pointer);
}

// What is kept is never more than was once in use: other sizes push it out.
TEST(Memory, WhatIsKeptHasALimit) {
  const int64_t live = statistics().bytesCurrent;
  int64_t most = statistics().bytesReserved;
  for (int64_t size = 1 << 20; size < 40 << 20; size += 1 << 20) {
    void *pointer = allocate(size);
    most = std::max(most, live + size);
    EXPECT_LE(statistics().bytesReserved, most + (1 << 20)) << size;
    release(pointer);
    EXPECT_LE(statistics().bytesReserved, most + (1 << 20)) << size;
  }
}

TEST(Memory, LargeBlocksStandOnLargePages) {
  void *large = allocate((2 << 20) + 1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large) % (2 << 20), 0u);
  // Every byte that was asked for is there, and the padding is small.
  std::memset(large, 1, (2 << 20) + 1);
  release(large);
  void *small = allocate(64);
  std::memset(small, 1, 64);
  release(small);
}

// A block kept for one alignment is none for another.
TEST(Memory, AlignmentIsKept) {
  for (int64_t alignment : {4096, 64, 1024, 1 << 22}) {
    void *pointer = allocate(8192, alignment);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % alignment, 0u);
    release(pointer);
  }
}

TEST(Memory, EmptyBlocksHaveAddressesOfTheirOwn) {
  void *a = allocate(0), *b = allocate(0);
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  release(a);
  release(b);
  EXPECT_EQ(ampRtDeviceFree(host(), a), AMP_RT_INVALID_ARGUMENT)
      << "freed twice";
}

// What upstream's lowering calls, without a run.
TEST(Memory, NamesOfTheLowering) {
  const int64_t before = statistics().bytesCurrent;
  void *a = _mlir_memref_to_llvm_alloc(1000);
  void *b = _mlir_memref_to_llvm_aligned_alloc(256, 24);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 256, 0u);
  EXPECT_EQ(statistics().bytesCurrent, before + 1024);
  _mlir_memref_to_llvm_free(a);
  // The host may free a result through the device.
  release(b);
  _mlir_memref_to_llvm_free(nullptr);
  EXPECT_EQ(statistics().bytesCurrent, before);
  EXPECT_EQ(_mlir_memref_to_llvm_alloc(INT64_MAX), nullptr);
  EXPECT_EQ(_mlir_memref_to_llvm_alloc(UINT64_MAX), nullptr);
  EXPECT_EQ(_mlir_memref_to_llvm_aligned_alloc(48, 8), nullptr);
  int local = 0;
  _mlir_memref_to_llvm_free(&local);
}

// Rows that lie apart, columns in between, and sizes without elements, whose
// addresses nobody reads.
TEST(StridedCopy, FollowsTheStridesOfBothSides) {
  const int16_t from[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const int64_t extents[] = {3, 2};
  const int64_t rows[] = {4, 1}, transposed[] = {1, 3};
  int16_t to[6] = {};
  ampRtMemoryCopyStrided(2, 2, extents, from, rows, to, transposed);
  EXPECT_EQ(std::vector<int16_t>(to, to + 6),
            (std::vector<int16_t>{0, 4, 8, 1, 5, 9}));
  const int64_t packed[] = {2, 1};
  ampRtMemoryCopyStrided(2, 2, extents, from, rows, to, packed);
  EXPECT_EQ(std::vector<int16_t>(to, to + 6),
            (std::vector<int16_t>{0, 1, 4, 5, 8, 9}));
  const int64_t none[] = {3, 0};
  ampRtMemoryCopyStrided(2, 2, none, nullptr, rows, nullptr, packed);
  // A number, and its neighbours.
  ampRtMemoryCopyStrided(2, 0, nullptr, from + 7, nullptr, to + 1, nullptr);
  EXPECT_EQ(std::vector<int16_t>(to, to + 3), (std::vector<int16_t>{0, 7, 4}));
}

TEST(StridedCopy, TakesDescriptorsWithOffsets) {
  int16_t from[] = {0, 1, 2, 3, 4, 5}, to[] = {9, 9, 9, 9};
  struct Vector {
    int16_t *allocated, *aligned;
    int64_t offset, size, stride;
  } source = {from, from, 1, 3, 2}, target = {to, to, 1, 3, 1};
  const AmpRtMemref left = {1, &source}, right = {1, &target};
  ampRtMemoryCopyMemref(2, &left, &right);
  EXPECT_EQ(std::vector<int16_t>(to, to + 4),
            (std::vector<int16_t>{9, 1, 3, 5}));
}
