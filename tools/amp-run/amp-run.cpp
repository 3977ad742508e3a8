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

static cl::OptionCategory runCategory("What to run");
static cl::OptionCategory
    precisionCategory("Precision, as in apex.amp.initialize");
static cl::OptionCategory hostCategory("Host");

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("STEP.mlir"),
                                      cl::cat(runCategory));
static cl::opt<std::string>
    dataFile("data", cl::desc("train on the arrays x0, x1... of this .npz"),
             cl::value_desc("file"), cl::cat(runCategory));
static cl::opt<std::string>
    testFile("test-data", cl::desc("evaluate on this .npz after training"),
             cl::value_desc("file"), cl::cat(runCategory));
static cl::opt<std::string>
    replayFile("replay",
               cl::desc("run the start values and batches stored in this .npz"),
               cl::value_desc("file"), cl::cat(runCategory));
static cl::opt<double>
    tolerance("tolerance",
              cl::desc("with --replay: fail if a loss is further than this "
                       "from the recorded one"),
              cl::init(0), cl::cat(runCategory));
static cl::opt<std::string>
    oracleFile("oracle", cl::desc("replay recorded runs of this .json"),
               cl::value_desc("file"), cl::cat(runCategory));
static cl::opt<std::string> oracleData(
    "oracle-data",
    cl::desc("folder of the oracle's .npz files (that of the .json)"),
    cl::value_desc("folder"), cl::cat(runCategory));
static cl::opt<std::string> oracleRun("run",
                                      cl::desc("ids of runs, 'all', or 'list'"),
                                      cl::init("all"), cl::cat(runCategory));
static cl::opt<int64_t>
    numSteps("steps", cl::desc("training steps (those of the replay file)"),
             cl::init(0), cl::cat(runCategory));
static cl::opt<int64_t>
    batchSize("batch-size", cl::desc("rows of a batch whose extent is dynamic"),
              cl::init(0), cl::cat(runCategory));
static cl::opt<uint64_t> seed("seed",
                              cl::desc("seed of start values and shuffling"),
                              cl::init(0), cl::cat(runCategory));
static cl::opt<std::string> initFile("init",
                                     cl::desc("start values from this .npz"),
                                     cl::value_desc("file"),
                                     cl::cat(runCategory));
static cl::opt<std::string>
    saveFile("save", cl::desc("write the final state to this .npz"),
             cl::value_desc("file"), cl::cat(runCategory));
static cl::opt<std::string>
    logFile("log", cl::desc("one JSON line a step; '-' is standard output"),
            cl::value_desc("file"), cl::cat(runCategory));
static cl::list<std::string>
    injections("inject",
               cl::desc("put a value into a gradient before unscaling"),
               cl::value_desc("STEP:NAME:INDEX:VALUE"), cl::cat(runCategory));
static cl::opt<bool> quiet("quiet", cl::desc("show no progress"),
                           cl::cat(runCategory));

static cl::opt<std::string> optLevel("opt-level", cl::desc("O0 to O5"),
                                     cl::init("O1"),
                                     cl::cat(precisionCategory));
static cl::opt<std::string>
    enabled("enabled", cl::desc("False: train the program as it is"),
            cl::cat(precisionCategory));
static cl::opt<std::string> castModelType("cast-model-type",
                                          cl::desc("type of the model"),
                                          cl::cat(precisionCategory));
static cl::opt<std::string>
    patchTorchFunctions("patch-torch-functions",
                        cl::desc("cast at listed functions"),
                        cl::cat(precisionCategory));
static cl::opt<std::string>
    patchTorchFunctionsType("patch-torch-functions-type",
                            cl::desc("half type of patched functions"),
                            cl::cat(precisionCategory));
static cl::opt<std::string>
    keepBatchnormFP32("keep-batchnorm-fp32",
                      cl::desc("keep batch norm in FP32"),
                      cl::cat(precisionCategory));
static cl::opt<std::string> masterWeights("master-weights",
                                          cl::desc("keep FP32 master weights"),
                                          cl::cat(precisionCategory));
static cl::opt<std::string> lossScale("loss-scale",
                                      cl::desc("dynamic, or a number"),
                                      cl::cat(precisionCategory));
