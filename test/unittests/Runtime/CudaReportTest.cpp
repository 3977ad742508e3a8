//===-- CudaReportTest.cpp - The CUDA device: assertions of programs ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flags that a program hands over are heard of when the host synchronizes the
// run, with their messages, and nobody waits before. Copies happen as late as
// they may.
//
//===----------------------------------------------------------------------===//

#include "CudaProgramFixture.h"

namespace {
class CudaReportTest : public CudaProgramTest {
protected:
  void SetUp() override {
    CudaProgramTest::SetUp();
    start();
    flag = ampRtRunAllocate(handle, 1);
    fakecuda::set("lateCopies", 1);
  }
  /// Reports `value`, which is overwritten behind it.
  AmpRtStatus report(uint8_t value, const char *message, int64_t length = 4) {
    write(value);
    AmpRtStatus status = ampRtRunReportViolation(handle, flag, message, length);
    write(0);
    return status;
  }
  void write(uint8_t value) {
    EXPECT_EQ(ampRtRunWrite(handle, flag, &value, 1), AMP_RT_OK);
  }
  void *flag = nullptr;
};

int waits() { return fakecuda::calls("cuStreamSynchronize"); }
} // namespace

TEST_F(CudaReportTest, NobodyWaits) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(report(1, "text"), AMP_RT_OK);
    EXPECT_EQ(next().second, "") << "the call does not know";
  }
  EXPECT_EQ(waits(), 0);
}

TEST_F(CudaReportTest, TheFirstThatFailed) {
  EXPECT_EQ(report(0, "one."), AMP_RT_OK);
  EXPECT_EQ(report(1, "two."), AMP_RT_OK);
  EXPECT_EQ(report(1, "six."), AMP_RT_OK);
  EXPECT_FAILS(ampRtRunSynchronize(run), AMP_RT_PROGRAM_ERROR,
               "assertion in the compiled program failed: two.");
  EXPECT_EQ(waits(), 1);
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_OK) << "they were heard of";
  EXPECT_EQ(waits(), 2);
  EXPECT_EQ(report(0, "one."), AMP_RT_OK);
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_OK);
  EXPECT_EQ(report(1, "long text", 4), AMP_RT_OK);
  EXPECT_FAILS(ampRtRunSynchronize(run), AMP_RT_PROGRAM_ERROR,
               "assertion in the compiled program failed: long");
}

// Of an i1 only the lowest bit is its own.
TEST_F(CudaReportTest, OneBitCounts) {
  EXPECT_EQ(report(0xfe, "text"), AMP_RT_OK);
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_OK);
  EXPECT_EQ(report(0xff, "text"), AMP_RT_OK);
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_PROGRAM_ERROR);
}

TEST_F(CudaReportTest, OfACallBefore) {
  EXPECT_EQ(report(1, "text"), AMP_RT_OK);
  EXPECT_EQ(next().second, "");
  EXPECT_EQ(report(0, "text"), AMP_RT_OK);
  EXPECT_EQ(next().second, "");
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_FAILS(ampRtRunSynchronize(run), AMP_RT_PROGRAM_ERROR,
               "assertion in the compiled program failed: text (2 calls ago)");
}

// The next one finds no place, and the run looks.
TEST_F(CudaReportTest, AllPlacesAreTaken) {
  write(0);
  auto add = [&] { return ampRtRunReportViolation(handle, flag, "text", 4); };
  for (int i = 0; i < 4095; ++i)
    ASSERT_EQ(add(), AMP_RT_OK);
  EXPECT_EQ(report(1, "last"), AMP_RT_OK);
  int before = waits();
  EXPECT_EQ(add(), AMP_RT_PROGRAM_ERROR);
  EXPECT_EQ(waits(), before + 1);
  EXPECT_EQ(next(),
            std::make_pair(AMP_RT_PROGRAM_ERROR,
                           std::string("assertion in the compiled program "
                                       "failed: last")));
  for (int i = 0; i < 4096; ++i)
    ASSERT_EQ(add(), AMP_RT_OK) << "they are free again";
  EXPECT_EQ(report(1, "more"), AMP_RT_OK);
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_PROGRAM_ERROR);
}

TEST_F(CudaReportTest, BeforeAnotherProgram) {
  EXPECT_EQ(report(1, "text"), AMP_RT_OK);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_FAILS(ampRtRunSetProgram(run, nullptr), AMP_RT_PROGRAM_ERROR,
               "assertion in the compiled program failed: text");
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_OK) << "on the host";
  AmpRtDeviceStatistics statistics;
  statistics.structSize = sizeof(statistics);
  EXPECT_EQ(ampRtDeviceGetStatistics(device, &statistics), AMP_RT_OK);
  EXPECT_EQ(statistics.bytesCurrent, 0);
  // Near miss: without reports nobody waits for them.
  EXPECT_EQ(ampRtRunSetProgram(run, loaded), AMP_RT_OK);
  int before = waits();
  EXPECT_EQ(ampRtRunSetProgram(run, nullptr), AMP_RT_OK);
  EXPECT_EQ(waits(), before);
}

// Nobody takes a status of that.
TEST_F(CudaReportTest, ARunThatGoesTellsNothing) {
  EXPECT_EQ(report(1, "text"), AMP_RT_OK);
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  ampRtRunDestroy(run);
  run = nullptr;
}

TEST_F(CudaReportTest, FailuresOfTheDevice) {
  fakecuda::failCall("cuMemAllocFromPoolAsync", 2);
  EXPECT_EQ(report(1, "text"), AMP_RT_OUT_OF_MEMORY);
  EXPECT_EQ(next().first, AMP_RT_OUT_OF_MEMORY);
  fakecuda::failCall("cuMemcpyDtoDAsync", 999);
  EXPECT_EQ(report(1, "text"), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(next().first, AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_OK) << "nothing was added";
  EXPECT_EQ(report(1, "text"), AMP_RT_OK);
  fakecuda::failCall("cuMemcpyDtoHAsync", 999);
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_DEVICE_ERROR);
  fakecuda::failCall("cuStreamSynchronize", 999);
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(ampRtRunSynchronize(run), AMP_RT_PROGRAM_ERROR)
      << "the device has it still";
}

TEST_F(CudaReportTest, WhatIsNoReport) {
  expectRecorded(ampRtRunReportViolation(handle, nullptr, "text", 4),
                 AMP_RT_INVALID_ARGUMENT,
                 "ampRtRunReportViolation: expected 'source' not to be null");
  expectRecorded(ampRtRunReportViolation(handle, flag, nullptr, 4),
                 AMP_RT_INVALID_ARGUMENT,
                 "ampRtRunReportViolation: expected a message of at least 0 "
                 "bytes, but got null of 4");
  expectRecorded(ampRtRunReportViolation(handle, flag, "text", -1),
                 AMP_RT_INVALID_ARGUMENT,
                 "ampRtRunReportViolation: expected a message of at least 0 "
                 "bytes, but got one of -1");
  EXPECT_FAILS(ampRtRunSynchronize(nullptr), AMP_RT_INVALID_ARGUMENT,
               "ampRtRunSynchronize: expected 'run' not to be null");
}
