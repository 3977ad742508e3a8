//===-- CudaScalerTest.cpp - The CUDA device: scalers that live there -----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program reads and writes the record of a scaler on the device, and the host
// sees what it wrote when it asks, not before. What a kernel would compute, the
// tests write themselves.
//
//===----------------------------------------------------------------------===//

#include "CudaProgramFixture.h"
#include "amp-rt/Scaler.h"

#include <cmath>

namespace {
class CudaScalerTest : public CudaProgramTest {
protected:
  void SetUp() override {
    CudaProgramTest::SetUp();
    start();
    ASSERT_EQ(ampRtScalerCreate("loss", nullptr, &scaler), AMP_RT_OK);
    number = ampRtScalerHandle(scaler);
    record = static_cast<AmpRtScalerRecord *>(
        ampRtRunAllocate(handle, sizeof(AmpRtScalerRecord)));
    fakecuda::set("lateCopies", 1);
  }
  void TearDown() override {
    ampRtScalerDestroy(scaler);
    CudaProgramTest::TearDown();
  }

  /// What a program sees. Looks at the device's memory behind its back.
  AmpRtScalerRecord read() {
    EXPECT_EQ(ampRtRunReadScaler(handle, number, record), AMP_RT_OK)
        << ampRtStatusText();
    AmpRtScalerRecord result;
    EXPECT_EQ(ampRtDeviceCopy(device, &result, record, sizeof(result),
                              AMP_RT_COPY_FROM_DEVICE),
              AMP_RT_OK);
    EXPECT_EQ(ampRtDeviceSynchronize(device), AMP_RT_OK);
    return result;
  }
  /// A step in which the scale becomes `scale` after `unskipped` clean ones.
  void step(double scale, int64_t unskipped, int64_t skipped = 0) {
    AmpRtScalerRecord next = read();
    next.scale = scale;
    next.unskipped = unskipped;
    next.steps += 1;
    next.skipped = next.overflows = next.skippedInARow = skipped;
    next.lastSkippedStep = skipped ? next.steps - 1 : -1;
    EXPECT_EQ(ampRtDeviceCopy(device, record, &next, sizeof(next),
                              AMP_RT_COPY_TO_DEVICE),
              AMP_RT_OK);
    EXPECT_EQ(ampRtRunWriteScaler(handle, number, record), AMP_RT_OK)
        << ampRtStatusText();
    // The copy's source goes.
    EXPECT_EQ(ampRtDeviceSynchronize(device), AMP_RT_OK);
  }
  AmpRtScalerState state() {
    AmpRtScalerState result;
    result.structSize = sizeof(result);
    EXPECT_EQ(ampRtScalerGetState(scaler, &result), AMP_RT_OK)
        << ampRtStatusText();
    return result;
  }

  AmpRtScaler *scaler = nullptr;
  int64_t number = 0;
  AmpRtScalerRecord *record = nullptr;
};

int waits() { return fakecuda::calls("cuStreamSynchronize"); }
} // namespace

TEST_F(CudaScalerTest, TheRecordIsTheState) {
  AmpRtScalerConfig config;
  ampRtScalerConfigInit(&config);
  config.mode = AMP_RT_SCALER_STATIC;
  config.flags = AMP_RT_SCALER_STATIC_SKIPS;
  config.initialScale = 128;
  config.growthInterval = 7;
  config.growthFactor = 4;
  config.backoffFactor = 0.25;
  config.minScale = 2;
  config.maxScale = 512;
  ampRtScalerDestroy(scaler);
  ASSERT_EQ(ampRtScalerCreate("loss", &config, &scaler), AMP_RT_OK)
      << ampRtStatusText();
  number = ampRtScalerHandle(scaler);
  ASSERT_EQ(ampRtScalerUpdate(scaler, true, nullptr), AMP_RT_OK);
  ASSERT_EQ(ampRtScalerUpdate(scaler, false, nullptr), AMP_RT_OK);
  ASSERT_EQ(ampRtScalerAccumulateFoundInf(scaler, true), AMP_RT_OK);
  AmpRtScalerRecord got = read();
  EXPECT_EQ(got.scale, 128);
  EXPECT_EQ(got.unskipped, 1);
  EXPECT_EQ(got.steps, 2);
  EXPECT_EQ(got.skipped, 1);
  EXPECT_EQ(got.overflows, 1);
  EXPECT_EQ(got.skippedInARow, 0);
  EXPECT_EQ(got.stepsAtFloor, 0);
  EXPECT_EQ(got.lastSkippedStep, 0);
  EXPECT_EQ(got.flags, AMP_RT_SCALER_FOUND_INF);
  EXPECT_EQ(got.preset, AMP_RT_SCALER_APEX);
  EXPECT_EQ(got.mode, AMP_RT_SCALER_STATIC);
  EXPECT_EQ(got.configFlags, AMP_RT_SCALER_STATIC_SKIPS);
  EXPECT_EQ(got.growthInterval, 7);
  EXPECT_EQ(got.growthFactor, 4);
  EXPECT_EQ(got.backoffFactor, 0.25);
  EXPECT_EQ(got.minScale, 2);
  EXPECT_EQ(got.maxScale, 512);
}

