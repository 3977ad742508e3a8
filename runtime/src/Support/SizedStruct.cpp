//===-- SizedStruct.cpp - Structs of older and newer callers --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/SizedStruct.h"

#include "amp-rt/Version.h"

#include "Support/Failure.h"

#include <algorithm>
#include <cstring>

using namespace amp::rt;

/// The size itself and one member more. No struct was ever smaller, and what
/// callers of version 0.1.0 set here, a version of 1, is none.
static constexpr uint32_t kSmallest = 8;

/// A page: no struct is larger, and what is not initialised usually is.
static constexpr uint32_t kLargest = 4096;

static uint32_t sizeOf(const void *given) {
  uint32_t size;
  std::memcpy(&size, given, sizeof(size));
  return size;
}

AmpRtStatus amp::rt::checkStructSize(const char *call, const char *name,
                                     uint32_t given, uint32_t known) {
  if (given >= kSmallest && given <= kLargest)
    return AMP_RT_OK;
  return fail(AMP_RT_VERSION_MISMATCH,
              "%s: expected %s of %u bytes, or as many as another release of "
              "libamp-rt has, but its member 'structSize' is %u; set it to "
              "sizeof(%s) before the call",
              call, name, known, given, name);
}

AmpRtStatus amp::rt::readStructBytes(const char *call, const char *name,
                                     const void *given, void *known,
                                     uint32_t size) {
  uint32_t givenSize = sizeOf(given);
  if (AmpRtStatus status = checkStructSize(call, name, givenSize, size))
    return status;
  const char *bytes = static_cast<const char *>(given);
  for (uint32_t i = size; i < givenSize; ++i)
    if (bytes[i] != 0)
      return fail(AMP_RT_VERSION_MISMATCH,
                  "%s: expected what follows the first %u bytes of %s to be 0, "
                  "but byte %u is not: this member is unknown to libamp-rt %s; "
                  "leave it 0, or install a newer library",
                  call, size, name, i, ampRtVersionText());
  std::memset(known, 0, size);
  std::memcpy(known, given, std::min(size, givenSize));
  std::memcpy(known, &size, sizeof(size));
  return AMP_RT_OK;
}

void amp::rt::writeStructBytes(const void *known, uint32_t size, void *given) {
  const uint32_t givenSize = sizeOf(given);
  if (givenSize < sizeof(givenSize))
    return; // an initialiser has no status; the next call refuses it
  const uint32_t written = std::min(size, givenSize);
  char *bytes = static_cast<char *>(given);
  std::memcpy(bytes + sizeof(givenSize),
              static_cast<const char *>(known) + sizeof(givenSize),
              written - sizeof(givenSize));
  std::memset(bytes + written, 0, givenSize - written);
}
