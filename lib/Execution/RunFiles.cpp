//===- RunFiles.cpp - Which files a run reads and writes ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/RunFiles.h"
#include "LinkTarget.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <optional>
#include <unistd.h>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// What two names of one file have in common.
struct FileIdentity {
  /// Device and inode of the file, or of its folder while there is no file.
  fs::UniqueID id;
  /// The last name in that folder; empty if there is a file.
  std::string name;

  bool operator==(const FileIdentity &other) const {
    return id == other.id && name == other.name;
  }
};

} // namespace

/// The identity of what would be created at `name`; none if there is no folder
/// for it, which the write itself will report.
static std::optional<FileIdentity> identifyMissing(StringRef given) {
  const std::string name = getLinkTarget(given);
  const StringRef folder = path::parent_path(name);
  fs::UniqueID id;
  if (fs::getUniqueID(folder.empty() ? "." : folder, id))
    return std::nullopt;
  return FileIdentity{id, path::filename(name).str()};
}

/// The identity of a regular file, or of one that is not there yet.
static std::optional<FileIdentity> identify(StringRef name, int standardFd) {
  fs::file_status status;
  if (name == "-" ? fs::status(standardFd, status) : fs::status(name, status))
    return name == "-" ? std::nullopt : identifyMissing(name);
  if (!fs::is_regular_file(status))
    return std::nullopt;
  return FileIdentity{status.getUniqueID(), ""};
}

bool mlir::amp::isSamePlace(StringRef first, StringRef second) {
  auto find = [](StringRef name) -> std::optional<FileIdentity> {
    fs::UniqueID id;
    if (fs::getUniqueID(name, id))
      return identifyMissing(name);
    return FileIdentity{id, ""};
  };
  std::optional<FileIdentity> one = find(first), other = find(second);
  return one && other && *one == *other;
}

static Error compare(const RunFile &output, const RunFile &other,
                     int otherStandardFd) {
  if (output.path.empty() || other.path.empty() ||
      (!output.replaced.empty() && output.replaced == other.option))
    return Error::success();
  std::optional<FileIdentity> written = identify(output.path, STDOUT_FILENO);
  std::optional<FileIdentity> second = identify(other.path, otherStandardFd);
  if (!written || !second || !(*written == *second))
    return Error::success();
  return createStringError(Twine("expected ") + output.option +
                           " to name a file of its own, but '" + output.path +
                           "' is the file of " + other.option + ", '" +
                           other.path + "'; name another file");
}

Error mlir::amp::checkRunFiles(llvm::ArrayRef<RunFile> inputs,
                               llvm::ArrayRef<RunFile> outputs) {
  for (const RunFile &output : outputs) {
    for (const RunFile &input : inputs)
      if (Error error = compare(output, input, STDIN_FILENO))
        return error;
    for (const RunFile &earlier : outputs.take_while(
             [&](const RunFile &file) { return &file != &output; }))
      if (Error error = compare(output, earlier, STDOUT_FILENO))
        return error;
  }
  return Error::success();
}
