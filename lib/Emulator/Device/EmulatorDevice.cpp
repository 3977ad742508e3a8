//===- EmulatorDevice.cpp - The emulator behind the runtime's devices -----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libAmpEmulatorDevice.so: what the runtime's device "emulator" opens. Its side
// of the functions in EmulatorAbi.h, which hold no MLIR: text in, kernels as
// handles, memory as ranges, and a text for what is wrong.
//
//===----------------------------------------------------------------------===//

#include "LaunchArguments.h"

#include "amp/Emulator/Kernel.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace mlir;
using namespace mlir::amp;
using namespace ::amp::rt::emulator;
using ::amp::emu::Dim3;

namespace {
struct Kernel {
  LoweredKernel lowered;
  std::unique_ptr<JitKernel> jit;
};

struct Module {
  Module() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<DLTIDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                        NVVM::NVVMDialect>();
    context.printOpOnDiagnostic(false);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> op;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

/// The first error while it lives, as "gemm.mlir:12:3: ...".
class FirstError {
public:
  explicit FirstError(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (!text.empty() ||
              diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return success();
          llvm::raw_string_ostream os(text);
          if (auto place =
                  diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
            os << place.getFilename().getValue() << ':' << place.getLine()
               << ':' << place.getColumn() << ": ";
          os << diagnostic;
          return success();
        }) {}

  std::string text;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

static AmpRtStatus fail(AmpRtStatus status, Text text, const Twine &message) {
  std::snprintf(text.data, static_cast<size_t>(text.capacity), "%s",
                message.str().c_str());
  return status;
}

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

static AmpRtStatus loadModule(const char *name, const void *image,
                              int64_t bytes, void **module, Text text) {
  auto loaded = std::make_unique<Module>();
  FirstError error(loaded->context);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(
          StringRef(static_cast<const char *>(image), size_t(bytes)), name),
      llvm::SMLoc());
  loaded->op =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&loaded->context));
  if (!loaded->op)
    return fail(AMP_RT_INVALID_ARGUMENT, text,
                "expected a module in the NVVM dialect, but " + error.text +
                    "; export it after --amp-kernels-to-nvvm");
  *module = loaded.release();
  return AMP_RT_OK;
}

static void unloadModule(void *module) { delete static_cast<Module *>(module); }

static AmpRtStatus getKernel(void *handle, const char *name, void **result,
                             KernelInfo *info, Text text) {
  Module &module = *static_cast<Module *>(handle);
  std::vector<std::string> names = getKernelNames(*module.op);
  if (!llvm::is_contained(names, name))
    return fail(AMP_RT_NOT_FOUND, text,
                "expected a kernel '" + Twine(name) + "', but there " +
                    (names.empty()
                         ? "is none with 'nvvm.kernel'"
                         : "are '" + llvm::join(names, "', '") + "'"));
  FirstError error(module.context);
  FailureOr<LoweredKernel> lowered = lowerKernel(*module.op, name);
  if (failed(lowered) || failed(verify(*lowered->module)))
    return fail(AMP_RT_INVALID_ARGUMENT, text, error.text);
  auto kernel = std::make_unique<Kernel>();
  kernel->lowered = std::move(*lowered);
  auto jit = JitKernel::create(kernel->lowered);
  if (!jit)
    return fail(AMP_RT_DEVICE_ERROR, text, toString(jit.takeError()));
  kernel->jit = std::move(*jit);
  const std::optional<Dim3> &block = kernel->lowered.block;
  info->argumentCount = int32_t(kernel->lowered.parameters.size());
  info->threadsLimit = block ? int32_t(block->count()) : 1024;
  info->staticSharedBytes = kernel->lowered.staticShared;
  *result = kernel.get();
  module.kernels.push_back(std::move(kernel));
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static std::string nameDim3(const Dim3 &d) {
  return (Twine(d.x) + " x " + Twine(d.y) + " x " + Twine(d.z)).str();
}

/// Blocks and threads against the hardware's rules and the kernel's own.
static std::string setShape(const LoweredKernel &kernel,
                            const AmpRtLaunch &launch,
                            ::amp::emu::Launch &target) {
  for (int i = 0; i < 3; ++i)
    if (launch.grid[i] > INT32_MAX || launch.threads[i] > 1024)
      return "expected at most 2147483647 blocks and 1024 threads in dimension " +
             std::to_string(i) + ", but got " + std::to_string(launch.grid[i]) +
             " and " + std::to_string(launch.threads[i]);
  auto read = [](const int64_t *sizes) {
    return Dim3{unsigned(sizes[0]), unsigned(sizes[1]), unsigned(sizes[2])};
  };
  target.grid = read(launch.grid);
  target.block = read(launch.threads);
  target.cluster = read(launch.cluster);
  target.dynamicSharedBytes = launch.sharedBytes;
  target.sharedBytes = kernel.staticShared + launch.sharedBytes;
  target.registers = kernel.registers;
  std::string got = nameDim3(target.block);
  if (kernel.block && !kernel.blockIsMaximum && nameDim3(*kernel.block) != got)
    return "expected blocks of " + nameDim3(*kernel.block) +
           " threads ('nvvm.reqntid'), but got " + got;
  if (kernel.blockIsMaximum && target.block.count() > kernel.block->count())
    return "expected at most " + std::to_string(kernel.block->count()) +
           " threads in a block ('nvvm.maxntid'), but got " + got;
  got = nameDim3(target.cluster);
  if (kernel.cluster && nameDim3(*kernel.cluster) != got)
    return "expected clusters of " + nameDim3(*kernel.cluster) +
           " blocks ('nvvm.cluster_dim'), but got " + got;
  return validateLaunch(target);
}

/// A number from the environment, if the variable is there and not empty. An
/// error text if it is none.
static std::string readVariable(const char *name, uint64_t &value) {
  const char *text = std::getenv(name);
  if (!text || !*text || !StringRef(text).getAsInteger(10, value))
    return "";
  return ("expected " + Twine(name) + " to be a number, but got '" + text + "'")
      .str();
}

/// The first finding on one line, and how many there are.
static std::string describe(const std::vector<::amp::emu::Report> &reports,
                            uint64_t seed) {
  const ::amp::emu::Report &first = reports.front();
  std::string text = first.where + ": " + first.message;
  if (!first.otherWhere.empty())
    text += "; " + first.otherWhere + ": " + first.otherMessage;
  std::string schedule =
      seed ? " --seed=" + std::to_string(seed) : std::string();
  return text + " (finding 1 of " + std::to_string(reports.size()) +
         "; see all with amp-emu" + schedule + ")";
}

static AmpRtStatus launchKernel(const AmpRtLaunch *launch,
                                const MemoryRange *ranges, int64_t rangeCount,
                                Text text) {
  const Kernel &kernel = *static_cast<const Kernel *>(launch->kernel);
  ::amp::emu::Launch target;
  LaunchArguments arguments;
  std::string wrong = setShape(kernel.lowered, *launch, target);
  if (wrong.empty())
    wrong = arguments.read(kernel.lowered, *launch);
  if (!wrong.empty())
    return fail(AMP_RT_INVALID_ARGUMENT, text, wrong);
  target.entry = kernel.jit->getEntry();
  target.arguments = arguments.getPointers();
  for (int64_t i = 0; i < rangeCount; ++i) {
    if (ranges[i].bytes == 0)
      continue;
    ::amp::emu::Buffer buffer;
    buffer.name = arguments.nameBuffer(ranges[i]);
    buffer.data = ranges[i].data;
    buffer.size = size_t(ranges[i].bytes);
    buffer.initialised = ranges[i].isInitialised;
    target.buffers.push_back(std::move(buffer));
  }
  llvm::append_range(target.buffers, arguments.getStructs());
  llvm::append_range(target.buffers, kernel.jit->getGlobals());
  target.tensorMaps = arguments.getTensorMaps();
  ::amp::emu::LaunchOptions options;
  wrong = readVariable("AMP_RT_EMULATOR_SEED", options.seed);
  if (wrong.empty())
    wrong = readVariable("AMP_RT_EMULATOR_STEP_LIMIT", options.stepLimit);
  if (!wrong.empty())
    return fail(AMP_RT_INVALID_ARGUMENT, text, wrong);
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  options.print = [](const std::string &printed) {
    std::fputs(printed.c_str(), stdout);
    std::fflush(stdout);
  };
  ::amp::emu::Outcome outcome =
      runLaunch(target, kernel.lowered.instructions, options);
  if (outcome.reports.empty())
    return AMP_RT_OK;
  return fail(AMP_RT_DEVICE_ERROR, text,
              describe(outcome.reports, options.seed));
}

//===----------------------------------------------------------------------===//
// The library's one symbol
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("default"))) const Functions *
ampEmulatorFunctions() {
  static const Functions functions = {kAbiVersion, loadModule, unloadModule,
                                      getKernel, launchKernel};
  return &functions;
}
