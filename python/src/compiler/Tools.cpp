//===- Tools.cpp - The command line tools in the package ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tools are functions of the package's one copy of the compiler, not
// programs beside it: each program would carry LLVM once more.
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "../../../lib/CAPI/Registration.h"
#include "../../../tools/amp-run/RunTool.h"
#include "amp/Support/OutOfMemory.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

int ::amp::python::runAmpOpt(int argc, char **argv) {
  mlir::amp::installOutOfMemoryHandler(
      "amp-opt", "use a smaller module, or raise the limit");
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "amp-opt of mlir-amp " AMP_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
  DialectRegistry registry;
  mlir::amp::registerKnownDialects(registry);
  mlir::amp::registerKnownPasses();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "mlir-amp optimizer driver\n", registry));
}

int ::amp::python::runAmpRun(int argc, char **argv) {
  return mlir::amp::runTool(argc, argv, mlir::amp::registerKnownDialects);
}
