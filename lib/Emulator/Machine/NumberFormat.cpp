//===- NumberFormat.cpp - Number formats of matrix operands ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops over f16 and bf16 have no branches, so that compilers vectorise
// them: a multiplication by a power of two brings denormals into place.
//
//===----------------------------------------------------------------------===//

#include "amp/Emulator/NumberFormat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

using namespace amp::emu;

static float asFloat(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
static uint32_t asBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

static float fromHalf(uint16_t half) {
  uint32_t magnitude = uint32_t(half & 0x7fff) << 13;
  uint32_t bits = asBits(asFloat(magnitude) * asFloat(0x77800000)); // 2^112
  bits |= magnitude >= 0x0f800000 ? 0x7f800000u : 0u; // infinity and NaN
  return asFloat(bits | uint32_t(half & 0x8000) << 16);
}

static uint16_t toHalf(float value) {
  uint32_t bits = asBits(value), sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000)
    return sign | 0x7e00;
  if (bits >= 0x47800000) // 2^16
    return sign | 0x7c00;
  if (bits < 0x38800000) { // below 2^-14: let the adder round
    float shifted = asFloat(bits) + 0.5f;
    return sign | (asBits(shifted) - 0x3f000000);
  }
  uint32_t rounded = bits + 0xfff + (bits >> 13 & 1) - 0x38000000;
  return sign | rounded >> 13;
}

static uint16_t toBFloat(float value) {
  uint32_t bits = asBits(value);
  if (value != value)
    return bits >> 16 | 64;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/// bias 7, no infinity, one NaN of each sign.
static float fromE4M3(uint8_t code) {
  int exponent = code >> 3 & 15, mantissa = code & 7;
  float value = exponent == 15 && mantissa == 7 ? NAN
                : exponent ? std::ldexp(8.f + mantissa, exponent - 10)
                           : std::ldexp(float(mantissa), -9);
  return code & 128 ? -value : value;
}

static const std::array<float, 256> &getE4M3Table() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> t;
    for (int i = 0; i < 256; ++i)
      t[i] = fromE4M3(i);
    return t;
  }();
  return table;
}

/// The nearest of the codes 0 to `largest`, which grow with their value.
template <typename Decode>
static uint8_t nearestCode(float value, int largest, uint8_t nan,
                           Decode decode) {
  uint8_t sign = std::signbit(value) ? 128 : 0;
  if (value != value)
    return sign | nan;
  float magnitude = std::fabs(value);
  int low = 0, high = largest; // decode(low) <= magnitude
  if (magnitude >= decode(largest))
    return sign | largest;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    (decode(middle) <= magnitude ? low : high) = middle;
  }
  float below = magnitude - decode(low), above = decode(high) - magnitude;
  bool up = above < below || (above == below && (low & 1));
  return sign | (up ? high : low);
}

int amp::emu::getFormatBytes(Format format) {
  switch (format) {
  case Format::F64:
    return 8;
  case Format::TF32:
  case Format::F32:
  case Format::S32:
    return 4;
  case Format::F16:
  case Format::BF16:
    return 2;
  default:
    return 1;
  }
}

bool amp::emu::isInteger(Format format) {
  return format == Format::S8 || format == Format::U8 || format == Format::S32;
}

void amp::emu::loadNumbers(Format format, const void *bits, float *values,
                           size_t count) {
  const uint16_t *halves = static_cast<const uint16_t *>(bits);
  const uint32_t *words = static_cast<const uint32_t *>(bits);
  const uint8_t *bytes = static_cast<const uint8_t *>(bits);
  switch (format) {
  case Format::F16:
    for (size_t i = 0; i < count; ++i)
      values[i] = fromHalf(halves[i]);
    return;
  case Format::BF16:
    for (size_t i = 0; i < count; ++i)
      values[i] = asFloat(uint32_t(halves[i]) << 16);
    return;
  case Format::TF32:
    for (size_t i = 0; i < count; ++i)
      values[i] = asFloat(words[i] & ~0x1fffu);
    return;
  case Format::F32:
    memcpy(values, bits, count * 4);
    return;
  case Format::F64:
    for (size_t i = 0; i < count; ++i)
      values[i] = float(static_cast<const double *>(bits)[i]);
    return;
  case Format::E4M3: {
    const std::array<float, 256> &table = getE4M3Table();
    for (size_t i = 0; i < count; ++i)
      values[i] = table[bytes[i]];
    return;
  }
  case Format::E5M2: // the high byte of an f16
    for (size_t i = 0; i < count; ++i)
      values[i] = fromHalf(uint16_t(bytes[i] << 8));
    return;
  case Format::S8:
    for (size_t i = 0; i < count; ++i)
      values[i] = int8_t(bytes[i]);
    return;
  case Format::U8:
    for (size_t i = 0; i < count; ++i)
      values[i] = bytes[i];
    return;
  case Format::S32:
    for (size_t i = 0; i < count; ++i)
      values[i] = float(int32_t(words[i]));
    return;
  }
}

float amp::emu::loadNumber(Format format, const void *bits) {
  alignas(8) char copy[8];
  memcpy(copy, bits, getFormatBytes(format));
  float value;
  loadNumbers(format, copy, &value, 1);
  return value;
}

void amp::emu::storeNumber(Format format, void *bits, float value) {
  switch (format) {
  case Format::F16: {
    uint16_t half = toHalf(value);
    memcpy(bits, &half, 2);
    return;
  }
  case Format::BF16: {
    uint16_t half = toBFloat(value);
    memcpy(bits, &half, 2);
    return;
  }
  case Format::TF32: {
    uint32_t word = asBits(value);
    if (value == value) // round to nearest, ties away from zero (cvt.rna)
      word += 0x1000;
    word &= ~0x1fffu;
    memcpy(bits, &word, 4);
    return;
  }
  case Format::F32:
    memcpy(bits, &value, 4);
    return;
  case Format::F64: {
    double wide = value;
    memcpy(bits, &wide, 8);
    return;
  }
  case Format::E4M3:
    *static_cast<uint8_t *>(bits) =
        nearestCode(value, 0x7e, 0x7f, [](int c) { return fromE4M3(c); });
    return;
  case Format::E5M2:
    *static_cast<uint8_t *>(bits) = nearestCode(
        value, 0x7b, 0x7f, [](int c) { return fromHalf(uint16_t(c << 8)); });
    return;
  case Format::S8:
  case Format::U8: {
    int low = format == Format::S8 ? -128 : 0, high = low + 255;
    float clamped = std::min(float(high), std::max(float(low), value));
    *static_cast<uint8_t *>(bits) = uint8_t(int(std::nearbyint(clamped)));
    return;
  }
  case Format::S32: {
    int32_t word = int32_t(value);
    memcpy(bits, &word, 4);
    return;
  }
  }
}
