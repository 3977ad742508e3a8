//===-- BlasMissingTest.cpp - A machine without any BLAS ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This executable exports a dlopen of its own, which finds nothing; the runtime
// library's call binds to it.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Blas.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

static std::vector<std::string> *opened;

extern "C" __attribute__((visibility("default"))) void *dlopen(const char *path,
                                                               int) noexcept {
  if (opened)
    opened->push_back(path ? path : "");
  return nullptr;
}

TEST(BlasMissing, SgemmNamesThePackage) {
  std::vector<std::string> paths;
  opened = &paths;
  unsetenv("AMP_BLAS");
  float a[1] = {2}, b[1] = {3}, c[1] = {0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ampRtBlasSgemm(nullptr, 0, 0, 1, 1, 1, 1, a, 1, b, 1, 0, c, 1),
              AMP_RT_NOT_FOUND);
    EXPECT_STREQ(
        ampRtStatusText(),
        "ampRtBlasSgemm: library 'libopenblas.so.0' not found, nor another "
        "CBLAS; install OpenBLAS (Debian and Ubuntu: libopenblas0, Fedora: "
        "openblas), or set AMP_BLAS to the path of one");
  }
  EXPECT_EQ(c[0], 0) << "never a silent zero, nor anything else";
  EXPECT_EQ(paths,
            (std::vector<std::string>{"libopenblas.so.0", "libblas.so.3"}))
      << "searched once, not for every product";
  AmpRtBlasInfo info = {};
  info.structSize = sizeof(info);
  ASSERT_EQ(ampRtBlasGetInfo(nullptr, &info), AMP_RT_OK);
  EXPECT_EQ(info.path, nullptr);
  EXPECT_STREQ(
      info.reason,
      "library 'libopenblas.so.0' not found, nor another CBLAS; install "
      "OpenBLAS (Debian and Ubuntu: libopenblas0, Fedora: openblas), or set "
      "AMP_BLAS to the path of one");
  opened = nullptr;
}
