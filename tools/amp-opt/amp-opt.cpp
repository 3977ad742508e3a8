//===- amp-opt.cpp - mlir-opt with the amp dialect and its passes ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that mlir-opt knows, and everything of ours.
//
//===----------------------------------------------------------------------===//

#include "amp/InitAllDialects.h"
#include "amp/InitAllPasses.h"
#include "amp/Support/OutOfMemory.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  mlir::amp::installOutOfMemoryHandler(
      "amp-opt", "use a smaller module, or raise the limit");
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "amp-opt of mlir-amp " AMP_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mlir::amp::registerAllDialects(registry);
  mlir::amp::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mlir-amp optimizer driver\n", registry));
}
