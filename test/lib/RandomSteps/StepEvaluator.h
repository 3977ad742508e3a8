//===- StepEvaluator.h - What a step computes, in f64 -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets a module as it was before any pass, in f64, and carries beside
// each number a bound of what a program may be off that rounds as a given
// format does: the sum of what its operands are off, through the operation's
// slope over the whole interval, and one rounding more. So the bound holds for
// any order of a sum and for each choice between half and f32, and a comparison
// whose outcome the roundings decide makes the bound as wide as both outcomes
// are apart.
//
// Such bounds add up what cancels, and in a deep network in half they say
// nothing. With `samples` what is a sum of many roundings (losses, gradients,
// sums of updates such as norms) is bounded by what roundings do when they are
// drawn: each operation's result becomes one of its two neighbours in the
// format, at random and right in the mean, as in stochastic arithmetic
// (Parker, Monte Carlo Arithmetic, 1997). That rounds at least as often as any
// program and with at least its variance. Updates stay bounded as above: they
// are no sums (Adam's first is the gradient's sign).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_RANDOMSTEPS_STEPEVALUATOR_H
#define AMP_TEST_RANDOMSTEPS_STEPEVALUATOR_H

#include "Random.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace mlir::amp {

/// A number, and how far a program may be off it.
struct Number {
  double value = 0, error = 0;
  /// Computed from a loss seed.
  bool isScaled = false;
};

/// A tensor, or a scalar as one of rank 0.
struct NumberTensor {
  SmallVector<int64_t> shape;
  std::vector<Number> elements;
};

/// How a format rounds: by `relative` of a number, at least by `absolute`.
struct Rounding {
  double relative = 0, absolute = 0;
};

struct EvaluatorOptions {
  /// Of each operation.
  Rounding rounding;
  /// Besides, of what operations of functions that compute losses keep, and of
  /// their arguments.
  Rounding storage;
  /// And of what functions that do not compute losses keep: no master weights.
  bool storesUpdates = false;
  /// Factor of values that are computed from a loss seed, for `mayUnderflow`.
  double scale = 1;
  /// If not 0, losses, gradients and what updates sum up are bounded by how far
  /// as many samples are off, each of which draws its roundings.
  unsigned samples = 0;
};

/// Where numbers of one sample are rounded up.
class RoundingSample {
public:
  explicit RoundingSample(unsigned sample)
      : random(sample), isCommon(sample % 2 != 0) {}

  /// From 0 to below 1.
  double draw() { return double(random.next() >> 11) * 0x1p-53; }
  double drawForStorage() { return isCommon ? common : draw(); }
  void beginTensor() { common = draw(); }

private:
  Random random;
  /// Whether all numbers of a tensor are stored by the same threshold, as equal
  /// ones are by a program.
  bool isCommon;
  double common = 0;
};

/// What an opt level rounds to: the unit of its formats, and of the smallest
/// numbers.
EvaluatorOptions getEvaluatorOptions(StringRef level);

class StepEvaluator {
public:
  StepEvaluator(ModuleOp module, EvaluatorOptions options)
      : module(module), options(options) {}

  /// What `function` gives; fails at an operation that it does not know.
  FailureOr<std::vector<NumberTensor>> call(func::FuncOp function,
                                            ArrayRef<NumberTensor> arguments);
  /// What `step` gives last, called once for each of `batches` with the state
  /// that it gave before.
  FailureOr<std::vector<NumberTensor>>
  train(func::FuncOp step, ArrayRef<NumberTensor> start,
        ArrayRef<std::vector<NumberTensor>> batches);
  /// True if a scaled number may have been too small for half at `scale`.
  bool mayUnderflow() const { return underflows; }
  /// The name of the operation that is not known.
  StringRef getUnknown() const { return unknown; }

private:
  using Values = llvm::DenseMap<mlir::Value, NumberTensor>;
  LogicalResult runBlock(Block &block, Values &values,
                         std::vector<NumberTensor> &results);
  LogicalResult runOperation(Operation *op, Values &values);
  LogicalResult runStructured(Operation *op, Values &values);
  FailureOr<Number> compute(Operation *op, ArrayRef<Number> operands);
  Number round(Number number, double magnitude, double factor = 1);
  Number store(Number number);
  void storeAll(NumberTensor &tensor);
  LogicalResult drawSamples(func::FuncOp step, ArrayRef<NumberTensor> start,
                            ArrayRef<std::vector<NumberTensor>> batches);
  FailureOr<ArrayRef<NumberTensor>> takeMeasured(size_t count);
  LogicalResult measure(NumberTensor &tensor);

  ModuleOp module;
  EvaluatorOptions options;
  /// If numbers are rounded, and no bounds carried.
  std::optional<RoundingSample> sample;
  /// Of a sample what its losses, gradients and sums of updates are, in the
  /// order in which they are computed; else how far samples are off those.
  std::vector<NumberTensor> measured;
  size_t position = 0;
  /// Inside a function that computes losses.
  bool isLoss = false;
  /// Functions that are being called.
  unsigned depth = 0;
  bool underflows = false;
  std::string unknown;
};

} // namespace mlir::amp

#endif // AMP_TEST_RANDOMSTEPS_STEPEVALUATOR_H
