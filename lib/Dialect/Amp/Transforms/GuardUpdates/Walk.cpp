//===- Walk.cpp - Overflows beside the values they came into --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk in the order of the program. Each kind of operation hands the
// predicates of its operands to its results: all of them where it computes, one
// by one where it is a branch, a loop or a block.
//
//===----------------------------------------------------------------------===//

#include "StepGuard.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace mlir::amp;

/// All but its terminator; some blocks have none.
LogicalResult StepGuard::walkBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (!op.mightHaveTrait<OpTrait::IsTerminator>() && failed(visit(&op)))
      return failure();
  return success();
}

/// Blocks are walked after those that lead to them, and left when all were
/// walked: what a loop of blocks brings to a return is known then.
LogicalResult StepGuard::walkRegion(Region &region) {
  if (region.empty())
    return success();
  if (llvm::hasSingleElement(region)) {
    if (failed(walkBlock(region.front())))
      return failure();
    return visit(region.front().getTerminator());
  }
  SmallVector<Block *> order;
  for (Block *block : llvm::ReversePostOrderTraversal<Region *>(&region))
    order.push_back(block);
  for (Block *block : order) {
    if (!block->isEntryBlock() && failed(enterBlock(*block)))
      return failure();
    if (failed(walkBlock(*block)) ||
        failed(checkCondition(block->getTerminator())))
      return failure();
    walked.insert(block);
  }
  closeLoops();
  for (Block *block : order)
    if (failed(visit(block->getTerminator())))
      return failure();
  return success();
}

SmallVector<Value> mlir::amp::getConditions(Operation *end) {
  SmallVector<Value> conditions;
  auto branch = dyn_cast<BranchOpInterface>(end);
  if (branch && end->getNumSuccessors() > 1)
    for (OpOperand &operand : end->getOpOperands())
      if (!branch.getSuccessorBlockArgument(operand.getOperandNumber()))
        conditions.push_back(operand.get());
  return conditions;
}

/// Which blocks run is no value that a predicate could go beside, so a branch
/// by a gradient is refused.
LogicalResult StepGuard::checkCondition(Operation *end) {
  for (Value condition : getConditions(end))
    if (reach.isReached(condition) || reach.getScaledOrigin(condition))
      return end->emitError()
             << "expected the blocks of '@" << step.getName()
             << "' to be chosen by what no gradient comes into, but the "
                "condition of '"
             << end->getName()
             << "' is computed from one, and its overflow would be lost; "
                "choose by scf.if or arith.select";
  return success();
}

/// Blocks take predicates as arguments more. Where all that lead to `block`
/// were walked, one for each union that their branches hand over, and none for
/// what all of them do; at the head of a loop, one for each set of overflows
/// that its arguments may have.
LogicalResult StepGuard::enterBlock(Block &block) {
  if (llvm::none_of(block.getArguments(),
                    [&](Value argument) { return reach.isReached(argument); }))
    return success();
  SmallVector<SuccessorOperands> handed;
  bool isLoop = false;
  for (auto it = block.pred_begin(); it != block.pred_end(); ++it) {
    Operation *end = (*it)->getTerminator();
    auto branch = dyn_cast<BranchOpInterface>(end);
    if (!branch)
      return end->emitError()
             << "expected a gradient to be handed to another block by a "
                "branch, but got '"
             << end->getName() << "'";
    handed.push_back(branch.getSuccessorOperands(it.getSuccessorIndex()));
    isLoop |= !walked.contains(*it);
  }
  unsigned count = block.getNumArguments();
  if (isLoop) {
    SmallVector<SmallVector<Value>> values;
    for (BlockArgument argument : block.getArguments()) {
      values.push_back({argument});
      for (const SuccessorOperands &operands : handed)
        values.back().push_back(operands[argument.getArgNumber()]);
    }
    for (SmallVector<unsigned> &numbers : groupBySources(values)) {
      BlockArgument predicate = addPredicate(block);
      for (unsigned number : numbers)
        found[block.getArgument(number)] = predicate;
      openArguments.push_back({predicate, std::move(numbers)});
    }
    return success();
  }
  std::map<SmallVector<void *>, Value> known;
  for (unsigned i = 0; i != count; ++i) {
    BlockArgument argument = block.getArgument(i);
    if (!reach.isReached(argument))
      continue;
    SmallVector<Value> incoming;
    SmallVector<void *> key;
    for (const SuccessorOperands &operands : handed) {
      incoming.push_back(found.lookup(operands[i]));
      key.push_back(incoming.back().getAsOpaquePointer());
    }
    auto [place, isNew] = known.try_emplace(std::move(key));
    if (isNew && llvm::all_equal(incoming)) {
      place->second = incoming.front();
    } else if (isNew) {
      BlockArgument predicate = addPredicate(block);
      auto it = block.pred_begin();
      for (Value value : incoming) {
        if (value)
          setIncoming(it, predicate, value);
        ++it;
      }
      place->second = predicate;
    }
    if (place->second)
      found[argument] = place->second;
  }
  return success();
}

