//===-- Status.cpp - Status texts, one buffer per thread ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Status.h"

#include "Support/Failure.h"

#include <cstdarg>
#include <cstdio>

using namespace amp::rt;

// A plain array: no destructor runs at thread exit, so a text can be asked for
// by another library's destructors too.
static thread_local char statusText[1024];

AmpRtStatus amp::rt::fail(AmpRtStatus status, const char *format, ...) {
  // Formatted aside first: an argument may be the current status text.
  char text[sizeof(statusText)];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  std::snprintf(statusText, sizeof(statusText), "%s", text);
  return status;
}

AmpRtStatus amp::rt::failNull(const char *call, const char *argument) {
  return fail(AMP_RT_INVALID_ARGUMENT, "%s: expected '%s' not to be null", call,
              argument);
}

AmpRtStatus amp::rt::failNoMemory(const char *call, const char *object) {
  return fail(AMP_RT_OUT_OF_MEMORY,
              "%s: no memory left for %s; destroy objects that are no longer "
              "used",
              call, object);
}

const char *ampRtStatusText() { return statusText; }

const char *ampRtStatusName(AmpRtStatus status) {
  switch (status) {
  case AMP_RT_OK:
    return "ok";
  case AMP_RT_INVALID_ARGUMENT:
    return "invalid argument";
  case AMP_RT_VERSION_MISMATCH:
    return "version mismatch";
  case AMP_RT_NOT_FOUND:
    return "not found";
  case AMP_RT_UNAVAILABLE:
    return "unavailable";
  case AMP_RT_OUT_OF_MEMORY:
    return "out of memory";
  case AMP_RT_PROGRAM_ERROR:
    return "program error";
  case AMP_RT_DEVICE_ERROR:
    return "device error";
  }
  return "unknown status";
}
