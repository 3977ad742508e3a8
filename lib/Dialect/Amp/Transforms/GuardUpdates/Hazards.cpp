//===- Hazards.cpp - What an overflow may do before it is dropped ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A skipped step is computed and dropped, so it has to come to its end. Where
// an overflow came in, assertions hold, loops end, integers are divided by one,
// tensors are read at their start, and helpers that do one of these with their
// arguments are left out. Sizes have no harmless number: what is filled or read
// by them has its own.
//
//===----------------------------------------------------------------------===//

#include "StepGuard.h"

#include "../Reachable.h"

#include "amp/Analysis/CallComponents.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::amp;

/// An operand that is replaced where an overflow came in.
struct mlir::amp::Hazard {
  OpOperand *operand;
  /// By 1 for a divisor, by 0 for a place in a tensor or a mask of places, by
  /// this number for the last place of a slice that is read backwards.
  int64_t harmless;
  /// A value whose overflow is as bad as the operand's: a dividend, the stride
  /// beside an offset; null if there is none.
  Value partner;

  SmallVector<Value, 2> getReads() const {
    if (partner)
      return {operand->get(), partner};
    return {operand->get()};
  }
};

/// Of operations that divide integers.
static bool dividesSigned(Operation *op) {
  if (auto elementwise = dyn_cast<linalg::ElementwiseOp>(op))
    return elementwise.getKind() == linalg::ElementwiseKind::div;
  return isa<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
             arith::RemSIOp, linalg::DivOp>(op);
}

/// Where a slice begins, and how far apart its elements are: with 0 for both
/// all of them are the first. Not by the interface's own index of the first
/// offset: that of tensor.parallel_insert_slice is its destination's.
static SmallVector<Hazard> getHazards(OffsetSizeAndStrideOpInterface slice) {
  SmallVector<Hazard> hazards;
  auto takeOperand = [&](OperandRange range, unsigned &next) {
    return &slice->getOpOperand(range.getBeginOperandIndex() + next++);
  };
  unsigned nextOffset = 0, nextStride = 0;
  for (auto [offset, size, stride] :
       llvm::zip_equal(slice.getStaticOffsets(), slice.getStaticSizes(),
                       slice.getStaticStrides())) {
    OpOperand *start = nullptr, *distance = nullptr;
    if (ShapedType::isDynamic(offset))
      start = takeOperand(slice.getOffsets(), nextOffset);
    if (ShapedType::isDynamic(stride))
      distance = takeOperand(slice.getStrides(), nextStride);
    bool goesBackwards =
        !distance && stride < 0 && !ShapedType::isDynamic(size);
    if (start)
      hazards.push_back({start, goesBackwards ? (1 - size) * stride : 0,
                         distance ? distance->get() : Value()});
    if (distance)
      hazards.push_back({distance, 0, start ? start->get() : Value()});
  }
  return hazards;
}

/// Places that a vector is read from or written to, and masks of them. One that
/// is in bounds for some place is so for the first; a mask may be what keeps a
/// place from being read.
static SmallVector<Hazard> getVectorHazards(Operation *op) {
  SmallVector<Hazard> hazards;
  auto add = [&](MutableArrayRef<OpOperand> operands) {
    for (OpOperand &operand : operands)
      hazards.push_back({&operand, /*harmless=*/0, {}});
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<vector::TransferReadOp, vector::TransferWriteOp>(
          [&](auto transfer) {
            add(transfer.getIndicesMutable());
            add(transfer.getMaskMutable());
          })
      .Case<vector::MaskedLoadOp, vector::ExpandLoadOp>([&](auto load) {
        add(load.getIndicesMutable());
        add(load.getMaskMutable());
      })
      .Case<vector::GatherOp, vector::ScatterOp>([&](auto access) {
        add(access.getOffsetsMutable());
        add(access.getIndicesMutable());
        add(access.getMaskMutable());
      })
      .Case([&](vector::LoadOp load) { add(load.getIndicesMutable()); })
      .Case<vector::ExtractOp, vector::InsertOp>(
          [&](auto access) { add(access.getDynamicPositionMutable()); })
      .Case([&](vector::MaskOp masked) { add(masked.getMaskMutable()); });
  return hazards;
}

/// Integers divided by zero end a run, and so does the least of them divided by
/// -1: an infinity becomes that one. Places may lie outside of a tensor.
static SmallVector<Hazard> getHazards(Operation *op) {
  if (dividesIntegers(op)) {
    Hazard hazard{&op->getOpOperand(1), /*harmless=*/1, {}};
    APInt number;
    bool mayBeMinusOne =
        !matchPattern(hazard.operand->get(), m_ConstantInt(&number)) ||
        number.isAllOnes();
    if (dividesSigned(op) && mayBeMinusOne)
      hazard.partner = op->getOperand(0);
    return {hazard};
  }
  auto asPlaces = [](MutableArrayRef<OpOperand> operands) {
    return llvm::map_to_vector(operands, [](OpOperand &operand) {
      return Hazard{&operand, /*harmless=*/0, {}};
    });
  };
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return asPlaces(extract.getIndicesMutable());
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return asPlaces(insert.getIndicesMutable());
  if (auto gather = dyn_cast<tensor::GatherOp>(op))
    return asPlaces(gather.getIndicesMutable());
  if (auto scatter = dyn_cast<tensor::ScatterOp>(op))
    return asPlaces(scatter.getIndicesMutable());
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return asPlaces(load.getIndicesMutable());
  if (isa<tensor::DimOp, memref::DimOp>(op))
    return asPlaces(op->getOpOperands().drop_front());
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op))
    return getHazards(slice);
  return getVectorHazards(op);
}

