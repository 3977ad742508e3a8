//===- amp-emu.cpp - Run a GPU kernel on the CPU --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   amp-emu KERNEL.mlir --arg=... --grid=2,2 [--seeds=20] [--statistics]
//
// Options, and the order in which the libraries are called. A finding is
// printed like a compiler's error, at the line of the kernel that it is about,
// and makes the exit code 1.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Expectations.h"

#include "amp/Execution/ArrayArchive.h"
#include "amp/Support/OutOfMemory.h"

#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

namespace cl = llvm::cl;
using namespace mlir;
using namespace mlir::amp;
using ::amp::emu::Dim3;

static cl::OptionCategory kernelCategory("What to run");
static cl::OptionCategory checkCategory("What to check");
static cl::OptionCategory outputCategory("What to show");

static cl::opt<std::string>
    inputFile(cl::Positional, cl::init("-"),
              cl::desc("KERNEL.mlir (a gpu.module in the NVVM dialect)"),
              cl::cat(kernelCategory));
static cl::opt<std::string>
    kernelName("kernel", cl::desc("the kernel, if there are several"),
               cl::value_desc("name"), cl::cat(kernelCategory));
static cl::list<std::string> argumentTexts(
    "arg",
    cl::desc(
        "the next argument: 'i32:5', 'f16:128x64:int' (also zero, uninit, "
        "nan, iota, random, a number), 'in.npy', 'NAME=...' to give a name, "
        "'memref:...', 'tma:A,box=64x64,swizzle=128', "
        "'table:A,B'"),
    cl::value_desc("[NAME=]form"), cl::cat(kernelCategory));
static cl::list<std::string>
    bufferTexts("buffer", cl::desc("memory that arguments refer to by name"),
                cl::value_desc("NAME=form"), cl::cat(kernelCategory));
static cl::opt<std::string> gridText("grid", cl::desc("blocks (default: 1)"),
                                     cl::value_desc("X,Y,Z"),
                                     cl::cat(kernelCategory));
static cl::opt<std::string>
    blockText("block", cl::desc("threads (default: the kernel's nvvm.reqntid)"),
              cl::value_desc("X,Y,Z"), cl::cat(kernelCategory));
static cl::opt<std::string>
    clusterText("cluster",
                cl::desc("blocks of a cluster (default: its nvvm.cluster_dim)"),
                cl::value_desc("X,Y,Z"), cl::cat(kernelCategory));
static cl::opt<unsigned> sharedBytes("smem",
                                     cl::desc("bytes of dynamic shared memory"),
                                     cl::value_desc("bytes"),
                                     cl::cat(kernelCategory));
static cl::opt<unsigned>
    jobs("jobs", cl::desc("host threads, a cluster each (default: 1)"),
         cl::init(1), cl::cat(kernelCategory));

static cl::opt<bool>
    check("check", cl::desc("look for races and the like (default: true)"),
          cl::init(true), cl::cat(checkCategory));
static cl::opt<uint64_t>
    seed("seed", cl::desc("schedule to run (default: 0, the plain one)"),
         cl::cat(checkCategory));
static cl::opt<unsigned>
    seeds("seeds", cl::desc("how many schedules, from --seed on (default: 1)"),
          cl::init(1), cl::cat(checkCategory));
static cl::opt<uint64_t> stepLimit(
    "step-limit",
    cl::desc("what a thread may take before its loop counts as endless: a "
             "round of a loop is 1 step, a memory access 4, an instruction 64 "
             "(default: 2^30; 0: anything)"),
    cl::value_desc("steps"),
    cl::init(::amp::emu::LaunchOptions::defaultStepLimit),
    cl::cat(checkCategory));
static cl::list<std::string> expectations(
    "expect",
    cl::desc("compare a result: 'C=c.npy' or 'C=matmul(A,B[,ta][,tb])'"),
    cl::value_desc("NAME=form"), cl::cat(checkCategory));
static cl::opt<double>
    tolerance("tolerance",
              cl::desc("of --expect, times the sum of magnitudes (default: 0)"),
              cl::cat(checkCategory));

static cl::list<std::string> outputs("out",
                                     cl::desc("write a buffer after the run"),
                                     cl::value_desc("NAME=file.npy"),
                                     cl::cat(outputCategory));
