//===-- FakeModules.cpp - Images that the fake driver loads ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX is read as far as a launch needs it:
//
//   .visible .entry NAME(.param .u64 .ptr .global NAME_0,
//                        .param .align 64 .b8 NAME_1[128])
//   .maxntid 384  .reqnctapercluster 2, 1, 1
//
// and in a comment "fake: static_shared=1024 registers=168". Of an ELF file
// only the names of its `.text.NAME` sections are read.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstdlib>
#include <cstring>

using namespace fakecuda;

static Parameter readParameter(const std::string &text) {
  size_t bracket = text.find('[');
  if (bracket != std::string::npos)
    return {static_cast<size_t>(std::atoi(&text[bracket + 1])), false};
  bool isPointer = text.find(".ptr") != std::string::npos;
  for (auto [suffix, bytes] : {std::pair<const char *, size_t>{"64 ", 8},
                               {"32 ", 4},
                               {"16 ", 2},
                               {"8 ", 1}})
    if (text.find(suffix) != std::string::npos)
      return {bytes, isPointer};
  return {0, false};
}

static std::vector<Parameter> readParameters(const std::string &list) {
  std::vector<Parameter> result;
  for (size_t at = 0; (at = list.find(".param", at)) != std::string::npos;) {
    size_t end = list.find(".param", at + 1);
    result.push_back(readParameter(list.substr(at + 6, end - at - 6)));
    at += 6;
  }
  return result;
}

static void readNumbers(const std::string &text, const char *word, int *values,
                        int count) {
  size_t at = text.find(word);
  if (at == std::string::npos)
    return;
  const char *cursor = text.c_str() + at + std::strlen(word);
  for (int i = 0; i < count; ++i) {
    char *end = nullptr;
    long value = std::strtol(cursor, &end, 10);
    if (end == cursor)
      return;
    values[i] = static_cast<int>(value);
    cursor = *end == ',' ? end + 1 : end;
  }
}

static bool readPtx(LoadedModule &module, const std::string &text,
                    std::string &log) {
  if (text.find("not ptx") != std::string::npos) {
    log = "ptxas application ptx input, line 3; fatal : Parsing error near "
          "'not': syntax error";
    return false;
  }
  for (size_t at = 0; (at = text.find(".entry ", at)) != std::string::npos;) {
    at += 7;
    size_t open = text.find('(', at), close = text.find(')', open);
    size_t end = text.find(".entry ", close);
    auto kernel = std::make_unique<Kernel>();
    kernel->name = text.substr(at, open - at);
    kernel->hasParameters = true;
    kernel->parameters = readParameters(text.substr(open, close - open));
    std::string rest = text.substr(close, end - close);
    readNumbers(rest, ".maxntid ", &kernel->maxThreads, 1);
    readNumbers(rest, ".reqnctapercluster ", kernel->requiredCluster, 3);
    readNumbers(rest, "static_shared=", &kernel->staticShared, 1);
    readNumbers(rest, "registers=", &kernel->registers, 1);
    module.kernels[kernel->name] = std::move(kernel);
  }
  return true;
}

bool fakecuda::readImage(LoadedModule &module, const char *image,
                         std::string &log) {
  if (std::memcmp(image,
                  "\x7f"
                  "ELF",
                  4) != 0) {
    module.image = image;
    return readPtx(module, module.image, log);
  }
  uint64_t sections;
  uint16_t entryBytes, count;
  std::memcpy(&sections, image + 40, 8);
  std::memcpy(&entryBytes, image + 58, 2);
  std::memcpy(&count, image + 60, 2);
  module.image.assign(image, sections + uint64_t(entryBytes) * count);
  std::string marker = ".text.";
  for (size_t at = 0;
       (at = module.image.find(marker, at)) != std::string::npos;) {
    at += marker.size();
    auto kernel = std::make_unique<Kernel>();
    kernel->name = module.image.c_str() + at;
    module.kernels[kernel->name] = std::move(kernel);
  }
  return true;
}
