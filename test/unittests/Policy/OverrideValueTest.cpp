//===- OverrideValueTest.cpp - Tests of values as users write them --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected texts and numbers were printed by CPython 3.11.
//
//===----------------------------------------------------------------------===//

#include "amp/Policy/OverrideValue.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir::amp;
using llvm::StringRef;
using Kind = OverrideValue::Kind;

TEST(OverrideValue, KindsByText) {
  struct Case {
    StringRef text;
    Kind kind;
    StringRef str;
    StringRef repr;
  };
  const Case cases[] = {
      {"", Kind::None, "None", "None"},
      {"  ", Kind::None, "None", "None"},
      {"None", Kind::None, "None", "None"},
      {"none", Kind::String, "none", "'none'"},
      {"True", Kind::Bool, "True", "True"},
      {"true", Kind::Bool, "True", "True"},
      {" False ", Kind::Bool, "False", "False"},
      {"false", Kind::Bool, "False", "False"},
      {"TRUE", Kind::String, "TRUE", "'TRUE'"},
      {"'True'", Kind::String, "True", "'True'"},
      {"\"False\"", Kind::String, "False", "'False'"},
      {"'None'", Kind::String, "None", "'None'"},
      {"''", Kind::String, "", "''"},
      {"'", Kind::String, "'", "\"'\""},
      {"float16", Kind::DType, "torch.float16", "torch.float16"},
      {"torch.float16", Kind::DType, "torch.float16", "torch.float16"},
      {"half", Kind::DType, "torch.float16", "torch.float16"},
      {"f16", Kind::DType, "torch.float16", "torch.float16"},
      {"bfloat16", Kind::DType, "torch.bfloat16", "torch.bfloat16"},
      {"torch.bfloat16", Kind::DType, "torch.bfloat16", "torch.bfloat16"},
      {"bf16", Kind::DType, "torch.bfloat16", "torch.bfloat16"},
      {"float32", Kind::DType, "torch.float32", "torch.float32"},
      {"f32", Kind::DType, "torch.float32", "torch.float32"},
      {"torch.float", Kind::DType, "torch.float32", "torch.float32"},
      {"float64", Kind::DType, "torch.float64", "torch.float64"},
      {"torch.int8", Kind::String, "torch.int8", "'torch.int8'"},
      {"'bfloat16'", Kind::String, "bfloat16", "'bfloat16'"},
      {"dynamic", Kind::String, "dynamic", "'dynamic'"},
      {"'dynamic'", Kind::String, "dynamic", "'dynamic'"},
      {"128", Kind::Integer, "128", "128"},
      {"+128", Kind::Integer, "128", "128"},
      {"-1", Kind::Integer, "-1", "-1"},
      {"+-1", Kind::String, "+-1", "'+-1'"},
      {"128.0", Kind::Float, "128.0", "128.0"},
      {"1e3", Kind::Float, "1000.0", "1000.0"},
      {"inf", Kind::Float, "inf", "inf"},
      {"nan", Kind::Float, "nan", "nan"},
      {"'128.0'", Kind::String, "128.0", "'128.0'"},
      {"0x10", Kind::String, "0x10", "'0x10'"},
  };
  for (const Case &c : cases) {
    OverrideValue value = OverrideValue::parse(c.text);
    EXPECT_EQ(value.getKind(), c.kind) << c.text.str();
    EXPECT_EQ(value.str(), c.str.str()) << c.text.str();
    EXPECT_EQ(value.repr(), c.repr.str()) << c.text.str();
  }
}

TEST(OverrideValue, ReprEscapesAsPython) {
  EXPECT_EQ(OverrideValue::parse("it's").repr(), "\"it's\"");
  EXPECT_EQ(OverrideValue::parse("a\"b'c").repr(), "'a\"b\\'c'");
  EXPECT_EQ(OverrideValue::parse("'\t\x01\\'").repr(), "'\\t\\x01\\\\'");
}

