//===- EvaluationTest.cpp - Accuracy in chunks ----------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/Evaluation.h"
#include "FakeProgram.h"
#include "TestFiles.h"

#include <cmath>
#include <limits>

using namespace amp_test;
using namespace mlir::amp;

namespace {

/// Rows that differ, with labels 0, 1, 2, 0, ...
Dataset::Arrays makeArrays(int64_t rows) {
  auto x0 = std::make_shared<HostArray>(AMP_RT_ELEMENT_F32,
                                        llvm::ArrayRef<int64_t>{rows, 6});
  auto x1 = std::make_shared<HostArray>(AMP_RT_ELEMENT_I64,
                                        llvm::ArrayRef<int64_t>{rows});
  for (int64_t i = 0; i < rows * 6; ++i)
    x0->setFromDouble(i, double((i * 5) % 13) / 13);
  for (int64_t r = 0; r < rows; ++r)
    x1->setFromDouble(r, double(r % 3));
  return {{"x0", x0}, {"x1", x1}};
}
Dataset makeTestData(int64_t rows) {
  return Dataset("'t.npz'", makeArrays(rows));
}

FakeOptions withEvaluate(int64_t batch, bool hasMasters = false) {
  FakeOptions options;
  options.evaluateBatch = batch;
  options.hasMasters = hasMasters;
  return options;
}

TrainingState makeState(Program &program) {
  return take(
      makeStartValues(program.getTrainStep().getArguments(), nullptr, 1));
}

} // namespace

TEST(Evaluation, ChunksGiveWhatOneCallGives) {
  FakeProgram whole(withEvaluate(10)), chunks(withEvaluate(4));
  Evaluation a = take(evaluate(whole, makeState(whole), makeTestData(10), 10));
  Evaluation b =
      take(evaluate(chunks, makeState(chunks), makeTestData(10), 10));
  EXPECT_EQ(whole.evaluations, 1);
  EXPECT_EQ(chunks.evaluations, 3);
  EXPECT_EQ(a.rows, 10);
  EXPECT_EQ(a.firstOutputs.size(), 30u);
  EXPECT_EQ(a.firstOutputs, b.firstOutputs);
  EXPECT_EQ(*a.accuracy, *b.accuracy);
  EXPECT_EQ(*a.crossEntropy, *b.crossEntropy);
}

TEST(Evaluation, ScoresAreThoseOfTheOutputs) {
  FakeProgram program(withEvaluate(4));
  Evaluation evaluation =
      take(evaluate(program, makeState(program), makeTestData(6), 6));
  int correct = 0;
  double loss = 0;
  for (int row = 0; row < 6; ++row) {
    const double *logits = evaluation.firstOutputs.data() + row * 3;
    correct += std::max_element(logits, logits + 3) - logits == row % 3;
    loss -= std::log(
        std::exp(logits[row % 3]) /
        (std::exp(logits[0]) + std::exp(logits[1]) + std::exp(logits[2])));
  }
  EXPECT_EQ(*evaluation.accuracy, correct / 6.0);
  EXPECT_NEAR(*evaluation.crossEntropy, loss / 6, 1e-12);
}

TEST(Evaluation, KeepsAsManyOutputsAsAskedFor) {
  FakeProgram program(withEvaluate(4));
  EXPECT_EQ(take(evaluate(program, makeState(program), makeTestData(10), 5))
                .firstOutputs.size(),
            15u);
  EXPECT_TRUE(take(evaluate(program, makeState(program), makeTestData(10)))
                  .firstOutputs.empty());
}

// PyTorch's argmax of a row of NaN is 0, and Apex's diverged runs were scored
// so.
TEST(Evaluation, NanCountsAsTheLargest) {
  FakeProgram program(withEvaluate(3));
  TrainingState state = makeState(program);
  state.at({"param", "fc2.bias"}).setFromDouble(1, std::nan(""));
  // Class 1 is chosen for each of the rows 0, 1, 2.
  EXPECT_EQ(*take(evaluate(program, state, makeTestData(3))).accuracy, 1.0 / 3);
}

