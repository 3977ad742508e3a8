//===- CompileOptions.cpp - The command line of amp-compile ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"

#include "amp-rt/Pool.h"
#include "amp/Conversion/HostMachine.h"
#include "amp/Execution/CpuFeatures.h"

namespace cl = llvm::cl;
using namespace mlir;
using namespace mlir::amp;

namespace {
struct CommandLine {
  cl::OptionCategory what{"What to compile"};
  cl::opt<std::string> inputFile{cl::Positional, cl::Required,
                                 cl::desc("STEP.mlir"), cl::cat(what)};
  TextOption target{what, "target",
                    "where the program runs: host; cuda:sm_90a, an NVIDIA GPU "
                    "of that chip; or emulator, which runs and checks its "
                    "kernels on the CPU: slow",
                    "host|cuda:CHIP|emulator", "host"};
  TextOption outputFile{what, "o", "the shared object, whole or not at all",
                        "file"};
  TextOption bundle{what, "bundle",
                    "a new or empty folder for the program, the runtime and a "
                    "manifest of both",
                    "folder"};
  ToolOption<bool> taps{what, "taps",
                        "show gradients, for --inject and the norms in the "
                        "--log of amp-run: costs a little time"};
  ToolOption<bool> quiet{what, "quiet", "print nothing"};

  PrecisionOptions precision;

  cl::OptionCategory host{"Host"};
  TextOption cpu{host, "cpu",
                 "the CPU that the program is for: native, this one; or what "
                 "LLVM calls it, such as x86-64-v3. Of several, with commas "
                 "between them, each gets a version of its own, and the first "
                 "that the CPU can run is chosen when the program is loaded",
                 "name", "native"};
  TextOption blas{
      host, "blas",
      "who may compute large products, as in amp-run; which library "
      "does is found where the program runs",
      "auto|off|openblas|onednn|file", "auto"};
  ToolOption<bool> reference{host, "reference",
                             "no BLAS, no fusion, fixed order of sums: slow"};
  ToolOption<int32_t> threads{
      host, "threads",
      "threads that a step can be divided among (one for each core that the "
      "process may use); results do not depend on it",
      "number"};

  cl::OptionCategory device{"Device"};
  TextOption toolkit{
      device, "cuda-toolkit",
      "folder of the CUDA toolkit (the one in PATH or CUDA_HOME)", "folder"};
  TextOption kernelCache{device, "kernel-cache",
                         "keep compiled kernels in this folder", "folder"};
  ToolOption<bool> tf32{device, "tf32",
                        "products and convolutions of f32 may read 10 bits of "
                        "each fraction, on Tensor Cores"};

  llvm::Error checkNames() const;
  llvm::Expected<DeviceTarget> getTarget() const;
  llvm::Error checkTarget(const DeviceTarget &target) const;
  llvm::Expected<std::vector<std::string>>
  getCpus(const DeviceTarget &target) const;
  llvm::Expected<CompileOptions> getOptions() const;
};
} // namespace

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// Fails for values that are none, as from a variable that is not set.
llvm::Error CommandLine::checkNames() const {
  for (const TextOption *option :
       {&target, &outputFile, &bundle, &cpu, &blas, &toolkit, &kernelCache})
    if (option->getNumOccurrences() && option->empty())
      return makeError((option == &outputFile ? "expected -" : "expected --") +
                       option->ArgStr + " to name a " + option->ValueStr +
                       ", but got an empty name");
  if (llvm::Error error = precision.checkNames())
    return error;
  if (outputFile.empty() && bundle.empty())
    return makeError("expected -o or --bundle, for the program needs a place; "
                     "see --help");
  if (outputFile == "-")
    return makeError("expected -o to name a file, but got '-'; a program is "
                     "not written to standard output ('./-' is a file)");
  if (threads.getNumOccurrences() && (threads < 1 || threads > 1024))
    return makeError("expected --threads to be from 1 to 1024, but got " +
                     Twine(threads));
  return llvm::Error::success();
}

