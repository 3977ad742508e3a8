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

#include "ChipLimits.h"

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

// A multiprocessor has 64 warps, 32 blocks, 228 KiB of shared memory of which
// each block takes 1 KiB more than its own, and 65536 registers.
TEST(LaunchRules, CountWhatTheChipHolds) {
  auto count = [](unsigned threads, unsigned shared, unsigned registers,
                  unsigned cluster) {
    Launch launch;
    launch.block.x = threads;
    launch.sharedBytes = shared;
    launch.registers = registers;
    launch.cluster.x = cluster;
    return countResidentClusters(launch);
  };
  EXPECT_EQ(count(1, 0, 0, 1), 32u * 132);
  EXPECT_EQ(count(1024, 0, 0, 1), 2u * 132);
  EXPECT_EQ(count(1000, 0, 0, 1), 2u * 132); // whole warps
  EXPECT_EQ(count(96, 0, 0, 1), 21u * 132);
  EXPECT_EQ(count(32, 232448, 0, 1), 132u);
  EXPECT_EQ(count(32, 115712, 0, 1), 2u * 132);
  EXPECT_EQ(count(32, 115713, 0, 1), 132u);
  EXPECT_EQ(count(384, 0, 168, 1), 132u);
  EXPECT_EQ(count(128, 0, 128, 1), 4u * 132);
  EXPECT_EQ(count(32, 232448, 0, 16), 8u);
}
