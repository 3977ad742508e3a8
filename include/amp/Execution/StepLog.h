//===- StepLog.h - One JSON line for each step ------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of a line, in this order:
//
//   step          number from 0
//   loss          number; object by name where the step has several losses
//   scale_before  scale that the step used
//   scale         scale after it
//   unskipped     clean steps since the scale last changed
//   skipped       true if the optimizer step was left out
//   grad_norm     L2 norm of the unscaled gradients; null if skipped, or if the
//                 program does not show its gradients
//   seconds       wall time of the call of the step, grad_norm's sums included,
//                 reading the batch and writing the log left out
//   peak_bytes    the most memory that the step held at one time: on the host
//                 its arguments, its results and the most of the values between
//                 them; on a device all that is live in its memory, with what
//                 the runtime keeps there (constants, scalers, blocks for the
//                 next step)
//   blas          in the first line of a run only: the library that computes
//                 large products, as an object of its file (library), what it
//                 says of itself (config), whose kernels it uses (core; null if
//                 it does not say) and threads; null: generated kernels compute
//                 them
//
// Lines of two runs that compute the same differ in their seconds alone. Where
// there are several loss scalers, the four fields of the scaler are objects by
// its name. NaN and infinities are the strings "nan", "inf", "-inf".
// Other numbers have 17 digits, which give back every f32 and f64.
//
// Lines go straight to the file, so that a run can be followed, and are
// appended to what is there: whole lines, for a line that an earlier run left
// unfinished is closed first, and one that could not be written is taken back.
// One run at a time writes a log; the file is locked while it is open.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_STEPLOG_H
#define AMP_EXECUTION_STEPLOG_H

#include "amp/Execution/BlasReport.h"
#include "amp/Execution/TrainingLoop.h"

#include "llvm/Support/JSON.h"

namespace mlir::amp {

/// `value` as JSON; NaN and infinities as strings.
llvm::json::Value toJson(double value);

/// The line of `record`, without its newline; with `blas`, as the first of a
/// log.
std::string toJsonLine(const StepRecord &record,
                       const BlasReport *blas = nullptr);

class StepLog {
public:
  /// Opens a log for appending, and creates it if need be. "-" is standard
  /// output; so is whatever else names the same file, pipe or terminal, such as
  /// /dev/stdout. Fails where another run holds the lock. The first line will
  /// say `blas`.
  static llvm::Expected<StepLog>
  open(llvm::StringRef path, std::optional<BlasReport> blas = std::nullopt);
  /// True if open() would write to standard output.
  static bool isStandardOutput(llvm::StringRef path);

  StepLog(StepLog &&other);
  StepLog &operator=(StepLog &&) = delete;
  /// Removes a file that open() created and nothing was written to.
  ~StepLog();

  /// True if open() created the file, which has to go if nothing is written.
  bool isNew() const { return isCreated; }

  /// Writes the whole line or nothing of it (but what a pipe has taken).
  llvm::Error write(const StepRecord &record);
  /// Closes the file and reports what only shows then. No write may follow.
  llvm::Error close();

private:
  StepLog(std::string path, int fd, std::optional<BlasReport> blas);
  llvm::Error append(llvm::StringRef text);
  llvm::Error makeWriteError(int code) const;
  void finishLastLine();

  std::string path;
  /// -1 once it is closed.
  int fd;
  /// A standard stream is not closed.
  bool isOwned = false;
  /// A regular file can be locked, and cut back to its whole lines.
  bool isRegular = false;
  bool isCreated = false;
  /// Bytes of the file that are whole lines.
  int64_t wholeBytes = 0;
  /// Until the first line is written.
  std::optional<BlasReport> blas;
};

} // namespace mlir::amp

#endif // AMP_EXECUTION_STEPLOG_H
