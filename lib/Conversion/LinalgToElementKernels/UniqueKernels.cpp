//===- UniqueKernels.cpp - Kernels of a module, equal ones once -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is written under one name for all, so that names are no difference,
// and renamed if it is new; others of its module, whose names begin with its
// own, with it.
//
//===----------------------------------------------------------------------===//

#include "UniqueKernels.h"

#include "amp/Analysis/NumberMemory.h"
#include "amp/Kernels/CopyKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amp;

gpu::GPUModuleOp UniqueKernels::get(
    function_ref<gpu::GPUModuleOp(OpBuilder &builder, StringRef name)> emit) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  gpu::GPUModuleOp kernel = emit(builder, prefix);
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel.print(stream, OpPrintingFlags().useLocalScope());
  auto [known, isNew] = kernels.insert({text, kernel});
  if (!isNew) {
    kernel.erase();
    return known->second;
  }
  std::string name;
  unsigned number = kernels.size() - 1;
  do
    name = prefix + "_" + std::to_string(number++);
  while (symbols.lookup(name));
  SymbolTable::setSymbolName(kernel, name);
  for (auto func : kernel.getOps<LLVM::LLVMFuncOp>())
    SymbolTable::setSymbolName(
        func, name + func.getName().drop_front(prefix.size()).str());
  symbols.insert(kernel);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
  return kernel;
}

LaunchKernelsOp mlir::amp::createLaunch(OpBuilder &builder, Location loc,
                                        gpu::GPUModuleOp kernel,
                                        ArrayRef<ElementKernel::Input> inputs,
                                        ArrayRef<std::string> outputs,
                                        TypeRange types) {
  SmallVector<StringRef> names;
  SmallVector<Value> read, written;
  for (const ElementKernel::Input &input : inputs) {
    names.push_back(input.name);
    Value value = input.value;
    read.push_back(isa<ShapedType>(value.getType())
                       ? value
                       : getOrMakeNumberMemory(builder, value));
  }
  for (auto [name, type] : llvm::zip_equal(outputs, types)) {
    auto tensor = cast<RankedTensorType>(type);
    names.push_back(name);
    written.push_back(tensor::EmptyOp::create(builder, loc, tensor.getShape(),
                                              tensor.getElementType()));
  }
  return LaunchKernelsOp::create(builder, loc, kernel.getName(), names, read,
                                 written);
}

void mlir::amp::replaceByLaunch(RewriterBase &rewriter, Operation *op,
                                gpu::GPUModuleOp kernel,
                                ArrayRef<ElementKernel::Input> inputs,
                                ArrayRef<std::string> outputs) {
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, createLaunch(rewriter, op->getLoc(), kernel, inputs,
                                      outputs, op->getResultTypes()));
}

Value mlir::amp::getWindow(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  OpFoldResult start = b.getIndexAttr(offset);
  if (ShapedType::isDynamic(offset))
    start =
        memref::ExtractStridedMetadataOp::create(b, loc, buffer).getOffset();
  const int64_t span = getSpan(type);
  auto layout = StridedLayoutAttr::get(b.getContext(), offset, {1});
  auto window = MemRefType::get(span, type.getElementType(), layout);
  return memref::ReinterpretCastOp::create(
      b, loc, window, buffer, start,
      ArrayRef<OpFoldResult>(b.getIndexAttr(span)),
      ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
}
