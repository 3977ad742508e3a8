//===- OverrideValue.h - A property value as the user wrote it --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apex's checks look at Python values: keep_batchnorm_fp32 takes True and the
// string 'True' but not 1, patch_torch_functions_type takes torch.bfloat16 but
// not 'bfloat16', and messages quote the value as Python prints it. Overrides
// reach us as text, from pass options and command lines. This is the least
// value type that keeps those differences, and the reading of text into it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_POLICY_OVERRIDEVALUE_H
#define AMP_POLICY_OVERRIDEVALUE_H

#include "amp/Policy/OptLevel.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace mlir::amp {

/// None, a boolean, a number, a torch.dtype or a string.
class OverrideValue {
public:
  enum class Kind { None, Bool, Integer, Float, DType, String };

  /// None: the property was not given.
  OverrideValue() = default;

  /// Reads text as a user of Apex would write it. Never fails: what is nothing
  /// else is a string.
  ///
  /// | text (blanks around it are dropped) | value |
  /// | --- | --- |
  /// | nothing, `None` | None |
  /// | `True`, `False`, `true`, `false` | boolean |
  /// | `7`, `128.0`, `1e3`, `inf`, `nan` | number |
  /// | `float16`, `half`, `f16`; `bfloat16`, `bf16`; `float32`, `float`, `f32`;
  ///   `float64`, `double`, `f64`; each also after `torch.` | dtype |
  /// | `'...'` or `"..."` | string, whatever stands between the quotes |
  /// | any other text (`dynamic`, `junk`) | that text as a string |
  static OverrideValue parse(llvm::StringRef text);

  Kind getKind() const { return kind; }
  bool isNone() const { return kind == Kind::None; }
  /// True for the string of exactly these characters, however it was quoted.
  bool isString(llvm::StringRef characters) const {
    return kind == Kind::String && text == characters;
  }

  /// The boolean, if it is one (1 and 'True' are not).
  std::optional<bool> getBool() const;
  /// The boolean that a flag takes it for: also 0 and 1, as in Python.
  std::optional<bool> getFlag() const;
  /// The dtype, if it is one that a policy can name (float64 is not).
  std::optional<FloatKind> getFloatKind() const;
  /// The whole number, if it is one; as in Python, True is 1.
  std::optional<int64_t> getInteger() const;

  /// Python's bool(value).
  bool isTruthy() const;
  /// Python's float(value), nothing where Python raises.
  std::optional<double> toFloat() const;
  /// Python's str(value), as in the messages of Apex: `torch.float16`, `True`,
  /// a string without quotes.
  std::string str() const;
  /// Python's repr(value): as str(), but strings are quoted.
  std::string repr() const;

private:
  OverrideValue(Kind kind, std::string text, double number = 0.0)
      : kind(kind), text(std::move(text)), number(number) {}

  Kind kind = Kind::None;
  /// What str() prints: Python's spelling of the value.
  std::string text = "None";
  /// Value of a boolean (0 or 1) or a number.
  double number = 0.0;
};

/// Python's float(text): decimal, with blanks around it, a sign, underscores
/// between digits, and inf, infinity, nan in any case. Nothing where Python
/// raises ValueError; out of range it is infinite or zero, as there.
std::optional<double> parsePythonFloat(llvm::StringRef text);

/// Python's repr of a float: the shortest digits that give the value back, an
/// exponent below 1e-4 and from 1e16, ".0" on whole numbers.
std::string printPythonFloat(double value);

} // namespace mlir::amp

#endif // AMP_POLICY_OVERRIDEVALUE_H