// Only the first step waits, until the state is there.
TEST_F(CudaScalerTest, StepsDoNotWait) {
  EXPECT_EQ(ampRtRunReadScaler(handle, number, record), AMP_RT_OK);
  EXPECT_EQ(waits(), 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ampRtRunReadScaler(handle, number, record), AMP_RT_OK);
    EXPECT_EQ(ampRtRunWriteScaler(handle, number, record), AMP_RT_OK);
    EXPECT_EQ(next().second, "");
  }
  EXPECT_EQ(waits(), 1);
}

TEST_F(CudaScalerTest, TheHostSeesWhatTheDeviceWrote) {
  step(1024, 3, /*skipped=*/1);
  int before = waits();
  float scale = 0;
  EXPECT_EQ(ampRtScalerGetScale(scaler, &scale), AMP_RT_OK);
  EXPECT_EQ(scale, 1024.0f);
  EXPECT_EQ(waits(), before + 1);
  AmpRtScalerState got = state();
  EXPECT_EQ(got.scale, 1024);
  EXPECT_EQ(got.unskipped, 3);
  EXPECT_EQ(got.steps, 1);
  EXPECT_EQ(got.skipped, 1);
  EXPECT_EQ(got.lastSkippedStep, 0);
  EXPECT_EQ(got.hysteresis, 1);
  EXPECT_EQ(ampRtRunScale(handle, number), 1024.0f);
  EXPECT_EQ(waits(), before + 1) << "once for a step";
  // Which leaves the record where it is.
  EXPECT_EQ(ampRtRunReadScaler(handle, number, record), AMP_RT_OK);
  EXPECT_EQ(waits(), before + 1);

  step(2048, 0);
  const char *text = nullptr;
  AmpRtScalerVerdict verdict;
  EXPECT_EQ(ampRtScalerHealth(scaler, 1, &verdict, &text), AMP_RT_OK);
  EXPECT_STREQ(text, "scaler 'loss' is healthy: scale 2048, 0 of 2 steps "
                     "skipped");
}

TEST_F(CudaScalerTest, TheHostGoesOnFromThere) {
  bool skip = false;
  step(1024, 3);
  EXPECT_EQ(ampRtScalerUpdate(scaler, true, &skip), AMP_RT_OK);
  EXPECT_TRUE(skip);
  EXPECT_EQ(state().scale, 512);
  EXPECT_EQ(read().scale, 512) << "and the device from there";
  EXPECT_EQ(read().steps, 2);

  step(64, 1);
  ampRtRunUpdateScale(handle, number, 1);
  EXPECT_EQ(state().scale, 32);
  EXPECT_EQ(read().scale, 32);

  step(16, 1);
  EXPECT_EQ(ampRtScalerAccumulateFoundInf(scaler, true), AMP_RT_OK);
  EXPECT_EQ(read().scale, 16);
  EXPECT_EQ(read().flags, AMP_RT_SCALER_FOUND_INF);
  step(8, 1);
  EXPECT_EQ(ampRtScalerClearFoundInf(scaler), AMP_RT_OK);
  EXPECT_EQ(read().scale, 8);
  EXPECT_EQ(read().flags, 0);

  step(4, 1);
  EXPECT_EQ(ampRtScalerLoad(scaler, 256, 5), AMP_RT_OK);
  EXPECT_EQ(state().steps, 7) << "totals stay";
  EXPECT_EQ(read().scale, 256);
  EXPECT_EQ(read().unskipped, 5);

  AmpRtScalerState kept = state();
  step(2, 1);
  EXPECT_EQ(ampRtScalerSetState(scaler, &kept), AMP_RT_OK);
  EXPECT_EQ(state().scale, 256);
  EXPECT_EQ(read().scale, 256);
}