/// What says how many elements `op` reads, writes or makes.
static SmallVector<Value> getSizes(Operation *op) {
  SmallVector<Value> sizes;
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op))
    llvm::append_range(sizes, slice.getSizes());
  // Of one of static shape too, the space in front of what is padded.
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    llvm::append_range(sizes, pad.getLow());
    llvm::append_range(sizes, pad.getHigh());
  }
  bool isDynamic = llvm::any_of(op->getResultTypes(), [](Type type) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    return shaped && !shaped.hasStaticShape();
  });
  // The results of other operations with regions are handed over.
  if (!isDynamic ||
      (op->getNumRegions() != 0 && !isa<tensor::PadOp, tensor::GenerateOp>(op)))
    return sizes;
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
    sizes.push_back(reshape.getShape());
  SmallVector<Hazard> hazards = getHazards(op);
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getType().isIndex() &&
        llvm::none_of(hazards, [&](const Hazard &hazard) {
          return hazard.operand == &operand;
        }))
      sizes.push_back(operand.get());
  return sizes;
}

/// Where to put what `op` is to take: a region that combines what rounds of a
/// loop have computed holds nothing but that, and a mask one operation.
static Operation *getPlaceBefore(Operation *op) {
  Operation *parent = op->getParentOp();
  return isa<InParallelOpInterface, vector::MaskOp>(parent) ? parent : op;
}

/// What is divided by is 1 then, and a place mostly the first:
///   divsi(%x, %n)  ->  divsi(%x, select(%overflows, 1, %n))
void StepGuard::guardHazard(const Hazard &hazard, Value overflows) {
  Value value = hazard.operand->get();
  builder.setInsertionPoint(getPlaceBefore(hazard.operand->getOwner()));
  Type element = getElementTypeOrSelf(value);
  Value harmless = createSplat(
      builder, value, builder.getIntegerAttr(element, hazard.harmless));
  Value chosen = arith::SelectOp::create(builder, value.getLoc(), overflows,
                                         harmless, value);
  if (Value any = found.lookup(value))
    found[chosen] = any;
  hazard.operand->set(chosen);
  ++numChanges;
}

LogicalResult StepGuard::guardHazards(Operation *op) {
  // The operands as they are: a guarded one is no overflow's any more.
  SmallVector<std::pair<Hazard, Value>> guarded;
  for (const Hazard &hazard : getHazards(op)) {
    builder.setInsertionPoint(getPlaceBefore(op));
    if (llvm::none_of(hazard.getReads(),
                      [&](Value read) { return isInfinite(read); }))
      continue;
    if (Value any = joinOf(hazard.getReads()))
      guarded.push_back({hazard, any});
  }
  for (auto &[hazard, any] : guarded) {
    builder.setInsertionPoint(getPlaceBefore(op));
    guardHazard(hazard, extract(op->getLoc(), any));
  }
  return checkSizes(op);
}

/// Sizes that an overflow came into could be any.
LogicalResult StepGuard::checkSizes(Operation *op) {
  if (llvm::any_of(getSizes(op),
                   [&](Value size) { return found.contains(size); }))
    return refuseSizes(op);
  return success();
}

LogicalResult StepGuard::refuseSizes(Operation *op) {
  return op->emitError()
         << "expected the sizes of '" << op->getName()
         << "' to be what no gradient of '@" << step.getName()
         << "' comes into, because with one that overflows they may be "
            "anything; write the update with static sizes";
}

/// The boolean that `predicate` holds.
Value StepGuard::extract(Location loc, Value predicate) {
  return tensor::ExtractOp::create(builder, loc, predicate, ValueRange());
}

