//===- MemoryLimits.h - What memory a run may still take --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A container that takes more memory than its limit is killed without a word,
// and so is a process on a machine without memory. So what a step needs is
// added up before any of it is taken, and compared with what is left.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_MEMORYLIMITS_H
#define AMP_EXECUTION_MEMORYLIMITS_H

#include "amp/Execution/Program.h"

#include <optional>
#include <string>

namespace mlir::amp {

/// The tightest of several limits.
struct MemoryLimit {
  /// Bytes that may still be taken.
  int64_t available;
  /// Who says so: "memory.max of control group /sys/fs/cgroup/job".
  std::string origin;
};

/// What the process may be given, as getrlimit has it; no value: unlimited.
struct ProcessLimits {
  std::optional<int64_t> addressSpace, data;
  static ProcessLimits get();
};

/// The tightest limit of control groups (version 1 and 2, and all groups that
/// contain the process's own), process and machine; none where nothing can be
/// read. Files are looked for below `root`, which tests set.
std::optional<MemoryLimit>
findMemoryLimit(const ProcessLimits &process = ProcessLimits::get(),
                llvm::StringRef root = "");

/// What a program is going to take, by purpose.
struct MemoryEstimate {
  /// Arguments but for the batch, as often as they are held while values are
  /// made, and one batch.
  int64_t arguments = 0;
  /// Of the train step, beside the arguments that they replace.
  int64_t results = 0;
  /// Between them, in the function that needs most.
  int64_t workspace = 0;
  /// The largest argument.
  std::string largest;

  /// Nothing if 63 bits do not hold it.
  std::optional<int64_t> getTotal() const;
};

/// `copies`: how often start values are held at the same time; 2 where they are
/// copied from a file. `batchBytes`: of each batch argument
/// (BatchSource::getBatchBytes); without it types decide, whose dynamic extents
/// count as 1.
MemoryEstimate estimateMemory(Program &program, int copies,
                              llvm::ArrayRef<int64_t> batchBytes = {});

/// Fails if `estimate` does not fit into `limit`.
llvm::Error checkMemory(const MemoryEstimate &estimate,
                        const std::optional<MemoryLimit> &limit);

} // namespace mlir::amp

#endif // AMP_EXECUTION_MEMORYLIMITS_H