TEST(OverrideValue, TypedQuestions) {
  EXPECT_EQ(OverrideValue::parse("True").getBool(), true);
  EXPECT_EQ(OverrideValue::parse("False").getBool(), false);
  EXPECT_EQ(OverrideValue::parse("1").getBool(), std::nullopt);
  EXPECT_EQ(OverrideValue::parse("'True'").getBool(), std::nullopt);

  EXPECT_EQ(OverrideValue::parse("bf16").getFloatKind(), FloatKind::BFloat16);
  EXPECT_EQ(OverrideValue::parse("float64").getFloatKind(), std::nullopt);
  EXPECT_EQ(OverrideValue::parse("'float16'").getFloatKind(), std::nullopt);

  EXPECT_EQ(OverrideValue::parse("3").getInteger(), 3);
  EXPECT_EQ(OverrideValue::parse("True").getInteger(), 1);
  EXPECT_EQ(OverrideValue::parse("3.0").getInteger(), std::nullopt);
  EXPECT_EQ(OverrideValue::parse("'3'").getInteger(), std::nullopt);
}

TEST(OverrideValue, TruthIsPythons) {
  for (StringRef text : {"True", "1", "-0.5", "nan", "float16", "'False'"})
    EXPECT_TRUE(OverrideValue::parse(text).isTruthy()) << text.str();
  for (StringRef text : {"", "None", "False", "0", "0.0", "''"})
    EXPECT_FALSE(OverrideValue::parse(text).isTruthy()) << text.str();
}

TEST(OverrideValue, FloatOfAValue) {
  EXPECT_EQ(OverrideValue::parse("True").toFloat(), 1.0);
  EXPECT_EQ(OverrideValue::parse("'128.0'").toFloat(), 128.0);
  EXPECT_EQ(OverrideValue::parse("128").toFloat(), 128.0);
  EXPECT_EQ(OverrideValue::parse("junk").toFloat(), std::nullopt);
  EXPECT_EQ(OverrideValue::parse("float16").toFloat(), std::nullopt);
  EXPECT_EQ(OverrideValue::parse("None").toFloat(), std::nullopt);
}

TEST(PythonFloat, Reads) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Case {
    StringRef text;
    double value;
  };
  const Case cases[] = {{"1_000", 1000.0},
                        {".5", 0.5},
                        {"5.", 5.0},
                        {" 1 ", 1.0},
                        {"1e5", 1e5},
                        {"1E-5", 1e-5},
                        {"+3", 3.0},
                        {"-2.5", -2.5},
                        {"5e-324", 5e-324},
                        {"1e999", infinity},
                        {"1e-999", 0.0},
                        {"inf", infinity},
                        {"-Infinity", -infinity}};
  for (const Case &c : cases)
    EXPECT_EQ(parsePythonFloat(c.text), c.value) << c.text.str();
  ASSERT_TRUE(parsePythonFloat("NaN"));
  EXPECT_TRUE(std::isnan(*parsePythonFloat("NaN")));
}

TEST(PythonFloat, Refuses) {
  for (StringRef text :
       {"", " ", ".", "-", "1__0", "_1", "1_", "1._5", "1_e5", "1_.5", "0x10",
        "1e", "1e+", "e5", "1 2", "1.0f", "infinit", "--1"})
    EXPECT_EQ(parsePythonFloat(text), std::nullopt) << text.str();
}

TEST(PythonFloat, Prints) {
  struct Case {
    double value;
    StringRef text;
  };
  const Case cases[] = {{0.0, "0.0"},
                        {-0.0, "-0.0"},
                        {1.5, "1.5"},
                        {-2.5, "-2.5"},
                        {0.1, "0.1"},
                        {65536, "65536.0"},
                        {100, "100.0"},
                        {123456.789, "123456.789"},
                        {0.0001, "0.0001"},
                        {0.00001, "1e-05"},
                        {1.25e-7, "1.25e-07"},
                        {1e15, "1000000000000000.0"},
                        {1e16, "1e+16"},
                        {123456789012345680.0, "1.2345678901234568e+17"},
                        {1.7976931348623157e308, "1.7976931348623157e+308"},
                        {5e-324, "5e-324"},
                        {std::numeric_limits<double>::infinity(), "inf"},
                        {-std::numeric_limits<double>::infinity(), "-inf"},
                        {std::numeric_limits<double>::quiet_NaN(), "nan"}};
  for (const Case &c : cases)
    EXPECT_EQ(printPythonFloat(c.value), c.text.str());
}
