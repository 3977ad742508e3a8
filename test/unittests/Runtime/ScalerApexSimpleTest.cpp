//===-- ScalerApexSimpleTest.cpp - Scaler against Apex's own traces -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// scaler_apex_simple.json: 127 runs of Apex AMP with one loss, one optimizer
// and one backward pass per step, and one run of 7000 steps at the default
// window. Each row is compared exactly, in f64.
//
// Named differences, both by intent:
// - apex-s-122: a counter loaded past the window grows at once (Apex: never).
// - apex-s-125: at the 1091st halving Apex reaches 0 and then dies of
//   ZeroDivisionError; here the scale is held at 5e-324.
// And 12 runs have a minimum above the maximum or above the initial scale. Such
// a configuration is refused unless AMP_RT_SCALER_APEX_BOUNDS is set; with it
// their rows are compared like all others.
//
//===----------------------------------------------------------------------===//

#include "OracleFile.h"

#include "amp-rt/Scaler.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

using namespace amp::rt::test;
using nlohmann::json;

namespace {

struct Row {
  double scale;
  int64_t unskipped;
  bool skipped;

  bool operator==(const Row &other) const {
    return scale == other.scale && unskipped == other.unskipped &&
           skipped == other.skipped;
  }
};

std::ostream &operator<<(std::ostream &stream, const Row &row) {
  return stream << "(scale " << row.scale << ", unskipped " << row.unskipped
                << ", skipped " << row.skipped << ")";
}

/// One run: a scaler with the run's configuration.
struct TraceRun {
  explicit TraceRun(const json &trace) : id(trace["id"].get<std::string>()) {
    const json &arguments = trace["config"];
    ampRtScalerConfigInit(&config);
    std::string level = arguments["opt_level"].get<std::string>();
    // Dynamic is the default of O1 and O2, the only levels that leave it out.
    json scale = arguments.value("loss_scale", json("dynamic"));
    if (scale != "dynamic") {
      config.mode = AMP_RT_SCALER_STATIC;
      config.initialScale = asNumber(scale);
    }
    config.growthInterval = arguments.value("scale_window", int64_t(2000));
    config.maxScale = arguments.value("max_loss_scale", 0x1p24);
    config.minScale = arguments.value("min_loss_scale", 0.0);
    // scale_loss then yields the loss as it is and never asks the scaler: every
    // level but O2, which has master weights.
    bypassesScaler = level != "O2" && config.mode == AMP_RT_SCALER_STATIC &&
                     config.initialScale == 1.0;

    status = ampRtScalerCreate(id.c_str(), &config, &scaler);
    refusal = status == AMP_RT_OK ? "" : ampRtStatusText();
    if (status != AMP_RT_OK) {
      config.flags |= AMP_RT_SCALER_APEX_BOUNDS;
      EXPECT_EQ(ampRtScalerCreate(id.c_str(), &config, &scaler), AMP_RT_OK)
          << ampRtStatusText();
    }
    if (arguments.contains("load")) {
      const json &entry = arguments["load"][0];
      EXPECT_EQ(
          ampRtScalerLoad(scaler, entry["loss_scale"], entry["unskipped"]),
          AMP_RT_OK);
    }
  }
  TraceRun(const TraceRun &) = delete;
  ~TraceRun() { ampRtScalerDestroy(scaler); }

  AmpRtScalerState state() const {
    AmpRtScalerState state;
    state.structSize = sizeof(state);
    EXPECT_EQ(ampRtScalerGetState(scaler, &state), AMP_RT_OK);
    return state;
  }

  Row step(bool overflow) {
    bool skip = false;
    if (!bypassesScaler) {
      EXPECT_EQ(ampRtScalerUpdate(scaler, overflow, &skip), AMP_RT_OK);
    }
    AmpRtScalerState now = state();
    return {now.scale, now.unskipped, skip};
  }

  std::string id;
  AmpRtScalerConfig config;
  AmpRtStatus status;
  /// Why the configuration was refused without AMP_RT_SCALER_APEX_BOUNDS.
  std::string refusal;
  bool bypassesScaler;
  AmpRtScaler *scaler = nullptr;
};

Row rowOf(const json &step) {
  return {asNumber(step[1]), step[2].get<int64_t>(), step[3] == 1};
}

} // namespace

