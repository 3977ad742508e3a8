//===- BatchSourceTest.cpp - Data sets and replays ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/BatchSource.h"
#include "TestFiles.h"

#include <cmath>
#include <set>

using namespace amp_test;
using namespace mlir::amp;

static constexpr ElementKind F32 = AMP_RT_ELEMENT_F32;
static constexpr ElementKind I64 = AMP_RT_ELEMENT_I64;

namespace {

/// A data set of `rows` rows: x0 holds 10 r, 10 r + 1, ..., x1 holds r.
Dataset::Arrays makeArrays(int64_t rows, int64_t columns = 4) {
  auto x0 =
      std::make_shared<HostArray>(F32, llvm::ArrayRef<int64_t>{rows, columns});
  auto x1 = std::make_shared<HostArray>(I64, llvm::ArrayRef<int64_t>{rows});
  for (int64_t r = 0; r < rows; ++r) {
    x1->as<int64_t>()[r] = r;
    for (int64_t c = 0; c < columns; ++c)
      x0->as<float>()[r * columns + c] = float(10 * r + c);
  }
  return {{"x0", x0}, {"x1", x1}};
}
Dataset makeDataset(int64_t rows, int64_t columns = 4) {
  return Dataset("'d.npz'", makeArrays(rows, columns));
}

/// A data set whose rows of x0 have this shape.
Dataset makeRows(llvm::ArrayRef<int64_t> rowShape) {
  Dataset::Arrays arrays = makeArrays(4);
  llvm::SmallVector<int64_t, 4> shape{4};
  llvm::append_range(shape, rowShape);
  arrays["x0"] = std::make_shared<HostArray>(F32, shape);
  return Dataset("'d.npz'", arrays);
}

std::vector<ValueSpec> getSpecs(llvm::ArrayRef<int64_t> inputShape) {
  return {makeSpec("param", "w", F32, {1}),
          makeSpec("batch", "x0", F32, inputShape),
          makeSpec("batch", "x1", I64, {inputShape[0]}),
          makeSpec("loss_seed", "loss", F32, {})};
}

std::string getBindError(const Dataset &data, llvm::ArrayRef<ValueSpec> specs) {
  return getText(makeShuffledSource(data, specs, 0, 0));
}

} // namespace

//===----------------------------------------------------------------------===//
// Shuffled
//===----------------------------------------------------------------------===//

TEST(ShuffledSource, AnEpochUsesEachRowAtMostOnce) {
  auto source =
      take(makeShuffledSource(makeDataset(10), getSpecs({3, 4}), 0, 1));
  EXPECT_EQ(source->getNumSteps(), std::nullopt);
  EXPECT_EQ(source->describe(), "'d.npz'");
  std::vector<double> firstEpoch;
  for (int64_t step = 0; step < 6; ++step) {
    Batch batch = take(source->getBatch(step));
    EXPECT_EQ(batch[0].getTypeString(), "3x4xf32");
    EXPECT_EQ(batch[1].getTypeString(), "3xi64");
    EXPECT_EQ(take(source->getBatchShapes(step)), (BatchShapes{{3, 4}, {3}}));
    // Inputs and labels stay together.
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(batch[0].getAsDouble(i * 4 + 2),
                10 * batch[1].getAsDouble(i) + 2);
    for (double row : getValues(batch[1]))
      firstEpoch.push_back(row);
    if (step == 2) {
      std::set<double> rows(firstEpoch.begin(), firstEpoch.end());
      EXPECT_EQ(rows.size(), 9u);
    }
  }
  // Another order in the second epoch.
  EXPECT_NE(std::vector<double>(firstEpoch.begin(), firstEpoch.begin() + 9),
            std::vector<double>(firstEpoch.begin() + 9, firstEpoch.end()));
}

