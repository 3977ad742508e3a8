//===- LinkTarget.cpp - Where a name of a new file leads ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkTarget.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <optional>
#include <unistd.h>

using llvm::StringRef;
namespace path = llvm::sys::path;

/// Where the symbolic link at `link` leads; none if it is no link.
static std::optional<std::string> readLink(StringRef link) {
  char target[4096];
  const ssize_t size = ::readlink(link.str().c_str(), target, sizeof(target));
  if (size < 0)
    return std::nullopt;
  llvm::SmallString<128> result;
  const StringRef text(target, size);
  if (path::is_relative(text))
    result = path::parent_path(link);
  path::append(result, text);
  return result.str().str();
}

std::string mlir::amp::getLinkTarget(StringRef start) {
  std::string name = start.str();
  constexpr int kMostLinks = 40; // as the kernel has it
  for (int i = 0; i < kMostLinks; ++i) {
    std::optional<std::string> target = readLink(name);
    if (!target)
      break;
    name = std::move(*target);
  }
  return name;
}
