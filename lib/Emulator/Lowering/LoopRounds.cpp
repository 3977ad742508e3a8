//===- LoopRounds.cpp - Loops take steps down -----------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowered code runs until it calls the machine, and an endless loop need never
// do so. Whatever the control flow, a cycle has a branch to a block that does
// not come later in the function's text; such blocks begin with
//
//   if (--*steps < 0) ampEmuStepsTaken(place)
//
// a load, a store and a branch that is not taken. The condition is a function
// of its own that is always inlined, so that no block has to be split here.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "amp/Emulator/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::amp;
using ::amp::emu::Opcode;

/// The function that takes one step down.
static LLVM::LLVMFuncOp getRound(ModuleOp top) {
  constexpr StringLiteral name = "ampEmuRound";
  if (auto round = top.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return round;
  OpBuilder builder = OpBuilder::atBlockEnd(top.getBody());
  Location location = top.getLoc();
  Type ptr = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  Type none = LLVM::LLVMVoidType::get(builder.getContext());
  LLVM::LLVMFuncOp::create(builder, location, "ampEmuSteps",
                           LLVM::LLVMFunctionType::get(ptr, {}));
  auto taken =
      LLVM::LLVMFuncOp::create(builder, location, "ampEmuStepsTaken",
                               LLVM::LLVMFunctionType::get(none, {i64}));
  auto round = LLVM::LLVMFuncOp::create(
      builder, location, name, LLVM::LLVMFunctionType::get(none, {ptr, i64}),
      LLVM::Linkage::Internal);
  round.setAlwaysInline(true);
  Block *entry = round.addEntryBlock(builder);
  Block *out = builder.createBlock(&round.getBody());
  Block *done = builder.createBlock(&round.getBody());
  auto constant = [&](int64_t value) {
    return LLVM::ConstantOp::create(builder, location, i64,
                                    builder.getI64IntegerAttr(value));
  };
  Value steps = entry->getArgument(0);
  builder.setInsertionPointToStart(entry);
  Value left = LLVM::LoadOp::create(builder, location, i64, steps);
  left = LLVM::SubOp::create(builder, location, left, constant(1));
  LLVM::StoreOp::create(builder, location, left, steps);
  Value isOut = LLVM::ICmpOp::create(
      builder, location, LLVM::ICmpPredicate::slt, left, constant(0));
  LLVM::CondBrOp::create(builder, location, isOut, out, done);
  builder.setInsertionPointToStart(out);
  LLVM::CallOp::create(builder, location, taken, entry->getArgument(1));
  LLVM::BrOp::create(builder, location, done);
  builder.setInsertionPointToStart(done);
  LLVM::ReturnOp::create(builder, location, ValueRange{});
  return round;
}

void mlir::amp::countLoopRounds(LLVM::LLVMFuncOp function,
                                LoweredKernel &kernel) {
  llvm::DenseMap<Block *, unsigned> order;
  for (auto [i, block] : llvm::enumerate(function.getBody()))
    order[&block] = i;
  SmallVector<Block *> heads;
  for (Block &block : function.getBody())
    if (llvm::any_of(block.getPredecessors(),
                     [&](Block *from) { return order[from] >= order[&block]; }))
      heads.push_back(&block);
  if (heads.empty())
    return;
  ModuleOp top = *kernel.module;
  LLVM::LLVMFuncOp round = getRound(top);
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Value steps =
      LLVM::CallOp::create(builder, function.getLoc(),
                           top.lookupSymbol<LLVM::LLVMFuncOp>("ampEmuSteps"),
                           ValueRange{})
          .getResult();
  for (Block *head : heads) {
    Location location = head->front().getLoc();
    Instruction inst;
    inst.opcode = Opcode::LoopRound;
    uint32_t id = addInstruction(kernel, std::move(inst), location);
    builder.setInsertionPointToStart(head);
    Value place = LLVM::ConstantOp::create(
        builder, location, builder.getI64Type(), builder.getI64IntegerAttr(id));
    LLVM::CallOp::create(builder, location, round, ValueRange{steps, place});
  }
}
