//===- KernelFunction.cpp - Functions around pieces of a step -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

/// A value that one register holds, as a memref does whose address says all.
static bool isAddressOnly(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  return memref.hasStaticShape() &&
         succeeded(memref.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) && !ShapedType::isDynamicShape(strides);
}

SmallVector<Value>
mlir::amp::getKernelArguments(const llvm::SetVector<Value> &inputs) {
  SmallVector<Value> arguments;
  for (Value input : inputs)
    if (!matchPattern(input, m_Constant()))
      arguments.push_back(input);
  return arguments;
}

func::FuncOp mlir::amp::createKernelFunction(
    OpBuilder &builder, Location loc, StringRef name, ArrayRef<Value> arguments,
    const llvm::SetVector<Value> &inputs, IRMapping &mapping) {
  SmallVector<Type> types = llvm::to_vector(ValueRange(arguments).getTypes());
  builder.clearInsertionPoint();
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  function.setPrivate();
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(builder.getContext(), LLVM::Linkage::Internal));
  function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
  function.setNoInline(true);
  if (llvm::all_of(types, isAddressOnly))
    function->setAttr("llvm.bareptr", builder.getUnitAttr());
  Block *body = function.addEntryBlock();
  mapping.map(arguments, body->getArguments());
  builder.setInsertionPointToStart(body);
  for (Value input : inputs)
    if (!mapping.contains(input))
      builder.clone(*input.getDefiningOp(), mapping);
  return function;
}
