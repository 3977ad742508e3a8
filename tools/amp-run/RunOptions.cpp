//===- RunOptions.cpp - The command line of amp-run -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options as --help lists them, which of them go with which mode, and their
// values as one struct: nothing else in the tool knows an option.
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"
#include "StepOptions.h"

#include "amp-rt/Pool.h"
#include "amp/Execution/ProgramFile.h"
#include "amp/Execution/StepLog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/ScopedPrinter.h"

namespace cl = llvm::cl;
using namespace mlir;
using namespace mlir::amp;

namespace {
/// The options, registered when this is made: who links the tool into another
/// program has them only where it is run.
struct CommandLine {
  cl::OptionCategory runs{"What to run"};
  cl::opt<std::string> inputFile{cl::Positional, cl::Required,
                                 cl::desc("STEP.mlir|step.so"), cl::cat(runs)};
  TextOption dataFile{runs, "data",
                      "train on the arrays x0, x1... of this .npz", "file"};
  TextOption replayFile{runs, "replay",
                        "run the start values and batches stored in this .npz",
                        "file"};
  TextOption oracleFile{runs, "oracle", "replay recorded runs of this .json",
                        "file"};

  TextOption testFile{runs, "test-data", "evaluate on this .npz after training",
                      "file"};
  ToolOption<int64_t> numSteps{
      runs, "steps", "training steps (those of the replay file)", "number"};
  ToolOption<int64_t> batchSize{
      runs, "batch-size", "rows of a batch whose extent is dynamic", "number"};
  ToolOption<uint64_t> seed{runs, "seed", "seed of start values and shuffling",
                            "number"};
  TextOption initFile{runs, "init",
                      "start values from this .npz: of a parameter its master, "
                      "where the file has both",
                      "file"};
  TextOption saveFile{runs, "save",
                      "write the final state to this .npz, whole or not "
                      "at all; it may be that of --init. Loss scalers and the "
                      "place in the data are not in it: a run from it begins "
                      "both anew",
                      "file"};
  TextOption logFile{runs, "log",
                     "append one JSON line a step to this file; '-' is "
                     "standard output",
                     "file"};
  ToolOption<bool> gradNorm{
      runs, "grad-norm",
      "the log has the norm of all gradients, for which a step keeps each of "
      "them; --grad-norm=false leaves it out",
      "bool", true};
  cl::list<std::string> injections{
      "inject", cl::desc("put a value into a gradient before unscaling"),
      cl::value_desc("STEP:NAME:INDEX:VALUE"), cl::cat(runs)};
  ToolOption<double> tolerance{
      runs, "tolerance",
      "fail if a loss is further than this from the recorded one", "distance"};
  TextOption tolerances{runs, "tolerances",
                        "how far a replay may be off (the oracle's own)",
                        "file"};
  TextOption oracleData{runs, "oracle-data",
                        "folder of the oracle's .npz files (its own)",
                        "folder"};
  TextOption oracleRun{runs, "run", "ids of runs, 'all', or 'list'", "ids",
                       "all"};
  ToolOption<bool> quiet{runs, "quiet", "show no progress"};

  PrecisionOptions precision;

  cl::OptionCategory host{"Host"};
  TextOption blas{
      host, "blas",
      "who may compute large products: 'auto' is what AMP_BLAS names, or a "
      "library that is right for this CPU; 'off' nobody else; 'openblas', "
      "'onednn' or the file of one, that one",
      "auto|off|openblas|onednn|file", "auto"};
  cl::opt<TileUse> tiles{
      "tiles",
      cl::desc("who multiplies halves in tiles of AMX; without AMX-FP16 an "
               "infinity of f16 makes NaN there"),
      cl::values(clEnumValN(TileUse::Auto, "auto", "the CPU, if it can"),
                 clEnumValN(TileUse::Off, "off", "nobody"),
                 clEnumValN(TileUse::Expanded, "expanded",
                            "loops, to the bits of a CPU with AMX-BF16 but for "
                            "subnormal numbers: slow"),
                 clEnumValN(TileUse::ExpandedFp16, "expanded-fp16",
                            "the same of one with AMX-FP16")),
      cl::init(TileUse::Auto), cl::cat(host)};
  ToolOption<bool> reference{host, "reference",
                             "no BLAS, no fusion, fixed order of sums: slow"};
  ToolOption<int32_t> threads{
      host, "threads",
      "threads of a step (one for each core that the process may use); "
      "results do not depend on it",
      "number"};
  ToolOption<bool> profile{
      host, "profile",
      "print the kernels of a step by their time, the first step left "
      "out"};
  TextOption traceFile{host, "trace",
                       "write calls of kernels to this .json, for Perfetto",
                       "file"};
  ToolOption<bool> perfMap{host, "perf-map",
                           "name compiled functions for perf, in "
                           "/tmp/perf-PID.map, which stays"};
  ToolOption<bool> timing{
      host, "timing",
      "print the time of each phase of compilation, and the bytes that a step moves"};

