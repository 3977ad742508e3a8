//===-- TrainingTest.cpp - Steps of a program, by role and name -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Training.h"
#include "DescribedArray.h"
#include "amp-rt/Half.h"
#include "amp-rt/StartValue.h"
#include "amp-rt/Version.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace {

enum Place { Master, Param, Momentum, Rate, Batch, Scaler, Seed, Tap };
constexpr int kArguments = 8;

/// What MLIR's memref descriptors say of the latest call.
int64_t **lastCall;
bool callFails;

template <typename T> T *dataOf(int place) {
  return reinterpret_cast<T *>(lastCall[place][1]);
}

/// step(master w, param w in f16, opt_state m, hyper lr, batch x, scaler,
/// loss_seed, tap) -> (master w - lr * sum(x), param w, m + 1, loss = sum(x))
AmpRtStatus step(int64_t, void *const *arguments) {
  lastCall =
      const_cast<int64_t **>(reinterpret_cast<int64_t *const *>(arguments));
  if (callFails) {
    *dataOf<float>(kArguments) = 99;
    return AMP_RT_PROGRAM_ERROR;
  }
  float sum = 0;
  for (int64_t i = 0, e = lastCall[Batch][3] * 2; i < e; ++i)
    sum += dataOf<float>(Batch)[i];
  for (int i = 0; i < 6; ++i) {
    const float next = dataOf<float>(Master)[i] - *dataOf<float>(Rate) * sum;
    dataOf<float>(kArguments)[i] = next;
    dataOf<uint16_t>(kArguments + 1)[i] = ampRtHalfF16FromF32(next);
  }
  *dataOf<int32_t>(kArguments + 2) = *dataOf<int32_t>(Momentum) + 1;
  *dataOf<float>(kArguments + 3) = sum * *dataOf<float>(Seed);
  return AMP_RT_OK;
}

class Training : public testing::Test {
protected:
  Training() {
    callFails = false;
    scaler.kind = AMP_RT_VALUE_SCALER;
    tap.kind = AMP_RT_VALUE_TAP;
    program.structSize = sizeof(program);
    program.runtimeVersion = AMP_RT_VERSION;
    program.functionCount = 2;
    program.functions = functions;
    program.scalerCount = 1;
    program.scalers = scalers;
  }
  ~Training() override { ampRtTrainingDestroy(training); }

  void create(uint64_t seed = 7) {
    ASSERT_EQ(ampRtTrainingCreate(&program, nullptr, seed, &training),
              AMP_RT_OK)
        << ampRtStatusText();
  }
  /// The error of creating, which leaves *training alone.
  std::string createError(AmpRtStatus status, const char *device = nullptr) {
    EXPECT_EQ(ampRtTrainingCreate(&program, device, 7, &training), status);
    EXPECT_EQ(training, nullptr);
    return ampRtStatusText();
  }
  void write(const char *role, const char *name, std::vector<float> values) {
    EXPECT_EQ(ampRtTrainingWrite(training, role, name, values.data(),
                                 int64_t(values.size() * sizeof(float))),
              AMP_RT_OK)
        << ampRtStatusText();
  }
  template <typename T>
  std::vector<T> read(const char *role, const char *name) {
    int64_t bytes = 0;
    EXPECT_EQ(ampRtTrainingGetBytes(training, role, name, &bytes), AMP_RT_OK);
    std::vector<T> values(size_t(bytes) / sizeof(T));
    EXPECT_EQ(ampRtTrainingRead(training, role, name, values.data(), bytes),
              AMP_RT_OK)
        << ampRtStatusText();
    return values;
  }

