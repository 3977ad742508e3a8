//===- PerfMap.cpp - Names of compiled functions for perf -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/PerfMap.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

#include <cerrno>
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

Error mlir::amp::writePerfMap(StringRef path,
                              ArrayRef<LinkedFunction> functions,
                              ArrayRef<KernelTime> kernels) {
  auto makeError = [&](const Twine &reason) {
    return llvm::createStringError(Twine("cannot write '") + path +
                                   "', where perf looks for names: " + reason);
  };
  // Anybody may have put a file or a link of this name into a folder that all
  // share: it is never written through.
  if (::unlink(path.str().c_str()) != 0 && errno != ENOENT)
    return makeError(llvm::sys::StrError());
  std::error_code failure;
  llvm::raw_fd_ostream file(path, failure, llvm::sys::fs::CD_CreateNew);
  if (failure)
    return makeError(failure.message());
  printPerfMap(file, functions, kernels);
  file.close();
  failure = file.error();
  file.clear_error();
  return failure ? makeError(failure.message()) : Error::success();
}