  cl::OptionCategory device{"Device"};
  TextOption deviceName{device, "device",
                        "where the step runs: host; cuda, an NVIDIA GPU; or "
                        "emulator, which runs and checks its kernels here: "
                        "slow",
                        "name", "host"};
  TextOption chip{device, "chip",
                  "what kernels are made for (the GPU's chip; sm_90a)", "name"};
  TextOption toolkit{
      device, "cuda-toolkit",
      "folder of the CUDA toolkit (the one in PATH or CUDA_HOME)", "folder"};
  TextOption kernelCache{device, "kernel-cache",
                         "keep compiled kernels in this folder", "folder"};
  ToolOption<bool> tf32{device, "tf32",
                        "products and convolutions of f32 may read 10 bits of "
                        "each fraction, on Tensor Cores"};

  llvm::Error checkNames() const;
  llvm::Error checkDevice() const;
  llvm::Error checkProgram() const;
  llvm::Expected<Mode> getMode() const;
  RunOptions getOptions(Mode mode) const;
};

/// An option that not every mode reads, and those that do.
struct ModeOption {
  const cl::Option &option;
  unsigned modes;
};
} // namespace

static std::vector<ModeOption> getModeOptions(const CommandLine &line) {
  return {
      {line.testFile, Train | Replaying},
      {line.numSteps, Train | Replaying},
      {line.batchSize, Train},
      {line.seed, Train | Replaying},
      {line.initFile, Train | Replaying},
      {line.profile, Train | Replaying},
      {line.traceFile, Train | Replaying},
      {line.perfMap, Train | Replaying},
      {line.saveFile, Train | Replaying},
      {line.gradNorm, Train | Replaying},
      {line.injections, Train | Replaying},
      {line.tolerance, Replaying},
      {line.tolerances, Replaying | Comparing},
      {line.oracleData, Comparing},
      {line.oracleRun, Comparing},
  };
}

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// Fails for values that are none, as from a variable that is not set: not the
/// same as no option.
llvm::Error CommandLine::checkNames() const {
  for (const TextOption *file :
       {&dataFile, &replayFile, &oracleFile, &testFile, &initFile, &saveFile,
        &traceFile, &logFile, &tolerances, &oracleData, &deviceName, &chip,
        &toolkit, &kernelCache})
    if (file->getNumOccurrences() && file->empty())
      return makeError("expected --" + file->ArgStr + " to name a " +
                       file->ValueStr + ", but got an empty name");
  if (llvm::Error error = precision.checkNames())
    return error;
  if (blas.empty())
    return makeError("expected --blas to name a library, but got an empty "
                     "name");
  if (saveFile == "-")
    return makeError("expected --save to name a file, but got '-'; a state is "
                     "not written to standard output ('./-' is a file)");
  return llvm::Error::success();
}

/// Fails for a device that is none, and for options of another.
llvm::Error CommandLine::checkDevice() const {
  if (deviceName != "host" && deviceName != "cuda" && deviceName != "emulator")
    return makeError("expected --device to be host, cuda or emulator, but got "
                     "'" +
                     deviceName + "'");
  const bool isOnHost = deviceName == "host";
  const cl::Option *ofHost[] = {&blas,    &tiles,     &reference, &threads,
                                &profile, &traceFile, &perfMap};
  const cl::Option *ofDevice[] = {&chip, &toolkit, &kernelCache, &tf32};
  for (const cl::Option *option : isOnHost
                                      ? ArrayRef<const cl::Option *>(ofDevice)
                                      : ArrayRef<const cl::Option *>(ofHost))
    if (option->getNumOccurrences())
      return makeError(
          "--" + option->ArgStr + " belongs to " +
          (isOnHost ? "--device=cuda and --device=emulator" : "--device=host") +
          ", but this run has --device=" + deviceName + "; leave it out");
  return llvm::Error::success();
}

/// Fails for options whose part a program has behind it.
llvm::Error CommandLine::checkProgram() const {
  llvm::SmallVector<const cl::Option *> decided = {
      &oracleFile, &tolerances,  &gradNorm, &tiles,  &reference,
      &profile,    &traceFile,   &perfMap,  &timing, &chip,
      &toolkit,    &kernelCache, &tf32};
  for (const TextOption &option : precision.options)
    decided.push_back(&option);
  for (const cl::Option *option : decided)
    if (option->getNumOccurrences())
      return makeError("--" + option->ArgStr +
                       " is for a step that is "
                       "compiled now, but '" +
                       inputFile +
                       "' was compiled before; leave it out, or run the step's "
                       "module");
  return llvm::Error::success();
}

