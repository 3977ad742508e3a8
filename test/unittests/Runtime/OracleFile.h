//===-- OracleFile.h - Reading the recorded Apex traces ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_RUNTIME_ORACLEFILE_H
#define AMP_TEST_RUNTIME_ORACLEFILE_H

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>

namespace amp::rt::test {

/// One file of test/Inputs/oracles; null if it cannot be read.
inline nlohmann::json readOracle(const std::string &name) {
  std::ifstream file(std::string(AMP_RT_ORACLES) + "/" + name);
  return file ? nlohmann::json::parse(file) : nlohmann::json();
}

/// A number, where "nan", "inf" and "-inf" are strings.
inline double asNumber(const nlohmann::json &value) {
  if (value.is_number())
    return value.get<double>();
  std::string text = value.get<std::string>();
  if (text == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf" || text == "-inf")
    return text == "inf" ? HUGE_VAL : -HUGE_VAL;
  return std::stod(text);
}

} // namespace amp::rt::test

#endif // AMP_TEST_RUNTIME_ORACLEFILE_H
