//===- JsonFile.cpp - JSON files that a run reads -------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonFile.h"

#include "llvm/Support/MemoryBuffer.h"

using llvm::createStringError;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

llvm::Expected<json::Value> mlir::amp::readJsonFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(Twine("cannot open '") + path +
                             "': " + buffer.getError().message());
  llvm::Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return createStringError(Twine("expected '") + path + "' to be JSON: " +
                             llvm::toString(value.takeError()));
  return value;
}

llvm::Error mlir::amp::makeJsonContentError(StringRef path, StringRef hold,
                                            const json::Path::Root &root) {
  return createStringError(Twine("expected '") + path + "' to hold " + hold +
                           ": " + llvm::toString(root.getError()));
}
