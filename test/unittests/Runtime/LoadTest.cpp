//===-- LoadTest.cpp - Programs that the host does not load ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Load.h"
#include "DeviceProgram.h"

#include <gtest/gtest.h>

namespace {
class Load : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(ampRtDeviceGet("host", &device), AMP_RT_OK);
  }
  void TearDown() override { EXPECT_EQ(loaded, nullptr); }
  AmpRtDevice *device = nullptr;
  AmpRtLoadedProgram *loaded = nullptr;
};
} // namespace

#define EXPECT_FAILS(call, status, text)                                       \
  do {                                                                         \
    EXPECT_EQ(call, status);                                                   \
    EXPECT_STREQ(ampRtStatusText(), text);                                     \
  } while (0)

TEST_F(Load, Nulls) {
  DeviceProgram program("");
  EXPECT_FAILS(ampRtProgramLoad(nullptr, device, &loaded),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtProgramLoad: expected 'program' not to be null");
  EXPECT_FAILS(ampRtProgramLoad(program.get(), nullptr, &loaded),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtProgramLoad: expected 'device' not to be null");
  EXPECT_FAILS(ampRtProgramLoad(program.get(), device, nullptr),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtProgramLoad: expected 'loaded' not to be null");
  EXPECT_EQ(ampRtProgramUnload(nullptr), AMP_RT_OK);
  EXPECT_FAILS(ampRtRunSetProgram(nullptr, nullptr), AMP_RT_INVALID_ARGUMENT,
               "ampRtRunSetProgram: expected 'run' not to be null");
}

TEST_F(Load, ProgramsForTheHost) {
  DeviceProgram program(nullptr);
  EXPECT_FAILS(ampRtProgramLoad(program.get(), device, &loaded),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtProgramLoad: device 'host': expected a program for a "
               "device, but got one for the host; call its functions without "
               "loading it, or compile it for the device");
}

TEST_F(Load, OnTheHost) {
  for (const char *chip : {"", "sm_90a"}) {
    DeviceProgram program(chip);
    EXPECT_FAILS(ampRtProgramLoad(program.get(), device, &loaded),
                 AMP_RT_UNAVAILABLE,
                 "ampRtProgramLoad: device 'host': expected a device with "
                 "kernels, but it has none; use device 'cuda'");
  }
}

// On which nothing of a device happens.
TEST_F(Load, ARunWithoutAProgram) {
  AmpRtRun *run = nullptr;
  ASSERT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
  EXPECT_EQ(ampRtRunSetProgram(run, nullptr), AMP_RT_OK);
  EXPECT_EQ(ampRtRunBegin(ampRtRunHandle(run)), AMP_RT_OK);
  EXPECT_EQ(ampRtRunLaunch(ampRtRunHandle(run), 0, nullptr),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_FAILS(ampRtRunEnd(ampRtRunHandle(run)), AMP_RT_INVALID_ARGUMENT,
               "ampRtRunLaunch: expected a run with a loaded program, but it "
               "has none; load the program on a device, and call "
               "ampRtRunSetProgram before the program");
  ampRtRunDestroy(run);
}