static cl::list<std::string> prints("print",
                                    cl::desc("print a buffer after the run"),
                                    cl::value_desc("NAME"),
                                    cl::cat(outputCategory));
static cl::opt<bool>
    showStatistics("statistics",
                   cl::desc("print speed, bank conflicts and transactions"),
                   cl::cat(outputCategory));

static int fail(const Twine &text) {
  llvm::errs() << "amp-emu: error: " << text << "\n";
  return 1;
}
static int fail(llvm::Error error) { return fail(toString(std::move(error))); }

/// "X,Y,Z"; missing extents are 1.
static bool parseDim3(StringRef text, Dim3 &dim) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  unsigned *extents[] = {&dim.x, &dim.y, &dim.z};
  if (parts.size() > 3)
    return false;
  for (auto [part, extent] : llvm::zip(parts, extents))
    if (part.trim().getAsInteger(10, *extent) || *extent == 0)
      return false;
  return true;
}

/// Extents from the options or, without them, from the module.
static llvm::Error setExtents(const LoweredKernel &kernel,
                              ::amp::emu::Launch &launch) {
  struct Extent {
    const cl::opt<std::string> &option;
    const std::optional<Dim3> &given;
    Dim3 &target;
  } extents[] = {{gridText, kernel.grid, launch.grid},
                 {blockText, kernel.block, launch.block},
                 {clusterText, kernel.cluster, launch.cluster}};
  for (Extent &extent : extents) {
    if (extent.given)
      extent.target = *extent.given;
    if (!extent.option.empty() && !parseDim3(extent.option, extent.target))
      return llvm::createStringError(
          "expected --" + extent.option.ArgStr.str() +
          " as up to three positive numbers like 4,2,1, but got '" +
          extent.option + "'");
  }
  if (blockText.empty() && !kernel.block)
    return llvm::createStringError(
        "kernel '" + kernel.name +
        "' has no 'nvvm.reqntid'; give its threads with --block");
  auto text = [](const Dim3 &d) {
    return (Twine(d.x) + "," + Twine(d.y) + "," + Twine(d.z)).str();
  };
  if (kernel.block && !kernel.blockIsMaximum && !blockText.empty() &&
      text(*kernel.block) != text(launch.block))
    return llvm::createStringError(
        "kernel '" + kernel.name + "' requires --block=" + text(*kernel.block) +
        " ('nvvm.reqntid'), but got " + text(launch.block));
  if (gridText.empty() && !kernel.grid)
    launch.grid = launch.cluster;
  if (kernel.usesDynamicShared && !sharedBytes.getNumOccurrences())
    return llvm::createStringError(
        "kernel '" + kernel.name +
        "' uses dynamic shared memory; give its size with --smem");
  launch.dynamicSharedBytes = sharedBytes;
  launch.sharedBytes = kernel.staticShared + sharedBytes;
  launch.registers = kernel.registers;
  std::string wrong = validateLaunch(launch);
  if (!wrong.empty())
    return llvm::createStringError(wrong);
  return llvm::Error::success();
}

static void printBuffer(const DeviceArray &array) {
  llvm::outs() << array.name << " = [";
  for (int64_t i = 0; i < array.array.getNumElements(); ++i)
    llvm::outs() << (i ? ", " : "") << llvm::format("%g", array.get(i));
  llvm::outs() << "]\n";
}

static void printStatistics(const ::amp::emu::Statistics &s) {
  auto rate = [&](uint64_t flops) {
    return llvm::format("%.3f GFLOP/s per core",
                        double(flops) / s.cpuSeconds / 1e9);
  };
  llvm::outs() << llvm::format("time: %.3f s on ", s.seconds) << jobs
               << " host threads"
               << llvm::format(", %.3f s of their cores\n", s.cpuSeconds)
               << "wgmma: " << s.wgmmaFlops << " FLOP, " << rate(s.wgmmaFlops)
               << "\nmma.sync: " << s.mmaFlops << " FLOP, " << rate(s.mmaFlops)
               << "\nmatrix loads and stores: " << s.matrixPasses << " passes, "
               << s.matrixConflicts
               << " more for bank conflicts\nshared loads and stores: "
               << s.sharedPasses << " passes, " << s.sharedConflicts
               << " more for bank conflicts\nglobal loads and stores: "
               << s.globalRequests << " of a warp, " << s.globalSectors
               << " sectors of 32 bytes for " << s.globalBytes
               << " bytes\nbulk and tensor copies: " << s.bulkBytes
               << " bytes\nemulator: " << s.collectives << " collectives, "
               << s.fiberSwitches << " switches, " << s.sharedChecks
               << " shared and " << s.globalChecks << " global checks\n";
}