/// Hands over what the arguments that were opened at the heads of loops wait
/// for.
void StepGuard::closeLoops() {
  for (auto &[predicate, numbers] : openArguments) {
    Block &block = *predicate.getOwner();
    for (auto it = block.pred_begin(); it != block.pred_end(); ++it) {
      Operation *end = (*it)->getTerminator();
      SuccessorOperands operands =
          cast<BranchOpInterface>(end).getSuccessorOperands(
              it.getSuccessorIndex());
      builder.setInsertionPoint(end);
      Value any = joinOf(llvm::map_to_vector(
          numbers, [&](unsigned number) { return operands[number]; }));
      if (any)
        setIncoming(it, predicate, any);
    }
  }
  dropCommonArguments();
  openArguments.clear();
}

/// Takes those of the open predicates away that every branch to their block
/// hands the same for.
void StepGuard::dropCommonArguments() {
  llvm::MapVector<BlockArgument, Value> common;
  for (auto &[argument, numbers] : llvm::reverse(openArguments)) {
    llvm::SetVector<Value> incoming;
    incoming.insert_range(getIncoming(argument));
    incoming.remove(argument);
    if (incoming.size() != 1)
      continue;
    common[argument] = incoming.front();
    argument.replaceAllUsesWith(incoming.front());
  }
  if (common.empty())
    return;
  // What one stands for may have been taken away after it.
  for (auto &[argument, value] : llvm::reverse(common))
    if (auto it = common.find(dyn_cast<BlockArgument>(value));
        it != common.end())
      value = it->second;
  for (auto *known : {&found, &skipped})
    for (auto &[value, predicate] : *known)
      if (auto it = common.find(dyn_cast_if_present<BlockArgument>(predicate));
          it != common.end())
        predicate = it->second;
  joined.clear();
  handedOut.clear();
  for (auto &[argument, value] : common) {
    Block &block = *argument.getOwner();
    for (auto it = block.pred_begin(); it != block.pred_end(); ++it)
      cast<BranchOpInterface>((*it)->getTerminator())
          .getSuccessorOperands(it.getSuccessorIndex())
          .erase(argument.getArgNumber());
    block.eraseArgument(argument.getArgNumber());
  }
}

