//===-- Random.cpp - Numbers that are the same everywhere -------------------===
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here may depend on a library's or a compiler's rounding: only sums,
// products, quotients and square roots of doubles, which IEEE 754 defines to
// the last bit, each rounded by itself (-ffp-contract=off). So the logarithm
// and the cosine are series of our own; they stay within 3 units in the last
// place.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Random.h"

#include <cfloat>
#include <cmath>
#include <cstring>

static_assert(FLT_EVAL_METHOD == 0, "doubles are computed as doubles");

template <typename To, typename From> static To bitCast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// The output function of SplitMix64.
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// FNV-1a, 64 bits.
static uint64_t hashLabel(const char *label, int64_t length) {
  uint64_t hash = 0xcbf29ce484222325;
  for (int64_t i = 0; i < length; ++i)
    hash = (hash ^ static_cast<unsigned char>(label[i])) * 0x100000001b3;
  return hash;
}

AmpRtRandom ampRtRandomMake(uint64_t seed, const char *label, int64_t length) {
  return {mix(mix(seed) ^ hashLabel(label, length))};
}

uint64_t ampRtRandomNext(AmpRtRandom *random) {
  random->state += 0x9e3779b97f4a7c15;
  return mix(random->state);
}

double ampRtRandomUniform(AmpRtRandom *random, double low, double high) {
  const double unit = double(ampRtRandomNext(random) >> 11) * 0x1p-53;
  return low + (high - low) * unit;
}

/// log(x) of a normal number above 0. With x = 2^e m and m around 1,
/// log(m) = 2 (s + s^3/3 + s^5/5 + ...), s = (m - 1) / (m + 1), |s| < 0.172.
static double logarithm(double x) {
  // The upper bits of sqrt(1/2): m lies in [0.707, 1.415).
  constexpr uint64_t kLowest = 0x3fe6a09e00000000;
  // log(2) in two parts; the first has 33 bits, so its product with e is exact.
  constexpr double kLog2High = 0x1.62e42feep-1;
  constexpr double kLog2Low = 0x1.a39ef35793c76p-33;
  const uint64_t bits = bitCast<uint64_t>(x);
  const int64_t exponent = int64_t(bits - kLowest) >> 52;
  const double m = bitCast<double>(bits - (uint64_t(exponent) << 52));
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = 0;
  for (int power = 21; power >= 1; power -= 2)
    sum = sum * z + 1.0 / power;
  return double(exponent) * kLog2High +
         (2 * s * sum + double(exponent) * kLog2Low);
}

/// cos(2 pi u) for u in [0, 1). The quarter that u lies in is exact; in it, the
/// series of the sine or cosine of at most pi/4.
static double cosineOfTurns(double u) {
  constexpr double kHalfPi = 0x1.921fb54442d18p+0;
  const int quarter = static_cast<int>(std::floor(4 * u + 0.5));
  const double angle = (4 * u - quarter) * kHalfPi, z = angle * angle;
  const bool isSine = quarter & 1;
  double sum = 1;
  for (int power = isSine ? 17 : 18; power > 1; power -= 2)
    sum = 1 - z / ((power - 1) * power) * sum;
  const double value = isSine ? angle * sum : sum;
  return quarter == 1 || quarter == 2 ? -value : value;
}

double ampRtRandomNormal(AmpRtRandom *random) {
  // 1 - u lies in (0, 1], where the logarithm is finite.
  const double radius =
      std::sqrt(-2 * logarithm(1 - ampRtRandomUniform(random, 0, 1)));
  return radius * cosineOfTurns(ampRtRandomUniform(random, 0, 1));
}
