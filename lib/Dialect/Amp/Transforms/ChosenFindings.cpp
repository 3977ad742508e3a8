//===- ChosenFindings.cpp - Choices that leave out what was found ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of TransitionFlow that asks what a number of the step, a counter or
// the batch, decides: `%c ? %f0 : %f1` is told of one of two. What was found
// before a choice has to be on each of its ways, what was found on one has to
// be on that one alone. So each value that says what was found, an unscaling's,
// a call's or an argument's, is asked for by itself and in its own function:
// whatever goes from there to the update has to be true wherever it is. Two
// calls of one helper found two things. Programs choose between what they find
// rarely and join it by the thousand, so a choice is first asked about what is
// handed into it alone.
//
//===----------------------------------------------------------------------===//

#include "TransitionFlow.h"

#include "Callees.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::amp;

/// The region of `op` that `value` is made in; null if it is made outside.
static Region *getRegionAround(Value value, Operation *op) {
  Region *region = value.getParentRegion();
  while (region && region->getParentOp() != op)
    region = region->getParentRegion();
  return region;
}

/// True if `value` comes behind a round of `op`, if that is a loop: what none
/// at all loses, TransitionFlow asks for. The condition of an scf.while is
/// evaluated behind its rounds as well.
static bool isBehindRounds(Value value, RegionBranchOpInterface op) {
  auto loop = dyn_cast<scf::WhileOp>(*op);
  return isa<LoopLikeOpInterface>(*op) &&
         (isa<OpResult>(value) ||
          (loop && value.getParentRegion() == &loop.getBefore()));
}

/// True if what `source` hands over for `value`, a result of `op` or an
/// argument of its regions, may come behind `made`.
static bool mayComeBehind(OpOperand &source, RegionBranchOpInterface op,
                          Value value, Value made) {
  Region *region = getRegionAround(made, op);
  if (source.getOwner() == op)
    return !region && !isBehindRounds(value, op);
  if (!region)
    return true;
  // Of the round before.
  if (isa<BlockArgument>(value) && value.getParentRegion() == region)
    return false;
  return isa<LoopLikeOpInterface>(*op) ||
         region->isAncestor(source.getOwner()->getParentRegion());
}

/// The blocks that ways from `from` come to before `end`, `from` among them.
static llvm::SetVector<Block *> getBlocksBefore(Block *end, Block *from) {
  llvm::SetVector<Block *> reached;
  reached.insert(from);
  for (unsigned i = 0; i < reached.size(); ++i)
    for (Block *next : reached[i]->getSuccessors())
      if (next != end)
        reached.insert(next);
  return reached;
}

/// False if each way to `argument` comes behind `made`.
bool TransitionFlow::addBlockPartsBehind(BlockArgument argument, bool isNegated,
                                         Value made,
                                         SmallVectorImpl<Part> &parts) const {
  Block *block = argument.getOwner();
  Block *from =
      block->getParent()->findAncestorBlockInRegion(*made.getParentBlock());
  if (!from)
    return false;
  if (from == block)
    return true; // of the round before
  llvm::SetVector<Block *> behind = getBlocksBefore(block, from);
  if (llvm::all_of(block->getPredecessors(),
                   [&](Block *before) { return behind.contains(before); }))
    return false;
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    if (!branch || !behind.contains(*it))
      continue;
    if (Value operand = branch.getSuccessorOperands(
            it.getSuccessorIndex())[argument.getArgNumber()])
      parts.emplace_back(operand, isNegated);
  }
  return true;
}

void TransitionFlow::addPartsHere(Part part, StringRef scaler,
                                  SmallVectorImpl<Part> &parts) const {
  if (auto call = part.first.getDefiningOp<func::CallOp>()) {
    Heard heard;
    Hearing hearing;
    addHeard(call, part, scaler, heard, parts, hearing);
  } else {
    addAllParts(part, scaler, parts);
  }
}

