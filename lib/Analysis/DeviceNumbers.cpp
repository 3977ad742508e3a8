//===- DeviceNumbers.cpp - Numbers that follow from a device's ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From what is loaded forward: through arithmetic, what loops carry and
// branches give, until nothing is new. A buffer that is loaded and stored and
// nothing else is taken for the host's until a number of the device is stored
// in it; then all that is loaded from it is one.
//
// A loop or a branch of numbers alone is arithmetic: what it gives follows from
// its condition and bounds as well.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/DeviceNumbers.h"

#include "amp/Analysis/BufferRoots.h"
#include "amp/Analysis/ElementLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::hasOneBlockEach(Operation *op) {
  WalkResult result = op->walk<WalkOrder::PreOrder>([](Operation *inner) {
    return llvm::all_of(inner->getRegions(),
                        [](Region &region) {
                          return region.empty() || region.hasOneBlock();
                        })
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether a buffer is only loaded, stored and handed to calls; its loads.
static bool mayBeOfHost(Value buffer, SmallVectorImpl<Value> &loads) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto cast = dyn_cast<memref::CastOp>(user))
      return mayBeOfHost(cast.getResult(), loads);
    if (auto load = dyn_cast<memref::LoadOp>(user))
      loads.push_back(load.getResult());
    return isa<memref::LoadOp, memref::DeallocOp, memref::DimOp,
               CallOpInterface>(user) ||
           (isa<memref::StoreOp>(user) && use.getOperandNumber() == 1);
  });
}

/// Whether a buffer goes to a call, which may do anything with it.
static bool isHandedOn(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    auto cast = dyn_cast<memref::CastOp>(user);
    return isa<CallOpInterface>(user) || (cast && isHandedOn(cast.getResult()));
  });
}

DeviceNumbers::DeviceNumbers(Operation *function) {
  function->walk([&](memref::AllocOp alloc) {
    SmallVector<Value> loads;
    if (mayBeOfHost(alloc.getResult(), loads))
      ofHost[alloc.getResult()] = std::move(loads);
  });
  function->walk([&](tensor::ExtractOp extract) { add(extract.getResult()); });
  function->walk([&](memref::LoadOp load) {
    if (isOfDevice(load.getMemRef()))
      add(load.getResult());
  });
  while (!left.empty())
    for (OpOperand &use : left.pop_back_val().getUses())
      follow(use);
}

bool DeviceNumbers::isOfDevice(Value buffer) const {
  return !isOnStack(buffer) && !ofHost.contains(getBufferRoot(buffer));
}

void DeviceNumbers::add(Value value) {
  if (value.getType().isIntOrIndexOrFloat() && numbers.insert(value).second)
    left.push_back(value);
}

void DeviceNumbers::follow(OpOperand &use) {
  Operation *user = use.getOwner();
  const unsigned number = use.getOperandNumber();
  if (auto store = dyn_cast<memref::StoreOp>(user)) {
    Value root = getBufferRoot(store.getMemRef());
    auto known = ofHost.find(root);
    if (number != 0 || known == ofHost.end() || isHandedOn(root))
      return;
    SmallVector<Value> loads = std::move(known->second);
    ofHost.erase(known);
    addAll(loads);
  } else if (auto loop = dyn_cast<scf::ForOp>(user)) {
    if (number < loop.getNumControlOperands()) {
      if (isOfNumbers(loop))
        addAll(loop.getResults());
      return;
    }
    add(loop.getTiedLoopRegionIterArg(&use));
    add(loop.getTiedLoopResult(&use));
  } else if (auto loop = dyn_cast<scf::WhileOp>(user)) {
    add(loop.getBeforeArguments()[number]);
  } else if (auto condition = dyn_cast<scf::ConditionOp>(user)) {
    auto loop = cast<scf::WhileOp>(condition->getParentOp());
    if (number == 0) {
      if (isOfNumbers(loop))
        addAll(loop.getResults());
      return;
    }
    add(loop.getAfterArguments()[number - 1]);
    add(loop.getResult(number - 1));
  } else if (auto branch = dyn_cast<scf::IfOp>(user)) {
    if (isOfNumbers(branch))
      addAll(branch.getResults());
  } else if (isa<scf::YieldOp>(user)) {
    Operation *parent = user->getParentOp();
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      add(loop.getBeforeArguments()[number]);
      return;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      add(loop.getRegionIterArg(number));
    if (number < parent->getNumResults())
      add(parent->getResult(number));
  } else if (user->getNumRegions() == 0 && isMemoryEffectFree(user)) {
    addAll(user->getResults());
  }
}
