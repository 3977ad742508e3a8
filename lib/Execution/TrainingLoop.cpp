//===- TrainingLoop.cpp - Steps of a compiled program ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/TrainingLoop.h"
#include "amp-rt/Scaler.h"
#include "amp/Execution/ArrayBinding.h"
#include "amp/Support/ByteCount.h"
#include "amp/Support/Quantities.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cmath>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

using Clock = std::chrono::steady_clock;

static double getSeconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

bool StepRecord::isSkipped() const {
  return llvm::any_of(
      scalers, [](const ScalerRecord &scaler) { return scaler.skipped; });
}

//===----------------------------------------------------------------------===//
// Injection
//===----------------------------------------------------------------------===//

Expected<Injection> mlir::amp::parseInjection(StringRef text) {
  Injection injection;
  auto [stepText, rest] = text.split(':');
  auto [nameAndIndex, valueText] = rest.rsplit(':');
  auto [name, indexText] = nameAndIndex.rsplit(':');
  injection.name = name.str();
  if (stepText.getAsInteger(10, injection.step) || injection.step < 0 ||
      name.empty() || indexText.getAsInteger(10, injection.index) ||
      injection.index < 0 || valueText.getAsDouble(injection.value))
    return createStringError(
        Twine("expected an injection STEP:NAME:INDEX:VALUE such as "
              "5:fc1.weight:3:inf, but got '") +
        text + "'");
  return injection;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Error checkRoles(const FunctionSignature &function) {
  for (auto [index, spec] : llvm::enumerate(function.arguments))
    if (spec.role != "batch" && spec.role != "loss_seed" &&
        !isStateRole(spec.role))
      return createStringError(
          Twine("expected the arguments of '") + function.name +
          "' to have a role that can be fed (param, master, buffer, "
          "opt_state, batch, loss_seed, accumulator, rng or hyper), but "
          "argument " +
          (spec.name.empty() ? std::to_string(index) : "'" + spec.name + "'") +
          " has " + (spec.role.empty() ? "none" : "'" + spec.role + "'"));
  return Error::success();
}

static Error checkResults(const FunctionSignature &function) {
  for (const ValueSpec &result : function.results) {
    if (result.role == "loss" && !result.shape.empty())
      return createStringError(Twine("expected ") + describeArgument(result) +
                               " of '" + function.name +
                               "' to be a scalar, but got " +
                               getTypeString(result.elementKind, result.shape));
    const auto *argument =
        llvm::find_if(function.arguments, [&](const ValueSpec &spec) {
          return spec.role == result.role && spec.name == result.name;
        });
    if (!isStateRole(result.role) || argument == function.arguments.end())
      continue;
    if (argument->elementKind != result.elementKind ||
        argument->shape != result.shape)
      return createStringError(
          Twine("expected ") + describeArgument(result) + " of '" +
          function.name + "' to have the type " +
          getTypeString(argument->elementKind, argument->shape) +
          " as argument and as result, but the result is " +
          getTypeString(result.elementKind, result.shape));
  }
  return Error::success();
}

static Error checkInjections(const FunctionSignature &function,
                             const TrainingLoop::Options &options) {
  // Gradients belong to what the step trains: its param and master results.
  auto isTrained = [](const ValueSpec &spec) {
    return spec.role == "param" || spec.role == "master";
  };
  for (const Injection &injection : options.injections) {
    if (injection.step >= options.numSteps)
      return createStringError(
          Twine("expected the step of injection '") + injection.name +
          "' to be below " + Twine(options.numSteps) +
          ", the number of steps, but got " + Twine(injection.step));
    const auto *spec =
        llvm::find_if(function.results, [&](const ValueSpec &result) {
          return isTrained(result) && result.name == injection.name;
        });
    if (spec == function.results.end()) {
      std::string names;
      for (const ValueSpec &result : function.results)
        if (isTrained(result) &&
            !StringRef(names).contains("'" + result.name + "'"))
          names += (names.empty() ? "'" : ", '") + result.name + "'";
      return createStringError(
          Twine("expected an injection to name a trained parameter (") + names +
          "), but got '" + injection.name + "'");
    }
    if (llvm::any_of(spec->shape, [](int64_t extent) { return extent < 0; }))
      continue; // known when the gradient is there
    // Every index is below a size that 63 bits do not hold.
    const std::optional<int64_t> size = countBytes(spec->shape, 1);
    if (size && injection.index >= *size)
      return createStringError(
          Twine("expected the index of injection '") + injection.name +
          "' to be below " + Twine(*size) +
          ", the size of the gradient, but got " + Twine(injection.index));
  }
  return Error::success();
}

Error mlir::amp::checkTrainStep(const FunctionSignature &trainStep,
                                const BatchSource &batches,
                                const TrainingLoop::Options &options) {
  std::optional<int64_t> available = batches.getNumSteps();
  if (available && options.numSteps > *available)
    return createStringError(Twine("expected at most ") + Twine(*available) +
                             " steps, as many as " + batches.describe() +
                             " has batches for, but got " +
                             Twine(options.numSteps));
  if (Error error = checkRoles(trainStep))
    return error;
  if (Error error = checkResults(trainStep))
    return error;
  return checkInjections(trainStep, options);
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

TrainingLoop::TrainingLoop(Program &program, BatchSource &batches,
                           TrainingState state, Options options)
    : program(program), batches(batches), state(std::move(state)),
      options(std::move(options)) {
  program.setTap([this](const Tap &tap) { onTap(tap); });
}

TrainingLoop::~TrainingLoop() { program.setTap(nullptr); }

Expected<std::unique_ptr<TrainingLoop>>
TrainingLoop::create(Program &program, BatchSource &batches,
                     TrainingState state, Options options) {
  if (Error error = checkTrainStep(program.getTrainStep().getSignature(),
                                   batches, options))
    return error;
  if (!options.injections.empty() && program.getScalers().empty())
    return createStringError(
        Twine("expected a program that unscales gradients to inject '") +
        options.injections.front().name +
        "' into, but it has no loss scale; set e.g. 'loss-scale=dynamic'");
  std::unique_ptr<TrainingLoop> loop(
      new TrainingLoop(program, batches, std::move(state), std::move(options)));
  if (Error error = loop->bindArguments())
    return error;
  loop->bindResults();
  return loop;
}

/// An array of ones for a `loss_seed` argument.
static HostArray makeSeed(const ValueSpec &spec) {
  HostArray seed(spec.elementKind, spec.shape);
  for (int64_t i = 0, e = seed.getNumElements(); i < e; ++i)
    seed.setFromDouble(i, 1);
  return seed;
}

Error TrainingLoop::bindArguments() {
  size_t numBatchArguments = 0;
  for (const ValueSpec &spec : program.getTrainStep().getArguments()) {
    ArgumentSource source;
    if (spec.role == "batch") {
      source.kind = ArgumentSource::BatchArray;
      source.batchIndex = numBatchArguments++;
    } else if (spec.role == "loss_seed") {
      source.kind = ArgumentSource::Seed;
      seeds.push_back(makeSeed(spec));
    } else {
      source.kind = ArgumentSource::State;
      auto found = state.find({spec.role, spec.name});
      if (found == state.end())
        return createStringError(Twine("expected a start value for ") +
                                 describeArgument(spec));
      source.value = &found->second;
    }
    arguments.push_back(source);
  }
  return Error::success();
}

void TrainingLoop::bindResults() {
  for (const ValueSpec &result : program.getTrainStep().getResults()) {
    auto found = state.find({result.role, result.name});
    const bool isCarried = isStateRole(result.role) && found != state.end();
    carried.push_back(isCarried ? &found->second : nullptr);
  }
}

//===----------------------------------------------------------------------===//
// Taps
//===----------------------------------------------------------------------===//

static double getSumOfSquares(const Tap &tap) {
  double sum = 0;
  if (tap.elementKind == AMP_RT_ELEMENT_F32) {
    // The usual case, and in a large model the only one whose time shows.
    const float *values = static_cast<const float *>(tap.data);
    for (int64_t i = 0; i < tap.numElements; ++i)
      sum += double(values[i]) * double(values[i]);
    return sum;
  }
  for (int64_t i = 0; i < tap.numElements; ++i) {
    const double value = loadElement(tap.elementKind, tap.data, i);
    sum += value * value;
  }
  return sum;
}

void TrainingLoop::onTap(const Tap &tap) {
  if (tap.point == "grad") {
    squares[tap.name.str()] = getSumOfSquares(tap);
    return;
  }
  if (tap.point != "scaled_grad")
    return;
  for (size_t i = 0; i < options.injections.size(); ++i) {
    const Injection &injection = options.injections[i];
    // A gradient that several losses contribute to is shown once per loss; the
    // first one takes the value.
    if (injection.step != nextStep || injected[i] || injection.name != tap.name)
      continue;
    if (injection.index >= tap.numElements) {
      tapError =
          (Twine("expected the index of injection '") + injection.name +
           "' to be below " + Twine(tap.numElements) +
           ", the size of the gradient, but got " + Twine(injection.index))
              .str();
      continue;
    }
    storeElement(tap.elementKind, tap.data, injection.index, injection.value);
    injected[i] = true;
  }
}

Error TrainingLoop::takeTapErrors() {
  if (!tapError.empty())
    return createStringError(Twine(tapError));
  for (size_t i = 0; i < options.injections.size(); ++i)
    if (options.injections[i].step == nextStep && !injected[i])
      return createStringError(
          Twine("expected the program to unscale the gradient '") +
          options.injections[i].name + "' in step " + Twine(nextStep) +
          ", where a value was to be injected, but it did not; injection needs "
          "a loss scale, set e.g. 'loss-scale=dynamic'");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static Expected<AmpRtScalerState> readState(const AmpRtScaler *scaler) {
  AmpRtScalerState state;
  state.structSize = sizeof(state);
  if (ampRtScalerGetState(scaler, &state) != AMP_RT_OK)
    return createStringError(Twine(ampRtStatusText()));
  return state;
}

/// A failed assertion of the program knows neither step nor data. Most are
/// gathers with an index that a batch holds.
Error TrainingLoop::explainFailure(Error error) const {
  std::string names;
  for (const ValueSpec &spec : program.getTrainStep().getArguments())
    if (spec.role == "batch" && !isFloatKind(spec.elementKind))
      names += (names.empty() ? "'" : ", '") + spec.name + "'";
  return createStringError(
      Twine("step ") + Twine(nextStep) + " on " + batches.describe() +
      " failed: " + llvm::toString(std::move(error)) +
      (names.empty() ? "" : "; are the integers of " + names + " in range?"));
}

Expected<StepRecord> TrainingLoop::runStep() {
  assert(nextStep < options.numSteps && "no step is left");
  Expected<Batch> batch = batches.getBatch(nextStep);
  if (!batch)
    return batch.takeError();

  llvm::SmallVector<const HostArray *> values;
  size_t nextSeed = 0;
  for (const ArgumentSource &source : arguments) {
    switch (source.kind) {
    case ArgumentSource::State:
      values.push_back(source.value);
      break;
    case ArgumentSource::BatchArray:
      values.push_back(&(*batch)[source.batchIndex]);
      break;
    case ArgumentSource::Seed:
      values.push_back(&seeds[nextSeed++]);
      break;
    }
  }

  StepRecord record;
  record.step = nextStep;
  std::vector<AmpRtScalerState> before;
  for (const Program::ScalerSlot &slot : program.getScalers()) {
    Expected<AmpRtScalerState> scaler = readState(slot.scaler);
    if (!scaler)
      return scaler.takeError();
    before.push_back(*scaler);
  }

  squares.clear();
  tapError.clear();
  injected.assign(options.injections.size(), false);
  llvm::SmallVector<HostArray> results;
  const Clock::time_point start = Clock::now();
  if (Error error = program.getTrainStep().call(values, results))
    return explainFailure(std::move(error));
  record.seconds = getSeconds(start, Clock::now());
  record.peakBytes = program.getMemoryReport().getTotalPeak();
  if (Error error = takeTapErrors())
    return error;

  for (auto [slot, was] : llvm::zip_equal(program.getScalers(), before)) {
    Expected<AmpRtScalerState> is = readState(slot.scaler);
    if (!is)
      return is.takeError();
    record.scalers.push_back({slot.name, was.scale, is->scale, is->unskipped,
                              is->skipped > was.skipped});
  }
  if (record.scalers.empty())
    record.scalers.emplace_back();

  // The state changes as a whole, once nothing can fail any more.
  for (auto [result, spec] :
       llvm::zip_equal(results, program.getTrainStep().getResults())) {
    if (spec.role != "loss")
      continue;
    if (Error error = result.fetch())
      return explainFailure(std::move(error));
    record.losses.emplace_back(spec.name, result.getAsDouble(0));
  }
  for (auto [result, place] : llvm::zip_equal(results, carried))
    if (place)
      *place = std::move(result);
  if (!squares.empty() && !record.isSkipped()) {
    double sum = 0;
    for (const auto &[name, square] : squares)
      sum += square;
    record.gradNorm = std::sqrt(sum);
  }
  ++nextStep;
  return record;
}

//===----------------------------------------------------------------------===//
// A whole run
//===----------------------------------------------------------------------===//

Expected<RunSummary> mlir::amp::runTraining(TrainingLoop &loop,
                                            RunObserver observe,
                                            const std::atomic<bool> *stop) {
  RunSummary summary;
  const Clock::time_point start = Clock::now();
  while (loop.getStep() < loop.getNumSteps()) {
    summary.isStopped = stop && stop->load();
    if (summary.isStopped)
      break;
    const Clock::time_point stepStart = Clock::now();
    Expected<StepRecord> record = loop.runStep();
    if (!record)
      return record.takeError();
    const Clock::time_point stepEnd = Clock::now();
    const double taken = getSeconds(stepStart, stepEnd);
    (summary.steps == 0 ? summary.firstStepSeconds : summary.otherSeconds) +=
        taken;
    ++summary.steps;
    summary.skipped += record->isSkipped();
    summary.peakBytes = std::max(summary.peakBytes, record->peakBytes);
    summary.totalSeconds = getSeconds(start, stepEnd);
    if (Error error = observe(*record, summary))
      return error;
  }
  summary.memory = loop.getProgram().getMemoryReport();
  return summary;
}

std::string RunSummary::getRateText() const {
  return steps > 1 ? formatRate(double(steps - 1), otherSeconds, "step")
                   : formatRate(double(steps), firstStepSeconds, "step");
}

void mlir::amp::printSummary(llvm::raw_ostream &os, const RunSummary &summary,
                             Program &program) {
  os << summary.steps << " steps, " << summary.skipped << " skipped";
  if (summary.steps > 0)
    os << ", " << summary.getRateText() << " (first step "
       << formatSeconds(summary.firstStepSeconds) << ")";
  os << "\nmemory: intermediate buffers "
     << formatBytes(summary.memory.peakBytes) << ", arguments "
     << formatBytes(summary.memory.argumentBytes) << ", results "
     << formatBytes(summary.memory.resultBytes) << "; peak "
     << formatBytes(summary.peakBytes) << '\n';

  // So many overflows in a row at the lowest scale are no accident any more.
  constexpr int64_t kPatience = 10;
  for (const Program::ScalerSlot &slot : program.getScalers()) {
    AmpRtScalerVerdict verdict = AMP_RT_SCALER_HEALTHY;
    const char *text = nullptr;
    if (ampRtScalerHealth(slot.scaler, kPatience, &verdict, &text) !=
        AMP_RT_OK) {
      os << "warning: " << ampRtStatusText() << '\n';
      continue;
    }
    if (verdict != AMP_RT_SCALER_HEALTHY &&
        verdict != AMP_RT_SCALER_BACKING_OFF)
      os << "warning: " << text << '\n';
  }
}
