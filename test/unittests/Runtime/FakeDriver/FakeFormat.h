//===-- FakeFormat.h - Number formats of the fakes -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fake kernels and the fake cuBLASLt read, apart from the formats of
// the tool that they test.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_UNITTESTS_RUNTIME_FAKEDRIVER_FAKEFORMAT_H
#define AMP_TEST_UNITTESTS_RUNTIME_FAKEDRIVER_FAKEFORMAT_H

#include <cmath>
#include <cstdint>

namespace fakecuda {

/// Finite numbers of f8E4M3FN: a sign, 4 bits of exponent, 3 of fraction.
inline float fromE4M3(uint8_t bits) {
  int exponent = bits >> 3 & 15, fraction = bits & 7;
  float value =
      exponent ? std::ldexp(static_cast<float>(8 + fraction), exponent - 10)
               : std::ldexp(static_cast<float>(fraction), -9);
  return bits & 0x80 ? -value : value;
}

} // namespace fakecuda

#endif // AMP_TEST_UNITTESTS_RUNTIME_FAKEDRIVER_FAKEFORMAT_H
