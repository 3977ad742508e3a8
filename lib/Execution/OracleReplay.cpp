//===- OracleReplay.cpp - Recorded runs, run again ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NaN takes part in the comparison: some recorded runs diverge (a static scale
// lets an injected infinity through; at O3 Adam's 1e-8 is 0 in f16), and the
// replay has to diverge at the same step. So equal non-finite values have
// distance 0, and a non-finite value is infinitely far from a finite one.
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
// Tolerances
//===----------------------------------------------------------------------===//

namespace {

/// A row of the table in the recording's README. Absent numbers are shown but
/// not compared.
struct Tolerance {
  const char *name;
  /// Absolute, on the loss: of step 0, of steps 0 to 9, of all steps.
  std::optional<double> firstStep, firstTen, all;
  /// Relative.
  std::optional<double> gradNorm, masterNorm;
  /// Absolute.
  std::optional<double> testAccuracy, testOutputs;
};

// Convolution biases before a batch norm have a true gradient of zero, and Adam
// makes steps of their rounding noise: hence the wide 0.5 on cnn's outputs.
// clang-format off
//                        row                                  step 0  0-9   all  norm  master acc.  outputs
const Tolerance kO0Mlp = {"O0, mlp",                           1e-5, 1e-5, 1e-5, 1e-5, 1e-3, 0.02, {}};
const Tolerance kO0Cnn = {"O0, cnn",                           1e-5, 1e-5, 2e-3, 1e-2, 1e-3, 0.03, 0.5};
const Tolerance kO1Mlp = {"O1, O2, mlp",                       1e-3, 1e-3, 5e-3, 5e-2, 1e-3, 0.02, {}};
const Tolerance kO3Mlp = {"O3, mlp",                           2e-3, 2e-3, 1e-2, 5e-2, 1e-3, 0.02, {}};
const Tolerance kO1Cnn = {"O1, O2, cnn, static 128 or seed 2", 1e-3, 2e-3, 1e-2, 1e-1, 1e-3, 0.03, 0.5};
const Tolerance kO3Cnn = {"O3, cnn, adam eps 1e-4",            2e-3, 1e-2, 3e-2, 1e-1, 1e-3, 0.03, 0.5};
// Not in the README: what is left of a run whose scale may differ.
const Tolerance kO1CnnFirstStep =
                         {"O1, O2, cnn, seed 1: step 0 only",  1e-3, {},   {},   {},   {},   {},   {}};
// clang-format on

} // namespace

/// The row for `run`, or null if its level and model are on no row.
static const Tolerance *getTolerance(const OracleRun &run) {
  const bool isMlp = run.model == "mlp";
  if (!isMlp && run.model != "cnn")
    return nullptr;
  if (run.optLevel == "O0")
    return isMlp ? &kO0Mlp : &kO0Cnn;
  if (run.optLevel == "O3")
    return isMlp ? &kO3Mlp : &kO3Cnn;
  if (run.optLevel != "O1" && run.optLevel != "O2")
    return nullptr;
  if (isMlp)
    return &kO1Mlp;
  const bool isStatic128 = !run.isDynamic && run.staticScale == 128;
  return isStatic128 || run.seed == 2 ? &kO1Cnn : &kO1CnnFirstStep;
}

/// What the README says about runs that cannot be compared in full.
static std::string getCaveat(const OracleRun &run) {
  if (run.model == "cnn" && run.seed == 1 && run.isDynamic &&
      run.optLevel != "O0")
    return "one gradient at scale 65536 is right at the f16 limit, so an early "
           "overflow may or may not occur; compare by static 128 or seed 2";
  return "";
}

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

namespace {

/// The start weights of a run. All parameters are recorded; optimizer state and
/// buffers start from their defaults, as they did in Apex.
class RecordedWeights : public GivenValues {
public:
  RecordedWeights(const ArrayArchive &archive, const OracleRun &run)
      : archive(archive),
        prefix("init/" + run.model + "-s" + std::to_string(run.seed) + "/") {}

