//===- ProgramFile.h - Programs in shared objects ------------- -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_PROGRAMFILE_H
#define AMP_EXECUTION_PROGRAMFILE_H

#include "amp-rt/Program.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace mlir::amp {

/// A program in this process.
struct ProgramFile {
  /// Unloads it.
  std::shared_ptr<void> code;
  /// Lies there. ampRtProgramChoose gives the version for this CPU.
  const AmpRtProgram *program = nullptr;
};

/// Whether the file begins as shared objects do, and no text does.
bool isSharedObject(llvm::StringRef path);

/// Loads the program that amp-compile wrote. Nothing of the file runs, and it
/// is not given to the system's loader, which takes a file at its word, before
/// it is known to be whole, a program, and one for this runtime.
llvm::Expected<ProgramFile> loadProgramFile(llvm::StringRef path);

} // namespace mlir::amp

#endif // AMP_EXECUTION_PROGRAMFILE_H
