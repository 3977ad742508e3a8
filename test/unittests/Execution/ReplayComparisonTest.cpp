//===- ReplayComparisonTest.cpp - Updates, relative to their norm ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ReplayComparison.h"
#include "FakeProgram.h"
#include "TestFiles.h"

#include "amp/Execution/ArrayArchive.h"

#include <cmath>
#include <limits>

using namespace amp_test;
using namespace mlir::amp;
using llvm::StringRef;

namespace {

HostArray makeVector(std::vector<double> values) {
  HostArray array(AMP_RT_ELEMENT_F32, {int64_t(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    array.setFromDouble(int64_t(i), values[i]);
  return array;
}

TrainingState makeState(StringRef role, std::vector<double> big,
                        std::vector<double> small) {
  TrainingState state;
  state[{role.str(), "big"}] = makeVector(std::move(big));
  state[{role.str(), "small"}] = makeVector(std::move(small));
  return state;
}

/// big goes from 1, 1 to 4, 5, small from 0 to 0.1.
std::vector<RecordedUpdate> makeRecorded() {
  std::vector<RecordedUpdate> recorded;
  recorded.push_back({"param", "big", makeVector({1, 1}), makeVector({4, 5})});
  recorded.push_back({"param", "small", makeVector({0}), makeVector({0.1})});
  return recorded;
}

std::string describe(const ReplayComparison &comparison) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const ReplayDistance &distance : comparison.distances)
    os << distance.quantity << ' ' << llvm::format("%.4f", distance.distance)
       << (distance.where.empty() ? "" : " " + distance.where) << '\n';
  return text;
}

std::string compare(const TrainingState &start, const TrainingState &end,
                    const ToleranceRow *row = nullptr) {
  ReplayComparison comparison;
  comparison.tolerances = row;
  llvm::Error error =
      addUpdateDistances(comparison, makeRecorded(), start, end);
  return error ? llvm::toString(std::move(error)) : describe(comparison);
}

} // namespace

TEST(UpdateDistances, AreRelativeToTheUpdate) {
  TrainingState start = makeState("param", {1, 1}, {0});
  EXPECT_EQ(compare(start, makeState("param", {4, 5}, {0.1})),
            "updates, relative 0.0000\nworst update, relative 0.0000\n");
  // Nothing learned, and half of it.
  EXPECT_EQ(compare(start, start),
            "updates, relative 1.0000\nworst update, relative 1.0000 big\n");
  EXPECT_EQ(compare(start, makeState("param", {2.5, 3}, {0.0625})),
            "updates, relative 0.5000\nworst update, relative 0.5000 big\n");
  // A small parameter is nothing beside a large one, unless it is looked at.
  EXPECT_EQ(compare(start, makeState("param", {4, 5}, {0})),
            "updates, relative 0.0200\nworst update, relative 1.0000 small\n");
}

// A start that was rounded (O3) is measured from where it is.
TEST(UpdateDistances, StartWhereTheReplayStarts) {
  EXPECT_EQ(compare(makeState("param", {1.5, 1}, {0}),
                    makeState("param", {4.5, 5}, {0.1})),
            "updates, relative 0.0000\nworst update, relative 0.0000\n");
}

TEST(UpdateDistances, TakeTheMaster) {
  TrainingState start = makeState("master", {1, 1}, {0});
  TrainingState end = makeState("master", {4, 5}, {0.1});
  end[{"param", "big"}] = makeVector({0, 0});
  EXPECT_EQ(compare(start, end),
            "updates, relative 0.0000\nworst update, relative 0.0000\n");
}

TEST(UpdateDistances, LeaveNoiseOut) {
  ToleranceRow row;
  row.noise = {"small"};
  TrainingState start = makeState("param", {1, 1}, {0});
  EXPECT_EQ(compare(start, makeState("param", {4, 5}, {-7}), &row),
            "updates, relative 0.0000\nworst update, relative 0.0000\n");
  EXPECT_EQ(compare(start, start, &row),
            "updates, relative 1.0000\nworst update, relative 1.0000 big\n");
}

TEST(UpdateDistances, OfDivergedWeights) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  TrainingState start = makeState("param", {1, 1}, {0});
  EXPECT_EQ(compare(start, makeState("param", {nan, 5}, {0.1})),
            "updates, relative inf\nworst update, relative inf big\n");
  std::vector<RecordedUpdate> recorded = makeRecorded();
  recorded[0].end = makeVector({std::numeric_limits<double>::infinity(), 5});
  ReplayComparison comparison;
  EXPECT_EQ(getText(addUpdateDistances(comparison, recorded, start,
                                       makeState("param", {nan, 5}, {0.1}))),
            "(success)");
  EXPECT_EQ(comparison.distances[0].distance, 0);
}