TEST(ScalerApexSimple, EveryRowAgrees) {
  json file = readOracle("scaler_apex_simple.json");
  ASSERT_TRUE(file.is_object()) << "cannot read the oracle";
  ASSERT_EQ(file["traces"].size(), 127u);

  int64_t runs = 0, rows = 0, agreeing = 0;
  std::set<std::string> refused, differing;
  for (const json &trace : file["traces"]) {
    TraceRun run(trace);
    ++runs;
    if (!run.refusal.empty())
      refused.insert(run.id);
    AmpRtScalerState start = run.state();
    EXPECT_EQ(start.scale, asNumber(trace["initial"][0][0])) << run.id;
    EXPECT_EQ(start.unskipped, trace["initial"][0][1].get<int64_t>()) << run.id;

    for (size_t i = 0; i < trace["steps"].size(); ++i) {
      const json &step = trace["steps"][i];
      Row expected = rowOf(step);
      Row actual = run.step(step[0] == 1);
      ++rows;
      if (actual == expected) {
        ++agreeing;
        continue;
      }
      differing.insert(run.id);
      // Checked by the tests of the two named differences.
      if (run.id != "apex-s-122" && run.id != "apex-s-125")
        ADD_FAILURE() << run.id << " step " << i << ": " << actual
                      << ", but Apex: " << expected;
    }
    if (differing.count(run.id))
      continue;
    AmpRtScalerState end = run.state();
    const json &saved = trace["final_state_dict"]["loss_scaler0"];
    EXPECT_EQ(end.scale, asNumber(saved["loss_scale"])) << run.id;
    EXPECT_EQ(end.unskipped, saved["unskipped"].get<int64_t>()) << run.id;
  }
  EXPECT_EQ(differing, (std::set<std::string>{"apex-s-122", "apex-s-125"}));
  EXPECT_EQ(refused,
            (std::set<std::string>{"apex-s-087", "apex-s-088", "apex-s-089",
                                   "apex-s-090", "apex-s-091", "apex-s-092",
                                   "apex-s-099", "apex-s-100", "apex-s-101",
                                   "apex-s-102", "apex-s-103", "apex-s-104"}));
  std::printf("scaler_apex_simple.json: %lld of %lld runs agree, %lld of %lld "
              "rows; named differences: apex-s-122, apex-s-125; %zu runs need "
              "AMP_RT_SCALER_APEX_BOUNDS\n",
              (long long)(runs - (int64_t)differing.size()), (long long)runs,
              (long long)agreeing, (long long)rows, refused.size());
}

// The bounds of these runs contradict each other, and the texts say which.
TEST(ScalerApexSimple, ContradictingBoundsAreRefusedByDefault) {
  json file = readOracle("scaler_apex_simple.json");
  ASSERT_TRUE(file.is_object());
  EXPECT_EQ(TraceRun(file["traces"][87]).refusal,
            "ampRtScalerCreate: scaler 'apex-s-087': expected min scale not to "
            "be above the initial scale, but got 131072 and 65536; raise the "
            "initial scale, or set AMP_RT_SCALER_APEX_BOUNDS for Apex's "
            "behaviour");
  EXPECT_EQ(TraceRun(file["traces"][99]).refusal,
            "ampRtScalerCreate: scaler 'apex-s-099': expected min scale not to "
            "be above max scale, but got 32768 and 16384; lower the min scale, "
            "or set AMP_RT_SCALER_APEX_BOUNDS for Apex's behaviour");
}

// Window 4, loaded with unskipped 7. Apex waits for the counter to *equal* 4
// and only gets there after an overflow, at step 7. Ours grows at step 0 and
// again at step 4, so from the overflow on it is the same run at four times the
// scale.
TEST(ScalerApexSimple, CounterLoadedPastTheWindowGrowsAtOnce) {
  json file = readOracle("scaler_apex_simple.json");
  ASSERT_TRUE(file.is_object());
  const json &trace = file["traces"][122];
  ASSERT_EQ(trace["id"], "apex-s-122");
  const Row beforeOverflow[] = {
      {8192, 0, false},  {8192, 1, false},  {8192, 2, false}, {8192, 3, false},
      {16384, 0, false}, {16384, 1, false}, {16384, 2, false}};
  TraceRun run(trace);
  for (size_t i = 0; i < trace["steps"].size(); ++i) {
    const json &step = trace["steps"][i];
    Row expected = rowOf(step);
    expected.scale *= 4;
    if (i < 7) {
      ASSERT_EQ(step[0], 0);
      expected = beforeOverflow[i];
    }
    EXPECT_EQ(run.step(step[0] == 1), expected) << "step " << i;
  }
}

