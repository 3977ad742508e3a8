//===- amp-run.cpp - Compile a training step and run it -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   amp-run STEP.mlir --opt-level=O2 --data FILE.npz --steps N --seed S trains
//   amp-run STEP.mlir --opt-level=O2 --replay START.npz --steps N replays
//   amp-run STEP.mlir --oracle FILE.json --run ID compares
//
// The order in which the libraries are called; no compiler code and no training
// code stand here. Every error ends with a line on standard error and exit code
// 1.
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"

#include "amp/Execution/BlasReport.h"
#include "amp/Execution/Evaluation.h"
#include "amp/Execution/JitProgram.h"
#include "amp/Execution/OracleReplay.h"
#include "amp/Execution/ProgressDisplay.h"
#include "amp/Execution/StepLog.h"
#include "amp/Execution/TrainingLoop.h"
#include "amp/InitAllDialects.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <cmath>

using namespace mlir;
using namespace mlir::amp;

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// Where text for people goes: standard output, unless the log does.
static raw_ostream &getScreen(const RunOptions &options) {
  return options.logFile == "-" ? llvm::errs() : llvm::outs();
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

using Overrides = decltype(RunOptions::precision);

/// Sets the options of the pipeline: those of `defaults`, then of the command
/// line, then of `overrides`. All use the pipeline's names, so its own parser
/// does the work.
static llvm::Error setPrecision(MixedPrecisionOptions &pipeline,
                                const RunOptions &options,
                                const Overrides &defaults,
                                const Overrides &overrides) {
  Overrides given = defaults;
  llvm::append_range(given, options.precision);
  llvm::append_range(given, overrides);
  std::string text;
  for (const auto &[name, value] : given) {
    if (StringRef(value).find_first_of(" \t\n{}") != StringRef::npos)
      return makeError("expected the value of --" + name +
                       " to be one word, but got '" + value + "'");
    text += name + "=" + value + " ";
  }
  if (failed(pipeline.parseFromString(text)))
    return makeError("options of the precision cannot be read: " + text);
  pipeline.screen = &getScreen(options);
  return llvm::Error::success();
}

namespace {
/// A compiled step and what its source said of its arguments.
struct Compiled {
  std::unique_ptr<Program> program;
  SmallVector<ValueSpec> originalArguments;
};
} // namespace

static llvm::Expected<Compiled> compile(MLIRContext &context,
                                        const RunOptions &options,
                                        const BlasReport &blas, bool insertTaps,
                                        const Overrides &defaults = {},
                                        const Overrides &overrides = {}) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(options.inputFile, &message);
  if (!buffer)
    return makeError(message);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return makeError("'" + options.inputFile + "' cannot be read as MLIR");

  Compiled result;
  llvm::Expected<SmallVector<ValueSpec>> arguments =
      readTrainStepArguments(*module);
  if (!arguments)
    return makeError("'" + options.inputFile +
                     "': " + llvm::toString(arguments.takeError()));
  result.originalArguments = std::move(*arguments);

  MixedPrecisionOptions precision;
  if (llvm::Error error = setPrecision(precision, options, defaults, overrides))
    return std::move(error);
  HostLoweringOptions lowering;
  // Without a library, calls of one would only cost time.
  lowering.blas = blas.library ? BlasUse::Auto : BlasUse::Off;
  lowering.reference = options.reference;
  lowering.vectorBits = getHostVectorBits();
  JitOptions jit;
  jit.insertTaps = insertTaps;
  if (options.reference)
    jit.optimizationLevel = 1; // loops stay as they are
  CompileReport report;
  llvm::Expected<std::unique_ptr<Program>> program =
      compileForHost(*module, precision, lowering, jit, &report);
  if (!program)
    return makeError("'" + options.inputFile +
                     "': " + llvm::toString(program.takeError()));
  if (precision.verbosity != "0")
    getScreen(options) << report.decisions;
  if (options.timing)
    getScreen(options) << llvm::formatv(
        "compiled in {0:f2} s: mixed precision {1:f2}, lowering {2:f2}, code generation {3:f2}\n",
        report.mixedPrecision + report.lowering + report.codegen,
        report.mixedPrecision, report.lowering, report.codegen);
  result.program = std::move(*program);
  return result;
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

static double getLargerDistance(double largest, double difference) {
  return !(std::abs(difference) <= largest) ? std::abs(difference) : largest;
}

/// Who computes large products, before anything is compiled.
static llvm::Expected<BlasReport> getBlas(const RunOptions &options) {
  if (options.reference)
    return BlasReport{std::nullopt, "switched off by --reference"};
  if (options.blas == BlasUse::Off)
    return BlasReport{std::nullopt, "switched off by --blas=off"};
  return chooseBlas();
}

/// The log of the run; none if it was not asked for.
static llvm::Expected<std::optional<StepLog>> openLog(const RunOptions &options,
                                                      const BlasReport &blas) {
  if (options.logFile.empty())
    return std::nullopt;
  llvm::Expected<StepLog> opened = StepLog::open(options.logFile, blas);
  if (!opened)
    return opened.takeError();
  return std::move(*opened);
}

namespace {
/// What a replay file recorded of its run, to compare with.
struct Recorded {
  /// One a step; there may be none.
  std::vector<double> losses;
  /// Those of the whole file; there may be none.
  std::vector<RecordedUpdate> updates;
  /// What `updates` are measured from.
  TrainingState start;
  int64_t numSteps = 0;
  std::optional<ToleranceTable> tolerances;
};
} // namespace

/// Says how far the run is from what was recorded; an error if that is outside
/// the tolerances of --tolerances.
static llvm::Error compareWithRecorded(const RunOptions &options,
                                       const TrainingLoop &loop,
                                       const Recorded &recorded,
                                       int64_t numLosses, double firstLoss,
                                       double losses) {
  raw_ostream &screen = getScreen(options);
  ReplayComparison comparison;
  std::string level = "O1";
  for (const auto &[name, value] : options.precision)
    if (name == "opt-level")
      level = value;
  const std::string module = llvm::sys::path::stem(options.inputFile).str();
  comparison.id = module + " at " + level;
  if (recorded.tolerances) {
    comparison.tolerances =
        recorded.tolerances->find({{"module", module}, {"opt_level", level}});
    if (!comparison.tolerances)
      return makeError("expected '" + options.tolerances +
                       "' to have tolerances for module '" + module + "' at " +
                       level + ", but no row applies");
  }
  if (numLosses) {
    comparison.add(quantity::kFirstLoss, firstLoss);
    comparison.add(quantity::kLosses, losses);
  }
  // What was recorded is the end of the whole run.
  if (loop.getNumSteps() == recorded.numSteps)
    if (llvm::Error error = addUpdateDistances(comparison, recorded.updates,
                                               recorded.start, loop.getState()))
      return error;
  if (!comparison.tolerances) {
    for (const ReplayDistance &distance : comparison.distances)
      if (distance.quantity == quantity::kUpdates)
        screen << llvm::formatv(
            "distance from the recorded updates, relative: {0:e1}\n",
            distance.distance);
    return llvm::Error::success();
  }
  for (const auto &limit : comparison.tolerances->limits)
    if (llvm::none_of(comparison.distances,
                      [&](const ReplayDistance &distance) {
                        return distance.quantity == limit.first;
                      }))
      return makeError("expected '" + options.sourceFile + "' to record '" +
                       limit.first +
                       "', for which there is a tolerance, or this "
                       "run to have as many steps");
  printComparison(screen, comparison);
  if (comparison.getVerdict() == ReplayVerdict::Agree)
    return llvm::Error::success();
  return makeError("'" + options.sourceFile +
                   "': the replay is outside its tolerances");
}

/// Runs a loop with its log and display, and compares with what was recorded.
static llvm::Error train(const RunOptions &options, const BlasReport &blas,
                         TrainingLoop &loop, const Recorded &recorded) {
  double distance = 0, firstDistance = 0;
  int64_t compared = 0;
  if (!options.saveFile.empty())
    if (llvm::Error error = checkCanWrite(options.saveFile))
      return error;
  llvm::Expected<std::optional<StepLog>> log = openLog(options, blas);
  if (!log)
    return log.takeError();
  std::optional<ProgressDisplay> display;
  if (options.showsProgress())
    display.emplace(getScreen(options),
                    ProgressDisplay::Style::detect(loop.getNumSteps()),
                    loop.getNumSteps());
  llvm::Expected<RunSummary> summary = runTraining(
      loop, [&](const StepRecord &record, double seconds) -> llvm::Error {
        if (display)
          display->update(record, seconds);
        if (compared < static_cast<int64_t>(recorded.losses.size()) &&
            record.losses.size() == 1) {
          // NaN must fail the comparison below, so no std::max.
          distance = getLargerDistance(distance, record.losses[0].second -
                                                     recorded.losses[compared]);
          if (compared++ == 0)
            firstDistance = distance;
        }
        return *log ? (*log)->write(record) : llvm::Error::success();
      });
  display.reset();
  if (!summary)
    return summary.takeError();
  if (*log)
    if (llvm::Error error = (*log)->close())
      return error;
  if (options.showsProgress())
    printSummary(getScreen(options), *summary, loop.getProgram());
  if (compared)
    getScreen(options) << llvm::formatv(
        "largest distance from {0} recorded losses: {1:e1}\n", compared,
        distance);
  if (options.tolerance && !(compared && distance <= *options.tolerance))
    return makeError(
        compared ? "losses are further from the recorded ones than --tolerance"
                 : "'" + options.sourceFile +
                       "' has no recorded losses, which "
                       "--tolerance compares with");
  if (options.mode == Replaying)
    if (llvm::Error error = compareWithRecorded(
            options, loop, recorded, compared, firstDistance, distance))
      return error;
  if (!options.saveFile.empty())
    if (llvm::Error error = writeState(options.saveFile, loop.getState()))
      return error;
  return llvm::Error::success();
}

static llvm::Expected<std::vector<Injection>>
parseInjections(const RunOptions &options) {
  std::vector<Injection> parsed;
  for (const std::string &text : options.injections) {
    llvm::Expected<Injection> injection = parseInjection(text);
    if (!injection)
      return injection.takeError();
    parsed.push_back(std::move(*injection));
  }
  return parsed;
}

/// The data of --test-data, before the first step: a long run must not end with
/// an error that was there from the start.
static llvm::Expected<Dataset> loadTestData(const RunOptions &options,
                                            Program &program) {
  if (!program.getEvaluate())
    return makeError(
        "'" + options.inputFile +
        "' has no evaluate function, which --test-data needs: "
        "a function with 'param' and 'batch' arguments and an 'output' result");
  return Dataset::open(options.testFile);
}

static llvm::Error evaluateAfter(const RunOptions &options, TrainingLoop &loop,
                                 const Dataset &data) {
  llvm::Expected<Evaluation> result =
      evaluate(loop.getProgram(), loop.getState(), data);
  if (!result)
    return result.takeError();
  raw_ostream &screen = getScreen(options);
  screen << "evaluated " << result->rows << " rows";
  if (result->accuracy)
    screen << llvm::formatv(": accuracy {0:f4}", *result->accuracy);
  if (result->crossEntropy)
    screen << llvm::formatv(", cross entropy {0:f4}", *result->crossEntropy);
  screen << "\n";
  return llvm::Error::success();
}

static llvm::Error runBatches(MLIRContext &context, const RunOptions &options,
                              const BlasReport &blas) {
  llvm::Expected<std::vector<Injection>> injected = parseInjections(options);
  if (!injected)
    return injected.takeError();
  llvm::Expected<Compiled> compiled =
      compile(context, options, blas,
              /*insertTaps=*/!options.logFile.empty() || !injected->empty());
  if (!compiled)
    return compiled.takeError();
  if (!options.quiet)
    printBlas(getScreen(options), blas);
  ArrayRef<ValueSpec> arguments =
      compiled->program->getTrainStep().getArguments();

  std::unique_ptr<BatchSource> batches;
  std::unique_ptr<GivenValues> given;
  Recorded recorded;
  if (options.mode == Replaying) {
    llvm::Expected<Replay> replay =
        openReplay(options.sourceFile, arguments, compiled->originalArguments);
    if (!replay)
      return replay.takeError();
    batches = std::move(replay->batches);
    given = std::move(replay->startValues);
    recorded.losses = std::move(replay->losses);
    recorded.numSteps = batches->getNumSteps().value_or(0);
    llvm::Expected<std::vector<RecordedUpdate>> updates =
        readRecordedUpdates(options.sourceFile, compiled->originalArguments);
    if (!updates)
      return updates.takeError();
    recorded.updates = std::move(*updates);
    if (!options.tolerances.empty()) {
      llvm::Expected<ToleranceTable> table =
          ToleranceTable::load(options.tolerances);
      if (!table)
        return table.takeError();
      recorded.tolerances = std::move(*table);
    }
  } else {
    llvm::Expected<Dataset> data = Dataset::open(options.sourceFile);
    if (!data)
      return data.takeError();
    llvm::Expected<std::unique_ptr<BatchSource>> source =
        makeShuffledSource(*data, arguments, options.batchSize, options.seed);
    if (!source)
      return source.takeError();
    batches = std::move(*source);
  }
  if (!options.initFile.empty()) {
    llvm::Expected<std::unique_ptr<GivenValues>> opened =
        openInitFile(options.initFile);
    if (!opened)
      return opened.takeError();
    given = std::move(*opened);
  }
  llvm::Expected<TrainingState> state =
      makeStartValues(arguments, given.get(), options.seed);
  if (!state)
    return state.takeError();
  recorded.start = cloneUpdatedValues(*state, recorded.updates);

  std::optional<Dataset> testData;
  if (!options.testFile.empty()) {
    llvm::Expected<Dataset> loaded = loadTestData(options, *compiled->program);
    if (!loaded)
      return loaded.takeError();
    testData.emplace(std::move(*loaded));
  }

  TrainingLoop::Options loopOptions;
  loopOptions.numSteps =
      options.numSteps.value_or(batches->getNumSteps().value_or(0));
  loopOptions.injections = std::move(*injected);
  if (loopOptions.numSteps < 1)
    return makeError("expected --steps of at least 1 with --data");
  auto loop = TrainingLoop::create(*compiled->program, *batches,
                                   std::move(*state), loopOptions);
  if (!loop)
    return makeError("'" + options.inputFile +
                     "': " + llvm::toString(loop.takeError()));
  if (llvm::Error error = train(options, blas, **loop, recorded))
    return error;
  return testData ? evaluateAfter(options, **loop, *testData)
                  : llvm::Error::success();
}

/// Compiles and replays one recorded run.
static llvm::Expected<ReplayComparison>
replayRun(MLIRContext &context, const RunOptions &options,
          const BlasReport &blas, const Oracle &oracle, const OracleRun &run,
          const ToleranceTable &tolerances, std::optional<StepLog> &log) {
  if (!run.notReplayed.empty())
    return makeUnreplayed(run);
  // Many runs: no selection each, unless it is asked for.
  llvm::Expected<Compiled> compiled =
      compile(context, options, blas, /*insertTaps=*/true, {{"verbosity", "0"}},
              run.properties);
  if (!compiled)
    return compiled.takeError();
  return replayRun(oracle, run, tolerances, *compiled->program,
                   [&](const StepRecord &record) {
                     return log ? log->write(record) : llvm::Error::success();
                   });
}

static llvm::Error replayOracle(MLIRContext &context, const RunOptions &options,
                                const BlasReport &blas) {
  llvm::Expected<Oracle> oracle =
      Oracle::load(options.sourceFile, options.oracleData);
  if (!oracle)
    return oracle.takeError();
  if (options.oracleRun == "list") {
    oracle->printList(getScreen(options));
    return llvm::Error::success();
  }
  auto runs = oracle->select(options.oracleRun,
                             llvm::sys::path::stem(options.inputFile));
  if (!runs)
    return runs.takeError();
  llvm::Expected<std::optional<StepLog>> log = openLog(options, blas);
  if (!log)
    return log.takeError();
  if (!options.quiet)
    printBlas(getScreen(options), blas);
  ToleranceTable tolerances = oracle->getTolerances();
  if (!options.tolerances.empty()) {
    llvm::Expected<ToleranceTable> table =
        ToleranceTable::load(options.tolerances);
    if (!table)
      return table.takeError();
    tolerances = std::move(*table);
  }
  unsigned agree = 0, disagree = 0, open = 0, notJudged = 0;
  for (const OracleRun *run : *runs) {
    llvm::Expected<ReplayComparison> comparison =
        replayRun(context, options, blas, *oracle, *run, tolerances, *log);
    if (!comparison)
      return comparison.takeError();
    printComparison(getScreen(options), *comparison);
    switch (comparison->getVerdict()) {
    case ReplayVerdict::Agree:
      ++agree;
      break;
    case ReplayVerdict::Disagree:
      ++disagree;
      break;
    case ReplayVerdict::NotComparable:
      ++open;
      break;
    case ReplayVerdict::NotJudged:
      ++notJudged;
      break;
    }
  }
  if (*log)
    if (llvm::Error error = (*log)->close())
      return error;
  raw_ostream &screen = getScreen(options);
  screen << agree << " runs agree, " << disagree << " disagree, " << open
         << " cannot be compared";
  if (notJudged)
    screen << ", " << notJudged
           << " have no tolerances (--tolerances gives some)";
  screen << "\n";
  if (disagree)
    return makeError("'" + options.sourceFile +
                     "': runs outside their tolerances");
  return llvm::Error::success();
}

static llvm::Error run(const RunOptions &options) {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  mlir::amp::registerAllDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // an error on the module prints it all
  llvm::Expected<BlasReport> blas = getBlas(options);
  if (!blas)
    return blas.takeError();
  return options.mode == Comparing ? replayOracle(context, options, *blas)
                                   : runBatches(context, options, *blas);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "amp-run of mlir-amp " AMP_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
  llvm::Expected<RunOptions> options = parseRunOptions(argc, argv);
  llvm::Error error = options ? run(*options) : options.takeError();
  llvm::outs().flush();
  if (std::error_code failure = llvm::outs().error()) {
    llvm::outs().clear_error();
    error = llvm::joinErrors(
        std::move(error),
        makeError("cannot write to standard output: " + failure.message()));
  }
  if (!error)
    return 0;
  llvm::errs() << "amp-run: error: " << llvm::toString(std::move(error))
               << "\n";
  return 1;
}