TEST(ShuffledSource, SeedsRepeatAndStepsCanBeSkipped) {
  auto one = take(makeShuffledSource(makeDataset(10), getSpecs({3, 4}), 0, 1));
  auto same = take(makeShuffledSource(makeDataset(10), getSpecs({3, 4}), 0, 1));
  auto other =
      take(makeShuffledSource(makeDataset(10), getSpecs({3, 4}), 0, 2));
  for (int64_t step = 0; step < 7; ++step)
    (void)take(one->getBatch(step));
  EXPECT_EQ(getValues(take(one->getBatch(7))[1]),
            getValues(take(same->getBatch(7))[1]));
  EXPECT_NE(getValues(take(one->getBatch(0))[0]),
            getValues(take(other->getBatch(0))[0]));
}

// Flat on one side, or equal but for extents of 1.
TEST(ShuffledSource, RowsMayBeFlatOrHaveOnes) {
  auto getType = [](llvm::ArrayRef<int64_t> row,
                    llvm::ArrayRef<int64_t> argument) {
    auto source =
        take(makeShuffledSource(makeRows(row), getSpecs(argument), 0, 1));
    return take(source->getBatch(0))[0].getTypeString();
  };
  EXPECT_EQ(getType({12}, {2, 1, 3, 4}), "2x1x3x4xf32");
  EXPECT_EQ(getType({3, 4}, {2, 12}), "2x12xf32");
  EXPECT_EQ(getType({3, 4}, {2, 1, 3, 4}), "2x1x3x4xf32");
  EXPECT_EQ(getType({3, 4, 1}, {2, 1, 3, 4}), "2x1x3x4xf32");
  EXPECT_EQ(getType({1}, {2}), "2xf32");
}

TEST(ShuffledSource, DynamicExtentsComeFromTheDataAndTheOption) {
  auto source =
      take(makeShuffledSource(makeDataset(8), getSpecs({-1, -1}), 5, 1));
  EXPECT_EQ(take(source->getBatch(0))[0].getTypeString(), "5x4xf32");
}

TEST(ShuffledSource, ElementsAreConverted) {
  std::vector<ValueSpec> specs = getSpecs({2, 4});
  specs[1].elementKind = AMP_RT_ELEMENT_F16;
  specs[2].elementKind = AMP_RT_ELEMENT_I32;
  auto source = take(makeShuffledSource(makeDataset(4), specs, 0, 1));
  Batch batch = take(source->getBatch(0));
  EXPECT_EQ(batch[0].getTypeString(), "2x4xf16");
  EXPECT_EQ(batch[1].getTypeString(), "2xi32");
}

//===----------------------------------------------------------------------===//
// Data sets that do not fit
//===----------------------------------------------------------------------===//

TEST(DatasetBinding, NoBatchArguments) {
  EXPECT_EQ(getBindError(makeDataset(4), makeSpec("param", "w", F32, {1})),
            "expected batch arguments to bind 'd.npz' to, but the step has "
            "none; give arguments amp.role = \"batch\"");
}

TEST(DatasetBinding, MissingArray) {
  std::vector<ValueSpec> specs = getSpecs({2, 4});
  specs[1].name = "x2";
  EXPECT_EQ(getBindError(makeDataset(4), specs),
            "expected an array 'x2' for batch 'x2' in 'd.npz', but it has "
            "'x0', 'x1'");
  EXPECT_EQ(getBindError(Dataset("'e.npz'", {}), specs),
            "expected an array 'x2' for batch 'x2' in 'e.npz', but it has no "
            "arrays");
}

TEST(DatasetBinding, WrongRows) {
  EXPECT_EQ(getBindError(makeDataset(4), getSpecs({2, 5})),
            "expected the rows of array 'x0' in 'd.npz' to fit those of batch "
            "'x0', 5xf32, but got 4xf32");
  // With an open extent the data's shape counts as it is.
  EXPECT_EQ(
      getText(makeShuffledSource(makeDataset(4), getSpecs({2, -1, 2}), 0, 0)),
      "expected the rows of array 'x0' in 'd.npz' to fit those of batch "
      "'x0', ?x2xf32, but got 4xf32");
}

