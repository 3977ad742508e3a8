//===- ConvertParallelCalls.cpp - Parts of loops as tasks of the runtime --===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime knows one signature for parts of loops: a number and an address.
// A call that is marked as one for all parts becomes a struct of its other
// arguments on the stack and one call of the runtime with its address; a
// function beside the callee takes the struct apart:
//
//   call @part(%count, %x, %y) {amp.parallel}
//                                  store {%x, %y}, %context
//                            ->    call @ampRtParallel(%count,
//                            @amp_parallel_part,
//                                                      %context)
//
//   @amp_parallel_part(%i, %context): load {%x, %y}; call @part(%i, %x, %y)
//
// The struct is allocated where its function begins, as calls may stand in
// loops. amp-return-status gives both functions their run and their status.
//
//===----------------------------------------------------------------------===//

#include "amp/Program/ParallelCalls.h"
#include "amp/Program/Passes.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#define DEBUG_TYPE "amp-convert-parallel-calls"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTPARALLELCALLSPASS
#include "amp/Program/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Becomes ampRtRunParallel of amp-rt/Pool.h.
static constexpr StringLiteral kRuntimeName = "ampRtParallel";
/// Of the functions that the runtime calls.
static constexpr StringLiteral kPrefix = "amp_parallel_";

namespace {
class Converter {
public:
  explicit Converter(ModuleOp module)
      : module(module), builder(module.getContext()),
        index(builder.getI64Type()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  void convert(LLVM::CallOp call);

private:
  Value getField(Location loc, Type context, Value address, int64_t field) {
    return LLVM::GEPOp::create(builder, loc, pointer, context, address,
                               ArrayRef<LLVM::GEPArg>{0, int32_t(field)});
  }
  LLVM::LLVMFuncOp createBody(LLVM::CallOp call, StringRef name, Type context);

  ModuleOp module;
  OpBuilder builder;
  Type index, pointer;
};
} // namespace

LLVM::LLVMFuncOp Converter::createBody(LLVM::CallOp call, StringRef name,
                                       Type context) {
  Location loc = call.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(module.getContext()), {index, pointer});
  auto body = LLVM::LLVMFuncOp::create(builder, loc, name, type,
                                       LLVM::Linkage::Internal);
  body->setAttr(kParallelAttr, builder.getUnitAttr());
  builder.setInsertionPointToStart(body.addEntryBlock(builder));
  SmallVector<Value> arguments = {body.getArgument(0)};
  for (auto [field, value] :
       llvm::enumerate(call.getArgOperands().drop_front()))
    arguments.push_back(LLVM::LoadOp::create(
        builder, loc, value.getType(),
        getField(loc, context, body.getArgument(1), field)));
  LLVM::CallOp::create(builder, loc, TypeRange(), *call.getCallee(), arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return body;
}

void Converter::convert(LLVM::CallOp call) {
  Location loc = call.getLoc();
  auto context = LLVM::LLVMStructType::getLiteral(
      module.getContext(),
      llvm::to_vector(call.getArgOperands().drop_front().getTypes()));
  std::string name = (kPrefix + *call.getCallee()).str();
  auto body = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!body)
    body = createBody(call, name, context);
  (void)LLVM::lookupOrCreateFn(builder, module, kRuntimeName,
                               {index, pointer, pointer},
                               LLVM::LLVMVoidType::get(module.getContext()));

  Block *entry = &call->getParentOfType<LLVM::LLVMFuncOp>().front();
  builder.setInsertionPointToStart(entry);
  Value one = LLVM::ConstantOp::create(builder, loc, index,
                                       builder.getIntegerAttr(index, 1));
  Value address = LLVM::AllocaOp::create(builder, loc, pointer, context, one);
  builder.setInsertionPoint(call);
  for (auto [field, value] :
       llvm::enumerate(call.getArgOperands().drop_front()))
    LLVM::StoreOp::create(builder, loc, value,
                          getField(loc, context, address, field));
  Value task = LLVM::AddressOfOp::create(builder, loc, pointer, name);
  LLVM::CallOp::create(
      builder, loc, TypeRange(), kRuntimeName,
      ValueRange{call.getArgOperands().front(), task, address});
  call.erase();
}

namespace {
struct ConvertParallelCalls
    : public amp::impl::ConvertParallelCallsPassBase<ConvertParallelCalls> {
  void runOnOperation() override {
    SmallVector<LLVM::CallOp> calls;
    getOperation().walk([&](LLVM::CallOp call) {
      if (call->hasAttr(kParallelAttr))
        calls.push_back(call);
    });
    Converter converter(getOperation());
    for (LLVM::CallOp call : calls)
      converter.convert(call);
    numConverted += calls.size();
  }
};
} // namespace
