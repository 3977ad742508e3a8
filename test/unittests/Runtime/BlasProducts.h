//===-- BlasProducts.h - Products that a library computes -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_UNITTESTS_RUNTIME_BLASPRODUCTS_H
#define AMP_TEST_UNITTESTS_RUNTIME_BLASPRODUCTS_H

#include "amp-rt/Blas.h"
#include "amp-rt/Half.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

inline AmpRtBlas *make(const char *path) {
  AmpRtBlasOptions options;
  ampRtBlasOptionsInit(&options);
  options.path = path;
  AmpRtBlas *blas = nullptr;
  EXPECT_EQ(ampRtBlasCreate(&options, &blas), AMP_RT_OK) << ampRtStatusText();
  return blas;
}

inline AmpRtBlasInfo getInfo(AmpRtBlas *blas) {
  AmpRtBlasInfo info = {};
  info.structSize = sizeof(info);
  EXPECT_EQ(ampRtBlasGetInfo(blas, &info), AMP_RT_OK) << ampRtStatusText();
  return info;
}

/// A product whose rows are stored further apart than they are long, of small
/// integers, so that every order of summation gives the same f32.
struct Numbers {
  bool ta, tb;
  int64_t m, n, k, lda, ldb, ldc;
  std::vector<float> a, b, c;
  std::vector<uint16_t> aBits, bBits;

  Numbers(bool ta, bool tb, int64_t m, int64_t n, int64_t k)
      : ta(ta), tb(tb), m(m), n(n), k(k), lda((ta ? m : k) + 2),
        ldb((tb ? k : n) + 1), ldc(n + 3), a((ta ? k : m) * lda),
        b((tb ? n : k) * ldb), c(m * ldc) {
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = float(int(i * 7 % 11) - 5);
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = float(int(i * 5 % 13) - 6);
    for (size_t i = 0; i < c.size(); ++i)
      c[i] = float(i % 17);
    for (float value : a)
      aBits.push_back(ampRtHalfBF16FromF32(value));
    for (float value : b)
      bBits.push_back(ampRtHalfBF16FromF32(value));
  }

  float getA(int64_t i, int64_t l) const {
    return ta ? a[l * lda + i] : a[i * lda + l];
  }
  float getB(int64_t l, int64_t j) const {
    return tb ? b[j * ldb + l] : b[l * ldb + j];
  }
  std::vector<float> getExpected(float alpha, float beta) const {
    std::vector<float> expected = c;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += getA(i, l) * getB(l, j);
        float &element = expected[i * ldc + j];
        element = alpha * sum + (beta == 0 ? 0 : beta * element);
      }
    return expected;
  }
  AmpRtStatus multiply(AmpRtBlas *blas, float beta, float alpha = 1) {
    return ampRtBlasSgemm(blas, ta, tb, m, n, k, alpha, a.data(), lda, b.data(),
                          ldb, beta, c.data(), ldc);
  }
  AmpRtStatus multiplyBits(AmpRtBlas *blas, float beta, float alpha = 1) {
    return ampRtBlasSbgemm(blas, ta, tb, m, n, k, alpha, aBits.data(), lda,
                           bBits.data(), ldb, beta, c.data(), ldc);
  }
};

/// What a product gives, of every layout.
inline void expectProducts(AmpRtBlas *blas, bool bf16, int64_t m, int64_t n,
                           int64_t k) {
  for (int transposes = 0; transposes < 4; ++transposes)
    for (float beta : {0.0f, 1.0f}) {
      Numbers numbers(transposes & 1, transposes & 2, m, n, k);
      if (beta == 0) // C is not read then
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j)
            numbers.c[i * numbers.ldc + j] =
                std::numeric_limits<float>::quiet_NaN();
      std::vector<float> expected = numbers.getExpected(1, beta);
      ASSERT_EQ(bf16 ? numbers.multiplyBits(blas, beta)
                     : numbers.multiply(blas, beta),
                AMP_RT_OK)
          << ampRtStatusText();
      EXPECT_EQ(numbers.c, expected) << "transposes " << transposes << ", beta "
                                     << beta << ", bf16 " << bf16;
    }
}

#endif // AMP_TEST_UNITTESTS_RUNTIME_BLASPRODUCTS_H
