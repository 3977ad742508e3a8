//===-- Element.cpp - Types of the elements of arrays ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half formats are converted from double: going through float would round
// twice.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Element.h"

#include "amp-rt/Half.h"

#include <cmath>
#include <limits>

namespace {
struct Element {
  const char *name;
  int64_t bytes;
};
} // namespace

/// By AmpRtElementKind.
static const Element elements[] = {
    {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"i1", 1},
    {"i8", 1},  {"i16", 2},  {"i32", 4}, {"i64", 8},
};

static const Element *find(int32_t kind) {
  constexpr int32_t count = sizeof(elements) / sizeof(elements[0]);
  return kind >= 0 && kind < count ? &elements[kind] : nullptr;
}

int64_t ampRtElementKindSize(int32_t kind) {
  const Element *element = find(kind);
  return element ? element->bytes : 0;
}

const char *ampRtElementKindName(int32_t kind) {
  const Element *element = find(kind);
  return element ? element->name : nullptr;
}

/// Nearest value of the integer type, ties to even; saturates; NaN gives 0.
template <typename T> static T saturate(double value) {
  if (std::isnan(value))
    return 0;
  const double rounded = std::nearbyint(value);
  // max() of a 64-bit type is no double; 2^63 is, and is already too large.
  if (rounded >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return std::numeric_limits<T>::max();
  if (rounded <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(rounded);
}

double ampRtElementLoad(int32_t kind, const void *data, int64_t index) {
  switch (kind) {
  case AMP_RT_ELEMENT_I1:
    return static_cast<const uint8_t *>(data)[index] != 0;
  case AMP_RT_ELEMENT_I8:
    return static_cast<const int8_t *>(data)[index];
  case AMP_RT_ELEMENT_I16:
    return static_cast<const int16_t *>(data)[index];
  case AMP_RT_ELEMENT_I32:
    return static_cast<const int32_t *>(data)[index];
  case AMP_RT_ELEMENT_I64:
    return static_cast<double>(static_cast<const int64_t *>(data)[index]);
  case AMP_RT_ELEMENT_F16:
    return ampRtHalfF32FromF16(static_cast<const uint16_t *>(data)[index]);
  case AMP_RT_ELEMENT_BF16:
    return ampRtHalfF32FromBF16(static_cast<const uint16_t *>(data)[index]);
  case AMP_RT_ELEMENT_F32:
    return static_cast<const float *>(data)[index];
  case AMP_RT_ELEMENT_F64:
    return static_cast<const double *>(data)[index];
  default:
    return 0;
  }
}

void ampRtElementStore(int32_t kind, void *data, int64_t index, double value) {
  switch (kind) {
  case AMP_RT_ELEMENT_I1:
    static_cast<uint8_t *>(data)[index] = !std::isnan(value) && value != 0;
    return;
  case AMP_RT_ELEMENT_I8:
    static_cast<int8_t *>(data)[index] = saturate<int8_t>(value);
    return;
  case AMP_RT_ELEMENT_I16:
    static_cast<int16_t *>(data)[index] = saturate<int16_t>(value);
    return;
  case AMP_RT_ELEMENT_I32:
    static_cast<int32_t *>(data)[index] = saturate<int32_t>(value);
    return;
  case AMP_RT_ELEMENT_I64:
    static_cast<int64_t *>(data)[index] = saturate<int64_t>(value);
    return;
  case AMP_RT_ELEMENT_F16:
    static_cast<uint16_t *>(data)[index] = ampRtHalfF16FromF64(value);
    return;
  case AMP_RT_ELEMENT_BF16:
    static_cast<uint16_t *>(data)[index] = ampRtHalfBF16FromF64(value);
    return;
  case AMP_RT_ELEMENT_F32:
    static_cast<float *>(data)[index] = static_cast<float>(value);
    return;
  case AMP_RT_ELEMENT_F64:
    static_cast<double *>(data)[index] = value;
    return;
  default:
    return;
  }
}
