//===-- RunOnDevice.cpp - Calls of programs for a device ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a call does is asked of the device in the order of the program and not
// waited for, but where the program wants a number to go on with.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Load.h"

#include "Program/Capture.h"
#include "Program/LoadedProgram.h"
#include "Program/RunState.h"
#include "Support/FirstFailure.h"
#include "Support/Handle.h"

#include <new>

using namespace amp::rt;

//===----------------------------------------------------------------------===//
// The program of a run
//===----------------------------------------------------------------------===//

AmpRtStatus amp::rt::leaveDevice(const char *call, AmpRtRun &run) {
  if (!run.device)
    return AMP_RT_OK;
  FirstFailure failure;
  failure.add(run.sent->wait(call, *run.device));
  failure.add(run.reports->finish(call, *run.device, run.calls));
  failure.add(run.blocks.giveBack(call, *run.device));
  run.program = nullptr;
  run.device = nullptr;
  return failure.report();
}

AmpRtStatus ampRtRunSetProgram(AmpRtRun *run, AmpRtLoadedProgram *loaded) {
  const char *call = "ampRtRunSetProgram";
  if (AmpRtStatus status = checkIdle(call, run, "program"))
    return status;
  if (run->blocks.isPinned())
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected a run without captures; destroy them before "
                "(ampRtCaptureDestroy)",
                call);
  if (loaded && !run->sent) {
    run->sent.reset(new (std::nothrow) SentNumbers);
    if (!run->sent)
      return failNoMemory(call, "numbers on their way to a device");
  }
  if (loaded && !run->reports) {
    run->reports.reset(new (std::nothrow) DeviceReports);
    if (!run->reports)
      return failNoMemory(call, "reports of a device");
  }
  AmpRtStatus status = leaveDevice(call, *run);
  run->program = loaded;
  run->device = loaded ? &loaded->device : nullptr;
  return status;
}

AmpRtStatus ampRtRunSynchronize(AmpRtRun *run) {
  const char *call = "ampRtRunSynchronize";
  if (!run)
    return failNull(call, "run");
  if (!run->device)
    return AMP_RT_OK;
  return run->reports->hear(call, *run->device, run->calls);
}

//===----------------------------------------------------------------------===//
// Program entry points
//===----------------------------------------------------------------------===//

AmpRtStatus amp::rt::recordStatus(int64_t handle, AmpRtStatus status) {
  if (status != AMP_RT_OK)
    recordError(handle, status, "%s", ampRtStatusText());
  return status;
}

AmpRtStatus amp::rt::findRunOnDevice(const char *call, int64_t handle,
                                     AmpRtRun *&run) {
  run = fromHandle<AmpRtRun>(handle);
  if (!run)
    return failNoRun(call, handle);
  if (!run->isRunning) // nobody would read what is recorded
    return failNoCall(call);
  if (run->program)
    return AMP_RT_OK;
  return recordStatus(
      handle, fail(AMP_RT_INVALID_ARGUMENT,
                   "%s: expected a run with a loaded program, but it has "
                   "none; load the program on a device, and call "
                   "ampRtRunSetProgram before the program",
                   call));
}

AmpRtStatus ampRtRunLaunch(int64_t handle, int32_t module,
                           void *const *operands) {
  const char *call = "ampRtRunLaunch";
  AmpRtRun *run = nullptr;
  if (AmpRtStatus status = findRunOnDevice(call, handle, run))
    return status;
  return recordStatus(handle, run->program->launch(call, module, operands));
}

AmpRtStatus ampRtRunCopy(int64_t handle, void *target, const void *source,
                         int64_t bytes) {
  const char *call = "ampRtRunCopy";
  AmpRtRun *run = nullptr;
  if (AmpRtStatus status = findRunOnDevice(call, handle, run))
    return status;
  return recordStatus(handle, copyBytes(call, *run->device, target, source,
                                        bytes, AMP_RT_COPY_ON_DEVICE));
}

AmpRtStatus ampRtRunRead(int64_t handle, void *target, const void *source,
                         int64_t bytes) {
  const char *call = "ampRtRunRead";
  AmpRtRun *run = nullptr;
  if (AmpRtStatus status = findRunOnDevice(call, handle, run))
    return status;
  if (run->capture)
    return recordStatus(
        handle, fail(AMP_RT_INVALID_ARGUMENT,
                     "%s: device '%s': expected a call that can be captured "
                     "as a graph, but the host goes on with a number that it "
                     "reads; do not capture it",
                     call, run->device->name()));
  AmpRtStatus status = copyBytes(call, *run->device, target, source, bytes,
                                 AMP_RT_COPY_FROM_DEVICE);
  if (status == AMP_RT_OK)
    status = run->device->synchronize(call);
  return recordStatus(handle, status);
}

AmpRtStatus ampRtRunWrite(int64_t handle, void *target, const void *source,
                          int64_t bytes) {
  const char *call = "ampRtRunWrite";
  AmpRtRun *run = nullptr;
  if (AmpRtStatus status = findRunOnDevice(call, handle, run))
    return status;
  AmpRtStatus status = checkCopy(call, *run->device, target, source, bytes);
  if (status == AMP_RT_OK && bytes > SentNumbers::kMostBytes)
    status = fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: device '%s': expected a number of at most %lld bytes, "
                  "but got %lld; copy larger values before the call",
                  call, run->device->name(),
                  static_cast<long long>(SentNumbers::kMostBytes),
                  static_cast<long long>(bytes));
  SentNumbers &numbers = run->capture ? run->capture->numbers : *run->sent;
  if (status == AMP_RT_OK && bytes > 0)
    status = numbers.send(call, *run->device, target, source, bytes);
  return recordStatus(handle, status);
}

AmpRtStatus ampRtRunReportViolation(int64_t handle, const void *violated,
                                    const char *message, int64_t length) {
  const char *call = "ampRtRunReportViolation";
  AmpRtRun *run = nullptr;
  if (AmpRtStatus status = findRunOnDevice(call, handle, run))
    return status;
  if (!message || length < 0)
    return recordStatus(
        handle,
        fail(AMP_RT_INVALID_ARGUMENT,
             "%s: expected a message of at least 0 bytes, but got %s of "
             "%lld",
             call, message ? "one" : "null", static_cast<long long>(length)));
  return recordStatus(
      handle, run->capture
                  ? run->capture->addReport(call, violated, message, length)
                  : run->reports->add(call, *run->device, violated, message,
                                      length, run->calls));
}

void *ampRtRunConstant(int64_t handle, const void *source, int64_t bytes) {
  const char *call = "ampRtRunConstant";
  AmpRtRun *run = nullptr;
  if (findRunOnDevice(call, handle, run) != AMP_RT_OK)
    return nullptr;
  void *pointer = nullptr;
  recordStatus(handle, run->program->constant(call, source, bytes, pointer));
  return pointer;
}
