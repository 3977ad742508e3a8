//===-- HalfTest.cpp - Half conversions, exhaustively ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each conversion is compared with sources that share no code with it:
//
// - the processor's F16C instructions, where it has them (f32 to and from f16);
// - the compiler's own library behind _Float16 (f64 to f16);
// - a table of all finite values of the format, made with ldexp, in which the
//   nearest one is found by distance (all pairs). Its index is the bit pattern.
//
// AMP_RT_EXHAUSTIVE=1 in the environment also tries all 2^32 f32 values.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Half.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace {

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

double doubleOf(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// All finite values of a 16-bit format without sign, by bit pattern, and one
/// more: what inf's pattern would be worth if it were an ordinary number, which
/// is where overflow begins to be nearer.
class FormatTable {
public:
  FormatTable(int exponentBits, int storedBits) : storedBits(storedBits) {
    int bias = (1 << (exponentBits - 1)) - 1;
    int inf = ((1 << exponentBits) - 1) << storedBits;
    for (int bits = 0; bits <= inf; ++bits) {
      int field = bits >> storedBits;
      int stored = bits & ((1 << storedBits) - 1);
      int significand = field ? stored + (1 << storedBits) : stored;
      values.push_back(std::ldexp(double(significand),
                                  std::max(field, 1) - bias - storedBits));
    }
  }

  /// The bit pattern nearest to a number that is not NaN.
  uint16_t nearest(double value) const {
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    // Distances of numbers this close are exact, of others they need not be.
    double magnitude = std::fabs(value);
    size_t above = std::lower_bound(values.begin(), values.end(), magnitude) -
                   values.begin();
    if (above == values.size())
      return sign | uint16_t(values.size() - 1);
    if (values[above] == magnitude)
      return sign | uint16_t(above);
    double down = magnitude - values[above - 1], up = values[above] - magnitude;
    bool takeAbove = up < down || (up == down && above % 2 == 0);
    return sign | uint16_t(takeAbove ? above : above - 1);
  }

  /// Inputs around every value and every midpoint of two, as doubles.
  template <typename Visit> void forEachEdge(Visit visit) const {
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      visit(values[i]);
      visit(values[i] / 2 + values[i + 1] / 2);
    }
    visit(values.back());
  }

  size_t inf() const { return values.size() - 1; }
  int storedBits;
  std::vector<double> values;
};

const FormatTable &f16() {
  static const FormatTable table(5, 10);
  return table;
}

const FormatTable &bf16() {
  static const FormatTable table(8, 7);
  return table;
}

/// A NaN narrowed by hand: sign, upper payload, quiet bit.
uint16_t narrowedNaN(const FormatTable &format, bool sign, uint64_t payload52) {
  uint16_t upper = uint16_t(payload52 >> (52 - format.storedBits));
  return uint16_t((sign ? 0x8000 : 0) | format.inf() | upper |
                  1u << (format.storedBits - 1));
}

uint16_t expected(const FormatTable &format, double value) {
  if (!std::isnan(value))
    return format.nearest(value);
  uint64_t bits = bitsOf(value);
  return narrowedNaN(format, bits >> 63, bits & ((UINT64_C(1) << 52) - 1));
}

uint16_t expected(const FormatTable &format, float value) {
  if (!std::isnan(value))
    return format.nearest(value);
  // Not through a conversion to double, which would already make it quiet.
  uint32_t bits = bitsOf(value);
  return narrowedNaN(format, bits >> 31, uint64_t(bits & 0x7fffff) << 29);
}

#ifdef __x86_64__
bool hasF16C() { return __builtin_cpu_supports("f16c"); }

__attribute__((target("f16c"))) float widenByProcessor(uint16_t bits) {
  return _cvtsh_ss(bits);
}

__attribute__((target("f16c"))) uint16_t narrowByProcessor(float value) {
  return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}
#else
bool hasF16C() { return false; }
float widenByProcessor(uint16_t) { return 0; }
uint16_t narrowByProcessor(float) { return 0; }
#endif

/// Compares one f32 with all sources; returns false at a difference.
bool agreesF32(float value) {
  uint16_t half = ampRtHalfF16FromF32(value);
  bool agree = half == expected(f16(), value) &&
               ampRtHalfBF16FromF32(value) == expected(bf16(), value) &&
               (!hasF16C() || half == narrowByProcessor(value));
  EXPECT_TRUE(agree) << "f32 bits " << std::hex << bitsOf(value);
  return agree;
}

bool agreesF64(double value) {
  bool agree = ampRtHalfF16FromF64(value) == expected(f16(), value) &&
               ampRtHalfBF16FromF64(value) == expected(bf16(), value);
#ifdef __x86_64__
  // Calls __truncdfhf2 of the compiler's library.
  _Float16 byCompiler = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &byCompiler, sizeof(bits));
  agree &= ampRtHalfF16FromF64(value) == bits;
#endif
  EXPECT_TRUE(agree) << "f64 bits " << std::hex << bitsOf(value);
  return agree;
}

} // namespace