TEST(UpdateDistances, OfBuffersStandApart) {
  std::vector<RecordedUpdate> recorded = makeRecorded();
  // Its start was not recorded: the replay's is taken.
  recorded.push_back({"buffer", "mean", std::nullopt, makeVector({1})});
  TrainingState start = makeState("param", {1, 1}, {0});
  start[{"buffer", "mean"}] = makeVector({0});
  TrainingState end = makeState("param", {4, 5}, {0.1});
  end[{"buffer", "mean"}] = makeVector({0.5});
  ReplayComparison comparison;
  ASSERT_EQ(getText(addUpdateDistances(comparison, recorded, start, end)),
            "(success)");
  EXPECT_EQ(describe(comparison),
            "updates, relative 0.0000\nworst update, relative 0.0000\n"
            "buffer updates, relative 0.5000\n");
}

TEST(UpdateDistances, OfOtherModulesAreRefused) {
  TrainingState start = makeState("param", {1, 1}, {0});
  TrainingState other = makeState("param", {1, 1}, {0});
  other.erase({"param", "small"});
  EXPECT_EQ(compare(start, other),
            "expected the step to have the param 'small', whose final value "
            "was recorded; is this the module of the recording?");
  EXPECT_EQ(compare(start, makeState("param", {1, 1}, {0, 0})),
            "expected the recorded final value of param 'small' to have its "
            "shape, 2xf32, but got 1xf32");
}

namespace {
class RecordedUpdatesTest : public TemporaryFolderTest {};
} // namespace

TEST_F(RecordedUpdatesTest, AreReadByPosition) {
  HostArray start = makeVector({1}), end = makeVector({2});
  ASSERT_EQ(getText(writeArchive(getPath("r.npz"), {{"arg0", &start},
                                                    {"final0", &end},
                                                    {"final1", &end},
                                                    {"final2", &end}})),
            "(success)");
  std::vector<RecordedUpdate> updates = take(readRecordedUpdates(
      getPath("r.npz"), {makeSpec("param", "w", AMP_RT_ELEMENT_F32, {1}),
                         makeSpec("buffer", "mean", AMP_RT_ELEMENT_F32, {1}),
                         makeSpec("opt_state", "m", AMP_RT_ELEMENT_F32, {1})}));
  ASSERT_EQ(updates.size(), 2u);
  EXPECT_EQ(updates[0].name, "w");
  EXPECT_EQ(updates[0].start->getAsDouble(0), 1);
  EXPECT_EQ(updates[0].end.getAsDouble(0), 2);
  EXPECT_EQ(updates[1].role, "buffer");
  EXPECT_FALSE(updates[1].start.has_value());
}

TEST_F(RecordedUpdatesTest, OfOtherShapesAreRefused) {
  HostArray start = makeVector({1}), end = makeVector({2, 3});
  ASSERT_EQ(getText(writeArchive(getPath("r.npz"), {{"arg0", &start},
                                                    {"final0", &end},
                                                    {"arg1", &start},
                                                    {"final1", &start}})),
            "(success)");
  auto read = [&](int64_t first, int64_t second) {
    return withoutFolder(getText(readRecordedUpdates(
        getPath("r.npz"),
        {makeSpec("param", "w", AMP_RT_ELEMENT_F32, {first}),
         makeSpec("buffer", "mean", AMP_RT_ELEMENT_F32, {second})})));
  };
  EXPECT_EQ(read(1, 1), "expected array 'final0' in 'FOLDER/r.npz' to have the "
                        "shape of param 'w', 1xf32, but got 2xf32");
  EXPECT_EQ(read(2, 1), "expected array 'arg0' in 'FOLDER/r.npz' to have the "
                        "shape of param 'w', 2xf32, but got 1xf32");
}