static cl::opt<std::string>
    castModelOutputs("cast-model-outputs",
                     cl::desc("type of the model's outputs"),
                     cl::cat(precisionCategory));
static cl::opt<std::string> numLosses("num-losses",
                                      cl::desc("number of loss scalers"),
                                      cl::cat(precisionCategory));
static cl::opt<std::string> minLossScale("min-loss-scale",
                                         cl::desc("floor of a dynamic scale"),
                                         cl::cat(precisionCategory));
static cl::opt<std::string> maxLossScale("max-loss-scale",
                                         cl::desc("ceiling of a dynamic scale"),
                                         cl::cat(precisionCategory));
static cl::opt<std::string> verbosity("verbosity",
                                      cl::desc("0 prints no selection"),
                                      cl::cat(precisionCategory));

static cl::opt<BlasUse>
    blas("blas", cl::desc("whether large products may go to a BLAS library"),
         cl::values(clEnumValN(BlasUse::Auto, "auto", "if there is one"),
                    clEnumValN(BlasUse::Off, "off", "never")),
         cl::init(BlasUse::Auto), cl::cat(hostCategory));
static cl::opt<bool>
    reference("reference",
              cl::desc("no BLAS, no fusion, fixed order of sums: slow"),
              cl::cat(hostCategory));
static cl::opt<bool>
    timing("timing", cl::desc("print the time of each phase of compilation"),
           cl::cat(hostCategory));

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// Sets the options of the pipeline from the command line, and then from
/// `given`. Both use the pipeline's names, so its own parser does the work.
static llvm::Error
setPrecision(MixedPrecisionOptions &options,
             ArrayRef<std::pair<std::string, std::string>> given) {
  std::string text;
  for (cl::opt<std::string> *option :
       {&optLevel, &enabled, &castModelType, &patchTorchFunctions,
        &patchTorchFunctionsType, &keepBatchnormFP32, &masterWeights,
        &lossScale, &castModelOutputs, &numLosses, &minLossScale, &maxLossScale,
        &verbosity})
    if (option->getNumOccurrences() || !option->empty())
      text += (option->ArgStr + "=" + option->getValue() + " ").str();
  for (const auto &[name, value] : given)
    text += name + "=" + value + " ";
  if (failed(options.parseFromString(text)))
    return makeError("options of the precision cannot be read: " + text);
  return llvm::Error::success();
}

namespace {
/// A compiled step and what its source said of its arguments.
struct Compiled {
  std::unique_ptr<Program> program;
  SmallVector<ValueSpec> originalArguments;
};
} // namespace

