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
#include "../../../tools/amp-opt/OptTool.h"
#include "../../../tools/amp-run/RunTool.h"

int amp::python::runAmpOpt(int argc, char **argv) {
  return mlir::amp::runOptTool(argc, argv, mlir::amp::registerKnownDialects,
                               mlir::amp::registerKnownPasses);
}

int amp::python::runAmpRun(int argc, char **argv) {
  mlir::amp::RunToolParts parts;
  parts.registerDialects = mlir::amp::registerKnownDialects;
  return mlir::amp::runTool(argc, argv, parts);
}
