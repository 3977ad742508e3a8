//===-- Half.cpp - Conversions to and from f16 and bf16 -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Narrowing is one algorithm for all four pairs of formats. A value is an
// integer significand times a power of two. The target's exponent is the
// source's, but not below the target's smallest, so subnormal results need no
// case of their own: they just lose more bits. After rounding to nearest even,
// the significand is *added* to the shifted exponent; its leading one raises
// the exponent field by one, and a carry out of rounding raises it once more,
// up to the encoding of inf.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Half.h"

#include <cstring>

namespace {

/// An IEEE-like binary format: sign, exponent, stored significand bits.
template <int ExponentBits, int StoredBits> struct Format {
  static constexpr int kStored = StoredBits;
  static constexpr int kSignShift = ExponentBits + StoredBits;
  static constexpr uint64_t kMaxField = (uint64_t(1) << ExponentBits) - 1;
  static constexpr int kBias = int(kMaxField >> 1);
  static constexpr int kMinExponent = 1 - kBias;
  static constexpr uint64_t kInf = kMaxField << StoredBits;
  static constexpr uint64_t kStoredMask = (uint64_t(1) << StoredBits) - 1;
  static constexpr uint64_t kQuiet = uint64_t(1) << (StoredBits - 1);
};

using F16 = Format<5, 10>;
using BF16 = Format<8, 7>;
using F32 = Format<8, 23>;
using F64 = Format<11, 52>;

} // namespace

static uint64_t shiftRightToNearestEven(uint64_t value, int shift) {
  // The significand has at most 53 bits: beyond 54 it is below half a unit.
  if (shift > 54)
    return 0;
  uint64_t quotient = value >> shift;
  uint64_t rest = value & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  bool up = rest > half || (rest == half && (quotient & 1));
  return quotient + up;
}

template <typename From, typename To> static uint16_t narrow(uint64_t bits) {
  uint64_t sign = (bits >> From::kSignShift) << To::kSignShift;
  uint64_t field = bits >> From::kStored & From::kMaxField;
  uint64_t stored = bits & From::kStoredMask;
  constexpr int dropped = From::kStored - To::kStored;
  if (field == From::kMaxField) {
    uint64_t payload = stored ? stored >> dropped | To::kQuiet : 0;
    return static_cast<uint16_t>(sign | To::kInf | payload);
  }

  int exponent = field ? int(field) - From::kBias : From::kMinExponent;
  uint64_t significand =
      field ? stored | (uint64_t(1) << From::kStored) : stored;
  if (exponent > To::kBias)
    return static_cast<uint16_t>(sign | To::kInf);
  int target = exponent < To::kMinExponent ? To::kMinExponent : exponent;
  uint64_t rounded =
      shiftRightToNearestEven(significand, dropped + (target - exponent));
  uint64_t magnitude =
      (uint64_t(target + To::kBias - 1) << To::kStored) + rounded;
  return static_cast<uint16_t>(sign | magnitude);
}

template <typename To, typename From> static To bitCast(From value) {
  static_assert(sizeof(To) == sizeof(From), "bit cast between equal sizes");
  To result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}

uint16_t ampRtHalfF16FromF32(float value) {
  return narrow<F32, F16>(bitCast<uint32_t>(value));
}

uint16_t ampRtHalfF16FromF64(double value) {
  return narrow<F64, F16>(bitCast<uint64_t>(value));
}

uint16_t ampRtHalfBF16FromF32(float value) {
  return narrow<F32, BF16>(bitCast<uint32_t>(value));
}

uint16_t ampRtHalfBF16FromF64(double value) {
  return narrow<F64, BF16>(bitCast<uint64_t>(value));
}

float ampRtHalfF32FromF16(uint16_t bits) {
  uint32_t sign = uint32_t(bits >> 15) << 31;
  uint32_t field = bits >> 10 & 0x1f;
  uint32_t stored = bits & 0x3ff;
  constexpr int added = F32::kStored - F16::kStored;
  uint32_t magnitude;
  if (field == 0x1f)
    magnitude = uint32_t(F32::kInf) |
                (stored ? stored << added | uint32_t(F32::kQuiet) : 0);
  else if (field != 0)
    magnitude =
        (field + F32::kBias - F16::kBias) << F32::kStored | stored << added;
  else // stored * 2^-24, exact and normal in f32
    magnitude = bitCast<uint32_t>(static_cast<float>(stored) * 0x1p-24f);
  return bitCast<float>(sign | magnitude);
}

float ampRtHalfF32FromBF16(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  bool isNaN = (wide & 0x7fffffff) > F32::kInf;
  return bitCast<float>(isNaN ? wide | uint32_t(F32::kQuiet) : wide);
}
