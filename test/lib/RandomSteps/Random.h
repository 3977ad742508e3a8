//===- Random.h - Draws that are the same everywhere ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The standard fixes the numbers of std::mt19937_64 and not those of its
// distributions, so ranges are mapped here.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_RANDOMSTEPS_RANDOM_H
#define AMP_TEST_RANDOMSTEPS_RANDOM_H

#include "llvm/ADT/ArrayRef.h"

#include <random>

namespace mlir::amp {

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  uint64_t next() { return engine(); }
  /// A number from 0 to `count` - 1. The bias of the remainder is of no matter
  /// for small counts.
  unsigned below(unsigned count) { return unsigned(engine() % count); }
  /// A number from `low` to `high`, both included.
  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(below(unsigned(high - low + 1)));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T> const T &pick(llvm::ArrayRef<T> from) {
    return from[below(unsigned(from.size()))];
  }
  template <typename T> T pick(std::initializer_list<T> from) {
    return from.begin()[below(unsigned(from.size()))];
  }

private:
  std::mt19937_64 engine;
};

} // namespace mlir::amp

#endif // AMP_TEST_RANDOMSTEPS_RANDOM_H
