//===- OwnBackward.cpp - Gradients computed beside a call -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each seed is followed past what takes it to a backward pass or to a scaler;
// if it comes to an update that way, a gradient is computed here. Linear in
// operations and seeds, but for the place of an error.
//
//===----------------------------------------------------------------------===//

#include "OwnBackward.h"

#include "Callees.h"
#include "OverflowReach.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

/// The first operation that takes `seed` to one of `updates` past `passes`.
static Operation *findFirstReader(func::FuncOp step, BlockArgument seed,
                                  const llvm::SetVector<Value> &updates,
                                  const OverflowReach::Guarded &passes,
                                  const SymbolTable &symbols) {
  Operation *first = step;
  step.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto isSeed = [&](OpOperand &operand) {
      return operand.get() == seed &&
             !passes.contains({op, operand.getOperandNumber()});
    };
    if (llvm::none_of(op->getOpOperands(), isSeed))
      return WalkResult::advance();
    OverflowReach reach(passes, symbols);
    for (Value result : op->getResults())
      reach.addSource(result, 0);
    reach.propagate();
    if (llvm::none_of(updates,
                      [&](Value value) { return reach.isReached(value); }))
      return WalkResult::advance();
    first = op;
    return WalkResult::interrupt();
  });
  return first;
}

LogicalResult mlir::amp::refuseOwnBackward(func::FuncOp step,
                                           func::CallOp backwardCall,
                                           const SymbolTable &symbols,
                                           bool hasScale) {
  auto getKind = [&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    auto callee = call ? getCallee(call, symbols) : func::FuncOp();
    return callee ? getFunctionKind(callee) : FunctionKind::Other;
  };
  auto isPass = [&](Operation *op) {
    return isa<ScaleLossOp>(op) || getKind(op) == FunctionKind::ForwardBackward;
  };
  // Helpers that contain one of them are not inlined yet.
  llvm::DenseMap<func::FuncOp, bool> leadsToPass;
  OverflowReach::Guarded passes;
  step.walk([&](Operation *op) {
    bool isTaken = isPass(op);
    if (auto call = dyn_cast<func::CallOp>(op); call && !isTaken) {
      func::FuncOp callee = getCallee(call, symbols);
      auto [it, isNew] = leadsToPass.try_emplace(callee, false);
      if (isNew && callee)
        it->second = findReached(callee.getOperation(), symbols, isPass);
      isTaken = it->second;
    }
    if (isTaken)
      for (unsigned i = 0, e = op->getNumOperands(); i != e; ++i)
        passes.insert({op, i});
  });
  SmallVector<BlockArgument> seeds;
  OverflowReach reach(passes, symbols);
  for (BlockArgument argument : step.getArguments())
    if (getArgRole(step, argument.getArgNumber()).is(Role::LossSeed)) {
      reach.addSource(argument, seeds.size());
      seeds.push_back(argument);
    }
  reach.propagate();
  llvm::SetVector<Value> updates;
  llvm::SmallBitVector kept(seeds.size()), called(kept);
  step.walk([&](Operation *op) {
    bool isUpdate = getKind(op) == FunctionKind::OptimizerStep;
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      if (passes.contains({op, number})) {
        called |= reach.getSources(operand.get());
      } else if (isUpdate ||
                 (isa<func::ReturnOp>(op) && isUpdatedResult(step, number))) {
        kept |= reach.getSources(operand.get());
        updates.insert(operand.get());
      }
    }
  });
  for (unsigned number : kept.set_bits()) {
    if (called.test(number) && !hasScale)
      continue;
    BlockArgument seed = seeds[number];
    StringRef name = getArgRole(step, seed.getArgNumber()).name;
    InFlightDiagnostic diagnostic =
        findFirstReader(step, seed, updates, passes, symbols)->emitError();
    if (called.test(number))
      diagnostic << "expected the gradients of loss '" << name
                 << "' to be those that its backward pass returns, but train "
                    "step '@"
                 << step.getName()
                 << "' computes another one from its seed, which would be "
                    "neither scaled nor checked for an overflow; compute it "
                    "in the backward pass";
    else
      diagnostic
          << "expected the backward pass of loss '" << name
          << "' to be a function with a 'loss_seed' argument and 'grad' "
             "results, as another one of train step '@"
          << step.getName()
          << "' is, but it is written out; its gradients would be neither "
             "scaled nor checked for an overflow";
    diagnostic.attachNote(backwardCall.getLoc())
        << "a backward pass is called here";
    return diagnostic;
  }
  return success();
}
