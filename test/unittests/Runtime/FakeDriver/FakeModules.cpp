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
// and in a comment "fake: static_shared=1024 registers=168".
//
// Of a cubin, an ELF file, each `.text.NAME` is a kernel, and `.nv.info.NAME`
// says what PTX says above, in records of two bytes, format and attribute, and
// 16 bits, which are the bytes that follow if the format is 4 (nvdisasm prints
// them by name). Numbers in them are of 32 bits, if nothing else is said:
//
//   0x17 KPARAM_INFO      0, ordinal and offset in 16 bits each, and bits: the
//                         bytes of the parameter << 18 | 0x1f000 | memory space
//                         << 8 (0: no pointer) | log2 of what the pointer is
//                         a multiple of
//   0x05 MAX_THREADS, 0x10 REQNTID, 0x3d CTA_PER_CLUSTER   three each
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstdlib>
#include <cstring>

using namespace fakecuda;

static Parameter readParameter(const std::string &text) {
  size_t align = text.find(".align "), bracket = text.find('[');
  size_t alignment = 1;
  if (align != std::string::npos)
    alignment = static_cast<size_t>(std::atoi(&text[align + 7]));
  if (bracket != std::string::npos) {
    auto bytes = static_cast<size_t>(std::atoi(&text[bracket + 1]));
    return {bytes, false, bytes == kMapBytes && alignment >= kMapAlignment};
  }
  bool isPointer = text.find(".ptr") != std::string::npos;
  for (auto [suffix, bytes] : {std::pair<const char *, size_t>{"64 ", 8},
                               {"32 ", 4},
                               {"16 ", 2},
                               {"8 ", 1}})
    if (text.find(suffix) != std::string::npos)
      return {bytes, isPointer, false, isPointer ? alignment : 1};
  return {};
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

//===----------------------------------------------------------------------===//
// Cubins
//===----------------------------------------------------------------------===//

template <typename T> static T readAt(const char *bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof(T));
  return value;
}

static void readParameterInfo(Kernel &kernel, const char *info) {
  auto ordinal = readAt<uint16_t>(info, 4), offset = readAt<uint16_t>(info, 6);
  auto bits = readAt<uint32_t>(info, 8);
  if (ordinal >= kernel.parameters.size())
    kernel.parameters.resize(ordinal + 1);
  Parameter &parameter = kernel.parameters[ordinal];
  parameter.bytes = bits >> 18;
  parameter.isPointer = (bits >> 8 & 0xf) != 0;
  parameter.alignment = size_t(1) << (bits & 0xff);
  // Nothing says what a struct is; no other has as many bytes at such a place.
  parameter.isMap = parameter.bytes == kMapBytes && offset % kMapAlignment == 0;
}

static void readInfo(Kernel &kernel, const char *info, size_t bytes) {
  enum { kParameter = 0x17, kMaxThreads = 5, kThreads = 0x10, kCluster = 0x3d };
  kernel.hasParameters = true;
  for (size_t at = 0; at + 4 <= bytes;) {
    auto format = readAt<uint8_t>(info, at);
    auto attribute = readAt<uint8_t>(info, at + 1);
    size_t size = format == 4 ? readAt<uint16_t>(info, at + 2) : 0;
    const char *value = info + at + 4;
    at += 4 + size;
    if (size != 12 || at > bytes)
      continue;
    int numbers[3];
    std::memcpy(numbers, value, sizeof(numbers));
    if (attribute == kParameter)
      readParameterInfo(kernel, value);
    else if (attribute == kMaxThreads || attribute == kThreads)
      kernel.maxThreads = numbers[0] * numbers[1] * numbers[2];
    else if (attribute == kCluster)
      std::memcpy(kernel.requiredCluster, numbers, sizeof(numbers));
  }
}

/// The runtime has checked that the image is whole.
static void readCubin(LoadedModule &module, const char *image) {
  if (readAt<uint8_t>(image, 8) == 8) // the ABI's version
    module.architecture = readAt<uint32_t>(image, 48) >> 8 & 0xff;
  auto table = readAt<uint64_t>(image, 40);
  size_t entryBytes = readAt<uint16_t>(image, 58);
  size_t count = readAt<uint16_t>(image, 60);
  size_t names = readAt<uint16_t>(image, 62);
  auto section = [&](size_t i) { return image + table + i * entryBytes; };
  auto contents = [&](size_t i) {
    return image + readAt<uint64_t>(section(i), 24);
  };
  auto kernelOf = [&](const char *name) -> Kernel & {
    std::unique_ptr<Kernel> &kernel = module.kernels[name];
    if (!kernel) {
      kernel = std::make_unique<Kernel>();
      kernel->name = name;
    }
    return *kernel;
  };
  const std::string code = ".text.", info = ".nv.info.";
  for (size_t i = 0; i < count; ++i) {
    const char *name = contents(names) + readAt<uint32_t>(section(i), 0);
    if (code.compare(0, code.size(), name, code.size()) == 0)
      kernelOf(name + code.size());
    else if (info.compare(0, info.size(), name, info.size()) == 0)
      readInfo(kernelOf(name + info.size()), contents(i),
               readAt<uint64_t>(section(i), 32));
  }
}

bool fakecuda::readImage(LoadedModule &module, const char *image,
                         std::string &log) {
  if (std::memcmp(image,
                  "\x7f"
                  "ELF",
                  4) == 0) {
    readCubin(module, image);
    return true;
  }
  return readPtx(module, image, log);
}
