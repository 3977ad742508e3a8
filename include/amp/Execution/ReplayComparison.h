//===- ReplayComparison.h - What a replay found -----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distances of a replay from what was recorded, judged by a row of tolerances.
//
// Losses alone say little about an optimizer: three steps with half the
// learning rate change them by less than half activations do. So what a run did
// to its parameters is compared, as the update (final minus start) and relative
// to the recorded update's norm: 1 is "nothing was learned".
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_REPLAYCOMPARISON_H
#define AMP_EXECUTION_REPLAYCOMPARISON_H

#include "amp/Execution/ReplayTolerances.h"
#include "amp/Execution/StartValues.h"

namespace mlir::amp {

/// How far one quantity is from the recorded one.
struct ReplayDistance {
  std::string quantity;
  double distance;
  /// None where it is shown for information only.
  std::optional<double> tolerance;
  /// Which of several values it is about; empty for one.
  std::string where;
};

enum class ReplayVerdict {
  Agree,
  Disagree,
  /// Outside, in a run of which its tolerances say that it may be; or a run of
  /// a kind that cannot be replayed.
  NotComparable,
  /// No tolerances are known for it.
  NotJudged,
};

struct ReplayComparison {
  std::string id;
  /// The row of tolerances that applies, or null.
  const ToleranceRow *tolerances = nullptr;
  std::vector<ReplayDistance> distances;
  /// Whether scales and skipped steps were recorded, and so compared.
  bool hasScalers = false;
  /// First difference in scale, unskipped or skipped; empty where there is
  /// none.
  std::string scalerDifference;
  /// Why the run was not replayed; empty for most.
  std::string notReplayed;

  void add(llvm::StringRef quantity, double distance, std::string where = "");
  ReplayVerdict getVerdict() const;
};

void printComparison(llvm::raw_ostream &os, const ReplayComparison &comparison);

/// |got - want|, where equal non-finite values are equal and a non-finite value
/// is infinitely far from a finite one.
double getDistance(double got, double want);

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

/// What a run made of one value.
struct RecordedUpdate {
  /// "param" or "buffer".
  std::string role;
  std::string name;
  /// None: the start is the replay's.
  std::optional<HostArray> start;
  HostArray end;
};

/// The updates in a replay file: finalN, the value of argument N of the step
/// after the last batch. Empty if the file has none.
llvm::Expected<std::vector<RecordedUpdate>>
readRecordedUpdates(llvm::StringRef path,
                    llvm::ArrayRef<ValueSpec> originalArguments);

/// A copy of the values in `state` that `recorded` says something about.
TrainingState cloneUpdatedValues(const TrainingState &state,
                                 llvm::ArrayRef<RecordedUpdate> recorded);

/// Adds the distances between recorded updates and those from `start` to `end`.
/// A parameter is its FP32 master where there is one.
llvm::Error addUpdateDistances(ReplayComparison &comparison,
                               llvm::ArrayRef<RecordedUpdate> recorded,
                               const TrainingState &start,
                               const TrainingState &end);

} // namespace mlir::amp

#endif // AMP_EXECUTION_REPLAYCOMPARISON_H
