//===-- MemoryTest.cpp - Memory of compiled programs ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Memory.h"
#include "amp-rt/Device.h"

#include <gtest/gtest.h>

#include <string>

static int64_t bytesCurrent(int64_t *peak = nullptr) {
  AmpRtDevice *device = nullptr;
  EXPECT_EQ(ampRtDeviceGet("host", &device), AMP_RT_OK);
  AmpRtDeviceStatistics statistics;
  statistics.structSize = sizeof(statistics);
  EXPECT_EQ(ampRtDeviceGetStatistics(device, &statistics), AMP_RT_OK);
  if (peak)
    *peak = statistics.bytesPeak;
  return statistics.bytesCurrent;
}

// The peak of the host device is the memory of a step.
TEST(Memory, ProgramMemoryIsCounted) {
  AmpRtDevice *device = nullptr;
  ASSERT_EQ(ampRtDeviceGet("host", &device), AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceResetPeak(device), AMP_RT_OK);
  int64_t before = bytesCurrent(), peak = 0;
  void *a = ampRtMemoryAllocate(1000);
  void *b = ampRtMemoryAllocateAligned(256, 24);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 256, 0u);
  EXPECT_EQ(bytesCurrent(), before + 1024);
  ampRtMemoryFree(a);
  // The host may free a result through the device.
  EXPECT_EQ(ampRtDeviceFree(device, b), AMP_RT_OK);
  ampRtMemoryFree(nullptr);
  EXPECT_EQ(bytesCurrent(&peak), before);
  EXPECT_EQ(peak, before + 1024);
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_OK);
}

TEST(Memory, FailuresAreProgramErrors) {
  EXPECT_EQ(ampRtMemoryAllocate(INT64_MAX), nullptr);
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_PROGRAM_ERROR);
  EXPECT_EQ(std::string(ampRtStatusText())
                .rfind("ampRtMemoryAllocate: device 'host': no memory left for "
                       "9223372036854775807 bytes",
                       0),
            0u);
  EXPECT_EQ(ampRtMemoryAllocateAligned(48, 8), nullptr);
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_PROGRAM_ERROR);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtMemoryAllocateAligned: device 'host': expected "
               "'alignment' to be a power of two up to 2^32, but got 48; use 0 "
               "for the device's own");
  int local = 0;
  ampRtMemoryFree(&local);
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_PROGRAM_ERROR);
  EXPECT_EQ(std::string(ampRtStatusText())
                .rfind("ampRtMemoryFree: device 'host': expected a pointer", 0),
            0u);
}

TEST(Memory, SymbolsHaveTheNamesOfTheLowering) {
  const AmpRtSymbol *symbols = nullptr;
  int64_t count = 0;
  ASSERT_EQ(ampRtMemorySymbols(&symbols, &count), AMP_RT_OK);
  ASSERT_EQ(count, 3);
  EXPECT_STREQ(symbols[0].name, "_mlir_memref_to_llvm_alloc");
  EXPECT_STREQ(symbols[1].name, "_mlir_memref_to_llvm_aligned_alloc");
  EXPECT_STREQ(symbols[2].name, "_mlir_memref_to_llvm_free");
  auto allocate = reinterpret_cast<void *(*)(int64_t)>(symbols[0].address);
  auto allocateAligned =
      reinterpret_cast<void *(*)(int64_t, int64_t)>(symbols[1].address);
  auto free = reinterpret_cast<void (*)(void *)>(symbols[2].address);
  free(allocate(8));
  free(allocateAligned(128, 8));
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_OK);
  EXPECT_EQ(ampRtMemorySymbols(nullptr, &count), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtMemorySymbols(&symbols, nullptr), AMP_RT_INVALID_ARGUMENT);
}
