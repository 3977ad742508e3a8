//===- LoadedProgram.h - A program that XLA's calls find by number --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_AMP_PYTHON_COMPILER_LOADEDPROGRAM_H
#define MLIR_AMP_PYTHON_COMPILER_LOADEDPROGRAM_H

#include "amp-c/Execution.h"

#include <cstdint>
#include <memory>
#include <mutex>

namespace amp::python {

struct DestroyProgram {
  void operator()(AmpProgram *program) const { ampProgramDestroy(program); }
};

/// A compiled program, and the lock under which its scaler is set, the program
/// called and the scaler read as one.
struct LoadedProgram {
  /// The threads of the program's calls; null for the caller's alone.
  std::shared_ptr<AmpRtPool> pool;
  std::unique_ptr<AmpProgram, DestroyProgram> program;
  std::mutex mutex;
};

/// Whether this module has the entry for XLA below.
bool hasXlaEntry();

/// The entry as XLA registers it, a function of its C API; null without one.
void *getXlaEntry();

/// A number by which the entry finds the program as long as it is loaded; the
/// same for every call. Numbers are used once.
int64_t numberForXla(const std::shared_ptr<LoadedProgram> &program);

} // namespace amp::python

#endif // MLIR_AMP_PYTHON_COMPILER_LOADEDPROGRAM_H
