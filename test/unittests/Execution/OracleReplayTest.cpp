//===- OracleReplayTest.cpp - Replays that agree, and not -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/OracleReplay.h"
#include "FakeProgram.h"
#include "TestFiles.h"

#include "amp/Execution/StepLog.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <cstdlib>
#include <limits>

using namespace amp_test;
using namespace mlir::amp;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// A recording made by the fake program
//===----------------------------------------------------------------------===//

namespace {

constexpr int64_t kRows = 20, kTrainingRows = 14, kSteps = 12;

/// A folder with digits.npz, weights_and_batches.npz and runs.json.
class OracleTest : public TemporaryFolderTest {
protected:
  void SetUp() override {
    TemporaryFolderTest::SetUp();
    HostArray images(AMP_RT_ELEMENT_I16, {kRows, 6});
    HostArray labels(AMP_RT_ELEMENT_I16, {kRows});
    for (int64_t i = 0; i < kRows * 6; ++i)
      images.setFromDouble(i, double((i * 5) % 17));
    for (int64_t i = 0; i < kRows; ++i)
      labels.setFromDouble(i, double(i % 3));
    HostArray split = makeArray(AMP_RT_ELEMENT_I64, {}, {kTrainingRows});
    ASSERT_EQ(
        getText(writeArchive(
            getPath("digits.npz"),
            {{"images", &images}, {"labels", &labels}, {"n_train", &split}})),
        "(success)");
    writeWeights();
  }

  void writeWeights(StringRef without = "") {
    FakeProgram program(getOptions());
    TrainingState state = take(
        makeStartValues(program.getTrainStep().getArguments(), nullptr, 4));
    HostArray order(AMP_RT_ELEMENT_I16, {kSteps, 4});
    for (int64_t i = 0; i < kSteps * 4; ++i)
      order.setFromDouble(i, double((i * 3) % kTrainingRows));
    NamedArrays arrays;
    std::vector<std::string> names;
    for (const auto &[key, array] : state)
      if (key.first == "param" && key.second != without)
        arrays.emplace_back("init/mlp-s1/" + key.second, &array);
    if (without != "order")
      arrays.emplace_back("order/s1-b4", &order);
    ASSERT_EQ(getText(writeArchive(getPath("weights_and_batches.npz"), arrays)),
              "(success)");
  }

  static FakeOptions getOptions() {
    FakeOptions options;
    options.evaluateBatch = 4;
    options.scaler = getDynamicScaler();
    return options;
  }

  /// A run whose numbers nothing was compared with yet.
  json::Object makeRun() const {
    json::Array steps;
    for (int64_t i = 0; i < kSteps; ++i)
      steps.push_back(json::Array{0, 65536, 65536, i + 1, 0, 1});
    return json::Object{
        {"id", "mlp-s1-O0-lsdynamic-sgd"},
        {"model", "mlp"},
        {"optimizer", "sgd"},
        {"optimizer_overrides", json::Object{}},
        {"seed", 1},
        {"batch", 4},
        {"initialize",
         json::Object{{"opt_level", "O0"}, {"loss_scale", "dynamic"}}},
        {"properties", json::Object{{"loss_scale", "dynamic"}}},
        {"columns",
         json::Array{"loss", "scale_before", "scale_after", "unskipped_after",
                     "skipped", "unscaled_grad_norm"}},
        {"steps", std::move(steps)},
        {"inject", json::Array{json::Object{{"step", 5},
                                            {"param", "fc1.weight"},
                                            {"index", 3},
                                            {"value", "inf"}}}},
        {"final_master_norm", 1},
        {"test_loss", 1},
        {"test_accuracy", 1},
        {"test_outputs", json::Array{json::Array{0, 0, 0}}}};
  }

