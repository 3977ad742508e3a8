//===- CompileKernels.cpp - Modules of kernels to code --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's gpu-module-to-binary compiles one module after the other. A step
// has dozens of kernels, each a run of LLVM and ptxas of its own that depends
// on no other, so here they run on the context's threads, and the modules are
// replaced when all are done. What upstream's targets do for one module is used
// as it is.
//
// The toolkit is looked for before anything is compiled: one diagnostic for the
// module, not one for each kernel.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/Passes.h"

#include "KernelCache.h"
#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Threading.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#define DEBUG_TYPE "amp-compile-kernels"

namespace mlir::amp {
#define GEN_PASS_DEF_COMPILEKERNELSPASS
#include "amp/Kernels/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// The first release of CUDA whose ptxas reads PTX 8.0.
static constexpr unsigned kFirstToolkit = 12;

/// The remedy for another toolkit, for whoever runs the pass.
static constexpr StringLiteral kNameToolkit =
    "name its folder ('toolkit' of the pass, '--cuda-toolkit' of amp-compile "
    "and amp-run)";

namespace {
/// An entry of the cache that was no use.
struct FailedEntry {
  std::string path;
  std::string reason;
};

/// Code of one module, an object for each of its targets.
struct CompiledModule {
  gpu::GPUModuleOp module;
  SmallVector<Attribute> objects;
  SmallVector<FailedEntry, 0> damaged, unwritten;
};

struct CompileKernels
    : public amp::impl::CompileKernelsPassBase<CompileKernels> {
  using CompileKernelsPassBase::CompileKernelsPassBase;

  void runOnOperation() override;

private:
  std::optional<gpu::CompilationTarget> readFormat();
  LogicalResult readToolkit(std::string &version);
  LogicalResult compile(CompiledModule &compiled, const KernelCache &kernels,
                        gpu::CompilationTarget target, StringRef version);
};
} // namespace

std::optional<gpu::CompilationTarget> CompileKernels::readFormat() {
  std::optional<gpu::CompilationTarget> target =
      llvm::StringSwitch<std::optional<gpu::CompilationTarget>>(format)
          .Case("bin", gpu::CompilationTarget::Binary)
          .Case("isa", gpu::CompilationTarget::Assembly)
          .Case("llvm", gpu::CompilationTarget::Offload)
          .Default(std::nullopt);
  if (!target)
    getOperation().emitError()
        << "expected 'format' to be bin, isa or llvm, but got '" << format
        << "'";
  return target;
}

/// What `ptxas --version` prints. Fails without a place for temporary files,
/// which ptxas itself needs as well.
static FailureOr<std::string> askVersion(StringRef program, Location location) {
  SmallString<128> path, folder;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("amp-ptxas", "txt", path)) {
    llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, folder);
    return emitError(location)
           << "cannot make a temporary file in '" << folder
           << "': " << error.message()
           << "; set TMPDIR to a folder that can be written to";
  }
  llvm::FileRemover remover(path);
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(path),
                                          StringRef("")};
  if (llvm::sys::ExecuteAndWait(program, {program, "--version"}, std::nullopt,
                                redirects))
    return std::string();
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : std::string();
}

/// Finds ptxas where upstream's target will, and asks it what it is.
LogicalResult CompileKernels::readToolkit(std::string &version) {
  SmallVector<std::string> folders;
  if (!toolkit.empty())
    folders.push_back(toolkit + "/bin");
  auto search = [&](ArrayRef<std::string> paths) {
    SmallVector<StringRef> names(paths.begin(), paths.end());
    return llvm::sys::findProgramByName("ptxas", names);
  };
  llvm::ErrorOr<std::string> program =
      folders.empty() ? llvm::sys::findProgramByName("ptxas") : search(folders);
  if (!program && folders.empty())
    for (const char *variable : {"CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"})
      if (const char *folder = std::getenv(variable))
        folders.push_back(std::string(folder) + "/bin");
  if (!program && !folders.empty())
    program = search(folders);
  if (!program) {
    InFlightDiagnostic diagnostic =
        getOperation().emitError()
        << "expected 'ptxas' of the CUDA toolkit "
        << (toolkit.empty() ? std::string("in PATH or under CUDA_HOME")
                            : "in '" + folders.front() + "'")
        << ", but found none; install the toolkit, or " << kNameToolkit
        << "; PTX needs none ('format=isa' of the pass)";
    return diagnostic;
  }
  FailureOr<std::string> answer = askVersion(*program, getOperation().getLoc());
  if (failed(answer))
    return failure();
  version = std::move(*answer);
  StringRef release = StringRef(version).split("release ").second;
  unsigned major;
  if (release.consumeInteger(10, major))
    return getOperation().emitError()
           << "expected '" << *program
           << " --version' to name a release of CUDA, but got '"
           << StringRef(version).trim() << "'; install the toolkit, or "
           << kNameToolkit;
  if (major < kFirstToolkit)
    return getOperation().emitError()
           << "expected CUDA " << kFirstToolkit << ".0 or later, but '"
           << *program << "' is of CUDA " << major
           << "; install a later one, or " << kNameToolkit;
  return success();
}

