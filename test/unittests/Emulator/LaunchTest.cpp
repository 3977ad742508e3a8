//===- LaunchTest.cpp - What cannot be launched ---------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that the tool's options cannot break, but callers of the library can.
//
//===----------------------------------------------------------------------===//

#include "amp/Emulator/Launch.h"

#include <gtest/gtest.h>

using namespace amp::emu;

TEST(LaunchRules, NeedExtents) {
  Launch launch;
  EXPECT_EQ(validateLaunch(launch), "");
  launch.grid.y = 0;
  EXPECT_EQ(validateLaunch(launch),
            "expected extents of at least 1, but got grid 1,0,1, block 1,1,1, "
            "cluster 1,1,1");
}
