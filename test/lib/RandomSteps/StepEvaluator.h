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
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_RANDOMSTEPS_STEPEVALUATOR_H
#define AMP_TEST_RANDOMSTEPS_STEPEVALUATOR_H

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
  /// Factor of values that are computed from a loss seed, for `mayUnderflow`.
  double scale = 1;
};

/// What an opt level rounds to, twice the unit: an operand, and a result.
EvaluatorOptions getEvaluatorOptions(StringRef level);

class StepEvaluator {
public:
  StepEvaluator(ModuleOp module, EvaluatorOptions options)
      : module(module), options(options) {}

  /// What `function` gives; fails at an operation that it does not know.
  FailureOr<std::vector<NumberTensor>> call(func::FuncOp function,
                                            ArrayRef<NumberTensor> arguments);
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
  Number round(Number number, double magnitude, double factor = 1) const;
  Number store(Number number);
  void storeAll(NumberTensor &tensor);

  ModuleOp module;
  EvaluatorOptions options;
  /// Inside a function that computes losses.
  bool isLow = false;
  bool underflows = false;
  SmallVector<int64_t> indices;
  std::string unknown;
};

} // namespace mlir::amp

#endif // AMP_TEST_RANDOMSTEPS_STEPEVALUATOR_H
