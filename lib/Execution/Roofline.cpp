//===- Roofline.cpp - What this machine can do at most --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/Roofline.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

using namespace mlir::amp;

double mlir::amp::measureTriad(int64_t bytes, Measure measure) {
  int64_t count = std::max<int64_t>(bytes / (3 * int64_t(sizeof(float))), 64);
  auto make = [&] {
    size_t size = (count * sizeof(float) + 63) / 64 * 64;
    auto *data = static_cast<float *>(std::aligned_alloc(64, size));
    std::fill_n(data, count, 1.0f);
    return std::unique_ptr<float, decltype(&std::free)>(data, &std::free);
  };
  auto a = make(), b = make(), c = make();
  float *volatile target = a.get();
  double time = measure([&] {
    float *__restrict to = target;
    const float *__restrict x = b.get(), *__restrict y = c.get();
    for (int64_t i = 0; i < count; ++i)
      to[i] = x[i] + 3 * y[i];
  });
  return 3.0 * sizeof(float) * count / time;
}
