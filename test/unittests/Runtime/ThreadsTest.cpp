//===-- ThreadsTest.cpp - The runtime from several threads ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says little by itself; under ThreadSanitizer (`./dev test tsan`) every access
// that two threads make without order is an error.
//
//===----------------------------------------------------------------------===//

#include "OpenRun.h"
#include "amp-rt/Device.h"
#include "amp-rt/Memory.h"
#include "amp-rt/Scaler.h"
#include "amp-rt/Tap.h"

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

static constexpr int kThreads = 4, kRounds = 200;

static void onThreads(const std::function<void(int)> &work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
}

static AmpRtStatus count(void *user, const AmpRtTapEvent *event) {
  *static_cast<std::atomic<int64_t> *>(user) += event->elementCount;
  return AMP_RT_OK;
}

// Programs side by side, each with its own run and scaler, and one tap whose
// callback can take it.
TEST(Threads, ProgramsSideBySide) {
  std::atomic<int64_t> elements{0};
  AmpRtTap *tap = nullptr;
  ASSERT_EQ(ampRtTapCreate(&tap), AMP_RT_OK);
  ASSERT_EQ(ampRtTapSet(tap, count, &elements), AMP_RT_OK);
  onThreads([&](int thread) {
    AmpRtScaler *scaler = nullptr;
    ASSERT_EQ(ampRtScalerCreate("own", nullptr, &scaler), AMP_RT_OK);
    AmpRtRun *run = nullptr;
    ASSERT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
    const int64_t handle = ampRtRunHandle(run);
    for (int round = 0; round < kRounds; ++round) {
      ASSERT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
      auto *data =
          static_cast<float *>(ampRtRunAllocate(handle, 64 * (thread + 1)));
      for (int i = 0; i < 16; ++i)
        data[i] = float(round);
      ampRtRunTap(handle, ampRtTapHandle(tap), "w", 1, "grad", 4, data,
                  AMP_RT_ELEMENT_F32, 16);
      ampRtRunUpdateScale(handle, ampRtScalerHandle(scaler), 0);
      EXPECT_EQ(ampRtRunScale(handle, ampRtScalerHandle(scaler)), 65536.0f);
      const bool fails = round % 10 == thread;
      if (fails)
        ampRtRunReportAssert(handle, "planned");
      else
        ampRtRunFree(handle, data);
      EXPECT_EQ(ampRtRunEnd(handle), fails ? AMP_RT_PROGRAM_ERROR : AMP_RT_OK);
      if (fails) {
        EXPECT_STREQ(ampRtStatusText(),
                     "assertion in the compiled program failed: planned");
      }
    }
    ampRtRunDestroy(run);
    ampRtScalerDestroy(scaler);
  });
  EXPECT_EQ(elements, kThreads * kRounds * 16);
  ampRtTapDestroy(tap);
}

// A loop that one program spreads over threads.
TEST(Threads, WorkersOfOneCall) {
  OpenRun run;
  onThreads([&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      void *memory = ampRtRunAllocate(run.handle(), 100 + thread);
      EXPECT_NE(memory, nullptr);
      if (round % 2)
        ampRtRunFree(run.handle(), memory);
      if (round == 7)
        ampRtRunReportAssert(run.handle(), "in a worker");
    }
  });
  EXPECT_EQ(run.takeError(), "assertion in the compiled program failed: in a "
                             "worker (and 3 more errors after it)");
}

TEST(Threads, DevicesAndTheirMemory) {
  onThreads([&](int) {
    AmpRtDevice *device = nullptr;
    ASSERT_EQ(ampRtDeviceGet("host", &device), AMP_RT_OK);
    for (int round = 0; round < kRounds; ++round) {
      void *pointer = nullptr;
      ASSERT_EQ(ampRtDeviceAllocate(device, 1000, 0, &pointer), AMP_RT_OK);
      AmpRtDeviceStatistics statistics;
      statistics.structSize = sizeof(statistics);
      EXPECT_EQ(ampRtDeviceGetStatistics(device, &statistics), AMP_RT_OK);
      EXPECT_EQ(ampRtDeviceFree(device, pointer), AMP_RT_OK);
      _mlir_memref_to_llvm_free(_mlir_memref_to_llvm_alloc(round));
      // Each thread has the text of its own failure.
      EXPECT_EQ(ampRtDeviceAllocate(device, -1, 0, &pointer),
                AMP_RT_INVALID_ARGUMENT);
    }
  });
}
