//===-- ConvolutionProblem.cpp - Convolutions and their reference ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include <cmath>

using namespace amp::bench;

// Images, filters and channels repeat with these periods, filters and channels
// within their group, and groups with a period of 2.
static constexpr int64_t kImages = 3, kFilters = 13, kChannels = 11;

ConvolutionProblem::ConvolutionProblem(const KernelEntry &kernel,
                                       std::string &failure) {
  ObjectReader reader(kernel.problem, "kernel '" + kernel.name + "': problem",
                      failure);
  std::string word = reader.text("direction");
  direction = word == "forward"         ? Direction::Forward
              : word == "data-gradient" ? Direction::DataGradient
                                        : Direction::WeightGradient;
  if (word != "forward" && word != "data-gradient" && word != "weight-gradient")
    reader.fail("direction", "one of forward, data-gradient, weight-gradient");
  std::string format = reader.text("format");
  isNhwc = format == "nhwc";
  if (format != "nhwc" && format != "nchw")
    reader.fail("format", "one of nhwc, nchw");
  const std::pair<const char *, int64_t *> sizes[] = {
      {"n", &n}, {"h", &h}, {"w", &w}, {"c", &c},
      {"k", &k}, {"r", &r}, {"s", &s}, {"groups", &groups}};
  for (auto [key, size] : sizes) {
    *size = reader.number(key);
    if (*size < 1)
      reader.fail(key, "at least 1");
  }
  stride = reader.numbers("stride", 2, 2);
  padding = reader.numbers("padding", 2, 4);
  dilation = reader.numbers("dilation", 2, 2);
  x = reader.type("x");
  f = reader.type("f");
  y = reader.type("y");
  if (!failure.empty())
    return;
  if (c % groups || k % groups)
    reader.fail("groups", "a divisor of c and k");
  if (stride[0] < 1 || stride[1] < 1 || dilation[0] < 1 || dilation[1] < 1)
    reader.fail("stride", "strides and dilations of at least 1");
  if (!failure.empty())
    return;
  if (padding.size() == 3)
    reader.fail("padding", "2 sizes or 4");
  else if (padding.size() == 2)
    padding.insert(padding.end(), {padding[0], padding[1]});
  for (int64_t side : padding)
    if (side < 0)
      reader.fail("padding", "at least 0");
  if (!failure.empty())
    return;
  int64_t rowsLeft = h + padding[0] + padding[2] - dilation[0] * (r - 1) - 1;
  int64_t columnsLeft = w + padding[1] + padding[3] - dilation[1] * (s - 1) - 1;
  if (rowsLeft < 0 || columnsLeft < 0)
    reader.fail("r", "a filter that is not larger than the image");
  if (!failure.empty())
    return;
  p = rowsLeft / stride[0] + 1;
  q = columnsLeft / stride[1] + 1;
  Tensor tensors[] = {{"x", x, n * c * h * w},
                      {"f", f, k * (c / groups) * r * s},
                      {"y", y, n * k * p * q}};
  int out = direction == Direction::Forward        ? 2
            : direction == Direction::DataGradient ? 0
                                                   : 1;
  output = tensors[out];
  for (int i = 0; i < 3; ++i)
    if (i != out)
      inputs.push_back(tensors[i]);
}

std::string ConvolutionProblem::shape() const {
  const char *names[] = {"fwd", "dgrad", "wgrad"};
  std::string text = std::to_string(n) + "x" + std::to_string(h) + "x" +
                     std::to_string(w) + "x" + std::to_string(c) + " * " +
                     std::to_string(k) + "x" + std::to_string(r) + "x" +
                     std::to_string(s);
  if (stride[0] != 1 || stride[1] != 1)
    text += "/" + std::to_string(stride[0]);
  if (groups > 1)
    text += " g" + std::to_string(groups);
  return text + (isNhwc ? " nhwc " : " nchw ") +
         names[static_cast<int>(direction)];
}

