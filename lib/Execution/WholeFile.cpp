//===- WholeFile.cpp - Files that are written whole or not at all ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To a temporary name beside the file, synced, renamed, and the folder synced.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/WholeFile.h"
#include "LinkTarget.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

/// Opens a temporary file beside `path`, to be renamed to `target`.
static Error openTemporary(StringRef path, llvm::SmallVectorImpl<char> &target,
                           int &fd, llvm::SmallVectorImpl<char> &temporary) {
  namespace fs = llvm::sys::fs;
  auto makeError = [&](Twine reason) {
    return createStringError(Twine("cannot write '") + path + "': " + reason);
  };
  // A link keeps its place, its target is replaced, or created. A device or a
  // folder must not be replaced at all.
  if (std::error_code error = fs::real_path(path, target)) {
    if (error == std::errc::too_many_symbolic_link_levels)
      return makeError(error.message() + "; name a file");
    const std::string missing = getLinkTarget(path);
    target.assign(missing.begin(), missing.end());
  }
  fs::file_status status;
  const bool exists = !fs::status(target, status);
  if (exists && !fs::is_regular_file(status))
    return makeError("it is not a regular file; name another one");
  // Renaming would get around the protection, for it writes the folder alone.
  if (exists && !(status.permissions() & fs::all_write))
    return makeError("it is write-protected; name another file");
  if (std::error_code error = fs::createUniqueFile(
          Twine(StringRef(target.data(), target.size())) + ".tmp-%%%%%%", fd,
          temporary))
    return makeError(error.message() +
                     "; name a file in a folder that can be written to");
  // What others may do with the file is not changed by a new content.
  if (exists)
    (void)::fchmod(fd, status.permissions() & fs::all_perms);
  return Error::success();
}

Error mlir::amp::checkCanWrite(StringRef path) {
  llvm::SmallString<128> target, temporary;
  int fd = -1;
  if (Error error = openTemporary(path, target, fd, temporary))
    return error;
  ::close(fd);
  return llvm::errorCodeToError(llvm::sys::fs::remove(temporary));
}

Error mlir::amp::writeWholeFile(
    StringRef path, llvm::function_ref<Error(llvm::raw_ostream &)> write) {
  namespace fs = llvm::sys::fs;
  auto makeError = [&](Twine reason) {
    return createStringError(Twine("cannot write '") + path + "': " + reason);
  };

  llvm::SmallString<128> target, temporary;
  int fd = -1;
  if (Error error = openTemporary(path, target, fd, temporary))
    return error;
  llvm::sys::RemoveFileOnSignal(temporary);
  llvm::scope_exit discard([&] {
    (void)fs::remove(temporary);
    llvm::sys::DontRemoveFileOnSignal(temporary);
  });

  {
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/false);
    llvm::scope_exit close([&] { ::close(fd); });
    Error written = write(os);
    os.flush();
    const std::error_code failure = os.error();
    os.clear_error();
    if (written)
      return written;
    if (failure)
      return makeError(failure.message() + "; nothing was written");
    if (::fsync(fd) != 0)
      return makeError(Twine(std::strerror(errno)) + "; nothing was written");
  }
  if (std::error_code error = fs::rename(temporary, target))
    return makeError(error.message() + "; nothing was written");
  discard.release();
  llvm::sys::DontRemoveFileOnSignal(temporary);

  // The new name survives a power cut only once its folder is on disk. Not
  // every file system can sync a folder; the file is complete either way.
  llvm::SmallString<128> folder = target;
  llvm::sys::path::remove_filename(folder);
  const int folderFd =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (folderFd >= 0) {
    (void)::fsync(folderFd);
    ::close(folderFd);
  }
  return Error::success();
}
