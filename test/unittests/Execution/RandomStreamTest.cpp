//===- RandomStreamTest.cpp - The same numbers everywhere -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/RandomStream.h"

#include "llvm/ADT/bit.h"
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

// From a second implementation in Python, whose doubles are IEEE 754's: each
// bit of 100,000 numbers, as FNV-1a of 64 bits at a time.
TEST(RandomStream, NormalNumbersAreTheSameToTheBit) {
  RandomStream stream(1, "fc1.weight");
  for (double number : {0x1.e18ac2992819ep-2, -0x1.645e2e7f1ef1fp+1,
                        -0x1.94d8db50b9018p-2, 0x1.322023e5725c5p-1})
    EXPECT_EQ(stream.normal(), number);
  RandomStream many(7, "n");
  uint64_t hash = 0xcbf29ce484222325;
  for (int i = 0; i < 100000; ++i)
    hash = (hash ^ llvm::bit_cast<uint64_t>(many.normal())) * 0x100000001b3;
  EXPECT_EQ(hash, 0x556100dd17b3b5dbu);
}

// This machine's logarithm and cosine are others, but not by much.
TEST(RandomStream, NormalNumbersFollowBoxAndMuller) {
  RandomStream stream(11, "n"), pairs(11, "n");
  for (int i = 0; i < 100000; ++i) {
    const double first = pairs.uniform(0, 1), second = pairs.uniform(0, 1);
    const double expected = std::sqrt(-2 * std::log(1 - first)) *
                            std::cos(6.283185307179586 * second);
    ASSERT_NEAR(stream.normal(), expected, 1e-14) << first << " " << second;
  }
}

// The largest distance from the distribution function (Kolmogorov and Smirnov)
// is beyond 1.95 / sqrt(n) once in a thousand streams.
TEST(RandomStream, NormalNumbersHaveTheirDistribution) {
  RandomStream stream(7, "n");
  constexpr int kCount = 100000;
  std::vector<double> numbers;
  for (int i = 0; i < kCount; ++i)
    numbers.push_back(stream.normal());
  std::sort(numbers.begin(), numbers.end());
  double distance = 0;
  for (int i = 0; i < kCount; ++i) {
    const double expected = std::erfc(-numbers[i] / std::sqrt(2.0)) / 2;
    distance = std::max({distance, expected - double(i) / kCount,
                         double(i + 1) / kCount - expected});
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(double(kCount)));
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
