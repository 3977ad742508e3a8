//===- Report.h - What the checks of a step found ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks run in a process of their own, which may crash. What they find
// goes to the parent line by line, through a pipe: a letter, then text with
// tabs between fields.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_RANDOMSTEPS_REPORT_H
#define AMP_TEST_RANDOMSTEPS_REPORT_H

#include "llvm/ADT/Twine.h"

#include <string>

namespace mlir::amp {

class Report {
public:
  explicit Report(int pipe) : pipe(pipe) {}

  void beginSeed(uint64_t seed) { send("S\t" + llvm::Twine(seed)); }
  /// What comes next, for a crash in it.
  void beginPhase(const llvm::Twine &phase) { send("P\t" + phase); }
  /// Adds one to the counter `name`.
  void count(const llvm::Twine &name) { send("C\t" + name); }
  void refuse(const llvm::Twine &diagnostic) { send("R\t" + diagnostic); }
  void fail(const llvm::Twine &property, const llvm::Twine &text) {
    send("F\t" + property + "\t" + text);
  }
  /// Says that all seeds were checked.
  void end() { send("E"); }

private:
  void send(const llvm::Twine &line);
  int pipe;
};

} // namespace mlir::amp

#endif // AMP_TEST_RANDOMSTEPS_REPORT_H
