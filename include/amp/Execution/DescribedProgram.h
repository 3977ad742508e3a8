//===- DescribedProgram.h - A program by its own description ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code describes itself (amp-rt/Program.h). From that a driver gets a
// Program, whether the code was compiled a moment ago or lies in a shared
// object; no compiler header is needed.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_DESCRIBEDPROGRAM_H
#define AMP_EXECUTION_DESCRIBEDPROGRAM_H

#include "amp-rt/Program.h"
#include "amp/Execution/Program.h"

namespace mlir::amp {

/// What calls of a program may use.
struct ProgramOptions {
  /// Threads, the caller's among them.
  int32_t threads = 1;
  /// Calls of kernels that a profile keeps.
  int64_t keptCalls = 0;
  /// Where the program runs, a device of amp-rt/Device.h. One that was compiled
  /// for a device is loaded there, and its results stay there until somebody
  /// looks at them: arrays end before the program.
  std::string device = "host";
  /// Scalers of another program of the same step, which this one uses in place
  /// of its own. They outlive it.
  llvm::ArrayRef<Program::ScalerSlot> scalers;
};

/// The program that `description` describes, with scalers of its own; of
/// several versions the one that ampRtProgramChoose gives. `code` is kept as
/// long as the program: its destruction may unload what is described. Fails
/// without a train step, for values that are no arrays or results whose shape
/// is not known, where the system gives no threads, and for a device that is
/// not there or cannot run the program.
llvm::Expected<std::unique_ptr<Program>>
openProgram(const AmpRtProgram &description, std::shared_ptr<void> code,
            const ProgramOptions &options = {});

/// Refuses a result that cannot be allocated before the call.
llvm::Error checkResultShape(const ValueSpec &result, llvm::StringRef function);

/// Refuses an argument or a result whose size 63 bits do not hold.
llvm::Error checkByteCount(const ValueSpec &value, llvm::StringRef function);

} // namespace mlir::amp

#endif // AMP_EXECUTION_DESCRIBEDPROGRAM_H
