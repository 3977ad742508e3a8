//===- RandomStream.cpp - Numbers that are the same everywhere ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/RandomStream.h"

#include <cassert>
#include <numeric>

using namespace mlir::amp;

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