static int writeOutputs(GivenArguments &arguments) {
  for (StringRef text : prints) {
    DeviceArray *array = arguments.find(text);
    if (!array)
      return fail("--print names no buffer: '" + text + "'");
    printBuffer(*array);
  }
  for (StringRef text : outputs) {
    auto [name, path] = text.split('=');
    DeviceArray *array = arguments.find(name);
    if (!array || path.empty())
      return fail("expected --out=NAME=file.npy with the name of a buffer, but "
                  "got '" +
                  text + "'");
    if (llvm::Error error = writeArrayFile(path, array->array))
      return fail(std::move(error));
  }
  return 0;
}

static int runKernel(const LoweredKernel &kernel, const JitKernel &jit,
                     GivenArguments &arguments) {
  ::amp::emu::Launch launch;
  if (llvm::Error error = setExtents(kernel, launch))
    return fail(std::move(error));
  launch.entry = jit.getEntry();
  launch.arguments = arguments.getPointers();
  launch.buffers = arguments.getBuffers();
  launch.tensorMaps = arguments.getTensorMaps();
  launch.buffers.insert(launch.buffers.end(), jit.getGlobals().begin(),
                        jit.getGlobals().end());
  ::amp::emu::LaunchOptions options;
  options.check = check;
  options.countTransactions = showStatistics;
  options.stepLimit = stepLimit;
  options.jobs = jobs;
  options.print = [](const std::string &text) {
    llvm::outs() << text;
    llvm::outs().flush();
  };
  for (unsigned i = 0; i < seeds; ++i) {
    options.seed = seed + i;
    if (i)
      arguments.reset();
    ::amp::emu::Outcome outcome =
        runLaunch(launch, kernel.instructions, options);
    for (const ::amp::emu::Report &report : outcome.reports)
      llvm::errs() << report.format();
    if (showStatistics && i + 1 == seeds)
      printStatistics(outcome.statistics);
    if (!outcome.reports.empty())
      return fail(Twine(outcome.reports.size()) +
                  " findings; replay with --seed=" + Twine(options.seed));
    for (StringRef text : expectations)
      if (llvm::Error error = checkExpectation(arguments, text, tolerance))
        return fail(toString(std::move(error)) +
                    "; replay with --seed=" + Twine(options.seed));
  }
  return writeOutputs(arguments);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  installOutOfMemoryHandler("amp-emu", "use smaller buffers or a smaller grid, "
                                       "or raise the limit");
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "amp-emu of mlir-amp " AMP_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
  cl::HideUnrelatedOptions({&kernelCategory, &checkCategory, &outputCategory});
  cl::ParseCommandLineOptions(
      argc, argv,
      "amp-emu: run a GPU kernel in the NVVM dialect on the CPU and report "
      "races, missing waits, uninitialised, misaligned and out-of-bounds "
      "accesses, and loops that do not end\n");
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(inputFile, &message);
  if (!file)
    return fail(message);
  GivenArguments arguments;
  for (StringRef text : bufferTexts)
    if (llvm::Error error = arguments.addBuffer(text))
      return fail("--buffer: " + toString(std::move(error)));
  for (StringRef text : argumentTexts)
    if (llvm::Error error = arguments.addArgument(text))
      return fail("--arg: " + toString(std::move(error)));

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  MLIRContext context(registry);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return fail("'" + inputFile + "' cannot be read as MLIR");
  FailureOr<LoweredKernel> kernel = lowerKernel(*module, kernelName);
  if (failed(kernel) || failed(verify(*kernel->module)))
    return 1;
  if (llvm::Error error = arguments.check(*kernel))
    return fail(std::move(error));
  llvm::Expected<std::unique_ptr<JitKernel>> jit = JitKernel::create(*kernel);
  if (!jit)
    return fail(jit.takeError());
  return runKernel(*kernel, **jit, arguments);
}