TEST(Evaluation, HalfParametersComeFromMasters) {
  FakeProgram program(withEvaluate(4, /*hasMasters=*/true));
  TrainingState state = makeState(program);
  Evaluation before = take(evaluate(program, state, makeTestData(4), 4));
  for (const char *name : {"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"})
    state.erase({"param", name});
  Evaluation after = take(evaluate(program, state, makeTestData(4), 4));
  EXPECT_EQ(before.firstOutputs, after.firstOutputs);
}

TEST(Evaluation, WithoutLabelsThereAreNoScores) {
  FakeProgram program(withEvaluate(4));
  Dataset data("'t.npz'", {{"x0", makeArrays(4).at("x0")}});
  Evaluation evaluation = take(evaluate(program, makeState(program), data, 1));
  EXPECT_EQ(evaluation.accuracy, std::nullopt);
  EXPECT_EQ(evaluation.crossEntropy, std::nullopt);
  EXPECT_EQ(evaluation.firstOutputs.size(), 3u);
  EXPECT_EQ(evaluation.missingLabels, "array 'x1' in 't.npz'");

  // Near misses: labels that are there, and a step that takes none.
  EXPECT_EQ(take(evaluate(program, makeState(program), makeTestData(4)))
                .missingLabels,
            "");
  for (ValueSpec &spec : program.getTrainArguments())
    if (spec.name == "x1")
      spec.elementKind = AMP_RT_ELEMENT_F32;
  EXPECT_EQ(take(evaluate(program, makeState(program), data)).missingLabels,
            "");
}

TEST(Evaluation, NoRowsAreRefused) {
  FakeProgram program(withEvaluate(4));
  auto check = [&](int64_t rows) {
    return getText(checkEvaluation(program.getTrainStep().getSignature(),
                                   program.getEvaluate()->getSignature(),
                                   makeTestData(rows)));
  };
  EXPECT_EQ(check(0),
            "expected at least one row in 't.npz' to evaluate, but got 0");
  EXPECT_EQ(check(1), "(success)");
}

// As doubles, the classes and this label's neighbours are one number.
TEST(Evaluation, LabelsAreComparedAsIntegers) {
  FakeProgram program(withEvaluate(4));
  Dataset::Arrays arrays = makeArrays(4);
  auto labels = std::make_shared<HostArray>(AMP_RT_ELEMENT_I64,
                                            llvm::ArrayRef<int64_t>{4});
  labels->as<int64_t>()[2] = std::numeric_limits<int64_t>::max();
  arrays["x1"] = labels;
  EXPECT_EQ(getText(evaluate(program, makeState(program),
                             Dataset("'t.npz'", arrays))),
            "expected labels from 0 to 2 in array 'x1' in 't.npz', but got "
            "9223372036854775807");
}

TEST(Evaluation, WrongDataIsNamed) {
  FakeProgram program(withEvaluate(4));
  Dataset::Arrays arrays = makeArrays(4);
  arrays["x1"] = std::make_shared<HostArray>(
      makeArray(AMP_RT_ELEMENT_I64, {4}, {0, 1, 3, 0}));
  EXPECT_EQ(getText(evaluate(program, makeState(program),
                             Dataset("'t.npz'", arrays))),
            "expected labels from 0 to 2 in array 'x1' in 't.npz', but got 3");
  arrays["x1"] = std::make_shared<HostArray>(AMP_RT_ELEMENT_I64,
                                             llvm::ArrayRef<int64_t>{4, 2});
  EXPECT_EQ(getText(evaluate(program, makeState(program),
                             Dataset("'t.npz'", arrays))),
            "expected the rows of array 'x1' in 't.npz' to fit those of batch "
            "'x1', i64, but got 2xi64");
  arrays.erase("x0");
  EXPECT_EQ(getText(evaluate(program, makeState(program),
                             Dataset("'t.npz'", arrays))),
            "expected an array 'x0' for batch 'x0' in 't.npz', but it has "
            "'x1'");
}

