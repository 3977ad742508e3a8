//===-- ScalerHealth.cpp - What to make of a scaler's state ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Skipped steps are ordinary: the scale starts too high on purpose and probes
// upwards for ever after. They mean trouble when backing off has stopped
// helping, that is, when steps overflow with the scale at its floor. Then the
// gradients are not finite before scaling, and no scale is going to change
// that.
//
//===----------------------------------------------------------------------===//

#include "Scaler/ScalerState.h"

#include "Support/Failure.h"

#include <cstdarg>
#include <cstdio>

using namespace amp::rt;

static AmpRtScalerVerdict judge(const AmpRtScaler &scaler, int64_t patience) {
  const AmpRtScalerState &state = scaler.state;
  if (scaler.config.mode == AMP_RT_SCALER_STATIC)
    return state.overflows > 0 ? AMP_RT_SCALER_STATIC_OVERFLOW
                               : AMP_RT_SCALER_HEALTHY;
  if (state.skippedInARow == 0)
    return AMP_RT_SCALER_HEALTHY;
  if (state.stepsAtFloor < patience)
    return AMP_RT_SCALER_BACKING_OFF;
  return state.flags & AMP_RT_SCALER_HELD_AT_BOTTOM
             ? AMP_RT_SCALER_STUCK_AT_BOTTOM
             : AMP_RT_SCALER_STUCK_AT_FLOOR;
}

__attribute__((format(printf, 2, 3))) static void
write(AmpRtScaler &scaler, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(scaler.verdict, sizeof(scaler.verdict), format, arguments);
  va_end(arguments);
}

static void explain(AmpRtScaler &scaler, AmpRtScalerVerdict verdict) {
  const AmpRtScalerState &state = scaler.state;
  auto skipped = static_cast<long long>(state.skipped);
  auto steps = static_cast<long long>(state.steps);
  auto inARow = static_cast<long long>(state.skippedInARow);
  auto atFloor = static_cast<long long>(state.stepsAtFloor);
  auto last = static_cast<long long>(state.lastSkippedStep);
  static const char remedy[] =
      "the gradients are not finite whatever the scale; look for the first "
      "value that is not finite (ampRtTap), at the data and at the learning "
      "rate, and go back to a checkpoint before the run of overflows";

  switch (verdict) {
  case AMP_RT_SCALER_HEALTHY:
    return write(scaler,
                 "scaler '%s' is healthy: scale %g, %lld of %lld steps skipped",
                 scaler.name, state.scale, skipped, steps);
  case AMP_RT_SCALER_BACKING_OFF:
    return write(scaler,
                 "scaler '%s' is backing off: scale %g after %lld skipped "
                 "steps in a row, the last of them step %lld",
                 scaler.name, state.scale, inARow, last);
  case AMP_RT_SCALER_STUCK_AT_FLOOR:
    return write(scaler,
                 "scaler '%s' is stuck at its floor %g: %lld overflows in a "
                 "row there, the last at step %lld; %s",
                 scaler.name, scalerFloor(scaler.config), atFloor, last,
                 remedy);
  case AMP_RT_SCALER_STUCK_AT_BOTTOM:
    return write(scaler,
                 "scaler '%s' is held at %g, the smallest above 0, and its "
                 "program uses %g: %lld overflows in a row at the floor, the "
                 "last at step %lld; %s",
                 scaler.name, state.scale, kSmallestProgramScale, atFloor, last,
                 remedy);
  case AMP_RT_SCALER_STATIC_OVERFLOW: {
    char count[24] = "none";
    if (skipped > 0)
      std::snprintf(count, sizeof(count), "%lld", skipped);
    return write(scaler,
                 "scaler '%s' is static with scale %g and was given %lld "
                 "overflows in %lld steps, %s of them skipped; lower the "
                 "scale, or use a dynamic scaler",
                 scaler.name, state.scale,
                 static_cast<long long>(state.overflows), steps, count);
  }
  }
}

AmpRtStatus ampRtScalerHealth(AmpRtScaler *scaler, int64_t patience,
                              AmpRtScalerVerdict *verdict, const char **text) {
  const char *call = "ampRtScalerHealth";
  if (!scaler)
    return failNull(call, "scaler");
  if (!verdict)
    return failNull(call, "verdict");
  if (patience < 1)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected 'patience' to be at least 1, but "
                "got %lld",
                call, scaler->name, static_cast<long long>(patience));
  if (AmpRtStatus status = bringHome(call, *scaler))
    return status;
  *verdict = judge(*scaler, patience);
  if (text) {
    explain(*scaler, *verdict);
    *text = scaler->verdict;
  }
  return AMP_RT_OK;
}
