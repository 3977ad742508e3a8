//===- Windows.cpp - Accumulators at the end of a window ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bad micro-batch drops the window, as in Apex: the sum goes on to its end,
// where the step is skipped and the sum begins anew. Windows are found by how
// the new sum is chosen: by scf.if, arith.select or blocks. The next call knows
// of the bad one by an infinity or NaN in the sum, which gets NaNs where what
// was added may have none (clipped by value, signs).
//
//===----------------------------------------------------------------------===//

#include "StepGuard.h"

#include "amp/Analysis/ValueOrigins.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::amp;

/// True for an argument of the step that is an accumulator.
bool StepGuard::isAccumulator(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &step.getBody().front() &&
         getArgRole(step, argument.getArgNumber()).is(Role::Accumulator);
}

/// Operands that hand on to `value` what it is, unless it is computed.
SmallVector<Place> StepGuard::getHandedOn(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Block *block = argument.getOwner();
    unsigned number = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
        loop && number > 0)
      return {{loop, number - 1 + loop.getNumControlOperands()},
              {block->getTerminator(), number - 1}};
    return getSkipReads(value);
  }
  Operation *def = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto select = dyn_cast<arith::SelectOp>(def);
      select && select.getCondition().getType().isInteger(1))
    return {{def, 1}, {def, 2}};
  if (auto loop = dyn_cast<scf::ForOp>(def))
    return {{loop, number + loop.getNumControlOperands()},
            {loop.getBody()->getTerminator(), number}};
  SmallVector<Place> places;
  if (isa<scf::IfOp>(def))
    for (Region &region : def->getRegions())
      places.push_back({region.front().getTerminator(), number});
  if (isa<CastOp>(def))
    places.push_back({def, 0});
  return places;
}

/// True for a sum that starts at an accumulator.
bool StepGuard::isRunningSum(Value value) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (isAccumulator(next))
      return true;
    Operation *def = next.getDefiningOp();
    if (!seen.insert(next).second)
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(next.getParentBlock()->getParentOp());
        loop && !def && next != loop.getInductionVar())
      worklist.push_back(
          loop.getTiedLoopInit(cast<BlockArgument>(next))->get());
    else if (!def)
      continue;
    else if (isElementwiseAdd(def))
      llvm::append_range(worklist, def->getOperands().take_front(2));
  }
  return false;
}

/// What becomes of the accumulator that is handed back at `end`: a sum that an
/// update reads goes on, and so does one that is begun.
LogicalResult StepGuard::findWindow(Place end, Window &window) {
  llvm::DenseSet<Value> seen, running;
  SmallVector<Place> worklist{end}, computed;
  while (!worklist.empty()) {
    Place place = worklist.pop_back_val();
    Value value = place.first->getOperand(place.second);
    if (!found.contains(value) || guards.contains(value.getDefiningOp())) {
      window.isReset = true;
    } else if (readByUpdates.contains(value) || isRunningSum(value)) {
      running.insert(value);
    } else if (SmallVector<Place> places = getHandedOn(value);
               !places.empty()) {
      if (seen.insert(value).second)
        llvm::append_range(worklist, places);
    } else {
      computed.push_back(place);
    }
  }
  window.goesOn = !running.empty();
  for (Place place : llvm::reverse(computed)) {
    bool hasSum = false;
    std::optional<unsigned> other;
    llvm::DenseSet<Value> read;
    SmallVector<Value> values{place.first->getOperand(place.second)};
    while (!values.empty()) {
      Value value = values.pop_back_val();
      if (!read.insert(value).second)
        continue;
      if (running.contains(value) || isRunningSum(value)) {
        hasSum = true;
        continue;
      }
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (argument.getOwner() == &step.getBody().front())
          other = argument.getArgNumber();
        for (auto [op, operand] : getHandedOn(value))
          values.push_back(op->getOperand(operand));
        continue;
      }
      Operation *def = value.getDefiningOp();
      if (!isa<UnscaleOp>(def) && getKind(def) != FunctionKind::ForwardBackward)
        llvm::append_range(values, getReadValues(def));
    }
    if (!hasSum) {
      window.goesOn = true;
    } else if (other) {
      RoleInfo role = getArgRole(step, *other);
      return end.first->emitError()
             << "expected to see at which calls the window of accumulator '"
             << getResultRole(step, end.second).name
             << "' ends, but its new value is computed from its sum and from "
                "argument "
             << *other << " ('" << role.name
             << "'), and an infinity survives that; choose between the sum and "
                "zero by scf.if or arith.select";
    } else {
      window.dirtyResets.push_back(place);
    }
  }
  return success();
}

