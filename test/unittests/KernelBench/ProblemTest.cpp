//===-- ProblemTest.cpp - References against plain loops ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The references fold rows, columns, images and channels that repeat. Here
// results are computed from the tensors' bytes by loops that know nothing of
// it; the check must take them, and refuse what is changed by one element.
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include <gtest/gtest.h>

using namespace amp::bench;
using nlohmann::json;

namespace {

using Bytes = std::vector<unsigned char>;

std::unique_ptr<Problem> problemOf(const char *family, const json &problem,
                                   std::string *failure = nullptr) {
  KernelEntry kernel;
  kernel.name = "k";
  kernel.family = family;
  kernel.problem = problem;
  std::string text;
  std::unique_ptr<Problem> result = createProblem(kernel, text);
  if (failure)
    *failure = text;
  else
    EXPECT_EQ(text, "");
  return result;
}

double at(const Problem &problem, const Bytes &bytes, size_t input,
          int64_t index) {
  Type type = problem.inputs[input].type;
  return decode(type, load(bytes.data(), type, index));
}

Bytes poisoned(const Tensor &tensor) {
  return Bytes(static_cast<size_t>(tensor.elements * typeBytes(tensor.type)),
               kPoison);
}

/// The check takes `result`, and sees any element that is another.
void expectRight(Problem &problem, const Bytes &result) {
  problem.prepareCheck();
  EXPECT_EQ(problem.check(result), "") << problem.shape();
  for (int64_t i :
       {INT64_C(0), problem.output.elements / 3, problem.output.elements - 1}) {
    Bytes changed = result;
    uint32_t bits = load(changed.data(), problem.output.type, i);
    store(changed.data(), problem.output.type, i,
          encode(problem.output.type,
                 decode(problem.output.type, bits) == 77 ? 5 : 77));
    EXPECT_NE(problem.check(changed).find("(1 of "), std::string::npos) << i;
  }
  EXPECT_NE(problem.check(poisoned(problem.output)).find("is not written"),
            std::string::npos);
}

} // namespace

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

static Bytes multiply(const GemmProblem &p) {
  Bytes a = p.fill(p.inputs[0]), b = p.fill(p.inputs[1]);
  Bytes d = poisoned(p.output);
  for (int64_t z = 0; z < p.batch; ++z)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < p.k; ++l)
          sum += at(p, a, 0,
                    p.isTransposedA ? (z * p.k + l) * p.lda + i
                                    : (z * p.m + i) * p.lda + l) *
                 at(p, b, 1,
                    p.isTransposedB ? (z * p.n + j) * p.ldb + l
                                    : (z * p.k + l) * p.ldb + j);
        store(d.data(), p.d, (z * p.m + i) * p.ldd + j, encode(p.d, sum));
      }
  return d;
}

TEST(GemmProblem, AgreesWithPlainLoops) {
  for (const char *layout : {"nn", "nt", "tn", "tt"})
    for (int batch : {1, 3}) {
      auto problem = problemOf("gemm", {{"m", 130},
                                        {"n", 121},
                                        {"k", 40},
                                        {"batch", batch},
                                        {"a", "bf16"},
                                        {"b", "bf16"},
                                        {"d", "f16"},
                                        {"layout", layout},
                                        {"lda", 144},
                                        {"ldb", 136},
                                        {"ldd", 128}});
      ASSERT_TRUE(problem);
      expectRight(*problem, multiply(static_cast<GemmProblem &>(*problem)));
    }
}

TEST(GemmProblem, EightBitsStaySmall) {
  auto problem = problemOf("gemm", {{"m", 20},
                                    {"n", 9},
                                    {"k", 64},
                                    {"a", "f8E4M3FN"},
                                    {"b", "f8E5M2"},
                                    {"d", "f32"},
                                    {"layout", "nt"}});
  ASSERT_TRUE(problem);
  Bytes a = problem->fill(problem->inputs[0]);
  for (int64_t i = 0; i < problem->inputs[0].elements; ++i)
    EXPECT_LE(std::abs(at(*problem, a, 0, i)), 1);
  expectRight(*problem, multiply(static_cast<GemmProblem &>(*problem)));
}

TEST(GemmProblem, AnEmptySumIsZero) {
  auto problem = problemOf("gemm", {{"m", 3},
                                    {"n", 4},
                                    {"k", 0},
                                    {"a", "f16"},
                                    {"b", "f16"},
                                    {"d", "f16"},
                                    {"layout", "nn"}});
  ASSERT_TRUE(problem);
  problem->prepareCheck();
  EXPECT_EQ(problem->check(Bytes(24, 0)), "");
  EXPECT_EQ(problem->check(Bytes(24, kPoison)),
            "d[0, 0] is not written, expected 0 (12 of 12 elements are wrong)");
}

