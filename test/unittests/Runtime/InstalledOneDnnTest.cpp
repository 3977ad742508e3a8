//===-- InstalledOneDnnTest.cpp - Products of a real oneDNN ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Skipped, and the skip counted by gtest, where oneDNN is not installed. A
// process of its own: whoever has opened a fake library has the real one's
// soname taken.
//
//===----------------------------------------------------------------------===//

#include "BlasProducts.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <random>

namespace {
class InstalledOneDnn : public testing::Test {
protected:
  void SetUp() override {
    blas = make("onednn");
    AmpRtBlasInfo info = {};
    info.structSize = sizeof(info);
    if (ampRtBlasGetInfo(blas, &info) != AMP_RT_OK)
      GTEST_SKIP() << ampRtStatusText();
    hasBf16 = info.bf16MinWork != AMP_RT_BLAS_NEVER;
    std::printf("%s (%s), %s\n", info.config, info.path, info.reason);
  }
  void TearDown() override { ampRtBlasDestroy(blas); }

  AmpRtBlas *blas = nullptr;
  bool hasBf16 = false;
};
} // namespace

TEST_F(InstalledOneDnn, ProductsOfSmallIntegers) {
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {5, 7, 3},
                         {3, 2, 0},
                         {65, 33, 17},
                         {130, 70, 260}}) {
    expectProducts(blas, false, m, n, k);
    if (hasBf16)
      expectProducts(blas, true, m, n, k);
  }
  if (!hasBf16)
    GTEST_SKIP() << "no bf16 on this CPU";
}

// Numbers of full precision. A sum of k products that are exact in f32, begun
// from C, in any order: each of at most k additions rounds by 2^-24 of what the
// sum of magnitudes can be, (1 + 2^-24)^k - 1 < 1.01 k 2^-24 for k below 2^17.
// vdpbf16ps takes subnormal sums as zero, which is less than k 2^-126.
TEST_F(InstalledOneDnn, SumsOfBf16AreWithinTheirBound) {
  if (!hasBf16)
    GTEST_SKIP() << "no bf16 on this CPU";
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int64_t k : {1, 31, 512, 3000}) {
    Numbers numbers(false, true, 37, 45, k);
    for (auto [values, bits] :
         {std::pair{&numbers.a, &numbers.aBits}, {&numbers.b, &numbers.bBits}})
      for (size_t i = 0; i < values->size(); ++i) {
        (*bits)[i] = ampRtHalfBF16FromF32(normal(random));
        (*values)[i] = ampRtHalfF32FromBF16((*bits)[i]);
      }
    const std::vector<float> before = numbers.c;
    ASSERT_EQ(numbers.multiplyBits(blas, 1), AMP_RT_OK) << ampRtStatusText();
    for (int64_t i = 0; i < numbers.m; ++i)
      for (int64_t j = 0; j < numbers.n; ++j) {
        double sum = before[i * numbers.ldc + j], magnitude = std::abs(sum);
        for (int64_t l = 0; l < k; ++l) {
          const double product =
              double(numbers.getA(i, l)) * double(numbers.getB(l, j));
          sum += product;
          magnitude += std::abs(product);
        }
        const double bound = 1.01 * double(k) * std::ldexp(1, -24) * magnitude +
                             double(k) * std::ldexp(1, -126);
        ASSERT_LE(std::abs(numbers.c[i * numbers.ldc + j] - sum), bound)
            << i << ", " << j << " of " << k;
      }
  }
}
