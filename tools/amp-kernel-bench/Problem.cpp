//===-- Problem.cpp - What a kernel has to compute ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include <cmath>
#include <cstring>

using namespace amp::bench;

int amp::bench::smallInteger(uint64_t key, int span) {
  // SplitMix64's mixing.
  key += 0x9e3779b97f4a7c15;
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
  key = (key ^ key >> 27) * 0x94d049bb133111eb;
  return static_cast<int>((key ^ key >> 31) % (2 * span + 1)) - span;
}

std::unique_ptr<Problem> amp::bench::createProblem(const KernelEntry &kernel,
                                                   std::string &failure) {
  std::unique_ptr<Problem> problem;
  if (kernel.family == "gemm")
    problem = std::make_unique<GemmProblem>(kernel, failure);
  else
    problem = std::make_unique<ConvolutionProblem>(kernel, failure);
  if (!failure.empty())
    return nullptr;
  problem->epilogue = kernel.epilogue;
  for (const Launch &launch : kernel.launches)
    for (const Argument &argument : launch.arguments) {
      if (argument.operand.empty())
        continue;
      problem->operands.emplace_back(argument.name, argument.operand);
      int64_t needed = problem->operandElements(argument.operand);
      if (failure.empty() && argument.elements != needed)
        failure = "kernel '" + kernel.name + "': expected operand '" +
                  argument.name + "' to be of kind column, row, matrix or " +
                  "scalar with as many elements, but got '" + argument.operand +
                  "' with " + std::to_string(argument.elements);
    }
  for (const EpilogueStep &step : kernel.epilogue) {
    bool isKnown = step.op == EpilogueStep::Op::Relu;
    for (auto &[name, kind] : problem->operands)
      isKnown |= name == step.operand;
    if (failure.empty() && !isKnown)
      failure = "kernel '" + kernel.name +
                "': expected an argument of a launch " +
                "to be the epilogue's operand '" + step.operand +
                "', but there is none";
  }
  return failure.empty() ? std::move(problem) : nullptr;
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

int64_t Problem::operandElements(const std::string &kind) const {
  if (kind == "column")
    return columns();
  if (kind == "row")
    return rows();
  if (kind == "matrix")
    return rows() * columns();
  return kind == "scalar" ? 1 : -1;
}

/// The period keeps the values of large operands cheap.
static int operandValue(int64_t element) {
  return smallInteger(static_cast<uint64_t>(element % 8191) + (7u << 20), 4);
}

std::vector<unsigned char> Problem::fillOperand(const Argument &operand) const {
  int64_t bytes = operand.elements * typeBytes(operand.type);
  std::vector<unsigned char> result(static_cast<size_t>(bytes));
  for (int64_t i = 0; i < operand.elements; ++i)
    store(result.data(), operand.type, i,
          encode(operand.type, operandValue(i)));
  return result;
}

double Problem::applyEpilogue(double sum, int64_t element) const {
  if (epilogue.empty())
    return sum;
  Place place = placeOf(element);
  for (const EpilogueStep &step : epilogue) {
    if (step.op == EpilogueStep::Op::Relu) {
      sum = sum > 0 ? sum : 0;
      continue;
    }
    int64_t index = 0;
    for (auto &[name, kind] : operands)
      if (name == step.operand)
        index = kind == "column"   ? place.column
                : kind == "row"    ? place.row
                : kind == "matrix" ? place.row * columns() + place.column
                                   : 0;
    double value = operandValue(index);
    sum = step.op == EpilogueStep::Op::Add ? sum + value : sum * value;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static std::string describe(Type type, uint32_t bits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.9g", decode(type, bits));
  return text;
}

std::string Problem::check(const std::vector<unsigned char> &result) const {
  int64_t wrong = 0;
  std::string first;
  uint32_t poison = 0xffffffffu >> (32 - 8 * typeBytes(output.type));
  for (int64_t i = 0; i < output.elements; ++i) {
    uint32_t bits = load(result.data(), output.type, i);
    double sum = 0;
    bool isElement = expected(i, sum);
    uint32_t right =
        isElement ? encode(output.type, applyEpilogue(sum, i)) : poison;
    bool bothZero = isElement && decode(output.type, bits) == 0 &&
                    decode(output.type, right) == 0;
    if (bits == right || bothZero)
      continue;
    if (wrong++)
      continue;
    if (!isElement) {
      first = "wrote " + describe(output.type, bits) + " between rows, at " +
              output.name + "[" + std::to_string(i) + "]";
      continue;
    }
    first = output.name + "[";
    for (int64_t coordinate : placeOf(i).coordinates)
      first += (first.back() == '[' ? "" : ", ") + std::to_string(coordinate);
    first += "] is " +
             (bits == poison ? "not written" : describe(output.type, bits)) +
             ", expected " + describe(output.type, right);
  }
  if (wrong)
    first += " (" + std::to_string(wrong) + " of " +
             std::to_string(output.elements) + " elements are wrong)";
  return first;
}
