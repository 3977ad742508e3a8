//===-- RunTest.cpp - Calls of compiled programs --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenRun.h"
#include "amp-rt/Device.h"

#include <thread>
#include <vector>

static int64_t bytesCurrent() {
  AmpRtDevice *device = nullptr;
  EXPECT_EQ(ampRtDeviceGet("host", &device), AMP_RT_OK);
  AmpRtDeviceStatistics statistics;
  statistics.structSize = sizeof(statistics);
  EXPECT_EQ(ampRtDeviceGetStatistics(device, &statistics), AMP_RT_OK);
  return statistics.bytesCurrent;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(Run, FirstAssertIsKeptOthersAreCounted) {
  OpenRun run;
  EXPECT_EQ(run.takeError(), "");
  ampRtRunReportAssert(run.handle(), "batch size must be positive");
  EXPECT_EQ(run.takeError(), "assertion in the compiled program failed: batch "
                             "size must be positive");
  EXPECT_EQ(run.status, AMP_RT_PROGRAM_ERROR);
  EXPECT_EQ(run.takeError(), "") << "a new call has no error";

  ampRtRunReportAssert(run.handle(), "first");
  ampRtRunReportAssert(run.handle(), "second");
  ampRtRunReportAssert(run.handle(), nullptr);
  EXPECT_EQ(run.takeError(), "assertion in the compiled program failed: first "
                             "(and 2 more errors after it)");
}

TEST(Run, AssertWithoutText) {
  OpenRun run;
  ampRtRunReportAssert(run.handle(), nullptr);
  EXPECT_EQ(run.takeError(),
            "assertion in the compiled program failed: (no text)");
}

// The message is copied: the string of a program may go with its code.
TEST(Run, MessageIsCopied) {
  OpenRun run;
  std::string message = "before";
  ampRtRunReportAssert(run.handle(), message.c_str());
  message = "behind";
  EXPECT_EQ(run.takeError(),
            "assertion in the compiled program failed: before");
}

TEST(Run, LongMessagesAreCut) {
  OpenRun run;
  ampRtRunReportAssert(run.handle(), std::string(4000, '%').c_str());
  EXPECT_EQ(run.takeError().size(), 899u);
}

TEST(Run, ErrorsBelongToTheRun) {
  OpenRun mine, other;
  ampRtRunReportAssert(mine.handle(), "here");
  EXPECT_EQ(other.takeError(), "");
  EXPECT_EQ(mine.takeError(), "assertion in the compiled program failed: here");
}

// A loop that a program spreads over threads hands them the handle.
TEST(Run, WorkersReportToTheirCall) {
  OpenRun run;
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([handle = run.handle()] {
      void *memory = ampRtRunAllocate(handle, 1000);
      EXPECT_NE(memory, nullptr);
      ampRtRunReportAssert(handle, "in a worker");
      ampRtRunFree(handle, memory);
      ampRtRunAllocate(handle, 10);
    });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_EQ(run.takeError(), "assertion in the compiled program failed: in a "
                             "worker (and 3 more errors after it)");
  AmpRtRunMemory memory;
  memory.structSize = sizeof(memory);
  ASSERT_EQ(ampRtRunEnd(run.handle()), AMP_RT_OK);
  ASSERT_EQ(ampRtRunGetMemory(run.run, &memory), AMP_RT_OK);
  EXPECT_EQ(ampRtRunBegin(run.handle()), AMP_RT_OK);
}

TEST(Run, OneCallAtATime) {
  OpenRun run;
  EXPECT_EQ(ampRtRunBegin(run.handle()), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtRunBegin: expected a run that no other call uses; make "
               "one for each thread");
}

TEST(Run, EndWithoutBegin) {
  AmpRtRun *run = nullptr;
  ASSERT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
  const int64_t handle = ampRtRunHandle(run);
  const char *error = "ampRtRunEnd: expected a run with a call that has begun; "
                      "call ampRtRunBegin before, and ampRtRunEnd once after "
                      "it";
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(), error);
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(), error);
  ampRtRunDestroy(run);
}

// Numbers that are no address are not followed.
TEST(Run, HandlesThatAreNoAddress) {
  for (int64_t handle : {INT64_C(1), INT64_C(-1), INT64_C(8), INT64_C(4095)}) {
    EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_INVALID_ARGUMENT) << handle;
    EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_INVALID_ARGUMENT) << handle;
    EXPECT_EQ(ampRtRunAllocate(handle, 8), nullptr) << handle;
    ampRtRunReportAssert(handle, "nobody listens");
  }
  OpenRun run;
  EXPECT_EQ(ampRtRunBegin(run.handle() + 1), AMP_RT_INVALID_ARGUMENT);
  EXPECT_NE(ampRtRunAllocate(run.handle(), 8), nullptr);
}

