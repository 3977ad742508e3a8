//===-- ProfileTest.cpp - Where the time of a program goes ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Profile.h"
#include "OpenRun.h"

#include <chrono>
#include <thread>

namespace {
struct ProfiledRun {
  ProfiledRun(int32_t kernels, int64_t calls) {
    EXPECT_EQ(ampRtProfileCreate(kernels, calls, &profile), AMP_RT_OK);
    EXPECT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
    EXPECT_EQ(ampRtRunSetProfile(run, profile), AMP_RT_OK);
  }
  ~ProfiledRun() {
    ampRtRunDestroy(run);
    ampRtProfileDestroy(profile);
  }
  int64_t handle() const { return ampRtRunHandle(run); }
  AmpRtKernelTime getTime(int32_t kernel) const {
    AmpRtKernelTime time = {};
    time.structSize = sizeof(time);
    EXPECT_EQ(ampRtProfileGetTime(profile, kernel, &time), AMP_RT_OK);
    return time;
  }
  AmpRtKernelCall getCall(int64_t index) const {
    AmpRtKernelCall call = {};
    call.structSize = sizeof(call);
    EXPECT_EQ(ampRtProfileGetCall(profile, index, &call), AMP_RT_OK);
    return call;
  }

  AmpRtProfile *profile = nullptr;
  AmpRtRun *run = nullptr;
};
} // namespace

static void sleep(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

TEST(Profile, AddsUpCalls) {
  ProfiledRun profiled(3, 0);
  for (int round = 0; round < 2; ++round) {
    const int64_t begin = ampRtRunKernelBegin(profiled.handle());
    sleep(5);
    ampRtRunKernelEnd(profiled.handle(), 1, begin);
  }
  EXPECT_EQ(profiled.getTime(0).calls, 0);
  EXPECT_EQ(profiled.getTime(1).calls, 2);
  EXPECT_GE(profiled.getTime(1).nanoseconds, 10'000'000);
  EXPECT_EQ(profiled.getTime(2).nanoseconds, 0);
  EXPECT_EQ(ampRtProfileCountCalls(profiled.profile), 0);
  EXPECT_EQ(ampRtProfileReset(profiled.profile), AMP_RT_OK);
  EXPECT_EQ(profiled.getTime(1).calls, 0);
}

TEST(Profile, KeepsTheFirstCalls) {
  ProfiledRun profiled(2, 2);
  for (int64_t kernel : {1, 0, 1}) {
    const int64_t begin = ampRtRunKernelBegin(profiled.handle());
    ampRtRunKernelEnd(profiled.handle(), kernel, begin);
  }
  ASSERT_EQ(ampRtProfileCountCalls(profiled.profile), 2);
  AmpRtKernelCall first = profiled.getCall(0), second = profiled.getCall(1);
  EXPECT_EQ(first.kernel, 1);
  EXPECT_EQ(second.kernel, 0);
  EXPECT_LE(first.begin, first.end);
  EXPECT_LE(first.end, second.begin);
}

// Programs say it whether somebody listens or not.
TEST(Profile, IsNotNeeded) {
  OpenRun run;
  EXPECT_EQ(ampRtRunKernelBegin(run.handle()), 0);
  ampRtRunKernelEnd(run.handle(), 0, 0);
  EXPECT_EQ(ampRtRunKernelBegin(0), 0);
  ampRtRunKernelEnd(0, 0, 0);
  ProfiledRun profiled(1, 1);
  ampRtRunKernelEnd(profiled.handle(), 1, 0);
  ampRtRunKernelEnd(profiled.handle(), -1, 0);
  EXPECT_EQ(profiled.getTime(0).calls, 0);
}

TEST(Profile, Refuses) {
  AmpRtProfile *profile = nullptr;
  EXPECT_EQ(ampRtProfileCreate(-1, 0, &profile), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtProfileCreate: expected numbers of kernels and calls not "
               "to be negative, but got -1 and 0");
  EXPECT_EQ(ampRtProfileCreate(1, 0, nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtProfileReset(nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtRunSetProfile(nullptr, nullptr), AMP_RT_INVALID_ARGUMENT);
  ProfiledRun profiled(1, 0);
  AmpRtKernelTime time = {};
  EXPECT_NE(ampRtProfileGetTime(profiled.profile, 0, &time), AMP_RT_OK);
  time.structSize = sizeof(time);
  EXPECT_EQ(ampRtProfileGetTime(profiled.profile, 1, &time),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtProfileGetTime: expected a kernel below 1, but got 1");
  AmpRtKernelCall call = {};
  call.structSize = sizeof(call);
  EXPECT_EQ(ampRtProfileGetCall(profiled.profile, 0, &call),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtProfileGetCall: expected a call below 0, but got 0");
  OpenRun run;
  EXPECT_EQ(ampRtRunSetProfile(run.run, nullptr), AMP_RT_INVALID_ARGUMENT);
}
