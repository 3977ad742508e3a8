//===-- ProgramTest.cpp - Errors of compiled programs ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Program.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

TEST(Program, FirstAssertIsKeptOthersAreCounted) {
  ampRtProgramClearError();
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_OK);
  ampRtReportAssert("batch size must be positive");
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_PROGRAM_ERROR);
  EXPECT_STREQ(ampRtStatusText(), "assertion in the compiled program failed: "
                                  "batch size must be positive");
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_OK) << "taken";

  ampRtReportAssert("first");
  ampRtReportAssert("second");
  ampRtReportAssert(nullptr);
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_PROGRAM_ERROR);
  EXPECT_STREQ(ampRtStatusText(), "assertion in the compiled program failed: "
                                  "first (and 2 more errors after it)");
}

TEST(Program, AssertWithoutText) {
  ampRtReportAssert(nullptr);
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_PROGRAM_ERROR);
  EXPECT_STREQ(ampRtStatusText(),
               "assertion in the compiled program failed: (no text)");
}

TEST(Program, ClearForgets) {
  ampRtReportAssert("old");
  ampRtProgramClearError();
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_OK);
}

// The message is copied: the string of a program may go with its code.
TEST(Program, MessageIsCopied) {
  std::string message = "before";
  ampRtReportAssert(message.c_str());
  message = "behind";
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_PROGRAM_ERROR);
  EXPECT_STREQ(ampRtStatusText(),
               "assertion in the compiled program failed: before");
}

TEST(Program, LongMessagesAreCut) {
  ampRtReportAssert(std::string(4000, '%').c_str());
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_PROGRAM_ERROR);
  EXPECT_EQ(std::string(ampRtStatusText()).size(), 899u);
}

TEST(Program, ErrorsArePerThread) {
  ampRtProgramClearError();
  ampRtReportAssert("here");
  AmpRtStatus other = AMP_RT_PROGRAM_ERROR;
  std::thread([&] {
    other = ampRtProgramTakeError();
    ampRtReportAssert("there");
  }).join();
  EXPECT_EQ(other, AMP_RT_OK);
  EXPECT_EQ(ampRtProgramTakeError(), AMP_RT_PROGRAM_ERROR);
  EXPECT_STREQ(ampRtStatusText(),
               "assertion in the compiled program failed: here");
}