/// True if a branch or a select of whole values stands in `loop`.
static bool choosesInside(scf::ForOp loop) {
  return loop
      .walk([](Operation *op) {
        auto select = dyn_cast<arith::SelectOp>(op);
        return isa<scf::IfOp>(op) ||
                       (select && select.getCondition().getType().isInteger(1))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if the result of `op` is its own predicate: the answer of the ranks
/// about what was found here, or a union that the program makes. One of other
/// values made here would stand before the answer about it.
bool StepGuard::isFinding(Operation *op) {
  if (!isa<AllReduceFoundInfOp, arith::OrIOp>(op) ||
      op->getResult(0).getType() != getPredicateType(op->getContext()) ||
      reach.isReachedByGradient(op->getResult(0)))
    return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value value) { return found.contains(value); }) &&
         (isa<AllReduceFoundInfOp>(op) ||
          llvm::all_of(op->getOperands(), [&](Value value) {
            Value predicate = found.lookup(value);
            return !predicate || predicate == value;
          }));
}

LogicalResult StepGuard::visit(Operation *op) {
  if (failed(beginSums(op)))
    return failure();
  if (isa<func::ReturnOp>(op))
    addDirtyStates(op);
  if (slots.contains(op) && failed(guardSlots(op)))
    return failure();
  if (auto unscale = dyn_cast<UnscaleOp>(op)) {
    Value own = sources.lookup(op);
    builder.setInsertionPointAfter(own ? own.getDefiningOp() : op);
    SmallVector<Value> read(unscale.getGradients());
    llvm::append_range(read, unscale.getAccumulators());
    if (own)
      found[unscale.getFoundInf()] = own;
    if (Value any = join({own, joinOf(read)}))
      for (Value result : unscale.getUnscaled())
        if (!sums.contains(result))
          found[result] = any;
    for (Value result : withGradients.lookup(op))
      found[result] = join({own, found.lookup(result)});
    guardAdditions(op);
    return success();
  }
  if (auto call = dyn_cast<func::CallOp>(op);
      getKind(call) == FunctionKind::OptimizerStep &&
      !isa<ApplyIfFiniteOp>(op->getParentOp()))
    return guardCall(call);
  if (isa<func::ReturnOp>(op))
    return clearAccumulators(op);
  // What combines the rounds of a loop may stand inside.
  if (op->hasTrait<OpTrait::IsTerminator>())
    return op->getNumRegions() == 0 ? success() : visitOpaque(op, {});
  if (isa<cf::AssertOp>(op)) {
    guardChecks(op);
    return success();
  }
  if (auto call = dyn_cast<func::CallOp>(op); call && mayBeLeftOut(call)) {
    SmallVector<Value> read(call.getOperands());
    if (leadsToCheck(call))
      appendBranchConditions(call, step, read);
    builder.setInsertionPoint(call);
    Value any = joinOf(read);
    return skipHelper(call, any, extract(call.getLoc(), any));
  }
  Value bounds;
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    builder.setInsertionPoint(loop);
    bounds = joinOf(getBounds(loop));
    if (llvm::any_of(getBounds(loop),
                     [&](Value bound) { return isInfinite(bound); })) {
      auto counted = dyn_cast<scf::ForOp>(op);
      if (!counted)
        return refuseBounds(op);
      if (failed(checkTransitions(op)))
        return failure();
      boundOnOverflow(counted, extract(op->getLoc(), bounds),
                      isInfinite(counted.getStep()));
    }
  }
  // One in which something is chosen hands on each value's own overflows too:
  // an accumulator's, which goes on, and none of the step that was not taken.
  if (auto loop = dyn_cast<scf::ForOp>(op);
      loop && (hasSource(op) || (hasAccumulators && choosesInside(loop))))
    return visitFor(loop, bounds);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch);
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && select.getCondition().getType().isInteger(1))
    return visitSelect(select);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    guardChecks(op);
    if (failed(guardBody(structured)))
      return failure();
  }
  if (!isa<linalg::LinalgOp, vector::MaskOp>(op) && op->getNumRegions() != 0)
    return failed(checkSizes(op)) ? failure() : visitOpaque(op, bounds);
  if (!isa<linalg::LinalgOp>(op) && failed(guardHazards(op)))
    return failure();
  if (auto masked = dyn_cast<vector::MaskOp>(op))
    if (Operation *inner = masked.getMaskableOp();
        inner && failed(guardHazards(inner)))
      return failure();
  guardAdditions(op);
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && sums.contains(select.getResult()))
    return visitSelect(select);
  if (llvm::none_of(op->getResults(),
                    [&](Value result) { return reach.isReached(result); }))
    return success();
  SmallVector<Value> read(op->getOperands());
  llvm::erase_if(read, [&](Value value) { return isHandedOnAsOld(value, op); });
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      llvm::append_range(read, inner->getOperands());
    });
  builder.setInsertionPointAfter(op);
  if (isFinding(op))
    found[op->getResult(0)] = op->getResult(0);
  else if (Value any = joinOf(read))
    for (Value result : op->getResults())
      if (!sums.contains(result))
        found[result] = any;
  return success();
}

