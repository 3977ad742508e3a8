//===- OracleReplay.cpp - Recorded runs, run again ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The final state is compared three times: its norm, what it predicts on the
// test images, and, where the recording has final weights, the updates.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/OracleReplay.h"
#include "amp/Execution/Evaluation.h"
#include "amp/Execution/StartValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

/// What the names of a run's start weights begin with.
static std::string getStartPrefix(const OracleRun &run) {
  return "init/" + run.model + "-s" + std::to_string(run.seed) + "/";
}

namespace {

/// The start weights of a run. All parameters are recorded; optimizer state and
/// buffers start from their defaults, as they did in Apex.
class RecordedWeights : public GivenValues {
public:
  RecordedWeights(const ArrayArchive &archive, const OracleRun &run)
      : archive(archive), prefix(getStartPrefix(run)) {}

  std::optional<Value> find(StringRef role, StringRef name) override {
    const std::string array = prefix + name.str();
    if (role != "param" || !archive.contains(array))
      return std::nullopt;
    return Value{&archive, array};
  }

  Error explainMissing(const ValueSpec &spec) override {
    if (spec.role != "param" && spec.role != "master")
      return Error::success();
    return createStringError(Twine("expected an array '") + prefix + spec.name +
                             "' in '" + archive.getPath() +
                             "'; is this the module of the run?");
  }

private:
  const ArrayArchive &archive;
  std::string prefix;
};

/// The largest distances so far.
class DistanceMeter {
public:
  void add(const OracleStep &want, const StepRecord &got);

  double firstStep = 0, firstTen = 0, all = 0, gradNorm = 0;
  std::string scalerDifference;
};

} // namespace

static double getRelativeDistance(double got, double want) {
  const double distance = getDistance(got, want);
  return want != 0 && std::isfinite(distance) && std::isfinite(want)
             ? distance / std::fabs(want)
             : distance;
}

void DistanceMeter::add(const OracleStep &want, const StepRecord &got) {
  const double loss = getDistance(got.losses.front().second, want.loss);
  if (got.step == 0)
    firstStep = loss;
  if (got.step < 10)
    firstTen = std::max(firstTen, loss);
  all = std::max(all, loss);
  // A norm that is missing is no agreement.
  if (want.gradNorm && !want.skipped)
    gradNorm = std::max(gradNorm,
                        got.gradNorm
                            ? getRelativeDistance(*got.gradNorm, *want.gradNorm)
                            : std::numeric_limits<double>::infinity());

  const ScalerRecord &scaler = got.scalers.front();
  // Recorded with nine digits, which give back an f32 and not every f64.
  auto isSame = [](double a, double b) {
    return static_cast<float>(a) == static_cast<float>(b);
  };
  const bool isEqual = isSame(scaler.scaleBefore, want.scaleBefore) &&
                       isSame(scaler.scaleAfter, want.scaleAfter) &&
                       scaler.unskipped == want.unskipped &&
                       scaler.skipped == want.skipped;
  if (isEqual || !scalerDifference.empty())
    return;
  auto print = [](llvm::raw_ostream &os, double before, double after,
                  int64_t unskipped, bool skipped) {
    os << "scale " << llvm::format("%g", before) << " to "
       << llvm::format("%g", after) << ", unskipped " << unskipped
       << (skipped ? ", skipped" : ", not skipped");
  };
  llvm::raw_string_ostream os(scalerDifference);
  os << "step " << got.step << ": ";
  print(os, scaler.scaleBefore, scaler.scaleAfter, scaler.unskipped,
        scaler.skipped);
  os << "; recorded: ";
  print(os, want.scaleBefore, want.scaleAfter, want.unskipped, want.skipped);
}

/// L2 norm over what the optimizer holds: masters, and parameters without one.
static Expected<double> getMasterNorm(const TrainingState &state) {
  double sum = 0;
  for (const auto &[key, array] : state) {
    const bool isHeld =
        key.first == "master" ||
        (key.first == "param" && !state.count({"master", key.second}));
    if (!isHeld)
      continue;
    if (Error error = array.fetch())
      return std::move(error);
    for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
      sum += array.getAsDouble(i) * array.getAsDouble(i);
  }
  return std::sqrt(sum);
}

/// Adds what the final state shows: norm, and scores on the test images.
static Error addFinalDistances(const Oracle &oracle, const OracleRun &run,
                               const TrainingLoop &loop,
                               ReplayComparison &comparison) {
  Expected<double> norm = getMasterNorm(loop.getState());
  if (!norm)
    return norm.takeError();
  // Diverged weights hold inf or NaN by accident of the order of operations.
  const bool bothDiverged =
      !std::isfinite(*norm) && !std::isfinite(run.finalMasterNorm);
  comparison.add(
      quantity::kMasterNorm,
      bothDiverged ? 0 : getRelativeDistance(*norm, run.finalMasterNorm));
  if (!loop.getProgram().getEvaluate())
    return Error::success();

  Expected<Evaluation> evaluation =
      evaluate(loop.getProgram(), loop.getState(), oracle.getTestData(),
               run.numTestOutputs);
  if (!evaluation) {
    // torch-mlir asserts that no divisor is zero with a comparison that NaN
    // fails, so a model of NaNs cannot be evaluated. Apex's outputs are NaN.
    if (!bothDiverged)
      return evaluation.takeError();
    llvm::consumeError(evaluation.takeError());
    return Error::success();
  }
  double outputs = 0;
  if (evaluation->firstOutputs.size() != run.testOutputs.size())
    return createStringError(
        Twine("expected ") + Twine(run.testOutputs.size()) +
        " outputs for the first " + Twine(run.numTestOutputs) +
        " test images of run '" + run.id + "', but got " +
        Twine(evaluation->firstOutputs.size()));
  for (auto [got, want] :
       llvm::zip_equal(evaluation->firstOutputs, run.testOutputs))
    outputs = std::max(outputs, getDistance(got, want));
  comparison.add(quantity::kTestOutputs, outputs);
  if (!evaluation->accuracy)
    return Error::success();
  comparison.add(quantity::kTestAccuracy,
                 getDistance(*evaluation->accuracy, run.testAccuracy));
  comparison.add(quantity::kTestLoss,
                 getDistance(*evaluation->crossEntropy, run.testLoss));
  return Error::success();
}

