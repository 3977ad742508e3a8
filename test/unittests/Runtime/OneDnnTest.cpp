//===-- OneDnnTest.cpp - Matrix products of oneDNN ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On fake libraries of both versions, which count what is made and fail where a
// test wants it. InstalledOneDnnTest.cpp has a real one.
//
//===----------------------------------------------------------------------===//

#include "BlasProducts.h"
#include "FakeOneDnn.h"
#include "OpenRun.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <vector>

namespace {

/// An environment variable while it lives.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
  }
  ~Variable() { unsetenv(name); }

private:
  const char *name;
};

/// On the fake of version 2, or of version 3.
class FakeOneDnn : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    handle = dlopen(GetParam(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    blas = make(GetParam());
  }
  void TearDown() override {
    ampRtBlasDestroy(blas);
    EXPECT_EQ(count().live, 0) << "an object takes with it what it has made";
    dlclose(handle);
  }
  template <typename Function> Function *find(const char *name) {
    return reinterpret_cast<Function *>(dlsym(handle, name));
  }
  FakeOneDnnCounts count() {
    return find<FakeOneDnnCounts()>("fakeOneDnnCounts")();
  }
  std::string getVersion() {
    return std::string(GetParam()).back() == '2' ? "2.6.3" : "3.6.3";
  }
  /// The text of a library that is refused, after its name.
  std::string refuse() {
    AmpRtBlasInfo info = {};
    info.structSize = sizeof(info);
    AmpRtBlas *other = make(GetParam());
    EXPECT_EQ(ampRtBlasGetInfo(other, &info), AMP_RT_NOT_FOUND);
    std::string text = ampRtStatusText();
    ampRtBlasDestroy(other);
    const std::string start = std::string("ampRtBlasGetInfo: library '") +
                              GetParam() + "' of AmpRtBlasOptions.path ";
    EXPECT_EQ(text.rfind(start, 0), 0u) << text;
    return text.substr(std::min(start.size(), text.size()));
  }

  void *handle = nullptr;
  AmpRtBlas *blas = nullptr;
};

} // namespace

TEST_P(FakeOneDnn, IsTakenByItsFile) {
  AmpRtBlasInfo info = getInfo(blas);
  EXPECT_STREQ(info.path, GetParam());
  EXPECT_EQ(info.config, "oneDNN " + getVersion() + " (OpenMP)");
  EXPECT_EQ(info.core, nullptr);
  EXPECT_EQ(info.threads, 1);
  EXPECT_EQ(info.f32MinWork, 0);
  EXPECT_EQ(info.bf16MinWork, 0);
  EXPECT_EQ(info.failure, nullptr);
  EXPECT_EQ(std::string(info.reason)
                .rfind("named by AmpRtBlasOptions.path; oneDNN " +
                           getVersion() + " (OpenMP), ",
                       0),
            0u)
      << info.reason;
  // Compiled before there were thresholds.
  AmpRtBlasInfo older = {};
  older.structSize = offsetof(AmpRtBlasInfo, f32MinWork);
  older.f32MinWork = 7;
  ASSERT_EQ(ampRtBlasGetInfo(blas, &older), AMP_RT_OK) << ampRtStatusText();
  EXPECT_STREQ(older.path, GetParam());
  EXPECT_EQ(older.f32MinWork, 7);
}

