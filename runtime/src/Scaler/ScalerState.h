//===-- ScalerState.h - The scaler object and its rules ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scaler is its configuration, its state and a table of rules chosen once by
// the preset. What all presets share (statistics, floor, accumulated overflow)
// is around the rules, in Scaler.cpp; a new preset is a new file with a table
// like ApexRules.cpp and a line in findScalerRules.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_SCALER_SCALERSTATE_H
#define AMP_RT_SRC_SCALER_SCALERSTATE_H

#include "amp-rt/Scaler.h"

#include "Scaler/ScalerOnDevice.h"

namespace amp::rt {

/// The state machine of one preset.
struct ScalerRules {
  /// As in `preset = "apex"`.
  const char *name;
  /// Refuses what this preset has no meaning for, with the text of `call`; the
  /// rules for every preset have been checked before.
  AmpRtStatus (*checkConfig)(const char *call, const char *scaler,
                             const AmpRtScalerConfig &config);
  /// One transition of scale, unskipped and hysteresis. Sets or clears
  /// AMP_RT_SCALER_HELD_AT_BOTTOM; leaves the scale above 0 and finite. Returns
  /// whether the step is skipped.
  bool (*update)(const AmpRtScalerConfig &config, AmpRtScalerState &state,
                 bool overflow);
};

extern const ScalerRules apexRules;
extern const ScalerRules torchRules;

/// The rules of a preset, or null for a number that is none.
const ScalerRules *findScalerRules(int32_t preset);

/// Checks everything that no preset can give a meaning to.
AmpRtStatus checkScalerConfig(const char *call, const char *scaler,
                              const AmpRtScalerConfig &config);

/// Checks that a scaler can be in a state with this scale and counter.
AmpRtStatus checkScale(const char *call, const char *scaler, double scale,
                       int64_t unskipped);

/// Makes the host's state that of the device, if a program has moved it there,
/// for which the device is waited for.
AmpRtStatus bringHome(const char *call, const AmpRtScaler &scaler);

/// Gives the device the state, if it has an older one or none.
AmpRtStatus sendScaler(const char *call, AmpRtScaler &scaler,
                       AmpRtDevice &device);

/// The smallest scale a program ever sees; a smaller state changes nothing for
/// it. 2^-126, the smallest normal f32: subnormal factors would be flushed to 0
/// by some devices.
inline constexpr double kSmallestProgramScale = 0x1p-126;

/// Where backing off stops having an effect.
inline double scalerFloor(const AmpRtScalerConfig &config) {
  return config.minScale > kSmallestProgramScale ? config.minScale
                                                 : kSmallestProgramScale;
}

} // namespace amp::rt

struct AmpRtScaler {
  static constexpr uint32_t kTag = 0x4c435341; // "ASCL"

  /// kTag while the object lives (Support/Handle.h).
  uint32_t tag = kTag;
  /// Owned.
  char *name = nullptr;
  AmpRtScalerConfig config = {};
  /// As the host knows it, which may be behind the device: bringHome.
  mutable AmpRtScalerState state = {};
  mutable amp::rt::ScalerOnDevice remote;
  const amp::rt::ScalerRules *rules = nullptr;
  /// The text of the latest ampRtScalerHealth.
  char verdict[640] = {};
};

#endif // AMP_RT_SRC_SCALER_SCALERSTATE_H
