//===-- Scaler.cpp - Life, state and transitions of loss scalers ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Scaler.h"

#include "Program/Capture.h"
#include "Program/RunState.h"
#include "Scaler/ScalerState.h"
#include "Support/Failure.h"
#include "Support/Handle.h"
#include "Support/SizedStruct.h"

#include <cfloat>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

using namespace amp::rt;

//===----------------------------------------------------------------------===//
// Transitions
//===----------------------------------------------------------------------===//

static void refreshFloorFlag(const AmpRtScaler &scaler) {
  bool atFloor = scaler.config.mode == AMP_RT_SCALER_DYNAMIC &&
                 scaler.state.scale <= scalerFloor(scaler.config);
  if (atFloor)
    scaler.state.flags |= AMP_RT_SCALER_AT_FLOOR;
  else
    scaler.state.flags &= ~AMP_RT_SCALER_AT_FLOOR;
}

/// The preset's transition and, around it, what is the same for all presets.
static bool update(AmpRtScaler &scaler, bool foundInf) {
  AmpRtScalerState &state = scaler.state;
  bool overflow = foundInf || (state.flags & AMP_RT_SCALER_FOUND_INF);
  bool wasAtFloor = state.flags & AMP_RT_SCALER_AT_FLOOR;
  bool skip = scaler.rules->update(scaler.config, state, overflow);

  state.flags &= ~AMP_RT_SCALER_FOUND_INF;
  refreshFloorFlag(scaler);
  state.overflows += overflow;
  if (skip) {
    ++state.skipped;
    ++state.skippedInARow;
    state.stepsAtFloor += wasAtFloor;
    state.lastSkippedStep = state.steps;
  } else {
    state.skippedInARow = 0;
    state.stepsAtFloor = 0;
  }
  ++state.steps;
  return skip;
}

static float programScale(const AmpRtScaler &scaler) {
  double scale = scaler.state.scale;
  if (scale < kSmallestProgramScale)
    scale = kSmallestProgramScale;
  if (scale > FLT_MAX)
    scale = FLT_MAX;
  return static_cast<float>(scale);
}

//===----------------------------------------------------------------------===//
// Host and device
//===----------------------------------------------------------------------===//

static AmpRtScalerRecord getRecord(const AmpRtScaler &scaler) {
  const AmpRtScalerState &state = scaler.state;
  const AmpRtScalerConfig &config = scaler.config;
  AmpRtScalerRecord record;
  record.scale = state.scale;
  record.unskipped = state.unskipped;
  record.steps = state.steps;
  record.skipped = state.skipped;
  record.overflows = state.overflows;
  record.skippedInARow = state.skippedInARow;
  record.stepsAtFloor = state.stepsAtFloor;
  record.lastSkippedStep = state.lastSkippedStep;
  record.flags =
      state.flags & (AMP_RT_SCALER_HELD_AT_BOTTOM | AMP_RT_SCALER_FOUND_INF);
  record.preset = config.preset;
  record.mode = config.mode;
  record.configFlags = config.flags;
  record.growthInterval = config.growthInterval;
  record.growthFactor = config.growthFactor;
  record.backoffFactor = config.backoffFactor;
  record.minScale = config.minScale;
  record.maxScale = config.maxScale;
  return record;
}

AmpRtStatus amp::rt::bringHome(const char *call, const AmpRtScaler &scaler) {
  if (!scaler.remote.isAhead())
    return AMP_RT_OK;
  AmpRtScalerRecord record;
  AmpRtStatus status = scaler.remote.fetch(call, record);
  if (status != AMP_RT_OK)
    return status;
  if (!(record.scale > 0) || record.scale > DBL_MAX || record.unskipped < 0)
    return fail(
        AMP_RT_PROGRAM_ERROR,
        "%s: scaler '%s': expected a scale above 0 and a counter of at "
        "least 0 on the device, but got %g and %lld; a kernel has failed "
        "or written over them; restore an earlier checkpoint",
        call, scaler.name, record.scale,
        static_cast<long long>(record.unskipped));
  scaler.remote.meet();
  AmpRtScalerState &state = scaler.state;
  state.scale = record.scale;
  state.unskipped = record.unskipped;
  state.steps = record.steps;
  state.skipped = record.skipped;
  state.overflows = record.overflows;
  state.skippedInARow = record.skippedInARow;
  state.stepsAtFloor = record.stepsAtFloor;
  state.lastSkippedStep = record.lastSkippedStep;
  state.flags = static_cast<uint32_t>(record.flags);
  refreshFloorFlag(scaler);
  return AMP_RT_OK;
}