TEST(Half, AllF16ToF32) {
  if (!hasF16C())
    std::printf("no F16C on this processor: compared with the table only\n");
  for (uint32_t i = 0; i < 0x10000; ++i) {
    auto bits = uint16_t(i);
    uint32_t actual = bitsOf(ampRtHalfF32FromF16(bits));
    if (hasF16C()) {
      ASSERT_EQ(actual, bitsOf(widenByProcessor(bits))) << std::hex << bits;
    }
    uint32_t magnitude = bits & 0x7fff, sign = uint32_t(bits >> 15) << 31;
    uint32_t expected;
    if (magnitude < f16().inf())
      expected = bitsOf(float(f16().values[magnitude]));
    else if (magnitude == f16().inf())
      expected = 0x7f800000;
    else
      expected = 0x7fc00000 | (magnitude & 0x3ff) << 13;
    ASSERT_EQ(actual, sign | expected) << std::hex << bits;
    // Back again: the same bits, but for a quiet bit.
    uint16_t quiet = magnitude > f16().inf() ? 0x200 : 0;
    ASSERT_EQ(ampRtHalfF16FromF32(floatOf(actual)), bits | quiet);
  }
}

TEST(Half, AllBF16ToF32) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    auto bits = uint16_t(i);
    uint32_t actual = bitsOf(ampRtHalfF32FromBF16(bits));
    uint16_t quiet = (bits & 0x7fff) > bf16().inf() ? 0x40 : 0;
    ASSERT_EQ(actual, uint32_t(bits | quiet) << 16);
    uint32_t magnitude = bits & 0x7fff, sign = uint32_t(bits >> 15) << 31;
    if (magnitude < bf16().inf()) {
      ASSERT_EQ(actual, sign | bitsOf(float(bf16().values[magnitude])));
    }
    ASSERT_EQ(ampRtHalfBF16FromF32(floatOf(actual)), bits | quiet);
  }
}

// Every value, every midpoint, and the neighbours of both in the source format.
TEST(Half, EdgesOfF32) {
  int64_t count = 0;
  for (const FormatTable *format : {&f16(), &bf16()})
    format->forEachEdge([&](double edge) {
      auto value = float(edge);
      float inf = std::numeric_limits<float>::infinity();
      for (float near :
           {std::nextafter(value, 0.0f), value, std::nextafter(value, inf)}) {
        agreesF32(near);
        agreesF32(-near);
        count += 2;
      }
    });
  std::printf("%lld f32 values around values and midpoints agree\n",
              (long long)count);
}

TEST(Half, EdgesOfF64) {
  int64_t count = 0;
  for (const FormatTable *format : {&f16(), &bf16()})
    format->forEachEdge([&](double edge) {
      double inf = std::numeric_limits<double>::infinity();
      for (double near :
           {std::nextafter(edge, 0.0), edge, std::nextafter(edge, inf)}) {
        agreesF64(near);
        agreesF64(-near);
        count += 2;
      }
    });
  std::printf("%lld f64 values around values and midpoints agree\n",
              (long long)count);
}

// Just above a midpoint in f64, on the midpoint in f32: rounding twice would go
// to even and be wrong.
TEST(Half, F64IsRoundedOnce) {
  double above = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(ampRtHalfF16FromF64(above), 0x3c01);
  EXPECT_EQ(ampRtHalfF16FromF32(float(above)), 0x3c00);
  above = 1 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(ampRtHalfBF16FromF64(above), 0x3f81);
  EXPECT_EQ(ampRtHalfBF16FromF32(float(above)), 0x3f80);
}

TEST(Half, RandomF32) {
  std::mt19937 random(1);
  for (int i = 0; i < 10000000; ++i)
    if (!agreesF32(floatOf(random())))
      break;
  // Most bit patterns are far outside f16's range: as many inside it.
  for (int i = 0; i < 2000000; ++i) {
    uint32_t bits = random();
    uint32_t field = 127 - 26 + bits % 44;
    if (!agreesF32(floatOf((bits & 0x807fffff) | field << 23)))
      break;
  }
}

TEST(Half, RandomF64) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000000; ++i)
    if (!agreesF64(doubleOf(random())))
      break;
  for (int i = 0; i < 2000000; ++i) {
    uint64_t bits = random();
    // Exponents of f16 and bf16 in turn, and the bits in between random.
    uint64_t field = i % 2 ? 1023 - 26 + bits % 44 : 1023 - 136 + bits % 266;
    if (!agreesF64(
            doubleOf((bits & UINT64_C(0x800fffffffffffff)) | field << 52)))
      break;
  }
}

