//===-- TorchRules.cpp - The scaler of torch.amp --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// torch.amp.GradScaler keeps its scale in f32 and multiplies it in f64:
//
//   overflow:  scale = f32(scale * backoff), unskipped = 0, skip the step
//   otherwise: unskipped += 1; when it has reached the interval, unskipped = 0
//              and scale = f32(scale * growth), unless that is not finite
//
// With factors that are powers of two these are Apex's numbers without bounds;
// with others each transition rounds, which f64 does not reproduce.
//
// Not copied: scale 0, after which every gradient is NaN; and, as in
// ApexRules.cpp, equality as the test for growth.
//
//===----------------------------------------------------------------------===//

#include "Scaler/ScalerState.h"

#include "Support/Failure.h"

#include <cmath>
#include <limits>

using namespace amp::rt;

static AmpRtStatus checkTorchConfig(const char *call, const char *scaler,
                                    const AmpRtScalerConfig &config) {
  if (config.mode != AMP_RT_SCALER_DYNAMIC)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected mode AMP_RT_SCALER_DYNAMIC, but got "
                "%d; preset 'torch' has no static scale",
                call, scaler, config.mode);
  if (config.minScale != 0 || !std::isinf(config.maxScale))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected min scale 0 and max scale inf, but "
                "got %g and %g; preset 'torch' has no bounds",
                call, scaler, config.minScale, config.maxScale);
  if (config.hysteresis != 1)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected hysteresis 1, but got %d; preset "
                "'torch' backs off at every overflow",
                call, scaler, config.hysteresis);
  return AMP_RT_OK;
}

static bool updateTorch(const AmpRtScalerConfig &config,
                        AmpRtScalerState &state, bool overflow) {
  state.flags &= ~AMP_RT_SCALER_HELD_AT_BOTTOM;
  if (overflow) {
    auto lowered = static_cast<float>(state.scale * config.backoffFactor);
    if (lowered == 0) {
      lowered = std::numeric_limits<float>::denorm_min();
      state.flags |= AMP_RT_SCALER_HELD_AT_BOTTOM;
    }
    state.scale = lowered;
    state.unskipped = 0;
    return true;
  }
  if (++state.unskipped >= config.growthInterval) {
    auto grown = static_cast<float>(state.scale * config.growthFactor);
    if (std::isfinite(grown))
      state.scale = grown;
    state.unskipped = 0;
  }
  return false;
}

const ScalerRules amp::rt::torchRules = {"torch", checkTorchConfig,
                                         updateTorch};
