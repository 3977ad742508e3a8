//===-- amp-kernel-bench.cpp - Numbers and speed of compiled kernels
//---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a folder of kernels with an index (KernelIndex.h), runs every kernel on
// data with known results, and then measures those whose numbers are right, in
// turn with cuBLASLt and cuDNN where these are found. Kernels of one problem
// take turns, too. It holds no compiler and
// links the runtime library only, so that the folder and this program run on
// any machine with a driver.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

using namespace amp::bench;

static const char usage[] =
    R"(usage: amp-kernel-bench FOLDER [options]

Checks and measures the kernels of FOLDER/index.json.

  --check-only       run the numbers, measure nothing
  --no-check         measure without running the numbers, where they are known to be right
  --filter TEXT      only kernels whose name has TEXT in it
  --device NAME      where to run (default: cuda); 'emulator' with --check-only
  --rounds N         rounds to measure each (default: 15)
  --timeout SECONDS  end where the device does not answer for so long, and say at
                     which kernel (default: 60 on cuda; 0, which waits, elsewhere)
  --no-baselines     do not compare with cuBLASLt and cuDNN
  --json FILE        write one JSON line per kernel, too
  --help             print this

AMP_RT_CUDA_DRIVER, AMP_CUBLASLT and AMP_CUDNN name the driver and the libraries where
they are not found by themselves. The program ends with 0 if the numbers of every
kernel are right, 1 if not, 2 if it could not begin, 3 after a timeout.
)";

struct Options {
  std::string folder, filter, device = "cuda", json;
  bool isCheckOnly = false, isUnchecked = false, hasBaselines = true;
  int timeout = -1;
  MeasurementOptions measurement;
};

static int fail(const std::string &text) {
  std::cerr << "amp-kernel-bench: error: " << text << "\n";
  return 2;
}

/// The value of an option, "--name value" or "--name=value"; null if `word` is
/// another.
static const char *valueOf(const char *name, int count, char **words, int &i) {
  size_t length = std::strlen(name);
  if (std::strncmp(words[i], name, length) != 0)
    return nullptr;
  if (words[i][length] == '=')
    return words[i] + length + 1;
  if (words[i][length] == 0 && i + 1 < count)
    return words[++i];
  return nullptr;
}

static std::string readOptions(int count, char **words, Options &options) {
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    if (word == "--check-only")
      options.isCheckOnly = true;
    else if (word == "--no-check")
      options.isUnchecked = true;
    else if (word == "--no-baselines")
      options.hasBaselines = false;
    else if (const char *value = valueOf("--filter", count, words, i))
      options.filter = value;
    else if (const char *value = valueOf("--device", count, words, i))
      options.device = value;
    else if (const char *value = valueOf("--json", count, words, i))
      options.json = value;
    else if (const char *value = valueOf("--rounds", count, words, i)) {
      char *end = nullptr;
      long rounds = std::strtol(value, &end, 10);
      if (*end || rounds < 1 || rounds > 100000)
        return std::string("expected --rounds to be from 1 to 100000, but got "
                           "'") +
               value + "'";
      options.measurement.rounds = static_cast<int>(rounds);
    } else if (const char *value = valueOf("--timeout", count, words, i)) {
      char *end = nullptr;
      long seconds = std::strtol(value, &end, 10);
      if (*end || end == value || seconds < 0 || seconds > 86400)
        return std::string("expected --timeout to be from 0 to 86400 seconds, "
                           "but got '") +
               value + "'";
      options.timeout = static_cast<int>(seconds);
    } else if (word.rfind("--", 0) == 0)
      return "unknown option '" + word +
             "', or its value is missing; see --help";
    else if (!options.folder.empty())
      return "expected one folder, but got '" + options.folder + "' and '" +
             word + "'";
    else
      options.folder = word;
  }
  if (options.timeout < 0)
    options.timeout = options.device == "cuda" ? 60 : 0;
  if (options.isCheckOnly && options.isUnchecked)
    return "expected --check-only or --no-check, but got both";
  return options.folder.empty() ? "expected a folder; see --help" : "";
}

/// "bf16*bf16->f32".
static std::string typesOf(const Problem &problem) {
  return std::string(typeName(problem.inputs[0].type)) + "*" +
         typeName(problem.inputs[1].type) + "->" +
         typeName(problem.output.type);
}

static Row describe(const KernelEntry &kernel) {
  Row row;
  row.kernel = &kernel;
  if (std::unique_ptr<Problem> problem =
          createProblem(kernel, row.outcome.detail)) {
    row.shape = problem->shape();
    row.types = typesOf(*problem);
    row.work = problem->work();
    if (kernel.family == "gemm") {
      auto &gemm = static_cast<GemmProblem &>(*problem);
      row.leastSize = std::min({gemm.m, gemm.n, gemm.k});
    }
  }
  return row;
}

/// The libraries, each opened when the first kernel of its family comes.
class Baselines {
public:
  explicit Baselines(AmpRtDevice *device) : device(device) {}