  /// Two rows as recordings have them: O0 is judged, O2 only until its scale
  /// moves.
  static json::Array makeTolerances() {
    return json::Array{
        json::Object{
            {"name", "O0, mlp"},
            {"for", json::Object{{"opt_level", "O0"}, {"model", "mlp"}}},
            {"limits", json::Object{{"loss, step 0", 1e-5},
                                    {"loss, steps 0 to 9", 1e-5},
                                    {"loss, all steps", 1e-5},
                                    {"gradient norm, relative", 1e-5},
                                    {"master norm, relative", 1e-3},
                                    {"updates, relative", 1e-6}}}},
        json::Object{{"name", "O2, dynamic"},
                     {"for", json::Object{{"opt_level", "O2"},
                                          {"loss_scale", "dynamic"}}},
                     {"limits", json::Object{{"loss, step 0", 1e-3}}},
                     {"caveat", "it may overflow"}}};
  }

  std::string writeRun(json::Object run, bool withTolerances = true) const {
    json::Object file{{"runs", json::Array{json::Value(std::move(run))}}};
    if (withTolerances)
      file["tolerances"] = makeTolerances();
    std::string text;
    llvm::raw_string_ostream os(text);
    os << json::Value(std::move(file));
    return writeText("runs.json", text);
  }

  llvm::Expected<Oracle> load(json::Object run) const {
    return Oracle::load(writeRun(std::move(run)), "");
  }

  /// The run with the numbers that the fake program gives: it agrees with
  /// itself.
  json::Object recordRun() const {
    json::Object run = makeRun();
    Oracle oracle = take(load(run));
    const OracleRun &blank = oracle.getRuns()[0];
    FakeProgram program(getOptions());
    json::Array steps;
    ReplayComparison blankComparison = *take(replayRun(
        oracle, blank, ToleranceTable(), program,
        [&](const StepRecord &record) {
          const ScalerRecord &scaler = record.scalers[0];
          steps.push_back(json::Array{toJson(record.losses[0].second),
                                      scaler.scaleBefore, scaler.scaleAfter,
                                      scaler.unskipped, int64_t(scaler.skipped),
                                      record.gradNorm ? toJson(*record.gradNorm)
                                                      : json::Value(nullptr)});
          return llvm::Error::success();
        }));
    run["steps"] = std::move(steps);
    // The blank run recorded 1 for each, so that distances give the numbers.
    for (const ReplayDistance &distance : blankComparison.distances) {
      if (distance.quantity == "master norm, relative")
        run["final_master_norm"] = 1 + distance.distance;
      if (distance.quantity == "test accuracy")
        run["test_accuracy"] = 1 - distance.distance;
    }
    return run;
  }

  static ReplayComparison replay(const Oracle &oracle,
                                 const ToleranceTable &tolerances,
                                 FakeProgram &program) {
    return *take(
        replayRun(oracle, oracle.getRuns()[0], tolerances, program,
                  [](const StepRecord &) { return llvm::Error::success(); }));
  }
  ReplayComparison replay(json::Object run) {
    Oracle oracle = take(load(std::move(run)));
    FakeProgram program(getOptions());
    tolerances = oracle.getTolerances();
    return replay(oracle, tolerances, program);
  }
  std::string getReplayError(json::Object run, FakeOptions options) const {
    Oracle oracle = take(load(std::move(run)));
    FakeProgram program(std::move(options));
    return withoutFolder(getText(
        replayRun(oracle, oracle.getRuns()[0], ToleranceTable(), program,
                  [](const StepRecord &) { return llvm::Error::success(); })));
  }
  std::string getLoadError(json::Object run) const {
    return withoutFolder(getText(load(std::move(run))));
  }

  static double getDistance(const ReplayComparison &comparison,
                            StringRef quantity) {
    for (const ReplayDistance &distance : comparison.distances)
      if (distance.quantity == quantity)
        return distance.distance;
    ADD_FAILURE() << "no distance of " << quantity.str();
    return -1;
  }

  /// Those of the last replay, which its comparison points to.
  ToleranceTable tolerances;
};

/// Element `column` of step `step` of a run.
json::Value &getCell(json::Object &run, size_t step, size_t column) {
  return (*(*run.getArray("steps"))[step].getAsArray())[column];
}

} // namespace

