//===-- Report.cpp - What the tool prints ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <cmath>
#include <cstdio>

using namespace amp::bench;
using nlohmann::json;

static double tflops(const Row &row, double milliseconds) {
  return milliseconds > 0 ? row.work / milliseconds * 1e-9 : 0;
}

/// Of the medians; 0 if there is nothing to compare with.
static double ratioOf(const Row &row) {
  double ours = row.outcome.kernel.median();
  double theirs = row.outcome.baseline.median();
  return ours > 0 && theirs > 0 ? theirs / ours : 0;
}

struct Mean {
  const char *name;
  double goal;
  bool (*isMember)(const Row &row);
};

static bool isGemm(const Row &row) { return row.kernel->family == "gemm"; }
static bool isLargeGemm(const Row &row) {
  return isGemm(row) && row.leastSize >= 2048;
}
static bool isConvolution(const Row &row) {
  return row.kernel->family == "convolution";
}

/// The goals are those of large products and of all convolutions.
static constexpr Mean means[] = {{"gemm", 0, isGemm},
                                 {"gemm, M, N, K >= 2048", 1.0, isLargeGemm},
                                 {"convolution", 0.9, isConvolution}};

static double geometricMean(const Mean &mean, const std::vector<Row> &rows,
                            int &count) {
  double sum = 0;
  count = 0;
  for (const Row &row : rows)
    if (double ratio = mean.isMember(row) ? ratioOf(row) : 0) {
      sum += std::log(ratio);
      ++count;
    }
  return count ? std::exp(sum / count) : 0;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static std::string padded(const std::string &text, size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ')
                             : text;
}

static size_t widthOf(const std::vector<Row> &rows,
                      std::string (*text)(const Row &)) {
  size_t width = 0;
  for (const Row &row : rows)
    width = std::max(width, text(row).size());
  return width + 2;
}

static std::string nameOf(const Row &row) { return row.kernel->name; }
static std::string shapeOf(const Row &row) { return row.shape; }
static std::string typesOf(const Row &row) { return row.types; }

static std::string describe(const Row &row, const std::vector<Row> &rows) {
  return padded(nameOf(row), widthOf(rows, nameOf)) +
         padded(row.shape, widthOf(rows, shapeOf)) +
         padded(row.types, widthOf(rows, typesOf));
}

static const char *numbersText(Outcome::Numbers numbers) {
  switch (numbers) {
  case Outcome::Numbers::Right:
    return "right";
  case Outcome::Numbers::Wrong:
    return "WRONG";
  case Outcome::Numbers::NotRun:
    return "FAILED";
  }
  return "";
}

void amp::bench::printNumbers(std::ostream &out, const std::vector<Row> &rows) {
  int counts[3] = {0, 0, 0};
  for (const Row &row : rows) {
    ++counts[static_cast<int>(row.outcome.numbers)];
    out << describe(row, rows) << numbersText(row.outcome.numbers);
    if (!row.outcome.detail.empty())
      out << ": " << row.outcome.detail;
    out << "\n";
  }
  out << "numbers: " << counts[1] << " right, " << counts[2] << " wrong, "
      << counts[0] << " not run\n";
}

static std::string number(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

/// "612.3 (605.0..618.9)".
static std::string rate(const Row &row, const Times &times) {
  return number("%.4g", tflops(row, times.median())) + " (" +
         number("%.4g", tflops(row, times.most())) + ".." +
         number("%.4g", tflops(row, times.least())) + ")";
}

void amp::bench::printTimes(std::ostream &out, const std::vector<Row> &rows) {
  out << "\nTFLOP/s: median (lowest..highest round)\n";
  for (const Row &row : rows) {
    if (row.outcome.numbers != Outcome::Numbers::Right)
      continue;
    out << describe(row, rows) << padded(rate(row, row.outcome.kernel), 34);
    if (row.outcome.baselineName)
      out << row.outcome.baselineName << " "
          << padded(rate(row, row.outcome.baseline), 34)
          << number("x%.3f", ratioOf(row));
    else
      out << row.outcome.baselineReason;
    out << "\n";
  }
  for (const Mean &mean : means) {
    int count = 0;
    double value = geometricMean(mean, rows, count);
    if (!count)
      continue;
    out << "geometric mean, " << mean.name << ": " << number("x%.3f", value)
        << " of " << count;
    if (mean.goal > 0)
      out << " (goal " << number("x%.1f", mean.goal) << ")";
    out << "\n";
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json timesOf(const Row &row, const Times &times) {
  return {{"milliseconds", times.median()},
          {"tflops", tflops(row, times.median())},
          {"tflops_lowest", tflops(row, times.most())},
          {"tflops_highest", tflops(row, times.least())},
          {"rounds", times.rounds.size()}};
}

static void printLine(std::ostream &out, const json &line) {
  // Names come from files: what is no UTF-8 is replaced.
  out << line.dump(-1, ' ', false, json::error_handler_t::replace) << "\n";
}

void amp::bench::printJson(std::ostream &out, AmpRtDevice *device,
                           const std::vector<Row> &rows) {
  AmpRtDeviceProperties properties;
  properties.structSize = sizeof(properties);
  json first = {{"device", ampRtDeviceName(device)}};
  if (ampRtDeviceGetProperties(device, &properties) == AMP_RT_OK) {
    first["model"] = properties.model;
    first["processors"] = properties.processors;
  }
  printLine(out, first);
  for (const Row &row : rows) {
    const char *texts[] = {"not run", "right", "wrong"};
    json line = {{"name", row.kernel->name},
                 {"family", row.kernel->family},
                 {"shape", row.shape},
                 {"types", row.types},
                 {"tile", row.kernel->tile},
                 {"numbers", texts[static_cast<int>(row.outcome.numbers)]}};
    if (!row.outcome.detail.empty())
      line["detail"] = row.outcome.detail;
    if (!row.outcome.kernel.rounds.empty())
      line["kernel"] = timesOf(row, row.outcome.kernel);
    if (!row.outcome.baseline.rounds.empty()) {
      line["baseline"] = timesOf(row, row.outcome.baseline);
      line["baseline"]["name"] = row.outcome.baselineName;
      line["ratio"] = ratioOf(row);
    } else if (!row.outcome.baselineReason.empty()) {
      line["baseline_reason"] = row.outcome.baselineReason;
    }
    printLine(out, line);
  }
  json last = json::object();
  for (const Mean &mean : means) {
    int count = 0;
    double value = geometricMean(mean, rows, count);
    if (count)
      last[mean.name] = {{"ratio", value}, {"kernels", count}};
  }
  printLine(out, {{"geometric_means", last}});
}
