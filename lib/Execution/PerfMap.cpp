//===- PerfMap.cpp - Names of compiled functions for perf -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/PerfMap.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Format.h"

#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

using namespace mlir::amp;
using llvm::ArrayRef;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

/// What amp-outline-parallel-loops adds to the name of a function that it
/// divides.
static constexpr llvm::StringLiteral kPart = "_part";

std::string mlir::amp::getPerfMapPath() {
  return ("/tmp/perf-" + Twine(::getpid()) + ".map").str();
}

void mlir::amp::printPerfMap(llvm::raw_ostream &os,
                             ArrayRef<LinkedFunction> functions,
                             ArrayRef<KernelTime> kernels) {
  llvm::StringMap<StringRef> titles;
  for (const KernelTime &kernel : kernels)
    titles[kernel.name] = kernel.what;
  for (const LinkedFunction &function : functions) {
    os << llvm::format("%llx %llx ", (unsigned long long)function.address,
                       (unsigned long long)function.size)
       << function.name;
    const StringRef kernel = StringRef(function.name).split(kPart).first;
    if (auto title = titles.find(kernel); title != titles.end())
      os << ' ' << title->second;
    os << '\n';
  }
}

/// Opens the file at `path` for what is added to it; -1 with errno if it cannot
/// be had. Anybody may have put a file or a link of this name into a folder
/// that all share: what is there before the first call goes, and a link is
/// never written through.
static int openPerfMap(const std::string &path, bool isBegun) {
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CLOEXEC;
  if (isBegun) {
    int file = ::open(path.c_str(), kFlags | O_NOFOLLOW);
    if (file >= 0 || errno != ENOENT)
      return file;
    // Somebody took it away.
  } else if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return -1;
  }
  constexpr int kReadableByAll = 0644;
  return ::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kReadableByAll);
}

Error mlir::amp::writePerfMap(StringRef path,
                              ArrayRef<LinkedFunction> functions,
                              ArrayRef<KernelTime> kernels) {
  // The maps that this process has begun. A child after fork() has another
  // number, and so another path.
  static std::mutex mutex;
  static llvm::StringSet<> begun;
  auto makeError = [&](const Twine &reason) {
    return llvm::createStringError(Twine("cannot write '") + path +
                                   "', where perf looks for names: " + reason);
  };
  std::lock_guard<std::mutex> lock(mutex);
  int opened = openPerfMap(path.str(), begun.contains(path));
  if (opened < 0)
    return makeError(llvm::sys::StrError());
  begun.insert(path);
  llvm::raw_fd_ostream file(opened, /*shouldClose=*/true);
  printPerfMap(file, functions, kernels);
  file.close();
  std::error_code failure = file.error();
  file.clear_error();
  return failure ? makeError(failure.message()) : Error::success();
}
