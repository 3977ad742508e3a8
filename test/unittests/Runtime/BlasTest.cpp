//===-- BlasTest.cpp - Matrix products of an installed BLAS ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products are skipped, and the skip is counted by gtest, where no BLAS that
// fits the CPU is installed; BlasMissingTest.cpp covers that case everywhere,
// and BlasChoiceTest.cpp which library is taken.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Blas.h"
#include "OpenRun.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace {

AmpRtBlasInfo emptyInfo() {
  AmpRtBlasInfo info = {};
  info.structSize = sizeof(info);
  return info;
}

AmpRtBlas *make(const AmpRtBlasOptions &options) {
  AmpRtBlas *blas = nullptr;
  EXPECT_EQ(ampRtBlasCreate(&options, &blas), AMP_RT_OK) << ampRtStatusText();
  return blas;
}

AmpRtBlasOptions defaults() {
  AmpRtBlasOptions options;
  ampRtBlasOptionsInit(&options);
  return options;
}

class Blas : public testing::Test {
protected:
  void SetUp() override {
    info = emptyInfo();
    ASSERT_EQ(ampRtBlasGetInfo(nullptr, &info), AMP_RT_OK);
    if (!info.path)
      GTEST_SKIP() << info.reason;
  }
  AmpRtBlasInfo info;
};

} // namespace

TEST_F(Blas, InfoSaysWhatWasFound) {
  ASSERT_NE(info.path, nullptr);
  ASSERT_NE(info.config, nullptr);
  EXPECT_EQ(info.threads, 1) << "one thread by default";
  // oneDNN chooses kernels for each product.
  if (std::string(info.config).rfind("oneDNN", 0) != 0) {
    ASSERT_NE(info.core, nullptr);
  }
  std::printf("BLAS: %s (%s), %s\n", info.config, info.path, info.reason);
}

TEST_F(Blas, ThreadsCanBeSet) {
  if (std::string(info.config) == "unknown CBLAS")
    GTEST_SKIP() << "it cannot say";
  AmpRtBlasOptions options = defaults();
  options.threads = 2;
  AmpRtBlas *blas = make(options);
  AmpRtBlasInfo now = emptyInfo();
  ASSERT_EQ(ampRtBlasGetInfo(blas, &now), AMP_RT_OK);
  EXPECT_EQ(now.threads, 2);
  ASSERT_EQ(ampRtBlasSetThreads(blas, 1), AMP_RT_OK);
  ASSERT_EQ(ampRtBlasGetInfo(blas, &now), AMP_RT_OK);
  EXPECT_EQ(now.threads, 1);
  ASSERT_EQ(ampRtBlasSetThreads(nullptr, 1), AMP_RT_OK);
  ampRtBlasDestroy(blas);
}

// Small integers, so that every order of summation gives the same f32. Rows are
// stored further apart than they are long.
TEST_F(Blas, SgemmEqualsAPlainLoop) {
  for (int transposes = 0; transposes < 4; ++transposes) {
    bool ta = transposes & 1, tb = transposes & 2;
    int64_t m = 5, n = 7, k = 3;
    int64_t lda = (ta ? m : k) + 2, ldb = (tb ? k : n) + 1, ldc = n + 3;
    std::vector<float> a((ta ? k : m) * lda), b((tb ? n : k) * ldb), c(m * ldc);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = float(int(i * 7 % 11) - 5);
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = float(int(i * 5 % 13) - 6);
    for (size_t i = 0; i < c.size(); ++i)
      c[i] = float(i);
    std::vector<float> expected = c;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += (ta ? a[l * lda + i] : a[i * lda + l]) *
                 (tb ? b[j * ldb + l] : b[l * ldb + j]);
        expected[i * ldc + j] = 2 * sum + 3 * expected[i * ldc + j];
      }
    ASSERT_EQ(ampRtBlasSgemm(nullptr, ta, tb, m, n, k, 2, a.data(), lda,
                             b.data(), ldb, 3, c.data(), ldc),
              AMP_RT_OK)
        << ampRtStatusText();
    EXPECT_EQ(c, expected) << "transposes " << ta << tb;
  }
}

// beta 0 means C is not read, NaN or not.
TEST_F(Blas, BetaZeroIgnoresC) {
  float a[1] = {2}, b[1] = {3},
        c[1] = {std::numeric_limits<float>::quiet_NaN()};
  ASSERT_EQ(ampRtBlasSgemm(nullptr, 0, 0, 1, 1, 1, 1, a, 1, b, 1, 0, c, 1),
            AMP_RT_OK);
  EXPECT_EQ(c[0], 6);
}

