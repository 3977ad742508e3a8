//===- Evaluation.h - A trained model on held-out data ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a program's evaluate function over all rows of a data set, in chunks of
// the function's own batch size. The last chunk is filled up with copies of its
// last row, whose outputs are dropped: so a row's output must not depend on the
// other rows, which holds in eval mode.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_EVALUATION_H
#define AMP_EXECUTION_EVALUATION_H

#include "amp/Execution/BatchSource.h"
#include "amp/Execution/Program.h"
#include "amp/Execution/StartValues.h"

#include <optional>
#include <string>

namespace mlir::amp {

struct Evaluation {
  int64_t rows = 0;
  /// Share of labels that are the argmax of the output's last extent (the first
  /// NaN counts as the largest, as in PyTorch and NumPy). None without labels.
  std::optional<double> accuracy;
  /// Mean cross entropy of the outputs taken as logits. None without labels.
  std::optional<double> crossEntropy;
  /// What the data lacks for the two above: "array 'x1' in 'test.npz'". Empty
  /// if it has the labels, or the step takes none.
  std::string missingLabels;
  /// Outputs of the first rows, one after the other, as many as were asked for.
  std::vector<double> firstOutputs;
};

/// Fails if `evaluate` could not be run after `trainStep` on `data`: for want
/// of arrays, rows, labels in range or arguments. For signatures that are still
/// to be compiled: a long run must not end with what was wrong from the start.
llvm::Error checkEvaluation(const FunctionSignature &trainStep,
                            const FunctionSignature &evaluate,
                            const Dataset &data);

/// Evaluates `state`. Labels are the array of `data` for the train step's
/// integer batch argument that the evaluate function does not take. The program
/// must have an evaluate function. `keepRows` outputs are kept.
llvm::Expected<Evaluation> evaluate(Program &program,
                                    const TrainingState &state,
                                    const Dataset &data, int64_t keepRows = 0);

} // namespace mlir::amp

#endif // AMP_EXECUTION_EVALUATION_H
