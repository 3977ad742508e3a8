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

func::FuncOp mlir::amp::createKernelFunction(OpBuilder &builder, Location loc,
                                             StringRef name,
                                             ArrayRef<Type> types) {
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
  return function;
}
