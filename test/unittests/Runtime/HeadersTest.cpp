//===-- HeadersTest.cpp - The public headers are plain C11 ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Status.h"

#include <gtest/gtest.h>

// UseFromC.c
extern "C" int useRuntimeFromC(void);

TEST(Headers, ServeACProgram) {
  EXPECT_EQ(useRuntimeFromC(), 0)
      << "line of UseFromC.c that failed; " << ampRtStatusText();
}
