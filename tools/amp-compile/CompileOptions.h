//===- CompileOptions.h - The command line of amp-compile ----- -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TOOLS_AMP_COMPILE_COMPILEOPTIONS_H
#define AMP_TOOLS_AMP_COMPILE_COMPILEOPTIONS_H

#include "../amp-run/StepOptions.h"
#include "amp/Execution/DeviceProgram.h"

namespace mlir::amp {

/// What the command line asks for. An empty name: not asked for.
struct CompileOptions {
  std::string inputFile;
  /// The shared object, and the folder of all that a program needs; at least
  /// one of them.
  std::string outputFile, bundle;
  /// --target as it was given.
  std::string targetText;
  /// Of a program with kernels; its device is "host" for one without.
  DeviceTarget target;
  bool isForHost() const { return target.device == "host"; }
  /// At least one; a CPU takes the first that it can run.
  std::vector<std::string> cpus = {"native"};
  std::string blas = "auto";
  int32_t threads = 1;
  bool reference = false, insertTaps = false, quiet = false;
  NamedValues precision;
};

/// Reads the command line; ends the program for --help and for what cannot be
/// parsed. An error: options that do not go together, or name what is not
/// there.
llvm::Expected<CompileOptions> parseCompileOptions(int argc, char **argv);

} // namespace mlir::amp

#endif // AMP_TOOLS_AMP_COMPILE_COMPILEOPTIONS_H
