//===-- Scaler.cpp - Life, state and transitions of loss scalers ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Scaler.h"

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

static void refreshFloorFlag(AmpRtScaler &scaler) {
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
  *scale = programScale(*scaler);
  return AMP_RT_OK;
}

AmpRtStatus ampRtScalerUpdate(AmpRtScaler *scaler, bool foundInf, bool *skip) {
  if (!scaler)
    return failNull("ampRtScalerUpdate", "scaler");
  bool skipped = update(*scaler, foundInf);
  if (skip)
    *skip = skipped;
  return AMP_RT_OK;
}

AmpRtStatus ampRtScalerAccumulateFoundInf(AmpRtScaler *scaler, bool foundInf) {
  if (!scaler)
    return failNull("ampRtScalerAccumulateFoundInf", "scaler");
  if (foundInf)
    scaler->state.flags |= AMP_RT_SCALER_FOUND_INF;
  return AMP_RT_OK;
}

AmpRtStatus ampRtScalerClearFoundInf(AmpRtScaler *scaler) {
  if (!scaler)
    return failNull("ampRtScalerClearFoundInf", "scaler");
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

float ampRtRunScale(int64_t run, int64_t handle) {
  const AmpRtScaler *scaler = fromHandle<AmpRtScaler>(handle);
  if (!scaler) {
    recordWrongHandle("ampRtRunScale", run, handle);
    return std::numeric_limits<float>::quiet_NaN();
  }
  return programScale(*scaler);
}

void ampRtRunUpdateScale(int64_t run, int64_t handle, uint8_t foundInf) {
  AmpRtScaler *scaler = fromHandle<AmpRtScaler>(handle);
  if (!scaler)
    return recordWrongHandle("ampRtRunUpdateScale", run, handle);
  update(*scaler, foundInf & 1);
}