// What a kernel writes behind a row's end is found, too.
TEST(GemmProblem, PaddingStaysUntouched) {
  auto problem = problemOf("gemm", {{"m", 2},
                                    {"n", 3},
                                    {"k", 8},
                                    {"a", "f16"},
                                    {"b", "f16"},
                                    {"d", "f32"},
                                    {"layout", "nn"},
                                    {"ldd", 4}});
  ASSERT_TRUE(problem);
  Bytes d = multiply(static_cast<GemmProblem &>(*problem));
  problem->prepareCheck();
  EXPECT_EQ(problem->check(d), "");
  store(d.data(), Type::F32, 3, 0);
  EXPECT_EQ(problem->check(d),
            "wrote 0 between rows, at d[3] (1 of 8 elements are wrong)");
}

TEST(GemmProblem, Epilogues) {
  KernelEntry kernel;
  kernel.name = "k";
  kernel.family = "gemm";
  kernel.problem = {{"m", 5},     {"n", 7},     {"k", 16},       {"a", "f16"},
                    {"b", "f16"}, {"d", "f32"}, {"layout", "nn"}};
  kernel.epilogue = {{EpilogueStep::Op::Add, "operand0"},
                     {EpilogueStep::Op::Mul, "operand1"},
                     {EpilogueStep::Op::Add, "operand2"},
                     {EpilogueStep::Op::Relu, ""}};
  Launch launch;
  const std::pair<const char *, int64_t> operands[] = {
      {"column", 7}, {"row", 5}, {"matrix", 35}};
  for (auto [kind, elements] : operands) {
    Argument argument;
    argument.kind = Argument::Kind::Buffer;
    argument.name = "operand" + std::to_string(launch.arguments.size());
    argument.operand = kind;
    argument.elements = elements;
    launch.arguments.push_back(argument);
  }
  kernel.launches = {launch};
  std::string failure;
  auto problem = createProblem(kernel, failure);
  ASSERT_TRUE(problem) << failure;
  Bytes d = multiply(static_cast<GemmProblem &>(*problem));
  std::vector<Bytes> values;
  for (const Argument &argument : launch.arguments)
    values.push_back(problem->fillOperand(argument));
  for (int64_t i = 0; i < 35; ++i) {
    auto value = [&](size_t operand, int64_t index) {
      return decode(Type::F32, load(values[operand].data(), Type::F32, index));
    };
    double sum = decode(Type::F32, load(d.data(), Type::F32, i));
    sum = (sum + value(0, i % 7)) * value(1, i / 7) + value(2, i);
    store(d.data(), Type::F32, i, encode(Type::F32, sum > 0 ? sum : 0));
  }
  expectRight(*problem, d);

  kernel.launches[0].arguments[0].elements = 6;
  EXPECT_FALSE(createProblem(kernel, failure));
  EXPECT_EQ(
      failure,
      "kernel 'k': expected operand 'operand0' to be of kind column, row, "
      "matrix or scalar with as many elements, but got 'column' with 6");
  kernel.launches.clear();
  failure.clear();
  EXPECT_FALSE(createProblem(kernel, failure));
  EXPECT_EQ(failure,
            "kernel 'k': expected an argument of a launch to be the epilogue's "
            "operand 'operand0', but there is none");
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// Index of an element of x, f or y in the problem's format.
struct Format {
  const ConvolutionProblem &p;
  int64_t index(int64_t outer, int64_t channel, int64_t row, int64_t column,
                int64_t channels, int64_t height, int64_t width) const {
    if (p.isNhwc)
      return ((outer * height + row) * width + column) * channels + channel;
    return ((outer * channels + channel) * height + row) * width + column;
  }
  int64_t x(int64_t n, int64_t c, int64_t i, int64_t j) const {
    return index(n, c, i, j, p.c, p.h, p.w);
  }
  int64_t f(int64_t k, int64_t c, int64_t i, int64_t j) const {
    return index(k, c, i, j, p.c / p.groups, p.r, p.s);
  }
  int64_t y(int64_t n, int64_t k, int64_t i, int64_t j) const {
    return index(n, k, i, j, p.k, p.p, p.q);
  }
};

/// Adds up every product of the convolution where the direction wants it.
Bytes convolve(const ConvolutionProblem &p) {
  Format format{p};
  Bytes first = p.fill(p.inputs[0]), second = p.fill(p.inputs[1]);
  std::vector<double> sums(static_cast<size_t>(p.output.elements), 0);
  using Direction = ConvolutionProblem::Direction;
  int64_t perGroup = p.c / p.groups, filters = p.k / p.groups;
  for (int64_t n = 0; n < p.n; ++n)
    for (int64_t k = 0; k < p.k; ++k)
      for (int64_t i = 0; i < p.p * p.q; ++i)
        for (int64_t c = 0; c < perGroup; ++c)
          for (int64_t t = 0; t < p.r * p.s; ++t) {
            int64_t row =
                i / p.q * p.stride[0] - p.padding[0] + t / p.s * p.dilation[0];
            int64_t column =
                i % p.q * p.stride[1] - p.padding[1] + t % p.s * p.dilation[1];
            if (row < 0 || row >= p.h || column < 0 || column >= p.w)
              continue;
            int64_t x = format.x(n, k / filters * perGroup + c, row, column);
            int64_t f = format.f(k, c, t / p.s, t % p.s);
            int64_t y = format.y(n, k, i / p.q, i % p.q);
            switch (p.direction) {
            case Direction::Forward:
              sums[static_cast<size_t>(y)] +=
                  at(p, first, 0, x) * at(p, second, 1, f);
              break;
            case Direction::DataGradient:
              sums[static_cast<size_t>(x)] +=
                  at(p, first, 0, f) * at(p, second, 1, y);
              break;
            case Direction::WeightGradient:
              sums[static_cast<size_t>(f)] +=
                  at(p, first, 0, x) * at(p, second, 1, y);
              break;
            }
          }
  Bytes result = poisoned(p.output);
  for (size_t i = 0; i < sums.size(); ++i)
    store(result.data(), p.output.type, static_cast<int64_t>(i),
          encode(p.output.type, sums[i]));
  return result;
}

json convolution(const char *direction, const char *format) {
  return {{"direction", direction},
          {"format", format},
          {"n", 4},
          {"h", 9},
          {"w", 7},
          {"c", 12},
          {"k", 30},
          {"r", 3},
          {"s", 2},
          {"stride", {2, 1}},
          {"padding", {1, 2}},
          {"dilation", {1, 2}},
          {"groups", 1},
          {"x", "bf16"},
          {"f", "bf16"},
          {"y", "bf16"}};
}

} // namespace