TEST_P(FakeOneDnn, ProductsOfBothTypes) {
  expectProducts(blas, false, 5, 7, 3);
  expectProducts(blas, true, 5, 7, 3);
  Numbers scaled(false, true, 4, 3, 2);
  std::vector<float> expected = scaled.getExpected(2, 3);
  ASSERT_EQ(scaled.multiply(blas, 3, 2), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(scaled.c, expected);
}

TEST_P(FakeOneDnn, NothingToMultiply) {
  getInfo(blas);
  const FakeOneDnnCounts before = count();
  expectProducts(blas, false, 3, 2, 0);
  expectProducts(blas, true, 3, 2, 0);
  expectProducts(blas, true, 0, 2, 4);
  expectProducts(blas, true, 3, 0, 4);
  EXPECT_EQ(count().executions, before.executions) << "oneDNN is not asked";
}

// Once for each shape, whatever is destroyed in between.
TEST_P(FakeOneDnn, PrimitivesAreKept) {
  auto multiply = [&](int64_t m, int64_t n, int64_t k, float beta) {
    Numbers numbers(false, false, m, n, k);
    EXPECT_EQ(numbers.multiplyBits(blas, beta), AMP_RT_OK);
  };
  multiply(21, 22, 23, 1);
  const FakeOneDnnCounts first = count();
  multiply(21, 22, 23, 1);
  EXPECT_EQ(count().primitives, first.primitives);
  EXPECT_EQ(count().executions, first.executions + 1);
  EXPECT_EQ(count().live, first.live) << "each call gives back what it made";
  multiply(21, 22, 23, 0);
  EXPECT_EQ(count().primitives, first.primitives + 1) << "it stores C";
  multiply(22, 21, 23, 1);
  EXPECT_EQ(count().primitives, first.primitives + 2);
  // Of two threads.
  ASSERT_EQ(ampRtBlasSetThreads(blas, 2), AMP_RT_OK);
  multiply(21, 22, 23, 1);
  EXPECT_EQ(count().primitives, first.primitives + 3);
  // Memory does not grow without end: beyond a thousand each is made anew.
  ASSERT_EQ(ampRtBlasSetThreads(blas, 1), AMP_RT_OK);
  for (int64_t m = 1; m < 1100; ++m)
    multiply(m, 1, 1, 1);
  const FakeOneDnnCounts full = count();
  multiply(1099, 1, 1, 1);
  EXPECT_EQ(count().primitives, full.primitives + 1);
  EXPECT_EQ(count().live, full.live);
  multiply(21, 22, 23, 1);
  EXPECT_EQ(count().primitives, full.primitives + 1) << "the kept one";
}

// oneDNN has the threads that it is told, and the caller's OpenMP its own.
TEST_P(FakeOneDnn, ThreadsAreThoseOfTheObject) {
  auto *getThreads = find<int()>("omp_get_max_threads");
  auto *setThreads = find<void(int)>("omp_set_num_threads");
  setThreads(5);
  for (int32_t threads : {1, 3}) {
    ASSERT_EQ(ampRtBlasSetThreads(blas, threads), AMP_RT_OK);
    EXPECT_EQ(getInfo(blas).threads, threads);
    Numbers numbers(false, false, 2, 3, 4);
    ASSERT_EQ(numbers.multiply(blas, 0), AMP_RT_OK);
    EXPECT_EQ(count().threads, threads);
    EXPECT_EQ(getThreads(), 5);
    ASSERT_EQ(numbers.multiplyBits(blas, 0), AMP_RT_OK) << ampRtStatusText();
    EXPECT_EQ(count().threads, threads);
    EXPECT_EQ(getThreads(), 5);
  }
  setThreads(16);
}

TEST_P(FakeOneDnn, SeveralThreadsMayMultiply) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round)
        expectProducts(blas, true, 3 + (round + i) % 4, 5, 6);
    });
  for (std::thread &thread : threads)
    thread.join();
}

// What cannot be used is an error that says what can.
TEST_P(FakeOneDnn, OtherVersionsAreRefused) {
  for (const char *version : {"1.7.0", "4.0.1"}) {
    Variable wanted("FAKE_ONEDNN_VERSION", version);
    EXPECT_EQ(refuse(), std::string("is oneDNN ") + version +
                            "; name one of version 2 or 3");
  }
}

TEST_P(FakeOneDnn, OtherThreadsAreRefused) {
  const struct {
    const char *number, *name;
  } rows[] = {{"4", "TBB"},
              {"8", "a thread pool of the application"},
              {"512", "SYCL"},
              {"77", "an unknown runtime"}};
  for (const auto &row : rows) {
    Variable wanted("FAKE_ONEDNN_RUNTIME", row.number);
    EXPECT_EQ(refuse(),
              std::string("is a oneDNN with threads by ") + row.name +
                  ", whose number cannot be set for one caller; name one with "
                  "OpenMP or without threads");
  }
  // One without threads computes with one.
  Variable wanted("FAKE_ONEDNN_RUNTIME", "1");
  AmpRtBlas *other = make(GetParam());
  EXPECT_EQ(getInfo(other).config, "oneDNN " + getVersion() + " (no threads)");
  expectProducts(other, true, 2, 3, 4);
  EXPECT_EQ(count().threads, 16) << "its OpenMP is not asked";
  ampRtBlasDestroy(other);
}

TEST_P(FakeOneDnn, AnEngineThatFailsIsRefused) {
  Variable wanted("FAKE_ONEDNN_FAIL", "dnnl_engine_create=5");
  EXPECT_EQ(refuse(), "cannot be used: 'dnnl_engine_create' returned 5 "
                      "(runtime error); name another");
}

TEST(OneDnn, AnIncompleteLibraryIsRefused) {
  AmpRtBlas *blas = make(FAKE_ONEDNN_INCOMPLETE_FILE);
  AmpRtBlasInfo info = {};
  info.structSize = sizeof(info);
  EXPECT_EQ(ampRtBlasGetInfo(blas, &info), AMP_RT_NOT_FOUND);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasGetInfo: library '" FAKE_ONEDNN_INCOMPLETE_FILE
               "' of AmpRtBlasOptions.path is oneDNN 2.6.3, but has no symbol "
               "'dnnl_sgemm'; name a whole one");
  ampRtBlasDestroy(blas);
}

