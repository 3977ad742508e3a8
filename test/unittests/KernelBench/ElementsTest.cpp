//===-- ElementsTest.cpp - Numbers in the types of kernels ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace amp::bench;

// Every number of a type is encoded as itself.
TEST(Elements, SmallTypesGoRound) {
  for (Type type : {Type::F16, Type::BF16, Type::F8E4M3FN, Type::F8E5M2}) {
    uint32_t count = 1u << (8 * typeBytes(type));
    for (uint32_t bits = 0; bits < count; ++bits) {
      double value = decode(type, bits);
      if (!std::isnan(value))
        ASSERT_EQ(encode(type, value), bits) << typeName(type) << " " << bits;
      else
        ASSERT_TRUE(std::isnan(decode(type, encode(type, value))));
    }
  }
}

// Between two neighbours the middle goes to the even one, and what is next to
// the middle to the nearer one.
TEST(Elements, RoundsToNearestEven) {
  for (Type type : {Type::F16, Type::BF16, Type::F8E4M3FN, Type::F8E5M2}) {
    uint32_t last = encode(type, INFINITY) - 2;
    for (uint32_t bits = 0; bits < last; ++bits) {
      double low = decode(type, bits), high = decode(type, bits + 1);
      double middle = (low + high) / 2;
      ASSERT_EQ(encode(type, middle), bits % 2 ? bits + 1 : bits);
      ASSERT_EQ(encode(type, std::nextafter(middle, 0)), bits);
      ASSERT_EQ(encode(type, std::nextafter(middle, 1e300)), bits + 1);
    }
  }
}

TEST(Elements, WhatIsTooLarge) {
  EXPECT_EQ(encode(Type::F16, 65519), 0x7bffu);
  EXPECT_EQ(encode(Type::F16, 65520), 0x7c00u);
  EXPECT_EQ(encode(Type::F16, -1e300), 0xfc00u);
  EXPECT_EQ(encode(Type::BF16, 3.4e38), 0x7f80u);
  EXPECT_EQ(encode(Type::F8E5M2, 61440), 0x7cu);
  EXPECT_EQ(encode(Type::F8E4M3FN, 448), 0x7eu);
  EXPECT_EQ(encode(Type::F8E4M3FN, 463), 0x7eu);
  EXPECT_EQ(encode(Type::F8E4M3FN, 480), 0x7fu) << "NaN: no infinities";
  EXPECT_EQ(encode(Type::F8E4M3FN, -INFINITY), 0xffu);
}

TEST(Elements, FloatsAreTheProcessors) {
  for (double value : {0.0, -0.0, 1.0, 1.0 / 3, -1e-40, 1e-45, 3e38, 1e39,
                       16777217.0, 0x1.ffffffp127}) {
    auto number = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &number, 4);
    EXPECT_EQ(encode(Type::F32, value), bits) << value;
    if (std::isfinite(number))
      EXPECT_EQ(decode(Type::F32, bits), static_cast<double>(number));
  }
}

TEST(Elements, Names) {
  Type type;
  for (const char *name :
       {"f16", "bf16", "f32", "f8E4M3FN", "f8E5M2", "tf32"}) {
    ASSERT_TRUE(parseType(name, type));
    EXPECT_STREQ(typeName(type), name);
  }
  EXPECT_FALSE(parseType("f64", type));
}