/// The final weights of a run, where they were recorded.
static Expected<std::vector<RecordedUpdate>>
readFinalWeights(const ArrayArchive &archive, const OracleRun &run,
                 llvm::ArrayRef<ValueSpec> arguments) {
  std::vector<RecordedUpdate> updates;
  for (const ValueSpec &spec : arguments) {
    const bool isBuffer = spec.role == "buffer";
    // A step with masters has half copies of the same name.
    const bool isHeld =
        spec.role == "param" &&
        llvm::none_of(arguments, [&](const ValueSpec &other) {
          return other.role == "master" && other.name == spec.name;
        });
    const std::string array = run.finalWeightsKey + "/" + spec.name;
    if (run.finalWeightsKey.empty() ||
        !(isBuffer || isHeld || spec.role == "master") ||
        !archive.contains(array))
      continue;
    RecordedUpdate update{isBuffer ? "buffer" : "param", spec.name,
                          std::nullopt, HostArray()};
    Expected<HostArray> end = archive.read(array);
    if (!end)
      return end.takeError();
    update.end = std::move(*end);
    if (const std::string init = getStartPrefix(run) + spec.name;
        !isBuffer && archive.contains(init)) {
      Expected<HostArray> start = archive.read(init);
      if (!start)
        return start.takeError();
      update.start = std::move(*start);
    }
    updates.push_back(std::move(update));
  }
  return updates;
}

ReplayComparison mlir::amp::makeUnreplayed(const OracleRun &run) {
  ReplayComparison comparison;
  comparison.id = run.id;
  comparison.notReplayed = run.notReplayed;
  return comparison;
}

Expected<std::optional<ReplayComparison>>
mlir::amp::replayRun(const Oracle &oracle, const OracleRun &run,
                     const ToleranceTable &tolerances, Program &program,
                     StepObserver observe, const std::atomic<bool> *stop) {
  assert(run.notReplayed.empty() && "ask before compiling");
  llvm::ArrayRef<ValueSpec> arguments = program.getTrainStep().getArguments();
  RecordedWeights weights(oracle.getWeights(), run);
  Expected<TrainingState> state =
      makeStartValues(arguments, &weights, /*seed=*/0);
  if (!state)
    return state.takeError();

  const std::string orderName = "order/s" + std::to_string(run.seed) + "-b" +
                                std::to_string(run.batchSize);
  Expected<HostArray> order = oracle.getWeights().read(orderName);
  if (!order)
    return order.takeError();
  Expected<std::unique_ptr<BatchSource>> batches =
      makeOrderedSource(oracle.getTrainingData(), arguments, *order,
                        (Twine("array '") + orderName + "' in '" +
                         oracle.getWeights().getPath() + "'")
                            .str());
  if (!batches)
    return batches.takeError();
  Expected<std::vector<RecordedUpdate>> updates =
      readFinalWeights(oracle.getWeights(), run, arguments);
  if (!updates)
    return updates.takeError();
  const TrainingState start = cloneUpdatedValues(*state, *updates);
  TrainingLoop::Options options;
  options.numSteps = int64_t(run.steps.size());
  options.injections = run.injections;
  Expected<std::unique_ptr<TrainingLoop>> loop = TrainingLoop::create(
      program, **batches, std::move(*state), std::move(options));
  if (!loop)
    return loop.takeError();

  DistanceMeter meter;
  Expected<RunSummary> summary = runTraining(
      **loop,
      [&](const StepRecord &record, const RunSummary &) -> Error {
        if (record.losses.size() != 1 || record.scalers.size() != 1)
          return createStringError(
              Twine("expected one loss and at most one loss scaler to replay "
                    "run '") +
              run.id + "', but got " + Twine(record.losses.size()) + " and " +
              Twine(record.scalers.size()));
        const OracleStep &want = run.steps[record.step];
        if (want.gradNorm && !record.gradNorm && !record.isSkipped())
          return createStringError(
              Twine("expected the program to show its gradients in step ") +
              Twine(record.step) + "; compile it with taps");
        meter.add(want, record);
        return observe(record);
      },
      stop);
  if (!summary)
    return summary.takeError();
  if (summary->isStopped)
    return std::nullopt;

  ReplayComparison comparison;
  comparison.id = run.id;
  comparison.tolerances = tolerances.find(run.facts);
  comparison.hasScalers = true;
  comparison.scalerDifference = meter.scalerDifference;
  comparison.add(quantity::kFirstLoss, meter.firstStep);
  comparison.add(quantity::kFirstTenLosses, meter.firstTen);
  comparison.add(quantity::kLosses, meter.all);
  comparison.add(quantity::kGradNorm, meter.gradNorm);
  if (Error error = addFinalDistances(oracle, run, **loop, comparison))
    return error;
  if (Error error =
          addUpdateDistances(comparison, *updates, start, (*loop)->getState()))
    return error;
  return comparison;
}