/// Any operation with regions into which overflows come from outside: all of it
/// takes all of them, and what came into the `bounds` of a loop.
LogicalResult StepGuard::visitOpaque(Operation *op, Value bounds) {
  if (hasSource(op)) {
    SmallVector<Value> handed(op->getResults());
    appendRegionArguments(op, handed);
    for (Value value : handed)
      if (reach.isReached(value))
        return op->emitError()
               << "expected a backward pass whose gradients leave '"
               << op->getName()
               << "' to stand in scf.for, scf.if or no region, so that its "
                  "overflow can be handed to the optimizer step";
  }
  SmallVector<Value> read(op->getOperands());
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value value : inner->getOperands())
        if (!op->isAncestor(value.getParentRegion()->getParentOp()))
          read.push_back(value);
    });
  builder.setInsertionPoint(op);
  if (Value any = join({bounds, joinOf(read)})) {
    for (Value result : op->getResults())
      if (reach.isReached(result))
        found[result] = any;
    SmallVector<Value> arguments;
    appendRegionArguments(op, arguments);
    // What combines the rounds of a loop has the loop's already.
    for (Value argument : arguments)
      if (reach.isReached(argument))
        found[argument] = join({any, found.lookup(argument)});
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(walkBlock(block)) ||
          (block.mightHaveTerminator() &&
           (failed(checkCondition(block.getTerminator())) ||
            failed(visit(block.getTerminator())))))
        return failure();
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    scf::ConditionOp end = loop.getConditionOp();
    builder.setInsertionPoint(end);
    if (isInfinite(end.getCondition())) {
      if (failed(checkTransitions(op)))
        return failure();
      endOnOverflow(end,
                    extract(end.getLoc(), found.lookup(end.getCondition())));
    }
  }
  return success();
}

/// True if `value` is what unscalings found, in this round or in one before:
/// its own predicate.
static bool isUnionOfFindings(Value value) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (next.getType() != getPredicateType(next.getContext()))
      return false;
    Operation *def = next.getDefiningOp();
    if (isa_and_present<AllReduceFoundInfOp, arith::OrIOp>(def)) {
      llvm::append_range(worklist, def->getOperands());
    } else if (auto loop =
                   dyn_cast<scf::ForOp>(next.getParentBlock()->getParentOp());
               loop && !def && next != loop.getInductionVar()) {
      auto argument = cast<BlockArgument>(next);
      worklist.push_back(loop.getTiedLoopInit(argument)->get());
      worklist.push_back(loop.getTiedLoopYieldedValue(argument)->get());
    } else if (!isa_and_present<UnscaleOp, arith::ConstantOp>(def)) {
      return false;
    }
  }
  return true;
}

/// A loop that contains a backward pass hands predicates from round to round:
///   for iter_args(%a = %x) { yield %y }
///   becomes
///   for iter_args(%a = %x, %p = found(%x)) { yield %y, found(%y) }
/// What came into the `bounds` is in each of them from the start.
LogicalResult StepGuard::visitFor(scf::ForOp loop, Value bounds) {
  SmallVector<SmallVector<Value>> values;
  for (auto [argument, start, next] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(),
                       loop.getBody()->getTerminator()->getOperands()))
    values.push_back({argument, start, next});
  SmallVector<SmallVector<unsigned>> groups = groupBySources(values);
  for (SmallVector<unsigned> &numbers : groups)
    llvm::erase_if(numbers, [&](unsigned number) {
      BlockArgument argument = loop.getRegionIterArg(number);
      if (!isUnionOfFindings(argument))
        return false;
      found[argument] = argument;
      found[loop.getResult(number)] = loop.getResult(number);
      return true;
    });
  llvm::erase_if(groups,
                 [](ArrayRef<unsigned> group) { return group.empty(); });
  if (groups.empty())
    return walkRegion(loop.getRegion());

  builder.setInsertionPoint(loop);
  SmallVector<Value> starts;
  for (ArrayRef<unsigned> numbers : groups)
    starts.push_back(
        orFalse(join({bounds, joinOf(loop.getInitArgs(), numbers)})));
  unsigned numResults = loop.getNumResults();
  auto replaced = addIterArgs(loop, starts);
  for (auto [i, numbers] : llvm::enumerate(groups))
    for (unsigned number : numbers) {
      found[replaced.getRegionIterArg(number)] =
          replaced.getRegionIterArg(numResults + i);
      if (reach.isReached(replaced.getResult(number)))
        found[replaced.getResult(number)] = replaced.getResult(numResults + i);
    }
  if (failed(walkRegion(replaced.getRegion())))
    return failure();
  Operation *end = replaced.getBody()->getTerminator();
  for (ArrayRef<unsigned> numbers : groups) {
    builder.setInsertionPoint(end);
    end->insertOperands(end->getNumOperands(),
                        orFalse(joinOf(end->getOperands(), numbers)));
  }
  return success();
}