void mlir::amp::appendBranchConditions(Operation *op, Operation *function,
                                       SmallVectorImpl<Value> &conditions) {
  for (Operation *parent = op->getParentOp(); parent != function;
       parent = parent->getParentOp())
    if (isa<scf::IfOp, scf::IndexSwitchOp>(parent))
      conditions.push_back(parent->getOperand(0));
}

/// An assertion, or those in the body of a structured operation, hold where an
/// overflow came into what they check, or into a branch that leads to them.
void StepGuard::guardChecks(Operation *op) {
  SmallVector<cf::AssertOp> checks;
  SmallVector<Value> read;
  op->walk([&](Operation *inner) {
    if (auto check = dyn_cast<cf::AssertOp>(inner))
      checks.push_back(check);
    llvm::append_range(read, inner->getOperands());
  });
  if (checks.empty())
    return;
  appendBranchConditions(op, step, read);
  builder.setInsertionPoint(op);
  Value any = joinOf(read);
  if (!any)
    return;
  Value overflows = extract(op->getLoc(), any);
  for (cf::AssertOp check : checks) {
    builder.setInsertionPoint(check);
    check.getArgMutable().assign(arith::OrIOp::create(
        builder, check.getLoc(), check.getArg(), overflows));
    ++numChanges;
  }
}

/// A loop that a gradient ends may go round for ever with an infinity. What it
/// computes then is dropped, so it ends at once:
///   scf.condition(%c)  ->  scf.condition(%c and not %overflows)
void StepGuard::endOnOverflow(scf::ConditionOp end, Value overflows) {
  Location loc = end.getLoc();
  builder.setInsertionPoint(end);
  Value no =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  end.getConditionMutable().assign(
      arith::SelectOp::create(builder, loc, overflows, no, end.getCondition()));
  ++numChanges;
}

/// So does one that a gradient counts: it has no round at all.
void StepGuard::boundOnOverflow(scf::ForOp loop, Value overflows,
                                bool stepMayOverflow) {
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound();
  builder.setInsertionPoint(loop);
  // A step of 0 is none that a loop may have, whatever its bounds.
  if (stepMayOverflow) {
    Value one = arith::ConstantOp::create(builder, loc,
                                          builder.getOneAttr(lower.getType()));
    loop.setStep(
        arith::SelectOp::create(builder, loc, overflows, one, loop.getStep()));
  }
  loop.setUpperBound(arith::SelectOp::create(builder, loc, overflows, lower,
                                             loop.getUpperBound()));
  ++numChanges;
}

SmallVector<Value> mlir::amp::getBounds(LoopLikeOpInterface loop) {
  // It names no values that go round, as they meet only in what combines them.
  if (auto parallel = dyn_cast<scf::ParallelOp>(*loop))
    return llvm::to_vector(
        parallel->getOperands().drop_back(parallel.getInitVals().size()));
  MutableArrayRef<OpOperand> inits = loop.getInitsMutable();
  SmallVector<Value> bounds;
  for (OpOperand &operand : loop->getOpOperands())
    if (!llvm::any_of(inits,
                      [&](OpOperand &init) { return &init == &operand; }))
      bounds.push_back(operand.get());
  return bounds;
}

/// True if an overflow came into `value` by a gradient. What an unscaling found
/// is true or false whatever overflowed.
bool StepGuard::isInfinite(Value value) const {
  return found.lookup(value) && reach.isReachedByGradient(value);
}

/// Of any other loop that a gradient counts.
LogicalResult StepGuard::refuseBounds(Operation *loop) {
  return loop->emitError()
         << "expected the bounds of '" << loop->getName()
         << "' to be what no gradient of '@" << step.getName()
         << "' comes into, because with one that overflows it may run for as "
            "long as an index can count; write the loop as scf.for";
}

/// The cycles of the blocks of each region of several.
static llvm::DenseMap<Block *, unsigned>
numberAllCycles(func::FuncOp function) {
  llvm::DenseMap<Block *, unsigned> numbers;
  function.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.hasOneBlock())
        numberCycles(region, numbers);
  });
  return numbers;
}