// As many elements, which mean something else.
TEST(DatasetBinding, ReorderedRows) {
  EXPECT_EQ(getBindError(makeRows({4, 2, 8}), getSpecs({2, 1, 8, 8})),
            "expected the rows of array 'x0' in 'd.npz' to fit those of batch "
            "'x0', 1x8x8xf32, but got 4x2x8xf32, which has as many elements in "
            "another order; transpose or reshape it before it is saved");
  EXPECT_EQ(getBindError(makeRows({8, 8, 3}), getSpecs({2, 3, 8, 8})),
            "expected the rows of array 'x0' in 'd.npz' to fit those of batch "
            "'x0', 3x8x8xf32, but got 8x8x3xf32, which has as many elements in "
            "another order; transpose or reshape it before it is saved");
}

TEST(DatasetBinding, NumbersThatOverflow) {
  Dataset::Arrays arrays = makeArrays(4);
  arrays["x0"] = std::make_shared<HostArray>(makeArray(
      AMP_RT_ELEMENT_F64, {4, 1}, {0, 3.4028234663852886e38, -1e39, 0}));
  EXPECT_EQ(getBindError(Dataset("'d.npz'", arrays), getSpecs({2, 1})),
            "expected array 'x0' in 'd.npz' to fit f32 of batch 'x0', but got "
            "-1e+39 at [2, 0]");
}

TEST(DatasetBinding, BatchExtents) {
  EXPECT_EQ(getBindError(makeDataset(4), getSpecs({-1, 4})),
            "expected a batch size for batch 'x0', which is ?x4xf32; give "
            "'--batch-size'");
  EXPECT_EQ(getBindError(makeDataset(4), getSpecs({0, 4})),
            "expected batch 'x0' to hold at least one row, but got 0x4xf32");
  std::vector<ValueSpec> specs = getSpecs({2, 4});
  specs[1].shape.clear();
  EXPECT_EQ(getBindError(makeDataset(4), specs),
            "expected batch 'x0' to have a leading extent, the batch, but got "
            "f32");
  specs = getSpecs({2, 4});
  specs[2].shape[0] = 3;
  EXPECT_EQ(getBindError(makeDataset(4), specs),
            "expected batch 'x1' to have 2 rows as 'x0' has, but got 3");
  EXPECT_EQ(getBindError(makeDataset(4), getSpecs({5, 4})),
            "expected at least 5 rows, one batch, in 'd.npz', but got 4");
}

TEST(DatasetBinding, BatchSizeOptionMustAgree) {
  EXPECT_EQ(getText(makeShuffledSource(makeDataset(8), getSpecs({2, 4}), 3, 0)),
            "expected '--batch-size' to be 2, for which the step was written, "
            "but got 3; leave it out");
}

TEST(DatasetBinding, RowsOfDifferentNumbers) {
  Dataset::Arrays arrays = makeArrays(4);
  arrays["x1"] = makeArrays(3).at("x1");
  EXPECT_EQ(getBindError(Dataset("'d.npz'", arrays), getSpecs({2, 4})),
            "expected array 'x1' in 'd.npz' to have 4 rows as 'x0' has, but "
            "got 3");
  arrays["x1"] = std::make_shared<HostArray>(I64, llvm::ArrayRef<int64_t>{});
  EXPECT_EQ(getBindError(Dataset("'d.npz'", arrays), getSpecs({2, 4})),
            "expected array 'x1' in 'd.npz' to have a row per sample, but it "
            "is a single number");
}

TEST(DatasetBinding, NotFinite) {
  Dataset::Arrays arrays = makeArrays(4);
  HostArray x0 = arrays["x0"]->clone();
  x0.setFromDouble(9, std::nan(""));
  arrays["x0"] = std::make_shared<HostArray>(std::move(x0));
  EXPECT_EQ(getBindError(Dataset("'d.npz'", arrays), getSpecs({2, 4})),
            "expected finite values in array 'x0' in 'd.npz', but got NaN at "
            "[2, 1]");
}