AmpRtStatus amp::rt::sendScaler(const char *call, AmpRtScaler &scaler,
                                AmpRtDevice &device) {
  if (scaler.remote.isCurrentOn(device))
    return AMP_RT_OK;
  if (AmpRtStatus status = bringHome(call, scaler))
    return status;
  return scaler.remote.send(call, device, getRecord(scaler));
}

/// To be called before the host changes the state: it is current then, and the
/// device's is not.
static AmpRtStatus takeOver(const char *call, AmpRtScaler &scaler) {
  AmpRtStatus status = bringHome(call, scaler);
  if (status == AMP_RT_OK)
    scaler.remote.leaveBehind();
  return status;
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

AmpRtStatus ampRtScalerCreate(const char *name, const AmpRtScalerConfig *given,
                              AmpRtScaler **scaler) {
  const char *call = "ampRtScalerCreate";
  if (!scaler)
    return failNull(call, "scaler");
  if (!name)
    name = "unnamed";
  AmpRtScalerConfig config;
  ampRtScalerConfigInit(&config);
  if (given)
    if (AmpRtStatus status =
            readStruct(call, "AmpRtScalerConfig", *given, config))
      return status;
  if (AmpRtStatus status = checkScalerConfig(call, name, config))
    return status;

  AmpRtScaler *result = new (std::nothrow) AmpRtScaler;
  if (!result)
    return failNoMemory(call, "a scaler");
  result->name = strdup(name);
  if (!result->name) {
    delete result;
    return failNoMemory(call, "the name of a scaler");
  }
  result->config = config;
  result->rules = findScalerRules(config.preset);
  double start = config.initialScale;
  if (config.mode == AMP_RT_SCALER_DYNAMIC && start > config.maxScale)
    start = config.maxScale;
  result->state.structSize = sizeof(AmpRtScalerState);
  result->state.scale = start;
  result->state.hysteresis = config.hysteresis;
  result->state.lastSkippedStep = -1;
  refreshFloorFlag(*result);
  *scaler = result;
  return AMP_RT_OK;
}

void ampRtScalerDestroy(AmpRtScaler *scaler) {
  if (!scaler)
    return;
  clearTag(scaler);
  std::free(scaler->name);
  delete scaler;
}

const char *ampRtScalerName(const AmpRtScaler *scaler) {
  return scaler ? scaler->name : nullptr;
}

//===----------------------------------------------------------------------===//
// Configuration and state
//===----------------------------------------------------------------------===//

/// What every call asks of a scaler and a struct that the caller laid out.
template <typename Struct>
static AmpRtStatus checkSized(const char *call, const AmpRtScaler *scaler,
                              const char *name, const Struct *value,
                              const char *type) {
  if (!scaler)
    return failNull(call, "scaler");
  if (!value)
    return failNull(call, name);
  return checkStructSize(call, type, value->structSize, sizeof(Struct));
}

AmpRtStatus ampRtScalerGetConfig(const AmpRtScaler *scaler,
                                 AmpRtScalerConfig *config) {
  if (AmpRtStatus status = checkSized("ampRtScalerGetConfig", scaler, "config",
                                      config, "AmpRtScalerConfig"))
    return status;
  writeStruct(scaler->config, *config);
  return AMP_RT_OK;
}

AmpRtStatus ampRtScalerGetState(const AmpRtScaler *scaler,
                                AmpRtScalerState *state) {
  if (AmpRtStatus status = checkSized("ampRtScalerGetState", scaler, "state",
                                      state, "AmpRtScalerState"))
    return status;
  if (AmpRtStatus status = bringHome("ampRtScalerGetState", *scaler))
    return status;
  writeStruct(scaler->state, *state);
  return AMP_RT_OK;
}

AmpRtStatus ampRtScalerSetState(AmpRtScaler *scaler,
                                const AmpRtScalerState *given) {
  const char *call = "ampRtScalerSetState";
  if (!scaler)
    return failNull(call, "scaler");
  if (!given)
    return failNull(call, "state");
  AmpRtScalerState state;
  if (AmpRtStatus status = readStruct(call, "AmpRtScalerState", *given, state))
    return status;
  if (AmpRtStatus status =
          checkScale(call, scaler->name, state.scale, state.unskipped))
    return status;
  bool ordered =
      state.stepsAtFloor >= 0 && state.stepsAtFloor <= state.skippedInARow &&
      state.skippedInARow <= state.skipped &&
      state.skipped <= state.overflows && state.overflows <= state.steps &&
      state.lastSkippedStep >= -1 && state.lastSkippedStep < state.steps;
  if (!ordered || state.reserved != 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected statistics that belong together (0 "
                "<= stepsAtFloor <= skippedInARow <= skipped <= overflows <= "
                "steps); pass a state that ampRtScalerGetState gave",
                call, scaler->name);
  scaler->remote.leaveBehind();
  scaler->state = state;
  scaler->state.flags &= AMP_RT_SCALER_HELD_AT_BOTTOM | AMP_RT_SCALER_FOUND_INF;
  refreshFloorFlag(*scaler);
  return AMP_RT_OK;
}

AmpRtStatus ampRtScalerLoad(AmpRtScaler *scaler, double scale,
                            int64_t unskipped) {
  const char *call = "ampRtScalerLoad";
  if (!scaler)
    return failNull(call, "scaler");
  if (AmpRtStatus status = checkScale(call, scaler->name, scale, unskipped))
    return status;
  // Of a device that has written over its own the totals are those of before.
  AmpRtStatus status = bringHome(call, *scaler);
  if (status != AMP_RT_OK && status != AMP_RT_PROGRAM_ERROR)
    return status;
  scaler->remote.leaveBehind();
  scaler->state.scale = scale;
  scaler->state.unskipped = unskipped;
  scaler->state.hysteresis = scaler->config.hysteresis;
  scaler->state.flags = 0;
  scaler->state.skippedInARow = 0;
  scaler->state.stepsAtFloor = 0;
  refreshFloorFlag(*scaler);
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

AmpRtStatus ampRtScalerGetScale(const AmpRtScaler *scaler, float *scale) {
  if (!scaler)
    return failNull("ampRtScalerGetScale", "scaler");
  if (!scale)
    return failNull("ampRtScalerGetScale", "scale");
  if (AmpRtStatus status = bringHome("ampRtScalerGetScale", *scaler))
    return status;
  *scale = programScale(*scaler);
  return AMP_RT_OK;
}

AmpRtStatus ampRtScalerUpdate(AmpRtScaler *scaler, bool foundInf, bool *skip) {
  if (!scaler)
    return failNull("ampRtScalerUpdate", "scaler");
  if (AmpRtStatus status = takeOver("ampRtScalerUpdate", *scaler))
    return status;
  bool skipped = update(*scaler, foundInf);
  if (skip)
    *skip = skipped;
  return AMP_RT_OK;
}

AmpRtStatus ampRtScalerAccumulateFoundInf(AmpRtScaler *scaler, bool foundInf) {
  if (!scaler)
    return failNull("ampRtScalerAccumulateFoundInf", "scaler");
  if (AmpRtStatus status = takeOver("ampRtScalerAccumulateFoundInf", *scaler))
    return status;
  if (foundInf)
    scaler->state.flags |= AMP_RT_SCALER_FOUND_INF;
  return AMP_RT_OK;
}

AmpRtStatus ampRtScalerClearFoundInf(AmpRtScaler *scaler) {
  if (!scaler)
    return failNull("ampRtScalerClearFoundInf", "scaler");
  if (AmpRtStatus status = takeOver("ampRtScalerClearFoundInf", *scaler))
    return status;
  scaler->state.flags &= ~AMP_RT_SCALER_FOUND_INF;
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Program entry points
//===----------------------------------------------------------------------===//

static void recordWrongHandle(const char *call, int64_t run, int64_t handle) {
  recordError(
      run, AMP_RT_PROGRAM_ERROR,
      "%s: expected the handle of a loss scaler, but got %#llx; pass what "
      "ampRtScalerHandle gave, and destroy the scaler after the program",
      call, static_cast<unsigned long long>(handle));
}

int64_t ampRtScalerHandle(const AmpRtScaler *scaler) {
  return toHandle(scaler);
}

/// The host has no part in what a graph repeats.
static bool refuseInCapture(const char *call, int64_t handle) {
  const auto *run = fromHandle<AmpRtRun>(handle);
  if (!run || !run->capture)
    return false;
  recordError(handle, AMP_RT_INVALID_ARGUMENT,
              "%s: expected a call that can be captured as a graph, but the "
              "host has a part in its loss scaling; do not capture it",
              call);
  return true;
}

float ampRtRunScale(int64_t run, int64_t handle) {
  const char *call = "ampRtRunScale";
  const AmpRtScaler *scaler = fromHandle<AmpRtScaler>(handle);
  if (!scaler) {
    recordWrongHandle(call, run, handle);
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (refuseInCapture(call, run))
    return std::numeric_limits<float>::quiet_NaN();
  if (AmpRtStatus status = bringHome(call, *scaler)) {
    recordError(run, status, "%s", ampRtStatusText());
    return std::numeric_limits<float>::quiet_NaN();
  }
  return programScale(*scaler);
}

void ampRtRunUpdateScale(int64_t run, int64_t handle, uint8_t foundInf) {
  const char *call = "ampRtRunUpdateScale";
  AmpRtScaler *scaler = fromHandle<AmpRtScaler>(handle);
  if (!scaler)
    return recordWrongHandle(call, run, handle);
  if (refuseInCapture(call, run))
    return;
  if (AmpRtStatus status = takeOver(call, *scaler))
    return recordError(run, status, "%s", ampRtStatusText());
  update(*scaler, foundInf & 1);
}

/// The scaler, and the run with the device that it goes to.
static AmpRtStatus findBoth(const char *call, int64_t runHandle,
                            int64_t scalerHandle, AmpRtRun *&run,
                            AmpRtScaler *&scaler) {
  if (AmpRtStatus status = findRunOnDevice(call, runHandle, run))
    return status;
  scaler = fromHandle<AmpRtScaler>(scalerHandle);
  if (scaler)
    return AMP_RT_OK;
  recordWrongHandle(call, runHandle, scalerHandle);
  return AMP_RT_PROGRAM_ERROR;
}

static AmpRtStatus read(const char *call, AmpRtRun &run, int64_t handle,
                        AmpRtScaler &scaler, void *target) {
  if (AmpRtStatus status = sendScaler(call, scaler, *run.device))
    return status;
  if (run.capture)
    if (AmpRtStatus status =
            run.capture->addScaler(call, handle, scaler.remote.address(),
                                   /*isWritten=*/false))
      return status;
  return scaler.remote.read(call, target);
}

static AmpRtStatus write(const char *call, AmpRtRun &run, int64_t handle,
                         AmpRtScaler &scaler, const void *source) {
  // Or what a tap's callback has changed would be lost.
  if (!scaler.remote.isCurrentOn(*run.device))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected the state that the program has "
                "read, but the host has changed it since, or the program has "
                "not read it; change scalers between calls",
                call, scaler.name);
  if (AmpRtStatus status = scaler.remote.write(call, source))
    return status;
  // Of a call that is captured nothing has been done yet.
  if (run.capture)
    return run.capture->addScaler(call, handle, scaler.remote.address(),
                                  /*isWritten=*/true);
  scaler.remote.goAhead();
  return AMP_RT_OK;
}

AmpRtStatus ampRtRunReadScaler(int64_t runHandle, int64_t handle,
                               void *target) {
  const char *call = "ampRtRunReadScaler";
  AmpRtRun *run = nullptr;
  AmpRtScaler *scaler = nullptr;
  if (AmpRtStatus status = findBoth(call, runHandle, handle, run, scaler))
    return status;
  return recordStatus(runHandle, read(call, *run, handle, *scaler, target));
}

AmpRtStatus ampRtRunWriteScaler(int64_t runHandle, int64_t handle,
                                const void *source) {
  const char *call = "ampRtRunWriteScaler";
  AmpRtRun *run = nullptr;
  AmpRtScaler *scaler = nullptr;
  if (AmpRtStatus status = findBoth(call, runHandle, handle, run, scaler))
    return status;
  return recordStatus(runHandle, write(call, *run, handle, *scaler, source));
}
