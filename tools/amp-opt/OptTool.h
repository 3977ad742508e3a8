//===- OptTool.h - amp-opt as a function ------------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// amp-opt is a program of its own, with all of MLIR, and a part of the Python
// package, with what that carries.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TOOLS_AMP_OPT_OPTTOOL_H
#define AMP_TOOLS_AMP_OPT_OPTTOOL_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::amp {

/// The main function of amp-opt, whose process it owns: it takes LLVM's
/// handlers of errors, and --help ends the process. The other two say what a
/// module may be written in, and which passes there are. Returns the exit code.
int runOptTool(int argc, char **argv,
               void (*registerDialects)(DialectRegistry &registry),
               void (*registerPasses)());

} // namespace mlir::amp

#endif // AMP_TOOLS_AMP_OPT_OPTTOOL_H
