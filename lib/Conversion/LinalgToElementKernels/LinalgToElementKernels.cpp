//===- LinalgToElementKernels.cpp - What is left, as plain kernels --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each linalg operation on tensors becomes a linalg.generic and that a launch
// of a kernel with a thread for each element. Fills come last: one that only
// says what a sum starts from is gone by then. Equal kernels are there once:
// they are compared as they are written, under one name.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/ElementKernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTLINALGTOELEMENTKERNELSPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct ConvertLinalgToElementKernels
    : public amp::impl::ConvertLinalgToElementKernelsPassBase<
          ConvertLinalgToElementKernels> {
  using Base::Base;

  void runOnOperation() override;

private:
  void convert(linalg::LinalgOp op, SymbolTable &symbols, IRRewriter &rewriter);
  /// The module of a kernel: one that is there, if it is the same.
  gpu::GPUModuleOp getModule(const ElementKernel &kernel, SymbolTable &symbols);

  /// By the text of what is in them.
  llvm::StringMap<gpu::GPUModuleOp> modules;
};
} // namespace

gpu::GPUModuleOp
ConvertLinalgToElementKernels::getModule(const ElementKernel &kernel,
                                         SymbolTable &symbols) {
  OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
  // A name that no two kernels have would be a difference.
  gpu::GPUModuleOp module = kernel.emit(builder, "element");
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().useLocalScope());
  auto [known, isNew] = modules.insert({text, module});
  if (!isNew) {
    module.erase();
    return known->second;
  }
  ++numKernels;
  std::string name;
  unsigned number = modules.size() - 1;
  do
    name = "element_" + std::to_string(number++);
  while (symbols.lookup(name));
  SymbolTable::setSymbolName(module, name);
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    SymbolTable::setSymbolName(func, name);
  symbols.insert(module);
  return module;
}

/// A tensor with the value: of a number, the one that it was taken from, so
/// that it need not leave a device.
static Value getMemory(OpBuilder &b, Value value) {
  if (isa<ShapedType>(value.getType()))
    return value;
  if (auto extract = value.getDefiningOp<tensor::ExtractOp>()) {
    auto type = extract.getTensor().getType();
    if (type.hasStaticShape() && type.getNumElements() == 1)
      return extract.getTensor();
  }
  return tensor::FromElementsOp::create(
      b, value.getLoc(), RankedTensorType::get({}, value.getType()), value);
}

void ConvertLinalgToElementKernels::convert(linalg::LinalgOp op,
                                            SymbolTable &symbols,
                                            IRRewriter &rewriter) {
  auto decline = [&](StringRef reason) {
    ++numDeclined;
    if (report)
      op->emitRemark("not a kernel: ") << reason;
  };
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    if (!op.hasPureTensorSemantics())
      return decline(
          "expected an operation whose results are tensors, but got one without");
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> general =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(general))
      return decline("expected an operation that linalg.generic can say");
    op = generic = *general;
  }
  std::string reason;
  std::optional<ElementKernel> kernel = ElementKernel::match(generic, reason);
  if (!kernel)
    return decline(reason);
  gpu::GPUModuleOp module = getModule(*kernel, symbols);
  rewriter.setInsertionPoint(generic);
  SmallVector<StringRef> names;
  SmallVector<Value> inputs, outputs;
  for (const ElementKernel::Input &input : kernel->getInputs()) {
    names.push_back(input.name);
    inputs.push_back(getMemory(rewriter, input.value));
  }
  SmallVector<std::string> outputNames = kernel->getOutputNames();
  for (auto [name, type] : llvm::zip(outputNames, generic.getResultTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    names.push_back(name);
    outputs.push_back(tensor::EmptyOp::create(rewriter, generic.getLoc(),
                                              tensor.getShape(),
                                              tensor.getElementType()));
  }
  auto launch = LaunchKernelsOp::create(
      rewriter, generic.getLoc(), module.getName(), names, inputs, outputs);
  rewriter.replaceOp(generic, launch.getResults());
  ++numConverted;
}

void ConvertLinalgToElementKernels::runOnOperation() {
  modules.clear();
  SymbolTable symbols(getOperation());
  IRRewriter rewriter(&getContext());
  SmallVector<linalg::LinalgOp> ops, fills;
  // A nested symbol table could not name our kernels.
  for (auto function : getOperation().getOps<func::FuncOp>())
    function.walk([&](linalg::LinalgOp op) {
      (isa<linalg::FillOp>(op.getOperation()) ? fills : ops).push_back(op);
    });
  for (linalg::LinalgOp op : ops)
    convert(op, symbols, rewriter);
  for (linalg::LinalgOp fill : fills) {
    if (fill->use_empty())
      rewriter.eraseOp(fill);
    else
      convert(fill, symbols, rewriter);
  }
  if (!modules.empty())
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            UnitAttr::get(&getContext()));
}
