//===-- Measurement.cpp - Numbers first, then times ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times are the device's own, between two events around enough runs to make the
// events' resolution small. Kernel and baseline take turns, so that a clock
// that changes changes both. Data are random, as zeros and small integers take
// less power and so run faster, and enough sets of it are taken in turn that
// none is found in the cache.
//
//===----------------------------------------------------------------------===//

#include "Measurement.h"
#include "amp-rt/Event.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>

using namespace amp::bench;

double Times::median() const {
  std::vector<double> sorted = rounds;
  std::sort(sorted.begin(), sorted.end());
  size_t half = sorted.size() / 2;
  return sorted.empty()           ? 0
         : sorted.size() % 2 == 1 ? sorted[half]
                                  : (sorted[half - 1] + sorted[half]) / 2;
}
double Times::least() const {
  return rounds.empty() ? 0 : *std::min_element(rounds.begin(), rounds.end());
}
double Times::most() const {
  return rounds.empty() ? 0 : *std::max_element(rounds.begin(), rounds.end());
}

namespace {

using Run = std::function<std::string(size_t set)>;

/// Two events, and the time between them.
class Stopwatch {
public:
  ~Stopwatch() {
    ampRtEventDestroy(start);
    ampRtEventDestroy(end);
  }
  std::string open(AmpRtDevice *device) {
    if (ampRtEventCreate(device, &start) != AMP_RT_OK ||
        ampRtEventCreate(device, &end) != AMP_RT_OK)
      return ampRtStatusText();
    return "";
  }
  /// Milliseconds of one run, the mean of `count` in a row.
  std::string time(const Run &run, size_t sets, int count, double &result) {
    if (ampRtEventRecord(start) != AMP_RT_OK)
      return ampRtStatusText();
    for (int i = 0; i < count; ++i) {
      std::string failure = run(static_cast<size_t>(i) % sets);
      if (!failure.empty())
        return failure;
    }
    double milliseconds = 0;
    if (ampRtEventRecord(end) != AMP_RT_OK ||
        ampRtEventElapsed(start, end, &milliseconds) != AMP_RT_OK)
      return ampRtStatusText();
    result = milliseconds / count;
    return "";
  }

private:
  AmpRtEvent *start = nullptr, *end = nullptr;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static int64_t bytesOf(const Tensor &tensor) {
  return tensor.elements * typeBytes(tensor.type);
}

static std::string allocateTensors(const Problem &problem, TensorSet &set) {
  std::string failure =
      set.allocate(problem.output.name, bytesOf(problem.output));
  for (const Tensor &input : problem.inputs)
    if (failure.empty())
      failure = set.allocate(input.name, bytesOf(input));
  return failure;
}

static std::string poison(const Problem &problem, TensorSet &set) {
  return set.write(
      problem.output.name,
      std::vector<unsigned char>(
          static_cast<size_t>(set.bytesOf(problem.output.name)), kPoison));
}

static std::string writeIntegers(const Problem &problem, TensorSet &set) {
  std::string failure = poison(problem, set);
  for (const Tensor &input : problem.inputs)
    if (failure.empty())
      failure = set.write(input.name, problem.fill(input));
  return failure;
}

/// Uniform between -1 and 1; `seed` tells sets apart.
static std::vector<unsigned char> randomData(const Tensor &tensor,
                                             uint64_t seed) {
  constexpr size_t kValues = 1 << 14;
  std::vector<uint32_t> values(kValues);
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  auto next = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  for (uint32_t &value : values)
    value =
        encode(tensor.type, static_cast<double>(next() >> 11) * 0x1p-52 - 1.0);
  std::vector<unsigned char> result(static_cast<size_t>(bytesOf(tensor)));
  for (int64_t i = 0; i < tensor.elements; ++i)
    store(result.data(), tensor.type, i, values[next() >> 50]);
  return result;
}

static std::string synchronize(AmpRtDevice *device) {
  return ampRtDeviceSynchronize(device) == AMP_RT_OK ? "" : ampRtStatusText();
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static std::string compare(const Problem &problem, const TensorSet &set,
                           Outcome &outcome) {
  std::vector<unsigned char> result;
  std::string failure = set.read(problem.output.name, result);
  if (!failure.empty())
    return failure;
  outcome.detail = problem.check(result);
  outcome.numbers = outcome.detail.empty() ? Outcome::Numbers::Right
                                           : Outcome::Numbers::Wrong;
  return "";
}

/// Takes the steps in their order, up to the first that fails.
static std::string
firstFailure(std::initializer_list<std::function<std::string()>> steps) {
  for (const auto &step : steps) {
    std::string failure = step();
    if (!failure.empty())
      return failure;
  }
  return "";
}

static std::string runChecked(AmpRtDevice *device, const std::string &folder,
                              const KernelEntry &kernel, Watchdog &watchdog,
                              Outcome &outcome) {
  std::string failure;
  std::unique_ptr<Problem> problem = createProblem(kernel, failure);
  if (!problem)
    return failure;
  TensorSet set(device);
  KernelRun run(device, kernel);
  return firstFailure({[&] { return run.load(folder); },
                       [&] { return allocateTensors(*problem, set); },
                       [&] { return run.allocate(*problem, set); },
                       [&] { return writeIntegers(*problem, set); },
                       [&] { return run.addSet(set); },
                       [&] {
                         Watchdog::Guard guard(watchdog);
                         std::string failure = run.launch(0);
                         return failure.empty() ? synchronize(device) : failure;
                       },
                       [&] {
                         problem->prepareCheck();
                         return compare(*problem, set, outcome);
                       }});
}

void amp::bench::checkNumbers(AmpRtDevice *device, const std::string &folder,
                              const KernelEntry &kernel, Watchdog &watchdog,
                              Outcome &outcome) {
  std::string failure = runChecked(device, folder, kernel, watchdog, outcome);
  if (!failure.empty())
    outcome.detail = failure;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// As many sets as make up four times the cache, up to 8.
static size_t countSets(AmpRtDevice *device, const Problem &problem) {
  AmpRtDeviceProperties properties;
  properties.structSize = sizeof(properties);
  if (ampRtDeviceGetProperties(device, &properties) != AMP_RT_OK)
    return 1;
  int64_t bytes = bytesOf(problem.output);
  for (const Tensor &input : problem.inputs)
    bytes += bytesOf(input);
  int64_t sets = 4 * properties.cacheBytes / std::max<int64_t>(bytes, 1) + 1;
  return static_cast<size_t>(std::clamp<int64_t>(sets, 1, 8));
}

/// Whether the baseline computes the same. A kernel's epilogue is not the
/// baseline's work, so there the numbers differ rightly and are not compared.
static std::string prepareBaseline(AmpRtDevice *device, Baseline &baseline,
                                   Problem &problem, TensorSet &set) {
  std::string failure = baseline.prepare(problem);
  if (failure.empty())
    failure = writeIntegers(problem, set);
  if (failure.empty())
    failure = baseline.run(set);
  if (failure.empty())
    failure = synchronize(device);
  if (!failure.empty() || !problem.epilogue.empty())
    return failure;
  Outcome outcome;
  problem.prepareCheck();
  failure = compare(problem, set, outcome);
  if (failure.empty() && outcome.numbers == Outcome::Numbers::Wrong)
    failure = std::string("the numbers of ") + baseline.name() +
              " are wrong: " + outcome.detail;
  return failure;
}

namespace {
/// What takes its turn: a kernel or the baseline.
struct Turn {
  Run run;
  Times *times;
  int count = 1; ///< runs of a round
};
} // namespace

static std::string timeInTurn(Stopwatch &watch, std::vector<Turn> &turns,
                              size_t sets, const MeasurementOptions &options,
                              Watchdog &watchdog) {
  auto time = [&](const Turn &turn, int count, double &result) {
    Watchdog::Guard guard(watchdog);
    return watch.time(turn.run, sets, count, result);
  };
  for (Turn &turn : turns) {
    double once = 0;
    // The first run warms up: code is loaded, clocks rise.
    std::string failure = time(turn, static_cast<int>(sets), once);
    if (failure.empty())
      failure = time(turn, static_cast<int>(sets), once);
    if (!failure.empty())
      return failure;
    double count = options.roundMilliseconds / std::max(once, 1e-4);
    turn.count = static_cast<int>(std::clamp(std::ceil(count), 1.0, 1e4));
  }
  for (int round = 0; round < options.rounds; ++round)
    for (Turn &turn : turns) {
      double milliseconds = 0;
      std::string failure = time(turn, turn.count, milliseconds);
      if (!failure.empty())
        return failure;
      turn.times->rounds.push_back(milliseconds);
    }
  return "";
}

namespace {
/// Kernels of one problem on the same data.
class Contest {
public:
  Contest(AmpRtDevice *device, const std::string &folder,
          const std::vector<Subject> &subjects)
      : device(device), folder(folder), subjects(subjects) {}

  std::string prepare();
  std::string time(Baseline *baseline, const MeasurementOptions &options,
                   Watchdog &watchdog);

private:
  std::string addSet();

  AmpRtDevice *device;
  const std::string &folder;
  const std::vector<Subject> &subjects;
  std::unique_ptr<Problem> problem;
  std::vector<std::unique_ptr<TensorSet>> sets;
  std::vector<std::unique_ptr<KernelRun>> kernels;
};
} // namespace

std::string Contest::addSet() {
  sets.push_back(std::make_unique<TensorSet>(device));
  TensorSet &set = *sets.back();
  std::string failure = allocateTensors(*problem, set);
  // All memory first: it moves where a later kernel needs more.
  for (auto &kernel : kernels)
    if (failure.empty())
      failure = kernel->allocate(*problem, set);
  for (auto &kernel : kernels)
    if (failure.empty())
      failure = kernel->addSet(set);
  return failure;
}

std::string Contest::prepare() {
  std::string failure;
  problem = createProblem(*subjects.front().kernel, failure);
  if (!problem)
    return failure;
  for (const Subject &subject : subjects) {
    kernels.push_back(std::make_unique<KernelRun>(device, *subject.kernel));
    failure = kernels.back()->load(folder);
    if (!failure.empty())
      return failure;
  }
  size_t count = countSets(device, *problem);
  for (size_t i = 0; i < count && failure.empty(); ++i)
    failure = addSet();
  return failure;
}

std::string Contest::time(Baseline *baseline, const MeasurementOptions &options,
                          Watchdog &watchdog) {
  Stopwatch watch;
  std::string failure = watch.open(device);
  if (!failure.empty())
    return failure;
  Times baselineTimes;
  std::string reason = subjects.front().outcome->baselineReason;
  if (baseline)
    reason = prepareBaseline(device, *baseline, *problem, *sets[0]);
  bool hasBaseline = baseline && reason.empty();
  for (size_t i = 0; i < sets.size() && failure.empty(); ++i)
    for (const Tensor &input : problem->inputs)
      if (failure.empty())
        failure = sets[i]->write(input.name, randomData(input, i + 1));
  if (!failure.empty())
    return failure;
  std::vector<Turn> turns;
  for (size_t i = 0; i < subjects.size(); ++i)
    turns.push_back({[this, i](size_t set) { return kernels[i]->launch(set); },
                     &subjects[i].outcome->kernel});
  if (hasBaseline)
    turns.push_back(
        {[&](size_t set) { return baseline->run(*sets[set]); }, &baselineTimes});
  failure = timeInTurn(watch, turns, sets.size(), options, watchdog);
  for (const Subject &subject : subjects) {
    subject.outcome->baseline = baselineTimes;
    subject.outcome->baselineName = hasBaseline ? baseline->name() : nullptr;
    subject.outcome->baselineReason = reason;
  }
  std::string last = synchronize(device);
  return failure.empty() ? last : failure;
}

bool amp::bench::areAlternatives(const KernelEntry &a, const KernelEntry &b) {
  return a.family == b.family && a.problem == b.problem &&
         a.epilogue.empty() && b.epilogue.empty();
}

void amp::bench::measure(AmpRtDevice *device, const std::string &folder,
                         const std::vector<Subject> &subjects,
                         Baseline *baseline, const MeasurementOptions &options,
                         Watchdog &watchdog) {
  Contest contest(device, folder, subjects);
  std::string failure = contest.prepare();
  if (failure.empty())
    failure = contest.time(baseline, options, watchdog);
  if (failure.empty())
    return;
  for (const Subject &subject : subjects) {
    subject.outcome->detail = failure;
    subject.outcome->numbers = Outcome::Numbers::NotRun;
  }
}
