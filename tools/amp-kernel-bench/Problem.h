//===-- Problem.h - What a kernel has to compute -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs are small integers, so that sums are exact in f32 in any order and a
// result must equal the f64 sum, rounded once, bit for bit. To check every
// element of a large result, rows of A and columns of B (images and channels of
// a convolution) repeat with prime periods: a reference of a few million
// products covers all of it, and an element that is in the wrong place, by a
// tile or less, still differs.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TOOLS_AMP_KERNEL_BENCH_PROBLEM_H
#define AMP_TOOLS_AMP_KERNEL_BENCH_PROBLEM_H

#include "KernelIndex.h"

#include <memory>
#include <vector>

namespace amp::bench {

struct Tensor {
  std::string name;
  Type type;
  int64_t elements;
};

/// Bytes that no kernel writes: a NaN in every type.
inline constexpr int kPoison = 0xff;

class Problem {
public:
  virtual ~Problem() = default;

  /// Inputs, then the output.
  std::vector<Tensor> inputs;
  Tensor output;

  /// "8192x8192x8192 nt".
  virtual std::string shape() const = 0;
  /// Floating-point operations.
  virtual double work() const = 0;
  /// The integers of an input; what lies between rows is poison.
  virtual std::vector<unsigned char> fill(const Tensor &input) const = 0;
  /// Computes the reference.
  virtual void prepareCheck() = 0;
  /// Compares a result; returns the first difference, or an empty text.
  std::string check(const std::vector<unsigned char> &result) const;

  /// The kernel's epilogue, and the kind of each operand ("column", ...).
  std::vector<EpilogueStep> epilogue;
  std::vector<std::pair<std::string, std::string>> operands;
  /// Elements of an operand of that kind, and its integers.
  int64_t operandElements(const std::string &kind) const;
  std::vector<unsigned char> fillOperand(const Argument &operand) const;

protected:
  /// Where an element lies in the result's matrix, for the epilogue.
  struct Place {
    int64_t row, column;
    std::vector<int64_t> coordinates; ///< for texts
  };
  /// The sum at an element, or false if it lies between rows.
  virtual bool expected(int64_t element, double &sum) const = 0;
  virtual Place placeOf(int64_t element) const = 0;
  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;

private:
  double applyEpilogue(double sum, int64_t element) const;
};

/// Integers from -`span` to `span` that look random.
int smallInteger(uint64_t key, int span);
/// What stays exact: sums of 8-bit products keep fewer bits on the way.
inline int spanOf(Type a, Type b) { return isByte(a) || isByte(b) ? 1 : 2; }

/// Null, and what is wrong in `failure`.
std::unique_ptr<Problem> createProblem(const KernelEntry &kernel,
                                       std::string &failure);

struct GemmProblem : Problem {
  int64_t m, n, k, batch, lda, ldb, ldd;
  Type a, b, d;
  bool isTransposedA, isTransposedB;

  GemmProblem(const KernelEntry &kernel, std::string &failure);
  std::string shape() const override;
  double work() const override { return 2.0 * batch * m * n * k; }
  std::vector<unsigned char> fill(const Tensor &input) const override;
  void prepareCheck() override;

protected:
  bool expected(int64_t element, double &sum) const override;
  Place placeOf(int64_t element) const override;
  int64_t rows() const override { return batch * m; }
  int64_t columns() const override { return n; }

private:
  int valueA(int64_t rowClass, int64_t l) const;
  int valueB(int64_t columnClass, int64_t l) const;

  std::vector<double> sums; ///< by row and column class
};

struct ConvolutionProblem : Problem {
  enum class Direction { Forward, DataGradient, WeightGradient };
  Direction direction;
  bool isNhwc;
  int64_t n, h, w, c, k, r, s, p, q, groups;
  std::vector<int64_t> stride, dilation;
  std::vector<int64_t> padding; ///< top, left, bottom, right
  Type x, f, y;

  ConvolutionProblem(const KernelEntry &kernel, std::string &failure);
  std::string shape() const override;
  double work() const override {
    return 2.0 * n * p * q * k * (c / groups) * r * s;
  }
  std::vector<unsigned char> fill(const Tensor &input) const override;
  void prepareCheck() override {}

protected:
  bool expected(int64_t element, double &sum) const override;
  Place placeOf(int64_t element) const override;
  int64_t rows() const override;
  int64_t columns() const override;

private:
  struct Coordinates {
    int64_t outer, channel, row, column;
  };
  Coordinates locate(const Tensor &tensor, int64_t element) const;
  int valueX(int64_t image, int64_t channel, int64_t row, int64_t column) const;
  int valueF(int64_t filter, int64_t channel, int64_t row,
             int64_t column) const;
  int valueY(int64_t image, int64_t filter, int64_t row, int64_t column) const;
  double sumForward(const Coordinates &at) const;
  double sumDataGradient(const Coordinates &at) const;
  double sumWeightGradient(const Coordinates &at) const;

  /// By class of an output element; NaN where not computed yet.
  mutable std::vector<double> sums;
};

} // namespace amp::bench

#endif // AMP_TOOLS_AMP_KERNEL_BENCH_PROBLEM_H
