//===- MarkEntryPoints.cpp - Which functions a host calls -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Visibility decides what inlining may remove, so this stands before it.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#define DEBUG_TYPE "amp-mark-entry-points"

namespace mlir::amp {
#define GEN_PASS_DEF_MARKENTRYPOINTSPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct MarkEntryPoints
    : public amp::impl::MarkEntryPointsPassBase<MarkEntryPoints> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> entries;
    bool hasTrainStep = false;
    for (auto function : module.getOps<func::FuncOp>())
      hasTrainStep |= getFunctionKind(function) == FunctionKind::TrainStep;
    for (auto function : module.getOps<func::FuncOp>()) {
      FunctionKind kind = getFunctionKind(function);
      bool isEntry = hasTrainStep ? kind == FunctionKind::TrainStep ||
                                        kind == FunctionKind::Evaluate
                                  : hasRoles(function);
      if (isEntry && !function.isExternal())
        entries.push_back(function);
      else
        function.setPrivate();
    }
    if (entries.empty()) {
      module.emitError()
          << "expected a function whose arguments have 'amp.role' "
             "attributes, but found none; the dialect's page says "
             "which roles a training step has";
      return signalPassFailure();
    }
    Builder builder(&getContext());
    for (func::FuncOp function : entries) {
      function.setPublic();
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                        builder.getUnitAttr());
      for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
        if (isa<TensorType>(function.getArgumentTypes()[i]))
          function.setArgAttr(
              i, bufferization::BufferizationDialect::kWritableAttrName,
              builder.getBoolAttr(false));
    }
  }
};
} // namespace