/// True if `op` is infinite or NaN where its operand with `number` is, whatever
/// the others are.
static bool keepsOverflow(Operation *op, unsigned number) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
             arith::ExtFOp, arith::TruncFOp, math::AbsFOp, math::FmaOp, CastOp,
             tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
             op) ||
         (isa<arith::DivFOp>(op) && number == 0);
}

/// True if a result of `op` is infinite or NaN where an element of `operand`
/// is.
bool StepGuard::keepsOverflow(linalg::LinalgOp op, OpOperand &operand,
                              unsigned number) {
  if (!op.getMatchingIndexingMap(&operand).isProjectedPermutation())
    return false;
  llvm::DenseSet<Value> keeping;
  keeping.insert(op.getMatchingBlockArgument(&operand));
  for (Operation &inside : op.getBlock()->without_terminator())
    for (OpOperand &read : inside.getOpOperands())
      if (keeping.contains(read.get()) &&
          ::keepsOverflow(&inside, read.getOperandNumber()))
        keeping.insert_range(inside.getResults());
  return keeping.contains(op.getBlock()->getTerminator()->getOperand(number));
}

/// True if `value` has an infinity or NaN wherever an overflow came into it:
/// each operand that one came into leaves it there, or another one does that
/// the same came into.
bool StepGuard::keepsOverflow(Value value, llvm::DenseMap<Value, bool> &known) {
  if (!found.contains(value) || isAccumulator(value))
    return true;
  auto [it, isNew] = known.try_emplace(value, true);
  if (!isNew)
    return it->second; // of the round before
  auto set = [&](bool keeps) { return known[value] = keeps; };
  Operation *def = value.getDefiningOp();
  if (SmallVector<Place> places = getHandedOn(value); !places.empty()) {
    // What an overflow chooses, one came into.
    bool isChosen = isa_and_present<scf::IfOp, arith::SelectOp>(def) &&
                    found.contains(def->getOperand(0));
    return set(llvm::all_of(places, [&](Place place) {
      Value operand = place.first->getOperand(place.second);
      return (!isChosen || found.contains(operand)) &&
             keepsOverflow(operand, known);
    }));
  }
  if (!def)
    return set(false);
  if (isa<UnscaleOp>(def))
    return true;
  auto structured = dyn_cast<linalg::LinalgOp>(def);
  unsigned number = cast<OpResult>(value).getResultNumber();
  llvm::DenseSet<Value> kept;
  for (OpOperand &operand : def->getOpOperands())
    if (found.contains(operand.get()) &&
        (structured ? keepsOverflow(structured, operand, number)
                    : ::keepsOverflow(def, operand.getOperandNumber())) &&
        keepsOverflow(operand.get(), known))
      kept.insert(found.lookup(operand.get()));
  return set(llvm::all_of(def->getOperands(), [&](Value operand) {
    return !found.contains(operand) || kept.contains(found.lookup(operand));
  }));
}

