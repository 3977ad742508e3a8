//===-- Measurement.h - Numbers first, then times -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TOOLS_AMP_KERNEL_BENCH_MEASUREMENT_H
#define AMP_TOOLS_AMP_KERNEL_BENCH_MEASUREMENT_H

#include "Baseline.h"
#include "Watchdog.h"

namespace amp::bench {

/// Of one round each, in milliseconds for one run.
struct Times {
  std::vector<double> rounds;
  double median() const;
  double least() const;
  double most() const;
};

struct Outcome {
  enum class Numbers { NotRun, Right, Wrong };
  Numbers numbers = Numbers::NotRun;
  /// What is wrong, or why it was not run.
  std::string detail;
  Times kernel, baseline;
  /// Null, and why, where there is none to compare with.
  const char *baselineName = nullptr;
  std::string baselineReason;
};

struct MeasurementOptions {
  int rounds = 15;
  /// How long a round should take at least.
  double roundMilliseconds = 5;
};

/// Runs the kernel on integers and compares every element of the result.
/// `watchdog` watches the device's work here and below.
void checkNumbers(AmpRtDevice *device, const std::string &folder,
                  const KernelEntry &kernel, Watchdog &watchdog,
                  Outcome &outcome);

/// A kernel and what is found of it.
struct Subject {
  const KernelEntry *kernel;
  Outcome *outcome;
};

/// Whether two kernels compute the same, so that they can share its data.
bool areAlternatives(const KernelEntry &a, const KernelEntry &b);

/// Times alternatives whose numbers are right, round by round in turn with each
/// other and the baseline, on random data. `baseline` may be null.
void measure(AmpRtDevice *device, const std::string &folder,
             const std::vector<Subject> &subjects, Baseline *baseline,
             const MeasurementOptions &options, Watchdog &watchdog);

} // namespace amp::bench

#endif // AMP_TOOLS_AMP_KERNEL_BENCH_MEASUREMENT_H
