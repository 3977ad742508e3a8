//===-- Version.cpp - Version of the loaded library -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Version.h"

#include "Support/Failure.h"

#define AMP_RT_QUOTE(x) #x
#define AMP_RT_TEXT(x) AMP_RT_QUOTE(x)

uint32_t ampRtVersionGet() { return AMP_RT_VERSION; }

const char *ampRtVersionText() {
  return AMP_RT_TEXT(AMP_RT_VERSION_MAJOR) "." AMP_RT_TEXT(
      AMP_RT_VERSION_MINOR) "." AMP_RT_TEXT(AMP_RT_VERSION_PATCH);
}

AmpRtStatus ampRtVersionCheck(uint32_t version) {
  uint32_t major = version >> 16, minor = version >> 8 & 0xff;
  bool compatible = major == AMP_RT_VERSION_MAJOR &&
                    (AMP_RT_VERSION_MAJOR > 0 || minor == AMP_RT_VERSION_MINOR);
  if (compatible)
    return AMP_RT_OK;
  return amp::rt::fail(
      AMP_RT_VERSION_MISMATCH,
      "ampRtVersionCheck: expected a caller compiled for libamp-rt %s, but it "
      "was compiled for %u.%u.%u; compile it against the installed headers",
      ampRtVersionText(), major, minor, version & 0xff);
}
