//===- MarkEntryPoints.cpp - Which functions a host calls -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Visibility decides what inlining may remove, so this stands before it. What
// is called from here on has to be there: a symbol that no library has would be
// missed without a place, when code is linked.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/CallComponents.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

#define DEBUG_TYPE "amp-mark-entry-points"

namespace mlir::amp {
#define GEN_PASS_DEF_MARKENTRYPOINTSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Refuses calls that one of `entries` reaches of a function on tensors that is
/// declared only: no library has one.
static LogicalResult requireBodies(ArrayRef<func::FuncOp> entries,
                                   const SymbolTable &symbols) {
  SmallVector<Operation *> roots(entries.begin(), entries.end());
  auto isTensor = llvm::IsaPred<TensorType>;
  auto getCallee = [&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    return call ? symbols.lookup<func::FuncOp>(call.getCallee())
                : func::FuncOp();
  };
  Operation *call = findReached(roots, symbols, [&](Operation *op) {
    func::FuncOp callee = getCallee(op);
    return callee && callee.isExternal() &&
           (llvm::any_of(callee.getArgumentTypes(), isTensor) ||
            llvm::any_of(callee.getResultTypes(), isTensor));
  });
  if (!call)
    return success();
  func::FuncOp callee = getCallee(call);
  InFlightDiagnostic diagnostic =
      call->emitError()
      << "expected '@" << callee.getName()
      << "' to have a body, since a compiled step takes code for tensors "
         "from its module alone, but it is only declared; write its body "
         "into the module";
  diagnostic.attachNote(callee.getLoc()) << "declared here";
  return diagnostic;
}

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
    if (failed(requireBodies(entries, SymbolTable(module))))
      return signalPassFailure();
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
