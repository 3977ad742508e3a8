//===-- OpenRun.h - A run as a compiled program sees it ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_UNITTESTS_RUNTIME_OPENRUN_H
#define AMP_TEST_UNITTESTS_RUNTIME_OPENRUN_H

#include "amp-rt/Run.h"

#include <gtest/gtest.h>

#include <string>

/// A run between begin and end, for tests that play the program.
class OpenRun {
public:
  OpenRun() {
    EXPECT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
    EXPECT_EQ(ampRtRunBegin(handle()), AMP_RT_OK);
  }
  ~OpenRun() {
    EXPECT_EQ(ampRtRunEnd(handle()), AMP_RT_OK) << ampRtStatusText();
    ampRtRunDestroy(run);
  }
  OpenRun(const OpenRun &) = delete;
  OpenRun &operator=(const OpenRun &) = delete;

  int64_t handle() const { return ampRtRunHandle(run); }

  /// Ends the call and begins another. The text of its error, or nothing.
  std::string takeError() {
    status = ampRtRunEnd(handle());
    std::string text = status == AMP_RT_OK ? "" : ampRtStatusText();
    EXPECT_EQ(ampRtRunBegin(handle()), AMP_RT_OK);
    return text;
  }
  /// What that end returned.
  AmpRtStatus status = AMP_RT_OK;
  AmpRtRun *run = nullptr;
};

#endif // AMP_TEST_UNITTESTS_RUNTIME_OPENRUN_H
