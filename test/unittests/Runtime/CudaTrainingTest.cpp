//===-- CudaTrainingTest.cpp - The CUDA device: steps by role and name ----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step whose kernel is the test's own: its state and its scaler stay in the
// device's memory, and nobody waits for it.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"
#include "DescribedArray.h"
#include "DeviceProgram.h"
#include "amp-rt/Scaler.h"
#include "amp-rt/StartValue.h"
#include "amp-rt/Training.h"
#include "amp-rt/Version.h"

#include <cstring>
#include <set>
#include <vector>

namespace {

/// The step's arguments and results, and the operands of its kernel: handles
/// have none, and the scaler's record is one.
enum Place {
  Master,
  Momentum,
  Rate,
  Batch,
  Scaler,
  NewMaster,
  NewMomentum,
  Loss
};
constexpr int kPlaces = 8;

/// step(master w, opt_state m, hyper lr, batch x, scaler)
///   -> (master w - lr * sum(x), m + 1, loss = sum(x))
AmpRtStatus step(int64_t run, void *const *arguments) {
  if (AmpRtStatus status = ampRtRunBegin(run))
    return status;
  auto word = [&](int place, int index) {
    return static_cast<const int64_t *>(arguments[place])[index];
  };
  void *operands[kPlaces];
  for (int place = 0; place < kPlaces; ++place)
    if (place != Scaler)
      operands[place] = reinterpret_cast<void *>(word(place, 1));
  void *&record = operands[Scaler];
  record = ampRtRunAllocate(run, sizeof(AmpRtScalerRecord));
  if (record && !ampRtRunReadScaler(run, word(Scaler, 0), record) &&
      !ampRtRunLaunch(run, 0, operands))
    ampRtRunWriteScaler(run, word(Scaler, 0), record);
  if (record)
    ampRtRunFree(run, record);
  return ampRtRunEnd(run); // the first of what went wrong
}

class CudaTrainingTest : public OpenCudaTest {
protected:
  static constexpr const char *kUpdate = R"(//
.version 8.0
.target sm_90a
.visible .entry update(.param .u64 .ptr .global update_0,
                       .param .u64 .ptr .global update_1,
                       .param .u64 .ptr .global update_2,
                       .param .u64 .ptr .global update_3,
                       .param .u64 .ptr .global update_4,
                       .param .u64 .ptr .global update_5,
                       .param .u64 .ptr .global update_6,
                       .param .u64 .ptr .global update_7)
{ ret; }
)";
  CudaTrainingTest() : compiled("sm_90a") {
    std::vector<AmpRtProgramArgument> pointers;
    for (int place = 0; place < kPlaces; ++place)
      pointers.push_back(DeviceProgram::pointer(place));
    compiled.addModule("training", kUpdate, kPlaces);
    compiled.addLaunch("update", pointers);
    scaler.kind = AMP_RT_VALUE_SCALER;
    program = compiled.get();
    program->runtimeVersion = AMP_RT_VERSION;
    program->functionCount = program->scalerCount = 1;
    program->functions = functions;
    program->scalers = scalers;
  }
  void SetUp() override {
    OpenCudaTest::SetUp();
    defineKernels();
  }
  static void defineKernels() {
    fakecuda::define("update", [](const fakecuda::Launch &launch) {
      auto at = [&](int place) {
        float *numbers;
        std::memcpy(&numbers, launch.arguments[place].data(), sizeof(numbers));
        return numbers;
      };
      float sum = 0;
      for (int i = 0; i < 4; ++i)
        sum += at(Batch)[i];
      for (int i = 0; i < 6; ++i)
        at(NewMaster)[i] = at(Master)[i] - *at(Rate) * sum;
      *at(NewMomentum) = *at(Momentum) + 1;
      *at(Loss) = sum;
      auto *record = reinterpret_cast<AmpRtScalerRecord *>(at(Scaler));
      record->steps += 1;
      record->unskipped += 1;
    });
  }

  const int64_t wExtents[2] = {2, 3}, xExtents[2] = {2, 2};
  AmpRtValue master =
                 describeArray("master", "w", AMP_RT_ELEMENT_F32, 2, wExtents),
             momentum = describeArray("opt_state", "m", AMP_RT_ELEMENT_F32, 0,
                                      nullptr),
             rate =
                 describeArray("hyper", "lr", AMP_RT_ELEMENT_F32, 0, nullptr),
             batch =
                 describeArray("batch", "x", AMP_RT_ELEMENT_F32, 2, xExtents),
             scaler = describeArray("scaler_state", "loss0", -1, 0, nullptr),
             loss =
                 describeArray("loss", "loss", AMP_RT_ELEMENT_F32, 0, nullptr);
  const AmpRtValue *given[5] = {&master, &momentum, &rate, &batch, &scaler};
  const AmpRtValue *made[3] = {&master, &momentum, &loss};
  AmpRtFunction trainStep = {sizeof(AmpRtFunction),
                             AMP_RT_FUNCTION_TRAIN_STEP,
                             "step",
                             5,
                             3,
                             given,
                             made,
                             step,
                             0,
                             /*cpuFeatures=*/0};
  const AmpRtFunction *functions[1] = {&trainStep};
  AmpRtProgramScaler wanted = {sizeof(wanted), 0, "loss0", nullptr};
  const AmpRtProgramScaler *scalers[1] = {&wanted};
  DeviceProgram compiled;
  AmpRtProgram *program = nullptr;
};

