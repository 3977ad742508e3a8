//===-- ChooseVersionTest.cpp - Programs for several CPUs -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a CPU can do differs from machine to machine: here versions need
// nothing, or a feature that has no name yet, which no CPU has.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Cpu.h"
#include "amp-rt/Program.h"
#include "amp-rt/Training.h"
#include "amp-rt/Version.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

namespace {
constexpr uint64_t kNothing = 0, kUnknown = uint64_t(1) << 63;

struct ChooseVersion : testing::Test {
  /// A program of `cpu`, which needs `features`.
  static AmpRtProgram make(const char *cpu, uint64_t features) {
    AmpRtProgram program = {};
    program.structSize = sizeof(program);
    program.runtimeVersion = AMP_RT_VERSION;
    program.cpu = cpu;
    program.cpuFeatures = features;
    return program;
  }

  void setVersions(int32_t count) {
    last.versions = versions;
    last.versionCount = count;
  }

  AmpRtProgram newest = make("newest", kUnknown), newer = make("newer", 0),
               plain = make("plain", 0), last = make("last", 0);
  const AmpRtProgram *versions[3] = {&newest, &newer, &plain};
  const AmpRtProgram *chosen = nullptr;
};
} // namespace

TEST_F(ChooseVersion, TakesTheFirstThatRuns) {
  setVersions(3);
  ASSERT_EQ(ampRtProgramChoose(&last, &chosen), AMP_RT_OK);
  EXPECT_EQ(chosen, &newer);
  newer.cpuFeatures = kUnknown;
  ASSERT_EQ(ampRtProgramChoose(&last, &chosen), AMP_RT_OK);
  EXPECT_EQ(chosen, &plain);
}

TEST_F(ChooseVersion, TakesTheProgramItselfWhereNoVersionRuns) {
  setVersions(1);
  ASSERT_EQ(ampRtProgramChoose(&last, &chosen), AMP_RT_OK);
  EXPECT_EQ(chosen, &last);
  setVersions(0);
  ASSERT_EQ(ampRtProgramChoose(&last, &chosen), AMP_RT_OK);
  EXPECT_EQ(chosen, &last);
}

TEST_F(ChooseVersion, RefusesWhatNoCpuCanRun) {
  setVersions(1);
  last.cpuFeatures = kUnknown;
  EXPECT_EQ(ampRtProgramChoose(&last, &chosen), AMP_RT_UNAVAILABLE);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtProgramChoose: the code for 'last' needs what is newer "
               "than libamp-rt, which this CPU has not, or the system does not "
               "let this process use; compile the step for this CPU too "
               "(amp-compile --cpu)");
  EXPECT_EQ(chosen, nullptr);
  EXPECT_EQ(ampRtProgramChoose(nullptr, &chosen), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtProgramChoose(&last, nullptr), AMP_RT_INVALID_ARGUMENT);
}

TEST_F(ChooseVersion, RefusesVersionsThatAreNotThere) {
  setVersions(2);
  newest.cpuFeatures = kUnknown;
  versions[1] = nullptr;
  EXPECT_EQ(ampRtProgramChoose(&last, &chosen), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtProgramChoose: the program says that it has 2 versions, "
               "but version 1 is null");
  last.versions = nullptr;
  EXPECT_EQ(ampRtProgramChoose(&last, &chosen), AMP_RT_INVALID_ARGUMENT);
}

// Of many features that are missing some are named, and the others counted.
TEST_F(ChooseVersion, CountsWhatIsMissing) {
  int32_t known = 0;
  while (ampRtCpuFeatureName(known))
    ++known;
  ASSERT_LT(known, 64 - 9);
  // Bits from 55 on have no names yet.
  last.cpuFeatures = ~uint64_t(0) << 55;
  EXPECT_EQ(ampRtProgramChoose(&last, &chosen), AMP_RT_UNAVAILABLE);
  EXPECT_TRUE(std::strstr(ampRtStatusText(),
                          "what is newer than libamp-rt and 1 more, which"))
      << ampRtStatusText();
}