TEST(Half, SpecialValues) {
  for (uint32_t bits :
       {0x00000000u, 0x80000000u, 0x00000001u, 0x007fffffu, 0x00800000u,
        0x7f7fffffu, 0x7f800000u, 0xff800000u, 0x7f800001u, 0x7fc00000u,
        0xffffffffu, 0x7f800fffu, 0x7fbfffffu, 0x33000000u, 0x33000001u,
        0x477fefffu, 0x477ff000u, 0x7f7f7fffu, 0x7f7f8000u})
    agreesF32(floatOf(bits));
  for (uint64_t bits :
       {UINT64_C(0), UINT64_C(0x8000000000000000), UINT64_C(1),
        UINT64_C(0x000fffffffffffff), UINT64_C(0x0010000000000000),
        UINT64_C(0x7fefffffffffffff), UINT64_C(0x7ff0000000000000),
        UINT64_C(0xfff0000000000000), UINT64_C(0x7ff0000000000001),
        UINT64_C(0x7ff8000000000000), UINT64_C(0xffffffffffffffff),
        UINT64_C(0x36a0000000000000), UINT64_C(0x3690000000000000),
        UINT64_C(0x3690000000000001), UINT64_C(0x47efffffe0000000)})
    agreesF64(doubleOf(bits));
  // By hand, so that the tables are not trusted blindly.
  EXPECT_EQ(ampRtHalfF16FromF32(65519.996f), 0x7bff);
  EXPECT_EQ(ampRtHalfF16FromF32(65520.0f), 0x7c00);
  EXPECT_EQ(ampRtHalfF16FromF32(0x1p-25f), 0x0000) << "tie to even";
  EXPECT_EQ(ampRtHalfF16FromF32(0x1.000002p-25f), 0x0001);
  EXPECT_EQ(ampRtHalfF16FromF32(-0x1p-24f), 0x8001);
  EXPECT_EQ(ampRtHalfBF16FromF32(0x1p-133f), 0x0001);
  EXPECT_EQ(ampRtHalfBF16FromF32(0x1p-134f), 0x0000);
  EXPECT_EQ(ampRtHalfF32FromF16(0x0001), 0x1p-24f);
  EXPECT_EQ(ampRtHalfF32FromF16(0xfbff), -65504.0f);
}

TEST(Half, EveryF32) {
  const char *wanted = std::getenv("AMP_RT_EXHAUSTIVE");
  if (!wanted || std::string(wanted) != "1")
    GTEST_SKIP() << "set AMP_RT_EXHAUSTIVE=1 to try all 2^32 values";
  ASSERT_TRUE(hasF16C());
  uint32_t bits = 0;
  do {
    float value = floatOf(bits);
    ASSERT_EQ(ampRtHalfF16FromF32(value), narrowByProcessor(value))
        << std::hex << bits;
    // Nearest even by the textbook's addition, on the integer.
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    if (std::isnan(value))
      rounded = bits >> 16 | 0x40;
    ASSERT_EQ(ampRtHalfBF16FromF32(value), rounded) << std::hex << bits;
  } while (++bits != 0);
}

TEST(HalfSymbols, TableServesLLVMsNames) {
  const AmpRtSymbol *symbols = nullptr;
  int64_t count = -1;
  ASSERT_EQ(ampRtHalfSymbols(&symbols, &count), AMP_RT_OK);
  EXPECT_EQ(ampRtHalfSymbols(nullptr, &count), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtHalfSymbols(&symbols, nullptr), AMP_RT_INVALID_ARGUMENT);
#ifdef __x86_64__
  std::map<std::string, void *> table;
  for (int64_t i = 0; i < count; ++i)
    table[symbols[i].name] = symbols[i].address;
  ASSERT_EQ(table.size(), 5u);

  // _Float16 is passed in xmm registers, as LLVM passes half and bfloat.
  using Half = _Float16;
  auto extend = reinterpret_cast<float (*)(Half)>(table.at("__extendhfsf2"));
  auto toBits = [](Half value) {
    uint16_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  };
  for (uint32_t i = 0; i < 0x10000; ++i) {
    auto bits = uint16_t(i);
    Half half;
    std::memcpy(&half, &bits, sizeof(half));
    ASSERT_EQ(bitsOf(extend(half)), bitsOf(ampRtHalfF32FromF16(bits)));
  }
  for (double value : {0.1, -1e-7, 1e9, 65504.0, 0x1p-24, -0.0}) {
    auto single = float(value);
    EXPECT_EQ(toBits(reinterpret_cast<Half (*)(float)>(
                  table.at("__truncsfhf2"))(single)),
              ampRtHalfF16FromF32(single));
    EXPECT_EQ(toBits(reinterpret_cast<Half (*)(double)>(
                  table.at("__truncdfhf2"))(value)),
              ampRtHalfF16FromF64(value));
    EXPECT_EQ(toBits(reinterpret_cast<Half (*)(float)>(
                  table.at("__truncsfbf2"))(single)),
              ampRtHalfBF16FromF32(single));
    EXPECT_EQ(toBits(reinterpret_cast<Half (*)(double)>(
                  table.at("__truncdfbf2"))(value)),
              ampRtHalfBF16FromF64(value));
  }
#else
  EXPECT_EQ(count, 0);
#endif
}
