//===- StopSignals.h - Signals that end a run in good order -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hours of training must not be lost to a ^C, a batch system or a terminal that
// was closed: while steps run, the first such signal only asks for an end after
// the step that is running. The second one ends the program as it always did.
// Before the first step there is nothing to lose.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TOOLS_AMP_RUN_STOPSIGNALS_H
#define AMP_TOOLS_AMP_RUN_STOPSIGNALS_H

#include <atomic>
#include <csignal>
#include <string>

namespace mlir::amp {

/// Signals that were ignored when the program began: nohup, or a shell that
/// runs it in the background, has had its say. LLVM would take them.
class IgnoredSignals {
public:
  /// Before LLVM is initialised.
  IgnoredSignals();
  /// After that.
  void restore() const;

private:
  sigset_t ignored;
};

/// While it lives, a write that fails is an error of that write, and not the
/// end of a run that leaves more than its output.
class FailingWrites {
public:
  /// `outlivesReaders`: so is one to a pipe that nobody reads any more.
  explicit FailingWrites(bool outlivesReaders);
  ~FailingWrites();
  FailingWrites(const FailingWrites &) = delete;
  FailingWrites &operator=(const FailingWrites &) = delete;

private:
  struct sigaction fileSize, pipe;
};

/// While it lives, before the first step, a signal that stops a run ends the
/// program at once, with a line and the exit code of a stopped run: nothing is
/// there to be saved, and compilers cannot be interrupted. Files of
/// llvm::sys::RemoveFileOnSignal are removed. There is one at a time.
class StopBeforeSteps {
public:
  StopBeforeSteps();
  ~StopBeforeSteps();
  StopBeforeSteps(const StopBeforeSteps &) = delete;
  StopBeforeSteps &operator=(const StopBeforeSteps &) = delete;
};

/// Keeps the signals that stop a run waiting while it lives: a file is created
/// and known to those that remove it, or neither.
class HeldSignals {
public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals &) = delete;
  HeldSignals &operator=(const HeldSignals &) = delete;

private:
  sigset_t before;
};

/// Catches the signals that stop a run while it lives; there is one at a time.
/// Once one has come, SIGXCPU is ignored: the system repeats it.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// Set when a signal has come, or by whoever else wants the run to stop.
  std::atomic<bool> &getRequest();
  /// The signal that has come; 0 for none.
  int getSignal() const;
  /// "SIGINT".
  static std::string getName(int signal);
};

} // namespace mlir::amp

#endif // AMP_TOOLS_AMP_RUN_STOPSIGNALS_H
