//===- RecordLaunches.cpp - Keep what a launcher needs --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gpu.binary has no functions, so their attributes would be lost with them,
// and so would the gpu.module's own.
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
static constexpr StringLiteral kProblemAttr = "amp.problem";
static constexpr StringLiteral kProblemsAttr = "amp.problems";

namespace {
struct RecordLaunches
    : public amp::impl::RecordLaunchesPassBase<RecordLaunches> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    NamedAttrList modules(
        getOperation()->getAttrOfType<DictionaryAttr>(kLaunchesAttr));
    NamedAttrList problems(
        getOperation()->getAttrOfType<DictionaryAttr>(kProblemsAttr));
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
      NamedAttrList kernels;
      for (auto func : module.getOps<LLVM::LLVMFuncOp>())
        if (Attribute launch = func->getAttr(kLaunchAttr))
          kernels.set(func.getName(), launch);
      if (!kernels.empty())
        modules.set(module.getName(), kernels.getDictionary(context));
      if (Attribute problem = module->getAttr(kProblemAttr))
        problems.set(module.getName(), problem);
    }
    if (!modules.empty())
      getOperation()->setAttr(kLaunchesAttr, modules.getDictionary(context));
    if (!problems.empty())
      getOperation()->setAttr(kProblemsAttr, problems.getDictionary(context));
  }
};
} // namespace