/// A sum that goes on tells the next call of an overflow by what is in it. One
/// that may have lost it is filled with NaN instead.
LogicalResult StepGuard::markOverflow(Place place) {
  auto [end, number] = place;
  Value value = end->getOperand(number);
  llvm::DenseMap<Value, bool> known;
  if (keepsOverflow(value, known))
    return success();
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  if (!type)
    return end->emitError()
           << "expected accumulator '" << getResultRole(step, number).name
           << "' to be of floating-point numbers, as an infinity in a gradient "
              "drops its window and is told to the next call by the sum; "
              "convert the sum where the window ends";
  builder.setInsertionPoint(end);
  auto nan =
      FloatAttr::get(type, llvm::APFloat::getNaN(type.getFloatSemantics()));
  auto guard = createGuard(value.getLoc(), found.lookup(value),
                           createSplat(builder, value, nan), value);
  end->setOperand(number, guard.getResult(0));
  return success();
}

/// At the end of a window that an infinity came into, the step was skipped; the
/// accumulator begins with zeros all the same. Where the program resets it to
/// what no overflow is in, it has done so; what an infinity survives is guarded
/// at its place. A sum that no call resets, or every call, is cleared when the
/// step that reads it is skipped.
LogicalResult StepGuard::clearAccumulators(Operation *end) {
  SmallVector<unsigned> kept;
  llvm::StringMap<SmallVector<unsigned, 1>> keptByName;
  for (unsigned i = 0, e = step.getNumResults(); i != e; ++i)
    if (RoleInfo info = getResultRole(step, i); isKeptOnSkip(info.role)) {
      kept.push_back(i);
      keptByName[info.name].push_back(i);
    }
  auto joinSkips = [&](ArrayRef<unsigned> numbers) {
    SmallVector<Value> skips;
    for (unsigned i : numbers) {
      handOutSkips({end, i});
      skips.push_back(lookupSkip(end->getOperand(i)));
    }
    builder.setInsertionPoint(end);
    return join(skips);
  };
  std::optional<Value> anySkip;
  for (unsigned i = 0, e = step.getNumResults(); i != e; ++i) {
    RoleInfo accumulator = getResultRole(step, i);
    if (!accumulator.is(Role::Accumulator) ||
        matchPattern(end->getOperand(i), m_Constant()))
      continue;
    if (options.keepFiniteSums) {
      // Sums are clean; a flag that a gradient came into is as it was.
      Value value = end->getOperand(i);
      Value any = found.lookup(value);
      if (!any || !reach.isReachedByGradient(value))
        continue;
      std::optional<unsigned> old =
          findArgument(step, accumulator, value.getType());
      if (!old || !getElementTypeOrSelf(value).isInteger(1))
        return refuseSum(end);
      builder.setInsertionPoint(end);
      auto guard =
          createGuard(end->getLoc(), any, step.getArgument(*old), value);
      end->setOperand(i, guard.getResult(0));
      continue;
    }
    // What unscalings found, and no gradient: no infinity is in that.
    if (found.contains(end->getOperand(i)) &&
        !reach.isReachedByGradient(end->getOperand(i)))
      continue;
    Window window;
    if (failed(findWindow({end, i}, window)))
      return failure();
    if (window.isReset || window.goesOn) {
      for (auto [op, operand] : window.dirtyResets) {
        Value value = op->getOperand(operand);
        builder.setInsertionPoint(op);
        auto guard = createGuard(value.getLoc(), found.lookup(value),
                                 createZeros(builder, value), value);
        op->setOperand(operand, guard.getResult(0));
      }
      if (window.goesOn && failed(markOverflow({end, i})))
        return failure();
      if (window.isReset || !window.dirtyResets.empty())
        continue;
    }
    Value any = joinSkips(keptByName.lookup(accumulator.name));
    if (!any) {
      if (!anySkip)
        anySkip = joinSkips(kept);
      any = *anySkip;
    }
    if (!any)
      continue;
    builder.setInsertionPoint(end);
    Value value = end->getOperand(i);
    auto guard =
        createGuard(end->getLoc(), any, createZeros(builder, value), value);
    end->setOperand(i, guard.getResult(0));
  }
  return success();
}
