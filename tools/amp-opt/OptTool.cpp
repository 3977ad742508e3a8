//===- OptTool.cpp - mlir-opt's driver as amp-opt -------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptTool.h"

#include "amp/Support/OutOfMemory.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int mlir::amp::runOptTool(int argc, char **argv,
                          void (*registerDialects)(DialectRegistry &registry),
                          void (*registerPasses)()) {
  installOutOfMemoryHandler("amp-opt",
                            "use a smaller module, or raise the limit");
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "amp-opt of mlir-amp " AMP_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
  DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "mlir-amp optimizer driver\n", registry));
}
