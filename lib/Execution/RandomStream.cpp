//===- RandomStream.cpp - Numbers that are the same everywhere ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/RandomStream.h"

#include <cassert>
#include <cmath>
#include <numeric>

using namespace mlir::amp;

/// The output function of SplitMix64.
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// FNV-1a, 64 bits.
static uint64_t hashLabel(llvm::StringRef label) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : label)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

RandomStream::RandomStream(uint64_t seed, llvm::StringRef label)
    : state(mix(mix(seed) ^ hashLabel(label))) {}

uint64_t RandomStream::next() {
  state += 0x9e3779b97f4a7c15;
  return mix(state);
}

double RandomStream::uniform(double low, double high) {
  return low + (high - low) * std::ldexp(double(next() >> 11), -53);
}

double RandomStream::normal() {
  constexpr double kTwoPi = 6.283185307179586;
  // 1 - u lies in (0, 1], where the logarithm is finite.
  const double radius = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
  return radius * std::cos(kTwoPi * uniform(0, 1));
}

uint64_t RandomStream::below(uint64_t bound) {
  assert(bound > 0 && "no number lies below 0");
  // The 2^64 mod bound lowest values would favour small results.
  const uint64_t reject = -bound % bound;
  uint64_t value;
  do
    value = next();
  while (value < reject);
  return value % bound;
}

std::vector<int64_t> RandomStream::permutation(int64_t count) {
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = count; i-- > 1;)
    std::swap(order[i], order[below(i + 1)]);
  return order;
}
