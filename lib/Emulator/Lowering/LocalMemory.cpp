//===- LocalMemory.cpp - Stack variables become local memory --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host's stack has no ends that could be watched, and less room than a
// GPU thread's local memory. So an alloca becomes a call that gives a variable
// of the machine's, and a function gives back what it got when it returns. What
// the lowering itself puts on the stack comes after this.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "amp/Emulator/Kernel.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace mlir::amp;
using ::amp::emu::Opcode;

namespace {
class LocalMemoryLowering {
public:
  LocalMemoryLowering(LLVM::LLVMFuncOp function, LoweredKernel &kernel)
      : function(function), kernel(kernel), top(*kernel.module),
        builder(function.getContext()), layout(top) {}

  void run();

private:
  LLVM::LLVMFuncOp declare(StringRef name, Type result, ArrayRef<Type> inputs) {
    auto declared = LLVM::lookupOrCreateFn(builder, top, name, inputs, result);
    return *declared; // fails only where the name has another type
  }
  void lower(LLVM::AllocaOp op);
  Value mark(Location location) {
    auto callee = declare("ampEmuLocalMark", ptr, {});
    return LLVM::CallOp::create(builder, location, callee, ValueRange{})
        .getResult();
  }
  void release(Location location, Value mark) {
    auto callee = declare("ampEmuLocalRelease", none, {ptr});
    LLVM::CallOp::create(builder, location, callee, mark);
  }

  LLVM::LLVMFuncOp function;
  LoweredKernel &kernel;
  ModuleOp top;
  OpBuilder builder;
  DataLayout layout;
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Type ptr = LLVM::LLVMPointerType::get(builder.getContext());
  Type none = LLVM::LLVMVoidType::get(builder.getContext());
};
} // namespace

uint64_t mlir::amp::countBytes(Type type, const DataLayout &layout) {
  auto array = dyn_cast<LLVM::LLVMArrayType>(type);
  if (!array)
    return layout.getTypeSize(type);
  return llvm::SaturatingMultiply(countBytes(array.getElementType(), layout),
                                  uint64_t(array.getNumElements()));
}

void LocalMemoryLowering::lower(LLVM::AllocaOp op) {
  Location location = op.getLoc();
  builder.setInsertionPoint(op);
  auto constant = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, location, type,
                                    builder.getIntegerAttr(type, value));
  };
  Value count = op.getArraySize();
  unsigned width = count.getType().getIntOrFloatBitWidth();
  if (width < 64)
    count = LLVM::ZExtOp::create(builder, location, i64, count);
  else if (width > 64)
    count = LLVM::TruncOp::create(builder, location, i64, count);
  Type type = op.getElemType();
  // More than there can be is refused when it is asked for; it must not wrap.
  uint64_t size = countBytes(type, layout);
  count = LLVM::UMinOp::create(
      builder, location, count,
      constant(i64, int64_t(UINT64_MAX / std::max<uint64_t>(size, 1))));
  Value bytes = LLVM::MulOp::create(builder, location, count,
                                    constant(i64, int64_t(size)));
  uint64_t alignment = std::min<uint64_t>(
      op.getAlignment().value_or(layout.getTypeABIAlignment(type)), 16);
  Instruction inst;
  inst.opcode = Opcode::LocalVariable;
  uint32_t id = addInstruction(kernel, std::move(inst), location);
  Value variable =
      LLVM::CallOp::create(
          builder, location, declare("ampEmuLocal", ptr, {i64, i32, i64}),
          ValueRange{bytes, constant(i32, alignment), constant(i64, id)})
          .getResult();
  if (op.getType() != ptr)
    variable = LLVM::AddrSpaceCastOp::create(builder, location, op.getType(),
                                             variable);
  op.replaceAllUsesWith(variable);
  op.erase();
}

void LocalMemoryLowering::run() {
  SmallVector<LLVM::AllocaOp> variables;
  SmallVector<Operation *> scopes;
  function.walk([&](Operation *op) {
    if (auto variable = dyn_cast<LLVM::AllocaOp>(op))
      variables.push_back(variable);
    else if (isa<LLVM::StackSaveOp, LLVM::StackRestoreOp, LLVM::LifetimeStartOp,
                 LLVM::LifetimeEndOp>(op))
      scopes.push_back(op);
  });
  for (Operation *op : scopes) {
    builder.setInsertionPoint(op);
    if (auto save = dyn_cast<LLVM::StackSaveOp>(op))
      save.replaceAllUsesWith(mark(op->getLoc()));
    else if (auto restore = dyn_cast<LLVM::StackRestoreOp>(op))
      release(op->getLoc(), restore.getPtr());
    op->erase();
  }
  if (variables.empty())
    return;
  for (LLVM::AllocaOp variable : variables)
    lower(variable);
  builder.setInsertionPointToStart(&function.getBody().front());
  Value before = mark(function.getLoc());
  function.walk([&](LLVM::ReturnOp op) {
    builder.setInsertionPoint(op);
    release(op.getLoc(), before);
  });
}

void mlir::amp::lowerLocalMemory(LLVM::LLVMFuncOp function,
                                 LoweredKernel &kernel) {
  LocalMemoryLowering(function, kernel).run();
}