//===----------------------------------------------------------------------===//
// Where elements lie
//===----------------------------------------------------------------------===//

ConvolutionProblem::Coordinates
ConvolutionProblem::locate(const Tensor &tensor, int64_t element) const {
  char name = tensor.name[0];
  int64_t channels = name == 'x' ? c : name == 'f' ? c / groups : k;
  int64_t height = name == 'x' ? h : name == 'f' ? r : p;
  int64_t width = name == 'x' ? w : name == 'f' ? s : q;
  Coordinates at;
  int64_t rest = element;
  auto take = [&rest](int64_t size) {
    int64_t result = rest % size;
    rest /= size;
    return result;
  };
  if (isNhwc)
    at.channel = take(channels);
  at.column = take(width);
  at.row = take(height);
  if (!isNhwc)
    at.channel = take(channels);
  at.outer = rest;
  return at;
}

Problem::Place ConvolutionProblem::placeOf(int64_t element) const {
  Coordinates at = locate(output, element);
  char name = output.name[0];
  int64_t height = name == 'x' ? h : name == 'f' ? r : p;
  int64_t width = name == 'x' ? w : name == 'f' ? s : q;
  return {(at.outer * height + at.row) * width + at.column,
          at.channel,
          {at.outer, at.channel, at.row, at.column}};
}

int64_t ConvolutionProblem::columns() const {
  char name = output.name[0];
  return name == 'x' ? c : name == 'f' ? c / groups : k;
}

int64_t ConvolutionProblem::rows() const { return output.elements / columns(); }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static uint64_t keyOf(uint64_t tensor, int64_t a, int64_t b, int64_t c,
                      int64_t d) {
  return tensor << 62 | static_cast<uint64_t>(a) << 44 |
         static_cast<uint64_t>(b) << 28 | static_cast<uint64_t>(c) << 14 |
         static_cast<uint64_t>(d);
}

/// A channel or filter within its group, repeating if it is not summed over;
/// and the group.
static int64_t classOf(int64_t index, int64_t groupSize, int64_t period) {
  int64_t inGroup = index % groupSize, group = index / groupSize;
  return (period ? inGroup % period : inGroup) * 2 + group % 2;
}

int ConvolutionProblem::valueX(int64_t image, int64_t channel, int64_t row,
                               int64_t column) const {
  bool isSummed = direction == Direction::WeightGradient; // over images
  return smallInteger(
      keyOf(0, isSummed ? image : image % kImages,
            classOf(channel, c / groups, isSummed ? kChannels : 0), row,
            column),
      spanOf(x, f));
}

int ConvolutionProblem::valueF(int64_t filter, int64_t channel, int64_t row,
                               int64_t column) const {
  bool isForward = direction == Direction::Forward; // summed over channels
  return smallInteger(
      keyOf(1, classOf(filter, k / groups, isForward ? kFilters : 0),
            isForward ? channel : channel % kChannels, row, column),
      spanOf(x, f));
}

int ConvolutionProblem::valueY(int64_t image, int64_t filter, int64_t row,
                               int64_t column) const {
  bool isSummed = direction == Direction::WeightGradient;
  return smallInteger(
      keyOf(2, isSummed ? image : image % kImages,
            classOf(filter, k / groups, isSummed ? kFilters : 0), row, column),
      spanOf(x, f));
}

