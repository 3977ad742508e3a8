//===-- GemmProblem.cpp - Matrix products and their reference ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include <algorithm>
#include <cstring>

using namespace amp::bench;

// Primes, so that no tile is a multiple of them.
static constexpr int64_t kRowClasses = 113, kColumnClasses = 109;

static int64_t rowClassOf(int64_t batch, int64_t row) {
  return (row + 17 * batch) % kRowClasses;
}
static int64_t columnClassOf(int64_t batch, int64_t column) {
  return (column + 29 * batch) % kColumnClasses;
}

int GemmProblem::valueA(int64_t rowClass, int64_t l) const {
  return smallInteger(static_cast<uint64_t>(rowClass << 40 | l), spanOf(a, b));
}
int GemmProblem::valueB(int64_t columnClass, int64_t l) const {
  return smallInteger(static_cast<uint64_t>((columnClass + 1000) << 40 | l),
                      spanOf(a, b));
}

GemmProblem::GemmProblem(const KernelEntry &kernel, std::string &failure) {
  ObjectReader reader(kernel.problem, "kernel '" + kernel.name + "': problem",
                      failure);
  m = reader.number("m");
  n = reader.number("n");
  k = reader.number("k");
  batch = reader.number("batch", 1);
  a = reader.type("a");
  b = reader.type("b");
  d = reader.type("d");
  std::string layout = reader.text("layout");
  if (layout != "nn" && layout != "nt" && layout != "tn" && layout != "tt")
    reader.fail("layout", "one of nn, nt, tn, tt");
  for (const char *size : {"m", "n", "k"})
    if (failure.empty() &&
        (reader.number(size) < 0 || reader.number(size) > INT64_C(1) << 31))
      reader.fail(size, "a size from 0 to 2^31");
  if (batch < 1)
    reader.fail("batch", "at least 1");
  if (!failure.empty())
    return;
  isTransposedA = layout[0] == 't';
  isTransposedB = layout[1] == 't';
  auto stride = [&](const char *key, int64_t dense) {
    int64_t value = reader.number(key, 0);
    if (value != 0 && value < dense)
      reader.fail(key, "0 or at least " + std::to_string(dense));
    return value ? value : dense;
  };
  lda = stride("lda", isTransposedA ? m : k);
  ldb = stride("ldb", isTransposedB ? k : n);
  ldd = stride("ldd", n);
  inputs = {{"a", a, batch * (isTransposedA ? k : m) * lda},
            {"b", b, batch * (isTransposedB ? n : k) * ldb}};
  output = {"d", d, batch * m * ldd};
}

std::string GemmProblem::shape() const {
  std::string text =
      std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  if (batch > 1)
    text = std::to_string(batch) + "*" + text;
  return text + " " + (isTransposedA ? 't' : 'n') + (isTransposedB ? 't' : 'n');
}

std::vector<unsigned char> GemmProblem::fill(const Tensor &input) const {
  bool isA = input.name == "a";
  bool isTransposed = isA ? isTransposedA : isTransposedB;
  // Rows as stored; which index runs along them.
  int64_t outer = isA ? (isTransposed ? k : m) : (isTransposed ? n : k);
  int64_t inner = isA ? (isTransposed ? m : k) : (isTransposed ? k : n);
  int64_t stride = isA ? lda : ldb;
  bool isInnerK = isA != isTransposed;
  std::vector<unsigned char> result(
      static_cast<size_t>(input.elements * typeBytes(input.type)), kPoison);
  uint32_t codes[5];
  for (int value = -2; value <= 2; ++value)
    codes[value + 2] = encode(input.type, value);
  for (int64_t z = 0; z < batch; ++z)
    for (int64_t i = 0; i < outer; ++i)
      for (int64_t j = 0; j < inner; ++j) {
        int64_t line = isInnerK ? i : j, l = isInnerK ? j : i;
        int value = isA ? valueA(rowClassOf(z, line), l)
                        : valueB(columnClassOf(z, line), l);
        store(result.data(), input.type, (z * outer + i) * stride + j,
              codes[value + 2]);
      }
  return result;
}

void GemmProblem::prepareCheck() {
  // With few rows and one matrix not every class occurs.
  int64_t rowClasses = batch > 1 ? kRowClasses : std::min(m, kRowClasses);
  int64_t columnClasses =
      batch > 1 ? kColumnClasses : std::min(n, kColumnClasses);
  sums.assign(static_cast<size_t>(kRowClasses * kColumnClasses), 0);
  std::vector<double> row(static_cast<size_t>(k)), column(row);
  std::vector<std::vector<float>> rows;
  for (int64_t i = 0; i < rowClasses; ++i) {
    std::vector<float> values(static_cast<size_t>(k));
    for (int64_t l = 0; l < k; ++l)
      values[static_cast<size_t>(l)] = static_cast<float>(valueA(i, l));
    rows.push_back(std::move(values));
  }
  for (int64_t j = 0; j < columnClasses; ++j) {
    for (int64_t l = 0; l < k; ++l)
      column[static_cast<size_t>(l)] = valueB(j, l);
    for (int64_t i = 0; i < rowClasses; ++i) {
      const float *values = rows[static_cast<size_t>(i)].data();
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += static_cast<double>(values[l]) * column[static_cast<size_t>(l)];
      sums[static_cast<size_t>(i * kColumnClasses + j)] = sum;
    }
  }
}

Problem::Place GemmProblem::placeOf(int64_t element) const {
  int64_t row = element / ldd, column = element % ldd;
  if (batch == 1)
    return {row, column, {row, column}};
  return {row, column, {row / m, row % m, column}};
}

bool GemmProblem::expected(int64_t element, double &sum) const {
  int64_t row = element / ldd, column = element % ldd;
  if (column >= n)
    return false;
  int64_t z = row / m;
  sum = sums[static_cast<size_t>(rowClassOf(z, row % m) * kColumnClasses +
                                 columnClassOf(z, column))];
  return true;
}
