//===- KeepMemoryOnHost.cpp - Buffers that no kernel touches --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two steps. A call of a private function that only loads and stores its
// arguments is inlined where all buffers that it gets are the host's, as if the
// call were a load. Then each buffer that is only loaded and stored moves to
// the stack of its function, to the entry, so that a loop does not make one for
// each iteration.
//
// What a new iteration would find in a new buffer is undefined, so that it may
// find what the last one wrote.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/BufferRoots.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Support/ByteCount.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

#define DEBUG_TYPE "amp-keep-memory-on-host"

namespace mlir::amp {
#define GEN_PASS_DEF_KEEPMEMORYONHOSTPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Of a stack of 8 MiB, or less in a thread of the caller's.
static constexpr int64_t kMostBytes = 64 * 1024;

/// The allocation that a buffer is a view of, if the host's stack could have
/// it.
static memref::AllocOp getSmallAllocation(Value buffer) {
  auto alloc = getBufferRoot(buffer).getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return nullptr;
  MemRefType type = alloc.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrIndexOrFloat())
    return nullptr;
  std::optional<int64_t> bytes =
      countBytes(type.getShape(), getElementBytes(type));
  return bytes && *bytes <= kMostBytes ? alloc : nullptr;
}

/// Whether the host alone uses a buffer; `isCallOfHost` says it of calls.
static bool isOfHost(Value buffer,
                     llvm::function_ref<bool(func::CallOp)> isCallOfHost) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto cast = dyn_cast<memref::CastOp>(user))
      return isOfHost(cast.getResult(), isCallOfHost);
    if (auto call = dyn_cast<func::CallOp>(user))
      return isCallOfHost(call);
    return isa<memref::LoadOp, memref::DeallocOp, memref::DimOp>(user) ||
           (isa<memref::StoreOp>(user) && use.getOperandNumber() == 1);
  });
}

/// Whether a function computes with numbers and its arguments' elements alone.
static bool isOfElements(func::FuncOp function) {
  if (!function || !function.isPrivate() || function.isExternal() ||
      !function.getBody().hasOneBlock() ||
      function.getFunctionType().getNumResults() != 0)
    return false;
  return !function
              .walk([&](Operation *op) {
                bool isKnown =
                    op == function ||
                    isa<memref::LoadOp, memref::StoreOp, memref::DimOp,
                        scf::ForOp, scf::IfOp, scf::YieldOp, func::ReturnOp>(
                        op) ||
                    isa<arith::ArithDialect>(op->getDialect());
                return isKnown ? WalkResult::advance()
                               : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Puts the body of a function in the place of a call.
static void inlineCall(func::CallOp call, func::FuncOp function) {
  OpBuilder b(call);
  IRMapping mapping;
  mapping.map(function.getArguments(), call.getOperands());
  for (Operation &op : function.getBody().front().without_terminator())
    b.clone(op, mapping);
  call.erase();
}

/// Moves a buffer to the stack.
static void moveToStack(memref::AllocOp alloc) {
  auto function = alloc->getParentOfType<func::FuncOp>();
  OpBuilder b = OpBuilder::atBlockBegin(&function.front());
  Value stack = memref::AllocaOp::create(b, alloc.getLoc(), alloc.getType(),
                                         alloc.getAlignmentAttr());
  SmallVector<Value> names = {alloc.getResult()};
  SmallVector<Operation *> deallocs;
  while (!names.empty())
    for (Operation *user : names.pop_back_val().getUsers()) {
      if (auto cast = dyn_cast<memref::CastOp>(user))
        names.push_back(cast.getResult());
      else if (isa<memref::DeallocOp>(user))
        deallocs.push_back(user);
    }
  for (Operation *dealloc : deallocs)
    dealloc->erase();
  alloc.getResult().replaceAllUsesWith(stack);
  alloc.erase();
}

namespace {
struct KeepMemoryOnHost
    : public amp::impl::KeepMemoryOnHostPassBase<KeepMemoryOnHost> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTableCollection symbols;
    auto getCallee = [&](func::CallOp call) {
      return symbols.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
    };
    auto isCallOfHost = [&](func::CallOp call) {
      return isOfElements(getCallee(call));
    };
    auto isNone = [](func::CallOp) { return false; };
    SmallVector<func::CallOp> calls;
    module.walk([&](func::CallOp call) {
      bool isOfStack = llvm::all_of(call.getOperands(), [&](Value operand) {
        if (!isa<BaseMemRefType>(operand.getType()))
          return true;
        memref::AllocOp alloc = getSmallAllocation(operand);
        return alloc && isOfHost(alloc.getResult(), isCallOfHost);
      });
      if (isOfStack && isCallOfHost(call))
        calls.push_back(call);
    });
    llvm::SetVector<func::FuncOp> callees;
    for (func::CallOp call : calls) {
      func::FuncOp callee = getCallee(call);
      callees.insert(callee);
      inlineCall(call, callee);
      ++numInlined;
    }
    for (func::FuncOp callee : callees)
      if (SymbolTable::symbolKnownUseEmpty(callee, module))
        callee.erase();
    SmallVector<memref::AllocOp> allocs;
    module.walk([&](memref::AllocOp alloc) {
      if (alloc->getParentOfType<func::FuncOp>() &&
          getSmallAllocation(alloc.getResult()) &&
          isOfHost(alloc.getResult(), isNone))
        allocs.push_back(alloc);
    });
    llvm::for_each(allocs, moveToStack);
    numKept += allocs.size();
  }
};
} // namespace