TEST(DatasetBinding, WrongElements) {
  std::vector<ValueSpec> specs = getSpecs({2, 4});
  specs[2].elementKind = F32;
  EXPECT_EQ(getBindError(makeDataset(4), specs),
            "expected array 'x1' in 'd.npz' to hold floating-point elements "
            "for batch 'x1' (f32), but got i64; scale and convert it before it "
            "is saved, e.g. with .astype('float32')");
}

//===----------------------------------------------------------------------===//
// Ordered
//===----------------------------------------------------------------------===//

TEST(OrderedSource, GivesTheRecordedRows) {
  HostArray order = makeArray(AMP_RT_ELEMENT_I16, {2, 3}, {3, 1, 0, 2, 2, 4});
  auto source = take(makeOrderedSource(makeDataset(5), getSpecs({3, 4}), order,
                                       "array 'order'"));
  EXPECT_EQ(source->getNumSteps(), 2);
  EXPECT_EQ(source->describe(), "'d.npz'");
  EXPECT_EQ(getValues(take(source->getBatch(1))[1]),
            (std::vector<double>{2, 2, 4}));
  EXPECT_EQ(take(source->getBatch(0))[0].getAsDouble(0), 30);
}

TEST(OrderedSource, RefusesOtherOrders) {
  auto getError = [](const HostArray &order) {
    return getText(makeOrderedSource(makeDataset(5), getSpecs({3, 4}), order,
                                     "array 'order' in 'w.npz'"));
  };
  EXPECT_EQ(getError(HostArray(I64, {6})),
            "expected array 'order' in 'w.npz' to hold integers, steps x "
            "batch, but got 6xi64");
  EXPECT_EQ(getError(HostArray(F32, {2, 3})),
            "expected array 'order' in 'w.npz' to hold integers, steps x "
            "batch, but got 2x3xf32");
  EXPECT_EQ(getError(HostArray(I64, {2, 4})),
            "expected array 'order' in 'w.npz' to have batches of 3 rows as "
            "the step has, but got 4");
  EXPECT_EQ(getError(makeArray(I64, {1, 3}, {0, 5, 1})),
            "expected the rows in array 'order' in 'w.npz' to be below 5, the "
            "size of 'd.npz', but got 5");
  EXPECT_EQ(getError(makeArray(I64, {1, 3}, {0, -1, 1})),
            "expected the rows in array 'order' in 'w.npz' to be below 5, the "
            "size of 'd.npz', but got -1");
  HostArray large(I64, {1, 3});
  large.as<int64_t>()[1] = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(getError(large),
            "expected the rows in array 'order' in 'w.npz' to be below 5, the "
            "size of 'd.npz', but got 9223372036854775807");
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
class BatchFileTest : public TemporaryFolderTest {};
} // namespace

TEST_F(BatchFileTest, ReadsTheArraysOfADataset) {
  HostArray x0 = makeArray(F32, {2, 1}, {1, 2});
  HostArray x1 = makeArray(I64, {2}, {0, 1});
  ASSERT_EQ(getText(writeArchive(getPath("d.npz"), {{"x0", &x0}, {"x1", &x1}})),
            "(success)");
  Dataset data = take(Dataset::open(getPath("d.npz")));
  EXPECT_EQ(withoutFolder(data.getOrigin().str()), "'FOLDER/d.npz'");
  EXPECT_TRUE(data.contains("x1"));
  EXPECT_FALSE(data.contains("x2"));
  EXPECT_EQ(getValues(*take(data.get(makeSpec("batch", "x1", I64, {2})))),
            (std::vector<double>{0, 1}));
  EXPECT_EQ(withoutFolder(getText(Dataset::open(getPath("no.npz")))),
            "cannot open 'FOLDER/no.npz': No such file or directory");
}

