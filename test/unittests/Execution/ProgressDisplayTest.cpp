//===- ProgressDisplayTest.cpp - Bars and lines ---------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ProgressDisplay.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace mlir::amp;

namespace {

StepRecord makeRecord(int64_t step, bool skipped = false) {
  StepRecord record;
  record.step = step;
  record.losses = {{"loss", 0.62464}};
  record.scalers = {{"loss", 65536, 32768, 0, skipped}};
  return record;
}

/// A run that is `steps` steps old, of which the first took a second more than
/// the others.
RunSummary makeSummary(int64_t steps, double secondsPerStep) {
  RunSummary soFar;
  soFar.steps = steps;
  soFar.firstStepSeconds = secondsPerStep + 1;
  soFar.otherSeconds = secondsPerStep * double(steps - 1);
  soFar.totalSeconds = secondsPerStep * double(steps);
  return soFar;
}

/// What is written for the steps 0 to `steps` - 1, of which step 1 is skipped.
std::string show(ProgressDisplay::Style style, int64_t steps,
                 int64_t numSteps) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ProgressDisplay display(os, style, numSteps);
  for (int64_t step = 0; step < steps; ++step)
    display.update(makeRecord(step, step == 1), makeSummary(step + 1, 0.5));
  return text;
}

ProgressDisplay::Style makeTerminal(unsigned width, bool hasColor = false) {
  ProgressDisplay::Style style;
  style.isTerminal = true;
  style.hasColor = hasColor;
  style.width = width;
  return style;
}

/// The last drawing on a terminal, without its control characters.
std::string getDrawing(unsigned width) {
  const std::string text = show(makeTerminal(width), 2, 4);
  const size_t begin = text.rfind('\r') + 1;
  return text.substr(begin, text.rfind("\x1b[K") - begin);
}

} // namespace

// The rate is the summary's, which leaves the first step out.
TEST(ProgressDisplay, PlainLinesComeEverySoManySteps) {
  ProgressDisplay::Style style;
  style.lineInterval = 2;
  EXPECT_EQ(show(style, 4, 4),
            "step 0: loss 0.6246, scale 32768, skipped 0\n"
            "step 2: loss 0.6246, scale 32768, skipped 1, 2.00 steps/s\n"
            "step 3: loss 0.6246, scale 32768, skipped 1, 2.00 steps/s\n");
}

TEST(ProgressDisplay, ATerminalHasABar) {
  EXPECT_EQ(getDrawing(100),
            "[####################....................] "
            "2/4  loss 0.6246  scale 32768  skipped 1  2.00 steps/s");
}

TEST(ProgressDisplay, NarrowTerminalsLoseTheBarThenTheFields) {
  EXPECT_EQ(getDrawing(70),
            "[######......] 2/4  loss 0.6246  scale 32768  skipped 1  2.00 "
            "steps/s");
  EXPECT_EQ(getDrawing(60),
            "2/4  loss 0.6246  scale 32768  skipped 1  2.00 steps/s");
  EXPECT_EQ(getDrawing(45), "2/4  loss 0.6246  scale 32768  skipped 1");
  EXPECT_EQ(getDrawing(20), "2/4  loss 0.6246");
  EXPECT_EQ(getDrawing(5), "2/4");
  for (unsigned width = 4; width < 120; ++width)
    EXPECT_LT(getDrawing(width).size(), width);
}

TEST(ProgressDisplay, TheLineIsClosedWhenTheRunEnds) {
  const std::string text = show(makeTerminal(80), 2, 4);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 2);
}

TEST(ProgressDisplay, SkippedStepsAreColoured) {
  EXPECT_EQ(show(makeTerminal(100), 2, 4).find("\x1b[33m"), std::string::npos);
  EXPECT_NE(show(makeTerminal(100, true), 2, 4)
                .find("\x1b[33mskipped 1\x1b[0m  2.00"),
            std::string::npos);
  // Nothing to point at yet.
  EXPECT_EQ(show(makeTerminal(100, true), 1, 4).find("\x1b[33m"),
            std::string::npos);
}

TEST(ProgressDisplay, FastStepsAreNotAllDrawn) {
  std::string text;
  llvm::raw_string_ostream os(text);
  {
    ProgressDisplay display(os, makeTerminal(80), 1000);
    for (int64_t step = 0; step < 1000; ++step)
      display.update(makeRecord(step), makeSummary(step + 1, 0.001));
  }
  // One second: the first step, about nine more, and the last one.
  EXPECT_LE(std::count(text.begin(), text.end(), '\r'), 12);
  EXPECT_NE(text.find("1000/1000"), std::string::npos);
}

TEST(ProgressDisplay, SeveralLossesAndScalesStandSideBySide) {
  StepRecord record = makeRecord(0);
  record.losses = {{"d", 0.5}, {"g", std::nan("")}};
  record.scalers.push_back({"g", 1, 128, 0, false});
  std::string text;
  llvm::raw_string_ostream os(text);
  ProgressDisplay(os, {}, 1).update(record, makeSummary(1, 0.01));
  EXPECT_EQ(text, "step 0: d 0.5000 g nan, scale 32768 128, skipped 0\n");
}

TEST(ProgressDisplay, StyleFollowsTheEnvironment) {
  // Under a test runner standard output is no terminal; then neither are there
  // colours.
  ProgressDisplay::Style style = ProgressDisplay::Style::detect(200);
  EXPECT_EQ(style.lineInterval, 10);
  EXPECT_TRUE(style.isTerminal || !style.hasColor);
  EXPECT_EQ(ProgressDisplay::Style::detect(3).lineInterval, 1);
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(ProgressDisplay::Style::detect(3).hasColor);
  unsetenv("NO_COLOR");
}
