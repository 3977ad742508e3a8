//===- TemporaryFolder.cpp - Folders that are gone at the end -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a signal must remove stands where its handler can read it: in a table
// that never moves. The handler calls what is safe there alone, and so no
// opendir, which allocates.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/TemporaryFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <atomic>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>

using namespace mlir::amp;
using llvm::SmallString;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

namespace {
struct Slot {
  enum State { Free, Claimed, Used };
  std::atomic<int> state;
  char path[PATH_MAX];
};
} // namespace

static_assert(std::atomic<int>::is_always_lock_free,
              "a signal handler must not wait for a lock");

/// More at a time than any tool has; one too many is left by a signal.
static Slot slots[8];

static int writeDown(StringRef path) {
  if (path.size() >= sizeof(Slot::path))
    return -1;
  for (Slot &slot : slots) {
    int free = Slot::Free;
    if (!slot.state.compare_exchange_strong(free, Slot::Claimed))
      continue;
    std::memcpy(slot.path, path.data(), path.size());
    slot.path[path.size()] = 0;
    slot.state = Slot::Used;
    return static_cast<int>(&slot - slots);
  }
  return -1;
}

/// Removes what `name` in `parent` is; if that is a folder, with all in it.
static void removeTree(int parent, const char *name) {
  const int fd =
      openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    (void)unlinkat(parent, name, 0);
    return;
  }
  // Again from the start: what is removed may hide what follows, and others may
  // still be at work in there.
  constexpr int kMostPasses = 64;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (unlinkat(parent, name, AT_REMOVEDIR) == 0)
      break;
    alignas(dirent64) char buffer[2048];
    (void)lseek(fd, 0, SEEK_SET);
    const ssize_t size = getdents64(fd, buffer, sizeof(buffer));
    for (ssize_t at = 0; at < size;) {
      auto *entry = reinterpret_cast<dirent64 *>(buffer + at);
      at += entry->d_reclen;
      const StringRef found = entry->d_name;
      if (found != "." && found != "..")
        removeTree(fd, entry->d_name);
    }
  }
  (void)close(fd);
}

void mlir::amp::removeTemporaryFolders() {
  for (Slot &slot : slots)
    if (slot.state == Slot::Used)
      removeTree(AT_FDCWD, slot.path);
}

static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction previous[std::size(kSignals)];

static void onSignal(int signal) {
  removeTemporaryFolders();
  // Comes when this handler returns.
  for (size_t i = 0; i < std::size(kSignals); ++i)
    if (kSignals[i] == signal)
      sigaction(signal, &previous[i], nullptr);
  (void)raise(signal);
}

void mlir::amp::removeTemporaryFoldersOnSignals() {
  struct sigaction action = {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = onSignal;
  for (size_t i = 0; i < std::size(kSignals); ++i)
    if (sigaction(kSignals[i], nullptr, &previous[i]) == 0 &&
        previous[i].sa_handler != SIG_IGN)
      sigaction(kSignals[i], &action, nullptr);
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

TemporaryFolder::~TemporaryFolder() {
  if (path.empty())
    return;
  (void)fs::remove_directories(path);
  keep();
}

void TemporaryFolder::keep() {
  if (!path.empty() && slot >= 0)
    slots[slot].state = Slot::Free;
  path.clear();
}

std::error_code TemporaryFolder::create(const std::string &name) {
  // Who may read what is made in it is the umask's to say.
  std::error_code error =
      fs::create_directory(name, /*IgnoreExisting=*/false, fs::perms::all_all);
  if (!error) {
    path = name;
    slot = writeDown(path);
  }
  return error;
}

std::error_code TemporaryFolder::createUnique(const Twine &prefix) {
  std::error_code error;
  for (int attempt = 0; attempt < 16; ++attempt) {
    SmallString<128> name;
    fs::createUniquePath(prefix + "-%%%%%%%%", name, /*MakeAbsolute=*/false);
    error = create(name.str().str());
    if (error != std::errc::file_exists)
      break;
  }
  return error;
}

llvm::Error TemporaryFolder::createInSystem(StringRef name) {
  SmallString<128> system, prefix;
  path::system_temp_directory(/*erasedOnReboot=*/true, system);
  path::append(prefix = system, name);
  if (std::error_code error = createUnique(prefix))
    return llvm::createStringError(
        Twine("cannot make a temporary folder in '") + system + "': " +
        error.message() + "; set TMPDIR to a folder that can be written to");
  return llvm::Error::success();
}

std::string TemporaryFolder::getFile(const Twine &name) const {
  SmallString<128> result = StringRef(path);
  path::append(result, name);
  return result.str().str();
}

llvm::Error OwnTemporaryFiles::begin(StringRef name) {
  if (llvm::Error error = folder.createInSystem(name))
    return error;
  if (const char *given = std::getenv("TMPDIR"))
    before = given;
  setenv("TMPDIR", folder.getPath().c_str(), /*replace=*/1);
  return llvm::Error::success();
}

OwnTemporaryFiles::~OwnTemporaryFiles() {
  if (folder.getPath().empty())
    return;
  if (before)
    setenv("TMPDIR", before->c_str(), /*replace=*/1);
  else
    unsetenv("TMPDIR");
}
