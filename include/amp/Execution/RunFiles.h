//===- RunFiles.h - Which files a run reads and writes ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run that writes a file which it also reads, or writes twice, destroys it
// and ends well. So all names are compared before the first write: by the files
// behind them, for links and other ways to say a folder make many names of one
// file. Files that are not there yet are compared too, by folder and last name.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_RUNFILES_H
#define AMP_EXECUTION_RUNFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::amp {

/// A file and who names it.
struct RunFile {
  /// As errors call the option: "--data", "the module".
  std::string option;
  /// Empty if there is none. "-" is standard input, or output.
  std::string path;
  /// Of an output: the option of an input whose file it may replace (`--save`
  /// that of `--init`, to resume in place). Empty if none.
  std::string replaced = "";
};

/// Fails if an output is the file of an input or of another output. Only
/// regular files can be destroyed: devices, pipes and terminals may be named
/// twice.
llvm::Error checkRunFiles(llvm::ArrayRef<RunFile> inputs,
                          llvm::ArrayRef<RunFile> outputs);

/// Whether two names are of one file or folder, there or not yet.
bool isSamePlace(llvm::StringRef first, llvm::StringRef second);

} // namespace mlir::amp

#endif // AMP_EXECUTION_RUNFILES_H
