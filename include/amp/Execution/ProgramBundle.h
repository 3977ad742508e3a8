//===- ProgramBundle.h - A program with all that it needs -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder with a program, the runtime and a manifest of both. It becomes what
// its name says at once and as a whole, or not at all: it is built aside, and
// of several that are built for one name at a time the first is kept and the
// others fail.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_PROGRAMBUNDLE_H
#define AMP_EXECUTION_PROGRAMBUNDLE_H

#include "amp-rt/Program.h"
#include "amp/Execution/TemporaryFolder.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::amp {

class ProgramBundle {
public:
  /// Fails, naming --bundle, for a folder that holds something and for one that
  /// cannot be made. A folder that is not there is not made before `publish`.
  static llvm::Expected<ProgramBundle> create(llvm::StringRef folder);

  /// Where the program goes, before the other files. `publish` moves it.
  std::string getStep() const;
  /// Fails, naming -o, if `file` will be of the bundle, unless it is its
  /// program: then it is written with it, and this returns true.
  llvm::Expected<bool> isStep(llvm::StringRef file) const;
  /// Puts a copy of the runtime, by the name by which the program asks for it,
  /// and the manifest of `program`, which is the one in `getStep`, beside it.
  llvm::Error complete(llvm::StringRef runtime, const AmpRtProgram &program,
                       llvm::StringRef target);
  /// Gives the folder its name.
  llvm::Error publish();

private:
  ProgramBundle(llvm::StringRef given) : given(given) {}
  llvm::Error claim();

  /// As the user wrote it, for messages.
  std::string given;
  /// Where the folder is, behind links.
  std::string folder;
  /// Whether `folder` was there. It stays then, for it may be one that cannot
  /// be replaced, such as where a file system is mounted.
  bool exists = false;
  bool isPublished = false;
  /// Where the files are until they are complete: inside of a folder that was
  /// there, beside one that was not.
  TemporaryFolder aside;
};

/// The files of the bundle that `program` lies in, its own among them; none if
/// its runtime does not lie beside it.
std::vector<std::string> findBundleFiles(llvm::StringRef program);

/// Copies a file, whole or not at all.
llvm::Error copyWholeFile(llvm::StringRef from, llvm::StringRef to);

} // namespace mlir::amp

#endif // AMP_EXECUTION_PROGRAMBUNDLE_H