/// The one mode that was asked for, with no option of another.
llvm::Expected<Mode> CommandLine::getMode() const {
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
  if (llvm::Error error = checkOccurrences(std::addressof(injections)))
    return std::move(error);
  unsigned given = 0;
  for (auto [option, mode] : modes)
    if (option->getNumOccurrences())
      given |= mode;
  if (llvm::popcount(given) != 1)
    return makeError("expected one of --data, --replay and --oracle, but got " +
                     (given ? list(given, " and ") : "none") + "; see --help");
  for (const auto &[option, allowed] : getModeOptions(*this))
    if (option.getNumOccurrences() && !(given & allowed))
      return makeError("--" + option.ArgStr + " belongs to " +
                       list(allowed, " and ") + ", but this run has " +
                       list(given, "") + "; leave it out");
  if (llvm::Error error = checkNames())
    return std::move(error);
  if (isSharedObject(inputFile))
    if (llvm::Error error = checkProgram())
      return std::move(error);
  if (llvm::Error error = checkDevice())
    return std::move(error);
  if (gradNorm.getNumOccurrences() && logFile.empty())
    return makeError("--grad-norm says what a log has, but this run has none; "
                     "name one by --log, or leave it out");
  if (numSteps.getNumOccurrences() && numSteps < 1)
    return makeError("expected --steps to be at least 1, but got " +
                     Twine(numSteps));
  if (threads.getNumOccurrences() && (threads < 1 || threads > 1024))
    return makeError("expected --threads to be from 1 to 1024, but got " +
                     Twine(threads));
  if (batchSize.getNumOccurrences() && batchSize < 1)
    return makeError("expected --batch-size to be at least 1, but got " +
                     Twine(batchSize));
  if (tolerance.getNumOccurrences() && !(tolerance >= 0))
    return makeError("expected --tolerance to be at least 0, but got " +
                     llvm::StringRef(llvm::to_string(
                         llvm::format("%g", tolerance.getValue()))));
  return static_cast<Mode>(given);
}

template <typename T>
static std::optional<T> getGiven(const ToolOption<T> &option) {
  if (!option.getNumOccurrences())
    return std::nullopt;
  return option.getValue();
}

RunOptions CommandLine::getOptions(Mode mode) const {
  RunOptions options;
  options.mode = mode;
  options.inputFile = inputFile;
  options.isProgram = isSharedObject(inputFile);
  options.sourceFile = mode == Train       ? dataFile
                       : mode == Replaying ? replayFile
                                           : oracleFile;
  options.testFile = testFile;
  options.initFile = initFile;
  options.saveFile = saveFile;
  // Whatever names standard output is treated as it.
  options.logFile = logFile.empty() || !StepLog::isStandardOutput(logFile)
                        ? logFile.getValue()
                        : "-";
  options.logsGradNorm = gradNorm;
  options.numSteps = getGiven(numSteps);
  options.batchSize = batchSize;
  options.seed = seed;
  options.injections.assign(injections.begin(), injections.end());
  options.tolerance = getGiven(tolerance);
  options.tolerances = tolerances;
  options.oracleData = oracleData;
  options.oracleRun = oracleRun;
  options.quiet = quiet;
  options.precision = precision.getGiven();
  options.target = {deviceName, chip, toolkit, kernelCache, tf32};
  options.blas = blas;
  options.tiles = tiles;
  options.reference = reference;
  options.threads = reference                     ? 1
                    : threads.getNumOccurrences() ? threads.getValue()
                                                  : ampRtPoolCountCores();
  options.profile = profile;
  options.traceFile = traceFile;
  options.perfMap = perfMap;
  options.timing = timing;
  return options;
}

llvm::Expected<RunOptions> mlir::amp::parseRunOptions(int argc, char **argv) {
  freeThreads();
  static CommandLine line;
  cl::HideUnrelatedOptions(
      {&line.runs, &line.precision.category, &line.host, &line.device});
  cl::ParseCommandLineOptions(
      argc, argv,
      "compile a training step at an opt level and run it, or run what "
      "amp-compile made of one\n\n"
      "  Files, shapes and options are checked before the step is compiled. No\n"
      "  output may be the file of an input or of another output.\n\n"
      "  SIGINT, SIGTERM and SIGHUP end a run after the step that is running:\n"
      "  --save is written, standard error says so, and the exit code is 128 and\n"
      "  the signal's number (130 after ^C). A second one ends it at once, and so\n"
      "  does the first before the first step. An error ends it with exit code "
      "1;\n"
      "  where a step fails, --save has the state before it.\n");
  llvm::Expected<Mode> mode = line.getMode();
  if (!mode)
    return mode.takeError();
  return line.getOptions(*mode);
}
