//===- Sums.cpp - Sums that leave a bad gradient out ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where finite sums are kept, the new value of an accumulator is followed back
// before the walk, to the additions by which gradients come in. Each keeps what
// it adds to: the sum behind a reset, not the accumulator, which may hold the
// sum of another window. Where a sum begins with a gradient it begins with
// zeros instead. Whatever else a sum is computed from has to be clean.
//
//===----------------------------------------------------------------------===//

#include "StepGuard.h"

#include "amp/Analysis/ValueOrigins.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

/// A flag is no sum.
static bool isSumType(Type type) {
  return !getElementTypeOrSelf(type).isInteger(1);
}

/// The terms that `value` leaves as they are and adds to: both of a sum, the
/// first of a difference, the last of a fused one.
static SmallVector<Value> getTerms(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::AddFOp, arith::AddIOp>(op))
    return {op->getOperand(0), op->getOperand(1)};
  if (isa_and_present<arith::SubFOp, arith::SubIOp>(op))
    return {op->getOperand(0)};
  if (isa_and_present<math::FmaOp>(op))
    return {op->getOperand(2)};
  return {};
}

/// Operands that `sum` leaves as they are and adds to, elementwise.
static SmallVector<unsigned> getAddedTo(OpResult sum) {
  Operation *op = sum.getOwner();
  SmallVector<unsigned> numbers;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured) {
    SmallVector<Value> terms = getTerms(sum);
    for (OpOperand &operand : op->getOpOperands())
      if (llvm::is_contained(terms, operand.get()))
        numbers.push_back(operand.getOperandNumber());
    return numbers;
  }
  if (structured.getNumReductionLoops() != 0 ||
      !structured.getIndexingMapMatchingResult(sum).isIdentity())
    return numbers;
  llvm::DenseSet<Value> terms;
  SmallVector<Value> worklist{
      structured.getBlock()->getTerminator()->getOperand(
          sum.getResultNumber())};
  bool isRoot = true;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (isa<BlockArgument>(value) && !isRoot)
      terms.insert(value);
    isRoot = false;
    llvm::append_range(worklist, getTerms(value));
  }
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getType() == sum.getType() &&
        structured.getMatchingIndexingMap(&operand).isIdentity() &&
        terms.contains(structured.getMatchingBlockArgument(&operand)))
      numbers.push_back(operand.getOperandNumber());
  return numbers;
}

/// As getHandedOn, and out of regions that always run.
SmallVector<Place> StepGuard::getSumPlaces(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return getHandedOn(value);
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (isa<arith::SelectOp>(def))
    return {{def, 1}, {def, 2}};
  if (auto autocast = dyn_cast<AutocastOp>(def))
    return {{autocast->getRegion(0).front().getTerminator(), number}};
  // The program's own guard.
  if (auto guard = dyn_cast<ApplyIfFiniteOp>(def))
    return {{guard.getBody().front().getTerminator(), number},
            {def, number + 1}};
  return getHandedOn(value);
}

/// What the values of a step are computed from: of `roles`, and not by way of a
/// backward pass, whose gradients are no sums.
OverflowReach StepGuard::followArguments(function_ref<bool(Value)> isSource) {
  backwardPasses.clear();
  step.walk([&](Operation *op) {
    auto unscale = dyn_cast<UnscaleOp>(op);
    if (!unscale && getKind(op) != FunctionKind::ForwardBackward)
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (!unscale ||
          !llvm::is_contained(unscale.getAccumulators(), operand.get()))
        backwardPasses.insert({op, operand.getOperandNumber()});
  });
  OverflowReach reached(backwardPasses, symbols);
  for (BlockArgument argument : step.getArguments())
    if (isSource(argument))
      reached.addSource(argument, 0);
  reached.propagate();
  return reached;
}

/// Finds all sums that lead to new accumulators, and those that updates read
/// beside them.
void StepGuard::findSums() {
  OverflowReach fromSums = followArguments([&](Value argument) {
    return isAccumulator(argument) && isSumType(argument.getType());
  });
  auto isFromSum = [&](Value value) {
    // Each unscaled gradient has its own accumulator.
    if (auto unscale = value.getDefiningOp<UnscaleOp>()) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      return number < unscale.getAccumulators().size() &&
             fromSums.isReached(unscale.getAccumulators()[number]);
    }
    return fromSums.isReached(value);
  };
  SmallVector<Value> worklist;
  auto follow = [&](Place place) {
    auto [op, number] = place;
    Value value = op->getOperand(number);
    // One that is guarded as a parameter.
    if (newParams.contains(value))
      return;
    if (isFromSum(value))
      worklist.push_back(value);
    else
      begun[op].push_back(number);
  };
  auto followAll = [&] {
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (isAccumulator(value) || !sums.insert(value).second)
        continue;
      SmallVector<Place> places = getSumPlaces(value);
      for (Place place : places)
        follow(place);
      auto result = dyn_cast<OpResult>(value);
      if (!places.empty() || !result)
        continue;
      Operation *def = result.getOwner();
      if (auto unscale = dyn_cast<UnscaleOp>(def)) {
        unsigned number = result.getResultNumber();
        additions[value] = unscale.getGradients().size() + number;
        worklist.push_back(unscale.getAccumulators()[number]);
        continue;
      }
      SmallVector<unsigned> numbers = getAddedTo(result);
      llvm::erase_if(numbers, [&](unsigned number) {
        return !isFromSum(def->getOperand(number));
      });
      if (numbers.size() == 1)
        additions[value] = numbers.front();
      else
        computedSums.insert(def);
      for (Value read : getReadValues(def))
        if (isFromSum(read) && !isHandedOnAsOld(read, def))
          worklist.push_back(read);
    }
  };
  for (func::ReturnOp end : step.getOps<func::ReturnOp>())
    for (unsigned i = 0, e = step.getNumResults(); i != e; ++i)
      if (getResultRole(step, i).is(Role::Accumulator) &&
          isSumType(end.getOperand(i).getType()))
        follow({end, i});
  followAll();

  // A sum for the update alone, where the accumulator is handed back otherwise:
  // what comes in is a gradient, and no weight.
  OverflowReach fromStates = followArguments([&](Value argument) {
    return isKeptOnSkip(
        getArgRole(step, cast<BlockArgument>(argument).getArgNumber()).role);
  });
  step.walk([&](Operation *op) {
    for (OpResult result : op->getResults()) {
      SmallVector<unsigned> numbers = getAddedTo(result);
      if (numbers.empty() || sums.contains(result) ||
          fromStates.isReached(result))
        continue;
      llvm::erase_if(numbers, [&](unsigned number) {
        Value operand = op->getOperand(number);
        return !isAccumulator(operand) && !sums.contains(operand);
      });
      if (numbers.size() != 1)
        continue;
      sums.insert(result);
      additions[result] = numbers.front();
    }
  });
  for (Value sum : sums)
    reach.keepClean(sum);
}

