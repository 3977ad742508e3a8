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

#include "amp/Execution/ProgramBundle.h"
#include "amp/Execution/ProgramFile.h"
#include "amp/Execution/RunFiles.h"
#include "amp/Execution/SharedObject.h"
#include "amp/Execution/TemporaryFolder.h"
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

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
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
  // As one that a copy has only begun; it would be a module without a step.
  if (file->getBufferSize() == 0)
    return makeError("'" + options.inputFile +
                     "' is empty; name a step as MLIR");
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
  if (llvm::Error error = checkRunFiles({{"the module", options.inputFile}},
                                        {{"-o", options.outputFile}}))
    return error;
  std::optional<ProgramBundle> bundle;
  if (!options.bundle.empty()) {
    llvm::Expected<ProgramBundle> made = ProgramBundle::create(options.bundle);
    if (!made)
      return made.takeError();
    bundle.emplace(std::move(*made));
  }
  // Whether -o gets a file that is not written with the bundle.
  bool hasOutput = !options.outputFile.empty();
  if (hasOutput && bundle) {
    llvm::Expected<bool> isStep = bundle->isStep(options.outputFile);
    if (!isStep)
      return isStep.takeError();
    hasOutput = !*isStep;
  }
  if (hasOutput)
    if (llvm::Error error = checkCanWrite(options.outputFile))
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
  // With a bundle -o gets a copy: the manifest is of this program, whoever else
  // writes there.
  const std::string linked = bundle ? bundle->getStep() : options.outputFile;
  SmallVector<ArrayRef<char>> bytes(objects->begin(), objects->end());
  if (llvm::Error error = linkSharedObject(*linker, bytes, linked))
    return error;
  uint64_t size = 0;
  (void)fs::file_size(linked, size);
  // Which shows that it can be loaded.
  llvm::Expected<ProgramFile> program = loadProgramFile(linked);
  if (!program)
    return program.takeError();
  if (bundle) {
    if (llvm::Error error =
            bundle->complete(*runtime, *program->program, options.targetText))
      return error;
    if (llvm::Error error = bundle->publish())
      return error;
    if (hasOutput)
      if (llvm::Error error =
              copyWholeFile(bundle->getStep(), options.outputFile))
        return error;
  }
  if (options.quiet)
    return llvm::Error::success();
  if (precision.verbosity != "0")
    llvm::outs() << report.decisions;
  llvm::outs() << llvm::formatv(
      "'{0}' for {1}: {2}, in {3:f2} s\n",
      options.outputFile.empty() ? bundle->getStep() : options.outputFile,
      options.targetText, formatBytes(size),
      report.preparation + report.lowering + report.codegen);
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  removeTemporaryFoldersOnSignals();
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
