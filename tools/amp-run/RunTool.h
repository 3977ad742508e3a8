//===- RunTool.h - amp-run as a function ------------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// amp-run is a program of its own, with all of MLIR, and a part of the Python
// package, with what that carries.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TOOLS_AMP_RUN_RUNTOOL_H
#define AMP_TOOLS_AMP_RUN_RUNTOOL_H

#include "amp/Execution/DeviceProgram.h"
#include "mlir/IR/DialectRegistry.h"

namespace mlir::amp {

/// What the tool is made of.
struct RunToolParts {
  /// What a step may be written in.
  void (*registerDialects)(DialectRegistry &registry);
  /// completeTarget and compileForDevice, or null in a tool without kernels.
  llvm::Error (*completeTarget)(DeviceTarget &target) = nullptr;
  decltype(&mlir::amp::compileForDevice) compileForDevice = nullptr;
};

/// The main function of amp-run, whose process it owns: it takes signals and
/// LLVM's handlers of errors, and --help ends the process. Returns the exit
/// code.
int runTool(int argc, char **argv, const RunToolParts &parts);

} // namespace mlir::amp

#endif // AMP_TOOLS_AMP_RUN_RUNTOOL_H
