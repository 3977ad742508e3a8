//===- RandomStream.h - Numbers that are the same everywhere ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014), one stream for each pair of a seed and a label.
// Start values take their parameter's name as label, so a parameter starts with
// the same values at each opt level and whatever else the step contains.
//
// The distributions are written out because those of <random> differ between
// standard libraries, and the functions of <cmath> in their last bits.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_RANDOMSTREAM_H
#define AMP_EXECUTION_RANDOMSTREAM_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace mlir::amp {

class RandomStream {
public:
  RandomStream(uint64_t seed, llvm::StringRef label);

  /// 64 random bits.
  uint64_t next();
  /// A number of [low, high): the upper 53 bits, scaled.
  double uniform(double low, double high);
  /// A number of the standard normal distribution (Box and Muller, one number
  /// from two, so that no state is hidden).
  double normal();
  /// A number of [0, bound), without bias; `bound` is above 0.
  uint64_t below(uint64_t bound);
  /// The numbers 0..count-1 in random order (Fisher and Yates).
  std::vector<int64_t> permutation(int64_t count);

private:
  uint64_t state;
};

} // namespace mlir::amp

#endif // AMP_EXECUTION_RANDOMSTREAM_H
