//===- ValueSources.cpp - What values are computed from -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation without an interface for its regions counts as computing all of
// its results from all that it reads and that its blocks end with.
//
//===----------------------------------------------------------------------===//

#include "ValueSources.h"

using namespace mlir;
using namespace mlir::amp;

static void handleAll(MutableArrayRef<OpOperand> operands,
                      ValueSources::Handler handle) {
  for (OpOperand &operand : operands)
    handle(operand);
}

/// What `argument` of a block with predecessors is handed.
void ValueSources::visit(BlockArgument argument, Handler handle) {
  Block *block = argument.getOwner();
  for (auto it = block->pred_begin(), e = block->pred_end(); it != e; ++it) {
    Operation *end = (*it)->getTerminator();
    auto branch = dyn_cast<BranchOpInterface>(end);
    if (!branch) {
      handleAll(end->getOpOperands(), handle);
      continue;
    }
    SuccessorOperands operands =
        branch.getSuccessorOperands(it.getSuccessorIndex());
    unsigned number = argument.getArgNumber();
    if (operands[number])
      handle(end->getOpOperand(operands.getOperandIndex(number)));
  }
}

/// What is handed over for `value`, a result of `op` or an argument of its
/// regions, and what decides.
void ValueSources::visit(RegionBranchOpInterface op, Value value,
                         Handler handle) {
  for (OpOperand *operand : handedOver.getSources(op, value))
    handle(*operand);
  if (visited.insert(op).second)
    for (OpOperand *operand : handedOver.getDeciding(op))
      handle(*operand);
}

/// What `value` is computed from or handed over for.
void ValueSources::forEach(Value value, Handler handle) {
  Operation *def = value.getDefiningOp();
  if (!def) {
    auto argument = cast<BlockArgument>(value);
    if (!argument.getOwner()->isEntryBlock())
      return visit(argument, handle);
    def = argument.getOwner()->getParentOp();
    if (def == function)
      return;
  }
  if (auto branch = dyn_cast<RegionBranchOpInterface>(def))
    return visit(branch, value, handle);
  if (!visited.insert(def).second)
    return;
  handleAll(def->getOpOperands(), handle);
  forEachHandedOver(def, [&](MutableArrayRef<OpOperand> operands) {
    handleAll(operands, handle);
  });
}
