//===- ScaleVersions.cpp - Versions of a scale in a function --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaleVersions.h"

#include "Reachable.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/Support/GenericIteratedDominanceFrontier.h"

using namespace mlir;
using namespace mlir::amp;

ScaleVersions::ScaleVersions(func::FuncOp function, DominanceInfo &dominance,
                             ArrayRef<Operation *> advancing)
    : function(function), dominance(dominance) {
  for (Operation *op : advancing)
    for (Operation *up = op; up != function && isTransition.insert(up).second;
         up = up->getParentOp())
      transitions[up->getBlock()].push_back({up, makeVersion(up)});
  visit(function.getBody(), 0);
}

unsigned ScaleVersions::makeVersion(Operation *transition) {
  causes.push_back(transition);
  return causes.size() - 1;
}

/// Gives the blocks of `region`, and of those in it, the versions at their
/// starts; `version` is that of its entry.
void ScaleVersions::visit(Region &region, unsigned version) {
  if (region.empty())
    return;
  if (region.hasOneBlock())
    start[&region.front()] = version;
  else
    visitBlocks(region, version);
  for (Block &block : region) {
    auto it = transitions.find(&block);
    if (it == transitions.end() || !start.contains(&block))
      continue;
    for (Transition inside : SmallVector<Transition>(it->second))
      for (Region &inner : inside.op->getRegions())
        visit(inner, isa<LoopLikeOpInterface>(inside.op)
                         ? makeVersion(inside.op)
                         : getVersion(inside.op, /*isBehind=*/false));
  }
}

/// The same for the blocks themselves: a version of its own where the dominance
/// frontiers of transitions say that some meet, elsewhere the dominator's last.
void ScaleVersions::visitBlocks(Region &region, unsigned version) {
  llvm::DominatorTreeBase<Block, false> &tree = dominance.getDomTree(&region);
  SmallPtrSet<Block *, 8> changing;
  for (Block &block : region)
    if (transitions.contains(&block) && tree.isReachableFromEntry(&block))
      changing.insert(&block);
  SmallVector<Block *> meeting;
  llvm::IDFCalculatorBase<Block, false> frontier(tree);
  frontier.setDefiningBlocks(changing);
  frontier.calculate(meeting);
  for (Block *block : meeting)
    start[block] = makeVersion(nullptr);
  start[&region.front()] = version;
  // Dominators come first.
  for (llvm::DomTreeNodeBase<Block> *node :
       llvm::depth_first(tree.getRootNode()))
    if (!start.contains(node->getBlock()))
      start[node->getBlock()] = getLast(node->getIDom()->getBlock());
  // Something advances the scaler on a way to where versions meet.
  bool isNew = true;
  while (isNew) {
    isNew = false;
    for (Block *block : meeting) {
      Operation *&cause = causes[start[block]];
      for (Block *before : block->getPredecessors())
        if (!cause && start.contains(before)) {
          cause = causes[getLast(before)];
          isNew |= cause != nullptr;
        }
    }
  }
}

unsigned ScaleVersions::getLast(Block *block) const {
  auto it = transitions.find(block);
  return it == transitions.end() ? start.lookup(block)
                                 : it->second.back().version;
}

/// The version in front of `op`, or behind it.
unsigned ScaleVersions::getVersion(Operation *op, bool isBehind) const {
  for (; op != function; op = op->getParentOp(), isBehind = false) {
    auto first = start.find(op->getBlock());
    if (first == start.end())
      continue; // nothing advances the scaler in this region
    auto it = transitions.find(op->getBlock());
    if (it == transitions.end())
      return first->second;
    const auto *next =
        llvm::partition_point(it->second, [&](const Transition &transition) {
          return transition.op->isBeforeInBlock(op) ||
                 (isBehind && transition.op == op);
        });
    return next == it->second.begin() ? first->second
                                      : std::prev(next)->version;
  }
  return 0;
}

unsigned ScaleVersions::getVersion(Value value) const {
  if (Operation *def = value.getDefiningOp())
    return getVersion(def, /*isBehind=*/true);
  Block *block = value.getParentBlock();
  auto it = start.find(block);
  return it != start.end()
             ? it->second
             : getVersion(block->getParentOp(), /*isBehind=*/false);
}

Operation *ScaleVersions::findBetween(Value value, Operation *use) const {
  unsigned read = getVersion(use, /*isBehind=*/false);
  return getVersion(value) == read ? nullptr : causes[read];
}

Operation *ScaleVersions::findBetween(Operation *store, Operation *use) const {
  return isSame(store, use) ? nullptr
                            : causes[getVersion(use, /*isBehind=*/false)];
}

Operation *ScaleVersions::findLoopAround(Operation *use, Value memory) const {
  Region *made = memory ? memory.getParentRegion() : nullptr;
  for (Operation *op = use; op != function; op = op->getParentOp()) {
    Region *region = op->getParentRegion();
    if (start.contains(op->getBlock()) && !region->hasOneBlock() &&
        (!memory || memory.getParentBlock() != op->getBlock()) &&
        isInCycle(op->getBlock()))
      return op->getBlock()->getTerminator();
    if (made && region->isAncestor(made))
      return nullptr;
    Operation *around = op->getParentOp();
    if (isa<LoopLikeOpInterface>(around) && isTransition.contains(around))
      return around;
  }
  return nullptr;
}
