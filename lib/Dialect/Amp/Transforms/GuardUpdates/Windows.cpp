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
// the new sum is chosen: by scf.if, arith.select or blocks.
//
//===----------------------------------------------------------------------===//

#include "StepGuard.h"

#include "amp/Analysis/ValueOrigins.h"
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
