//===- RandomStream.h - Numbers that are the same everywhere ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The streams of amp-rt/Random.h, and what a data set needs of them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_RANDOMSTREAM_H
#define AMP_EXECUTION_RANDOMSTREAM_H

#include "amp-rt/Random.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace mlir::amp {

class RandomStream {
public:
  RandomStream(uint64_t seed, llvm::StringRef label)
      : random(ampRtRandomMake(seed, label.data(), int64_t(label.size()))) {}

  uint64_t next() { return ampRtRandomNext(&random); }
  double uniform(double low, double high) {
    return ampRtRandomUniform(&random, low, high);
  }
  double normal() { return ampRtRandomNormal(&random); }
  /// A number of [0, bound), without bias; `bound` is above 0.
  uint64_t below(uint64_t bound);
  /// The numbers 0..count-1 in random order (Fisher and Yates).
  std::vector<int64_t> permutation(int64_t count);

private:
  AmpRtRandom random;
};

} // namespace mlir::amp

#endif // AMP_EXECUTION_RANDOMSTREAM_H
