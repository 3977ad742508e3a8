//===- OracleReplay.h - Recorded runs, run again ----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts a compiled program from the weights of a recorded run, feeds it the
// same batches and injections, and measures how far its numbers are from the
// recorded ones.
//
// Two runs that are equal in exact arithmetic drift apart by rounding alone.
// The tolerances, by level, model and optimizer, are those that the recording's
// README derives from measured noise; scales and skipped steps must be equal.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_ORACLEREPLAY_H
#define AMP_EXECUTION_ORACLEREPLAY_H

#include "amp/Execution/OracleRuns.h"

namespace mlir::amp {

/// How far one quantity is from the recorded one.
struct OracleDistance {
  std::string quantity;
  double distance;
  /// None where it is shown for information only.
  std::optional<double> tolerance;
};

enum class OracleVerdict {
  Agree,
  Disagree,
  /// Outside, in a run of which the recording itself says that it may be.
  NotComparable,
};

struct OracleComparison {
  std::string id;
  /// The row of the tolerance table that applies: "O1, O2, mlp".
  std::string toleranceRow;
  std::vector<OracleDistance> distances;
  /// First difference in scale, unskipped or skipped; empty where there is
  /// none.
  std::string scalerDifference;
  /// Why the run may be outside; empty for most.
  std::string caveat;

  OracleVerdict getVerdict() const;
};

using StepObserver = llvm::function_ref<llvm::Error(const StepRecord &)>;

/// Replays `run` with a program that was compiled with its properties, and that
/// has not run a step yet. `observe` is told of each step.
llvm::Expected<OracleComparison> replayRun(const Oracle &oracle,
                                           const OracleRun &run,
                                           Program &program,
                                           StepObserver observe);

void printComparison(llvm::raw_ostream &os, const OracleComparison &comparison);

} // namespace mlir::amp

#endif // AMP_EXECUTION_ORACLEREPLAY_H