/// The arguments of `callee` that may decide that it does not come to its end.
/// What it calls is asked about before it, without recursion: helpers may be as
/// long a chain as the module.
llvm::SmallBitVector StepGuard::findDecisive(func::FuncOp callee) {
  if (!callee || callee.isExternal())
    return {};
  if (auto it = decisive.find(callee); it != decisive.end())
    return it->second;
  if (componentOf.empty())
    for (auto [number, component] :
         llvm::enumerate(getCallComponents(step->getParentOfType<ModuleOp>())))
      for (func::FuncOp function : component.functions)
        componentOf[function] = number;
  llvm::SetVector<Operation *> asked;
  asked.insert(callee);
  for (unsigned i = 0; i != asked.size(); ++i)
    asked[i]->walk([&](func::CallOp call) {
      func::FuncOp next = getCallee(call, symbols);
      if (next && !next.isExternal() && !decisive.contains(next))
        asked.insert(next);
    });
  SmallVector<Operation *> order = asked.takeVector();
  llvm::sort(order, [&](Operation *a, Operation *b) {
    return componentOf.lookup(a) < componentOf.lookup(b);
  });
  for (Operation *function : order)
    decisive[function] = findDecisiveAfterCallees(cast<func::FuncOp>(function));
  return decisive.lookup(callee);
}

/// True if `op` is an assertion or calls what leads to one.
bool StepGuard::leadsToCheck(Operation *op) {
  if (!checking)
    checking.emplace(step->getParentOfType<ModuleOp>(), symbols,
                     [](Operation *op) { return isa<cf::AssertOp>(op); });
  return isa<cf::AssertOp>(op) || checking->isCall(op);
}

/// They come into the condition or the bounds of a loop, the condition of a
/// branch in a cycle of blocks, a hazard, a size, an assertion or a branch that
/// leads to one, or what decides about a call. All arguments of calls in a
/// cycle count as well.
llvm::SmallBitVector StepGuard::findDecisiveAfterCallees(func::FuncOp callee) {
  SmallVector<Value> conditions;
  llvm::SetVector<Region *> choosing;
  llvm::DenseMap<Block *, unsigned> cycles = numberAllCycles(callee);
  callee.walk([&](Operation *op) {
    Block *block = op->getBlock();
    if (leadsToCheck(op)) {
      appendBranchConditions(op, callee, conditions);
      if (isa<cf::AssertOp>(op))
        conditions.push_back(op->getOperand(0));
      for (Region *region = op->getParentRegion();
           region != callee->getParentRegion();
           region = region->getParentRegion())
        if (!region->hasOneBlock())
          choosing.insert(region);
    }
    if (auto end = dyn_cast<scf::ConditionOp>(op)) {
      conditions.push_back(end.getCondition());
    } else if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      llvm::append_range(conditions, getBounds(loop));
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      Operation *next = getCallee(call, symbols);
      if (next && componentOf.lookup(next) == componentOf.lookup(callee))
        llvm::append_range(conditions, call.getOperands());
      else if (auto known = decisive.find(next); known != decisive.end())
        for (unsigned number : known->second.set_bits())
          conditions.push_back(call.getOperand(number));
    } else if (op->getNumSuccessors() > 1 && cycles.contains(block) &&
               llvm::any_of(op->getSuccessors(), [&](Block *successor) {
                 return cycles.lookup(successor) == cycles.lookup(block);
               })) {
      llvm::append_range(conditions, getConditions(op));
    }
    for (const Hazard &hazard : getHazards(op))
      llvm::append_range(conditions, hazard.getReads());
    if (!isa<func::CallOp>(op))
      llvm::append_range(conditions, getSizes(op));
  });
  // Which of its blocks run.
  for (Region *region : choosing)
    for (Block &inside : *region)
      llvm::append_range(conditions, getConditions(inside.getTerminator()));
  llvm::SmallBitVector numbers(callee.getNumArguments());
  if (!conditions.empty()) {
    OverflowReach::Guarded none;
    OverflowReach inside(none, symbols);
    for (BlockArgument argument : callee.getArguments())
      inside.addSource(argument, argument.getArgNumber());
    inside.propagate();
    for (Value condition : conditions)
      numbers |= inside.getSources(condition);
  }
  return numbers;
}

/// True if `call` is of a function without roles that may not come to its end
/// where one of the values that `mayOverflow` tells of has overflowed: an
/// operand, or what leads to an assertion.
bool StepGuard::mayNotEnd(func::CallOp call,
                          function_ref<bool(Value)> mayOverflow) {
  if (getKind(call) != FunctionKind::Other)
    return false;
  SmallVector<Value> branches;
  appendBranchConditions(call, step, branches);
  if (llvm::any_of(branches, mayOverflow) && leadsToCheck(call))
    return true;
  if (llvm::none_of(call.getOperands(), mayOverflow))
    return false;
  return llvm::any_of(
      findDecisive(getCallee(call, symbols)).set_bits(),
      [&](unsigned number) { return mayOverflow(call.getOperand(number)); });
}

