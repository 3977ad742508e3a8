//===- QuantitiesTest.cpp - Units that fit their numbers ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Support/Quantities.h"

#include "gtest/gtest.h"

#include <limits>

using namespace mlir::amp;

TEST(Quantities, BytesTakeTheLargestUnit) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1024), "1.0 KiB");
  EXPECT_EQ(formatBytes(1536), "1.5 KiB");
  EXPECT_EQ(formatBytes(708198), "691.6 KiB");
  EXPECT_EQ(formatBytes(3 << 20), "3.0 MiB");
  EXPECT_EQ(formatBytes(int64_t(69632191) * 1024), "66.4 GiB");
  EXPECT_EQ(formatBytes(int64_t(1) << 62), "4.0 EiB");
  EXPECT_EQ(formatBytes(std::numeric_limits<int64_t>::max()), "8.0 EiB");
  EXPECT_EQ(formatBytes(-2048), "-2.0 KiB");
}

TEST(Quantities, BytesThatRoundUpTakeTheNextUnit) {
  EXPECT_EQ(formatBytes((1 << 20) - 1), "1.0 MiB");
  // Near miss: this one rounds down.
  EXPECT_EQ(formatBytes((1 << 20) - 64), "1023.9 KiB");
}

TEST(Quantities, SecondsHaveThreeDigits) {
  EXPECT_EQ(formatSeconds(0), "0.00 us");
  EXPECT_EQ(formatSeconds(850e-6), "850 us");
  EXPECT_EQ(formatSeconds(0.0125), "12.5 ms");
  EXPECT_EQ(formatSeconds(0.25), "250 ms");
  EXPECT_EQ(formatSeconds(1.25), "1.25 s");
  EXPECT_EQ(formatSeconds(9.996), "10.0 s");
  EXPECT_EQ(formatSeconds(71), "71.0 s");
  EXPECT_EQ(formatSeconds(0.9999), "1.00 s");
  EXPECT_EQ(formatSeconds(3600), "3600 s");
}

TEST(Quantities, RatesBelowOneAreTimes) {
  EXPECT_EQ(formatRate(2733, 1, "step"), "2733 steps/s");
  EXPECT_EQ(formatRate(3, 2, "step"), "1.50 steps/s");
  EXPECT_EQ(formatRate(10, 10, "step"), "1.00 steps/s");
  EXPECT_EQ(formatRate(2, 25, "step"), "12.5 s/step");
  EXPECT_EQ(formatRate(1, 90000, "row"), "90000 s/row");
}

TEST(Quantities, NothingDoneHasNoRate) {
  EXPECT_EQ(formatRate(0, 1, "step"), "? steps/s");
  EXPECT_EQ(formatRate(1, 0, "step"), "? steps/s");
}