llvm::Expected<DeviceTarget> CommandLine::getTarget() const {
  DeviceTarget result;
  const auto [device, chip] = StringRef(target).split(':');
  const bool isCuda = device == "cuda";
  const bool hasChip = StringRef(target).contains(':');
  if ((!isCuda && device != "host" && device != "emulator") ||
      (!isCuda && hasChip))
    return makeError("expected --target to be host, cuda:CHIP or emulator, but "
                     "got '" +
                     target + "'");
  result.device = device.str();
  result.toolkit = toolkit;
  result.cache = kernelCache;
  result.tf32 = tf32;
  if (isCuda) {
    if (llvm::Error error = checkChip(chip))
      return makeError("--target=" + target + ": " +
                       llvm::toString(std::move(error)));
    result.chip = chip.str();
  } else if (device == "emulator") {
    result.chip = "sm_90a";
  }
  return result;
}

/// Fails for options of another target.
llvm::Error CommandLine::checkTarget(const DeviceTarget &given) const {
  auto refuse = [&](const cl::Option &option, StringRef place) {
    return makeError("--" + option.ArgStr + " belongs to " + place +
                     ", but the target is " + target + "; leave it out");
  };
  for (const cl::Option *option :
       {static_cast<const cl::Option *>(&toolkit),
        static_cast<const cl::Option *>(&kernelCache)})
    if (option->getNumOccurrences() && given.device != "cuda")
      return refuse(*option, "--target=cuda:CHIP");
  if (tf32.getNumOccurrences() && given.device == "host")
    return refuse(tf32, "--target=cuda:CHIP and --target=emulator");
  for (const cl::Option *option : {static_cast<const cl::Option *>(&blas),
                                   static_cast<const cl::Option *>(&reference),
                                   static_cast<const cl::Option *>(&threads)})
    if (option->getNumOccurrences() && given.device != "host")
      return refuse(*option, "--target=host");
  return llvm::Error::success();
}

/// The CPUs that --cpu names.
llvm::Expected<std::vector<std::string>>
CommandLine::getCpus(const DeviceTarget &given) const {
  std::vector<std::string> cpus;
  for (StringRef name : llvm::split(StringRef(cpu), ',')) {
    if (!HostMachine::get(name))
      return makeError("expected --cpu to be native or a CPU that LLVM knows, "
                       "such as x86-64-v3 or znver4, but got '" +
                       name + "'");
    cpus.push_back(name.str());
  }
  if (cpus.size() > 1 && given.device != "host")
    return makeError("expected --cpu to name one CPU for --target=" + target +
                     ", whose kernels do the work, but got '" + cpu + "'");
  if (llvm::Error error = checkCpuOrder(cpus, "--cpu"))
    return std::move(error);
  return cpus;
}

llvm::Expected<CompileOptions> CommandLine::getOptions() const {
  if (llvm::Error error = checkOccurrences())
    return std::move(error);
  if (llvm::Error error = checkNames())
    return std::move(error);
  llvm::Expected<DeviceTarget> given = getTarget();
  if (!given)
    return given.takeError();
  if (llvm::Error error = checkTarget(*given))
    return std::move(error);
  llvm::Expected<std::vector<std::string>> cpus = getCpus(*given);
  if (!cpus)
    return cpus.takeError();
  CompileOptions options;
  options.inputFile = inputFile;
  options.outputFile = outputFile;
  options.bundle = bundle;
  options.targetText = target;
  options.target = std::move(*given);
  options.cpus = std::move(*cpus);
  options.blas = blas;
  options.reference = reference;
  options.threads = reference                     ? 1
                    : threads.getNumOccurrences() ? threads.getValue()
                                                  : ampRtPoolCountCores();
  options.insertTaps = taps;
  options.quiet = quiet;
  options.precision = precision.getGiven();
  return options;
}

llvm::Expected<CompileOptions> mlir::amp::parseCompileOptions(int argc,
                                                              char **argv) {
  freeThreads();
  static CommandLine line;
  cl::HideUnrelatedOptions(
      {&line.what, &line.precision.category, &line.host, &line.device});
  cl::ParseCommandLineOptions(
      argc, argv,
      "compile a training step at an opt level to a shared object\n\n"
      "  It has the constant 'ampProgram' of amp-rt/Program.h, which describes\n"
      "  it, and needs the runtime libamp-rt alone, which it looks for in its\n"
      "  own folder first. amp-run runs it, and so does a program in C.\n");
  return line.getOptions();
}
