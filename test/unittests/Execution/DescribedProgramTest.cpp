//===- DescribedProgramTest.cpp - What a program may say of itself --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptions written by hand: a compiler of ours makes no wrong one, and code
// may come from elsewhere. Whole programs are in test/Integration/Host.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/DescribedProgram.h"

#include "amp-rt/Version.h"
#include "gtest/gtest.h"

using namespace mlir::amp;

namespace {
/// A train step with one parameter, a tap and a scaler.
class DescribedProgramTest : public testing::Test {
protected:
  DescribedProgramTest() { ampRtScalerConfigInit(&config); }

  /// The error of opening it, or "".
  std::string open() {
    auto opened = openProgram(program, nullptr);
    return opened ? "" : llvm::toString(opened.takeError());
  }

  int64_t extents[2] = {2, 3}, strides[2] = {3, 1};
  AmpRtValue weight = {sizeof(AmpRtValue),
                       AMP_RT_VALUE_ARRAY,
                       "param",
                       "w",
                       "",
                       "",
                       AMP_RT_ELEMENT_F32,
                       2,
                       extents,
                       strides,
                       0};
  AmpRtValue tap = {sizeof(AmpRtValue),
                    AMP_RT_VALUE_TAP,
                    "hyper",
                    "tap",
                    "",
                    "",
                    -1,
                    0,
                    nullptr,
                    nullptr,
                    0};
  AmpRtValue scale = {sizeof(AmpRtValue),
                      AMP_RT_VALUE_SCALER,
                      "scaler_state",
                      "loss_scaler0",
                      "",
                      "",
                      -1,
                      0,
                      nullptr,
                      nullptr,
                      0};
  const AmpRtValue *arguments[3] = {&weight, &tap, &scale};
  const AmpRtValue *results[1] = {&weight};
  AmpRtFunction step = {sizeof(AmpRtFunction),
                        AMP_RT_FUNCTION_TRAIN_STEP,
                        "train_step",
                        3,
                        1,
                        arguments,
                        results,
                        [](int64_t, void *const *) { return AMP_RT_OK; },
                        0,
                        /*cpuFeatures=*/0};
  const AmpRtFunction *functions[1] = {&step};
  AmpRtScalerConfig config;
  AmpRtProgramScaler scaler = {sizeof(AmpRtProgramScaler), 0, "loss_scaler0",
                               &config};
  const AmpRtProgramScaler *scalers[1] = {&scaler};
  AmpRtProgramKernel kernel = {
      sizeof(AmpRtProgramKernel), 0, "amp_kernel_0", "copy", "a.mlir:1", 0, 64};
  const AmpRtProgramKernel *kernels[1] = {&kernel};
  AmpRtProgram program = {sizeof(AmpRtProgram),
                          AMP_RT_VERSION,
                          1,
                          1,
                          functions,
                          scalers,
                          /*kernelCount=*/1,
                          0,
                          kernels,
                          /*chip=*/nullptr,
                          /*modules=*/nullptr,
                          /*moduleCount=*/0,
                          /*reserved2=*/0,
                          /*cpu=*/nullptr,
                          /*cpuFeatures=*/0,
                          /*versions=*/nullptr,
                          /*versionCount=*/0,
                          /*reserved3=*/0};
};
} // namespace

TEST_F(DescribedProgramTest, OpensWhatIsDescribed) {
  auto opened = openProgram(program, nullptr);
  ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
  const FunctionSignature &signature = (*opened)->getTrainStep().getSignature();
  ASSERT_EQ(signature.arguments.size(), 1u) << "handles are no arguments";
  EXPECT_EQ(signature.arguments[0].name, "w");
  ASSERT_EQ((*opened)->getScalers().size(), 1u);
  EXPECT_EQ((*opened)->getScalers()[0].name, "loss_scaler0");
  EXPECT_EQ((*opened)->getEvaluate(), nullptr);
  ASSERT_EQ((*opened)->getKernelTimes().size(), 1u);
  EXPECT_EQ((*opened)->getKernelTimes()[0].what, "copy");
  EXPECT_EQ((*opened)->getKernelTimes()[0].calls, 0);
  EXPECT_TRUE((*opened)->getKernelCalls().empty());
}

// A program that was compiled before there were kernels in its description.
TEST_F(DescribedProgramTest, ReadsOlderPrograms) {
  program.structSize = offsetof(AmpRtProgram, kernelCount);
  auto opened = openProgram(program, nullptr);
  ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
  EXPECT_TRUE((*opened)->getKernelTimes().empty());
  (*opened)->resetKernelTimes();
}

TEST_F(DescribedProgramTest, NeedsATrainStep) {
  step.kind = AMP_RT_FUNCTION_OTHER;
  EXPECT_EQ(open(), "the program describes no train step");
  program.functionCount = 0;
  EXPECT_EQ(open(), "the program describes no train step");
}

TEST_F(DescribedProgramTest, TakesArraysOfKnownElements) {
  weight.elementKind = -1;
  EXPECT_EQ(open(),
            "expected each argument of 'train_step' to be an array of i1, i8, "
            "i16, i32, i64, f16, bf16, f32 or f64, but the program describes "
            "argument 0 as another value");
  weight.elementKind = AMP_RT_ELEMENT_F32;
  AmpRtValue other = weight;
  other.kind = AMP_RT_VALUE_OTHER;
  results[0] = &other;
  EXPECT_EQ(open(),
            "expected each result of 'train_step' to be an array of i1, i8, "
            "i16, i32, i64, f16, bf16, f32 or f64, but the program describes "
            "result 0 as another value");
}

TEST_F(DescribedProgramTest, KnowsItsScalers) {
  scale.name = "loss_scaler1";
  EXPECT_EQ(open(), "expected the program to describe scaler 'loss_scaler1', "
                    "which 'train_step' takes");
}

TEST_F(DescribedProgramTest, SharesScalers) {
  auto first = openProgram(program, nullptr);
  ASSERT_TRUE(bool(first)) << llvm::toString(first.takeError());
  ProgramOptions options;
  options.scalers = (*first)->getScalers();
  {
    auto second = openProgram(program, nullptr, options);
    ASSERT_TRUE(bool(second)) << llvm::toString(second.takeError());
    EXPECT_EQ((*second)->getScalers()[0].scaler,
              (*first)->getScalers()[0].scaler);
  }
  // It is still there.
  EXPECT_STREQ(ampRtScalerName((*first)->getScalers()[0].scaler),
               "loss_scaler0");
  scale.name = scaler.name = "loss_scaler1";
  auto other = openProgram(program, nullptr, options);
  ASSERT_FALSE(bool(other));
  EXPECT_EQ(llvm::toString(other.takeError()),
            "expected a scaler 'loss_scaler1' among those that the program is "
            "to share");
}

TEST_F(DescribedProgramTest, RefusesProgramsOfAnotherRelease) {
  program.runtimeVersion = 0x00010100;
  EXPECT_NE(open().find("ampRtVersionCheck: expected a caller compiled for "),
            std::string::npos);
}
