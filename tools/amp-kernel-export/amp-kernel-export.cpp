//===- amp-kernel-export.cpp - Kernels as a folder for amp-kernel-bench ---===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   amp-opt in.mlir --amp-generate-gemm=... --amp-kernels-to-cubin \
//     | amp-kernel-export -o FOLDER
//
// Every gpu.module or gpu.binary becomes one kernel of the folder: a cubin, PTX
// or, after --amp-kernels-to-nvvm, text that the emulator loads.
//
//===----------------------------------------------------------------------===//

#include "KernelFolder.h"

#include "amp/InitAllDialects.h"
#include "amp/Support/OutOfMemory.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

namespace cl = llvm::cl;
using namespace mlir;

static cl::OptionCategory category("What to export");
static cl::opt<std::string> inputFile(cl::Positional, cl::init("-"),
                                      cl::desc("MODULE.mlir"),
                                      cl::cat(category));
static cl::opt<std::string> folder("o", cl::Required,
                                   cl::desc("where to write index.json and the "
                                            "kernels' images"),
                                   cl::value_desc("folder"), cl::cat(category));

static int fail(const Twine &text) {
  llvm::errs() << "amp-kernel-export: error: " << text << "\n";
  return 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  amp::installOutOfMemoryHandler("amp-kernel-export",
                                 "use a smaller module, or raise the limit");
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "amp-kernel-export of mlir-amp " AMP_VERSION
          ", LLVM " LLVM_VERSION_STRING "\n";
  });
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "amp-kernel-export: write the generated kernels of a module into a "
      "folder that amp-kernel-bench reads\n");
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(inputFile, &message);
  if (!file)
    return fail(message);
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  amp::registerAllDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return fail("'" + inputFile + "' cannot be read as MLIR");
  amp::KernelFolder kernels(folder);
  if (failed(kernels.add(*module)))
    return 1;
  if (llvm::Error error = kernels.write())
    return fail(toString(std::move(error)));
  return 0;
}
