//===- TemporaryFolder.cpp - Folders that are gone at the end -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/TemporaryFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir::amp;
using llvm::SmallString;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    (void)fs::remove_directories(path);
}

std::error_code TemporaryFolder::create(const std::string &name) {
  // Who may read what is made in it is the umask's to say.
  std::error_code error =
      fs::create_directory(name, /*IgnoreExisting=*/false, fs::perms::all_all);
  if (!error)
    path = name;
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
