//===- ProgramsByExtentsTest.cpp - A step for each size of batch ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ProgramsByExtents.h"

#include "FakeProgram.h"
#include "TestFiles.h"
#include "amp/Execution/StartValues.h"

#include "gtest/gtest.h"

using namespace amp_test;
using namespace mlir::amp;

namespace {
class ProgramsByExtentsTest : public testing::Test {
protected:
  FakeProgram &add(int64_t batch) {
    FakeOptions options;
    options.batch = batch;
    options.evaluateBatch = batch;
    options.scaler = getDynamicScaler();
    auto program = std::make_unique<FakeProgram>(options);
    FakeProgram &added = *program;
    added.beforeStep = [this, batch] {
      ran.push_back(batch);
      return llvm::Error::success();
    };
    programs.push_back(std::move(program));
    return added;
  }
  /// The error of a call with a batch of `rows`, or "(success)".
  std::string call(Program &program, int64_t rows) {
    TrainingState state = take(
        makeStartValues(program.getTrainStep().getArguments(), nullptr, 1));
    std::vector<HostArray> others;
    others.reserve(program.getTrainStep().getArguments().size());
    llvm::SmallVector<const HostArray *> arguments;
    for (const ValueSpec &spec : program.getTrainStep().getArguments()) {
      if (auto found = state.find({spec.role, spec.name});
          found != state.end()) {
        arguments.push_back(&found->second);
        continue;
      }
      llvm::SmallVector<int64_t> shape(spec.shape.begin(), spec.shape.end());
      if (spec.role == "batch")
        shape[0] = rows;
      others.emplace_back(spec.elementKind, shape);
      arguments.push_back(&others.back());
    }
    llvm::SmallVector<HostArray> results;
    return getText(program.getTrainStep().call(arguments, results));
  }

  std::vector<std::unique_ptr<Program>> programs;
  /// Whose train step ran, by rows.
  std::vector<int64_t> ran;
};
} // namespace

TEST_F(ProgramsByExtentsTest, ACallIsOneOfTheProgramOfItsBatch) {
  FakeProgram &four = add(4);
  add(7);
  add(2);
  std::unique_ptr<Program> joined = take(joinByExtents(std::move(programs)));
  for (int64_t rows : {7, 4, 4, 2, 7})
    EXPECT_EQ(call(*joined, rows), "(success)");
  EXPECT_EQ(ran, (std::vector<int64_t>{7, 4, 4, 2, 7}));
  for (const ValueSpec &spec : joined->getTrainStep().getArguments()) {
    if (spec.role == "batch")
      EXPECT_EQ(spec.shape[0], -1) << spec.name;
    else
      EXPECT_EQ(llvm::count(spec.shape, -1), 0) << spec.name;
  }
  // The first one's.
  EXPECT_EQ(joined->getEvaluate(), four.getEvaluate());
  ASSERT_EQ(joined->getScalers().size(), 1u);
  EXPECT_EQ(joined->getScalers()[0].scaler, four.getScalers()[0].scaler);
}

TEST_F(ProgramsByExtentsTest, ABatchOfAnotherSizeIsNamed) {
  add(4);
  add(7);
  std::unique_ptr<Program> joined = take(joinByExtents(std::move(programs)));
  EXPECT_EQ(call(*joined, 5),
            "call of 'train_step': no program was compiled for batch 'x0' of "
            "5x6xf32, batch 'x1' of 5xi64");
  EXPECT_TRUE(ran.empty());
}

TEST_F(ProgramsByExtentsTest, TapsSeeAllPrograms) {
  add(4);
  add(7);
  std::unique_ptr<Program> joined = take(joinByExtents(std::move(programs)));
  int64_t seen = 0;
  joined->setTap([&](const Tap &) { ++seen; });
  EXPECT_EQ(call(*joined, 4), "(success)");
  const int64_t ofOne = seen;
  EXPECT_GT(ofOne, 0);
  EXPECT_EQ(call(*joined, 7), "(success)");
  EXPECT_EQ(seen, 2 * ofOne);
}

TEST_F(ProgramsByExtentsTest, ProgramsDifferInBatchesAlone) {
  add(4);
  add(4);
  EXPECT_EQ(getText(joinByExtents(std::move(programs))),
            "expected a program for each size of batch, but two have the same");
  programs.clear();
  add(4);
  add(7).getTrainArguments()[0].shape[0] += 1;
  EXPECT_EQ(getText(joinByExtents(std::move(programs))),
            "expected programs that differ in extents of batch arguments "
            "alone, but they differ in param 'fc1.weight'");
  programs.clear();
  add(4);
  add(7).getTrainResults()[0].name = "other";
  EXPECT_EQ(getText(joinByExtents(std::move(programs))),
            "expected programs that differ in extents of batch arguments "
            "alone, but they differ in result loss 'loss'");
  programs.clear();
  add(4);
  add(7).getTrainResults().pop_back();
  EXPECT_EQ(getText(joinByExtents(std::move(programs))),
            "expected programs of one step, but they differ in the number of "
            "arguments or results");
}
