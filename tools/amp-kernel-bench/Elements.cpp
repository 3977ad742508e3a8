//===-- Elements.cpp - Numbers in the types of kernels ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include <cmath>

using namespace amp::bench;

namespace {

struct Format {
  const char *name;
  int bytes, exponentBits, mantissaBits;
  /// The largest exponent holds infinities and NaNs; else only one NaN.
  bool hasInfinity;
};

/// By Type.
const Format formats[] = {
    {"f16", 2, 5, 10, true},   {"bf16", 2, 8, 7, true},
    {"f32", 4, 8, 23, true},   {"f8E4M3FN", 1, 4, 3, false},
    {"f8E5M2", 1, 5, 2, true}, {"tf32", 4, 8, 23, true}};

const Format &formatOf(Type type) { return formats[static_cast<int>(type)]; }

} // namespace

bool amp::bench::parseType(const std::string &text, Type &type) {
  for (const Format &format : formats)
    if (text == format.name) {
      type = static_cast<Type>(&format - formats);
      return true;
    }
  return false;
}

const char *amp::bench::typeName(Type type) { return formatOf(type).name; }

int64_t amp::bench::typeBytes(Type type) { return formatOf(type).bytes; }

uint32_t amp::bench::encode(Type type, double value) {
  const Format &format = formatOf(type);
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint32_t exponentMask = (1u << format.exponentBits) - 1;
  uint32_t sign = std::signbit(value) ? 1u << (format.bytes * 8 - 1) : 0;
  uint32_t special = exponentMask << format.mantissaBits;
  uint32_t mantissaMask = (1u << format.mantissaBits) - 1;
  uint32_t nan = special | mantissaMask;
  if (std::isnan(value))
    return sign | nan;
  double magnitude = std::fabs(value);
  int exponent = magnitude > 0 && std::isfinite(magnitude)
                     ? std::ilogb(magnitude)
                     : 1 - bias;
  if (exponent < 1 - bias)
    exponent = 1 - bias; // subnormal: the quantum stays
  double quanta =
      std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
  // Adding the quanta of a subnormal number carries into the exponent by
  // itself.
  uint32_t overflow = format.hasInfinity ? special : nan;
  if (std::isinf(value) || quanta > std::ldexp(1.0, format.mantissaBits + 1))
    return sign | overflow;
  uint64_t bits = static_cast<uint64_t>(quanta);
  uint64_t encoded = bits + (static_cast<uint64_t>(exponent + bias - 1)
                             << format.mantissaBits);
  return sign | static_cast<uint32_t>(encoded < overflow ? encoded : overflow);
}

double amp::bench::decode(Type type, uint32_t bits) {
  const Format &format = formatOf(type);
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint32_t exponentMask = (1u << format.exponentBits) - 1;
  uint32_t mantissaMask = (1u << format.mantissaBits) - 1;
  uint32_t exponent = bits >> format.mantissaBits & exponentMask;
  uint32_t mantissa = bits & mantissaMask;
  double sign = bits >> (format.bytes * 8 - 1) & 1 ? -1 : 1;
  if (exponent == exponentMask && format.hasInfinity)
    return mantissa ? std::nan("") : sign * INFINITY;
  if (exponent == exponentMask && mantissa == mantissaMask)
    return std::nan("");
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - format.mantissaBits);
  return sign *
         std::ldexp(mantissa | 1u << format.mantissaBits,
                    static_cast<int>(exponent) - bias - format.mantissaBits);
}