TEST(ConvolutionProblem, AgreesWithPlainLoops) {
  for (const char *direction : {"forward", "data-gradient", "weight-gradient"})
    for (const char *format : {"nhwc", "nchw"})
      for (int groups : {1, 3}) {
        json description = convolution(direction, format);
        description["groups"] = groups;
        auto problem = problemOf("convolution", description);
        ASSERT_TRUE(problem);
        expectRight(*problem,
                    convolve(static_cast<ConvolutionProblem &>(*problem)));
      }
}

TEST(ConvolutionProblem, Depthwise) {
  for (const char *direction :
       {"forward", "data-gradient", "weight-gradient"}) {
    json description = convolution(direction, "nhwc");
    description["k"] = description["groups"] = 12;
    auto problem = problemOf("convolution", description);
    ASSERT_TRUE(problem);
    expectRight(*problem,
                convolve(static_cast<ConvolutionProblem &>(*problem)));
  }
}

TEST(ConvolutionProblem, Refusals) {
  const std::tuple<const char *, json, const char *> changes[] = {
      {"direction", "back",
       "kernel 'k': problem.direction: expected one of forward, data-gradient, "
       "weight-gradient, but got \"back\""},
      {"format", "chwn",
       "kernel 'k': problem.format: expected one of nhwc, nchw, but got "
       "\"chwn\""},
      {"n", 0, "kernel 'k': problem.n: expected at least 1, but got 0"},
      {"groups", 5,
       "kernel 'k': problem.groups: expected a divisor of c and k, but got 5"},
      {"stride",
       {0, 1},
       "kernel 'k': problem.stride: expected strides and dilations of at least "
       "1, but got [0,1]"},
      {"padding",
       {1},
       "kernel 'k': problem.padding: expected 2 to 4 integers, but got [1]"},
      {"padding",
       {1, -1},
       "kernel 'k': problem.padding: expected at least 0, but got [1,-1]"},
      {"r", 12,
       "kernel 'k': problem.r: expected a filter that is not larger than the "
       "image, but got 12"},
      {"x", "f64",
       "kernel 'k': problem.x: expected one of f16, bf16, f32, f8E4M3FN, "
       "f8E5M2, tf32, but got \"f64\""}};
  for (auto &[key, value, text] : changes) {
    json description = convolution("forward", "nhwc");
    description[key] = value;
    std::string failure;
    EXPECT_FALSE(problemOf("convolution", description, &failure));
    EXPECT_EQ(failure, text);
  }
}

TEST(GemmProblem, Refusals) {
  const std::tuple<const char *, json, const char *> changes[] = {
      {"m", -1,
       "kernel 'k': problem.m: expected a size from 0 to 2^31, but got -1"},
      {"batch", 0, "kernel 'k': problem.batch: expected at least 1, but got 0"},
      {"lda", 7,
       "kernel 'k': problem.lda: expected 0 or at least 8, but got 7"},
      {"k", "8", "kernel 'k': problem.k: expected an integer, but got \"8\""}};
  for (auto &[key, value, text] : changes) {
    json description = {{"m", 4},        {"n", 4},     {"k", 8},
                        {"a", "f16"},    {"b", "f16"}, {"d", "f16"},
                        {"layout", "nn"}};
    description[key] = value;
    std::string failure;
    EXPECT_FALSE(problemOf("gemm", description, &failure));
    EXPECT_EQ(failure, text);
  }
}