void TransitionFlow::addPartsBehind(Part part, Value made, StringRef scaler,
                                    SmallVectorImpl<Part> &parts) const {
  auto [value, isNegated] = part;
  // A function that calls itself gives what it is handed if its call does.
  auto handed = dyn_cast<BlockArgument>(made);
  if (auto call = value.getDefiningOp<func::CallOp>();
      call && handed && getCallee(call, symbols) == getMaker(handed)) {
    parts.emplace_back(call.getOperand(handed.getArgNumber()), isNegated);
    return;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && !argument.getOwner()->isEntryBlock()) {
    if (!addBlockPartsBehind(argument, isNegated, made, parts))
      addPartsHere(part, scaler, parts);
    return;
  }
  auto op = dyn_cast<RegionBranchOpInterface>(getMaker(value));
  if (!op || !(isIn(made, op) || isBehindRounds(value, op))) {
    addPartsHere(part, scaler, parts);
    return;
  }
  for (OpOperand *source : handedOver.getSources(op, value))
    if (mayComeBehind(*source, op, value, made))
      parts.emplace_back(source->get(), isNegated);
}

bool TransitionFlow::mayChoose(Part part, StringRef scaler) const {
  Operation *op = getMaker(part.first);
  bool isChoice = isa<arith::SelectOp, RegionBranchOpInterface>(op);
  if (auto argument = dyn_cast<BlockArgument>(part.first))
    isChoice |= !argument.getOwner()->isEntryBlock();
  if (!isChoice || !isFinding(part.first, scaler))
    return false;
  // What is handed into it.
  llvm::SetVector<Part> inside;
  SmallVector<Part> handed;
  inside.insert(part);
  for (unsigned i = 0; i != inside.size(); ++i) {
    SmallVector<Part> parts;
    addPartsHere(inside[i], scaler, parts);
    for (Part next : parts)
      if (isIn(next.first, op))
        inside.insert(next);
      else if (isFinding(next.first, scaler))
        handed.push_back(next);
  }
  return llvm::any_of(handed, [&](Part known) {
    return !isSurelyTrue(part, known,
                         [&](Part next, SmallVectorImpl<Part> &parts) {
                           if (inside.contains(next))
                             addPartsHere(next, scaler, parts);
                         });
  });
}

Operation *TransitionFlow::getChoice(Value value) const {
  Block *block = value.getParentBlock();
  return isa<BlockArgument>(value) && !block->isEntryBlock()
             ? getFork(block)->getTerminator()
             : getMaker(value);
}

bool TransitionFlow::isLostBy(Part choice, Part root, StringRef scaler,
                              llvm::DenseSet<Part> &kept) const {
  auto function = root.first.getParentRegion()->getParentOfType<func::FuncOp>();
  auto isInside = [&](Value value) { return isIn(value, function); };
  auto isFound = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    bool isHanded = argument
                        ? argument.getParentRegion() == &function.getBody() &&
                              argument.getOwner()->isEntryBlock()
                        : isa<func::CallOp>(value.getDefiningOp());
    return isHanded ? isFinding(value, scaler)
                    : getUnscaling(value, scaler) != nullptr;
  };
  llvm::SetVector<Part> parts = findInside(choice, scaler, isInside);
  return llvm::any_of(parts, [&](Part found) {
    return isFound(found.first) && kept.insert(found).second &&
           !isSurelyTrue(root, found,
                         [&](Part next, SmallVectorImpl<Part> &sources) {
                           if (isInside(next.first))
                             addPartsBehind(next, found.first, scaler, sources);
                         });
  });
}

std::optional<TransitionFlow::Loss>
TransitionFlow::findChosen(UpdateScaleOp update) const {
  StringRef scaler = update.getScaler();
  Part given{update.getFoundInf(), false};
  bool mayLeaveOut = ofScaler[scaler].choices.hasWay(
      given, [&](Part part, SmallVectorImpl<Part> &parts) {
        addAllParts(part, scaler, parts);
        return mayChoose(part, scaler);
      });
  if (!mayLeaveOut)
    return std::nullopt;
  // Of each function, what it hands over to the next one.
  llvm::SetVector<Part> roots;
  roots.insert(given);
  for (unsigned i = 0; i != roots.size(); ++i) {
    Part root = roots[i];
    auto function =
        root.first.getParentRegion()->getParentOfType<func::FuncOp>();
    auto isInside = [&](Value value) { return isIn(value, function); };
    llvm::SetVector<Part> inside = findInside(root, scaler, isInside);
    inside.insert(root);
    llvm::DenseSet<Part> kept;
    for (Part part : inside) {
      if (mayChoose(part, scaler) && isLostBy(part, root, scaler, kept))
        return Loss{getChoice(part.first), false};
      SmallVector<Part> parts;
      addAllParts(part, scaler, parts);
      for (Part next : parts)
        if (!isInside(next.first))
          roots.insert(next);
    }
  }
  return std::nullopt;
}