// Texts beside the numbers do no harm until an argument wants them.
TEST_F(BatchFileTest, UnreadableArraysFailWhenTheyAreBound) {
  HostArray x0 = makeArray(F32, {2, 1}, {1, 2});
  ASSERT_EQ(getText(writeArchive(getPath("d.npz"), {{"x0", &x0}})),
            "(success)");
  // A checksum that does not fit makes the array unreadable.
  std::string text = readText("d.npz");
  const size_t directory = text.find("PK\1\2");
  for (size_t at : {size_t(14), directory + 16})
    text[at] = char(text[at] ^ 1);
  Dataset data = take(Dataset::open(writeText("d.npz", text)));
  EXPECT_EQ(
      withoutFolder(getText(makeShuffledSource(
          data, makeSpec("batch", "x0", F32, {1, 1}), 0, 0))),
      "cannot read array 'x0' in 'FOLDER/d.npz': its checksum is not that "
      "of its bytes; the file is damaged, save it again");
}

// Neither does an array that nobody asks for, whatever it holds; one that is
// asked for is refused by its header.
TEST_F(BatchFileTest, NothingIsReadForWhatDoesNotFit) {
  HostArray x0 = makeArray(F32, {2, 1}, {1, 2});
  HostArray x1 = makeArray(I64, {3}, {0, 1, 2});
  ASSERT_EQ(getText(writeArchive(getPath("d.npz"), {{"x0", &x0}, {"x1", &x1}})),
            "(success)");
  // A checksum that does not fit shows when an array is read to its end.
  std::string text = readText("d.npz");
  for (const char *magic : {"PK\3\4", "PK\1\2"}) {
    const size_t at = text.rfind(magic) + (magic[2] == 3 ? 14 : 16);
    text[at] = char(text[at] ^ 1);
  }
  Dataset data = take(Dataset::open(writeText("d.npz", text)));
  ValueSpec labels = makeSpec("batch", "x1", I64, {1});
  EXPECT_EQ(take(data.getType(labels)).getText(), "3xi64");
  EXPECT_EQ(
      withoutFolder(getText(data.get(labels))),
      "cannot read array 'x1' in 'FOLDER/d.npz': its checksum is not that "
      "of its bytes; the file is damaged, save it again");
  std::vector<ValueSpec> specs = {makeSpec("batch", "x0", F32, {1, 1}), labels};
  EXPECT_EQ(withoutFolder(getText(makeShuffledSource(data, specs, 0, 0))),
            "expected array 'x1' in 'FOLDER/d.npz' to have 2 rows as 'x0' has, "
            "but got 3");
  EXPECT_EQ(getText(makeShuffledSource(data, specs[0], 0, 0)), "(success)");
}

