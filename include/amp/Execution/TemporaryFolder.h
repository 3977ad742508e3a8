//===- TemporaryFolder.h - Folders that are gone at the end -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_TEMPORARYFOLDER_H
#define AMP_EXECUTION_TEMPORARYFOLDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <system_error>

namespace mlir::amp {

/// A folder that is removed with all that it holds when its owner goes.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder &&other)
      : path(std::move(other.path)), slot(other.slot) {
    other.path.clear();
  }
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;

  /// Makes the folder of this name; fails with file_exists if it is there.
  std::error_code create(const std::string &path);
  /// Makes one whose name begins with `prefix` and is nobody else's.
  std::error_code createUnique(const llvm::Twine &prefix);
  /// Makes one in the system's place for temporary files, which TMPDIR names.
  llvm::Error createInSystem(llvm::StringRef name);

  const std::string &getPath() const { return path; }
  std::string getFile(const llvm::Twine &name) const;
  /// From here on the folder stays, or is somebody else's.
  void keep();

private:
  /// Empty if there is nothing to remove.
  std::string path;
  /// Where it is written down for `removeTemporaryFolders`.
  int slot = -1;
};

/// While it lives, what this process and its children make in the system's
/// place for temporary files goes to a folder of its own, by TMPDIR: so what
/// they leave is removed, even by a signal. There is one at a time, while
/// nothing else asks for environment variables.
class OwnTemporaryFiles {
public:
  OwnTemporaryFiles() = default;
  ~OwnTemporaryFiles();
  OwnTemporaryFiles(const OwnTemporaryFiles &) = delete;
  OwnTemporaryFiles &operator=(const OwnTemporaryFiles &) = delete;

  llvm::Error begin(llvm::StringRef name);

private:
  TemporaryFolder folder;
  std::optional<std::string> before;
};

/// Removes the folders of this process, for handlers of signals that end it.
void removeTemporaryFolders();

/// From here on signals that end the process remove its folders first, and are
/// then handled as they were. To be called by main, after InitLLVM.
void removeTemporaryFoldersOnSignals();

} // namespace mlir::amp

#endif // AMP_EXECUTION_TEMPORARYFOLDER_H