/// A training of two steps; whatever fails, it leaves.
struct Training {
  AmpRtStatus status = AMP_RT_OK;
  std::string text = {};
  float weights[6] = {};
  double loss = 0;
  AmpRtScalerState scaler = {};
  AmpRtTraining *training = nullptr;

  bool check(AmpRtStatus next) {
    status = next;
    if (next != AMP_RT_OK)
      text = ampRtStatusText();
    return next == AMP_RT_OK;
  }
  void run(const AmpRtProgram *program) {
    const float rate = 0.5, batch[4] = {1, 2, 3, 4};
    AmpRtScaler *found = nullptr;
    scaler.structSize = sizeof(scaler);
    check(ampRtTrainingCreate(program, "cuda", 7, &training)) &&
        check(ampRtTrainingWrite(training, "hyper", "lr", &rate, 4)) &&
        check(ampRtTrainingWrite(training, "batch", "x", batch, 16)) &&
        check(ampRtTrainingStep(training)) &&
        check(ampRtTrainingStep(training)) &&
        check(ampRtTrainingGetLoss(training, nullptr, &loss)) &&
        check(ampRtTrainingRead(training, "master", "w", weights, 24)) &&
        check(ampRtTrainingGetScaler(training, nullptr, &found)) &&
        check(ampRtScalerGetState(found, &scaler));
  }
  ~Training() { ampRtTrainingDestroy(training); }
};
} // namespace

TEST_F(CudaTrainingTest, StateStaysOnTheDeviceAndNobodyWaits) {
  float start[6];
  ASSERT_EQ(ampRtStartValueFill(&master, 7, start, sizeof(start)), AMP_RT_OK);
  fakecuda::set("lateCopies", 1);
  {
    Training training;
    training.run(program);
    ASSERT_EQ(training.status, AMP_RT_OK) << training.text;
    EXPECT_EQ(training.loss, 10);
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(training.weights[i], start[i] - 0.5f * 10 - 0.5f * 10);
    EXPECT_EQ(training.scaler.steps, 2);

    const int waits = fakecuda::calls("cuStreamSynchronize");
    const int sent = fakecuda::calls("cuMemcpyHtoDAsync");
    for (int i = 0; i < 8; ++i)
      ASSERT_EQ(ampRtTrainingStep(training.training), AMP_RT_OK);
    EXPECT_EQ(fakecuda::calls("cuStreamSynchronize"), waits);
    EXPECT_EQ(fakecuda::calls("cuMemcpyHtoDAsync"), sent);
    float momentum = 0;
    ASSERT_EQ(
        ampRtTrainingRead(training.training, "opt_state", "m", &momentum, 4),
        AMP_RT_OK);
    EXPECT_EQ(momentum, 10);
  }
  EXPECT_EQ(fakecuda::launches().size(), 10u);
}

TEST_F(CudaTrainingTest, WhateverFailsIsReportedAndNothingLeaks) {
  // Without a current context nothing can be given back either; and what only
  // asks for more checks may fail.
  const std::set<std::string> others = {"cuCtxPushCurrent", "cuCtxPopCurrent",
                                        "cuFuncGetParamInfo",
                                        "cuFuncGetAttribute"};
  const std::string before = fakecuda::leaks();
  Training().run(program);
  int failures = 0;
  for (const std::string &function : fakecuda::calledFunctions()) {
    if (others.count(function))
      continue;
    for (int nth = 1;; ++nth) {
      const int calls = fakecuda::calls(function.c_str());
      fakecuda::failCall(function.c_str(), 999, nth);
      bool hasFailed;
      {
        Training training;
        training.run(program);
        // Before it is destroyed, which has no status.
        hasFailed = fakecuda::calls(function.c_str()) - calls >= nth;
        EXPECT_EQ(training.status != AMP_RT_OK, hasFailed)
            << function << " " << nth << ": " << training.text;
        if (training.status != AMP_RT_OK) {
          EXPECT_EQ(training.status, AMP_RT_DEVICE_ERROR);
          EXPECT_NE(training.text.find(function), std::string::npos)
              << training.text;
        }
      }
      ASSERT_EQ(fakecuda::leaks(), before) << function << " " << nth;
      failures += hasFailed;
      if (!hasFailed)
        break;
    }
    fakecuda::reset();
    defineKernels();
  }
  EXPECT_GT(failures, 20);
}
