//===- NoCompression.cpp - LLVM without zlib and zstd ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's archives were built to compress debug sections and profiles, with two
// libraries that a user's machine may not have. The package reads and writes
// neither: this file stands in for llvm/lib/Support/Compression.cpp and for
// CRC.cpp, which asks zlib for its sums. The linker then has no reason to take
// those members of the archive. It answers as LLVM built without the libraries.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

static const char *const kReason =
    "LLVM was not built with compression in this package";

static Error makeError() { return createStringError(kReason); }

bool compression::zlib::isAvailable() { return false; }
void compression::zlib::compress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &,
                                 int) {
  llvm_unreachable("zlib::compress is unavailable");
}
Error compression::zlib::decompress(ArrayRef<uint8_t>, uint8_t *, size_t &) {
  return makeError();
}
Error compression::zlib::decompress(ArrayRef<uint8_t>,
                                    SmallVectorImpl<uint8_t> &, size_t) {
  return makeError();
}

bool compression::zstd::isAvailable() { return false; }
void compression::zstd::compress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &,
                                 int, bool) {
  llvm_unreachable("zstd::compress is unavailable");
}
Error compression::zstd::decompress(ArrayRef<uint8_t>, uint8_t *, size_t &) {
  return makeError();
}
Error compression::zstd::decompress(ArrayRef<uint8_t>,
                                    SmallVectorImpl<uint8_t> &, size_t) {
  return makeError();
}

const char *compression::getReasonIfUnsupported(compression::Format) {
  return kReason;
}
void compression::compress(Params, ArrayRef<uint8_t>,
                           SmallVectorImpl<uint8_t> &) {
  llvm_unreachable("compression is unavailable");
}
Error compression::decompress(DebugCompressionType, ArrayRef<uint8_t>,
                              uint8_t *, size_t) {
  return makeError();
}
Error compression::decompress(compression::Format, ArrayRef<uint8_t>,
                              SmallVectorImpl<uint8_t> &, size_t) {
  return makeError();
}
Error compression::decompress(DebugCompressionType, ArrayRef<uint8_t>,
                              SmallVectorImpl<uint8_t> &, size_t) {
  return makeError();
}

uint32_t llvm::crc32(uint32_t sum, ArrayRef<uint8_t> bytes) {
  sum = ~sum;
  for (uint8_t byte : bytes) {
    sum ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      sum = (sum >> 1) ^ (sum & 1 ? 0xEDB88320 : 0);
  }
  return ~sum;
}
uint32_t llvm::crc32(ArrayRef<uint8_t> bytes) { return crc32(0, bytes); }
void JamCRC::update(ArrayRef<uint8_t> bytes) {
  CRC = ~llvm::crc32(~CRC, bytes);
}
