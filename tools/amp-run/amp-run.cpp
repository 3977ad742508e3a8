//===- amp-run.cpp - Compile a training step and run it -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tool, for steps in any of MLIR's dialects. RunTool.cpp has what it does.
//
//===----------------------------------------------------------------------===//

#include "RunTool.h"

#include "amp/InitAllDialects.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

int main(int argc, char **argv) {
  mlir::amp::RunToolParts parts;
  parts.registerDialects = [](mlir::DialectRegistry &registry) {
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    mlir::amp::registerAllDialects(registry);
  };
  parts.completeTarget = mlir::amp::completeTarget;
  parts.compileForDevice = mlir::amp::compileForDevice;
  return mlir::amp::runTool(argc, argv, parts);
}