  Expected<std::optional<Value>> find(StringRef role, StringRef name) override {
    const std::string array = prefix + name.str();
    if (role != "param" || !archive.contains(array))
      return std::nullopt;
    Expected<HostArray> value = archive.read(array);
    if (!value)
      return value.takeError();
    return Value{
        std::move(*value),
        (Twine("array '") + array + "' in '" + archive.getPath() + "'").str()};
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

/// |a - b|, where equal non-finite values are equal.
static double getDistance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  if (!std::isfinite(a) || !std::isfinite(b))
    return std::numeric_limits<double>::infinity();
  return std::fabs(a - b);
}

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
  if (got.gradNorm && want.gradNorm)
    gradNorm =
        std::max(gradNorm, getRelativeDistance(*got.gradNorm, *want.gradNorm));

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
static double getMasterNorm(const TrainingState &state) {
  double sum = 0;
  for (const auto &[key, array] : state) {
    const bool isHeld =
        key.first == "master" ||
        (key.first == "param" && !state.count({"master", key.second}));
    for (int64_t i = 0, e = isHeld ? array.getNumElements() : 0; i < e; ++i)
      sum += array.getAsDouble(i) * array.getAsDouble(i);
  }
  return std::sqrt(sum);
}

/// Adds what the final state shows: norm, and scores on the test images.
static Error addFinalDistances(const Oracle &oracle, const OracleRun &run,
                               const Tolerance &tolerance,
                               const TrainingLoop &loop,
                               std::vector<OracleDistance> &distances) {
  const double norm = getMasterNorm(loop.getState());
  // Diverged weights hold inf or NaN by accident of the order of operations.
  const bool bothDiverged =
      !std::isfinite(norm) && !std::isfinite(run.finalMasterNorm);
  distances.push_back(
      {"master norm, relative",
       bothDiverged ? 0 : getRelativeDistance(norm, run.finalMasterNorm),
       tolerance.masterNorm});
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
  distances.push_back({"first test outputs", outputs, tolerance.testOutputs});
  if (!evaluation->accuracy)
    return Error::success();
  distances.push_back({"test accuracy",
                       getDistance(*evaluation->accuracy, run.testAccuracy),
                       tolerance.testAccuracy});
  distances.push_back({"test loss",
                       getDistance(*evaluation->crossEntropy, run.testLoss),
                       std::nullopt});
  return Error::success();
}

Expected<OracleComparison> mlir::amp::replayRun(const Oracle &oracle,
                                                const OracleRun &run,
                                                Program &program,
                                                StepObserver observe) {
  const Tolerance *tolerance = getTolerance(run);
  if (!tolerance)
    return createStringError(
        Twine("expected a run of mlp or cnn at O0 to O3, "
              "for which there are tolerances, but run '") +
        run.id + "' is " + run.model + " at " + run.optLevel);
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
  TrainingLoop::Options options;
  options.numSteps = int64_t(run.steps.size());
  options.injections = run.injections;
  Expected<std::unique_ptr<TrainingLoop>> loop = TrainingLoop::create(
      program, **batches, std::move(*state), std::move(options));
  if (!loop)
    return loop.takeError();

  DistanceMeter meter;
  Expected<RunSummary> summary =
      runTraining(**loop, [&](const StepRecord &record, double) -> Error {
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
      });
  if (!summary)
    return summary.takeError();

  OracleComparison comparison;
  comparison.id = run.id;
  comparison.toleranceRow = tolerance->name;
  comparison.scalerDifference = meter.scalerDifference;
  comparison.caveat = getCaveat(run);
  comparison.distances = {
      {"loss, step 0", meter.firstStep, tolerance->firstStep},
      {"loss, steps 0 to 9", meter.firstTen, tolerance->firstTen},
      {"loss, all steps", meter.all, tolerance->all},
      {"gradient norm, relative", meter.gradNorm, tolerance->gradNorm}};
  if (Error error = addFinalDistances(oracle, run, *tolerance, **loop,
                                      comparison.distances))
    return error;
  return comparison;
}

//===----------------------------------------------------------------------===//
// Verdict
//===----------------------------------------------------------------------===//

static bool isInside(const OracleDistance &distance) {
  return !distance.tolerance || distance.distance <= *distance.tolerance;
}

OracleVerdict OracleComparison::getVerdict() const {
  if (scalerDifference.empty() && llvm::all_of(distances, isInside))
    return OracleVerdict::Agree;
  // The caveats are about what happens once scales have parted; before the
  // first update there is no excuse.
  const bool isFirstStepInside = distances.empty() || isInside(distances[0]);
  return caveat.empty() || !isFirstStepInside ? OracleVerdict::Disagree
                                              : OracleVerdict::NotComparable;
}

void mlir::amp::printComparison(llvm::raw_ostream &os,
                                const OracleComparison &comparison) {
  os << comparison.id << " (" << comparison.toleranceRow << ")\n";
  for (const OracleDistance &distance : comparison.distances) {
    os << "  " << llvm::left_justify(distance.quantity, 26)
       << llvm::format("%-10.3g", distance.distance);
    if (distance.tolerance)
      os << "tolerance " << llvm::format("%g", *distance.tolerance)
         << (isInside(distance) ? "" : "  OUTSIDE");
    os << '\n';
  }
  os << "  " << llvm::left_justify("scales and skipped steps", 26)
     << (comparison.scalerDifference.empty()
             ? "equal"
             : "DIFFERENT, " + comparison.scalerDifference)
     << '\n';
  switch (comparison.getVerdict()) {
  case OracleVerdict::Agree:
    os << "  agrees\n";
    return;
  case OracleVerdict::Disagree:
    os << "  DISAGREES\n";
    return;
  case OracleVerdict::NotComparable:
    os << "  not comparable: " << comparison.caveat << '\n';
    return;
  }
}
