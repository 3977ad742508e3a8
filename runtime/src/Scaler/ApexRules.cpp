//===-- ApexRules.cpp - The scaler of NVIDIA Apex AMP ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LossScaler.update_scale of the last Apex that had amp, in f64 like Python's
// floats:
//
//   overflow and dynamic: scale = max(min, scale * backoff), unskipped = 0,
//                         skip the step
//   otherwise:            unskipped += 1
//   then, if dynamic and unskipped has reached the interval:
//                         scale = min(max, scale * growth), unskipped = 0
//
// A minimum of 0 counts as none, as Apex tests it for truth. A loaded scale
// above the maximum comes down to it at the next growth, not before.
//
// Not copied: scale 0, which Apex reaches at the 1091st halving of 2^16 and
// then divides by; and `unskipped == interval` as the test for growth, which a
// counter loaded past the interval never meets.
//
//===----------------------------------------------------------------------===//

#include "Scaler/ScalerState.h"

#include "Support/Failure.h"

#include <cmath>
#include <limits>

using namespace amp::rt;

static AmpRtStatus checkApexConfig(const char *call, const char *scaler,
                                   const AmpRtScalerConfig &config) {
  if (config.hysteresis != 1)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected hysteresis 1, but got %d; preset "
                "'apex' backs off at every overflow",
                call, scaler, config.hysteresis);
  return AMP_RT_OK;
}

static void backOff(const AmpRtScalerConfig &config, AmpRtScalerState &state) {
  double lowered = state.scale * config.backoffFactor;
  if (config.minScale > 0 && lowered < config.minScale)
    lowered = config.minScale;
  if (lowered == 0) {
    lowered = std::numeric_limits<double>::denorm_min();
    state.flags |= AMP_RT_SCALER_HELD_AT_BOTTOM;
  }
  state.scale = lowered;
}

static void grow(const AmpRtScalerConfig &config, AmpRtScalerState &state) {
  double grown = state.scale * config.growthFactor;
  if (grown > config.maxScale)
    grown = config.maxScale;
  // Only without a maximum, at 2^1023.
  if (std::isfinite(grown))
    state.scale = grown;
}

static bool updateApex(const AmpRtScalerConfig &config, AmpRtScalerState &state,
                       bool overflow) {
  bool dynamic = config.mode == AMP_RT_SCALER_DYNAMIC;
  bool skip =
      overflow && (dynamic || (config.flags & AMP_RT_SCALER_STATIC_SKIPS));
  state.flags &= ~AMP_RT_SCALER_HELD_AT_BOTTOM;
  if (skip) {
    if (dynamic)
      backOff(config, state);
    state.unskipped = 0;
  } else {
    ++state.unskipped;
  }
  if (dynamic && state.unskipped >= config.growthInterval) {
    grow(config, state);
    state.unskipped = 0;
  }
  return skip;
}

const ScalerRules amp::rt::apexRules = {"apex", checkApexConfig, updateApex};