TEST_F(Blas, EmptyMatricesMayBeNull) {
  EXPECT_EQ(ampRtBlasSgemm(nullptr, 0, 0, 0, 3, 2, 1, nullptr, 2, nullptr, 3, 0,
                           nullptr, 3),
            AMP_RT_INVALID_ARGUMENT)
      << "b has 6 elements";
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasSgemm: expected 'b' not to be null");
  float b[6] = {};
  EXPECT_EQ(ampRtBlasSgemm(nullptr, 0, 0, 0, 3, 2, 1, nullptr, 2, b, 3, 0,
                           nullptr, 3),
            AMP_RT_OK)
      << ampRtStatusText();
  // k = 0: C is scaled only.
  float c[2] = {1, 2};
  ASSERT_EQ(ampRtBlasSgemm(nullptr, 0, 0, 1, 2, 0, 1, nullptr, 1, nullptr, 2, 3,
                           c, 2),
            AMP_RT_OK);
  EXPECT_EQ(c[0], 3);
  EXPECT_EQ(c[1], 6);
}

// What a BLAS would answer by printing, or by ending the process.
TEST_F(Blas, WrongArgumentsAreRefused) {
  float a[4] = {}, b[4] = {}, c[4] = {};
  EXPECT_EQ(ampRtBlasSgemm(nullptr, 0, 0, 2, 2, 2, 1, a, 1, b, 2, 0, c, 2),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasSgemm: matrix 'a': expected rows to be between 2 and "
               "2147483647 elements apart, but got 1");
  EXPECT_EQ(ampRtBlasSgemm(nullptr, 0, 0, -1, 2, 2, 1, a, 2, b, 2, 0, c, 2),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasSgemm: expected sizes from 0 to 2147483647, but got "
               "-1; compute the product in blocks");
  EXPECT_EQ(ampRtBlasSgemm(nullptr, 0, 0, INT64_C(1) << 40, 2, 2, 1, a, 2, b, 2,
                           0, c, 2),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(
      ampRtBlasSgemm(nullptr, 0, 0, 2, 2, 2, 1, a, 2, b, 2, 0, nullptr, 2),
      AMP_RT_INVALID_ARGUMENT);
}

TEST(BlasOptions, OffNeverOpens) {
  AmpRtBlasOptions options = defaults();
  options.mode = AMP_RT_BLAS_OFF;
  AmpRtBlas *blas = make(options);
  float a[1] = {2}, b[1] = {3}, c[1] = {0};
  EXPECT_EQ(ampRtBlasSgemm(blas, 0, 0, 1, 1, 1, 1, a, 1, b, 1, 0, c, 1),
            AMP_RT_UNAVAILABLE);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasSgemm: BLAS is switched off by AMP_RT_BLAS_OFF; use "
               "AMP_RT_BLAS_AUTO to let it be searched for");
  EXPECT_EQ(c[0], 0);
  AmpRtBlasInfo info = emptyInfo();
  ASSERT_EQ(ampRtBlasGetInfo(blas, &info), AMP_RT_OK);
  EXPECT_EQ(info.path, nullptr);
  EXPECT_EQ(info.config, nullptr);
  EXPECT_EQ(info.core, nullptr);
  EXPECT_EQ(info.threads, 0);
  EXPECT_STREQ(info.reason,
               "BLAS is switched off by AMP_RT_BLAS_OFF; use AMP_RT_BLAS_AUTO "
               "to let it be searched for");
  ampRtBlasDestroy(blas);
}

// Also where the default object would find another, and on any CPU.
TEST(BlasOptions, NamedLibraryIsTaken) {
  ASSERT_EQ(setenv("FAKE_BLAS_CORE", "Katmai", 1), 0);
  AmpRtBlasOptions options = defaults();
  options.path = FAKE_OPENBLAS_FILE;
  AmpRtBlas *blas = make(options);
  AmpRtBlasInfo info = emptyInfo();
  ASSERT_EQ(ampRtBlasGetInfo(blas, &info), AMP_RT_OK) << ampRtStatusText();
  EXPECT_STREQ(info.path, FAKE_OPENBLAS_FILE);
  EXPECT_STREQ(info.config, "OpenBLAS 0.0 fake");
  EXPECT_STREQ(info.core, "Katmai");
  EXPECT_EQ(info.threads, 1) << "of its 16";
  // Compiled before the core and the reason were there.
  AmpRtBlasInfo older = {};
  older.structSize = offsetof(AmpRtBlasInfo, core);
  older.core = "untouched";
  ASSERT_EQ(ampRtBlasGetInfo(blas, &older), AMP_RT_OK) << ampRtStatusText();
  EXPECT_STREQ(older.config, "OpenBLAS 0.0 fake");
  EXPECT_STREQ(older.core, "untouched");
  float a[1] = {2}, b[1] = {3}, c[1] = {0};
  EXPECT_EQ(ampRtBlasSgemm(blas, 0, 0, 1, 1, 1, 1, a, 1, b, 1, 0, c, 1),
            AMP_RT_OK);
  EXPECT_EQ(c[0], 6);
  ampRtBlasDestroy(blas);
  ASSERT_EQ(unsetenv("FAKE_BLAS_CORE"), 0);
}

