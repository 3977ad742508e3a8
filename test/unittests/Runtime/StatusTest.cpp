//===-- StatusTest.cpp - Status texts and versions ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Status.h"
#include "amp-rt/Scaler.h"
#include "amp-rt/Version.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

TEST(Status, NamesOfAllCodes) {
  EXPECT_STREQ(ampRtStatusName(AMP_RT_OK), "ok");
  EXPECT_STREQ(ampRtStatusName(AMP_RT_INVALID_ARGUMENT), "invalid argument");
  EXPECT_STREQ(ampRtStatusName(AMP_RT_VERSION_MISMATCH), "version mismatch");
  EXPECT_STREQ(ampRtStatusName(AMP_RT_NOT_FOUND), "not found");
  EXPECT_STREQ(ampRtStatusName(AMP_RT_UNAVAILABLE), "unavailable");
  EXPECT_STREQ(ampRtStatusName(AMP_RT_OUT_OF_MEMORY), "out of memory");
  EXPECT_STREQ(ampRtStatusName(AMP_RT_PROGRAM_ERROR), "program error");
  EXPECT_STREQ(ampRtStatusName(AMP_RT_DEVICE_ERROR), "device error");
}

// Each thread has its own text, and a success leaves it alone.
TEST(Status, TextIsPerThread) {
  ASSERT_EQ(ampRtScalerUpdate(nullptr, false, nullptr),
            AMP_RT_INVALID_ARGUMENT);
  std::string mine = ampRtStatusText();
  EXPECT_EQ(mine, "ampRtScalerUpdate: expected 'scaler' not to be null");
  std::string before, after;
  std::thread([&] {
    before = ampRtStatusText();
    ampRtScalerClearFoundInf(nullptr);
    after = ampRtStatusText();
  }).join();
  EXPECT_EQ(before, "");
  EXPECT_EQ(after,
            "ampRtScalerClearFoundInf: expected 'scaler' not to be null");
  EXPECT_EQ(ampRtVersionCheck(AMP_RT_VERSION), AMP_RT_OK);
  EXPECT_EQ(ampRtStatusText(), mine);
}

// A text longer than the buffer is cut, not overrun.
TEST(Status, LongNamesAreCut) {
  AmpRtScalerConfig config;
  ampRtScalerConfigInit(&config);
  config.growthInterval = 0;
  std::string name(5000, 'n');
  AmpRtScaler *scaler = nullptr;
  EXPECT_EQ(ampRtScalerCreate(name.c_str(), &config, &scaler),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(ampRtStatusText()).size(), 1023u);
}

TEST(Version, HeadersAndLibraryAgree) {
  EXPECT_EQ(ampRtVersionGet(), AMP_RT_VERSION);
  EXPECT_STREQ(ampRtVersionText(), "0.1.0");
  EXPECT_EQ(ampRtVersionCheck(AMP_RT_VERSION + 1), AMP_RT_OK) << "a patch";
  EXPECT_EQ(ampRtVersionCheck(0x00000200), AMP_RT_VERSION_MISMATCH);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtVersionCheck: expected a caller compiled for libamp-rt "
               "0.1.0, but it was compiled for 0.2.0; compile it against the "
               "installed headers");
  EXPECT_EQ(ampRtVersionCheck(0x00010100), AMP_RT_VERSION_MISMATCH);
}