// Each call of a product that can fail: nothing is written, nothing is left
// behind, the program that asked goes on without an error, and the object
// remembers the first one.
TEST_P(FakeOneDnn, AFailureIsToldAndNotMore) {
  const bool isVersion2 = getVersion()[0] == '2';
  std::vector<std::string> calls = {"dnnl_primitive_attr_create",
                                    "dnnl_primitive_attr_set_scratchpad_mode",
                                    "dnnl_post_ops_create",
                                    "dnnl_post_ops_append_sum",
                                    "dnnl_primitive_attr_set_post_ops",
                                    "dnnl_primitive_create",
                                    "dnnl_stream_create",
                                    "dnnl_memory_create",
                                    "dnnl_primitive_execute",
                                    "dnnl_stream_wait"};
  for (const char *call :
       isVersion2
           ? std::vector<const char *>{"dnnl_memory_desc_init_by_strides",
                                       "dnnl_matmul_desc_init",
                                       "dnnl_primitive_desc_create"}
           : std::vector<const char *>{"dnnl_memory_desc_create_with_strides",
                                       "dnnl_matmul_primitive_desc_create"})
    calls.push_back(call);
  int64_t n = 100;
  std::string first;
  getInfo(blas);
  for (const std::string &call : calls) {
    SCOPED_TRACE(call);
    Numbers numbers(false, false, 3, ++n, 2);
    // dnnl_stream_wait is too late for C not to be written.
    const std::vector<float> before = numbers.c;
    const int live = count().live;
    OpenRun run;
    {
      Variable wanted("FAKE_ONEDNN_FAIL", (call + "=3").c_str());
      EXPECT_EQ(ampRtRunSbgemm(run.handle(), blas, 0, 0, 3, n, 2, 1,
                               numbers.aBits.data(), numbers.lda,
                               numbers.bBits.data(), numbers.ldb, 1,
                               numbers.c.data(), numbers.ldc),
                AMP_RT_UNAVAILABLE);
    }
    const std::string text = "oneDNN " + getVersion() + " (OpenMP): '" + call +
                             "' returned 3 (unimplemented) for a product of 3 "
                             "x " +
                             std::to_string(n) + " x 2 in bf16";
    EXPECT_EQ(ampRtStatusText(), "ampRtBlasSbgemm: " + text);
    EXPECT_EQ(run.takeError(), "");
    if (first.empty())
      first = text;
    EXPECT_EQ(getInfo(blas).failure, first);
    const bool isMade =
        call == "dnnl_stream_create" || call == "dnnl_memory_create" ||
        call == "dnnl_primitive_execute" || call == "dnnl_stream_wait";
    // A primitive that was made stays: its plan, and version 3's descriptors.
    EXPECT_EQ(count().live, live + (!isMade ? 0 : isVersion2 ? 2 : 5));
    if (call != "dnnl_stream_wait") {
      EXPECT_EQ(numbers.c, before);
    }
    // It was this once.
    numbers.c = before;
    std::vector<float> expected = numbers.getExpected(1, 1);
    EXPECT_EQ(numbers.multiplyBits(blas, 1), AMP_RT_OK) << ampRtStatusText();
    EXPECT_EQ(numbers.c, expected);
  }
}

TEST_P(FakeOneDnn, AFailureInF32) {
  Numbers numbers(false, false, 3, 4, 2);
  const std::vector<float> before = numbers.c;
  getInfo(blas);
  Variable wanted("FAKE_ONEDNN_FAIL", "dnnl_sgemm=1");
  EXPECT_EQ(numbers.multiply(blas, 1), AMP_RT_OUT_OF_MEMORY);
  EXPECT_EQ(ampRtStatusText(),
            "ampRtBlasSgemm: oneDNN " + getVersion() +
                " (OpenMP): 'dnnl_sgemm' returned 1 (out of memory) for a "
                "product of 3 x 4 x 2 in f32");
  EXPECT_EQ(numbers.c, before);
  for (auto [number, name] :
       {std::pair<int, const char *>{2, "invalid arguments"},
        {5, "runtime error"},
        {42, "unknown status"}}) {
    Variable other("FAKE_ONEDNN_FAIL",
                   ("dnnl_sgemm=" + std::to_string(number)).c_str());
    EXPECT_EQ(numbers.multiply(blas, 1), AMP_RT_UNAVAILABLE);
    EXPECT_NE(
        std::string(ampRtStatusText())
            .find("returned " + std::to_string(number) + " (" + name + ")"),
        std::string::npos)
        << ampRtStatusText();
  }
}

