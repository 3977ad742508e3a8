//===- NumberFormatTest.cpp - Number formats, bit by bit ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Known values, and that every code comes back from its value.
//
//===----------------------------------------------------------------------===//

#include "amp/Emulator/NumberFormat.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace amp::emu;

namespace {

float load(Format format, uint32_t bits) { return loadNumber(format, &bits); }
uint32_t store(Format format, float value) {
  uint32_t bits = 0;
  storeNumber(format, &bits, value);
  return bits;
}

TEST(NumberFormat, KnownValues) {
  EXPECT_EQ(load(Format::F16, 0x3c00), 1.f);
  EXPECT_EQ(load(Format::F16, 0x0001), std::ldexp(1.f, -24));
  EXPECT_EQ(load(Format::F16, 0xfc00), -INFINITY);
  EXPECT_EQ(load(Format::BF16, 0x3f80), 1.f);
  EXPECT_EQ(load(Format::E4M3, 0x7e), 448.f);
  EXPECT_EQ(load(Format::E4M3, 0x01), std::ldexp(1.f, -9));
  EXPECT_TRUE(std::isnan(load(Format::E4M3, 0x7f)));
  EXPECT_EQ(load(Format::E5M2, 0x7b), 57344.f);
  EXPECT_EQ(load(Format::E5M2, 0x7c), INFINITY);
  EXPECT_EQ(load(Format::TF32, 0x3f801fff), 1.f); // low 13 bits are ignored
  EXPECT_EQ(store(Format::F16, 65520.f), 0x7c00u);
  EXPECT_EQ(store(Format::E4M3, 1000.f), 0x7eu);        // saturates
  EXPECT_EQ(store(Format::BF16, 1.00390625f), 0x3f80u); // tie to even
}

TEST(NumberFormat, EveryCodeComesBack) {
  for (Format format : {Format::F16, Format::BF16, Format::E4M3, Format::E5M2})
    for (uint32_t code = 0, end = 1u << 8 * getFormatBytes(format); code < end;
         ++code) {
      float value = load(format, code);
      if (std::isfinite(value))
        EXPECT_EQ(store(format, value), code) << int(format) << " " << code;
    }
}

} // namespace