/// At the builder's place: `value`, or `kept` where `any` is true.
Value StepGuard::leaveOut(Location loc, Value any, Value kept, Value value) {
  auto guard = createGuard(loc, any, kept, value);
  // A gradient was left out, no step.
  neverSkipped.insert(guard.getResult(0));
  sums.insert(guard.getResult(0));
  return guard.getResult(0);
}

/// At the builder's place: what reads `sum` reads `old` where `any` is true.
void StepGuard::leaveOutOf(OpResult sum, Value any, Value old) {
  Value guarded = leaveOut(sum.getOwner()->getLoc(), any, old, sum);
  sum.replaceAllUsesExcept(
      guarded, guarded.getDefiningOp()->getRegion(0).front().getTerminator());
}

/// Before `op` is walked: sums that begin there with a gradient begin with
/// zeros where it overflowed. One that is computed from a gradient by no
/// addition is refused.
LogicalResult StepGuard::beginSums(Operation *op) {
  if (auto it = begun.find(op); it != begun.end())
    for (unsigned number : it->second) {
      Value value = op->getOperand(number);
      Value any = found.lookup(value);
      if (!any || !reach.isReachedByGradient(value))
        continue;
      builder.setInsertionPoint(op);
      Value zeros = createZeros(builder, value);
      op->setOperand(number, leaveOut(value.getLoc(), any, zeros, value));
    }
  if (computedSums.contains(op))
    for (Value value : getReadValues(op))
      if (found.contains(value) && reach.isReachedByGradient(value) &&
          !isHandedOnAsOld(value, op))
        return refuseSum(op);
  return success();
}

LogicalResult StepGuard::refuseSum(Operation *op) {
  return op->emitError()
         << "expected a sum that a gradient with an overflow can be left out "
            "of, as 'keep-finite-sums' asks for, but '"
         << op->getName()
         << "' puts the accumulator and the gradient together; write the sum "
            "as an addition to the accumulator";
}

/// sum = old + g  ->  sum, but old if g has an overflow.
void StepGuard::guardAdditions(Operation *op) {
  for (OpResult sum : op->getResults()) {
    auto it = additions.find(sum);
    if (it == additions.end())
      continue;
    Value old = op->getOperand(it->second);
    SmallVector<Value> read;
    for (Value value : getReadValues(op))
      if (value != old && !isHandedOnAsOld(value, op))
        read.push_back(value);
    Value own = sources.lookup(op);
    builder.setInsertionPointAfter(own ? own.getDefiningOp() : op);
    Value any = join({own, joinOf(read)});
    if (any)
      leaveOutOf(sum, any, old);
  }
}

/// What stays of `sum` without the gradients that are left out of it.
Value StepGuard::getOldSum(Value sum) {
  while (sums.contains(sum) && guards.contains(sum.getDefiningOp()))
    sum = cast<ApplyIfFiniteOp>(sum.getDefiningOp()).getKept().front();
  return sum;
}

/// A sum of which a gradient chooses whether it comes in: `yes` or `no`, by
/// `condition`. Both are the same without it.
LogicalResult StepGuard::guardChoice(OpResult sum, Value condition, Value yes,
                                     Value no) {
  Value any = found.lookup(condition);
  // What was found is a truth value, and the choice the program's.
  if (!any || !reach.isReachedByGradient(condition))
    return success();
  Operation *op = sum.getOwner();
  Value old = getOldSum(yes), other = getOldSum(no);
  builder.setInsertionPointAfter(op);
  auto isZero = [](Value value) {
    return matchPattern(value, m_AnyZeroFloat()) ||
           matchPattern(value, m_Zero());
  };
  if (old != other && isZero(old) && isZero(other))
    old = createZeros(builder, sum);
  else if (old != other)
    return refuseSum(op);
  leaveOutOf(sum, any, old);
  return success();
}
