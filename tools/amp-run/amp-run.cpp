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
// Options, and the order in which the libraries are called; no compiler code
// and no training code stand here. Every error ends with a line on standard
// error and exit code 1.
//
//===----------------------------------------------------------------------===//

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
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <cmath>

namespace cl = llvm::cl;
using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
/// An option under a heading of --help; `value` names what it takes.
template <typename T> struct ToolOption : cl::opt<T> {
  ToolOption(cl::OptionCategory &category, StringRef name, StringRef help,
             StringRef value = "", const T &initial = T())
      : cl::opt<T>(name, cl::desc(help), cl::value_desc(value),
                   cl::init(initial), cl::cat(category)) {}
};
using TextOption = ToolOption<std::string>;

/// What a run is for. Exactly one of the options of these names is given.
enum Mode : unsigned { Train = 1, Replaying = 2, Comparing = 4 };
} // namespace

static cl::OptionCategory runs("What to run");
static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("STEP.mlir"), cl::cat(runs));
static TextOption dataFile(runs, "data",
                           "train on the arrays x0, x1... of this .npz",
                           "file");
static TextOption
    replayFile(runs, "replay",
               "run the start values and batches stored in this .npz", "file");
static TextOption oracleFile(runs, "oracle",
                             "replay recorded runs of this .json", "file");

static TextOption testFile(runs, "test-data",
                           "evaluate on this .npz after training", "file");
static ToolOption<int64_t> numSteps(runs, "steps",
                                    "training steps (those of the replay file)",
                                    "number");
static ToolOption<int64_t> batchSize(runs, "batch-size",
                                     "rows of a batch whose extent is dynamic",
                                     "number");
static ToolOption<uint64_t>
    seed(runs, "seed", "seed of start values and shuffling", "number");
static TextOption initFile(runs, "init", "start values from this .npz", "file");
static TextOption saveFile(runs, "save", "write the final state to this .npz",
                           "file");
static TextOption logFile(runs, "log",
                          "one JSON line a step; '-' is standard output",
                          "file");
static cl::list<std::string>
    injections("inject",
               cl::desc("put a value into a gradient before unscaling"),
               cl::value_desc("STEP:NAME:INDEX:VALUE"), cl::cat(runs));
static ToolOption<double>
    tolerance(runs, "tolerance",
              "fail if a loss is further than this from the recorded one",
              "distance");
static TextOption oracleData(runs, "oracle-data",
                             "folder of the oracle's .npz files (its own)",
                             "folder");
static TextOption oracleRun(runs, "run", "ids of runs, 'all', or 'list'", "ids",
                            "all");
static ToolOption<bool> quiet(runs, "quiet", "show no progress");

namespace {
/// An option that not every mode reads, and those that do.
struct ModeOption {
  const cl::Option &option;
  unsigned modes;
};
} // namespace

static const ModeOption modeOptions[] = {
    {testFile, Train | Replaying},
    {numSteps, Train | Replaying},
    {batchSize, Train},
    {seed, Train | Replaying},
    {initFile, Train | Replaying},
    {saveFile, Train | Replaying},
    {injections, Train | Replaying},
    {tolerance, Replaying},
    {oracleData, Comparing},
    {oracleRun, Comparing},
};

static cl::OptionCategory precision("Precision, as in apex.amp.initialize");

/// Options of the pipeline amp-mixed-precision, under its names.
static TextOption pipelineOptions[] = {
    {precision, "opt-level", "O0 to O5 (O1)", "level"},
    {precision, "enabled", "False: train the program as it is", "bool"},
    {precision, "cast-model-type", "type of the model", "type"},
    {precision, "patch-torch-functions", "cast at listed functions", "bool"},
    {precision, "patch-torch-functions-type", "half type of patched functions",
     "type"},
    {precision, "keep-batchnorm-fp32", "keep batch norm in FP32", "bool"},
    {precision, "master-weights", "keep FP32 master weights", "bool"},
    {precision, "loss-scale", "dynamic, or a number", "scale"},
    {precision, "cast-model-outputs", "type of the model's outputs", "type"},
    {precision, "num-losses", "number of loss scalers", "number"},
    {precision, "min-loss-scale", "floor of a dynamic scale", "scale"},
    {precision, "max-loss-scale", "ceiling of a dynamic scale", "scale"},
    {precision, "verbosity", "0 prints no selection", "number"},
    {precision, "placement", "who places casts: apex", "name"},
};

