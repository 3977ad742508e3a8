//===- RegisterEverything.cpp - All of MLIR and of mlir-amp ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registration.h"

#include "amp/InitAllDialects.h"
#include "amp/InitAllPasses.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

using namespace mlir;

void amp::registerKnownDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  amp::registerAllDialects(registry);
}

void amp::registerKnownPasses() {
  mlir::registerAllPasses();
  amp::registerAllPasses();
}
