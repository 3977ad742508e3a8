//===-- Capture.cpp - A call as a graph of its device ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph repeats launches and copies, but not what the runtime itself does in
// the course of a call. That is noted here, and done at each replay: scalers
// that the host has changed are sent before, and those that the graph writes
// are the device's afterwards; flags of assertions are added to the run's
// reports.
//
//===----------------------------------------------------------------------===//

#include "Program/Capture.h"

#include "Program/RunState.h"
#include "Scaler/ScalerState.h"
#include "Support/Failure.h"
#include "Support/FirstFailure.h"
#include "Support/Handle.h"

#include <new>

using namespace amp::rt;

AmpRtStatus AmpRtCapture::create(const char *call,
                                 const AmpRtFunction &function,
                                 void *const *arguments) {
  AmpRtDevice &device = *run.device;
  run.blocks.pin();
  void *memory = nullptr;
  if (AmpRtStatus status = device.allocate(call, kMostReports, 0, memory))
    return status;
  flags = static_cast<char *>(memory);
  if (AmpRtStatus status = device.beginCapture(call))
    return status;
  run.capture = this;
  FirstFailure failure;
  failure.add(function.call(ampRtRunHandle(&run), arguments));
  run.capture = nullptr;
  failure.add(device.endCapture(call, graph));
  return failure.report();
}

AmpRtStatus AmpRtCapture::addReport(const char *call, const void *violated,
                                    const char *message, int64_t length) {
  if (reportCount == kMostReports)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected at most %d assertions in a call that is "
                "captured; do not capture it",
                call, kMostReports);
  reports[reportCount] = {message, length};
  return copyBytes(call, *run.device, flags + reportCount++, violated,
                   /*bytes=*/1, AMP_RT_COPY_ON_DEVICE);
}

AmpRtStatus AmpRtCapture::addScaler(const char *call, int64_t handle,
                                    const void *record, bool isWritten) {
  for (int i = 0; i < scalerCount; ++i)
    if (scalers[i].handle == handle) {
      scalers[i].isWritten |= isWritten;
      return AMP_RT_OK;
    }
  if (scalerCount == kMostScalers)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected at most %d scalers in a call that is captured; "
                "do not capture it",
                call, kMostScalers);
  scalers[scalerCount++] = {handle, record, isWritten};
  return AMP_RT_OK;
}

AmpRtStatus AmpRtCapture::replay(const char *call) {
  // The graph works in memory that another call of the run would hold.
  if (run.isRunning.exchange(true))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected a run that no call uses; replay between calls",
                call);
  AmpRtStatus status = launch(call);
  run.isRunning = false;
  return status;
}

AmpRtStatus AmpRtCapture::launch(const char *call) {
  AmpRtDevice &device = *run.device;
  for (int i = 0; i < scalerCount; ++i) {
    auto *scaler = fromHandle<AmpRtScaler>(scalers[i].handle);
    if (!scaler)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: expected the scalers of the captured call to live; "
                  "destroy the capture before them",
                  call);
    if (AmpRtStatus status = sendScaler(call, *scaler, device))
      return status;
    if (scaler->remote.address() != scalers[i].record)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: scaler '%s': expected the scaler of the captured call "
                  "where it was, but another device has had it, or it is a new "
                  "one; capture the call again",
                  call, scaler->name);
  }
  if (AmpRtStatus status = graph->launch(call))
    return status;
  for (int i = 0; i < scalerCount; ++i)
    if (scalers[i].isWritten)
      fromHandle<AmpRtScaler>(scalers[i].handle)->remote.goAhead();
  ++run.calls;
  FirstFailure failure;
  for (int i = 0; i < reportCount; ++i)
    failure.add(run.reports->add(call, device, flags + i, reports[i].message,
                                 reports[i].length, run.calls));
  return failure.report();
}

AmpRtStatus AmpRtCapture::destroy(const char *call) {
  FirstFailure failure;
  run.blocks.unpin();
  // A replay may be on its way, which reads `numbers`.
  failure.add(run.device->synchronize(call));
  if (graph)
    failure.add(graph->destroy(call));
  if (flags)
    failure.add(run.device->free(call, flags));
  return failure.report();
}

AmpRtStatus ampRtCaptureCreate(AmpRtRun *run, const AmpRtFunction *function,
                               void *const *arguments, AmpRtCapture **capture) {
  const char *call = "ampRtCaptureCreate";
  if (AmpRtStatus status = checkIdle(call, run, "capture"))
    return status;
  if (!function)
    return failNull(call, "function");
  if (!arguments)
    return failNull(call, "arguments");
  if (!capture)
    return failNull(call, "capture");
  if (!run->program)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected a run with a loaded program, but it has none; "
                "load the program on a device, and call ampRtRunSetProgram",
                call);
  auto *created = new (std::nothrow) AmpRtCapture(*run);
  if (!created)
    return failNoMemory(call, "a capture");
  FirstFailure failure;
  failure.add(created->create(call, *function, arguments));
  if (failure.report() != AMP_RT_OK) {
    failure.add(created->destroy(call));
    delete created;
    return failure.report();
  }
  *capture = created;
  return AMP_RT_OK;
}

AmpRtStatus ampRtCaptureReplay(AmpRtCapture *capture) {
  const char *call = "ampRtCaptureReplay";
  return capture ? capture->replay(call) : failNull(call, "capture");
}

AmpRtStatus ampRtCaptureDestroy(AmpRtCapture *capture) {
  if (!capture)
    return AMP_RT_OK;
  AmpRtStatus status = capture->destroy("ampRtCaptureDestroy");
  delete capture;
  return status;
}