// Labels that end before the rows do: no accuracy may come from behind them.
TEST(Evaluation, FewerLabelsThanRowsAreRefused) {
  FakeProgram program(withEvaluate(4));
  Dataset::Arrays arrays = makeArrays(10);
  arrays["x1"] = makeArrays(7).at("x1");
  Dataset data("'t.npz'", arrays);
  const char *const expected = "expected array 'x1' in 't.npz' to have 10 rows "
                               "as 'x0' has, but got 7";
  EXPECT_EQ(getText(evaluate(program, makeState(program), data)), expected);
  EXPECT_EQ(program.evaluations, 0);
  EXPECT_EQ(
      getText(checkEvaluation(program.getTrainStep().getSignature(),
                              program.getEvaluate()->getSignature(), data)),
      expected);
}

// Several labels a row are one for each row of logits.
TEST(Evaluation, LabelsDivideTheOutput) {
  FakeProgram program(withEvaluate(4));
  for (ValueSpec &spec : program.getTrainArguments())
    if (spec.name == "x1")
      spec.shape.push_back(2);
  Dataset::Arrays arrays = makeArrays(4);
  arrays["x1"] = std::make_shared<HostArray>(AMP_RT_ELEMENT_I64,
                                             llvm::ArrayRef<int64_t>{4, 2});
  EXPECT_EQ(getText(checkEvaluation(program.getTrainStep().getSignature(),
                                    program.getEvaluate()->getSignature(),
                                    Dataset("'t.npz'", arrays))),
            "expected array 'x1' in 't.npz' to have a label per row of logits, "
            "but it has 2 per sample and the output, 4x3xf32, has 3 numbers");
}

// What can be known of a run's end is asked before it begins.
TEST(Evaluation, IsCheckedWithoutBeingRun) {
  FakeProgram program(withEvaluate(4, /*hasMasters=*/true));
  auto check = [&](const Dataset &data) {
    return getText(checkEvaluation(program.getTrainStep().getSignature(),
                                   program.getEvaluate()->getSignature(),
                                   data));
  };
  EXPECT_EQ(check(makeTestData(6)), "(success)");
  Dataset::Arrays arrays = makeArrays(4);
  arrays["x1"] = std::make_shared<HostArray>(
      makeArray(AMP_RT_ELEMENT_I64, {4}, {0, 1, -1, 0}));
  EXPECT_EQ(check(Dataset("'t.npz'", arrays)),
            "expected labels from 0 to 2 in array 'x1' in 't.npz', but got -1");
  for (ValueSpec &spec : program.getTrainArguments())
    if (spec.name == "fc1.bias")
      spec.shape = {7};
  EXPECT_EQ(check(makeTestData(6)),
            "expected param 'fc1.bias' of 'evaluate' to have the shape that "
            "'train_step' gives it, 7xf16, but got 5xf16");
  for (ValueSpec &spec : program.getTrainArguments())
    if (spec.name == "fc1.bias")
      spec.name = "other";
  EXPECT_EQ(check(makeTestData(6)),
            "expected the train step to have param 'fc1.bias', which "
            "'evaluate' takes; name and role must be the same in both");
  EXPECT_EQ(program.evaluations, 0);
}

TEST(Evaluation, WrongFunctionsAreNamed) {
  FakeProgram program(withEvaluate(4));
  TrainingState state = makeState(program);
  program.missingRows = 1;
  EXPECT_EQ(getText(evaluate(program, state, makeTestData(4))),
            "expected output 'y0' of 'evaluate' to have 4 rows, one per "
            "sample, but got 3x3xf32");
  state.erase({"param", "fc2.bias"});
  EXPECT_EQ(getText(evaluate(program, state, makeTestData(4))),
            "expected the train step to have param 'fc2.bias', which "
            "'evaluate' takes; name and role must be the same in both");
}