TEST(Run, HandlesOfNoRun) {
  EXPECT_EQ(ampRtRunHandle(nullptr), 0);
  EXPECT_EQ(ampRtRunBegin(0), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtRunBegin: expected the handle of a run, but got 0; pass "
               "what ampRtRunHandle gave, and destroy the run after the "
               "program");
  EXPECT_EQ(ampRtRunEnd(0), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(
      ampRtStatusText(),
      "ampRtRunEnd: expected the handle of a run, but got 0; pass what "
      "ampRtRunHandle gave, and destroy the run after the program");
  EXPECT_EQ(ampRtRunAllocate(0, 8), nullptr);
  ampRtRunReportAssert(0, "nobody listens");
  ampRtRunFree(0, nullptr);
  EXPECT_EQ(ampRtRunCreate(nullptr), AMP_RT_INVALID_ARGUMENT);
  ampRtRunDestroy(nullptr);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST(Run, MemoryIsCountedAndFreedAtTheEnd) {
  const int64_t before = bytesCurrent();
  AmpRtRun *run = nullptr;
  ASSERT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
  const int64_t handle = ampRtRunHandle(run);
  ASSERT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  void *a = ampRtRunAllocate(handle, 1000);
  void *b = ampRtRunAllocateAligned(handle, 256, 24);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 256, 0u);
  EXPECT_EQ(bytesCurrent(), before + 1024);
  ampRtRunFree(handle, a);
  ampRtRunFree(handle, nullptr);
  EXPECT_NE(ampRtRunAllocate(handle, 100), nullptr);
  // b and the last are left, as a call that an assertion ends leaves them.
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_EQ(bytesCurrent(), before);
  AmpRtRunMemory memory;
  memory.structSize = sizeof(memory);
  ASSERT_EQ(ampRtRunGetMemory(run, &memory), AMP_RT_OK);
  EXPECT_EQ(memory.bytesPeak, 1024);
  EXPECT_EQ(memory.allocations, 3);
  EXPECT_EQ(memory.leaks, 2);
  EXPECT_EQ(ampRtRunGetMemory(nullptr, &memory), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtRunGetMemory(run, nullptr), AMP_RT_INVALID_ARGUMENT);
  ampRtRunDestroy(run);
}

TEST(Run, MemoryIsGivenInACall) {
  const int64_t before = bytesCurrent();
  AmpRtRun *run = nullptr;
  ASSERT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
  const int64_t handle = ampRtRunHandle(run);
  EXPECT_EQ(ampRtRunAllocate(handle, 8), nullptr);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtRunAllocate: expected a run with a call that has begun; "
               "call ampRtRunBegin before, and ampRtRunEnd once after it");
  ASSERT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  EXPECT_NE(ampRtRunAllocate(handle, 8), nullptr);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_EQ(ampRtRunAllocateAligned(handle, 64, 8), nullptr);
  EXPECT_EQ(bytesCurrent(), before);
  ampRtRunDestroy(run);
}

// Each frees its own: a run that could free another's memory would have it
// freed twice, and a device would take it from under a program.
TEST(Run, MemoryHasOneOwner) {
  AmpRtDevice *device = nullptr;
  ASSERT_EQ(ampRtDeviceGet("host", &device), AMP_RT_OK);
  const int64_t before = bytesCurrent();
  OpenRun mine, other;
  auto *memory = static_cast<char *>(ampRtRunAllocate(mine.handle(), 1000));
  void *block = nullptr;
  ASSERT_EQ(ampRtDeviceAllocate(device, 24, 0, &block), AMP_RT_OK);
  ASSERT_NE(memory, nullptr);
  const std::string error = "ampRtRunFree: device 'host': expected a pointer "
                            "that this run allocated and that is not freed "
                            "yet, but got ";
  ampRtRunFree(other.handle(), memory);
  EXPECT_EQ(other.takeError().rfind(error, 0), 0u);
  EXPECT_EQ(other.status, AMP_RT_PROGRAM_ERROR);
  ampRtRunFree(other.handle(), block);
  EXPECT_EQ(other.takeError().rfind(error, 0), 0u);
  EXPECT_EQ(ampRtDeviceFree(device, memory), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(bytesCurrent(), before + 1024) << "all is still there";
  memory[999] = 1;
  ampRtRunFree(mine.handle(), memory);
  EXPECT_EQ(mine.takeError(), "");
  EXPECT_EQ(ampRtDeviceFree(device, block), AMP_RT_OK);
  EXPECT_EQ(bytesCurrent(), before);
}

TEST(Run, MemoryThatIsNotThere) {
  OpenRun run;
  EXPECT_EQ(ampRtRunAllocate(run.handle(), INT64_MAX), nullptr);
  EXPECT_EQ(run.takeError().rfind(
                "ampRtRunAllocate: device 'host': no memory left for "
                "9223372036854775807 bytes",
                0),
            0u);
  EXPECT_EQ(run.status, AMP_RT_OUT_OF_MEMORY);
  EXPECT_EQ(ampRtRunAllocateAligned(run.handle(), 48, 8), nullptr);
  EXPECT_EQ(run.takeError(),
            "ampRtRunAllocateAligned: device 'host': expected 'alignment' to "
            "be a power of two up to 2^32, but got 48; use 0 for the device's "
            "own");
  EXPECT_EQ(ampRtRunAllocate(run.handle(), -1), nullptr);
  EXPECT_EQ(run.takeError(), "ampRtRunAllocate: device 'host': expected "
                             "'bytes' not to be negative, but got -1");
  int local = 0;
  ampRtRunFree(run.handle(), &local);
  EXPECT_EQ(run.takeError().rfind(
                "ampRtRunFree: device 'host': expected a pointer", 0),
            0u);
}
