//===- KernelCache.cpp - Compiled kernels on disk -------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is one line, `amp-kernel-1 HASH`, and the code whose hash that is.
//
//===----------------------------------------------------------------------===//

#include "KernelCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr StringLiteral kMagic = "amp-kernel-1 ";

static std::string getHash(StringRef text) {
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string KernelCache::getKey(ArrayRef<StringRef> parts) {
  llvm::SHA256 hash;
  for (StringRef part : parts) {
    // With its length, so that no two lists are the same text.
    hash.update(std::to_string(part.size()) + ":");
    hash.update(part);
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string KernelCache::getPath(StringRef key) const {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, key + ".kernel");
  return path.str().str();
}

std::optional<KernelCode> KernelCache::read(StringRef key,
                                            bool &isDamaged) const {
  isDamaged = false;
  if (!isEnabled())
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(getPath(key));
  if (!file)
    return std::nullopt;
  StringRef text = (*file)->getBuffer();
  auto [line, code] = text.split('\n');
  if (!line.consume_front(kMagic) || line != getHash(code)) {
    isDamaged = true;
    return std::nullopt;
  }
  return KernelCode(code.begin(), code.end());
}

LogicalResult KernelCache::write(StringRef key, ArrayRef<char> code,
                                 std::string &reason) const {
  auto fail = [&](std::error_code error) {
    reason = error.message();
    return failure();
  };
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return fail(error);
  SmallString<128> path;
  int descriptor;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(
          getPath(key) + ".%%%%%%%%.part", descriptor, path))
    return fail(error);
  StringRef text(code.data(), code.size());
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << kMagic << getHash(text) << "\n" << text;
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  if (!error)
    error = llvm::sys::fs::rename(path, getPath(key));
  if (!error)
    return success();
  llvm::sys::fs::remove(path);
  return fail(error);
}
