//===- RunTool.cpp - Compile a training step and run it -------------------===//
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
//   amp-run step.so trains and replays what amp-compile made of a step
//
// The order in which the libraries are called; no compiler code and no training
// code stand here. All that can be known to be wrong is asked for before the
// step is compiled, and nothing is written until then. Every error ends with a
// line on standard error and exit code 1, and so does a signal, with its own
// code, once the state is saved.
//
//===----------------------------------------------------------------------===//

#include "RunTool.h"
#include "BatchExtents.h"
#include "RunOptions.h"
#include "StepOptions.h"
#include "StopSignals.h"

#include "amp/Execution/ArrayBinding.h"
#include "amp/Execution/BlasReport.h"
#include "amp/Execution/DescribedProgram.h"
#include "amp/Execution/Evaluation.h"
#include "amp/Execution/JitProgram.h"
#include "amp/Execution/KernelProfile.h"
#include "amp/Execution/MemoryLimits.h"
#include "amp/Execution/OracleReplay.h"
#include "amp/Execution/PerfMap.h"
#include "amp/Execution/ProgramBundle.h"
#include "amp/Execution/ProgramFile.h"
#include "amp/Execution/ProgramsByExtents.h"
#include "amp/Execution/ProgressDisplay.h"
#include "amp/Execution/RunFiles.h"
#include "amp/Execution/StepLog.h"
#include "amp/Execution/TrainingLoop.h"
#include "amp/Execution/WholeFile.h"
#include "amp/Support/OutOfMemory.h"
#include "amp/Support/Quantities.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
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

/// Sets the options of the pipeline: those of `defaults`, then of the command
/// line, then of `overrides`.
static llvm::Error setPrecision(MixedPrecisionOptions &pipeline,
                                const RunOptions &options,
                                const NamedValues &defaults,
                                const NamedValues &overrides) {
  NamedValues given = defaults;
  llvm::append_range(given, options.precision);
  llvm::append_range(given, overrides);
  return setPrecision(pipeline, given, getScreen(options));
}

namespace {
/// The module of the command line, before it is compiled.
struct Source {
  explicit Source(MLIRContext &context) : handler(sources, &context) {}

  llvm::SourceMgr sources;
  /// Shows the lines of diagnostics, also those of the compilation.
  SourceMgrDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  ModuleSignature signature;
};
} // namespace

static llvm::Expected<std::unique_ptr<Source>>
parse(MLIRContext &context, const RunOptions &options) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(options.inputFile, &message);
  if (!buffer)
    return makeError(message);
  // As one that a copy has only begun; it would be a module without a step.
  if (buffer->getBufferSize() == 0)
    return makeError("'" + options.inputFile +
                     "' is empty; name a step as MLIR, or what amp-compile "
                     "made of one");
  auto source = std::make_unique<Source>(context);
  source->sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  source->module = parseSourceFile<ModuleOp>(source->sources, &context);
  if (!source->module)
    return makeError("'" + options.inputFile + "' cannot be read as MLIR");
  return source;
}

/// What a refusal of a step may have to do with.
static std::string explainExtents(const MixedPrecisionOptions &precision) {
  return precision.extents.empty()
             ? ""
             : " (extents of the batch: " +
                   llvm::join(precision.extents, ", ") + ")";
}

/// What the functions of the module take and give at `precision`.
static llvm::Error readSignature(Source &source, const RunOptions &options,
                                 const MixedPrecisionOptions &precision) {
  llvm::Expected<ModuleSignature> signature =
      readSignatures(*source.module, precision);
  if (!signature)
    return makeError("'" + options.inputFile +
                     "': " + llvm::toString(signature.takeError()) +
                     explainExtents(precision));
  source.signature = std::move(*signature);
  return llvm::Error::success();
}

namespace {
/// Who computes.
struct Compute {
  const RunToolParts &parts;
  /// With its chip, if it is a device.
  DeviceTarget target;
  /// Large products on the host.
  BlasReport blas;
};
} // namespace

/// Calls of kernels in a trace: a thousand steps of a model of some size, and
/// 60 MB.
static constexpr int64_t kTracedCalls = 1 << 18;

static bool expandsTiles(const RunOptions &options) {
  return options.tiles == TileUse::Expanded ||
         options.tiles == TileUse::ExpandedFp16;
}

/// The CPU that a step is compiled for.
static HostMachine getMachine(const RunOptions &options) {
  HostMachine machine = *HostMachine::get("native");
  switch (options.tiles) {
  case TileUse::Auto:
    break;
  case TileUse::Off:
    if (machine.bf16 == Bf16Products::Amx)
      machine.bf16 = Bf16Products::Widened;
    machine.f16 = F16Products::Widened;
    break;
  case TileUse::Expanded:
    machine.bf16 = Bf16Products::Amx;
    machine.f16 = F16Products::AmxParts;
    break;
  case TileUse::ExpandedFp16:
    machine.bf16 = Bf16Products::Amx;
    machine.f16 = F16Products::Amx;
    break;
  }
  return machine;
}