TEST(BlasOptions, PathMustBeOfACblas) {
  AmpRtBlasOptions options = defaults();
  options.path = "/nonexistent/libblas.so";
  AmpRtBlas *blas = make(options);
  AmpRtBlasInfo info = emptyInfo();
  EXPECT_EQ(ampRtBlasGetInfo(blas, &info), AMP_RT_NOT_FOUND);
  std::string text = ampRtStatusText();
  EXPECT_EQ(text.rfind("ampRtBlasGetInfo: library '/nonexistent/libblas.so' of "
                       "AmpRtBlasOptions.path cannot be opened (",
                       0),
            0u)
      << text;
  EXPECT_NE(text.find("); name an installed BLAS, or leave it unset to search "
                      "for one"),
            std::string::npos);
  ampRtBlasDestroy(blas);

  options.path = "libm.so.6";
  blas = make(options);
  EXPECT_EQ(ampRtBlasGetInfo(blas, &info), AMP_RT_NOT_FOUND);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasGetInfo: library 'libm.so.6' of AmpRtBlasOptions.path "
               "has no symbol 'cblas_sgemm'; name a library with the CBLAS "
               "interface, e.g. libopenblas.so.0");
  EXPECT_EQ(info.path, nullptr);
  ampRtBlasDestroy(blas);
}

TEST(BlasOptions, EnvironmentOverridesTheSearch) {
  ASSERT_EQ(setenv("AMP_BLAS", "/nonexistent/mine.so", 1), 0);
  AmpRtBlas *blas = make(defaults());
  AmpRtBlasInfo info = emptyInfo();
  EXPECT_EQ(ampRtBlasGetInfo(blas, &info), AMP_RT_NOT_FOUND);
  EXPECT_NE(std::string(ampRtStatusText())
                .find("library '/nonexistent/mine.so' of AMP_BLAS cannot be "
                      "opened ("),
            std::string::npos);
  ASSERT_EQ(unsetenv("AMP_BLAS"), 0);
  ampRtBlasDestroy(blas);

  ASSERT_EQ(setenv("AMP_BLAS", "off", 1), 0);
  blas = make(defaults());
  ASSERT_EQ(ampRtBlasGetInfo(blas, &info), AMP_RT_OK);
  EXPECT_EQ(info.path, nullptr);
  ASSERT_EQ(unsetenv("AMP_BLAS"), 0);
  ampRtBlasDestroy(blas);
}

// A program computes by itself when a product is refused. It must not do so in
// silence where a library was asked for by name.
TEST(BlasOptions, NamedLibraryThatIsMissingFailsTheProgram) {
  float a[1] = {2}, b[1] = {3}, c[1] = {0};
  OpenRun run;
  auto multiply = [&](const char *choice) {
    EXPECT_EQ(setenv("AMP_BLAS", choice, 1), 0);
    AmpRtBlas *blas = make(defaults());
    AmpRtStatus status = ampRtRunSgemm(run.handle(), blas, 0, 0, 1, 1, 1, 1, a,
                                       1, b, 1, 0, c, 1);
    EXPECT_EQ(unsetenv("AMP_BLAS"), 0);
    ampRtBlasDestroy(blas);
    return status;
  };
  EXPECT_EQ(multiply("/nonexistent/mine.so"), AMP_RT_NOT_FOUND);
  std::string text = run.takeError();
  EXPECT_EQ(run.status, AMP_RT_PROGRAM_ERROR);
  EXPECT_EQ(text.rfind("ampRtBlasSgemm: library '/nonexistent/mine.so' of "
                       "AMP_BLAS cannot be opened (",
                       0),
            0u)
      << text;
  EXPECT_EQ(multiply("off"), AMP_RT_UNAVAILABLE);
  EXPECT_EQ(run.takeError(), "");
}

TEST(BlasOptions, WrongOptionsAreRefused) {
  AmpRtBlas *blas = nullptr;
  AmpRtBlasOptions options = defaults();
  options.mode = 5;
  EXPECT_EQ(ampRtBlasCreate(&options, &blas), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasCreate: expected mode to be AMP_RT_BLAS_AUTO or "
               "AMP_RT_BLAS_OFF, but got 5");
  options = defaults();
  options.threads = 0;
  EXPECT_EQ(ampRtBlasCreate(&options, &blas), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasCreate: expected 'threads' to be at least 1, but got "
               "0");
  EXPECT_EQ(ampRtBlasSetThreads(nullptr, -1), AMP_RT_INVALID_ARGUMENT);
  options = defaults();
  options.structSize = 0;
  EXPECT_EQ(ampRtBlasCreate(&options, &blas), AMP_RT_VERSION_MISMATCH);
  EXPECT_EQ(ampRtBlasCreate(nullptr, nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtBlasGetInfo(nullptr, nullptr), AMP_RT_INVALID_ARGUMENT);
  AmpRtBlasInfo info = {};
  EXPECT_EQ(ampRtBlasGetInfo(nullptr, &info), AMP_RT_VERSION_MISMATCH);
  EXPECT_EQ(blas, nullptr);
  ASSERT_EQ(ampRtBlasCreate(nullptr, &blas), AMP_RT_OK);
  ampRtBlasDestroy(blas);
  ampRtBlasDestroy(nullptr);
  ampRtBlasOptionsInit(nullptr);
}
