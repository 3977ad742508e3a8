//===- StepGenerator.h - Random training steps ------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training step from a number, as a front end could write it, with what is
// known of it because it was made: which states an overflow of which backward
// pass has to leave as they were, and whether it trains wrongly on purpose.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_RANDOMSTEPS_STEPGENERATOR_H
#define AMP_TEST_RANDOMSTEPS_STEPGENERATOR_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mlir::amp {

/// What is known of a state that a train step returns.
struct StateRule {
  std::string role, name;
  /// Backward passes whose overflow keeps it, a bit for each.
  uint64_t keptBy = 0;
  /// Backward passes whose skipped update may change its new value.
  uint64_t changedBy = 0;
  /// Updated with a sum over train steps, of which keep-finite-sums leaves out
  /// what overflowed.
  bool isOfWindow = false;
  /// Of several updates in one step: each is taken or left by itself, as calls
  /// of optimizer steps are. Others are all taken or none.
  bool isAlone = false;
  /// Of an accumulator: the flag of the batch that ends its window.
  std::string flag = "";
};

/// A backward pass of a train step: one bit of the masks above.
struct PassRule {
  /// Batches that it reads.
  std::vector<std::string> batches;
  /// Parameters that it has gradients of.
  std::vector<std::string> gradients;
  std::vector<std::string> losses;
  /// The flag of the batch that says whether it runs, or nothing.
  std::string flag;
  bool runsIf = true;
};

struct GeneratedStep {
  std::string text;
  /// Options of amp-mixed-precision by name.
  std::map<std::string, std::string> options;
  std::vector<StateRule> states;
  std::vector<PassRule> passes;
  /// What was done wrong on purpose; empty for a right step.
  std::string mistake;
  /// The pipeline finds gradients by itself, and may find one before the
  /// mistake: then the step computes what O0 does.
  bool findsGradients = false;
  /// How the step is built, for the statistics.
  std::string form;

  std::string getOption(const std::string &name) const {
    auto it = options.find(name);
    return it == options.end() ? std::string() : it->second;
  }
  /// The options as the pipeline's text has them.
  std::string getPipeline() const;
};

/// The step of `seed`, always the same.
GeneratedStep generateStep(uint64_t seed);

} // namespace mlir::amp

#endif // AMP_TEST_RANDOMSTEPS_STEPGENERATOR_H