/// What `condition` brings into the `chosen` one of two values that have
/// overflows `yes` and `no`. What an unscaling found brings its overflow where
/// it keeps the gradient away: that step is skipped by the program itself, and
/// what goes with it has to be. A count of what was found is no step.
Value StepGuard::findChoice(Value condition, Value yes, Value no,
                            Value chosen) {
  return yes || no || reach.isReachedByGradient(condition) ||
                 getElementTypeOrSelf(chosen).isInteger(1)
             ? found.lookup(condition)
             : Value();
}

/// What a select leaves out brings nothing: the step of a window that goes on.
LogicalResult StepGuard::visitSelect(arith::SelectOp select) {
  if (sums.contains(select.getResult()))
    return guardChoice(cast<OpResult>(select.getResult()),
                       select.getCondition(), select.getTrueValue(),
                       select.getFalseValue());
  Value yes = found.lookup(select.getTrueValue());
  Value no = found.lookup(select.getFalseValue());
  Value condition = findChoice(select.getCondition(), yes, no, select);
  if (!yes && !no && !condition)
    return success();
  builder.setInsertionPointAfter(select);
  if (yes == condition)
    yes = {};
  if (no == condition)
    no = {};
  Value chosen = yes;
  if (yes != no) {
    yes = orFalse(yes);
    no = orFalse(no);
    chosen = arith::SelectOp::create(builder, select.getLoc(),
                                     select.getCondition(), yes, no);
    created.push_back(chosen.getDefiningOp());
  }
  found[select.getResult()] = join({chosen, condition});
  return success();
}

/// So does a branch:
///   %r = if { yield %x } else { yield %y }
///   becomes
///   %r, %p = if { yield %x, found(%x) } else { yield %y, found(%y) }
LogicalResult StepGuard::visitIf(scf::IfOp branch) {
  for (Region &region : branch->getRegions())
    if (failed(walkRegion(region)))
      return failure();
  // A predicate for each pair of what the sides hand on; one that both have
  // from outside need not be handed on.
  SmallVector<Value> yesses, noes, conditions;
  SmallVector<SmallVector<unsigned>> groups;
  llvm::DenseMap<std::pair<Value, Value>, unsigned> groupOf;
  for (OpResult result : branch.getResults()) {
    if (!reach.isReached(result))
      continue;
    unsigned number = result.getResultNumber();
    Value yes = found.lookup(
        branch.getThenRegion().front().getTerminator()->getOperand(number));
    Value no = found.lookup(
        branch.getElseRegion().front().getTerminator()->getOperand(number));
    Value condition = findChoice(branch.getCondition(), yes, no, result);
    if (yes == condition)
      yes = {};
    if (no == condition)
      no = {};
    if (yes == no &&
        !(yes && branch->isAncestor(yes.getParentRegion()->getParentOp()))) {
      builder.setInsertionPointAfter(branch);
      if (Value any = join({yes, condition}))
        found[result] = any;
      continue;
    }
    auto [it, isNew] = groupOf.try_emplace({yes, no}, groups.size());
    if (isNew) {
      yesses.push_back(yes);
      noes.push_back(no);
      conditions.push_back(condition);
      groups.emplace_back();
    }
    groups[it->second].push_back(number);
  }
  auto chooseSums = [&](scf::IfOp branch) {
    for (OpResult result : branch.getResults()) {
      unsigned number = result.getResultNumber();
      if (sums.contains(result) &&
          failed(guardChoice(
              result, branch.getCondition(),
              branch.getThenRegion().front().getTerminator()->getOperand(
                  number),
              branch.getElseRegion().front().getTerminator()->getOperand(
                  number))))
        return failure();
    }
    return success();
  };
  if (groups.empty())
    return chooseSums(branch);
  unsigned numResults = branch.getNumResults();
  auto replaced = addResults(branch, yesses, noes);
  builder.setInsertionPointAfter(replaced);
  for (auto [i, numbers] : llvm::enumerate(groups)) {
    Value any = join({replaced.getResult(numResults + i), conditions[i]});
    for (unsigned number : numbers)
      found[replaced.getResult(number)] = any;
  }
  return chooseSums(replaced);
}
