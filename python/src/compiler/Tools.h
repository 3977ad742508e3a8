//===- Tools.h - The command line tools in the package ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PYTHON_COMPILER_TOOLS_H
#define AMP_PYTHON_COMPILER_TOOLS_H

namespace amp::python {

/// amp-opt and amp-run with the dialects and passes of the package. Each owns
/// the process: it takes signals, and --help ends it. Returns the exit code.
int runAmpOpt(int argc, char **argv);
int runAmpRun(int argc, char **argv);

} // namespace amp::python

#endif // AMP_PYTHON_COMPILER_TOOLS_H
