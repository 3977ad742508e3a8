//===- OverrideValue.cpp - A property value as the user wrote it ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading is a cascade of closed word lists and one number grammar, Python's.
// The grammar is checked by hand before LLVM converts, because LLVM's reader
// also takes hexadecimal floats, which Python's float() refuses.
//
//===----------------------------------------------------------------------===//

#include "amp/Policy/OverrideValue.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <charconv>
#include <cmath>
#include <limits>

using namespace mlir::amp;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Python's floats
//===----------------------------------------------------------------------===//

/// Drops digits, with single underscores between them, from the front of `text`
/// and appends them to `digits`. False if there is none or an underscore stands
/// alone.
static bool takeDigits(StringRef &text, std::string &digits) {
  if (text.empty() || !llvm::isDigit(text.front()))
    return false;
  while (!text.empty()) {
    bool joins =
        text.front() == '_' && text.size() > 1 && llvm::isDigit(text[1]);
    if (joins)
      text = text.drop_front();
    if (!llvm::isDigit(text.front()))
      break;
    digits += text.front();
    text = text.drop_front();
  }
  return true;
}

std::optional<double> mlir::amp::parsePythonFloat(StringRef text) {
  StringRef rest = text.trim(" \t\n\v\f\r");
  bool negative = rest.consume_front("-");
  if (!negative)
    rest.consume_front("+");

  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (rest.equals_insensitive("inf") || rest.equals_insensitive("infinity"))
    return negative ? -infinity : infinity;
  if (rest.equals_insensitive("nan"))
    return std::numeric_limits<double>::quiet_NaN();

  std::string plain = negative ? "-" : "";
  bool hasWhole = takeDigits(rest, plain);
  if (!hasWhole)
    plain += '0';
  if (rest.consume_front(".")) {
    plain += '.';
    bool hasFraction = takeDigits(rest, plain);
    if (!hasFraction)
      plain += '0';
    hasWhole |= hasFraction;
  }
  if (!hasWhole)
    return std::nullopt;
  if (rest.consume_front_insensitive("e")) {
    plain += 'e';
    if (rest.consume_front("-"))
      plain += '-';
    else
      rest.consume_front("+");
    if (!takeDigits(rest, plain))
      return std::nullopt;
  }
  if (!rest.empty())
    return std::nullopt;

  double value;
  if (StringRef(plain).getAsDouble(value))
    return std::nullopt;
  return value;
}