  const int64_t wExtents[2] = {2, 3}, xExtents[2] = {-1, 2};
  AmpRtValue
      master = describeArray("master", "w", AMP_RT_ELEMENT_F32, 2, wExtents),
      param = describeArray("param", "w", AMP_RT_ELEMENT_F16, 2, wExtents),
      momentum =
          describeArray("opt_state", "m", AMP_RT_ELEMENT_I32, 0, nullptr),
      rate = describeArray("hyper", "lr", AMP_RT_ELEMENT_F32, 0, nullptr),
      batch = describeArray("batch", "x", AMP_RT_ELEMENT_F32, 2, xExtents),
      scaler = describeArray("scaler_state", "loss0", -1, 0, nullptr),
      seed = describeArray("loss_seed", "loss", AMP_RT_ELEMENT_F32, 0, nullptr),
      tap = describeArray("", "", -1, 0, nullptr),
      loss = describeArray("loss", "loss", AMP_RT_ELEMENT_F32, 0, nullptr);
  const AmpRtValue *given[kArguments] = {&master, &param,  &momentum, &rate,
                                         &batch,  &scaler, &seed,     &tap};
  const AmpRtValue *made[4] = {&master, &param, &momentum, &loss};
  AmpRtFunction evaluate = {sizeof(AmpRtFunction),
                            AMP_RT_FUNCTION_EVALUATE,
                            "evaluate",
                            0,
                            0,
                            nullptr,
                            nullptr,
                            nullptr,
                            0,
                            /*cpuFeatures=*/0},
                trainStep = {sizeof(AmpRtFunction),
                             AMP_RT_FUNCTION_TRAIN_STEP,
                             "step",
                             kArguments,
                             4,
                             given,
                             made,
                             step,
                             0,
                             /*cpuFeatures=*/0};
  const AmpRtFunction *functions[2] = {&evaluate, &trainStep};
  AmpRtProgramScaler wanted = {sizeof(wanted), 0, "loss0", nullptr};
  const AmpRtProgramScaler *scalers[1] = {&wanted};
  AmpRtProgram program = {};
  AmpRtTraining *training = nullptr;
};
} // namespace

