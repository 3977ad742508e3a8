//===-- ScalerTest.cpp - Configuration, state, health, program entries ----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Scaler.h"
#include "OpenRun.h"
#include "amp-rt/Tap.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

namespace {

constexpr double Inf = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

struct ScalerDeleter {
  void operator()(AmpRtScaler *scaler) const { ampRtScalerDestroy(scaler); }
};
using ScalerPtr = std::unique_ptr<AmpRtScaler, ScalerDeleter>;

AmpRtScalerConfig defaults() {
  AmpRtScalerConfig config;
  ampRtScalerConfigInit(&config);
  return config;
}

ScalerPtr make(const AmpRtScalerConfig &config, const char *name = "s") {
  AmpRtScaler *scaler = nullptr;
  EXPECT_EQ(ampRtScalerCreate(name, &config, &scaler), AMP_RT_OK)
      << ampRtStatusText();
  return ScalerPtr(scaler);
}

AmpRtScalerState stateOf(const ScalerPtr &scaler) {
  AmpRtScalerState state;
  state.structSize = sizeof(state);
  EXPECT_EQ(ampRtScalerGetState(scaler.get(), &state), AMP_RT_OK);
  return state;
}

bool update(const ScalerPtr &scaler, bool foundInf) {
  bool skip = !foundInf;
  EXPECT_EQ(ampRtScalerUpdate(scaler.get(), foundInf, &skip), AMP_RT_OK);
  return skip;
}

/// The text with which a configuration is refused; empty if it is accepted.
std::string refusal(const AmpRtScalerConfig &config) {
  AmpRtScaler *scaler = nullptr;
  AmpRtStatus status = ampRtScalerCreate("s", &config, &scaler);
  if (status == AMP_RT_OK) {
    ampRtScalerDestroy(scaler);
    return "";
  }
  EXPECT_EQ(status, AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(scaler, nullptr) << "a refused call leaves its result alone";
  return ampRtStatusText();
}

std::string health(const ScalerPtr &scaler, AmpRtScalerVerdict expected,
                   int64_t patience = 3) {
  AmpRtScalerVerdict verdict;
  const char *text = nullptr;
  EXPECT_EQ(ampRtScalerHealth(scaler.get(), patience, &verdict, &text),
            AMP_RT_OK);
  EXPECT_EQ(verdict, expected);
  return text;
}

} // namespace

//===----------------------------------------------------------------------===//
// Configuration
//===----------------------------------------------------------------------===//

TEST(Scaler, DefaultsAreApexs) {
  AmpRtScaler *raw = nullptr;
  ASSERT_EQ(ampRtScalerCreate(nullptr, nullptr, &raw), AMP_RT_OK);
  ScalerPtr scaler(raw);
  EXPECT_STREQ(ampRtScalerName(raw), "unnamed");
  AmpRtScalerConfig config;
  config.structSize = sizeof(config);
  ASSERT_EQ(ampRtScalerGetConfig(raw, &config), AMP_RT_OK);
  EXPECT_EQ(config.preset, AMP_RT_SCALER_APEX);
  EXPECT_EQ(config.mode, AMP_RT_SCALER_DYNAMIC);
  EXPECT_EQ(config.initialScale, 65536);
  EXPECT_EQ(config.growthFactor, 2);
  EXPECT_EQ(config.backoffFactor, 0.5);
  EXPECT_EQ(config.minScale, 0);
  EXPECT_EQ(config.maxScale, 16777216);
  EXPECT_EQ(config.growthInterval, 2000);
  EXPECT_EQ(config.hysteresis, 1);
  AmpRtScalerState state = stateOf(scaler);
  EXPECT_EQ(state.scale, 65536);
  EXPECT_EQ(state.unskipped, 0);
  EXPECT_EQ(state.lastSkippedStep, -1);
  EXPECT_EQ(state.flags, 0u);
}

// The maximum applies at the start, to a dynamic scale alone.
TEST(Scaler, DynamicStartIsClampedStaticIsNot) {
  AmpRtScalerConfig config = defaults();
  config.initialScale = 0x1p30;
  EXPECT_EQ(stateOf(make(config)).scale, 0x1p24);
  config.mode = AMP_RT_SCALER_STATIC;
  EXPECT_EQ(stateOf(make(config)).scale, 0x1p30);
}

TEST(Scaler, InitialScaleMustBePositiveAndFinite) {
  AmpRtScalerConfig config = defaults();
  config.initialScale = 0;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected the initial scale to be "
            "above 0 and finite in f32, but got 0; Apex's default is 65536");
  // 1e39 is finite in f64, but not for the program.
  for (double bad : {-1.0, -0.0, Inf, -Inf, NaN, 1e39}) {
    config.initialScale = bad;
    EXPECT_NE(refusal(config), "") << bad;
    config.mode = AMP_RT_SCALER_STATIC;
    EXPECT_NE(refusal(config), "") << bad;
    config.mode = AMP_RT_SCALER_DYNAMIC;
  }
  for (double good : {5e-324, 1.0, 3.0, double(FLT_MAX)}) {
    config.initialScale = good;
    EXPECT_EQ(refusal(config), "") << good;
  }
}