LogicalResult CompileKernels::compile(CompiledModule &compiled,
                                      const KernelCache &kernels,
                                      gpu::CompilationTarget target,
                                      StringRef version) {
  gpu::GPUModuleOp module = compiled.module;
  std::string text;
  if (kernels.isEnabled()) {
    llvm::raw_string_ostream stream(text);
    module->print(stream, OpPrintingFlags().useLocalScope());
  }
  auto noSymbols = []() -> SymbolTable * { return nullptr; };
  gpu::TargetOptions options(toolkit, {}, "", "", target, noSymbols);
  for (Attribute attribute : module.getTargetsAttr()) {
    auto handler = dyn_cast<gpu::TargetAttrInterface>(attribute);
    auto refuse = [&] {
      return module.emitError() << "expected ptxas and LLVM to compile the "
                                   "kernels for "
                                << attribute;
    };
    if (!handler)
      return refuse();
    std::string key, targetText;
    llvm::raw_string_ostream(targetText) << attribute;
    if (kernels.isEnabled())
      key = KernelCache::getKey(
          {text, targetText, format, version, LLVM_VERSION_STRING});
    bool isDamaged = false;
    std::optional<KernelCode> code = kernels.read(key, isDamaged);
    if (isDamaged) {
      ++numDamaged;
      compiled.damaged.push_back({kernels.getPath(key), ""});
    }
    if (code) {
      ++numFound;
    } else {
      code = handler.serializeToObject(module, options);
      if (!code)
        return refuse();
      ++numCompiled;
      std::string reason;
      if (kernels.isEnabled() && failed(kernels.write(key, *code, reason)))
        compiled.unwritten.push_back({kernels.getPath(key), reason});
    }
    // Upstream notes on the module how long it took, and the object would say
    // so: equal kernels would no longer be equal.
    for (StringRef time : {"LLVMIRToISATimeInMs", "ISAToBinaryTimeInMs"})
      module->removeAttr(time);
    Attribute object = handler.createObject(module, *code, options);
    if (!object)
      return refuse();
    compiled.objects.push_back(object);
  }
  return success();
}

/// Warns once of all entries, for what ails one, such as a full disk, often
/// ails them all.
static void warnOfCache(Location location, ArrayRef<CompiledModule> modules) {
  auto warn = [&](SmallVector<FailedEntry, 0> CompiledModule::*member,
                  StringRef rule, StringRef one, StringRef many,
                  StringRef rest) {
    const FailedEntry *first = nullptr;
    size_t count = 0;
    for (const CompiledModule &compiled : modules)
      for (const FailedEntry &entry : compiled.*member)
        if (count++ == 0)
          first = &entry;
    if (!first)
      return;
    InFlightDiagnostic warning = emitWarning(location);
    warning << rule << ", but '" << first->path << "' ";
    if (count > 1)
      warning << "and " << count - 1 << " more " << many;
    else
      warning << one;
    warning << rest << first->reason;
  };
  warn(&CompiledModule::damaged, "expected whole code in the cache",
       "is damaged", "are damaged", "; what is damaged is compiled again");
  warn(&CompiledModule::unwritten, "expected to keep code in the cache",
       "could not be written", "could not be written", ": ");
}

void CompileKernels::runOnOperation() {
  std::vector<CompiledModule> modules;
  for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
    if (!module.getTargetsAttr() || module.getTargetsAttr().empty()) {
      module.emitError() << "expected a target to compile for; run "
                            "nvvm-attach-target first";
      return signalPassFailure();
    }
    modules.push_back({module, {}, {}, {}});
  }
  std::optional<gpu::CompilationTarget> target = readFormat();
  std::string version;
  if (!target || (*target == gpu::CompilationTarget::Binary &&
                  !modules.empty() && failed(readToolkit(version))))
    return signalPassFailure();
  KernelCache kernels(cache);
  if (failed(failableParallelForEach(
          &getContext(), modules, [&](CompiledModule &compiled) {
            return compile(compiled, kernels, *target, version);
          })))
    return signalPassFailure();
  warnOfCache(getOperation().getLoc(), modules);
  for (CompiledModule &compiled : modules) {
    gpu::GPUModuleOp module = compiled.module;
    OpBuilder builder(module);
    gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                          gpu::OffloadingLLVMTranslationAttrInterface(),
                          builder.getArrayAttr(compiled.objects));
    module.erase();
  }
}
