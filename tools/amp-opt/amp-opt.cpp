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

#include "OptTool.h"

#include "amp/InitAllDialects.h"
#include "amp/InitAllPasses.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

int main(int argc, char **argv) {
  return mlir::amp::runOptTool(
      argc, argv,
      [](mlir::DialectRegistry &registry) {
        mlir::registerAllDialects(registry);
        mlir::registerAllExtensions(registry);
        mlir::amp::registerAllDialects(registry);
      },
      [] {
        mlir::registerAllPasses();
        mlir::amp::registerAllPasses();
      });
}
