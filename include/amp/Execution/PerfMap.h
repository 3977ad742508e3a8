//===- PerfMap.h - Names of compiled functions for perf ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux's perf knows functions by the files that they were loaded from. For
// code without one it reads /tmp/perf-PID.map, a line for each function: start
// and size in hexadecimal, and a name up to the end of the line.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_PERFMAP_H
#define AMP_EXECUTION_PERFMAP_H

#include "amp/Execution/LinkedFunction.h"
#include "amp/Execution/Program.h"

#include "llvm/Support/raw_ostream.h"

namespace mlir::amp {

/// The file that perf reads for this process. The folder is always /tmp,
/// whatever TMPDIR says.
std::string getPerfMapPath();

/// Writes the lines. A function that is one of `kernels`, or was divided from
/// one, has what that computes behind its symbol.
void printPerfMap(llvm::raw_ostream &os,
                  llvm::ArrayRef<LinkedFunction> functions,
                  llvm::ArrayRef<KernelTime> kernels);

/// Adds them to the file at `path`. The first call of a process makes the file,
/// and one that an earlier process left there goes; later ones, of whichever
/// thread, append. The file stays for who reads the samples later, and so do
/// the names of code that was unloaded since.
llvm::Error writePerfMap(llvm::StringRef path,
                         llvm::ArrayRef<LinkedFunction> functions,
                         llvm::ArrayRef<KernelTime> kernels);

} // namespace mlir::amp

#endif // AMP_EXECUTION_PERFMAP_H