TEST_F(OracleTest, AStoppedReplayIsNotCompared) {
  Oracle oracle = take(load(makeRun()));
  const auto replayUntil = [&](int64_t last) {
    std::atomic<bool> stop(false);
    FakeProgram program(getOptions());
    return take(replayRun(
                    oracle, oracle.getRuns()[0], ToleranceTable(), program,
                    [&](const StepRecord &record) {
                      stop = record.step == last;
                      return llvm::Error::success();
                    },
                    &stop))
        .has_value();
  };
  const auto numSteps = int64_t(oracle.getRuns()[0].steps.size());
  ASSERT_GT(numSteps, 1);
  EXPECT_FALSE(replayUntil(0));
  // Asked to stop during the last step, it is whole.
  EXPECT_TRUE(replayUntil(numSteps - 1));
}

TEST_F(OracleTest, ARunAgreesWithItself) {
  ReplayComparison comparison = replay(recordRun());
  EXPECT_EQ(comparison.getVerdict(), ReplayVerdict::Agree);
  EXPECT_EQ(comparison.id, "mlp-s1-O0-lsdynamic-sgd");
  EXPECT_EQ(comparison.tolerances->name, "O0, mlp");
  EXPECT_EQ(comparison.scalerDifference, "");
  for (StringRef quantity : {"loss, step 0", "loss, steps 0 to 9",
                             "loss, all steps", "gradient norm, relative"})
    EXPECT_EQ(getDistance(comparison, quantity), 0) << quantity.str();
}

TEST_F(OracleTest, ADistantLossDisagrees) {
  json::Object run = recordRun();
  const double loss = *getCell(run, 10, 0).getAsNumber();
  getCell(run, 10, 0) = loss + 0.5;
  ReplayComparison comparison = replay(std::move(run));
  EXPECT_EQ(comparison.getVerdict(), ReplayVerdict::Disagree);
  EXPECT_EQ(getDistance(comparison, "loss, steps 0 to 9"), 0);
  EXPECT_NEAR(getDistance(comparison, "loss, all steps"), 0.5, 1e-12);
}

TEST_F(OracleTest, ADistantGradientNormDisagrees) {
  json::Object run = recordRun();
  getCell(run, 3, 5) = *getCell(run, 3, 5).getAsNumber() * 2;
  ReplayComparison comparison = replay(std::move(run));
  EXPECT_EQ(comparison.getVerdict(), ReplayVerdict::Disagree);
  EXPECT_NEAR(getDistance(comparison, "gradient norm, relative"), 0.5, 1e-12);
}

// The step was skipped here and not in the recording, so it has no norm.
TEST_F(OracleTest, AMissingGradientNormDisagrees) {
  json::Object run = recordRun();
  getCell(run, 5, 4) = 0;
  getCell(run, 5, 5) = 1.0;
  ReplayComparison comparison = replay(std::move(run));
  EXPECT_EQ(comparison.getVerdict(), ReplayVerdict::Disagree);
  EXPECT_TRUE(std::isinf(getDistance(comparison, "gradient norm, relative")));
}

// The injected infinity of step 5 is part of the replay.
TEST_F(OracleTest, ADifferentScaleDisagrees) {
  json::Object run = recordRun();
  getCell(run, 5, 2) = 65536;
  getCell(run, 5, 4) = 0;
  ReplayComparison comparison = replay(std::move(run));
  EXPECT_EQ(comparison.getVerdict(), ReplayVerdict::Disagree);
  EXPECT_EQ(comparison.scalerDifference,
            "step 5: scale 65536 to 32768, unskipped 0, skipped; recorded: "
            "scale 65536 to 65536, unskipped 0, not skipped");
}

