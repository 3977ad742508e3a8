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
// Scales and skipped steps must be equal; other numbers are judged by
// tolerances that come with the recording (ReplayTolerances.h). Without any, a
// replay shows how far it is and judges nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_ORACLEREPLAY_H
#define AMP_EXECUTION_ORACLEREPLAY_H

#include "amp/Execution/OracleRuns.h"
#include "amp/Execution/ReplayComparison.h"

namespace mlir::amp {

using StepObserver = llvm::function_ref<llvm::Error(const StepRecord &)>;

/// Replays `run` with a program that was compiled with its properties, and that
/// has not run a step yet. `tolerances` outlive the comparison. `observe` is
/// told of each step. Nothing if `stop` was set before the last step.
llvm::Expected<std::optional<ReplayComparison>>
replayRun(const Oracle &oracle, const OracleRun &run,
          const ToleranceTable &tolerances, Program &program,
          StepObserver observe, const std::atomic<bool> *stop = nullptr);

/// What is said of a run that cannot be replayed, with a reason to print.
ReplayComparison makeUnreplayed(const OracleRun &run);

} // namespace mlir::amp

#endif // AMP_EXECUTION_ORACLEREPLAY_H
