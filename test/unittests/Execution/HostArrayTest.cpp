//===- HostArrayTest.cpp - Elements and their rounding --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/HostArray.h"
#include "TestFiles.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>

using namespace amp_test;
using namespace mlir::amp;

static uint16_t roundToBits(ElementKind kind, double value) {
  HostArray array(kind, {});
  array.setFromDouble(0, value);
  return *array.as<uint16_t>();
}

static double widenBits(ElementKind kind, uint16_t bits) {
  return loadElement(kind, &bits, 0);
}

class HalfFormat : public ::testing::TestWithParam<ElementKind> {
protected:
  uint16_t getInfinity() const {
    return GetParam() == AMP_RT_ELEMENT_F16 ? 0x7c00 : 0x7f80;
  }
};

TEST_P(HalfFormat, ComesBackFromDoubleForEveryBitPattern) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double value = widenBits(GetParam(), uint16_t(bits));
    if ((bits & 0x7fff) > getInfinity())
      EXPECT_TRUE(std::isnan(value)) << bits;
    else
      EXPECT_EQ(roundToBits(GetParam(), value), bits);
  }
}

// Between each two neighbours: the middle goes to the even one, anything on
// either side of it to the nearer one, however close it lies.
TEST_P(HalfFormat, RoundsToNearestAndTiesToEven) {
  for (uint32_t sign : {0u, 0x8000u})
    for (uint32_t bits = 0; bits < getInfinity(); ++bits) {
      const uint16_t low = uint16_t(bits | sign), high = uint16_t(low + 1);
      const double below = widenBits(GetParam(), low);
      // The successor of the largest number, if the exponent had no end.
      const double above = bits + 1 == getInfinity()
                               ? 2 * below - widenBits(GetParam(), low - 1)
                               : widenBits(GetParam(), high);
      const double middle = below + (above - below) / 2;
      const double nearlyMiddle = std::nextafter(middle, below);
      const double pastMiddle = std::nextafter(middle, above);
      ASSERT_EQ(roundToBits(GetParam(), middle), bits & 1 ? high : low);
      ASSERT_EQ(roundToBits(GetParam(), nearlyMiddle), low);
      ASSERT_EQ(roundToBits(GetParam(), pastMiddle), high);
    }
}

TEST_P(HalfFormat, KeepsSpecialValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(roundToBits(GetParam(), infinity), getInfinity());
  EXPECT_EQ(roundToBits(GetParam(), -infinity), getInfinity() | 0x8000);
  EXPECT_EQ(roundToBits(GetParam(), 1e300), getInfinity());
  EXPECT_EQ(roundToBits(GetParam(), -0.0), 0x8000);
  EXPECT_EQ(roundToBits(GetParam(), 5e-324), 0);
  EXPECT_EQ(roundToBits(GetParam(), -5e-324), 0x8000);
  const double nan =
      widenBits(GetParam(), roundToBits(GetParam(), std::nan("")));
  EXPECT_TRUE(std::isnan(nan));
  // A NaN whose payload is all in the dropped bits must not become infinity.
  const double lowPayload =
      llvm::bit_cast<double>(uint64_t(0x7ff0000000000001));
  EXPECT_TRUE(
      std::isnan(widenBits(GetParam(), roundToBits(GetParam(), lowPayload))));
}

INSTANTIATE_TEST_SUITE_P(Kinds, HalfFormat,
                         ::testing::Values(AMP_RT_ELEMENT_F16,
                                           AMP_RT_ELEMENT_BF16),
                         [](const auto &info) {
                           return getElementName(info.param).str();
                         });

// Through float, 1 + 2^-11 + 2^-30 would first become the tie 1 + 2^-11.
TEST(HostArray, RoundsDoubleToHalfOnce) {
  EXPECT_EQ(roundToBits(AMP_RT_ELEMENT_F16,
                        1 + std::ldexp(1, -11) + std::ldexp(1, -30)),
            0x3c01);
}

