//===- IndependentOps.cpp - What can run at one place ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation's level is one more than the highest of those of its kind that
// it depends on, by whatever way: operations of one level are independent.
// Along the block, a set of one level ends where something depends on it that
// cannot move behind its last.
//
// Costs a walk over the block, with a bit for each of the operations and each
// of the block's.
//
//===----------------------------------------------------------------------===//

#include "IndependentOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// For each operation of a block, on which of some others it depends.
class Dependences {
public:
  Dependences(Block &block, ArrayRef<Operation *> others) {
    llvm::DenseMap<Operation *, unsigned> numbers;
    for (auto [i, other] : llvm::enumerate(others))
      numbers[other] = i;
    for (Operation &op : block) {
      llvm::BitVector before(others.size());
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *source = operand.getDefiningOp())
            if (auto known = dependsOn.find(source); known != dependsOn.end()) {
              before |= known->second;
              if (auto other = numbers.find(source); other != numbers.end())
                before.set(other->second);
            }
      });
      dependsOn[&op] = std::move(before);
    }
  }

  const llvm::BitVector &get(Operation *op) const {
    return dependsOn.find(op)->second;
  }

private:
  llvm::DenseMap<Operation *, llvm::BitVector> dependsOn;
};
} // namespace

SmallVector<Block *> mlir::amp::getBlocksOfTensors(ModuleOp module) {
  SmallVector<Block *> blocks;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<scf::ForallOp, linalg::LinalgOp>(op))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        llvm::append_range(blocks, llvm::make_pointer_range(region));
      return WalkResult::advance();
    });
  return blocks;
}

void mlir::amp::sortInBlock(MutableArrayRef<Operation *> ops) {
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}

void mlir::amp::forEachPart(
    int64_t count, int64_t most,
    function_ref<void(int64_t first, int64_t size)> visit) {
  int64_t first = 0;
  for (int64_t left = llvm::divideCeil(count, most); left > 0; --left) {
    int64_t size = llvm::divideCeil(count - first, left);
    visit(first, size);
    first += size;
  }
}

SmallVector<SmallVector<Operation *>>
mlir::amp::groupIndependent(Block &block, SmallVector<Operation *> ops,
                            function_ref<bool(Operation *)> canMove) {
  if (ops.size() < 2)
    return {};
  sortInBlock(ops);
  Dependences dependences(block, ops);
  SmallVector<unsigned> levels(ops.size(), 0);
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (auto [i, op] : llvm::enumerate(ops)) {
    numbers[op] = i;
    for (unsigned before : dependences.get(op).set_bits())
      levels[i] = std::max(levels[i], levels[before] + 1);
  }
  SmallVector<SmallVector<Operation *>> groups;
  for (unsigned level = 0, e = *llvm::max_element(levels); level <= e;
       ++level) {
    SmallVector<Operation *> members;
    llvm::BitVector isMember(ops.size());
    auto finish = [&] {
      if (members.size() > 1)
        groups.push_back(members);
      members.clear();
      isMember.reset();
    };
    for (Operation &op : block) {
      auto number = numbers.find(&op);
      if (number != numbers.end() && levels[number->second] == level) {
        members.push_back(&op);
        isMember.set(number->second);
      } else if (dependences.get(&op).anyCommon(isMember) && !canMove(&op)) {
        finish();
      }
    }
    finish();
  }
  return groups;
}

bool mlir::amp::moveDependentBehind(ArrayRef<Operation *> ops,
                                    function_ref<bool(Operation *)> canMove) {
  Operation *last = ops.back(), *behind = last;
  Dependences dependences(*last->getBlock(), ops);
  SmallVector<Operation *> dependent;
  for (Operation *op = ops.front(); op != last; op = op->getNextNode())
    if (dependences.get(op).any())
      dependent.push_back(op);
  if (!llvm::all_of(dependent, canMove))
    return false;
  for (Operation *op : dependent) {
    op->moveAfter(behind);
    behind = op;
  }
  return true;
}