// 1091 overflows from 2^16: 1090 rows agree down to 5e-324, the last is held.
TEST(ScalerApexSimple, ScaleIsHeldWhereApexDividesByZero) {
  json file = readOracle("scaler_apex_simple.json");
  ASSERT_TRUE(file.is_object());
  const json &trace = file["traces"][125];
  ASSERT_EQ(trace["id"], "apex-s-125");
  ASSERT_EQ(trace["error"]["type"], "ZeroDivisionError");
  TraceRun run(trace);
  size_t last = trace["steps"].size() - 1;
  ASSERT_EQ(last, 1090u);
  for (size_t i = 0; i < last; ++i)
    ASSERT_EQ(run.step(true), rowOf(trace["steps"][i])) << "step " << i;
  EXPECT_EQ(run.state().scale, 5e-324);
  EXPECT_FALSE(run.state().flags & AMP_RT_SCALER_HELD_AT_BOTTOM);

  EXPECT_EQ(rowOf(trace["steps"][last]), (Row{0.0, 0, true}));
  EXPECT_EQ(run.step(true), (Row{5e-324, 0, true}));
  EXPECT_TRUE(run.state().flags & AMP_RT_SCALER_HELD_AT_BOTTOM);
  AmpRtScalerVerdict verdict;
  const char *text = nullptr;
  ASSERT_EQ(ampRtScalerHealth(run.scaler, 10, &verdict, &text), AMP_RT_OK);
  EXPECT_EQ(verdict, AMP_RT_SCALER_STUCK_AT_BOTTOM);
  // 2^16 takes 142 halvings to 2^-126; the 949 after them started at the floor.
  EXPECT_STREQ(
      text,
      "scaler 'apex-s-125' is held at 4.94066e-324, the smallest above 0, "
      "and its program uses 1.17549e-38: 949 overflows in a row at the floor, "
      "the last at step 1090; the gradients are not finite whatever the scale; "
      "look for the first value that is not finite (ampRtTap), at the data and "
      "at the learning rate, and go back to a checkpoint before the run of "
      "overflows");
}

// Only the steps where something changed are listed; between them the scale
// stays and the counter counts.
TEST(ScalerApexSimple, DefaultWindowOver7000Steps) {
  json file = readOracle("scaler_apex_simple.json");
  ASSERT_TRUE(file.is_object());
  ASSERT_EQ(file["long"].size(), 1u);
  const json &trace = file["long"][0];
  TraceRun run(trace);
  std::set<int64_t> overflows;
  for (const json &step : trace["overflow_steps"])
    overflows.insert(step.get<int64_t>());

  size_t next = 0;
  int64_t steps = trace["n_steps"], listed = 0;
  const json &changes = trace["steps_where_something_changed"];
  Row previous = {run.state().scale, run.state().unskipped, false};
  for (int64_t i = 0; i < steps; ++i) {
    Row actual = run.step(overflows.count(i) != 0);
    if (next < changes.size() && changes[next][0] == i) {
      const json &row = changes[next++];
      ++listed;
      EXPECT_EQ(row[1] == 1, overflows.count(i) != 0) << "step " << i;
      EXPECT_EQ(actual,
                (Row{asNumber(row[2]), row[3].get<int64_t>(), row[4] == 1}))
          << "step " << i;
    } else {
      ASSERT_EQ(actual, (Row{previous.scale, previous.unskipped + 1, false}))
          << "step " << i;
    }
    previous = actual;
  }
  EXPECT_EQ(next, changes.size());
  std::printf("scaler_apex_simple.json, long: %lld of %zu listed rows agree, "
              "%lld steps\n",
              (long long)listed, changes.size(), (long long)steps);
}
