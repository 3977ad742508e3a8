//===-- ProgramErrors.cpp - Errors of compiled programs, per thread -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first message is the one worth reading: after a failed assert the program
// is on a path its author excluded, and what it reports then is a consequence.
//
//===----------------------------------------------------------------------===//

#include "Support/ProgramErrors.h"

#include "amp-rt/Program.h"

#include "Support/Failure.h"

#include <cstdarg>
#include <cstdint>
#include <cstdio>

using namespace amp::rt;

namespace {
struct ProgramErrors {
  /// Errors since the last clear.
  int64_t count;
  /// Text of the first of them; meaningless if count is 0.
  char first[900];
};
} // namespace

static thread_local ProgramErrors programErrors;

void amp::rt::recordProgramError(const char *format, ...) {
  if (programErrors.count++ > 0)
    return;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(programErrors.first, sizeof(programErrors.first), format,
                 arguments);
  va_end(arguments);
}

void ampRtProgramClearError() { programErrors.count = 0; }

AmpRtStatus ampRtProgramTakeError() {
  int64_t count = programErrors.count;
  programErrors.count = 0;
  if (count == 0)
    return AMP_RT_OK;
  if (count == 1)
    return fail(AMP_RT_PROGRAM_ERROR, "%s", programErrors.first);
  return fail(AMP_RT_PROGRAM_ERROR, "%s (and %lld more errors after it)",
              programErrors.first, static_cast<long long>(count - 1));
}

void ampRtReportAssert(const char *message) {
  recordProgramError("assertion in the compiled program failed: %s",
                     message ? message : "(no text)");
}
