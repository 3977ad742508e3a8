//===-- CallArgumentsTest.cpp - What a call may be given ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribedArray.h"
#include "amp-rt/Program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {
/// MLIR's memref descriptor of rank 2.
struct Matrix {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};

/// f(param 'w' f32[?,3], scaler, batch 'x' i64[0,4]) -> output 'y' f32[2,3],
/// loss f32[]: each array on 64 bytes of its own.
class CallArguments : public testing::Test {
protected:
  CallArguments() { scaler.kind = AMP_RT_VALUE_SCALER; }

  Matrix matrix(int block, int64_t rows, int64_t columns) {
    void *data = memory + 16 * block;
    return {data, data, 0, {rows, columns}, {columns, 1}};
  }

  /// The error of checking, or "".
  std::string check(int32_t count = 5) {
    AmpRtStatus status = ampRtProgramCheckArguments(&f, arguments, count);
    EXPECT_TRUE(status == AMP_RT_OK || status == AMP_RT_INVALID_ARGUMENT);
    return status == AMP_RT_OK ? "" : ampRtStatusText();
  }

  const int64_t wExtents[2] = {-1, 3}, xExtents[2] = {0, 4},
                yExtents[2] = {2, 3};
  AmpRtValue w = describeArray("param", "w", AMP_RT_ELEMENT_F32, 2, wExtents),
             scaler = describeArray("scaler_state", "loss0", -1, 0, nullptr),
             x = describeArray("batch", "x", AMP_RT_ELEMENT_I64, 2, xExtents),
             y = describeArray("output", "y", AMP_RT_ELEMENT_F32, 2, yExtents),
             loss = describeArray("", "", AMP_RT_ELEMENT_F32, 0, nullptr);
  const AmpRtValue *given[3] = {&w, &scaler, &x};
  const AmpRtValue *made[2] = {&y, &loss};
  AmpRtFunction f = {sizeof(AmpRtFunction),
                     AMP_RT_FUNCTION_OTHER,
                     "f",
                     3,
                     2,
                     given,
                     made,
                     nullptr,
                     0,
                     /*cpuFeatures=*/0};

  alignas(64) float memory[80] = {};
  int64_t handle = 0;
  Matrix wArray = matrix(0, 2, 3), xArray = matrix(2, 0, 4),
         yArray = matrix(3, 2, 3), lossArray = matrix(4, -1, -1);
  void *arguments[5] = {&wArray, &handle, &xArray, &yArray, &lossArray};
};
} // namespace

TEST_F(CallArguments, WhatIsDescribedIsTaken) {
  EXPECT_EQ(check(), "");
  wArray.sizes[0] = 5; // the caller chooses; 60 bytes
  EXPECT_EQ(check(), "");
  // An empty array has no address and no strides, and what was allocated is the
  // caller's business.
  xArray.aligned = nullptr;
  xArray.strides[0] = 77;
  wArray.allocated = nullptr;
  EXPECT_EQ(check(), "");
  // The stride of one row is never used.
  wArray.sizes[0] = 1;
  wArray.strides[0] = 1000;
  EXPECT_EQ(check(), "");
  // Arguments are only read, so they may share memory.
  xArray.aligned = wArray.aligned;
  EXPECT_EQ(check(), "");
}

TEST_F(CallArguments, NullIsNamed) {
  EXPECT_EQ(ampRtProgramCheckArguments(nullptr, arguments, 5),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(), "ampRtProgramCheckArguments: expected "
                                  "'function' not to be null");
  EXPECT_EQ(ampRtProgramCheckArguments(&f, nullptr, 5),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(), "call of 'f': expected the addresses of 3 "
                                  "arguments and 2 results, but got null");
  EXPECT_EQ(check(4), "call of 'f': expected 3 arguments and 2 results, but "
                      "got 4 addresses");
  arguments[3] = nullptr;
  EXPECT_EQ(check(), "call of 'f': result 0, 'y' (output): expected the "
                     "address of a memref descriptor, but got null");
  arguments[1] = nullptr;
  EXPECT_EQ(check(), "call of 'f': argument 1, 'loss0' (scaler_state): "
                     "expected the address of its value, but got null");
}