TEST_F(Training, StartsFromTheSeedAndCarriesItsState) {
  create();
  EXPECT_EQ(ampRtTrainingFunction(training), &trainStep);
  EXPECT_NE(ampRtTrainingRun(training), nullptr);
  float numbers[6];
  ASSERT_EQ(ampRtStartValueFill(&master, 7, numbers, sizeof(numbers)),
            AMP_RT_OK);
  const std::vector<float> start(numbers, numbers + 6);
  EXPECT_EQ(read<float>("master", "w"), start);
  std::vector<uint16_t> rounded;
  for (float number : start)
    rounded.push_back(ampRtHalfF16FromF32(number));
  EXPECT_EQ(read<uint16_t>("param", "w"), rounded);

  write("hyper", "lr", {0.5});
  write("batch", "x", {1, 2, 3, 4});
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(ampRtTrainingStep(training), AMP_RT_OK) << ampRtStatusText();
    double value = 0;
    ASSERT_EQ(ampRtTrainingGetLoss(training, nullptr, &value), AMP_RT_OK);
    EXPECT_EQ(value, 10);
    EXPECT_EQ(read<int32_t>("opt_state", "m"), std::vector<int32_t>{i});
    EXPECT_EQ(read<float>("master", "w")[5],
              numbers[5] = numbers[5] - 0.5f * 10);
  }
  // As many rows as the caller gives.
  EXPECT_EQ(lastCall[Batch][3], 2);
  write("batch", "x", {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(ampRtTrainingStep(training), AMP_RT_OK);
  EXPECT_EQ(lastCall[Batch][3], 3);
  EXPECT_EQ(read<float>("loss", "loss"), std::vector<float>{21});
  EXPECT_EQ(lastCall[Tap][0], 0);
  AmpRtScaler *found = nullptr;
  ASSERT_EQ(ampRtTrainingGetScaler(training, nullptr, &found), AMP_RT_OK);
  EXPECT_EQ(lastCall[Scaler][0], ampRtScalerHandle(found));
  EXPECT_EQ(ampRtTrainingGetScaler(training, "loss0", &found), AMP_RT_OK);
}

TEST_F(Training, AMasterTakesItsParameterAlong) {
  create();
  write("master", "w", {1, 2, 3, 4, 5, 1.0f / 3});
  EXPECT_EQ(read<uint16_t>("param", "w")[5], ampRtHalfF16FromF32(1.0f / 3));
  uint16_t half[6] = {};
  EXPECT_EQ(ampRtTrainingWrite(training, "param", "w", half, sizeof(half)),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtTrainingWrite: param 'w': expected the master of that "
               "name to be written, whose rounded copy it is");
}

TEST_F(Training, AStepThatFailsLeavesTheState) {
  create();
  write("hyper", "lr", {0.5});
  write("batch", "x", {1, 2});
  ASSERT_EQ(ampRtTrainingStep(training), AMP_RT_OK);
  const std::vector<float> before = read<float>("master", "w");
  callFails = true;
  EXPECT_EQ(ampRtTrainingStep(training), AMP_RT_PROGRAM_ERROR);
  EXPECT_EQ(read<float>("master", "w"), before);
  double value = 3;
  EXPECT_EQ(ampRtTrainingGetLoss(training, nullptr, &value),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(value, 3);
}

// More rows than there is memory for.
TEST_F(Training, AWriteThatFailsLeavesTheValue) {
  create();
  write("hyper", "lr", {0.5});
  write("batch", "x", {1, 2});
  const float rows[2] = {};
  EXPECT_EQ(ampRtTrainingWrite(training, "batch", "x", rows, INT64_MAX / 8 * 8),
            AMP_RT_OUT_OF_MEMORY);
  EXPECT_EQ(read<float>("batch", "x"), (std::vector<float>{1, 2}));
  ASSERT_EQ(ampRtTrainingStep(training), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(read<float>("loss", "loss"), std::vector<float>{3});
}

TEST_F(Training, ArgumentsWithoutAValueAreNamed) {
  create();
  EXPECT_EQ(ampRtTrainingStep(training), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtTrainingStep: hyper 'lr': expected a value before the "
               "first step; give it by ampRtTrainingWrite");
  double value;
  EXPECT_EQ(ampRtTrainingGetLoss(training, "loss", &value),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtTrainingGetLoss: loss 'loss': expected a value, which it "
               "has once it is written or a step gives it");
}

TEST_F(Training, NamesAndSizesAreChecked) {
  create();
  float numbers[6] = {};
  auto expectText = [](AmpRtStatus status, AmpRtStatus wanted,
                       const std::string &text) {
    EXPECT_EQ(status, wanted);
    EXPECT_EQ(ampRtStatusText(), text);
  };
  expectText(ampRtTrainingWrite(training, "master", "v", numbers, 24),
             AMP_RT_NOT_FOUND,
             "ampRtTrainingWrite: expected an argument or a result of 'step', "
             "but it has no master 'v'");
  expectText(ampRtTrainingWrite(training, "loss", "loss", numbers, 4),
             AMP_RT_NOT_FOUND,
             "ampRtTrainingWrite: expected an argument of 'step', but loss "
             "'loss' is a result");
  expectText(ampRtTrainingWrite(training, "master", "w", numbers, 20),
             AMP_RT_INVALID_ARGUMENT,
             "ampRtTrainingWrite: master 'w': expected 24 bytes, the size of "
             "its elements, but got 20");
  for (int64_t bytes : {-8, 12})
    expectText(ampRtTrainingWrite(training, "batch", "x", numbers, bytes),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtTrainingWrite: batch 'x': expected a multiple of 8 bytes, "
               "the size of a row, but got " +
                   std::to_string(bytes));
  expectText(ampRtTrainingRead(training, "master", "w", numbers, 4),
             AMP_RT_INVALID_ARGUMENT,
             "ampRtTrainingRead: master 'w': expected 24 bytes, the size of "
             "its elements, but got 4");
  // A handle is no array.
  expectText(ampRtTrainingRead(training, "scaler_state", "loss0", numbers, 8),
             AMP_RT_NOT_FOUND,
             "ampRtTrainingRead: expected an argument or a result of 'step', "
             "but it has no scaler_state 'loss0'");
  double value;
  expectText(ampRtTrainingGetLoss(training, "other", &value), AMP_RT_NOT_FOUND,
             "ampRtTrainingGetLoss: expected a loss among the results of "
             "'step', a single number, but it has no 'other'");
  AmpRtScaler *found;
  expectText(ampRtTrainingGetScaler(training, "loss1", &found),
             AMP_RT_NOT_FOUND,
             "ampRtTrainingGetScaler: expected the name of one of the "
             "program's 1 scalers, but got 'loss1'");
}

TEST_F(Training, NullIsNamed) {
  create();
  float number = 0;
  double value;
  int64_t bytes;
  AmpRtScaler *found;
  AmpRtTraining *other = nullptr;
  auto expectNull = [](AmpRtStatus status, const char *call, const char *name) {
    EXPECT_EQ(status, AMP_RT_INVALID_ARGUMENT);
    EXPECT_EQ(ampRtStatusText(),
              std::string(call) + ": expected '" + name + "' not to be null");
  };
#define EXPECT_NULL(call, name, ...) expectNull(call(__VA_ARGS__), #call, name)
  EXPECT_NULL(ampRtTrainingCreate, "program", nullptr, "host", 0, &other);
  EXPECT_NULL(ampRtTrainingCreate, "training", &program, "host", 0, nullptr);
  EXPECT_NULL(ampRtTrainingGetScaler, "training", nullptr, "s", &found);
  EXPECT_NULL(ampRtTrainingGetScaler, "scaler", training, "s", nullptr);
  EXPECT_NULL(ampRtTrainingGetBytes, "training", nullptr, "r", "n", &bytes);
  EXPECT_NULL(ampRtTrainingGetBytes, "role", training, nullptr, "n", &bytes);
  EXPECT_NULL(ampRtTrainingGetBytes, "name", training, "r", nullptr, &bytes);
  EXPECT_NULL(ampRtTrainingGetBytes, "bytes", training, "r", "n", nullptr);
  EXPECT_NULL(ampRtTrainingWrite, "training", nullptr, "r", "n", &number, 4);
  EXPECT_NULL(ampRtTrainingWrite, "data", training, "hyper", "lr", nullptr, 4);
  EXPECT_NULL(ampRtTrainingRead, "training", nullptr, "r", "n", &number, 4);
  EXPECT_NULL(ampRtTrainingRead, "data", training, "opt_state", "m", nullptr,
              4);
  EXPECT_NULL(ampRtTrainingStep, "training", nullptr);
  EXPECT_NULL(ampRtTrainingGetLoss, "training", nullptr, "l", &value);
  EXPECT_NULL(ampRtTrainingGetLoss, "loss", training, "l", nullptr);
  EXPECT_NULL(ampRtStartValueCheck, "argument", nullptr);
  EXPECT_NULL(ampRtStartValueFill, "argument", nullptr, 0, &number, 4);
  EXPECT_NULL(ampRtStartValueFill, "data", &momentum, 0, nullptr, 4);
#undef EXPECT_NULL
  EXPECT_EQ(ampRtTrainingFunction(nullptr), nullptr);
  EXPECT_EQ(ampRtTrainingRun(nullptr), nullptr);
  ampRtTrainingDestroy(nullptr);
}

TEST_F(Training, ProgramsThatCannotBeTrainedAreRefused) {
  program.functionCount = 1;
  EXPECT_EQ(createError(AMP_RT_NOT_FOUND),
            "ampRtTrainingCreate: expected a train step among the 1 functions "
            "of the program: one with a loss_seed argument and parameters "
            "among its results");
  program.functionCount = 2;
  createError(AMP_RT_NOT_FOUND, "abacus");
  program.runtimeVersion = 0x00ff0000;
  EXPECT_EQ(createError(AMP_RT_VERSION_MISMATCH),
            std::string("ampRtTrainingCreate: expected a program that was "
                        "compiled for libamp-rt ") +
                ampRtVersionText() +
                ", which is loaded, but it was for 255.0.0; load the libamp-rt "
                "of the program's bundle, or compile the step again "
                "(amp-compile)");
  program.runtimeVersion = AMP_RT_VERSION;
  program.structSize = 3;
  createError(AMP_RT_VERSION_MISMATCH);
  program.structSize = sizeof(program);
  program.chip = "sm_90a";
  createError(AMP_RT_UNAVAILABLE); // on the host
  program.chip = nullptr;

  scaler.name = "loss1";
  EXPECT_EQ(createError(AMP_RT_INVALID_ARGUMENT),
            "ampRtTrainingCreate: expected 'step' to take arrays, scalers of "
            "the program and taps, but it takes 'loss1'");
  scaler.name = "loss0";
  made[3] = &batch;
  EXPECT_EQ(createError(AMP_RT_UNAVAILABLE),
            "ampRtTrainingCreate: batch 'x': expected the extents of results, "
            "and those of arguments but for the first, to be known; fix them "
            "in the module");
  AmpRtValue other =
      describeArray("opt_state", "m", AMP_RT_ELEMENT_F32, 0, nullptr);
  made[3] = &other;
  EXPECT_EQ(createError(AMP_RT_INVALID_ARGUMENT),
            "ampRtTrainingCreate: opt_state 'm': expected the type of "
            "opt_state 'm', whose value it takes");
  made[3] = &loss;
  momentum.init = "noise";
  EXPECT_EQ(createError(AMP_RT_INVALID_ARGUMENT),
            "expected amp.init of opt_state 'm' to be 'zeros', 'ones', "
            "'constant(x)', 'uniform(low,high)' or 'normal(deviation)' with "
            "finite numbers, but got 'noise'");
}

TEST_F(Training, ArgumentsWithoutAStartValueAreNotFound) {
  for (const AmpRtValue *value : {&rate, &batch})
    EXPECT_EQ(ampRtStartValueCheck(value), AMP_RT_NOT_FOUND);
  EXPECT_EQ(ampRtStartValueCheck(&scaler), AMP_RT_INVALID_ARGUMENT);
  float number = 0;
  EXPECT_EQ(ampRtStartValueFill(&seed, 0, &number, 8), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtStartValueFill(&seed, 0, &number, 4), AMP_RT_OK);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(ampRtStartValueFits(nullptr, 1), 0);
  EXPECT_EQ(ampRtStartValueFits(&scaler, 1), 0);
  EXPECT_EQ(ampRtStartValueFits(&param, 1e6), 0);
  EXPECT_EQ(ampRtStartValueFits(&momentum, 0.5), 0);
}

// Every kind, at its ends and between its numbers.
TEST(Element, IsStoredAsTheNearestOfItsType) {
  struct Case {
    AmpRtElementKind kind;
    double given, stored;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Case &each : {Case{AMP_RT_ELEMENT_F16, 65519, 65504},
                           {AMP_RT_ELEMENT_F16, 65520, infinity},
                           {AMP_RT_ELEMENT_BF16, 1.00390625, 1},
                           {AMP_RT_ELEMENT_F32, 16777217, 16777216},
                           {AMP_RT_ELEMENT_F64, 0.1, 0.1},
                           {AMP_RT_ELEMENT_I1, 7, 1},
                           {AMP_RT_ELEMENT_I1, NAN, 0},
                           {AMP_RT_ELEMENT_I8, 200, 127},
                           {AMP_RT_ELEMENT_I8, -2.5, -2},
                           {AMP_RT_ELEMENT_I16, -1e9, -32768},
                           {AMP_RT_ELEMENT_I32, 3e9, 2147483647},
                           {AMP_RT_ELEMENT_I64, NAN, 0},
                           {AMP_RT_ELEMENT_I64, 1e30, 0x1p63}}) {
    alignas(8) char element[16] = {};
    ampRtElementStore(each.kind, element, 0, each.given);
    EXPECT_EQ(ampRtElementLoad(each.kind, element, 0), each.stored)
        << ampRtElementKindName(each.kind) << " " << each.given;
  }
  char untouched = 1;
  ampRtElementStore(99, &untouched, 0, 0);
  EXPECT_EQ(untouched, 1);
  EXPECT_EQ(ampRtElementLoad(99, &untouched, 0), 0);
}