// The arguments of the compiled step are not those of the file's: at O2 masters
// come in between, and parameters are half.
TEST_F(BatchFileTest, ReplaysByTheOriginalPositions) {
  HostArray weight = makeArray(F32, {1}, {0.1});
  HostArray momentum = makeArray(F32, {1}, {0.5});
  HostArray losses = makeArray(AMP_RT_ELEMENT_F64, {2}, {2.5, 1.5});
  HostArray x0 = makeArray(F32, {2, 1}, {1, 2});
  HostArray x1 = makeArray(I64, {2}, {0, 1});
  ASSERT_EQ(getText(writeArchive(getPath("r.npz"), {{"arg0", &weight},
                                                    {"arg1", &momentum},
                                                    {"losses", &losses},
                                                    {"step0_x0", &x0},
                                                    {"step0_x1", &x1},
                                                    {"step1_x0", &x0},
                                                    {"step1_x1", &x1}})),
            "(success)");
  std::vector<ValueSpec> original = {makeSpec("param", "w", F32, {1}),
                                     makeSpec("opt_state", "w.m", F32, {1}),
                                     makeSpec("batch", "inputs", F32, {2, 1}),
                                     makeSpec("batch", "targets", I64, {2})};
  std::vector<ValueSpec> compiled = {
      makeSpec("param", "w", AMP_RT_ELEMENT_F16, {1}),
      makeSpec("master", "w", F32, {1}),
      makeSpec("accumulator", "w", F32, {1}),
      makeSpec("opt_state", "w.m", F32, {1}),
      makeSpec("batch", "inputs", F32, {2, 1}),
      makeSpec("batch", "targets", I64, {2})};
  Replay replay = take(openReplay(getPath("r.npz"), original));
  EXPECT_EQ(replay.batches->getNumSteps(), 2);
  EXPECT_EQ(replay.losses, (std::vector<double>{2.5, 1.5}));
  EXPECT_EQ(withoutFolder(replay.batches->describe()), "'FOLDER/r.npz'");
  EXPECT_EQ(getValues(take(replay.batches->getBatch(1))[0]),
            (std::vector<double>{1, 2}));
  EXPECT_EQ(take(replay.batches->getBatchShapes(1)),
            (BatchShapes{{2, 1}, {2}}));
  TrainingState state =
      take(makeStartValues(compiled, replay.startValues.get(), 0));
  EXPECT_EQ(state.at({"master", "w"}).getAsDouble(0), double(0.1f));
  EXPECT_EQ(*state.at({"param", "w"}).as<uint16_t>(), 0x2e66);
  EXPECT_EQ(state.at({"opt_state", "w.m"}).getAsDouble(0), 0.5);
  EXPECT_EQ(state.at({"accumulator", "w"}).getAsDouble(0), 0);
}

TEST_F(BatchFileTest, ReplayNamesWhatIsMissing) {
  HostArray x0 = makeArray(F32, {2, 1}, {1, 2});
  ASSERT_EQ(getText(writeArchive(getPath("r.npz"), {{"step0_x0", &x0}})),
            "(success)");
  std::vector<ValueSpec> specs = {
      makeSpec("param", "w", F32, {1}), makeSpec("opt_state", "m", F32, {1}),
      makeSpec("batch", "x0", F32, {2, 1}), makeSpec("batch", "x1", I64, {2})};
  Replay replay = take(openReplay(getPath("r.npz"), specs));
  EXPECT_EQ(withoutFolder(
                getText(makeStartValues(specs, replay.startValues.get(), 0))),
            "expected an array 'arg0', the start value of param 'w', in "
            "'FOLDER/r.npz'; is it the replay file of this module?");
  EXPECT_EQ(withoutFolder(getText(
                makeStartValues(specs[1], replay.startValues.get(), 0))),
            "expected an array 'arg1', the start value of opt_state 'm', in "
            "'FOLDER/r.npz'; is it the replay file of this module?");
  EXPECT_EQ(withoutFolder(getText(replay.batches->getBatch(0))),
            "expected array 'step0_x1' in 'FOLDER/r.npz', but it has "
            "'step0_x0'");
  EXPECT_EQ(getText(replay.batches->getBatchShapes(0)),
            getText(replay.batches->getBatch(0)));
}

TEST_F(BatchFileTest, ReplayNamesWhatDoesNotFit) {
  HostArray x0 = makeArray(F32, {2, 1}, {1, std::nan("")});
  ASSERT_EQ(getText(writeArchive(getPath("r.npz"), {{"step0_x0", &x0}})),
            "(success)");
  auto getError = [&](const ValueSpec &spec) {
    Replay replay = take(openReplay(getPath("r.npz"), spec));
    return withoutFolder(getText(replay.batches->getBatch(0)));
  };
  EXPECT_EQ(getError(makeSpec("batch", "x0", F32, {1, 2})),
            "expected array 'step0_x0' in 'FOLDER/r.npz' to have the shape of "
            "batch 'x0', 1x2xf32, but got 2x1xf32");
  EXPECT_EQ(getError(makeSpec("batch", "x0", F32, {2, 1})),
            "expected finite values in array 'step0_x0' in 'FOLDER/r.npz', but "
            "got NaN at [1, 0]");
}