TEST(Scaler, BoundsMustNotContradictEachOther) {
  AmpRtScalerConfig config = defaults();
  config.minScale = -1;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected min scale to be finite "
            "and above 0, but got -1; use 0 for no minimum");
  config.minScale = NaN;
  EXPECT_NE(refusal(config), "");
  config.minScale = Inf;
  EXPECT_NE(refusal(config), "");
  config.minScale = 0x1p25;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected min scale not to be above "
            "max scale, but got 3.35544e+07 and 1.67772e+07; lower the min "
            "scale, or set AMP_RT_SCALER_APEX_BOUNDS for Apex's behaviour");
  config.minScale = 0x1p17;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected min scale not to be above "
            "the initial scale, but got 131072 and 65536; raise the initial "
            "scale, or set AMP_RT_SCALER_APEX_BOUNDS for Apex's behaviour");
  config.flags = AMP_RT_SCALER_APEX_BOUNDS;
  EXPECT_EQ(refusal(config), "");
  // The near miss: bounds that touch.
  config = defaults();
  config.minScale = config.maxScale = config.initialScale;
  EXPECT_EQ(refusal(config), "");
  for (double bad : {0.0, -1.0, NaN}) {
    config = defaults();
    config.maxScale = bad;
    EXPECT_NE(refusal(config).find("expected max scale to be above 0, but got"),
              std::string::npos)
        << bad;
    EXPECT_NE(refusal(config).find("; use inf for no maximum"),
              std::string::npos);
  }
  config.maxScale = Inf;
  EXPECT_EQ(refusal(config), "");
}

TEST(Scaler, FactorsMustMoveTheScaleTheRightWay) {
  AmpRtScalerConfig config = defaults();
  config.growthFactor = 1;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected the growth factor to be "
            "finite and above 1, but got 1; Apex's is 2");
  for (double bad : {0.5, Inf, NaN}) {
    config.growthFactor = bad;
    EXPECT_NE(refusal(config), "") << bad;
  }
  config = defaults();
  config.backoffFactor = 1;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected the backoff factor to be "
            "above 0 and below 1, but got 1; Apex's is 0.5");
  for (double bad : {0.0, -0.5, 2.0, NaN}) {
    config.backoffFactor = bad;
    EXPECT_NE(refusal(config), "") << bad;
  }
}

TEST(Scaler, IntervalPresetModeHysteresisAndReserved) {
  AmpRtScalerConfig config = defaults();
  config.growthInterval = 0;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected the growth interval to be "
            "at least 1, but got 0; Apex's is 2000");
  config = defaults();
  config.preset = 17;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected a known preset, but got "
            "17; this build has AMP_RT_SCALER_APEX (0) and "
            "AMP_RT_SCALER_TORCH (1)");
  config = defaults();
  config.mode = 2;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected mode to be "
            "AMP_RT_SCALER_DYNAMIC or AMP_RT_SCALER_STATIC, but got 2");
  config = defaults();
  config.hysteresis = 2;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected hysteresis 1, but got 2; "
            "preset 'apex' backs off at every overflow");
  config = defaults();
  config.flags = 1u << 7;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected unknown flags and "
            "'reserved' to be 0, but got 0x80 and 0; fill the config with "
            "ampRtScalerConfigInit first");
}