  Baseline *of(const std::string &family, std::string &reason) {
    Slot &slot = slots[family == "gemm" ? 0 : 1];
    if (!slot.wasTried)
      slot.library = family == "gemm" ? createCublasLt(device, slot.reason)
                                      : createCudnn(device, slot.reason);
    slot.wasTried = true;
    reason = slot.reason;
    return slot.library.get();
  }

private:
  struct Slot {
    std::unique_ptr<Baseline> library;
    std::string reason;
    bool wasTried = false;
  };
  AmpRtDevice *device;
  Slot slots[2];
};

/// Ends the process where a kernel does not end, after what is known so far.
class Patience {
public:
  Patience(const Options &options, const std::vector<Row> &rows)
      : options(options), rows(rows),
        watchdog(options.timeout, [this] { end(); }) {}

  Row *current = nullptr;
  bool isMeasuring = false;
  const Options &options;
  const std::vector<Row> &rows;
  Watchdog watchdog;

private:
  [[noreturn]] void end() {
    current->outcome.numbers = Outcome::Numbers::NotRun;
    current->outcome.detail =
        "did not end within " + std::to_string(options.timeout) +
        " s; leave it out, and look for what it waits for on device "
        "'emulator'";
    printNumbers(std::cout, rows);
    if (isMeasuring)
      printTimes(std::cout, rows);
    std::cout.flush();
    std::_Exit(3);
  }
};

/// `first` and those behind it that compute the same, as far as they are right.
static std::vector<Row *> findAlternatives(std::vector<Row> &rows,
                                           size_t first) {
  std::vector<Row *> found;
  for (size_t i = first; i < rows.size(); ++i)
    if (rows[i].outcome.numbers == Outcome::Numbers::Right &&
        rows[i].outcome.kernel.rounds.empty() &&
        (i == first || areAlternatives(*rows[first].kernel, *rows[i].kernel)))
      found.push_back(&rows[i]);
  return found;
}

static void measureAll(AmpRtDevice *device, const Options &options,
                       Patience &patience, std::vector<Row> &rows) {
  Baselines baselines(device);
  for (size_t i = 0; i < rows.size(); ++i) {
    Row &row = rows[i];
    if (row.outcome.numbers != Outcome::Numbers::Right || row.work == 0 ||
        !row.outcome.kernel.rounds.empty())
      continue;
    Baseline *baseline = nullptr;
    row.outcome.baselineReason = "not compared";
    if (options.hasBaselines)
      baseline = baselines.of(row.kernel->family, row.outcome.baselineReason);
    patience.current = &row;
    std::vector<Subject> subjects;
    for (Row *alternative : findAlternatives(rows, i))
      subjects.push_back({alternative->kernel, &alternative->outcome});
    measure(device, options.folder, subjects, baseline, options.measurement,
            patience.watchdog);
    if (row.outcome.numbers != Outcome::Numbers::Right)
      std::cout << row.kernel->name << ": " << row.outcome.detail << "\n";
  }
}

static bool areAllRight(const std::vector<Row> &rows) {
  for (const Row &row : rows)
    if (row.outcome.numbers != Outcome::Numbers::Right)
      return false;
  return true;
}

static int run(AmpRtDevice *device, const Options &options,
               const std::vector<KernelEntry> &kernels) {
  std::vector<Row> rows;
  for (const KernelEntry &kernel : kernels)
    if (kernel.name.find(options.filter) != std::string::npos)
      rows.push_back(describe(kernel));
  if (rows.empty())
    return fail("expected a kernel with '" + options.filter +
                "' in its name, but the index has none among its " +
                std::to_string(kernels.size()));
  Patience patience(options, rows);
  for (Row &row : rows)
    if (options.isUnchecked && row.outcome.detail.empty()) {
      row.outcome.numbers = Outcome::Numbers::Right;
    } else if (row.outcome.detail.empty()) {
      patience.current = &row;
      checkNumbers(device, options.folder, *row.kernel, patience.watchdog,
                   row.outcome);
    }
  if (!options.isUnchecked)
    printNumbers(std::cout, rows);
  if (!options.isCheckOnly) {
    patience.isMeasuring = true;
    measureAll(device, options, patience, rows);
    printTimes(std::cout, rows);
  }
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    printJson(file, device, rows);
    if (!file.flush())
      return fail("cannot write '" + options.json + "'");
  }
  return areAllRight(rows) ? 0 : 1;
}

int main(int count, char **words) {
  for (int i = 1; i < count; ++i)
    if (std::strcmp(words[i], "--help") == 0) {
      std::cout << usage;
      return 0;
    }
  Options options;
  std::string failure = readOptions(count, words, options);
  if (!failure.empty())
    return fail(failure);
  std::vector<KernelEntry> kernels;
  failure = readKernelIndex(options.folder, kernels);
  if (!failure.empty())
    return fail(failure);
  AmpRtDevice *device = nullptr;
  if (ampRtDeviceGet(options.device.c_str(), &device) != AMP_RT_OK)
    return fail(ampRtStatusText());
  int result = run(device, options, kernels);
  if (ampRtDeviceClose(device) != AMP_RT_OK)
    return fail(ampRtStatusText());
  return result;
}
