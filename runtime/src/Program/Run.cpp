//===-- Run.cpp - The context of a call of a compiled program -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first message is the one worth reading: after it the program is on a path
// its author excluded, and what it reports then is a consequence.
//
//===----------------------------------------------------------------------===//

#include "Program/RunState.h"

#include "Device/Device.h"
#include "Support/Failure.h"
#include "Support/Handle.h"
#include "Support/SizedStruct.h"

#include <cstdarg>
#include <cstdio>
#include <new>

using namespace amp::rt;

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

AmpRtStatus ampRtRunCreate(AmpRtRun **run) {
  if (!run)
    return failNull("ampRtRunCreate", "run");
  AmpRtRun *result = new (std::nothrow) AmpRtRun;
  if (!result)
    return failNoMemory("ampRtRunCreate", "a run");
  *run = result;
  return AMP_RT_OK;
}

void ampRtRunDestroy(AmpRtRun *run) {
  if (!run)
    return;
  hostHeap().freeAll(run->memory);
  run->blocks.freeAll();
  (void)leaveDevice("ampRtRunDestroy", *run); // nobody takes a status
  clearTag(run);
  delete run;
}

int64_t ampRtRunHandle(const AmpRtRun *run) { return toHandle(run); }

AmpRtStatus ampRtRunGetMemory(const AmpRtRun *run, AmpRtRunMemory *memory) {
  const char *call = "ampRtRunGetMemory";
  if (!run)
    return failNull(call, "run");
  if (!memory)
    return failNull(call, "memory");
  if (AmpRtStatus status = checkStructSize(
          call, "AmpRtRunMemory", memory->structSize, sizeof(AmpRtRunMemory)))
    return status;
  // The latest call had memory of one of the two.
  writeStruct(AmpRtRunMemory{sizeof(AmpRtRunMemory), /*reserved=*/0,
                             run->memory.bytesPeak + run->blocks.bytesPeak,
                             run->memory.allocations + run->blocks.allocations,
                             run->leaks},
              *memory);
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// A call
//===----------------------------------------------------------------------===//

AmpRtStatus amp::rt::failNoRun(const char *call, int64_t handle) {
  return fail(AMP_RT_INVALID_ARGUMENT,
              "%s: expected the handle of a run, but got %#llx; pass what "
              "ampRtRunHandle gave, and destroy the run after the program",
              call, static_cast<unsigned long long>(handle));
}

AmpRtStatus amp::rt::checkIdle(const char *call, const AmpRtRun *run,
                               const char *part) {
  if (!run)
    return failNull(call, "run");
  if (run->isRunning)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected a run that no call uses; set the %s before the "
                "call",
                call, part);
  return AMP_RT_OK;
}

AmpRtStatus amp::rt::failNoCall(const char *call) {
  return fail(AMP_RT_INVALID_ARGUMENT,
              "%s: expected a run with a call that has begun; call "
              "ampRtRunBegin before, and ampRtRunEnd once after it",
              call);
}

AmpRtStatus ampRtRunBegin(int64_t handle) {
  const char *call = "ampRtRunBegin";
  AmpRtRun *run = fromHandle<AmpRtRun>(handle);
  if (!run)
    return failNoRun(call, handle);
  std::lock_guard<std::mutex> lock(run->mutex);
  if (run->isRunning.exchange(true))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected a run that no other call uses; make one for each "
                "thread",
                call);
  ++run->calls;
  run->errors = 0;
  run->memory.bytesPeak = 0;
  run->memory.allocations = 0;
  run->blocks.resetCounts();
  return AMP_RT_OK;
}

AmpRtStatus ampRtRunEnd(int64_t handle) {
  AmpRtRun *run = fromHandle<AmpRtRun>(handle);
  if (!run)
    return failNoRun("ampRtRunEnd", handle);
  std::lock_guard<std::mutex> lock(run->mutex);
  if (!run->isRunning)
    return failNoCall("ampRtRunEnd");
  run->leaks = hostHeap().freeAll(run->memory) + run->blocks.freeAll();
  run->isRunning = false;
  if (run->errors == 0)
    return AMP_RT_OK;
  if (run->errors == 1)
    return fail(run->firstStatus, "%s", run->first);
  return fail(run->firstStatus, "%s (and %lld more errors after it)",
              run->first, static_cast<long long>(run->errors - 1));
}

void amp::rt::recordError(int64_t handle, AmpRtStatus status,
                          const char *format, ...) {
  AmpRtRun *run = fromHandle<AmpRtRun>(handle);
  if (!run)
    return;
  std::lock_guard<std::mutex> lock(run->mutex);
  if (run->errors++ > 0)
    return;
  run->firstStatus = status;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(run->first, sizeof(run->first), format, arguments);
  va_end(arguments);
}

void ampRtRunReportAssert(int64_t run, const char *message) {
  recordError(run, AMP_RT_PROGRAM_ERROR,
              "assertion in the compiled program failed: %s",
              message ? message : "(no text)");
}