// A description from before versions says nothing of CPUs.
TEST_F(ChooseVersion, ReadsOlderDescriptions) {
  setVersions(3);
  last.structSize = offsetof(AmpRtProgram, cpu);
  ASSERT_EQ(ampRtProgramChoose(&last, &chosen), AMP_RT_OK);
  EXPECT_EQ(chosen, &last);
}

// A driver that chose nothing gets a status from the call, not a signal.
TEST_F(ChooseVersion, CallsAskToo) {
  AmpRtFunction f = {};
  f.structSize = sizeof(f);
  f.name = "f";
  void *none[1] = {};
  EXPECT_EQ(ampRtProgramCheckArguments(&f, none, 0), AMP_RT_OK);
  f.cpuFeatures = kUnknown;
  EXPECT_EQ(ampRtProgramCheckArguments(&f, none, 0), AMP_RT_UNAVAILABLE);
  EXPECT_TRUE(std::strstr(ampRtStatusText(), "the code for 'f' needs"))
      << ampRtStatusText();
  // As large as it was when it got the member, and before.
  f.structSize = offsetof(AmpRtFunction, cpuFeatures) + sizeof(f.cpuFeatures);
  EXPECT_EQ(ampRtProgramCheckArguments(&f, none, 0), AMP_RT_UNAVAILABLE);
  f.structSize = offsetof(AmpRtFunction, cpuFeatures);
  EXPECT_EQ(ampRtProgramCheckArguments(&f, none, 0), AMP_RT_OK);
}

TEST_F(ChooseVersion, TrainingsChoose) {
  AmpRtFunction step = {}, other = {};
  step.structSize = other.structSize = sizeof(step);
  step.kind = AMP_RT_FUNCTION_TRAIN_STEP;
  step.name = other.name = "step";
  other.kind = AMP_RT_FUNCTION_TRAIN_STEP;
  const AmpRtFunction *ours[1] = {&step}, *theirs[1] = {&other};
  newest.functions = last.functions = theirs;
  newer.functions = ours;
  newest.functionCount = newer.functionCount = last.functionCount = 1;
  setVersions(2);
  AmpRtTraining *training = nullptr;
  ASSERT_EQ(ampRtTrainingCreate(&last, nullptr, 0, &training), AMP_RT_OK)
      << ampRtStatusText();
  EXPECT_EQ(ampRtTrainingFunction(training), &step);
  ampRtTrainingDestroy(training);

  newer.cpuFeatures = last.cpuFeatures = kUnknown;
  EXPECT_EQ(ampRtTrainingCreate(&last, nullptr, 0, &training),
            AMP_RT_UNAVAILABLE);
  EXPECT_TRUE(std::strstr(ampRtStatusText(), "ampRtTrainingCreate: the code "
                                             "for 'last' needs"))
      << ampRtStatusText();
}

TEST(Cpu, FeaturesHaveNamesAndNumbers) {
  int32_t count = 0;
  for (; const char *name = ampRtCpuFeatureName(count); ++count)
    EXPECT_EQ(ampRtCpuFindFeature(name), count) << name;
  EXPECT_GT(count, 30);
  // Programs that are there have these.
  EXPECT_EQ(ampRtCpuFindFeature("sse3"), 0);
  EXPECT_EQ(ampRtCpuFindFeature("fma"), 2);
  EXPECT_EQ(ampRtCpuFindFeature("no such feature"), -1);
  EXPECT_EQ(ampRtCpuFindFeature(nullptr), -1);
  EXPECT_EQ(ampRtCpuFeatureName(-1), nullptr);
  EXPECT_EQ(ampRtCpuFeatureName(64), nullptr);
  EXPECT_EQ(ampRtCpuGetFeatures(kNothing), kNothing);
  EXPECT_EQ(ampRtCpuGetFeatures(kUnknown), kNothing);
}