// A CPU for which oneDNN has no bf16: f32 goes on, bf16 is never asked for.
TEST_P(FakeOneDnn, WithoutBf16) {
  {
    Variable wanted("FAKE_ONEDNN_FAIL", getVersion()[0] == '2'
                                            ? "dnnl_primitive_desc_create=3"
                                            : "dnnl_matmul_primitive_desc_"
                                              "create=3");
    AmpRtBlasInfo info = getInfo(blas);
    EXPECT_EQ(info.f32MinWork, 0);
    EXPECT_EQ(info.bf16MinWork, AMP_RT_BLAS_NEVER);
    EXPECT_NE(std::string(info.reason)
                  .find("; it does not multiply bf16 on this CPU"),
              std::string::npos)
        << info.reason;
  }
  expectProducts(blas, false, 2, 3, 4);
  Numbers numbers(false, false, 2, 3, 4);
  EXPECT_EQ(numbers.multiplyBits(blas, 1), AMP_RT_UNAVAILABLE);
  EXPECT_EQ(ampRtStatusText(),
            "ampRtBlasSbgemm: oneDNN " + getVersion() +
                " (OpenMP) does not multiply bf16 on this CPU; compute the "
                "product otherwise");
  EXPECT_EQ(getInfo(blas).failure, nullptr);
}

TEST_P(FakeOneDnn, WrongArgumentsAreRefused) {
  Numbers numbers(false, false, 2, 3, 4);
  EXPECT_EQ(numbers.multiplyBits(blas, 1, 2), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasSbgemm: expected alpha to be 1 and beta to be 0 or 1, "
               "but got 2 and 1");
  EXPECT_EQ(numbers.multiplyBits(blas, 0.5), AMP_RT_INVALID_ARGUMENT);
  numbers.lda = 3;
  EXPECT_EQ(numbers.multiplyBits(blas, 1), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasSbgemm: matrix 'a': expected rows to be between 4 and "
               "2147483647 elements apart, but got 3");
}

INSTANTIATE_TEST_SUITE_P(Versions, FakeOneDnn,
                         testing::Values(FAKE_ONEDNN2_FILE, FAKE_ONEDNN3_FILE),
                         [](const auto &info) {
                           return std::string("Version") +
                                  std::string(info.param).back();
                         });

// A CBLAS says that it has none, and is asked for none.
TEST(OneDnn, ACblasHasNoBf16) {
  AmpRtBlas *blas = make(FAKE_OPENBLAS_FILE);
  EXPECT_EQ(getInfo(blas).f32MinWork, 0);
  EXPECT_EQ(getInfo(blas).bf16MinWork, AMP_RT_BLAS_NEVER);
  Numbers numbers(false, false, 2, 3, 4);
  EXPECT_EQ(numbers.multiplyBits(blas, 1), AMP_RT_UNAVAILABLE);
  EXPECT_STREQ(
      ampRtStatusText(),
      "ampRtBlasSbgemm: library '" FAKE_OPENBLAS_FILE
      "' has no products of bf16; set AMP_BLAS=onednn, or compute them "
      "otherwise");
  ampRtBlasDestroy(blas);
  AmpRtBlasOptions off;
  ampRtBlasOptionsInit(&off);
  off.mode = AMP_RT_BLAS_OFF;
  ASSERT_EQ(ampRtBlasCreate(&off, &blas), AMP_RT_OK);
  EXPECT_EQ(numbers.multiplyBits(blas, 1), AMP_RT_UNAVAILABLE);
  EXPECT_EQ(getInfo(blas).f32MinWork, AMP_RT_BLAS_NEVER);
  ampRtBlasDestroy(blas);
}

TEST(OneDnn, SetLibraryComesBeforeTheChoice) {
  AmpRtBlas *blas = make("/nonexistent/first.so");
  EXPECT_EQ(ampRtBlasSetLibrary(blas, nullptr, "--blas"),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasSetLibrary: expected 'library' not to be null");
  EXPECT_EQ(ampRtBlasSetLibrary(blas, "onednn", nullptr),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtBlasSetLibrary: expected 'origin' not to be null");
  ASSERT_EQ(ampRtBlasSetLibrary(blas, "/nonexistent/other.so", "--other"),
            AMP_RT_OK);
  ASSERT_EQ(ampRtBlasSetLibrary(blas, FAKE_ONEDNN2_FILE, "--blas"), AMP_RT_OK);
  EXPECT_EQ(std::string(getInfo(blas).reason)
                .rfind("named by --blas; oneDNN 2.6.3", 0),
            0u);
  EXPECT_EQ(ampRtBlasSetLibrary(blas, FAKE_ONEDNN3_FILE, "--blas"),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(
      ampRtStatusText(),
      "ampRtBlasSetLibrary: expected a BLAS object that has not chosen "
      "a library, but got one that has; name it before the first "
      "product");
  EXPECT_STREQ(getInfo(blas).path, FAKE_ONEDNN2_FILE);
  ampRtBlasDestroy(blas);
}