TEST_F(BatchFileTest, ReplayNeedsBatches) {
  HostArray x0 = makeArray(F32, {1}, {1});
  ASSERT_EQ(getText(writeArchive(getPath("d.npz"), {{"x0", &x0}})),
            "(success)");
  EXPECT_EQ(withoutFolder(getText(openReplay(getPath("d.npz"), {}))),
            "expected batches 'step0_x0', 'step0_x1', 'step1_x0'... in "
            "'FOLDER/d.npz', but it has none; train on a data set with "
            "'--data'");
}

// What a batch takes is known before one is made: of the type that the argument
// has, and of the rows that the data has.
TEST_F(BatchFileTest, BytesOfABatchAreKnownBefore) {
  auto x0 = std::make_shared<HostArray>(AMP_RT_ELEMENT_F64,
                                        llvm::ArrayRef<int64_t>{6, 5});
  auto x1 = std::make_shared<HostArray>(I64, llvm::ArrayRef<int64_t>{6});
  Dataset data("'d'", {{"x0", x0}, {"x1", x1}});
  std::vector<ValueSpec> specs = {makeSpec("batch", "x0", F32, {-1, -1}),
                                  makeSpec("batch", "x1", I64, {-1})};
  auto source = take(makeShuffledSource(data, specs, 4, 0));
  EXPECT_EQ(source->getBatchBytes(), (std::vector<int64_t>{80, 32}));
  Batch batch = take(source->getBatch(0));
  EXPECT_EQ(batch[0].getNumBytes(), 80);
  EXPECT_EQ(batch[1].getNumBytes(), 32);

  // Steps of a replay may differ.
  HostArray large(F32, {3, 7}), small(F32, {2, 2});
  ASSERT_EQ(getText(writeArchive(getPath("r.npz"),
                                 {{"step0_x0", &small}, {"step1_x0", &large}})),
            "(success)");
  Replay replay = take(openReplay(getPath("r.npz"), specs[0]));
  EXPECT_EQ(replay.batches->getBatchBytes(), std::vector<int64_t>{84});

  constexpr int64_t kLarge = int64_t(1) << 62;
  auto empty = std::make_shared<HostArray>(
      F32, llvm::ArrayRef<int64_t>{0, kLarge, kLarge});
  EXPECT_EQ(getText(makeShuffledSource(
                Dataset("'e'", {{"x0", empty}}),
                makeSpec("batch", "x0", F32, {-1, -1, -1}), 4, 0)),
            "expected the rows of array 'x0' in 'e' to have less than 2^63 "
            "bytes, but got 4611686018427387904x4611686018427387904xf32");
}

// The data set that ships with the project, with both kinds of model.
TEST(Digits, BindToFlatAndToImageArguments) {
  Dataset train =
      take(Dataset::open(AMP_SOURCE_DIR "/share/digits/digits_train.npz"));
  auto flat = take(makeShuffledSource(train, getSpecs({32, 64}), 0, 0));
  auto image = take(makeShuffledSource(train, getSpecs({32, 1, 8, 8}), 0, 0));
  Batch a = take(flat->getBatch(0)), b = take(image->getBatch(0));
  EXPECT_EQ(b[0].getTypeString(), "32x1x8x8xf32");
  EXPECT_EQ(getValues(a[0]), getValues(b[0]));
  EXPECT_EQ(a[1].getTypeString(), "32xi64");
  const ValueSpec x0 = makeSpec("batch", "x0", F32, {1, 64});
  EXPECT_EQ(take(train.getType(x0)).getText(), "1437x64xf32");
  Dataset test =
      take(Dataset::open(AMP_SOURCE_DIR "/share/digits/digits_test.npz"));
  EXPECT_EQ(take(test.getType(x0)).getText(), "360x64xf32");
}
