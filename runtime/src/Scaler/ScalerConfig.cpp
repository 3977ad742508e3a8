//===-- ScalerConfig.cpp - Defaults and checks of a configuration ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apex takes any numbers. Those that cannot train are refused here: a scale
// that is 0, negative, inf or NaN, bounds that contradict each other, factors
// that move the scale the wrong way.
//
//===----------------------------------------------------------------------===//

#include "Scaler/ScalerState.h"

#include "Support/Failure.h"
#include "Support/SizedStruct.h"

#include <cfloat>
#include <cmath>

using namespace amp::rt;

void ampRtScalerConfigInitSized(AmpRtScalerConfig *config,
                                uint32_t structSize) {
  if (!config)
    return;
  config->structSize = structSize;
  writeStruct(AmpRtScalerConfig{structSize, AMP_RT_SCALER_APEX,
                                AMP_RT_SCALER_DYNAMIC,
                                /*flags=*/0,
                                /*initialScale=*/0x1p16,
                                /*growthFactor=*/2.0,
                                /*backoffFactor=*/0.5,
                                /*minScale=*/0.0,
                                /*maxScale=*/0x1p24,
                                /*growthInterval=*/2000,
                                /*hysteresis=*/1,
                                /*reserved=*/0},
              *config);
}

const ScalerRules *amp::rt::findScalerRules(int32_t preset) {
  switch (preset) {
  case AMP_RT_SCALER_APEX:
    return &apexRules;
  case AMP_RT_SCALER_TORCH:
    return &torchRules;
  default:
    return nullptr;
  }
}

static AmpRtStatus checkBounds(const char *call, const char *scaler,
                               const AmpRtScalerConfig &config) {
  if (!std::isfinite(config.minScale) || config.minScale < 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected min scale to be finite and above 0, "
                "but got %g; use 0 for no minimum",
                call, scaler, config.minScale);
  if (!(config.maxScale > 0))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected max scale to be above 0, but got "
                "%g; use inf for no maximum",
                call, scaler, config.maxScale);
  if (config.flags & AMP_RT_SCALER_APEX_BOUNDS)
    return AMP_RT_OK;
  if (config.minScale > config.maxScale)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected min scale not to be above max "
                "scale, but got %g and %g; lower the min scale, or set "
                "AMP_RT_SCALER_APEX_BOUNDS for Apex's behaviour",
                call, scaler, config.minScale, config.maxScale);
  if (config.minScale > config.initialScale)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected min scale not to be above the "
                "initial scale, but got %g and %g; raise the initial scale, or "
                "set AMP_RT_SCALER_APEX_BOUNDS for Apex's behaviour",
                call, scaler, config.minScale, config.initialScale);
  return AMP_RT_OK;
}

AmpRtStatus amp::rt::checkScalerConfig(const char *call, const char *scaler,
                                       const AmpRtScalerConfig &config) {
  constexpr uint32_t known =
      AMP_RT_SCALER_APEX_BOUNDS | AMP_RT_SCALER_STATIC_SKIPS;
  if ((config.flags & ~known) != 0 || config.reserved != 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected unknown flags and 'reserved' to be "
                "0, but got %#x and %#x; fill the config with "
                "ampRtScalerConfigInit first",
                call, scaler, config.flags, config.reserved);
  if (config.mode != AMP_RT_SCALER_DYNAMIC &&
      config.mode != AMP_RT_SCALER_STATIC)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected mode to be AMP_RT_SCALER_DYNAMIC or "
                "AMP_RT_SCALER_STATIC, but got %d",
                call, scaler, config.mode);
  // Tested as f32, which is what the program multiplies by.
  if (!(config.initialScale > 0) || config.initialScale > FLT_MAX)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected the initial scale to be above 0 and "
                "finite in f32, but got %g; Apex's default is 65536",
                call, scaler, config.initialScale);
  if (!(config.growthFactor > 1) || !std::isfinite(config.growthFactor))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected the growth factor to be finite and "
                "above 1, but got %g; Apex's is 2",
                call, scaler, config.growthFactor);
  if (!(config.backoffFactor > 0) || !(config.backoffFactor < 1))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected the backoff factor to be above 0 "
                "and below 1, but got %g; Apex's is 0.5",
                call, scaler, config.backoffFactor);
  if (config.growthInterval < 1)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected the growth interval to be at least "
                "1, but got %lld; Apex's is 2000",
                call, scaler, static_cast<long long>(config.growthInterval));
  if (AmpRtStatus status = checkBounds(call, scaler, config))
    return status;

  const ScalerRules *rules = findScalerRules(config.preset);
  if (!rules)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected a known preset, but got %d; this "
                "build has AMP_RT_SCALER_APEX (%d) and AMP_RT_SCALER_TORCH "
                "(%d)",
                call, scaler, config.preset, AMP_RT_SCALER_APEX,
                AMP_RT_SCALER_TORCH);
  return rules->checkConfig(call, scaler, config);
}

AmpRtStatus amp::rt::checkScale(const char *call, const char *scaler,
                                double scale, int64_t unskipped) {
  if (scale == 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected a scale above 0, but got 0, which "
                "Apex saves once its scale has collapsed; restore an earlier "
                "checkpoint, or start from 65536",
                call, scaler);
  if (!std::isfinite(scale) || scale < 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected a scale above 0 and finite, but got "
                "%g; restore an earlier checkpoint",
                call, scaler, scale);
  if (unskipped < 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: scaler '%s': expected 'unskipped' not to be negative, but "
                "got %lld; use 0 to start counting anew",
                call, scaler, static_cast<long long>(unskipped));
  return AMP_RT_OK;
}
