//===- RandomStreamTest.cpp - The same numbers everywhere -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/RandomStream.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace mlir::amp;

// From an independent implementation. A change of these numbers would change
// every seeded run.
TEST(RandomStream, GivesTheSameNumbersForEver) {
  RandomStream bits(1, "fc1.weight");
  EXPECT_EQ(bits.next(), 5610114438983366537u);
  EXPECT_EQ(RandomStream(1, "fc1.weight").uniform(-1, 1), -0.3917501737361939);
  EXPECT_EQ(RandomStream(0, "epoch 0").permutation(5),
            (std::vector<int64_t>{3, 1, 0, 4, 2}));
}

TEST(RandomStream, SeedAndLabelGiveDifferentStreams) {
  std::set<uint64_t> first;
  for (uint64_t seed = 0; seed < 10; ++seed)
    for (const char *label : {"", "a", "b", "ab", "ba"})
      first.insert(RandomStream(seed, label).next());
  EXPECT_EQ(first.size(), 50u);
}

TEST(RandomStream, UniformNumbersFillTheirInterval) {
  RandomStream stream(7, "u");
  double low = 1, high = -1, sum = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double value = stream.uniform(-0.5, 0.25);
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  EXPECT_GE(low, -0.5);
  EXPECT_LT(high, 0.25);
  EXPECT_LT(low, -0.4999);
  EXPECT_GT(high, 0.2499);
  // Five standard errors of the mean: 0.75 / sqrt(12 n).
  EXPECT_NEAR(sum / kCount, -0.125, 5 * 0.75 / std::sqrt(12.0 * kCount));
}

TEST(RandomStream, NormalNumbersHaveTheirMoments) {
  RandomStream stream(7, "n");
  double sum = 0, squares = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double value = stream.normal();
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kCount, 0, 5 / std::sqrt(double(kCount)));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
}

TEST(RandomStream, SmallNumbersAreEquallyOften) {
  RandomStream stream(3, "b");
  int counts[6] = {};
  for (int i = 0; i < 60000; ++i)
    ++counts[stream.below(6)];
  for (int count : counts)
    EXPECT_NEAR(count, 10000, 5 * std::sqrt(10000.0));
}

TEST(RandomStream, PermutationsHoldEachNumberOnce) {
  for (int64_t count : {0, 1, 2, 100}) {
    std::vector<int64_t> order = RandomStream(5, "p").permutation(count);
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < count; ++i)
      EXPECT_EQ(order[i], i);
  }
}
