//===- amp-plugin.cpp - mlir-amp for a stock mlir-opt ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One shared object that is both a dialect plugin and a pass plugin. mlir-opt
// reads its command line before it loads plugins, so passes of ours are named
// in --pass-pipeline, not as options of their own.
//
//===----------------------------------------------------------------------===//

#include "amp/InitAllDialects.h"
#include "amp/InitAllPasses.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

#include <mutex>

using namespace mlir;

/// Both entries lead here: whoever loads only one gets the passes too.
static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, [] { amp::registerAllPasses(); });
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "mlir-amp", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) {
            amp::registerAllDialects(*registry);
            registerPassesOnce();
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "mlir-amp", LLVM_VERSION_STRING,
          registerPassesOnce};
}