TEST(Scaler, TorchHasNoBoundsAndNoStaticScale) {
  AmpRtScalerConfig config = defaults();
  config.preset = AMP_RT_SCALER_TORCH;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected min scale 0 and max scale "
            "inf, but got 0 and 1.67772e+07; preset 'torch' has no bounds");
  config.maxScale = Inf;
  EXPECT_EQ(refusal(config), "");
  config.minScale = 1;
  EXPECT_NE(refusal(config), "");
  config.minScale = 0;
  config.mode = AMP_RT_SCALER_STATIC;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected mode "
            "AMP_RT_SCALER_DYNAMIC, but got 1; preset 'torch' has no static "
            "scale");
  config.mode = AMP_RT_SCALER_DYNAMIC;
  config.hysteresis = 2;
  EXPECT_EQ(refusal(config),
            "ampRtScalerCreate: scaler 's': expected hysteresis 1, but got 2; "
            "preset 'torch' backs off at every overflow");
}

// Apex's transitions, but for the rounding and for the two ends of f32.
TEST(Scaler, TorchRoundsEachTransitionToF32) {
  AmpRtScalerConfig config = defaults();
  config.preset = AMP_RT_SCALER_TORCH;
  config.maxScale = Inf;
  config.growthFactor = 1.3;
  config.growthInterval = 2;
  ScalerPtr scaler = make(config);
  float scale = 65536;
  for (int i = 0; i < 4; ++i) {
    update(scaler, false);
    EXPECT_EQ(stateOf(scaler).scale, scale);
    update(scaler, false);
    scale = static_cast<float>(scale * 1.3);
    EXPECT_EQ(stateOf(scaler).scale, scale);
  }
  for (int i = 0; i < 200; ++i)
    update(scaler, true);
  EXPECT_EQ(stateOf(scaler).scale, 0x1p-149);
  EXPECT_NE(health(scaler, AMP_RT_SCALER_STUCK_AT_BOTTOM).find("held at"),
            std::string::npos);
  ASSERT_EQ(ampRtScalerLoad(scaler.get(), FLT_MAX, 1), AMP_RT_OK);
  EXPECT_FALSE(update(scaler, false));
  EXPECT_EQ(stateOf(scaler).scale, FLT_MAX);
  EXPECT_EQ(stateOf(scaler).unskipped, 0);
}