TEST_F(OracleTest, NanAgreesWithNanOnly) {
  json::Object run = recordRun();
  getCell(run, 2, 0) = "nan";
  ReplayComparison comparison = replay(std::move(run));
  EXPECT_EQ(getDistance(comparison, "loss, steps 0 to 9"),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(getDistance(comparison, "loss, step 0"), 0);
}

TEST_F(OracleTest, DivergedWeightsAgree) {
  json::Object run = recordRun();
  run["inject"] = json::Array{};
  Oracle oracle = take(load(std::move(run)));
  FakeOptions options = getOptions();
  options.learningRate = std::numeric_limits<float>::infinity();
  FakeProgram program(options);
  // inf weights, and a recorded norm that is finite: far.
  EXPECT_EQ(getDistance(replay(oracle, ToleranceTable(), program),
                        "master norm, relative"),
            std::numeric_limits<double>::infinity());
  run = recordRun();
  run["inject"] = json::Array{};
  run["final_master_norm"] = "inf";
  Oracle diverged = take(load(std::move(run)));
  FakeProgram again(options);
  EXPECT_EQ(getDistance(replay(diverged, ToleranceTable(), again),
                        "master norm, relative"),
            0);
}

TEST_F(OracleTest, RunsWithACaveatAreNotComparable) {
  json::Object run = recordRun();
  run["initialize"] =
      json::Object{{"opt_level", "O2"}, {"loss_scale", "dynamic"}};
  getCell(run, 7, 2) = 1;
  ReplayComparison comparison = replay(std::move(run));
  EXPECT_EQ(comparison.tolerances->name, "O2, dynamic");
  EXPECT_EQ(comparison.getVerdict(), ReplayVerdict::NotComparable);
  // Step 0 comes before any scale could differ.
  comparison.distances[0].distance = 1;
  EXPECT_EQ(comparison.getVerdict(), ReplayVerdict::Disagree);
}

// Another level, another model, and a file that says nothing: the numbers are
// shown, the scale is compared, and nothing is judged.
TEST_F(OracleTest, RunsWithoutTolerancesAreNotJudged) {
  json::Object run = recordRun();
  run["initialize"] =
      json::Object{{"opt_level", "O4"}, {"loss_scale", "dynamic"}};
  ReplayComparison comparison = replay(run);
  EXPECT_EQ(comparison.tolerances, nullptr);
  EXPECT_EQ(comparison.getVerdict(), ReplayVerdict::NotJudged);
  EXPECT_EQ(getDistance(comparison, "loss, all steps"), 0);
  getCell(run, 7, 2) = 1;
  EXPECT_EQ(replay(run).getVerdict(), ReplayVerdict::Disagree);
  Oracle silent = take(Oracle::load(writeRun(makeRun(), false), ""));
  EXPECT_TRUE(silent.getTolerances().empty());
}

// With the final weights of another learning rate, only the updates tell.
TEST_F(OracleTest, UpdatesAreCompared) {
  Oracle oracle = take(load(makeRun()));
  NamedArrays arrays;
  std::vector<HostArray> kept;
  kept.reserve(16);
  for (const std::string &name : oracle.getWeights().getNames()) {
    kept.push_back(take(oracle.getWeights().read(name)));
    arrays.emplace_back(name, &kept.back());
  }
  const size_t numRead = kept.size();
  for (size_t i = 0; i < numRead; ++i) {
    StringRef name = arrays[i].first;
    if (!name.consume_front("init/mlp-s1/"))
      continue;
    // Every parameter has gone up by one.
    kept.push_back(kept[i].clone());
    for (int64_t j = 0, e = kept.back().getNumElements(); j < e; ++j)
      kept.back().setFromDouble(j, kept.back().getAsDouble(j) + 1);
    arrays.emplace_back("final/run/" + name.str(), &kept.back());
  }
  ASSERT_EQ(getText(writeArchive(getPath("weights_and_batches.npz"), arrays)),
            "(success)");
  json::Object run = recordRun();
  run["final_weights_key"] = "final/run";
  run["inject"] = json::Array{};
  Oracle recorded = take(load(std::move(run)));
  FakeOptions options = getOptions();
  options.learningRate = 0;
  FakeProgram program(options);
  ReplayComparison comparison =
      replay(recorded, recorded.getTolerances(), program);
  EXPECT_NEAR(getDistance(comparison, "updates, relative"), 1, 1e-6);
  EXPECT_NEAR(getDistance(comparison, "worst update, relative"), 1, 1e-6);
}

TEST_F(OracleTest, ComparisonsArePrinted) {
  ToleranceRow row;
  row.name = "O0, mlp";
  ReplayComparison comparison;
  comparison.id = "a";
  comparison.tolerances = &row;
  comparison.hasScalers = true;
  comparison.distances = {
      {"loss, step 0", 1e-7, 1e-5, ""},
      {"loss, all steps", 0.5, 1e-5, ""},
      {"worst update, relative", 1, std::nullopt, "fc.bias"},
      {"test loss", 0.25, std::nullopt, ""}};
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream os(text);
    printComparison(os, comparison);
    return text;
  };
  EXPECT_EQ(print(), "a (O0, mlp)\n"
                     "  loss, step 0              1e-07     tolerance 1e-05\n"
                     "  loss, all steps           0.5       tolerance 1e-05  "
                     "OUTSIDE\n"
                     "  worst update, relative    1           at 'fc.bias'\n"
                     "  test loss                 0.25      \n"
                     "  scales and skipped steps  equal\n"
                     "  DISAGREES\n");
  comparison.distances.clear();
  EXPECT_TRUE(StringRef(print()).ends_with("equal\n  agrees\n"));
  comparison.scalerDifference = "step 1: more";
  row.caveat = "it may";
  EXPECT_TRUE(StringRef(print()).ends_with(
      "DIFFERENT, step 1: more\n  not comparable: it may\n"));
  comparison.scalerDifference = "";
  comparison.tolerances = nullptr;
  EXPECT_EQ(print(), "a\n  scales and skipped steps  equal\n"
                     "  not judged: no tolerances\n");
  comparison.hasScalers = false; // of them nothing is said, then
  EXPECT_EQ(print(), "a\n  not judged: no tolerances\n");
  comparison.notReplayed = "it clips";
  EXPECT_EQ(print(), "a\n  not comparable: it clips\n");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TEST_F(OracleTest, PropertiesBecomeOptions) {
  json::Object run = makeRun();
  run["initialize"] = json::Object{{"opt_level", "O2"},
                                   {"loss_scale", 128.0},
                                   {"keep_batchnorm_fp32", true},
                                   {"min_loss_scale", 0.1},
                                   {"master_weights", nullptr}};
  run["properties"] = json::Object{{"loss_scale", 128.0}};
  run["optimizer_overrides"] = json::Object{{"eps", 1e-4}};
  Oracle oracle = take(load(std::move(run)));
  const OracleRun &read = oracle.getRuns()[0];
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(read.properties,
            (std::vector<Pair>{{"opt-level", "O2"},
                               {"keep-batchnorm-fp32", "true"},
                               {"loss-scale", "128"},
                               {"min-loss-scale", "0.10000000000000001"}}));
  EXPECT_EQ(read.moduleName, "oracle_mlp_sgd_eps1e-4");
  EXPECT_EQ(read.optLevel, "O2");
  EXPECT_EQ(read.facts.at("loss_scale"), "128");
  EXPECT_EQ(read.facts.at("micro_batches"), "1");
  EXPECT_EQ(read.injections.size(), 1u);
  EXPECT_EQ(read.injections[0].value, std::numeric_limits<double>::infinity());

  std::string text;
  llvm::raw_string_ostream os(text);
  oracle.printList(os);
  EXPECT_EQ(text, "mlp-s1-O0-lsdynamic-sgd  oracle_mlp_sgd_eps1e-4.mlir "
                  "opt-level=O2 keep-batchnorm-fp32=true loss-scale=128 "
                  "min-loss-scale=0.10000000000000001\n");
}

TEST_F(OracleTest, RunsAreSelected) {
  Oracle oracle = take(load(makeRun()));
  auto count = [&](StringRef selection, StringRef module) {
    return take(oracle.select(selection, module)).size();
  };
  EXPECT_EQ(count("all", "oracle_mlp_sgd"), 1u);
  EXPECT_EQ(count("mlp-s1-O0-lsdynamic-sgd", ""), 1u);
  EXPECT_EQ(count("mlp-s1-O0-lsdynamic-sgd, mlp-s1-O0-lsdynamic-sgd", ""), 2u);
  auto getError = [&](StringRef selection, StringRef module) {
    return withoutFolder(getText(oracle.select(selection, module)));
  };
  EXPECT_EQ(getError("all", "gpt"),
            "expected a run of the module 'gpt' in 'FOLDER/runs.json', but it "
            "has none; '--run list' prints runs and modules");
  EXPECT_EQ(getError("x", ""),
            "expected a run 'x' in 'FOLDER/runs.json', but it has none; "
            "'--run list' prints all");
  EXPECT_EQ(getError(",", ""),
            "expected '--run' to name runs of 'FOLDER/runs.json'; give ids, "
            "'all', or 'list' to print them");
}

TEST_F(OracleTest, DataMayLieElsewhere) {
  const std::string runs = writeRun(makeRun());
  EXPECT_EQ(withoutFolder(getText(Oracle::load(runs, folder + "/data"))),
            "cannot open 'FOLDER/data/weights_and_batches.npz': No such file "
            "or directory");
  ASSERT_FALSE(llvm::sys::fs::create_directory(folder + "/elsewhere"));
  ASSERT_FALSE(llvm::sys::fs::rename(runs, folder + "/elsewhere/runs.json"));
  EXPECT_EQ(getText(Oracle::load(folder + "/elsewhere/runs.json", folder)),
            "(success)");
}

TEST_F(OracleTest, OtherFilesAreRefused) {
  EXPECT_EQ(withoutFolder(getText(Oracle::load(getPath("no.json"), ""))),
            "cannot open 'FOLDER/no.json': No such file or directory");
  EXPECT_EQ(withoutFolder(
                getText(Oracle::load(writeText("runs.json", "module {}"), ""))),
            "expected 'FOLDER/runs.json' to be JSON: [1:1, byte=1]: Invalid "
            "JSON value");
  EXPECT_EQ(
      withoutFolder(getText(Oracle::load(writeText("runs.json", "{}"), ""))),
      "expected 'FOLDER/runs.json' to hold recorded runs: missing value "
      "at file.runs");
}

TEST_F(OracleTest, IncompleteRunsAreRefused) {
  json::Object run = makeRun();
  run.erase("seed");
  EXPECT_EQ(getLoadError(std::move(run)),
            "expected 'FOLDER/runs.json' to hold recorded runs: missing value "
            "at file.runs[0].seed");
  run = makeRun();
  run["test_loss"] = "low";
  EXPECT_EQ(getLoadError(std::move(run)),
            "expected 'FOLDER/runs.json' to hold recorded runs: expected a "
            "number, \"nan\", \"inf\" or \"-inf\" at file.runs[0].test_loss");
  run = makeRun();
  run["initialize"] = json::Array{};
  EXPECT_EQ(getLoadError(std::move(run)),
            "expected 'FOLDER/runs.json' to hold recorded runs: expected "
            "object at file.runs[0].initialize");
  run = makeRun();
  run["initialize"] = json::Object{{"opt_level", json::Array{}}};
  EXPECT_EQ(getLoadError(std::move(run)),
            "expected 'FOLDER/runs.json' to hold recorded runs: expected a "
            "string, a boolean or a number at "
            "file.runs[0].initialize.opt_level");
  run = makeRun();
  run["properties"] = json::Object{};
  EXPECT_EQ(getLoadError(std::move(run)),
            "expected 'FOLDER/runs.json' to hold recorded runs: expected "
            "object with 'loss_scale' at file.runs[0].properties");
  run = makeRun();
  (*run.getArray("columns"))[0] = "cost";
  EXPECT_EQ(getLoadError(std::move(run)),
            "expected column 'loss' in run 'mlp-s1-O0-lsdynamic-sgd' of "
            "'FOLDER/runs.json'");
  run = makeRun();
  (*run.getArray("steps"))[1].getAsArray()->pop_back();
  EXPECT_EQ(getLoadError(std::move(run)),
            "expected a value per column in each step in run "
            "'mlp-s1-O0-lsdynamic-sgd' of 'FOLDER/runs.json'");
  run = makeRun();
  getCell(run, 1, 0) = nullptr;
  EXPECT_EQ(getLoadError(std::move(run)),
            "expected a number for 'loss' in each step in run "
            "'mlp-s1-O0-lsdynamic-sgd' of 'FOLDER/runs.json'");
  run = makeRun();
  run["steps"] = json::Array{};
  EXPECT_EQ(getLoadError(std::move(run)),
            "expected at least one step in run 'mlp-s1-O0-lsdynamic-sgd' of "
            "'FOLDER/runs.json'");
}

TEST_F(OracleTest, MicroBatchesAreAnOption) {
  json::Object run = makeRun();
  run["micro_batches"] = 2;
  using Pair = std::pair<std::string, std::string>;
  Oracle oracle = take(load(run));
  EXPECT_EQ(oracle.getRuns()[0].properties.back(), Pair("micro-batches", "2"));
  EXPECT_EQ(oracle.getRuns()[0].moduleName, "oracle_mlp_sgd_b2");
  run["batch"] = 64;
  Oracle usual = take(load(run));
  EXPECT_EQ(usual.getRuns()[0].moduleName, "oracle_mlp_sgd");
  run["micro_batches"] = 3;
  EXPECT_EQ(getLoadError(std::move(run)),
            "expected 'FOLDER/runs.json' to hold recorded runs: expected a "
            "divisor of 'batch' at file.runs[0].micro_batches");
}

// One run that cannot be replayed does not stand in the way of the others.
TEST_F(OracleTest, ClippedRunsAreNotReplayed) {
  json::Object run = makeRun();
  run["clip_grad_norm"] = 1;
  Oracle oracle = take(load(std::move(run)));
  ReplayComparison comparison = makeUnreplayed(oracle.getRuns()[0]);
  EXPECT_EQ(comparison.getVerdict(), ReplayVerdict::NotComparable);
  EXPECT_EQ(comparison.notReplayed,
            "it clips its gradients, which the modules do not");
}

TEST_F(OracleTest, IncompleteDataIsRefused) {
  writeWeights("fc2.bias");
  EXPECT_EQ(getReplayError(makeRun(), getOptions()),
            "expected an array 'init/mlp-s1/fc2.bias' in "
            "'FOLDER/weights_and_batches.npz'; is this the module of the run?");
  writeWeights("order");
  EXPECT_EQ(getReplayError(makeRun(), getOptions()),
            "expected array 'order/s1-b4' in 'FOLDER/weights_and_batches.npz', "
            "but it has 'init/mlp-s1/fc1.bias', 'init/mlp-s1/fc1.weight', "
            "'init/mlp-s1/fc2.bias', 'init/mlp-s1/fc2.weight'");
  HostArray images(AMP_RT_ELEMENT_I16, {4, 6}), labels(AMP_RT_ELEMENT_I16, {3});
  HostArray split = makeArray(AMP_RT_ELEMENT_I64, {}, {2});
  ASSERT_EQ(getText(writeArchive(getPath("digits.npz"), {{"images", &images},
                                                         {"labels", &labels},
                                                         {"n_train", &split}})),
            "(success)");
  EXPECT_EQ(getLoadError(makeRun()),
            "expected 'images', 'labels' and 'n_train' in 'FOLDER/digits.npz' "
            "to be N x pixels, N and at most N, but got 4x6xi16, 3xi16 and 2");
}

TEST_F(OracleTest, OtherProgramsAreRefused) {
  FakeOptions options = getOptions();
  options.hasTaps = false;
  json::Object run = makeRun();
  run["inject"] = json::Array{};
  EXPECT_EQ(getReplayError(std::move(run), options),
            "expected the program to show its gradients in step 0; compile it "
            "with taps");
  options = getOptions();
  options.hidden = 7;
  EXPECT_EQ(getReplayError(makeRun(), options),
            "expected array 'init/mlp-s1/fc1.weight' in "
            "'FOLDER/weights_and_batches.npz' to have the shape of param "
            "'fc1.weight', 7x6xf32, but got 5x6xf32");
  options = getOptions();
  options.batch = 3;
  EXPECT_EQ(getReplayError(makeRun(), options),
            "expected array 'order/s1-b4' in 'FOLDER/weights_and_batches.npz' "
            "to have batches of 3 rows as the step has, but got 4");
  // A second loss, and an output of another size.
  Oracle oracle = take(load(makeRun()));
  FakeProgram twoLosses(getOptions());
  twoLosses.getTrainResults().push_back(
      makeSpec("loss", "other", AMP_RT_ELEMENT_F32, {}));
  auto ignore = [](const StepRecord &) { return llvm::Error::success(); };
  EXPECT_EQ(getText(replayRun(oracle, oracle.getRuns()[0], ToleranceTable(),
                              twoLosses, ignore)),
            "expected one loss and at most one loss scaler to replay run "
            "'mlp-s1-O0-lsdynamic-sgd', but got 2 and 1");
  run = makeRun();
  run["test_outputs"] = json::Array{json::Array{1, 2}};
  EXPECT_EQ(getReplayError(std::move(run), getOptions()),
            "expected 2 outputs for the first 1 test images of run "
            "'mlp-s1-O0-lsdynamic-sgd', but got 3");
}

//===----------------------------------------------------------------------===//
// The real recording
//===----------------------------------------------------------------------===//

static constexpr const char *kApexRuns =
    AMP_SOURCE_DIR "/test/Inputs/oracles/training_apex.json";

namespace {
class RecordedApexRuns : public ::testing::TestWithParam<const char *> {};
} // namespace

// The fake program is the recorded mlp in f32, so the driver, the batches, the
// weights and the comparison are right if these agree.
TEST_P(RecordedApexRuns, AgreeAtO0) {
  Oracle oracle = take(Oracle::load(kApexRuns, ""));
  const OracleRun &run = *take(oracle.select(GetParam(), ""))[0];
  FakeOptions options;
  options.batch = 32;
  options.inputs = 64;
  options.hidden = 128;
  options.classes = 10;
  options.evaluateBatch = 100;
  const std::string &scale = run.facts.at("loss_scale");
  if (scale == "dynamic") {
    options.scaler = getDynamicScaler();
    for (const auto &[name, value] : run.properties)
      if (name == "min-loss-scale")
        options.scaler->minScale = std::stod(value);
  } else if (scale != "1") {
    options.scaler = getStaticScaler(std::stod(scale));
  }
  FakeProgram program(options);
  ReplayComparison comparison = *take(
      replayRun(oracle, run, oracle.getTolerances(), program,
                [](const StepRecord &) { return llvm::Error::success(); }));
  std::string text;
  llvm::raw_string_ostream os(text);
  printComparison(os, comparison);
  EXPECT_EQ(comparison.getVerdict(), ReplayVerdict::Agree) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Mlp, RecordedApexRuns,
    ::testing::Values("mlp-s1-O0-sgd", "mlp-s1-O0-ls128.0-sgd",
                      "mlp-s2-O0-lsdynamic-sgd",
                      "mlp-s1-O0-lsdynamic-sgd-inj5inf+17nan+18-inf",
                      "mlp-s1-O0-lsdynamic-min32768-sgd-inj5inf+17nan+18-inf"));

TEST(ApexRuns, AreAllRead) {
  Oracle oracle = take(Oracle::load(kApexRuns, ""));
  EXPECT_EQ(oracle.getRuns().size(), 95u);
  std::map<std::string, int> modules;
  for (const OracleRun &run : oracle.getRuns()) {
    ++modules[run.moduleName];
    EXPECT_FALSE(run.optLevel.empty());
    EXPECT_EQ(run.numTestOutputs, 8);
    EXPECT_NE(oracle.getTolerances().find(run.facts), nullptr) << run.id;
  }
  EXPECT_EQ(modules.at("oracle_mlp_sgd") + modules.at("oracle_cnn_adam") +
                modules.at("oracle_cnn_adam_eps1e-4"),
            95);
}