std::string mlir::amp::printPythonFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";

  // Shortest digits and their decimal exponent: d.ddde[+-]xx.
  char buffer[40];
  std::to_chars_result end = std::to_chars(
      buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  StringRef shortest(buffer, end.ptr - buffer);
  std::string sign = shortest.consume_front("-") ? "-" : "";
  auto [mantissa, exponentText] = shortest.split('e');
  exponentText.consume_front("+");
  int exponent = 0;
  exponentText.getAsInteger(10, exponent);
  std::string digits;
  for (char c : mantissa)
    if (c != '.')
      digits += c;
  int count = digits.size();

  // float_repr_style 'short' (CPython's Python/pystrtod.c, format code 'r').
  if (exponent < -4 || exponent >= 16) {
    std::string text = sign + digits.substr(0, 1);
    if (count > 1)
      text += "." + digits.substr(1);
    std::string magnitude = std::to_string(std::abs(exponent));
    if (magnitude.size() < 2)
      magnitude.insert(0, "0");
    return text + (exponent < 0 ? "e-" : "e+") + magnitude;
  }
  if (exponent < 0)
    return sign + "0." + std::string(-exponent - 1, '0') + digits;
  if (count <= exponent + 1)
    return sign + digits + std::string(exponent + 1 - count, '0') + ".0";
  return sign + digits.substr(0, exponent + 1) + "." +
         digits.substr(exponent + 1);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Name of the torch.dtype that `text` spells, or "". float64 is no type of a
/// policy, but Apex's messages about it print it as a dtype.
static StringRef parseDType(StringRef text) {
  text.consume_front("torch.");
  return llvm::StringSwitch<StringRef>(text)
      .Cases({"float16", "half", "f16"}, "torch.float16")
      .Cases({"bfloat16", "bf16"}, "torch.bfloat16")
      .Cases({"float32", "float", "f32"}, "torch.float32")
      .Cases({"float64", "double", "f64"}, "torch.float64")
      .Default("");
}

OverrideValue OverrideValue::parse(StringRef text) {
  text = text.trim();
  if (text.empty() || text == "None")
    return OverrideValue();
  if (text == "True" || text == "true")
    return OverrideValue(Kind::Bool, "True", 1.0);
  if (text == "False" || text == "false")
    return OverrideValue(Kind::Bool, "False", 0.0);
  for (char quote : {'\'', '"'})
    if (text.size() >= 2 && text.front() == quote && text.back() == quote)
      return OverrideValue(Kind::String, text.drop_front().drop_back().str());
  if (StringRef dtype = parseDType(text); !dtype.empty())
    return OverrideValue(Kind::DType, dtype.str());
  int64_t whole;
  bool hasPlus = text.size() > 1 && text[0] == '+' && llvm::isDigit(text[1]);
  if (!text.drop_front(hasPlus).getAsInteger(10, whole))
    return OverrideValue(Kind::Integer, std::to_string(whole),
                         static_cast<double>(whole));
  if (std::optional<double> number = parsePythonFloat(text))
    return OverrideValue(Kind::Float, printPythonFloat(*number), *number);
  return OverrideValue(Kind::String, text.str());
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

std::optional<bool> OverrideValue::getBool() const {
  if (kind != Kind::Bool)
    return std::nullopt;
  return number != 0.0;
}

std::optional<bool> OverrideValue::getFlag() const {
  std::optional<int64_t> number = getInteger(); // of a boolean too
  if (!number || (*number != 0 && *number != 1))
    return std::nullopt;
  return *number != 0;
}

std::optional<FloatKind> OverrideValue::getFloatKind() const {
  if (kind != Kind::DType)
    return std::nullopt;
  return llvm::StringSwitch<std::optional<FloatKind>>(text)
      .Case("torch.float32", FloatKind::Float32)
      .Case("torch.float16", FloatKind::Float16)
      .Case("torch.bfloat16", FloatKind::BFloat16)
      .Default(std::nullopt);
}

std::optional<int64_t> OverrideValue::getInteger() const {
  if (kind == Kind::Bool)
    return static_cast<int64_t>(number);
  int64_t whole;
  if (kind != Kind::Integer || StringRef(text).getAsInteger(10, whole))
    return std::nullopt;
  return whole;
}

bool OverrideValue::isTruthy() const {
  switch (kind) {
  case Kind::None:
    return false;
  case Kind::Bool:
  case Kind::Integer:
  case Kind::Float:
    return number != 0.0;
  case Kind::DType:
    return true;
  case Kind::String:
    return !text.empty();
  }
  return false;
}

std::optional<double> OverrideValue::toFloat() const {
  switch (kind) {
  case Kind::Bool:
  case Kind::Integer:
  case Kind::Float:
    return number;
  case Kind::String:
    return parsePythonFloat(text);
  case Kind::None:
  case Kind::DType:
    return std::nullopt;
  }
  return std::nullopt;
}

std::string OverrideValue::str() const { return text; }

std::string OverrideValue::repr() const {
  if (kind != Kind::String)
    return text;
  // Python prefers single quotes and changes only when that saves escaping.
  bool hasSingle = StringRef(text).contains('\'');
  char quote = hasSingle && !StringRef(text).contains('"') ? '"' : '\'';
  std::string quoted(1, quote);
  for (char c : text) {
    if (c == '\n')
      quoted += "\\n";
    else if (c == '\r')
      quoted += "\\r";
    else if (c == '\t')
      quoted += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      quoted += "\\x" + llvm::utohexstr(c, /*LowerCase=*/true, /*Width=*/2);
    else if (c == quote || c == '\\')
      quoted += {'\\', c};
    else
      quoted += c;
  }
  return quoted + quote;
}