TEST(HostArray, IntegersSaturateAndRoundTiesToEven) {
  HostArray bytes(AMP_RT_ELEMENT_I8, {5});
  const double values[] = {300, -300, 2.5, 3.5, std::nan("")};
  for (int i = 0; i < 5; ++i)
    bytes.setFromDouble(i, values[i]);
  EXPECT_EQ(getValues(bytes), (std::vector<double>{127, -128, 2, 4, 0}));
  HostArray wide(AMP_RT_ELEMENT_I64, {2});
  wide.setFromDouble(0, 1e30);
  wide.setFromDouble(1, -1e30);
  EXPECT_EQ(wide.as<int64_t>()[0], std::numeric_limits<int64_t>::max());
  EXPECT_EQ(wide.as<int64_t>()[1], std::numeric_limits<int64_t>::min());
  HostArray flags(AMP_RT_ELEMENT_I1, {2});
  flags.setFromDouble(0, 0.25);
  EXPECT_EQ(flags.as<uint8_t>()[0], 1);
  EXPECT_EQ(flags.as<uint8_t>()[1], 0);
}

TEST(HostArray, StartsAsZerosInAlignedMemory) {
  HostArray array(AMP_RT_ELEMENT_F32, {3, 5});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % 64, 0u);
  EXPECT_EQ(getValues(array), std::vector<double>(15, 0.0));
  EXPECT_EQ(array.getNumBytes(), 60);
}

TEST(HostArray, RankZeroHasOneElementAndEmptyHasNone) {
  EXPECT_EQ(HostArray(AMP_RT_ELEMENT_F64, {}).getNumElements(), 1);
  HostArray empty(AMP_RT_ELEMENT_F64, {4, 0});
  EXPECT_EQ(empty.getNumElements(), 0);
  EXPECT_NE(empty.data(), nullptr);
}

// One extent of 0 is enough, wherever it stands.
TEST(HostArray, BytesAreCountedWithoutWrapping) {
  constexpr int64_t kLarge = int64_t(1) << 62;
  using Shape = llvm::SmallVector<int64_t, 4>;
  for (const Shape &shape : {Shape{kLarge, kLarge, 0}, Shape{0, kLarge, kLarge},
                             Shape{-1, 0}, Shape{kLarge, 0, kLarge, kLarge}})
    EXPECT_EQ(getByteCount(AMP_RT_ELEMENT_F64, shape), 0);
  EXPECT_EQ(getByteCount(AMP_RT_ELEMENT_F64, {kLarge}), std::nullopt);
  EXPECT_EQ(getByteCount(AMP_RT_ELEMENT_I8, {kLarge}), kLarge);
  EXPECT_EQ(getByteCount(AMP_RT_ELEMENT_I8, {kLarge, 2}), std::nullopt);
  EXPECT_EQ(getByteCount(AMP_RT_ELEMENT_F32, {-1, 3, -1}), 12);
  EXPECT_EQ(getByteCount(AMP_RT_ELEMENT_F32, {}), 4);
  HostArray empty(AMP_RT_ELEMENT_F64, {kLarge, kLarge, 0});
  EXPECT_EQ(empty.getNumElements(), 0);
  EXPECT_EQ(empty.getNumBytes(), 0);
}

TEST(HostArray, ConvertsAndClones) {
  HostArray from = makeArray(AMP_RT_ELEMENT_F32, {2}, {0.1, -70000});
  HostArray half = from.convertTo(AMP_RT_ELEMENT_F16);
  EXPECT_EQ(half.as<uint16_t>()[0], 0x2e66);
  EXPECT_EQ(half.as<uint16_t>()[1], 0xfc00);
  HostArray copy = from.clone();
  from.setFromDouble(0, 1);
  EXPECT_EQ(copy.getAsDouble(0), double(0.1f));
}

TEST(HostArray, TypesReadAsInMLIR) {
  EXPECT_EQ(HostArray(AMP_RT_ELEMENT_BF16, {16, 8}).getTypeString(),
            "16x8xbf16");
  EXPECT_EQ(HostArray(AMP_RT_ELEMENT_I1, {}).getTypeString(), "i1");
  EXPECT_EQ(getTypeString(AMP_RT_ELEMENT_F32, {-1, 4}), "?x4xf32");
}