/// How a step is compiled for the host.
static void setHostLowering(HostLoweringOptions &lowering,
                            const RunOptions &options, const BlasReport &blas) {
  setBlas(lowering, blas);
  lowering.reference = options.reference;
  lowering.cpu = "native";
  const HostMachine machine = getMachine(options);
  lowering.bf16 = machine.bf16;
  lowering.f16 = machine.f16;
  lowering.expandTiles = expandsTiles(options);
  lowering.threads = options.threads;
  lowering.profile = options.profile || !options.traceFile.empty();
  lowering.countTraffic = options.timing;
  lowering.describeKernels = options.perfMap;
}

/// Fails for a program that takes more memory than there is.
static llvm::Error checkMemory(const RunOptions &options, Program &program,
                               ArrayRef<int64_t> batchBytes) {
  // Values from a file are there twice while they are converted.
  const bool isCopied = options.mode != Train || !options.initFile.empty();
  if (llvm::Error error =
          checkMemory(estimateMemory(program, isCopied ? 2 : 1, batchBytes),
                      findMemoryLimit()))
    return makeError("'" + options.inputFile +
                     "': " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

/// Compiles `module`, which is consumed, to a program with `scalers`, or some
/// of its own.
static llvm::Expected<std::unique_ptr<Program>>
compile(ModuleOp module, const RunOptions &options, const Compute &compute,
        const MixedPrecisionOptions &precision, ArrayRef<int64_t> batchBytes,
        bool insertTaps, ArrayRef<Program::ScalerSlot> scalers = {}) {
  JitOptions jit;
  jit.insertTaps = insertTaps;
  jit.scalers = scalers;
  jit.keptCalls = options.traceFile.empty() ? 0 : kTracedCalls;
  if (options.reference)
    jit.optimizationLevel = 1; // loops stay as they are
  HostLoweringOptions lowering;
  setHostLowering(lowering, options, compute.blas);
  CompileReport report;
  llvm::Expected<std::unique_ptr<Program>> program =
      options.isOnHost()
          ? compileForHost(module, precision, lowering, jit, &report)
          : compute.parts.compileForDevice(module, precision, compute.target,
                                           jit, &report);
  if (!program)
    return makeError("'" + options.inputFile +
                     "': " + llvm::toString(program.takeError()) +
                     explainExtents(precision));
  if (precision.verbosity != "0")
    getScreen(options) << report.decisions;
  if (options.timing)
    getScreen(options) << llvm::formatv(
        "compiled in {0:f2} s: preparation {1:f2}, lowering {2:f2}, code generation {3:f2}\n",
        report.preparation + report.lowering + report.codegen,
        report.preparation, report.lowering, report.codegen);
  if (report.kernelTraffic && report.leastTraffic && *report.leastTraffic > 0)
    getScreen(options) << llvm::formatv(
        "kernels of a step move {0}, {1:f2} of the least ({2})\n",
        formatBytes(*report.kernelTraffic),
        double(*report.kernelTraffic) / *report.leastTraffic,
        formatBytes(*report.leastTraffic));
  if (report.kernelMemoryBound && report.leastMemoryBound &&
      *report.leastMemoryBound > 0)
    getScreen(options) << llvm::formatv(
        "without what contractions have to move {0}, {1:f2} of the least "
        "({2})\n",
        formatBytes(*report.kernelMemoryBound),
        double(*report.kernelMemoryBound) / *report.leastMemoryBound,
        formatBytes(*report.leastMemoryBound));
  if (llvm::Error error = checkMemory(options, **program, batchBytes))
    return std::move(error);
  if (options.perfMap) {
    const std::string path = getPerfMapPath();
    if (llvm::Error error =
            writePerfMap(path, report.functions, (*program)->getKernelTimes()))
      return std::move(error);
    if (!options.quiet)
      getScreen(options) << "names for perf: " << path << "\n";
  }
  return program;
}

/// Compiles `module` for batches of these extents: a program for each list, as
/// one. Without any, as it is.
static llvm::Expected<std::unique_ptr<Program>>
compileForExtents(ModuleOp module, const RunOptions &options,
                  const Compute &compute, MixedPrecisionOptions &precision,
                  ArrayRef<ExtentList> extents, ArrayRef<int64_t> batchBytes,
                  bool insertTaps) {
  if (extents.size() <= 1)
    return compile(module, options, compute, precision, batchBytes, insertTaps);
  std::vector<std::unique_ptr<Program>> programs;
  for (const ExtentList &list : extents) {
    precision.extents = list;
    OwningOpRef<ModuleOp> copy = module.clone();
    // All decide the same, which was said for the first.
    ScopedDiagnosticHandler again(
        module.getContext(), [&](Diagnostic &diagnostic) {
          return success(!programs.empty() && diagnostic.getSeverity() ==
                                                  DiagnosticSeverity::Remark);
        });
    llvm::Expected<std::unique_ptr<Program>> program =
        compile(*copy, options, compute, precision, batchBytes, insertTaps,
                programs.empty() ? ArrayRef<Program::ScalerSlot>()
                                 : programs.front()->getScalers());
    if (!program)
      return program.takeError();
    programs.push_back(std::move(*program));
    precision.verbosity = "0";
  }
  return joinByExtents(std::move(programs));
}

/// Shows which version of a program runs, if the program says so.
static void printVersion(const RunOptions &options, const AmpRtProgram &program,
                         const AmpRtProgram &chosen) {
  constexpr size_t kWithVersions = offsetof(AmpRtProgram, reserved3);
  if (options.quiet || program.structSize < kWithVersions ||
      chosen.structSize < kWithVersions || !chosen.cpu)
    return;
  getScreen(options) << "CPU: compiled for '" << chosen.cpu << "'";
  if (program.versionCount)
    getScreen(options) << ", one of " << program.versionCount + 1
                       << " versions";
  getScreen(options) << "\n";
}

/// The program that was compiled before.
static llvm::Expected<std::unique_ptr<Program>>
open(const RunOptions &options) {
  llvm::Expected<ProgramFile> file = loadProgramFile(options.inputFile);
  if (!file)
    return file.takeError();
  const AmpRtProgram *chosen = nullptr;
  if (ampRtProgramChoose(file->program, &chosen) != AMP_RT_OK)
    return makeError("'" + options.inputFile +
                     "' cannot run here: " + ampRtStatusText());
  printVersion(options, *file->program, *chosen);
  ProgramOptions resources;
  resources.threads = options.threads;
  resources.device = options.target.device;
  llvm::Expected<std::unique_ptr<Program>> program =
      openProgram(*chosen, std::move(file->code), resources);
  if (!program)
    return makeError("'" + options.inputFile +
                     "': " + llvm::toString(program.takeError()));
  if (!options.injections.empty() && !(*program)->hasTaps())
    return makeError("--inject changes gradients, which '" + options.inputFile +
                     "' does not show; compile it with --taps");
  return program;
}

/// The parameters to which compilation gave masters: those stand where the
/// module has the parameter, and what computes is an argument behind them.
static llvm::StringSet<> findMasters(const FunctionSignature &compiled) {
  llvm::StringSet<> seen, found;
  for (const ValueSpec &argument : compiled.arguments) {
    if (argument.role == "master")
      seen.insert(argument.name);
    else if (argument.role == "param" && seen.contains(argument.name))
      found.insert(argument.name);
  }
  return found;
}

/// The signature that the module had, whose order files count by.
static FunctionSignature findOriginal(const FunctionSignature &compiled) {
  const llvm::StringSet<> masters = findMasters(compiled);
  auto restore = [&](ArrayRef<ValueSpec> values) {
    SmallVector<ValueSpec> original;
    for (ValueSpec value : values) {
      const bool hasMaster = masters.contains(value.name);
      if (value.role == "param" && hasMaster)
        continue;
      if (value.role == "master" && hasMaster)
        value.role = "param";
      original.push_back(std::move(value));
    }
    return original;
  };
  return {compiled.name, restore(compiled.arguments),
          restore(compiled.results)};
}

static ModuleSignature getSignature(Program &program) {
  ModuleSignature signature{findOriginal(program.getTrainStep().getSignature()),
                            std::nullopt};
  if (CompiledFunction *evaluate = program.getEvaluate())
    signature.evaluate = evaluate->getSignature();
  return signature;
}

/// Who computes, before anything is compiled.
static llvm::Expected<Compute> getCompute(const RunOptions &options,
                                          const RunToolParts &parts) {
  Compute compute{parts, options.target, {std::nullopt, ""}};
  if (!options.isOnHost()) {
    compute.blas.reason = "switched off by --device=" + options.target.device;
    if (options.isProgram)
      return std::move(compute);
    if (!parts.completeTarget)
      return makeError(
          "expected --device=host, for this amp-run has no kernels "
          "of a device, but got --device=" +
          options.target.device +
          "; the amp-run of the compiler's own build has them");
    if (llvm::Error error = parts.completeTarget(compute.target))
      return std::move(error);
    compute.target.countTraffic = options.timing;
    return std::move(compute);
  }
  if (options.reference) {
    compute.blas.reason = "switched off by --reference";
    return std::move(compute);
  }
  if (options.blas == "off") {
    compute.blas.reason = "switched off by --blas=off";
    return std::move(compute);
  }
  llvm::Expected<BlasReport> blas = options.blas == "auto"
                                        ? chooseBlas()
                                        : chooseBlas(options.blas, "--blas");
  if (!blas)
    return blas.takeError();
  compute.blas = std::move(*blas);
  return std::move(compute);
}

/// Shows who computes.
static void printCompute(const RunOptions &options, const Compute &compute) {
  if (!options.isOnHost()) {
    getScreen(options) << "device: " << compute.target.device;
    if (!options.isProgram)
      getScreen(options) << ", kernels for " << compute.target.chip;
    getScreen(options) << "\n";
    return;
  }
  printBlas(getScreen(options), compute.blas);
  getScreen(options) << "threads: " << options.threads << "\n";
  if (!options.reference && !options.isProgram)
    getScreen(options) << "CPU: " << getMachine(options).describe()
                       << (expandsTiles(options) ? ", tiles by loops\n" : "\n");
}

/// Shows for which batches a step is compiled, if they say it.
static void printExtents(const RunOptions &options,
                         ArrayRef<ExtentList> extents) {
  if (options.quiet || extents.empty())
    return;
  getScreen(options) << "extents of the batch: "
                     << llvm::join(extents.front(), ", ") << "\n";
  for (const ExtentList &list : extents.drop_front())
    getScreen(options) << "extents of other batches, with a program of their "
                          "own: "
                       << llvm::join(list, ", ") << "\n";
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Fails if the run would destroy a file that it reads, or could not write one
/// at its end. Standard output may be a file too.
static llvm::Error checkFiles(const RunOptions &options,
                              ArrayRef<RunFile> inputs) {
  const std::string log = options.logFile == "-" ? "" : options.logFile;
  if (llvm::Error error =
          checkRunFiles(inputs, {{"standard output", "-"},
                                 {"--log", log},
                                 {"--trace", options.traceFile},
                                 {"--save", options.saveFile, "--init"}}))
    return error;
  return options.saveFile.empty() ? llvm::Error::success()
                                  : checkCanWrite(options.saveFile);
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
  /// Those of the whole file; empty if there are none, or the run is shorter.
  std::vector<RecordedUpdate> updates;
  /// The row of --tolerances that applies to the run.
  std::optional<ToleranceRow> tolerances;
};

/// What a run of batches reads, bound to the module and checked.
struct Inputs {
  std::unique_ptr<BatchSource> batches;
  /// Null: start values come from the seed.
  std::unique_ptr<GivenValues> startValues;
  /// Nothing unless it is a replay.
  Recorded recorded;
  std::optional<Dataset> testData;
  TrainingLoop::Options loop;
};
} // namespace

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

/// Opens the batches of a train step with these arguments, with the start
/// values and losses of a replay.
static llvm::Expected<Replay> openBatches(const RunOptions &options,
                                          ArrayRef<ValueSpec> arguments) {
  if (options.mode == Replaying)
    return openReplay(options.sourceFile, arguments);
  llvm::Expected<Dataset> data = Dataset::open(options.sourceFile);
  if (!data)
    return data.takeError();
  llvm::Expected<std::unique_ptr<BatchSource>> source =
      makeShuffledSource(*data, arguments, options.batchSize, options.seed);
  if (!source)
    return source.takeError();
  return Replay{std::move(*source), nullptr, {}};
}

/// Reads each batch of a replay once and keeps none: what is wrong in its last
/// one must not end a run that has come so far.
static llvm::Error checkBatches(BatchSource &batches, int64_t numSteps) {
  for (int64_t step = 0; step < numSteps; ++step) {
    llvm::Expected<Batch> batch = batches.getBatch(step);
    if (!batch)
      return batch.takeError();
  }
  return llvm::Error::success();
}

/// The opt level by which tolerances are looked up.
static std::string getOptLevel(const RunOptions &options) {
  for (const auto &[name, value] : options.precision)
    if (name == "opt-level")
      return value;
  return MixedPrecisionOptions().optLevel;
}

static std::string getModuleName(const RunOptions &options) {
  return llvm::sys::path::stem(options.inputFile).str();
}

/// The row of --tolerances for this run.
static llvm::Expected<ToleranceRow> readTolerances(const RunOptions &options) {
  llvm::Expected<ToleranceTable> table =
      ToleranceTable::load(options.tolerances);
  if (!table)
    return table.takeError();
  const std::string module = getModuleName(options);
  const std::string level = getOptLevel(options);
  if (const ToleranceRow *row =
          table->find({{"module", module}, {"opt_level", level}}))
    return *row;
  return makeError("expected '" + options.tolerances +
                   "' to have tolerances for module '" + module + "' at " +
                   level + ", but no row applies");
}

/// True if a run that is compared with `recorded` measures `name`.
static bool isMeasured(StringRef name, const Recorded &recorded,
                       bool hasOneLoss) {
  if (name == quantity::kFirstLoss || name == quantity::kLosses)
    return hasOneLoss && !recorded.losses.empty();
  const bool isOfBuffers = name == quantity::kBufferUpdates;
  if (name != quantity::kUpdates && name != quantity::kWorstUpdate &&
      !isOfBuffers)
    return false;
  return llvm::any_of(recorded.updates, [&](const RecordedUpdate &update) {
    return isOfBuffers ? update.role == "buffer"
                       : update.role == "param" &&
                             !llvm::is_contained(recorded.tolerances->noise,
                                                 update.name);
  });
}

/// Reads what the run will be compared with, and fails if a tolerance would
/// meet nothing.
static llvm::Error openRecorded(const RunOptions &options,
                                const FunctionSignature &trainStep,
                                Inputs &inputs) {
  Recorded &recorded = inputs.recorded;
  // What was recorded is the end of the whole run.
  if (inputs.loop.numSteps == inputs.batches->getNumSteps()) {
    llvm::Expected<std::vector<RecordedUpdate>> updates =
        readRecordedUpdates(options.sourceFile, trainStep.arguments);
    if (!updates)
      return updates.takeError();
    recorded.updates = std::move(*updates);
  }
  const auto losses =
      llvm::count_if(trainStep.results,
                     [](const ValueSpec &spec) { return spec.role == "loss"; });
  if (!options.tolerances.empty()) {
    llvm::Expected<ToleranceRow> row = readTolerances(options);
    if (!row)
      return row.takeError();
    recorded.tolerances = std::move(*row);
    for (const auto &limit : recorded.tolerances->limits)
      if (!isMeasured(limit.first, recorded, losses == 1))
        return makeError("expected '" + options.sourceFile + "' to record '" +
                         limit.first +
                         "', for which there is a tolerance, or this "
                         "run to have as many steps");
  }
  if (!options.tolerance)
    return llvm::Error::success();
  if (recorded.losses.empty())
    return makeError("'" + options.sourceFile +
                     "' has no recorded losses, which --tolerance compares "
                     "with");
  if (losses != 1)
    return makeError("'" + options.inputFile + "' has " + Twine(losses) +
                     " losses, but --tolerance compares one; leave it out");
  return llvm::Error::success();
}

/// Opens everything that the run reads and checks it against the module: types
/// and shapes of arguments are those of the compiled step, but for the width of
/// parameters.
static llvm::Expected<Inputs> openInputs(const RunOptions &options,
                                         const ModuleSignature &module) {
  Inputs inputs;
  llvm::Expected<std::vector<Injection>> injections = parseInjections(options);
  if (!injections)
    return injections.takeError();
  inputs.loop.injections = std::move(*injections);
  llvm::Expected<Replay> replay =
      openBatches(options, module.trainStep.arguments);
  if (!replay)
    return replay.takeError();
  inputs.batches = std::move(replay->batches);
  inputs.startValues = std::move(replay->startValues);
  inputs.recorded.losses = std::move(replay->losses);
  inputs.loop.numSteps =
      options.numSteps.value_or(inputs.batches->getNumSteps().value_or(0));
  if (inputs.loop.numSteps < 1)
    return makeError("expected --steps of at least 1 with --data");
  if (llvm::Error error =
          checkTrainStep(module.trainStep, *inputs.batches, inputs.loop))
    return makeError("'" + options.inputFile +
                     "': " + llvm::toString(std::move(error)));

  if (!options.initFile.empty()) {
    llvm::Expected<std::unique_ptr<GivenValues>> opened =
        openInitFile(options.initFile);
    if (!opened)
      return opened.takeError();
    inputs.startValues = std::move(*opened);
  }
  if (llvm::Error error = checkStartValues(module.trainStep.arguments,
                                           inputs.startValues.get()))
    return std::move(error);
  if (options.mode == Replaying) {
    if (llvm::Error error = checkBatches(*inputs.batches, inputs.loop.numSteps))
      return std::move(error);
    if (llvm::Error error = openRecorded(options, module.trainStep, inputs))
      return std::move(error);
  }

  if (options.testFile.empty())
    return inputs;
  if (!module.evaluate)
    return makeError(
        "'" + options.inputFile +
        "' has no evaluate function, which --test-data needs: "
        "a function with 'param' and 'batch' arguments and an 'output' result");
  llvm::Expected<Dataset> testData = Dataset::open(options.testFile);
  if (!testData)
    return testData.takeError();
  inputs.testData.emplace(std::move(*testData));
  if (llvm::Error error =
          checkEvaluation(module.trainStep, *module.evaluate, *inputs.testData))
    return std::move(error);
  return inputs;
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

static double getLargerDistance(double largest, double difference) {
  return !(std::abs(difference) <= largest) ? std::abs(difference) : largest;
}

/// What is said when a signal has ended the run.
static std::string describeStop(const RunOptions &options, int signal,
                                const TrainingLoop &loop) {
  return ("stopped by " + StopSignals::getName(signal) + " after " +
          Twine(loop.getStep()) + " of " + Twine(loop.getNumSteps()) +
          " steps; " +
          (options.saveFile.empty()
               ? Twine("the state is lost, for there was no --save")
               : "the state is in '" + options.saveFile + "'"))
      .str();
}

namespace {
/// How far losses are from the recorded ones.
struct LossDistances {
  int64_t numCompared = 0;
  double first = 0;
  double largest = 0;

  void add(double distance) {
    // NaN must fail later comparisons, so no std::max.
    largest = getLargerDistance(largest, distance);
    if (numCompared++ == 0)
      first = largest;
  }
};
} // namespace

/// Says how far the run, which started from `start`, is from what was recorded;
/// an error if that is outside the tolerances.
static llvm::Error compareWithRecorded(const RunOptions &options,
                                       const Recorded &recorded,
                                       const LossDistances &losses,
                                       const TrainingState &start,
                                       const TrainingState &end) {
  raw_ostream &screen = getScreen(options);
  if (losses.numCompared)
    screen << llvm::formatv(
        "largest distance from {0} recorded losses: {1:e1}\n",
        losses.numCompared, losses.largest);
  if (options.tolerance && !(losses.largest <= *options.tolerance))
    return makeError(
        "losses are further from the recorded ones than --tolerance");
  ReplayComparison comparison;
  comparison.id = getModuleName(options) + " at " + getOptLevel(options);
  if (recorded.tolerances)
    comparison.tolerances = &*recorded.tolerances;
  if (losses.numCompared) {
    comparison.add(quantity::kFirstLoss, losses.first);
    comparison.add(quantity::kLosses, losses.largest);
  }
  if (llvm::Error error =
          addUpdateDistances(comparison, recorded.updates, start, end))
    return error;
  if (!comparison.tolerances) {
    for (const ReplayDistance &distance : comparison.distances)
      if (distance.quantity == quantity::kUpdates)
        screen << llvm::formatv(
            "distance from the recorded updates, relative: {0:e1}\n",
            distance.distance);
    return llvm::Error::success();
  }
  printComparison(screen, comparison);
  if (comparison.getVerdict() == ReplayVerdict::Agree)
    return llvm::Error::success();
  return makeError("'" + options.sourceFile +
                   "': the replay is outside its tolerances");
}

/// Saves the state of a run that `error`, or nothing, has ended: a step that
/// fails, on one bad batch, costs none of those before it.
static llvm::Error saveState(const RunOptions &options,
                             const TrainingLoop &loop, llvm::Error error) {
  llvm::Error notSaved = writeState(options.saveFile, loop.getState());
  if (!error || notSaved)
    return llvm::joinErrors(std::move(error), std::move(notSaved));
  return makeError(llvm::toString(std::move(error)) + "; the state after " +
                   Twine(loop.getStep()) +
                   (loop.getStep() == 1 ? " step" : " steps") + " is in '" +
                   options.saveFile + "'");
}

/// Shows where the time went, and writes the trace.
static llvm::Error showProfile(const RunOptions &options,
                               const RunSummary &summary, Program &program) {
  const std::vector<KernelTime> times = program.getKernelTimes();
  const bool leavesFirst = summary.steps > 1;
  if (options.profile)
    printKernelProfile(
        getScreen(options), times, summary.steps - (leavesFirst ? 1 : 0),
        leavesFirst ? summary.otherSeconds : summary.firstStepSeconds,
        measureMachinePeak(options.threads));
  if (options.traceFile.empty())
    return llvm::Error::success();
  std::error_code failure;
  llvm::raw_fd_ostream file(options.traceFile, failure);
  if (!failure) {
    const std::vector<KernelCall> calls = program.getKernelCalls();
    writeTrace(file, times, calls);
    file.close();
    const int64_t all = countCalls(times);
    if (all > int64_t(calls.size()))
      llvm::errs()
          << "amp-run: warning: '" << options.traceFile << "' has the first "
          << calls.size() << " of " << all
          << " calls of kernels; for the others run fewer steps from a state "
             "that --save wrote\n";
    failure = file.error();
    file.clear_error();
  }
  if (failure)
    return makeError("cannot write '" + options.traceFile +
                     "': " + failure.message());
  return llvm::Error::success();
}

/// Runs a loop with its log and display and saves the state, also where a
/// signal, a failed step or a log that cannot be written ended it early; a
/// whole run is then compared with what was recorded. Returns the signal, or 0.
static llvm::Expected<int> train(const RunOptions &options, TrainingLoop &loop,
                                 const Recorded &recorded,
                                 std::optional<StepLog> log) {
  const TrainingState start =
      cloneUpdatedValues(loop.getState(), recorded.updates);
  LossDistances losses;
  llvm::Error logError = llvm::Error::success();
  StopSignals signals;
  std::optional<ProgressDisplay> display;
  if (options.showsProgress())
    display.emplace(getScreen(options),
                    ProgressDisplay::Style::detect(loop.getNumSteps()),
                    loop.getNumSteps());
  llvm::Expected<RunSummary> summary = runTraining(
      loop,
      [&](const StepRecord &record, const RunSummary &soFar) -> llvm::Error {
        if (display)
          display->update(record, soFar);
        // What the first step does once is not where the time of a run goes.
        if (soFar.steps == 1 && loop.getNumSteps() > 1)
          loop.getProgram().resetKernelTimes();
        const auto step = static_cast<size_t>(losses.numCompared);
        if (step < recorded.losses.size() && record.losses.size() == 1)
          losses.add(record.losses[0].second - recorded.losses[step]);
        // An injection keeps the gradients too.
        StepRecord logged = record;
        if (!options.logsGradNorm)
          logged.gradNorm.reset();
        if (llvm::Error error =
                log ? log->write(logged) : llvm::Error::success()) {
          logError = llvm::joinErrors(std::move(logError), std::move(error));
          signals.getRequest() = true;
        }
        return llvm::Error::success();
      },
      &signals.getRequest());
  display.reset();
  llvm::Error error = summary.takeError();
  if (!error && options.showsProgress())
    printSummary(getScreen(options), *summary, loop.getProgram());
  if (!options.quiet)
    printBlasFailure(getScreen(options));
  if (!error)
    error = showProfile(options, *summary, loop.getProgram());
  if (!options.saveFile.empty() && (!error || loop.getStep() > 0))
    error = saveState(options, loop, std::move(error));
  if (log)
    logError = llvm::joinErrors(std::move(logError), log->close());
  error = llvm::joinErrors(std::move(error), std::move(logError));
  if (error)
    return std::move(error);
  if (const int signal = signals.getSignal()) {
    getScreen(options).flush();
    llvm::errs() << "amp-run: " << describeStop(options, signal, loop) << '\n';
    return signal;
  }
  if (llvm::Error difference = compareWithRecorded(options, recorded, losses,
                                                   start, loop.getState()))
    return std::move(difference);
  return 0;
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
  if (!result->missingLabels.empty())
    screen << "; no accuracy, for there is no " << result->missingLabels
           << " with the labels";
  screen << "\n";
  return llvm::Error::success();
}

/// What a run reads.
static SmallVector<RunFile> listInputs(const RunOptions &options) {
  SmallVector<RunFile> files = {
      {options.isProgram ? "the program" : "the module", options.inputFile},
      {options.mode == Train ? "--data" : "--replay", options.sourceFile},
      {"--test-data", options.testFile},
      {"--init", options.initFile},
      {"--tolerances", options.tolerances}};
  if (options.isProgram)
    for (std::string &file : findBundleFiles(options.inputFile))
      files.push_back({"the program's bundle", std::move(file)});
  return files;
}

/// Trains or replays. Returns the signal that ended it, or 0.
static llvm::Expected<int> runBatches(MLIRContext &context,
                                      const RunOptions &options,
                                      const Compute &compute) {
  std::optional<StopBeforeSteps> early(std::in_place);
  if (llvm::Error error = checkFiles(options, listInputs(options)))
    return std::move(error);
  MixedPrecisionOptions precision;
  if (llvm::Error error = setPrecision(precision, options, {}, {}))
    return std::move(error);
  // One of them is there.
  llvm::Expected<std::unique_ptr<Source>> module = std::unique_ptr<Source>();
  llvm::Expected<std::unique_ptr<Program>> program = std::unique_ptr<Program>();
  if (options.isProgram)
    program = open(options);
  else
    module = parse(context, options);
  if (!module || !program)
    return llvm::joinErrors(module.takeError(), program.takeError());
  std::vector<ExtentList> extents;
  if (!options.isProgram) {
    if (precision.extents.empty()) {
      auto found =
          findBatchExtents(*(*module)->module, options, precision.microBatches);
      if (!found)
        return found.takeError();
      extents = std::move(*found);
    }
    if (!extents.empty())
      precision.extents = extents.front();
    printExtents(options, extents);
    if (llvm::Error error = readSignature(**module, options, precision))
      return std::move(error);
    if (extents.size() > 1)
      if (llvm::Error error = openBatchExtents((*module)->signature.trainStep,
                                               *(*module)->module))
        return std::move(error);
  }
  llvm::Expected<Inputs> inputs =
      openInputs(options, options.isProgram ? getSignature(**program)
                                            : (*module)->signature);
  if (!inputs)
    return inputs.takeError();
  std::optional<HeldSignals> held(std::in_place);
  llvm::Expected<std::optional<StepLog>> log = openLog(options, compute.blas);
  if (!log)
    return log.takeError();
  if (*log && (*log)->isNew())
    llvm::sys::RemoveFileOnSignal(options.logFile);
  held.reset();

  const std::vector<int64_t> batchBytes = inputs->batches->getBatchBytes();
  if (options.isProgram) {
    if (llvm::Error error = checkMemory(options, **program, batchBytes))
      return std::move(error);
  } else {
    program = compileForExtents(*(*module)->module, options, compute, precision,
                                extents, batchBytes,
                                /*insertTaps=*/(*log && options.logsGradNorm) ||
                                    !inputs->loop.injections.empty());
  }
  if (!program)
    return program.takeError();
  if (!options.quiet)
    printCompute(options, compute);
  llvm::Expected<TrainingState> state =
      makeStartValues((*program)->getTrainStep().getArguments(),
                      inputs->startValues.get(), options.seed);
  if (!state)
    return state.takeError();
  auto loop = TrainingLoop::create(**program, *inputs->batches,
                                   std::move(*state), inputs->loop);
  if (!loop)
    return makeError("'" + options.inputFile +
                     "': " + llvm::toString(loop.takeError()));
  early.reset();
  if (*log && (*log)->isNew())
    llvm::sys::DontRemoveFileOnSignal(options.logFile);
  llvm::Expected<int> signal =
      train(options, **loop, inputs->recorded, std::move(*log));
  if (!signal || *signal != 0 || !inputs->testData)
    return signal;
  if (llvm::Error error = evaluateAfter(options, **loop, *inputs->testData))
    return std::move(error);
  return 0;
}

/// Compiles and replays one recorded run; nothing if `stop` was set before its
/// last step.
static llvm::Expected<std::optional<ReplayComparison>>
replayRun(MLIRContext &context, const RunOptions &options,
          const Compute &compute, const Oracle &oracle, const OracleRun &run,
          const ToleranceTable &tolerances, std::optional<StepLog> &log,
          const std::atomic<bool> &stop) {
  if (!run.notReplayed.empty())
    return makeUnreplayed(run);
  // Many runs: no selection each, unless it is asked for.
  MixedPrecisionOptions precision;
  if (llvm::Error error = setPrecision(precision, options, {{"verbosity", "0"}},
                                       run.properties))
    return std::move(error);
  llvm::Expected<std::unique_ptr<Source>> module = parse(context, options);
  if (!module)
    return module.takeError();
  if (llvm::Error error = readSignature(**module, options, precision))
    return std::move(error);
  llvm::Expected<std::unique_ptr<Program>> program = compile(
      *(*module)->module, options, compute, precision, /*batchBytes=*/{},
      /*insertTaps=*/true);
  if (!program)
    return program.takeError();
  return replayRun(
      oracle, run, tolerances, **program,
      [&](const StepRecord &record) {
        return log ? log->write(record) : llvm::Error::success();
      },
      &stop);
}

namespace {
/// How many replays ended with each verdict.
struct VerdictCounts {
  unsigned agree = 0, disagree = 0, open = 0, notJudged = 0;

  void add(ReplayVerdict verdict) {
    switch (verdict) {
    case ReplayVerdict::Agree:
      ++agree;
      return;
    case ReplayVerdict::Disagree:
      ++disagree;
      return;
    case ReplayVerdict::NotComparable:
      ++open;
      return;
    case ReplayVerdict::NotJudged:
      ++notJudged;
      return;
    }
  }
  void print(raw_ostream &os) const {
    os << agree << " runs agree, " << disagree << " disagree, " << open
       << " cannot be compared";
    if (notJudged)
      os << ", " << notJudged
         << " have no tolerances (--tolerances gives some)";
    os << "\n";
  }
};
} // namespace

/// Replays recorded runs. Returns the signal that ended it, or 0.
static llvm::Expected<int> replayOracle(MLIRContext &context,
                                        const RunOptions &options,
                                        const Compute &compute) {
  std::optional<StopBeforeSteps> early(std::in_place);
  const auto [weightFile, imageFile] =
      Oracle::getDataFiles(options.sourceFile, options.oracleData);
  if (llvm::Error error =
          checkFiles(options, {{"the module", options.inputFile},
                               {"--oracle", options.sourceFile},
                               {"the oracle's weights", weightFile},
                               {"the oracle's images", imageFile},
                               {"--tolerances", options.tolerances}}))
    return std::move(error);
  llvm::Expected<Oracle> oracle =
      Oracle::load(options.sourceFile, options.oracleData);
  if (!oracle)
    return oracle.takeError();
  if (options.oracleRun == "list") {
    oracle->printList(getScreen(options));
    return 0;
  }
  auto runs = oracle->select(options.oracleRun, getModuleName(options));
  if (!runs)
    return runs.takeError();
  ToleranceTable tolerances = oracle->getTolerances();
  if (!options.tolerances.empty()) {
    llvm::Expected<ToleranceTable> table =
        ToleranceTable::load(options.tolerances);
    if (!table)
      return table.takeError();
    tolerances = std::move(*table);
  }
  llvm::Expected<std::optional<StepLog>> log = openLog(options, compute.blas);
  if (!log)
    return log.takeError();
  if (!options.quiet)
    printCompute(options, compute);
  VerdictCounts counts;
  early.reset();
  StopSignals signals;
  size_t numReplayed = 0;
  for (const OracleRun *run : *runs) {
    if (signals.getRequest())
      break;
    llvm::Expected<std::optional<ReplayComparison>> comparison =
        replayRun(context, options, compute, *oracle, *run, tolerances, *log,
                  signals.getRequest());
    if (!comparison)
      return comparison.takeError();
    if (!*comparison)
      break;
    printComparison(getScreen(options), **comparison);
    counts.add((*comparison)->getVerdict());
    ++numReplayed;
  }
  if (*log)
    if (llvm::Error error = (*log)->close())
      return std::move(error);
  counts.print(getScreen(options));
  if (!options.quiet)
    printBlasFailure(getScreen(options));
  const bool isStopped = numReplayed < runs->size();
  if (isStopped) {
    getScreen(options).flush();
    llvm::errs() << "amp-run: stopped by "
                 << StopSignals::getName(signals.getSignal()) << " after "
                 << numReplayed << " of " << runs->size() << " runs\n";
  }
  if (counts.disagree)
    return makeError("'" + options.sourceFile +
                     "': runs outside their tolerances");
  return isStopped ? signals.getSignal() : 0;
}

/// Returns the signal that ended the run, or 0.
static llvm::Expected<int> run(const RunOptions &options,
                               const DialectRegistry &registry,
                               const RunToolParts &parts) {
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // an error on the module prints it all
  llvm::Expected<Compute> compute = getCompute(options, parts);
  if (!compute)
    return compute.takeError();
  return options.mode == Comparing ? replayOracle(context, options, *compute)
                                   : runBatches(context, options, *compute);
}

int mlir::amp::runTool(int argc, char **argv, const RunToolParts &parts) {
  const IgnoredSignals ignored;
  llvm::InitLLVM init(argc, argv);
  ignored.restore();
  installOutOfMemoryHandler("amp-run", "use smaller batches or a smaller "
                                       "model, or raise the limit");
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "amp-run of mlir-amp " AMP_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
  llvm::Expected<RunOptions> options = parseRunOptions(argc, argv);
  DialectRegistry registry;
  parts.registerDialects(registry);
  // Until the screen is flushed.
  FailingWrites writes(options && options->leavesFiles());
  llvm::Expected<int> signal = options
                                   ? run(*options, registry, parts)
                                   : llvm::Expected<int>(options.takeError());
  llvm::Error error = signal.takeError();
  llvm::outs().flush();
  if (std::error_code failure = llvm::outs().error()) {
    llvm::outs().clear_error();
    error = llvm::joinErrors(
        std::move(error),
        makeError("cannot write to standard output: " + failure.message()));
  }
  if (!error)
    return *signal ? 128 + *signal : 0; // as a shell has it
  llvm::errs() << "amp-run: error: " << llvm::toString(std::move(error))
               << "\n";
  return 1;
}