// The flag is the host's own, of the scale that came.
TEST_F(CudaScalerTest, TheFloorIsSeen) {
  step(0x1p-130, 0, 1);
  EXPECT_EQ(state().flags, AMP_RT_SCALER_AT_FLOOR);
  step(1, 0);
  EXPECT_EQ(state().flags, 0u);
}

TEST_F(CudaScalerTest, MemoryGoesWithTheScaler) {
  AmpRtDeviceStatistics statistics;
  statistics.structSize = sizeof(statistics);
  auto bytes = [&] {
    EXPECT_EQ(ampRtDeviceGetStatistics(device, &statistics), AMP_RT_OK);
    return statistics.bytesCurrent;
  };
  int64_t before = bytes();
  step(4, 1);
  step(8, 1);
  EXPECT_EQ(bytes(), before + int64_t(sizeof(AmpRtScalerRecord)));
  ampRtScalerDestroy(scaler);
  scaler = nullptr;
  EXPECT_EQ(bytes(), before);
}

TEST_F(CudaScalerTest, WhatIsNoScale) {
  for (double scale : {0.0, -1.0, double(NAN), double(INFINITY)}) {
    step(scale, 1);
    float out = 0;
    EXPECT_EQ(ampRtScalerGetScale(scaler, &out), AMP_RT_PROGRAM_ERROR);
    char text[32];
    std::snprintf(text, sizeof(text), "%g", scale);
    EXPECT_EQ(ampRtStatusText(),
              std::string("ampRtScalerGetScale: scaler 'loss': expected a "
                          "scale above 0 and a counter of at least 0 on the "
                          "device, but got ") +
                  text +
                  " and 1; a kernel has failed or written over them; restore "
                  "an earlier checkpoint");
  }
  step(1, -1);
  EXPECT_EQ(ampRtScalerUpdate(scaler, true, nullptr), AMP_RT_PROGRAM_ERROR);
  ampRtRunUpdateScale(handle, number, 1);
  EXPECT_EQ(next().first, AMP_RT_PROGRAM_ERROR);
  EXPECT_TRUE(std::isnan(ampRtRunScale(handle, number)));
  EXPECT_EQ(next().first, AMP_RT_PROGRAM_ERROR);
  // A checkpoint is taken whatever the device has.
  AmpRtScalerState fresh = {};
  fresh.structSize = sizeof(fresh);
  fresh.scale = 2;
  fresh.hysteresis = 1;
  fresh.lastSkippedStep = -1;
  EXPECT_EQ(ampRtScalerSetState(scaler, &fresh), AMP_RT_OK)
      << ampRtStatusText();
  EXPECT_EQ(read().scale, 2);
  // And Apex's, with the totals that the host knew.
  step(-3, 1);
  EXPECT_EQ(ampRtScalerLoad(scaler, 8, 1), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(read().scale, 8);
  EXPECT_EQ(state().steps, 0);
}

// As a tap's callback may, in the middle of a step.
TEST_F(CudaScalerTest, TheHostChangesWhatTheProgramHasRead) {
  EXPECT_EQ(ampRtRunReadScaler(handle, number, record), AMP_RT_OK);
  EXPECT_EQ(ampRtScalerAccumulateFoundInf(scaler, true), AMP_RT_OK);
  expectRecorded(ampRtRunWriteScaler(handle, number, record),
                 AMP_RT_INVALID_ARGUMENT,
                 "ampRtRunWriteScaler: scaler 'loss': expected the state that "
                 "the program has read, but the host has changed it since, or "
                 "the program has not read it; change scalers between calls");
  EXPECT_EQ(read().flags, AMP_RT_SCALER_FOUND_INF) << "which is not lost";
  EXPECT_EQ(ampRtRunWriteScaler(handle, number, record), AMP_RT_OK);
}

TEST_F(CudaScalerTest, FailuresOfTheDevice) {
  fakecuda::failCall("cuMemAllocFromPoolAsync", 2);
  EXPECT_EQ(ampRtRunReadScaler(handle, number, record), AMP_RT_OUT_OF_MEMORY);
  EXPECT_EQ(next().first, AMP_RT_OUT_OF_MEMORY);
  fakecuda::failCall("cuMemcpyHtoDAsync", 999);
  EXPECT_EQ(ampRtRunReadScaler(handle, number, record), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(next().first, AMP_RT_DEVICE_ERROR);
  fakecuda::failCall("cuStreamSynchronize", 999);
  EXPECT_EQ(ampRtRunReadScaler(handle, number, record), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(next().first, AMP_RT_DEVICE_ERROR);
  fakecuda::failCall("cuMemcpyDtoDAsync", 999);
  EXPECT_EQ(ampRtRunReadScaler(handle, number, record), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(next().first, AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(read().scale, 65536) << "then it works";

  fakecuda::failCall("cuMemcpyDtoDAsync", 999);
  EXPECT_EQ(ampRtRunWriteScaler(handle, number, record), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(next().first, AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(state().scale, 65536) << "the host's is the state still";

  step(1024, 3);
  for (auto change :
       {+[](AmpRtScaler *scaler) {
          return ampRtScalerUpdate(scaler, true, nullptr);
        },
        +[](AmpRtScaler *scaler) {
          return ampRtScalerAccumulateFoundInf(scaler, true);
        },
        +[](AmpRtScaler *scaler) { return ampRtScalerLoad(scaler, 2, 2); }}) {
    fakecuda::failCall("cuMemcpyDtoHAsync", 999);
    EXPECT_EQ(change(scaler), AMP_RT_DEVICE_ERROR);
  }
  fakecuda::failCall("cuMemcpyDtoHAsync", 999);
  float scale = 0;
  EXPECT_EQ(ampRtScalerGetScale(scaler, &scale), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(scale, 0);
  fakecuda::failCall("cuStreamSynchronize", 999);
  EXPECT_EQ(ampRtScalerGetScale(scaler, &scale), AMP_RT_DEVICE_ERROR);
  EXPECT_EQ(ampRtScalerGetScale(scaler, &scale), AMP_RT_OK);
  EXPECT_EQ(scale, 1024) << "the device has it still";
}

TEST_F(CudaScalerTest, WhatIsNoScalerAndNoMemory) {
  for (auto [name, status] :
       {std::pair("ampRtRunReadScaler",
                  ampRtRunReadScaler(handle, 12345, record)),
        std::pair("ampRtRunWriteScaler",
                  ampRtRunWriteScaler(handle, 12345, record))})
    EXPECT_EQ(status, AMP_RT_PROGRAM_ERROR) << name;
  EXPECT_EQ(next().second,
            "ampRtRunReadScaler: expected the handle of a loss scaler, but got "
            "0x3039; pass what ampRtScalerHandle gave, and destroy the scaler "
            "after the program (and 1 more errors after "
            "it)");
  expectRecorded(ampRtRunReadScaler(handle, number, nullptr),
                 AMP_RT_INVALID_ARGUMENT,
                 "ampRtRunReadScaler: expected 'target' not to be null");
  expectRecorded(ampRtRunWriteScaler(handle, number, nullptr),
                 AMP_RT_INVALID_ARGUMENT,
                 "ampRtRunWriteScaler: expected 'source' not to be null");
  EXPECT_EQ(ampRtRunEnd(handle), AMP_RT_OK);
  EXPECT_EQ(ampRtRunSetProgram(run, nullptr), AMP_RT_OK);
  EXPECT_EQ(ampRtRunBegin(handle), AMP_RT_OK);
  EXPECT_EQ(ampRtRunReadScaler(handle, number, record),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtRunWriteScaler(handle, number, record),
            AMP_RT_INVALID_ARGUMENT);
}
