//===- Agreements.cpp - One answer of all ranks for several overflows -----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks that skip a step each by what it found itself go apart. Where a program
// asks the others about a union of what its unscalings found, the answer stands
// for each of them: guards are made with what was found here, and then take the
// answer instead. It moves up to the last of those unscalings; a guard before
// that cannot have it.
//
//===----------------------------------------------------------------------===//

#include "StepGuard.h"

#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace mlir::amp;

/// Finds the answers to unions of two predicates and more, and moves them up.
void StepGuard::findAgreements() {
  llvm::DenseSet<Value> predicates;
  for (auto &[unscale, predicate] : sources)
    predicates.insert(predicate);
  step.walk([&](AllReduceFoundInfOp answer) {
    llvm::SetVector<Operation *> unions;
    llvm::SetVector<Value> members;
    llvm::DenseSet<Value> seen;
    SmallVector<Value> worklist{answer.getFoundInf()};
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      if (predicates.contains(value)) {
        members.insert(value);
      } else if (auto any = value.getDefiningOp<arith::OrIOp>();
                 any && any->getBlock() == answer->getBlock()) {
        unions.insert(any);
        worklist.append({any.getLhs(), any.getRhs()});
      }
    }
    if (unions.empty() || members.empty())
      return;
    // What else the union reads keeps it where it is.
    Block *block = answer->getBlock();
    auto isBefore = [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    };
    SmallVector<Operation *> order = llvm::to_vector(unions);
    llvm::sort(order, isBefore);
    order.push_back(answer);
    for (Operation *op : order) {
      Operation *last = nullptr;
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp();
            def && def->getBlock() == block &&
            (!last || last->isBeforeInBlock(def)))
          last = def;
      if (last)
        op->moveAfter(last);
      else
        op->moveBefore(block, block->begin());
    }
    Agreement agreement{answer, {}};
    for (Value member : members) {
      llvm::DenseSet<Operation *> readers(member.user_begin(),
                                          member.user_end());
      agreement.members.emplace_back(member, std::move(readers));
    }
    agreements.push_back(std::move(agreement));
  });
}

/// Puts the answers in the places of their members wherever the walk has put
/// those.
LogicalResult StepGuard::useAgreements() {
  if (agreements.empty())
    return success();
  DominanceInfo dominance(step);
  for (Agreement &agreement : agreements)
    for (auto &pair : agreement.members) {
      Value member = pair.first;
      const llvm::DenseSet<Operation *> &readers = pair.second;
      Operation *early = nullptr;
      member.replaceUsesWithIf(agreement.answer, [&](OpOperand &use) {
        Operation *user = use.getOwner();
        if (readers.contains(user))
          return false;
        if (dominance.dominates(agreement.answer.getResult(), user))
          return true;
        if (!early && (user->getNumResults() == 0 || !user->use_empty()))
          early = user;
        return false;
      });
      if (!early)
        continue;
      InFlightDiagnostic diagnostic =
          early->emitError()
          << "expected what takes a gradient of train step '@" << step.getName()
          << "' to follow 'amp.all_reduce_found_inf', by whose answer all ranks "
             "skip it or none, but this comes before; move it behind, or ask "
             "for each unscaling by itself";
      diagnostic.attachNote(agreement.answer.getLoc())
          << "the ranks agree here";
      return diagnostic;
    }
  for (Operation *op : created)
    if (auto any = dyn_cast<arith::OrIOp>(op);
        any && any.getLhs() == any.getRhs())
      any.getResult().replaceAllUsesWith(any.getLhs());
  return success();
}
