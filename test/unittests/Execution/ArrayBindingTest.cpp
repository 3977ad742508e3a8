//===- ArrayBindingTest.cpp - Arrays that fit, and not --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ArrayBinding.h"
#include "TestFiles.h"

#include <limits>

using namespace amp_test;
using namespace mlir::amp;

static const double kInf = std::numeric_limits<double>::infinity();
static const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ArrayBinding, FloatsAreRoundedToTheArgument) {
  HostArray array = take(convertToArgument(
      makeArray(AMP_RT_ELEMENT_F64, {1}, {0.1}),
      makeSpec("param", "w", AMP_RT_ELEMENT_F16, {1}), "array 'w'"));
  EXPECT_EQ(*array.as<uint16_t>(), 0x2e66);
}

TEST(ArrayBinding, IntegersThatFitAreKept) {
  HostArray array = take(convertToArgument(
      makeArray(AMP_RT_ELEMENT_I64, {2}, {-5, 7}),
      makeSpec("batch", "x1", AMP_RT_ELEMENT_I32, {2}), "array 'x1'"));
  EXPECT_EQ(array.getTypeString(), "2xi32");
  EXPECT_EQ(getValues(array), (std::vector<double>{-5, 7}));
}

TEST(ArrayBinding, IntegersThatDoNotFitAreRefused) {
  EXPECT_EQ(getText(convertToArgument(
                makeArray(AMP_RT_ELEMENT_I64, {2, 2}, {1, 2, 5e9, 3}),
                makeSpec("batch", "x1", AMP_RT_ELEMENT_I32, {2, 2}),
                "array 'x1' in 'd.npz'")),
            "expected array 'x1' in 'd.npz' to fit i32 of batch 'x1', but got "
            "5000000000 at [1, 0]");
}

TEST(ArrayBinding, IntegersDoNotBecomeFloatsOrBack) {
  EXPECT_EQ(getText(convertToArgument(
                makeArray(AMP_RT_ELEMENT_I16, {1}, {16}),
                makeSpec("batch", "x0", AMP_RT_ELEMENT_F32, {1}),
                "array 'x0' in 'd.npz'")),
            "expected array 'x0' in 'd.npz' to hold floating-point elements "
            "for batch 'x0' (f32), but got i16; scale and convert it before it "
            "is saved, e.g. with .astype('float32')");
  EXPECT_EQ(getText(convertToArgument(
                makeArray(AMP_RT_ELEMENT_F32, {1}, {1}),
                makeSpec("batch", "x1", AMP_RT_ELEMENT_I64, {1}),
                "array 'x1' in 'd.npz'")),
            "expected array 'x1' in 'd.npz' to hold integers for batch 'x1' "
            "(i64), but got f32; scale and convert it before it is saved, e.g. "
            "with .astype('int64')");
}

TEST(ArrayBinding, RoundingDoesNotMakeInfinities) {
  auto getError = [](ElementKind from, double value, const ValueSpec &spec) {
    return getText(
        convertToArgument(makeArray(from, {1}, {value}), spec, "array 'w'"));
  };
  const ElementKind F16 = AMP_RT_ELEMENT_F16, F32 = AMP_RT_ELEMENT_F32,
                    F64 = AMP_RT_ELEMENT_F64;
  EXPECT_EQ(getError(F64, 1e300, makeSpec("param", "w", F32, {1})),
            "expected array 'w' to fit f32 of param 'w', but got 1e+300 at "
            "[0]");
  EXPECT_EQ(getError(F32, -65520, makeSpec("param", "w", F16, {1})),
            "expected array 'w' to fit f16 of param 'w', but got -65520 at "
            "[0]");
  // Near misses: the last number that rounds down, and true infinities.
  EXPECT_EQ(getError(F32, 65519, makeSpec("param", "w", F16, {1})),
            "(success)");
  EXPECT_EQ(getError(F64, kInf, makeSpec("param", "w", F32, {1})), "(success)");
  // .half() makes a mask's -1e9 infinite; an f32 mask keeps what it holds.
  EXPECT_EQ(getError(F32, -1e9, makeSpec("buffer", "mask", F16, {1})),
            "(success)");
  EXPECT_EQ(getError(F64, -1e300, makeSpec("buffer", "mask", F32, {1})),
            "expected array 'w' to fit f32 of buffer 'mask', but got -1e+300 "
            "at [0]");
  EXPECT_EQ(getError(F64, -1e300, makeSpec("buffer", "mask", F16, {1})),
            "expected array 'w' to fit f16 of buffer 'mask', but got -1e+300 "
            "at [0]");
}

TEST(ArrayBinding, ShapesMustBeEqualWhereTheyAreStatic) {
  ValueSpec spec = makeSpec("param", "w", AMP_RT_ELEMENT_F32, {-1, 3});
  EXPECT_EQ(
      getText(checkShape({AMP_RT_ELEMENT_F32, {2, 3}}, spec, "array 'w'")),
      "(success)");
  EXPECT_EQ(
      getText(checkShape({AMP_RT_ELEMENT_F32, {3, 2}}, spec, "array 'w'")),
      "expected array 'w' to have the shape of param 'w', ?x3xf32, but "
      "got 3x2xf32");
  EXPECT_EQ(getText(checkShape({AMP_RT_ELEMENT_F32, {3}}, spec, "array 'w'")),
            "expected array 'w' to have the shape of param 'w', ?x3xf32, but "
            "got 3xf32");
}

TEST(ArrayBinding, NanIsNamedByItsIndices) {
  EXPECT_EQ(
      getText(checkFinite(
          makeArray(AMP_RT_ELEMENT_F32, {2, 3}, {0, 1, 2, 3, kNan, kNan}),
          NonFinite::Forbid, "array 'x0' in 'd.npz'")),
      "expected finite values in array 'x0' in 'd.npz', but got NaN at [1, 1]");
  EXPECT_EQ(getText(checkFinite(makeArray(AMP_RT_ELEMENT_F16, {}, {kNan}),
                                NonFinite::AllowInfinity, "array 's'")),
            "expected finite values in array 's', but got NaN");
}

TEST(ArrayBinding, InfinityIsForbiddenWhereItSaysSo) {
  HostArray array = makeArray(AMP_RT_ELEMENT_BF16, {2}, {1, -kInf});
  EXPECT_EQ(getText(checkFinite(array, NonFinite::AllowInfinity, "array 'm'")),
            "(success)");
  EXPECT_EQ(getText(checkFinite(array, NonFinite::Forbid, "array 'm'")),
            "expected finite values in array 'm', but got -inf at [1]");
  EXPECT_EQ(getText(checkFinite(makeArray(AMP_RT_ELEMENT_F64, {1}, {kInf}),
                                NonFinite::Forbid, "array 'm'")),
            "expected finite values in array 'm', but got inf at [0]");
}
