//===- Quantities.cpp - Bytes, times and rates for people -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit is left for the next one where its digits would round up to it:
// 1048575 bytes are "1.0 MiB", not "1024.0 KiB".
//
//===----------------------------------------------------------------------===//

#include "amp/Support/Quantities.h"

#include <cmath>
#include <cstdio>
#include <iterator>

using namespace mlir::amp;

static std::string print(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

/// Three digits, or all of those before the point.
static std::string printThreeDigits(double value) {
  // Half a unit of the last digit below the power of ten, where it rounds up.
  return print(value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
}

std::string mlir::amp::formatBytes(int64_t bytes) {
  static const char *const kUnits[] = {"B",   "KiB", "MiB", "GiB",
                                       "TiB", "PiB", "EiB"};
  if (bytes > -1024 && bytes < 1024)
    return std::to_string(bytes) + " B";
  double value = double(bytes);
  size_t unit = 0;
  while (std::fabs(value) >= 1023.95 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return print("%.1f ", value) + kUnits[unit];
}

std::string mlir::amp::formatSeconds(double seconds) {
  if (seconds < 0.9995e-3)
    return printThreeDigits(seconds * 1e6) + " us";
  if (seconds < 0.9995)
    return printThreeDigits(seconds * 1e3) + " ms";
  return printThreeDigits(seconds) + " s";
}

std::string mlir::amp::formatRate(double count, double seconds,
                                  const std::string &what) {
  if (!(count > 0) || !(seconds > 0))
    return "? " + what + "s/s";
  const double rate = count / seconds;
  if (rate < 1)
    return formatSeconds(seconds / count) + "/" + what;
  return printThreeDigits(rate) + " " + what + "s/s";
}
