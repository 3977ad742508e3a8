//===-- Report.h - What the tool prints -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TOOLS_AMP_KERNEL_BENCH_REPORT_H
#define AMP_TOOLS_AMP_KERNEL_BENCH_REPORT_H

#include "Measurement.h"

#include <ostream>

namespace amp::bench {

/// A kernel, what it computes, and what came of it.
struct Row {
  const KernelEntry *kernel;
  std::string shape, types;
  double work = 0;
  /// The smallest of M, N and K of a gemm; 0 for others.
  int64_t leastSize = 0;
  Outcome outcome;
};

/// How many are right, wrong and not run, and the first lines of why.
void printNumbers(std::ostream &out, const std::vector<Row> &rows);

/// TFLOP/s by kernel, and the geometric means of their ratios to the baseline.
void printTimes(std::ostream &out, const std::vector<Row> &rows);

/// A line for the device, one for each kernel and one for the means.
void printJson(std::ostream &out, AmpRtDevice *device,
               const std::vector<Row> &rows);

} // namespace amp::bench

#endif // AMP_TOOLS_AMP_KERNEL_BENCH_REPORT_H