TEST_F(CallArguments, DataIsThereAndOnItsAlignment) {
  yArray.aligned = nullptr;
  EXPECT_EQ(check(), "call of 'f': result 0, 'y' (output): expected f32[2,3], "
                     "row-major, but got the address null; let 'aligned' be "
                     "the address of the first element");
  yArray.aligned = memory + 49;
  std::string error = check();
  EXPECT_NE(error.find("result 0, 'y' (output): expected f32[2,3], row-major, "
                       "but got the address 0x"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("; put it on 64 bytes, as ampRtDeviceAllocate does"),
            std::string::npos)
      << error;
}

TEST_F(CallArguments, ShapesAreDescribed) {
  const std::string remedy = "; the memref descriptor's sizes are to be these";
  wArray.sizes[1] = 4;
  EXPECT_EQ(check(), "call of 'f': argument 0, 'w' (param): expected f32[?,3], "
                     "row-major, but got extents [2,4]" +
                         remedy);
  wArray = matrix(0, -1, 3);
  EXPECT_EQ(check(), "call of 'f': argument 0, 'w' (param): expected f32[?,3], "
                     "row-major, but got extents [-1,3]" +
                         remedy);
  // 12 * 2^61 bytes wrap to 2^63.
  wArray = matrix(0, INT64_C(1) << 61, 3);
  EXPECT_NE(check().find("but got extents [2305843009213693952,3]"),
            std::string::npos);
}

TEST_F(CallArguments, StridesAreRowMajor) {
  wArray.strides[0] = 1;
  wArray.strides[1] = 2;
  EXPECT_EQ(check(), "call of 'f': argument 0, 'w' (param): expected f32[?,3], "
                     "row-major, but got strides [1,2]; pass a copy without "
                     "gaps");
  wArray = matrix(0, 2, 3);
  wArray.offset = 1;
  EXPECT_EQ(check(), "call of 'f': argument 0, 'w' (param): expected f32[?,3], "
                     "row-major, but got offset 1; let 'aligned' be the "
                     "address of the first element");
}

TEST_F(CallArguments, ResultsHaveMemoryOfTheirOwn) {
  const std::string reason = "; results are written before arguments were read "
                             "for the last time";
  yArray.aligned = wArray.aligned;
  EXPECT_EQ(check(),
            "call of 'f': result 0, 'y' (output): expected memory of "
            "its own, but it overlaps that of argument 0, 'w' (param)" +
                reason);
  // 'w' ends in the block of the loss, behind that of 'y'.
  yArray = matrix(3, 2, 3);
  wArray = matrix(0, 25, 3);
  EXPECT_NE(check().find("result 0, 'y' (output): expected memory of its own, "
                         "but it overlaps that of argument 0, 'w' (param)"),
            std::string::npos);
  wArray = matrix(0, 2, 3);
  lossArray.aligned = yArray.aligned;
  EXPECT_EQ(check(), "call of 'f': result 1, '' (no role): expected memory of "
                     "its own, but it overlaps that of result 0, 'y' "
                     "(output)" +
                         reason);
  // A long argument between hides neither the result before it nor its end.
  wArray = matrix(1, 21, 3); // bytes 64 to 316
  yArray = matrix(0, 2, 3);
  lossArray.aligned = memory + 64; // byte 256
  EXPECT_NE(check().find("result 1, '' (no role): expected memory of its own, "
                         "but it overlaps that of argument 0, 'w' (param)"),
            std::string::npos);
  wArray = matrix(1, 16, 3); // bytes 64 to 256: they touch
  EXPECT_EQ(check(), "");
}

TEST_F(CallArguments, AResultMayHaveTheMemoryOfWhatItOverwrites) {
  y.overwrites = 1;
  EXPECT_EQ(check(), "");
  yArray.aligned = wArray.aligned;
  EXPECT_EQ(check(), "");
  // Of another argument, of parts of that one, or with another result in it.
  yArray.aligned = memory + 16;
  wArray = matrix(0, 25, 3);
  EXPECT_NE(check().find("result 0, 'y' (output): expected memory of its own, "
                         "but it overlaps that of argument 0, 'w' (param)"),
            std::string::npos);
  wArray = matrix(0, 2, 3);
  yArray.aligned = wArray.aligned;
  lossArray.aligned = wArray.aligned;
  EXPECT_NE(check().find("result 1, '' (no role): expected memory of its own, "
                         "but it overlaps that of result 0, 'y' (output)"),
            std::string::npos);
  lossArray = matrix(4, -1, -1);
  // A result of an argument that is a handle, and a number that is none.
  for (int64_t number : {2, 4, 100, -1}) {
    y.overwrites = number;
    EXPECT_NE(check().find("overlaps that of argument 0"), std::string::npos);
  }
}
