//===- amp-compile.cpp - Compile a training step ahead of time ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   amp-compile STEP.mlir --opt-level=O2 --target=host -o step.so
//   amp-compile STEP.mlir --opt-level=O2 --target=cuda:sm_90a --bundle FOLDER
//
// All that can be known to be wrong is asked for before the step is compiled:
// options, the linker, and whether the output can be written. Every error ends
// with a line on standard error and exit code 1, and leaves no output behind.
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"

#include "amp/Execution/ProgramFile.h"
#include "amp/Execution/ProgramManifest.h"
#include "amp/Execution/RunFiles.h"
#include "amp/Execution/SharedObject.h"
#include "amp/Execution/WholeFile.h"
#include "amp/InitAllDialects.h"
#include "amp/Support/OutOfMemory.h"
#include "amp/Support/Quantities.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::amp;
namespace fs = llvm::sys::fs;

/// Of a bundle. The runtime has the name by which the program asks for it.
static constexpr StringLiteral kStepName = "step.so",
                               kRuntimeName = "libamp-rt.so.0",
                               kRuntimeLink = "libamp-rt.so",
                               kManifestName = "manifest.json";

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static std::string getFile(StringRef folder, StringRef name) {
  llvm::SmallString<128> path = folder;
  llvm::sys::path::append(path, name);
  return path.str().str();
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// Fails for a folder that holds something; makes one that is not there.
static llvm::Error prepareBundle(const std::string &folder) {
  std::error_code error =
      fs::create_directory(folder, /*IgnoreExisting=*/true, fs::perms::all_all);
  if (!error) {
    fs::directory_iterator first(folder, error);
    if (!error && first != fs::directory_iterator())
      return makeError(
          "expected --bundle to name a new or empty folder, but '" + folder +
          "' has '" + llvm::sys::path::filename(first->path()) +
          "'; empty it, or name another");
  }
  if (error)
    return makeError("cannot make the folder '" + folder +
                     "' of --bundle: " + error.message());
  return checkCanWrite(getFile(folder, kStepName));
}

/// Copies a file, whole or not at all.
static llvm::Error copyFile(StringRef from, StringRef to) {
  auto bytes = llvm::MemoryBuffer::getFile(from, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    return makeError("cannot read '" + from +
                     "': " + bytes.getError().message());
  return writeWholeFile(to, [&](raw_ostream &os) {
    os << (*bytes)->getBuffer();
    return llvm::Error::success();
  });
}

/// Puts the runtime and the manifest beside the step.
static llvm::Error completeBundle(const CompileOptions &options,
                                  StringRef runtime,
                                  const AmpRtProgram &program) {
  if (llvm::Error error =
          copyFile(runtime, getFile(options.bundle, kRuntimeName)))
    return error;
  // For linkers, which look for the name without a version.
  if (std::error_code failure =
          fs::create_link(kRuntimeName, getFile(options.bundle, kRuntimeLink)))
    return makeError("cannot make '" + getFile(options.bundle, kRuntimeLink) +
                     "': " + failure.message());
  return writeWholeFile(
      getFile(options.bundle, kManifestName), [&](raw_ostream &os) {
        os << llvm::formatv("{0:2}\n",
                            makeManifest(program, options.targetText));
        return llvm::Error::success();
      });
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// How a step is compiled for the host, whichever the CPU.
static llvm::Error setHostLowering(HostLoweringOptions &lowering,
                                   const CompileOptions &options) {
  BlasReport blas{std::nullopt, ""};
  if (options.blas != "off" && !options.reference) {
    llvm::Expected<BlasReport> chosen =
        options.blas == "auto" ? chooseBlas()
                               : chooseBlas(options.blas, "--blas");
    if (!chosen)
      return chosen.takeError();
    blas = std::move(*chosen);
  }
  setBlas(lowering, blas);
  lowering.threads = options.threads;
  lowering.reference = options.reference;
  return llvm::Error::success();
}

static llvm::Expected<std::vector<ObjectCode>>
compile(ModuleOp module, const CompileOptions &options,
        const MixedPrecisionOptions &precision, CompileReport &report) {
  ObjectOptions objects;
  objects.insertTaps = options.insertTaps;
  objects.cpus = options.cpus;
  if (options.reference)
    objects.optimizationLevel = 1; // loops stay as they are
  if (!options.isForHost())
    return compileToDeviceObjects(module, precision, options.target, objects,
                                  report);
  HostLoweringOptions lowering;
  if (llvm::Error error = setHostLowering(lowering, options))
    return std::move(error);
  return compileToHostObjects(module, precision, lowering, objects, report);
}

/// Compiles the step to the files of `options`.
static llvm::Error run(const CompileOptions &options) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file =
      openInputFile(options.inputFile, &message);
  if (!file)
    return makeError(message);
  MixedPrecisionOptions precision;
  if (llvm::Error error =
          setPrecision(precision, options.precision,
                       options.quiet ? llvm::nulls() : llvm::outs()))
    return error;
  llvm::Expected<std::string> linker = findLinker();
  if (!linker)
    return linker.takeError();
  llvm::Expected<std::string> runtime = findRuntimeLibrary();
  if (!runtime)
    return runtime.takeError();
  if (!options.outputFile.empty()) {
    if (llvm::Error error = checkRunFiles({{"the module", options.inputFile}},
                                          {{"-o", options.outputFile}}))
      return error;
    if (llvm::Error error = checkCanWrite(options.outputFile))
      return error;
  }
  if (!options.bundle.empty())
    if (llvm::Error error = prepareBundle(options.bundle))
      return error;

  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  amp::registerAllDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // an error on the module prints it all
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return makeError("'" + options.inputFile + "' cannot be read as MLIR");
  // Types that no driver can feed are shown as the user wrote them.
  llvm::Expected<ModuleSignature> signature =
      readSignatures(*module, precision);
  if (!signature)
    return makeError("'" + options.inputFile +
                     "': " + llvm::toString(signature.takeError()));

  CompileReport report;
  llvm::Expected<std::vector<ObjectCode>> objects =
      compile(*module, options, precision, report);
  if (!objects)
    return makeError("'" + options.inputFile +
                     "': " + llvm::toString(objects.takeError()));
  const std::string path = options.outputFile.empty()
                               ? getFile(options.bundle, kStepName)
                               : options.outputFile;
  SmallVector<ArrayRef<char>> bytes(objects->begin(), objects->end());
  if (llvm::Error error = linkSharedObject(*linker, bytes, path))
    return error;
  // Which shows that it can be loaded.
  llvm::Expected<ProgramFile> program = loadProgramFile(path);
  if (!program)
    return program.takeError();
  if (!options.bundle.empty()) {
    const std::string step = getFile(options.bundle, kStepName);
    if (step != path)
      if (llvm::Error error = copyFile(path, step))
        return error;
    if (llvm::Error error =
            completeBundle(options, *runtime, *program->program))
      return error;
  }
  if (options.quiet)
    return llvm::Error::success();
  if (precision.verbosity != "0")
    llvm::outs() << report.decisions;
  uint64_t size = 0;
  (void)fs::file_size(path, size);
  llvm::outs() << llvm::formatv(
      "'{0}' for {1}: {2}, in {3:f2} s\n", path, options.targetText,
      formatBytes(size), report.preparation + report.lowering + report.codegen);
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  installOutOfMemoryHandler("amp-compile",
                            "use a smaller model, or raise the limit");
  llvm::cl::SetVersionPrinter([](raw_ostream &os) {
    os << "amp-compile of mlir-amp " AMP_VERSION ", LLVM " LLVM_VERSION_STRING
          "\n";
  });
  llvm::Expected<CompileOptions> options = parseCompileOptions(argc, argv);
  llvm::Error error = options ? run(*options) : options.takeError();
  llvm::outs().flush();
  if (!error)
    return 0;
  llvm::errs() << "amp-compile: error: " << llvm::toString(std::move(error))
               << "\n";
  return 1;
}