TEST(Scaler, SizesAndNullsAreChecked) {
  AmpRtScalerConfig config = defaults();
  config.structSize = 4;
  AmpRtScaler *scaler = nullptr;
  EXPECT_EQ(ampRtScalerCreate("s", &config, &scaler), AMP_RT_VERSION_MISMATCH);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtScalerCreate: expected AmpRtScalerConfig of 72 bytes, or "
               "as many as another release of libamp-rt has, but its member "
               "'structSize' is 4; set it to sizeof(AmpRtScalerConfig) before "
               "the call");
  EXPECT_EQ(ampRtScalerCreate("s", nullptr, nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtScalerCreate: expected 'scaler' not to be null");

  ScalerPtr live = make(defaults());
  AmpRtScalerState state = {};
  EXPECT_EQ(ampRtScalerGetState(live.get(), &state), AMP_RT_VERSION_MISMATCH);
  EXPECT_EQ(ampRtScalerSetState(live.get(), &state), AMP_RT_VERSION_MISMATCH);
  EXPECT_EQ(ampRtScalerGetConfig(live.get(), &config), AMP_RT_VERSION_MISMATCH);
  float scale;
  AmpRtScalerVerdict verdict;
  EXPECT_EQ(ampRtScalerGetState(nullptr, &state), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerGetState(live.get(), nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerSetState(nullptr, &state), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerSetState(live.get(), nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerGetConfig(nullptr, &config), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerGetConfig(live.get(), nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerGetScale(nullptr, &scale), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerGetScale(live.get(), nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerUpdate(nullptr, false, nullptr),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerAccumulateFoundInf(nullptr, true),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerClearFoundInf(nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerLoad(nullptr, 1, 0), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerHealth(nullptr, 1, &verdict, nullptr),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerHealth(live.get(), 1, nullptr, nullptr),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerName(nullptr), nullptr);
  ampRtScalerDestroy(nullptr);
  ampRtScalerConfigInit(nullptr);
}

//===----------------------------------------------------------------------===//
// Transitions
//===----------------------------------------------------------------------===//

TEST(Scaler, StatisticsCountUpdates) {
  AmpRtScalerConfig config = defaults();
  config.growthInterval = 2;
  ScalerPtr scaler = make(config);
  EXPECT_FALSE(update(scaler, false));
  EXPECT_FALSE(update(scaler, false)); // grows
  EXPECT_TRUE(update(scaler, true));
  EXPECT_TRUE(update(scaler, true));
  AmpRtScalerState state = stateOf(scaler);
  EXPECT_EQ(state.scale, 32768);
  EXPECT_EQ(state.steps, 4);
  EXPECT_EQ(state.skipped, 2);
  EXPECT_EQ(state.overflows, 2);
  EXPECT_EQ(state.skippedInARow, 2);
  EXPECT_EQ(state.stepsAtFloor, 0);
  EXPECT_EQ(state.lastSkippedStep, 3);
  EXPECT_FALSE(update(scaler, false));
  state = stateOf(scaler);
  EXPECT_EQ(state.skippedInARow, 0);
  EXPECT_EQ(state.lastSkippedStep, 3);
}

// Apex never looks at infinities under a static scale; the total says so.
TEST(Scaler, StaticScaleNeverSkips) {
  AmpRtScalerConfig config = defaults();
  config.mode = AMP_RT_SCALER_STATIC;
  config.initialScale = 128;
  config.growthInterval = 2;
  ScalerPtr scaler = make(config);
  health(scaler, AMP_RT_SCALER_HEALTHY);
  for (int i = 0; i < 5; ++i)
    EXPECT_FALSE(update(scaler, i == 3));
  AmpRtScalerState state = stateOf(scaler);
  EXPECT_EQ(state.scale, 128);
  EXPECT_EQ(state.unskipped, 5);
  EXPECT_EQ(state.skipped, 0);
  EXPECT_EQ(state.overflows, 1);
  EXPECT_EQ(health(scaler, AMP_RT_SCALER_STATIC_OVERFLOW),
            "scaler 's' is static with scale 128 and was given 1 overflows in "
            "5 steps, none of them skipped; lower the scale, or use a dynamic "
            "scaler");
}

// But a program may skip all the same, and the counts are those of its steps.
TEST(Scaler, StaticScaleCountsWhatItsProgramSkips) {
  AmpRtScalerConfig config = defaults();
  config.mode = AMP_RT_SCALER_STATIC;
  config.flags = AMP_RT_SCALER_STATIC_SKIPS;
  config.initialScale = 128;
  ScalerPtr scaler = make(config);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(update(scaler, i == 3), i == 3);
  AmpRtScalerState state = stateOf(scaler);
  EXPECT_EQ(state.scale, 128);
  EXPECT_EQ(state.unskipped, 1);
  EXPECT_EQ(state.skipped, 1);
  EXPECT_EQ(state.skippedInARow, 0);
  EXPECT_EQ(state.lastSkippedStep, 3);
  EXPECT_EQ(state.overflows, 1);
  EXPECT_EQ(health(scaler, AMP_RT_SCALER_STATIC_OVERFLOW),
            "scaler 's' is static with scale 128 and was given 1 overflows in "
            "5 steps, 1 of them skipped; lower the scale, or use a dynamic "
            "scaler");
}

// Near miss: the flag says nothing about a dynamic scale.
TEST(Scaler, DynamicScaleSkipsByItself) {
  AmpRtScalerConfig config = defaults();
  config.flags = AMP_RT_SCALER_STATIC_SKIPS;
  ScalerPtr scaler = make(config);
  EXPECT_TRUE(update(scaler, true));
  EXPECT_EQ(stateOf(scaler).scale, 32768);
}

// An accumulated overflow belongs to the next transition, and to no other.
TEST(Scaler, AccumulatedOverflowIsConsumedOnce) {
  ScalerPtr scaler = make(defaults());
  ASSERT_EQ(ampRtScalerAccumulateFoundInf(scaler.get(), true), AMP_RT_OK);
  ASSERT_EQ(ampRtScalerAccumulateFoundInf(scaler.get(), false), AMP_RT_OK);
  EXPECT_TRUE(stateOf(scaler).flags & AMP_RT_SCALER_FOUND_INF);
  EXPECT_EQ(stateOf(scaler).scale, 65536);
  bool skip = false;
  ASSERT_EQ(ampRtScalerUpdate(scaler.get(), false, &skip), AMP_RT_OK);
  EXPECT_TRUE(skip);
  EXPECT_FALSE(stateOf(scaler).flags & AMP_RT_SCALER_FOUND_INF);
  EXPECT_FALSE(update(scaler, false));
  ASSERT_EQ(ampRtScalerAccumulateFoundInf(scaler.get(), true), AMP_RT_OK);
  ASSERT_EQ(ampRtScalerClearFoundInf(scaler.get()), AMP_RT_OK);
  EXPECT_FALSE(update(scaler, false));
  EXPECT_EQ(ampRtScalerUpdate(scaler.get(), false, nullptr), AMP_RT_OK);
}

// Without a maximum the scale stops short of inf.
TEST(Scaler, GrowthNeverReachesInfinity) {
  AmpRtScalerConfig config = defaults();
  config.maxScale = Inf;
  config.growthInterval = 1;
  ScalerPtr scaler = make(config);
  for (int i = 0; i < 1100; ++i)
    update(scaler, false);
  EXPECT_EQ(stateOf(scaler).scale, 0x1p1023);
  EXPECT_EQ(ampRtRunScale(OpenRun().handle(), ampRtScalerHandle(scaler.get())),
            FLT_MAX);
}

// Held for any backoff factor, not only where halving rounds to 0 exactly.
TEST(Scaler, BottomIsHeldForOtherFactors) {
  AmpRtScalerConfig config = defaults();
  config.initialScale = 1e-300;
  config.backoffFactor = 0.1;
  ScalerPtr scaler = make(config);
  for (int i = 0; i < 40; ++i)
    update(scaler, true);
  EXPECT_EQ(stateOf(scaler).scale, 5e-324);
  EXPECT_TRUE(stateOf(scaler).flags & AMP_RT_SCALER_HELD_AT_BOTTOM);
  update(scaler, false);
  EXPECT_FALSE(stateOf(scaler).flags & AMP_RT_SCALER_HELD_AT_BOTTOM);
  EXPECT_TRUE(stateOf(scaler).flags & AMP_RT_SCALER_AT_FLOOR);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

TEST(Scaler, LoadTakesApexsEntry) {
  AmpRtScalerConfig config = defaults();
  config.minScale = 1;
  ScalerPtr scaler = make(config);
  for (int i = 0; i < 20; ++i)
    update(scaler, true);
  EXPECT_GT(stateOf(scaler).stepsAtFloor, 0);
  // Above the maximum and below the minimum are taken as they are.
  for (double scale : {1000.0, 0x1p30, 0.25}) {
    ASSERT_EQ(ampRtScalerLoad(scaler.get(), scale, 17), AMP_RT_OK);
    EXPECT_EQ(stateOf(scaler).scale, scale);
    EXPECT_EQ(stateOf(scaler).unskipped, 17);
    EXPECT_EQ(stateOf(scaler).stepsAtFloor, 0);
    EXPECT_EQ(stateOf(scaler).skippedInARow, 0);
    EXPECT_EQ(stateOf(scaler).steps, 20);
  }
}

TEST(Scaler, LoadRefusesWhatNoScalerCanBeIn) {
  ScalerPtr scaler = make(defaults());
  EXPECT_EQ(ampRtScalerLoad(scaler.get(), 0, 0), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtScalerLoad: scaler 's': expected a scale above 0, but got "
               "0, which Apex saves once its scale has collapsed; restore an "
               "earlier checkpoint, or start from 65536");
  EXPECT_EQ(ampRtScalerLoad(scaler.get(), -2, 0), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtScalerLoad: scaler 's': expected a scale above 0 and "
               "finite, but got -2; restore an earlier checkpoint");
  EXPECT_EQ(ampRtScalerLoad(scaler.get(), Inf, 0), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerLoad(scaler.get(), NaN, 0), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtScalerLoad(scaler.get(), 1, -1), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtScalerLoad: scaler 's': expected 'unskipped' not to be "
               "negative, but got -1; use 0 to start counting anew");
  EXPECT_EQ(stateOf(scaler).scale, 65536);
}

// What GetState gives, SetState puts back into another scaler, to the last bit.
TEST(Scaler, StateGoesRound) {
  AmpRtScalerConfig config = defaults();
  config.growthInterval = 3;
  ScalerPtr first = make(config), second = make(config);
  for (int i = 0; i < 25; ++i)
    update(first, i % 7 == 2 || i > 22);
  ampRtScalerAccumulateFoundInf(first.get(), true);
  AmpRtScalerState saved = stateOf(first);
  ASSERT_EQ(ampRtScalerSetState(second.get(), &saved), AMP_RT_OK)
      << ampRtStatusText();
  for (int i = 0; i < 50; ++i) {
    AmpRtScalerState a = stateOf(first), b = stateOf(second);
    ASSERT_EQ(std::memcmp(&a, &b, sizeof(a)), 0) << "step " << i;
    ASSERT_EQ(update(first, i % 5 == 0), update(second, i % 5 == 0));
  }
}

TEST(Scaler, SetStateRefusesImpossibleStates) {
  ScalerPtr scaler = make(defaults());
  update(scaler, true);
  AmpRtScalerState good = stateOf(scaler), bad = good;
  bad.scale = 0;
  EXPECT_EQ(ampRtScalerSetState(scaler.get(), &bad), AMP_RT_INVALID_ARGUMENT);
  bad = good;
  bad.skipped = 5;
  EXPECT_EQ(ampRtScalerSetState(scaler.get(), &bad), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtScalerSetState: scaler 's': expected statistics that "
               "belong together (0 <= stepsAtFloor <= skippedInARow <= skipped "
               "<= overflows <= steps); pass a state that ampRtScalerGetState "
               "gave");
  AmpRtScalerState now = stateOf(scaler);
  EXPECT_EQ(std::memcmp(&now, &good, sizeof(now)), 0);
  EXPECT_EQ(ampRtScalerSetState(scaler.get(), &good), AMP_RT_OK);
}

// Each inequality by itself, and what just holds.
TEST(Scaler, StatisticsOfAStateBelongTogether) {
  ScalerPtr scaler = make(defaults());
  AmpRtScalerState good = stateOf(scaler);
  good.steps = 9;
  good.overflows = 7;
  good.skipped = 5;
  good.skippedInARow = 3;
  good.stepsAtFloor = 2;
  good.lastSkippedStep = 8;
  EXPECT_EQ(ampRtScalerSetState(scaler.get(), &good), AMP_RT_OK);
  struct Change {
    int64_t AmpRtScalerState::*member;
    int64_t last, first; // what still holds, and what does not
  };
  for (Change change : {Change{&AmpRtScalerState::stepsAtFloor, 0, -1},
                        {&AmpRtScalerState::stepsAtFloor, 3, 4},
                        {&AmpRtScalerState::skippedInARow, 5, 6},
                        {&AmpRtScalerState::skipped, 7, 8},
                        {&AmpRtScalerState::overflows, 9, 10},
                        {&AmpRtScalerState::lastSkippedStep, -1, -2},
                        {&AmpRtScalerState::lastSkippedStep, 8, 9}}) {
    AmpRtScalerState state = good;
    state.*change.member = change.last;
    EXPECT_EQ(ampRtScalerSetState(scaler.get(), &state), AMP_RT_OK)
        << change.last;
    state.*change.member = change.first;
    EXPECT_EQ(ampRtScalerSetState(scaler.get(), &state),
              AMP_RT_INVALID_ARGUMENT)
        << change.first;
  }
}

// Flags of another release mean nothing here, and the floor is looked at anew.
TEST(Scaler, SetStateTakesTheFlagsItKnows) {
  ScalerPtr scaler = make(defaults());
  AmpRtScalerState state = stateOf(scaler);
  state.flags = ~0u;
  ASSERT_EQ(ampRtScalerSetState(scaler.get(), &state), AMP_RT_OK);
  EXPECT_EQ(stateOf(scaler).flags,
            uint32_t(AMP_RT_SCALER_HELD_AT_BOTTOM | AMP_RT_SCALER_FOUND_INF));
}

//===----------------------------------------------------------------------===//
// Health
//===----------------------------------------------------------------------===//

TEST(Scaler, VerdictFollowsTheRunOfOverflows) {
  AmpRtScalerConfig config = defaults();
  config.initialScale = 4;
  config.minScale = 1;
  ScalerPtr scaler = make(config, "loss0");
  EXPECT_EQ(health(scaler, AMP_RT_SCALER_HEALTHY),
            "scaler 'loss0' is healthy: scale 4, 0 of 0 steps skipped");
  update(scaler, true);
  update(scaler, true); // now at the floor, though it just got there
  EXPECT_TRUE(stateOf(scaler).flags & AMP_RT_SCALER_AT_FLOOR);
  EXPECT_EQ(health(scaler, AMP_RT_SCALER_BACKING_OFF),
            "scaler 'loss0' is backing off: scale 1 after 2 skipped steps in a "
            "row, the last of them step 1");
  update(scaler, true);
  update(scaler, true);
  health(scaler, AMP_RT_SCALER_BACKING_OFF);
  update(scaler, true);
  EXPECT_EQ(health(scaler, AMP_RT_SCALER_STUCK_AT_FLOOR),
            "scaler 'loss0' is stuck at its floor 1: 3 overflows in a row "
            "there, the last at step 4; the gradients are not finite whatever "
            "the scale; look for the first value that is not finite "
            "(ampRtTap), at the data and at the learning rate, and go back to "
            "a checkpoint before the run of overflows");
  update(scaler, false);
  health(scaler, AMP_RT_SCALER_HEALTHY);
  EXPECT_EQ(stateOf(scaler).stepsAtFloor, 0);
}

TEST(Scaler, PatienceMustBePositive) {
  ScalerPtr scaler = make(defaults());
  AmpRtScalerVerdict verdict;
  EXPECT_EQ(ampRtScalerHealth(scaler.get(), 0, &verdict, nullptr),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(), "ampRtScalerHealth: scaler 's': expected "
                                  "'patience' to be at least 1, but got 0");
  EXPECT_EQ(ampRtScalerHealth(scaler.get(), 1, &verdict, nullptr), AMP_RT_OK);
}

//===----------------------------------------------------------------------===//
// Program entry points
//===----------------------------------------------------------------------===//

TEST(Scaler, ProgramScaleStaysNormal) {
  ScalerPtr scaler = make(defaults());
  int64_t handle = ampRtScalerHandle(scaler.get());
  OpenRun run;
  EXPECT_EQ(ampRtRunScale(run.handle(), handle), 65536.0f);
  struct {
    double state;
    float program;
  } cases[] = {{1000.1, 1000.1f},     {0x1p-126, 0x1p-126f},
               {0x1p-127, 0x1p-126f}, {5e-324, 0x1p-126f},
               {1e300, FLT_MAX},      {0x1p127, 0x1p127f}};
  for (auto &row : cases) {
    ASSERT_EQ(ampRtScalerLoad(scaler.get(), row.state, 0), AMP_RT_OK);
    EXPECT_EQ(ampRtRunScale(run.handle(), handle), row.program);
    float scale;
    ASSERT_EQ(ampRtScalerGetScale(scaler.get(), &scale), AMP_RT_OK);
    EXPECT_EQ(scale, row.program);
  }
}

// LLVM leaves the upper bits of an i1 argument undefined.
TEST(Scaler, ProgramUpdateReadsOneBit) {
  ScalerPtr scaler = make(defaults());
  int64_t handle = ampRtScalerHandle(scaler.get());
  OpenRun run;
  ampRtRunUpdateScale(run.handle(), handle, 0xfe);
  EXPECT_EQ(stateOf(scaler).unskipped, 1);
  EXPECT_EQ(stateOf(scaler).skipped, 0);
  ampRtRunUpdateScale(run.handle(), handle, 0xff);
  ampRtRunUpdateScale(run.handle(), handle, 1);
  ampRtRunUpdateScale(run.handle(), handle, 0);
  EXPECT_EQ(stateOf(scaler).skipped, 2);
  EXPECT_EQ(stateOf(scaler).steps, 4);
}

TEST(Scaler, WrongHandleIsAProgramError) {
  OpenRun run;
  EXPECT_EQ(ampRtScalerHandle(nullptr), 0);
  EXPECT_TRUE(std::isnan(ampRtRunScale(run.handle(), 0)));
  EXPECT_EQ(run.takeError(),
            "ampRtRunScale: expected the handle of a loss scaler, but got 0; "
            "pass what ampRtScalerHandle gave, and destroy the scaler after "
            "the program");
  EXPECT_EQ(run.status, AMP_RT_PROGRAM_ERROR);
  // A handle of another kind.
  AmpRtTap *tap = nullptr;
  ASSERT_EQ(ampRtTapCreate(&tap), AMP_RT_OK);
  ampRtRunUpdateScale(run.handle(), ampRtTapHandle(tap), 1);
  EXPECT_EQ(run.takeError().rfind("ampRtRunUpdateScale: expected the handle of "
                                  "a loss scaler, but got 0x",
                                  0),
            0u);
  ampRtTapDestroy(tap);
}