static llvm::Expected<Compiled>
compile(MLIRContext &context, bool insertTaps,
        ArrayRef<std::pair<std::string, std::string>> properties = {}) {
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

  MixedPrecisionOptions precision;
  if (llvm::Error error = setPrecision(precision, properties))
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
      compileForHost(*module, precision, lowering, options, &report);
  if (!program)
    return makeError("'" + inputFile +
                     "': " + llvm::toString(program.takeError()));
  if (verbosity != "0")
    llvm::outs() << report.decisions;
  if (timing)
    llvm::outs() << llvm::formatv(
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

/// Runs a loop with its log and display. `recorded` losses, one a step, are
/// compared with; there may be none.
static llvm::Error train(TrainingLoop &loop, ArrayRef<double> recorded) {
  double distance = 0;
  int64_t compared = 0;
  std::optional<StepLog> log;
  if (!logFile.empty()) {
    llvm::Expected<StepLog> opened = StepLog::open(logFile);
    if (!opened)
      return opened.takeError();
    log.emplace(std::move(*opened));
  }
  std::optional<ProgressDisplay> display;
  if (!quiet && logFile != "-")
    display.emplace(llvm::outs(),
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
        return log ? log->write(record) : llvm::Error::success();
      });
  display.reset();
  if (!summary)
    return summary.takeError();
  if (log)
    if (llvm::Error error = log->close())
      return error;
  if (!quiet && logFile != "-")
    printSummary(llvm::outs(), *summary, loop.getProgram());
  if (compared)
    llvm::outs() << llvm::formatv(
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

static llvm::Error evaluateAfter(TrainingLoop &loop) {
  if (testFile.empty())
    return llvm::Error::success();
  if (!loop.getProgram().getEvaluate())
    return makeError(
        "'" + inputFile +
        "' has no evaluate function, which --test-data needs: "
        "a function with 'param' and 'batch' arguments and an 'output' result");
  llvm::Expected<Dataset> data = Dataset::load(testFile);
  if (!data)
    return data.takeError();
  llvm::Expected<Evaluation> result =
      evaluate(loop.getProgram(), loop.getState(), *data);
  if (!result)
    return result.takeError();
  llvm::outs() << "evaluated " << result->rows << " rows";
  if (result->accuracy)
    llvm::outs() << llvm::formatv(": accuracy {0:f4}", *result->accuracy);
  if (result->crossEntropy)
    llvm::outs() << llvm::formatv(", cross entropy {0:f4}",
                                  *result->crossEntropy);
  llvm::outs() << "\n";
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

  TrainingLoop::Options options;
  options.numSteps = numSteps ? numSteps : batches->getNumSteps().value_or(0);
  options.injections = std::move(*injected);
  if (options.numSteps < 1)
    return makeError("expected --steps of at least 1 with --data");
  auto loop = TrainingLoop::create(*compiled->program, *batches,
                                   std::move(*state), options);
  if (!loop)
    return loop.takeError();
  if (llvm::Error error = train(**loop, recorded))
    return error;
  return evaluateAfter(**loop);
}

static llvm::Error replayOracle(MLIRContext &context) {
  llvm::Expected<Oracle> oracle = Oracle::load(oracleFile, oracleData);
  if (!oracle)
    return oracle.takeError();
  if (oracleRun == "list") {
    oracle->printList(llvm::outs());
    return llvm::Error::success();
  }
  auto runs = oracle->select(oracleRun, llvm::sys::path::stem(inputFile));
  if (!runs)
    return runs.takeError();
  unsigned agree = 0, disagree = 0, open = 0;
  for (const OracleRun *run : *runs) {
    std::vector<std::pair<std::string, std::string>> properties =
        run->properties;
    if (verbosity.empty())
      verbosity = "0"; // many runs: no selection each
    llvm::Expected<Compiled> compiled =
        compile(context, /*insertTaps=*/true, properties);
    if (!compiled)
      return compiled.takeError();
    std::optional<StepLog> log;
    if (!logFile.empty()) {
      llvm::Expected<StepLog> opened = StepLog::open(logFile);
      if (!opened)
        return opened.takeError();
      log.emplace(std::move(*opened));
    }
    llvm::Expected<OracleComparison> comparison = replayRun(
        *oracle, *run, *compiled->program, [&](const StepRecord &record) {
          return log ? log->write(record) : llvm::Error::success();
        });
    if (!comparison)
      return comparison.takeError();
    if (log)
      if (llvm::Error error = log->close())
        return error;
    printComparison(llvm::outs(), *comparison);
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
  llvm::outs() << agree << " runs agree, " << disagree << " disagree, " << open
               << " cannot be compared\n";
  if (disagree)
    return makeError("'" + oracleFile + "': runs outside their tolerances");
  return llvm::Error::success();
}

static llvm::Error run(MLIRContext &context) {
  unsigned modes =
      !dataFile.empty() + !replayFile.empty() + !oracleFile.empty();
  if (modes != 1)
    return makeError("expected one of --data, --replay and --oracle, but got " +
                     Twine(modes) + "; see --help");
  if (numSteps.getNumOccurrences() && numSteps < 1)
    return makeError("expected --steps to be at least 1, but got " +
                     Twine(numSteps));
  if (oracleRun.getNumOccurrences() && oracleFile.empty())
    return makeError("--run names a run of --oracle, which is not given");
  if (tolerance.getNumOccurrences() && replayFile.empty())
    return makeError(
        "--tolerance compares with the losses of --replay, which is not given");
  return oracleFile.empty() ? runBatches(context) : replayOracle(context);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions({&runCategory, &precisionCategory, &hostCategory});
  cl::ParseCommandLineOptions(
      argc, argv, "compile a training step at an opt level and run it\n");
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  mlir::amp::registerAllDialects(registry);
  MLIRContext context(registry);
  if (llvm::Error error = run(context)) {
    llvm::outs().flush();
    llvm::errs() << "amp-run: error: " << llvm::toString(std::move(error))
                 << "\n";
    return 1;
  }
  return 0;
}