/// True if `call` may not come to its end where something overflowed that leads
/// to it. One that only what was found decides about, and that hands on
/// something of it, is no part of a step: it counts, or joins.
bool StepGuard::mayBeLeftOut(func::CallOp call) {
  if (!mayNotEnd(call, [&](Value value) { return bool(found.lookup(value)); }))
    return false;
  if (call.getNumResults() == 0 && !opsWithTransitions.contains(call))
    return true;
  return mayNotEnd(call, [&](Value value) { return isInfinite(value); });
}

/// Such a function is left out where it is given an overflow:
///   %r = call @f(%g)
///   becomes
///   %r = if %overflows { yield 0 } else { yield call @f(%g) }
LogicalResult StepGuard::skipHelper(func::CallOp call, Value any,
                                    Value overflows) {
  if (failed(checkTransitions(call)))
    return failure();
  Location loc = call.getLoc();
  SmallVector<TypedAttr> zeros;
  for (Type type : call.getResultTypes()) {
    auto shaped = dyn_cast<ShapedType>(type);
    zeros.push_back(shaped && !shaped.hasStaticShape()
                        ? TypedAttr()
                        : builder.getZeroAttr(type));
    if (!zeros.back())
      return call.emitError()
             << "expected '@" << call.getCallee()
             << "', which an overflow may end the run in or keep from ending, "
                "to return tensors of static shape, so that a skipped step can "
                "leave it out, but got "
             << type
             << "; write the update as a function with 'param' arguments, "
                "'grad' arguments and 'param' results, which is left out as a "
                "whole";
  }
  builder.setInsertionPoint(call);
  auto branch = scf::IfOp::create(
      builder, loc, overflows,
      [&](OpBuilder &inside, Location) {
        SmallVector<Value> values;
        for (TypedAttr zero : zeros)
          values.push_back(arith::ConstantOp::create(inside, loc, zero));
        scf::YieldOp::create(inside, loc, values);
      },
      [&](OpBuilder &inside, Location) {
        Operation *copy = inside.clone(*call);
        scf::YieldOp::create(inside, loc, copy->getResults());
      });
  replaceResults(call, branch);
  for (Value result : branch.getResults())
    found[result] = any;
  ++numChanges;
  return success();
}

/// In the body of a structured operation, loops that a gradient ends or counts
/// end, calls are left out, and hazards are harmless, where one of its operands
/// overflowed: all that it computes is dropped then. The body captures that as
/// one boolean.
LogicalResult StepGuard::guardBody(linalg::LinalgOp op) {
  auto isReached = [&](Value value) {
    return reach.isReachedByGradient(value);
  };
  SmallVector<Operation *> endless;
  SmallVector<Hazard> hazards;
  SmallVector<Value> read;
  // A division that has a name is guarded before it: nobody sees its body.
  bool isDivision = dividesIntegers(op);
  bool hasSizes = false;
  op->walk([&](Operation *inner) {
    llvm::append_range(read, inner->getOperands());
    hasSizes |= inner != op && llvm::any_of(getSizes(inner), isReached);
    if (inner == op || !isDivision)
      for (const Hazard &hazard : getHazards(inner))
        if (llvm::any_of(hazard.getReads(), isReached))
          hazards.push_back(hazard);
    auto call = dyn_cast<func::CallOp>(inner);
    auto end = dyn_cast<scf::ConditionOp>(inner);
    auto loop = dyn_cast<LoopLikeOpInterface>(inner);
    if ((call && mayNotEnd(call, isReached)) ||
        (end && isReached(end.getCondition())) ||
        (loop && llvm::any_of(getBounds(loop), isReached)))
      endless.push_back(inner);
  });
  if (endless.empty() && hazards.empty() && !hasSizes)
    return success();
  builder.setInsertionPoint(op);
  Value any = joinOf(read);
  if (!any)
    return success();
  if (hasSizes)
    return refuseSizes(op);
  if (!endless.empty() && failed(checkTransitions(op)))
    return failure();
  Value overflows = extract(op->getLoc(), any);
  for (const Hazard &hazard : hazards)
    guardHazard(hazard, overflows);
  for (Operation *inner : endless) {
    if (auto call = dyn_cast<func::CallOp>(inner)) {
      if (failed(skipHelper(call, any, overflows)))
        return failure();
    } else if (auto end = dyn_cast<scf::ConditionOp>(inner)) {
      endOnOverflow(end, overflows);
    } else if (auto loop = dyn_cast<scf::ForOp>(inner)) {
      boundOnOverflow(loop, overflows, isReached(loop.getStep()));
    } else {
      return refuseBounds(inner);
    }
  }
  return success();
}