static cl::OptionCategory host("Host");
static cl::opt<BlasUse>
    blas("blas", cl::desc("whether large products may go to a BLAS library"),
         cl::values(clEnumValN(BlasUse::Auto, "auto", "if there is one"),
                    clEnumValN(BlasUse::Off, "off", "never")),
         cl::init(BlasUse::Auto), cl::cat(host));
static ToolOption<bool>
    reference(host, "reference",
              "no BLAS, no fusion, fixed order of sums: slow");
static ToolOption<bool> timing(host, "timing",
                               "print the time of each phase of compilation");

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// Where text for people goes: standard output, unless the log does.
static raw_ostream &getScreen() {
  return logFile == "-" ? llvm::errs() : llvm::outs();
}

/// The one mode that was asked for, with no option of another.
static llvm::Expected<Mode> getMode() {
  const std::pair<const TextOption *, Mode> modes[] = {
      {&dataFile, Train}, {&replayFile, Replaying}, {&oracleFile, Comparing}};
  auto list = [&](unsigned mask, StringRef separator) {
    std::string names;
    for (auto [option, mode] : modes)
      if (mask & mode)
        names +=
            ((names.empty() ? "--" : separator + "--") + option->ArgStr).str();
    return names;
  };
  unsigned given = 0;
  for (auto [option, mode] : modes)
    if (option->getNumOccurrences())
      given |= mode;
  if (llvm::popcount(given) != 1)
    return makeError("expected one of --data, --replay and --oracle, but got " +
                     (given ? list(given, " and ") : "none") + "; see --help");
  for (const auto &[option, allowed] : modeOptions)
    if (option.getNumOccurrences() && !(given & allowed))
      return makeError("--" + option.ArgStr + " belongs to " +
                       list(allowed, " and ") + ", but this run has " +
                       list(given, "") + "; leave it out");
  if (numSteps.getNumOccurrences() && numSteps < 1)
    return makeError("expected --steps to be at least 1, but got " +
                     Twine(numSteps));
  if (batchSize.getNumOccurrences() && batchSize < 1)
    return makeError("expected --batch-size to be at least 1, but got " +
                     Twine(batchSize));
  return static_cast<Mode>(given);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

using Overrides = std::vector<std::pair<std::string, std::string>>;

/// Sets the options of the pipeline: those of `defaults`, then of the command
/// line, then of `overrides`. All use the pipeline's names, so its own parser
/// does the work.
static llvm::Error setPrecision(MixedPrecisionOptions &options,
                                const Overrides &defaults,
                                const Overrides &overrides) {
  Overrides given = defaults;
  for (const TextOption &option : pipelineOptions)
    if (option.getNumOccurrences())
      given.emplace_back(option.ArgStr, option.getValue());
  llvm::append_range(given, overrides);
  std::string text;
  for (const auto &[name, value] : given) {
    if (StringRef(value).find_first_of(" \t\n{}") != StringRef::npos)
      return makeError("expected the value of --" + name +
                       " to be one word, but got '" + value + "'");
    text += name + "=" + value + " ";
  }
  if (failed(options.parseFromString(text)))
    return makeError("options of the precision cannot be read: " + text);
  options.screen = &getScreen();
  return llvm::Error::success();
}

namespace {
/// A compiled step and what its source said of its arguments.
struct Compiled {
  std::unique_ptr<Program> program;
  SmallVector<ValueSpec> originalArguments;
};
} // namespace

static llvm::Expected<Compiled> compile(MLIRContext &context, bool insertTaps,
                                        const Overrides &defaults = {},
                                        const Overrides &overrides = {}) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(inputFile, &message);
  if (!buffer)
    return makeError(message);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return makeError("'" + inputFile + "' cannot be read as MLIR");

  Compiled result;
  llvm::Expected<SmallVector<ValueSpec>> arguments =
      readTrainStepArguments(*module);
  if (!arguments)
    return makeError("'" + inputFile +
                     "': " + llvm::toString(arguments.takeError()));
  result.originalArguments = std::move(*arguments);

  MixedPrecisionOptions precisionOptions;
  if (llvm::Error error = setPrecision(precisionOptions, defaults, overrides))
    return std::move(error);
  HostLoweringOptions lowering;
  lowering.blas = blas;
  lowering.reference = reference;
  lowering.vectorBits = getHostVectorBits();
  JitOptions options;
  options.insertTaps = insertTaps;
  if (reference)
    options.optimizationLevel = 1; // loops stay as they are
  CompileReport report;
  llvm::Expected<std::unique_ptr<Program>> program =
      compileForHost(*module, precisionOptions, lowering, options, &report);
  if (!program)
    return makeError("'" + inputFile +
                     "': " + llvm::toString(program.takeError()));
  if (precisionOptions.verbosity != "0")
    getScreen() << report.decisions;
  if (timing)
    getScreen() << llvm::formatv(
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

/// The log of the run; none if it was not asked for.
static llvm::Expected<std::optional<StepLog>> openLog() {
  if (logFile.empty())
    return std::nullopt;
  llvm::Expected<StepLog> opened = StepLog::open(logFile);
  if (!opened)
    return opened.takeError();
  return std::move(*opened);
}

/// Runs a loop with its log and display. `recorded` losses, one a step, are
/// compared with; there may be none.
static llvm::Error train(TrainingLoop &loop, ArrayRef<double> recorded) {
  double distance = 0;
  int64_t compared = 0;
  if (!saveFile.empty())
    if (llvm::Error error = checkCanWrite(saveFile))
      return error;
  llvm::Expected<std::optional<StepLog>> log = openLog();
  if (!log)
    return log.takeError();
  std::optional<ProgressDisplay> display;
  if (!quiet && logFile != "-")
    display.emplace(getScreen(),
                    ProgressDisplay::Style::detect(loop.getNumSteps()),
                    loop.getNumSteps());
  llvm::Expected<RunSummary> summary = runTraining(
      loop, [&](const StepRecord &record, double seconds) -> llvm::Error {
        if (display)
          display->update(record, seconds);
        if (compared < static_cast<int64_t>(recorded.size()) &&
            record.losses.size() == 1)
          // NaN must fail the comparison below, so no std::max.
          distance = getLargerDistance(distance, record.losses[0].second -
                                                     recorded[compared++]);
        return *log ? (*log)->write(record) : llvm::Error::success();
      });
  display.reset();
  if (!summary)
    return summary.takeError();
  if (*log)
    if (llvm::Error error = (*log)->close())
      return error;
  if (!quiet && logFile != "-")
    printSummary(getScreen(), *summary, loop.getProgram());
  if (compared)
    getScreen() << llvm::formatv(
        "largest distance from {0} recorded losses: {1:e1}\n", compared,
        distance);
  if (tolerance.getNumOccurrences() && !(compared && distance <= tolerance))
    return makeError(
        compared ? "losses are further from the recorded ones than --tolerance"
                 : "'" + replayFile +
                       "' has no recorded losses, which "
                       "--tolerance compares with");
  if (!saveFile.empty())
    if (llvm::Error error = writeState(saveFile, loop.getState()))
      return error;
  return llvm::Error::success();
}

static llvm::Expected<std::vector<Injection>> parseInjections() {
  std::vector<Injection> parsed;
  for (const std::string &text : injections) {
    llvm::Expected<Injection> injection = parseInjection(text);
    if (!injection)
      return injection.takeError();
    parsed.push_back(std::move(*injection));
  }
  return parsed;
}

/// The data of --test-data, before the first step: a long run must not end with
/// an error that was there from the start.
static llvm::Expected<Dataset> loadTestData(Program &program) {
  if (!program.getEvaluate())
    return makeError(
        "'" + inputFile +
        "' has no evaluate function, which --test-data needs: "
        "a function with 'param' and 'batch' arguments and an 'output' result");
  return Dataset::load(testFile);
}

static llvm::Error evaluateAfter(TrainingLoop &loop, const Dataset &data) {
  llvm::Expected<Evaluation> result =
      evaluate(loop.getProgram(), loop.getState(), data);
  if (!result)
    return result.takeError();
  raw_ostream &screen = getScreen();
  screen << "evaluated " << result->rows << " rows";
  if (result->accuracy)
    screen << llvm::formatv(": accuracy {0:f4}", *result->accuracy);
  if (result->crossEntropy)
    screen << llvm::formatv(", cross entropy {0:f4}", *result->crossEntropy);
  screen << "\n";
  return llvm::Error::success();
}

static llvm::Error runBatches(MLIRContext &context) {
  llvm::Expected<std::vector<Injection>> injected = parseInjections();
  if (!injected)
    return injected.takeError();
  llvm::Expected<Compiled> compiled =
      compile(context, /*insertTaps=*/!logFile.empty() || !injected->empty());
  if (!compiled)
    return compiled.takeError();
  ArrayRef<ValueSpec> arguments =
      compiled->program->getTrainStep().getArguments();

  std::unique_ptr<BatchSource> batches;
  std::unique_ptr<GivenValues> given;
  std::vector<double> recorded;
  if (!replayFile.empty()) {
    llvm::Expected<Replay> replay =
        openReplay(replayFile, arguments, compiled->originalArguments);
    if (!replay)
      return replay.takeError();
    batches = std::move(replay->batches);
    given = std::move(replay->startValues);
    recorded = std::move(replay->losses);
  } else {
    llvm::Expected<Dataset> data = Dataset::load(dataFile);
    if (!data)
      return data.takeError();
    llvm::Expected<std::unique_ptr<BatchSource>> source =
        makeShuffledSource(*data, arguments, batchSize, seed);
    if (!source)
      return source.takeError();
    batches = std::move(*source);
  }
  if (!initFile.empty()) {
    llvm::Expected<std::unique_ptr<GivenValues>> opened =
        openInitFile(initFile);
    if (!opened)
      return opened.takeError();
    given = std::move(*opened);
  }
  llvm::Expected<TrainingState> state =
      makeStartValues(arguments, given.get(), seed);
  if (!state)
    return state.takeError();

  std::optional<Dataset> testData;
  if (!testFile.empty()) {
    llvm::Expected<Dataset> loaded = loadTestData(*compiled->program);
    if (!loaded)
      return loaded.takeError();
    testData.emplace(std::move(*loaded));
  }

  TrainingLoop::Options options;
  options.numSteps = numSteps ? numSteps : batches->getNumSteps().value_or(0);
  options.injections = std::move(*injected);
  if (options.numSteps < 1)
    return makeError("expected --steps of at least 1 with --data");
  auto loop = TrainingLoop::create(*compiled->program, *batches,
                                   std::move(*state), options);
  if (!loop)
    return makeError("'" + inputFile +
                     "': " + llvm::toString(loop.takeError()));
  if (llvm::Error error = train(**loop, recorded))
    return error;
  return testData ? evaluateAfter(**loop, *testData) : llvm::Error::success();
}

static llvm::Error replayOracle(MLIRContext &context) {
  llvm::Expected<Oracle> oracle = Oracle::load(oracleFile, oracleData);
  if (!oracle)
    return oracle.takeError();
  if (oracleRun == "list") {
    oracle->printList(getScreen());
    return llvm::Error::success();
  }
  auto runs = oracle->select(oracleRun, llvm::sys::path::stem(inputFile));
  if (!runs)
    return runs.takeError();
  llvm::Expected<std::optional<StepLog>> log = openLog();
  if (!log)
    return log.takeError();
  unsigned agree = 0, disagree = 0, open = 0;
  for (const OracleRun *run : *runs) {
    // Many runs: no selection each, unless it is asked for.
    llvm::Expected<Compiled> compiled = compile(
        context, /*insertTaps=*/true, {{"verbosity", "0"}}, run->properties);
    if (!compiled)
      return compiled.takeError();
    llvm::Expected<OracleComparison> comparison = replayRun(
        *oracle, *run, *compiled->program, [&](const StepRecord &record) {
          return *log ? (*log)->write(record) : llvm::Error::success();
        });
    if (!comparison)
      return comparison.takeError();
    printComparison(getScreen(), *comparison);
    switch (comparison->getVerdict()) {
    case OracleVerdict::Agree:
      ++agree;
      break;
    case OracleVerdict::Disagree:
      ++disagree;
      break;
    case OracleVerdict::NotComparable:
      ++open;
      break;
    }
  }
  if (*log)
    if (llvm::Error error = (*log)->close())
      return error;
  getScreen() << agree << " runs agree, " << disagree << " disagree, " << open
              << " cannot be compared\n";
  if (disagree)
    return makeError("'" + oracleFile + "': runs outside their tolerances");
  return llvm::Error::success();
}

static llvm::Error run(MLIRContext &context) {
  llvm::Expected<Mode> mode = getMode();
  if (!mode)
    return mode.takeError();
  return *mode == Comparing ? replayOracle(context) : runBatches(context);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions({&runs, &precision, &host});
  cl::ParseCommandLineOptions(
      argc, argv, "compile a training step at an opt level and run it\n");
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  mlir::amp::registerAllDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // an error on the module prints it all
  llvm::Error error = run(context);
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
