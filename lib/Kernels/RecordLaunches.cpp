//===- RecordLaunches.cpp - Keep what a launcher needs --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gpu.binary has no functions, so their attributes would be lost with them.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#define DEBUG_TYPE "amp-record-launches"

namespace mlir::amp {
#define GEN_PASS_DEF_RECORDLAUNCHESPASS
#include "amp/Kernels/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static constexpr StringLiteral kLaunchAttr = "amp.launch";
static constexpr StringLiteral kLaunchesAttr = "amp.launches";

namespace {
struct RecordLaunches
    : public amp::impl::RecordLaunchesPassBase<RecordLaunches> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    NamedAttrList modules(
        getOperation()->getAttrOfType<DictionaryAttr>(kLaunchesAttr));
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
      NamedAttrList kernels;
      for (auto func : module.getOps<LLVM::LLVMFuncOp>())
        if (Attribute launch = func->getAttr(kLaunchAttr))
          kernels.set(func.getName(), launch);
      if (!kernels.empty())
        modules.set(module.getName(), kernels.getDictionary(context));
    }
    if (!modules.empty())
      getOperation()->setAttr(kLaunchesAttr, modules.getDictionary(context));
  }
};
} // namespace