std::vector<unsigned char> ConvolutionProblem::fill(const Tensor &input) const {
  std::vector<unsigned char> result(
      static_cast<size_t>(input.elements * typeBytes(input.type)));
  uint32_t codes[5];
  for (int value = -2; value <= 2; ++value)
    codes[value + 2] = encode(input.type, value);
  for (int64_t i = 0; i < input.elements; ++i) {
    Coordinates at = locate(input, i);
    int value =
        input.name == "x"   ? valueX(at.outer, at.channel, at.row, at.column)
        : input.name == "f" ? valueF(at.outer, at.channel, at.row, at.column)
                            : valueY(at.outer, at.channel, at.row, at.column);
    store(result.data(), input.type, i, codes[value + 2]);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

double ConvolutionProblem::sumForward(const Coordinates &at) const {
  int64_t perGroup = c / groups, group = at.channel / (k / groups);
  double sum = 0;
  for (int64_t i = 0; i < r; ++i)
    for (int64_t j = 0; j < s; ++j) {
      int64_t row = at.row * stride[0] - padding[0] + i * dilation[0];
      int64_t column = at.column * stride[1] - padding[1] + j * dilation[1];
      if (row < 0 || row >= h || column < 0 || column >= w)
        continue;
      for (int64_t l = 0; l < perGroup; ++l)
        sum += valueX(at.outer, group * perGroup + l, row, column) *
               valueF(at.channel, l, i, j);
    }
  return sum;
}

double ConvolutionProblem::sumDataGradient(const Coordinates &at) const {
  int64_t perGroup = c / groups, filters = k / groups;
  int64_t group = at.channel / perGroup;
  double sum = 0;
  for (int64_t i = 0; i < r; ++i)
    for (int64_t j = 0; j < s; ++j) {
      int64_t row = at.row + padding[0] - i * dilation[0];
      int64_t column = at.column + padding[1] - j * dilation[1];
      if (row < 0 || column < 0 || row % stride[0] || column % stride[1])
        continue;
      row /= stride[0];
      column /= stride[1];
      if (row >= p || column >= q)
        continue;
      for (int64_t l = 0; l < filters; ++l)
        sum += valueY(at.outer, group * filters + l, row, column) *
               valueF(group * filters + l, at.channel % perGroup, i, j);
    }
  return sum;
}

double ConvolutionProblem::sumWeightGradient(const Coordinates &at) const {
  int64_t channel = at.outer / (k / groups) * (c / groups) + at.channel;
  double sum = 0;
  for (int64_t image = 0; image < n; ++image)
    for (int64_t i = 0; i < p; ++i) {
      int64_t row = i * stride[0] - padding[0] + at.row * dilation[0];
      if (row < 0 || row >= h)
        continue;
      for (int64_t j = 0; j < q; ++j) {
        int64_t column = j * stride[1] - padding[1] + at.column * dilation[1];
        if (column >= 0 && column < w)
          sum += valueY(image, at.outer, i, j) *
                 valueX(image, channel, row, column);
      }
    }
  return sum;
}

bool ConvolutionProblem::expected(int64_t element, double &sum) const {
  Coordinates at = locate(output, element);
  int64_t height = direction == Direction::Forward        ? p
                   : direction == Direction::DataGradient ? h
                                                          : r;
  int64_t width = direction == Direction::Forward        ? q
                  : direction == Direction::DataGradient ? w
                                                         : s;
  int64_t outer, inner;
  switch (direction) {
  case Direction::Forward:
    outer = at.outer % kImages;
    inner = classOf(at.channel, k / groups, kFilters);
    break;
  case Direction::DataGradient:
    outer = at.outer % kImages;
    inner = classOf(at.channel, c / groups, kChannels);
    break;
  case Direction::WeightGradient:
    outer = classOf(at.outer, k / groups, kFilters);
    inner = at.channel % kChannels;
    break;
  }
  if (sums.empty())
    sums.assign(
        static_cast<size_t>(2 * kFilters * 2 * kFilters * height * width),
        std::nan(""));
  double &known = sums[static_cast<size_t>(
      ((outer * 2 * kFilters + inner) * height + at.row) * width + at.column)];
  if (std::isnan(known))
    known = direction == Direction::Forward        ? sumForward(at)
            : direction == Direction::DataGradient ? sumDataGradient(at)
                                                   : sumWeightGradient(at);
  sum = known;
  return true;
}
