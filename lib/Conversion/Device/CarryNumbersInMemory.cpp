//===- CarryNumbersInMemory.cpp - Numbers that loops of launches carry ----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of the device that goes from one region to another, as the carried
// one of a loop or the result of a branch, is kept in memory of one element:
// stored where it is handed on, loaded where it arrives.
//
//                                          memref.store %x, %m[]
//   %r = scf.for ... iter_args(%n = %x)    scf.for ...
//     ...                               ->   %n = memref.load %m[]
//     scf.yield %k                           memref.store %k, %m[]
//                                          %r = memref.load %m[]
//
// An scf.while has such memory for what enters its condition and for what its
// condition hands on; one for both where that is handed on as it came.
//
// All is loaded before anything is stored, so that numbers may change places.
// Nothing is computed otherwise than before, and where a number is computed is
// not decided here.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/DeviceNumbers.h"
#include "amp/Analysis/ElementLoops.h"
#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#define DEBUG_TYPE "amp-carry-numbers-in-memory"

namespace mlir::amp {
#define GEN_PASS_DEF_CARRYNUMBERSINMEMORYPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Of a number; an index is kept as 64 bits.
static Value allocate(OpBuilder &b, Location loc, Type type) {
  return memref::AllocOp::create(
      b, loc, MemRefType::get({}, type.isIndex() ? b.getI64Type() : type));
}

static void store(OpBuilder &b, Location loc, Value number, Value memory) {
  if (number.getType().isIndex())
    number = arith::IndexCastOp::create(b, loc, b.getI64Type(), number);
  memref::StoreOp::create(b, loc, number, memory, ValueRange());
}

static Value load(OpBuilder &b, Location loc, Value memory, Type type) {
  Value number = memref::LoadOp::create(b, loc, memory, ValueRange());
  return type.isIndex() ? arith::IndexCastOp::create(b, loc, type, number)
                        : number;
}

/// Loads what arrives as `argument`, at `b`, in its place.
static void arrive(OpBuilder &b, Value argument, Value memory) {
  argument.replaceAllUsesWith(
      load(b, argument.getLoc(), memory, argument.getType()));
}

/// Loads what an operation gives, in front of each that uses it: memory lives
/// as long as it is loaded.
static void arriveBehind(OpResult result, Value memory) {
  Operation *op = result.getOwner();
  while (!result.use_empty()) {
    Operation *user =
        op->getBlock()->findAncestorOpInBlock(**result.getUsers().begin());
    OpBuilder b(user);
    Value number = load(b, op->getLoc(), memory, result.getType());
    result.replaceUsesWithIf(number, [&](OpOperand &use) {
      return user->isAncestor(use.getOwner());
    });
  }
}

namespace {
struct CarryNumbersInMemory
    : public amp::impl::CarryNumbersInMemoryPassBase<CarryNumbersInMemory> {
  void runOnOperation() override {
    // Who is behind a loop is not known of several blocks.
    if (getOperation().isExternal() || !hasOneBlockEach(getOperation()))
      return;
    DeviceNumbers ofDevice(getOperation());
    numbers = &ofDevice;
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // A loop of numbers is a kernel or arithmetic, with all that is in it.
      if (isa<scf::ForOp, scf::WhileOp>(op) && isOfNumbers(op))
        return WalkResult::skip();
      if (auto branch = dyn_cast<scf::IfOp>(op);
          branch && isOfNumbers(op) && !touchesElements(op))
        return WalkResult::skip();
      if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
        ops.push_back(op);
      return WalkResult::advance();
    });
    // Inner ones first, which are moved as they are.
    for (Operation *op : llvm::reverse(ops)) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        keep(loop);
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        keep(loop);
      else
        keep(cast<scf::IfOp>(op));
    }
  }

private:
  /// Whether a value is a number of the device that has memory.
  bool isKept(Value value) const {
    Type type = value.getType();
    return numbers->contains(value) &&
           (type.isIndex() ||
            (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64));
  }

  void keep(scf::ForOp loop);
  void keep(scf::WhileOp loop);
  void keep(scf::IfOp branch);

  const DeviceNumbers *numbers = nullptr;
};
} // namespace

void CarryNumbersInMemory::keep(scf::ForOp loop) {
  llvm::BitVector kept(loop.getNumResults());
  for (BlockArgument argument : loop.getRegionIterArgs())
    kept[argument.getArgNumber() - loop.getNumInductionVars()] =
        isKept(argument);
  if (kept.none())
    return;
  Location loc = loop.getLoc();
  Operation *yield = loop.getBody()->getTerminator();
  OpBuilder before(loop), inside = OpBuilder::atBlockBegin(loop.getBody()),
                          end(yield);
  SmallVector<Value> starts, results;
  for (unsigned i = 0; i < kept.size(); ++i) {
    Value start = loop.getInitArgs()[i];
    if (!kept[i]) {
      starts.push_back(start);
      results.push_back(loop.getResult(i));
      continue;
    }
    Value memory = allocate(before, loc, start.getType());
    store(before, loc, start, memory);
    arrive(inside, loop.getRegionIterArg(i), memory);
    store(end, loc, yield->getOperand(i), memory);
    arriveBehind(cast<OpResult>(loop.getResult(i)), memory);
    ++numKept;
  }
  // Without what is in memory.
  auto rest = scf::ForOp::create(before, loc, loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), starts);
  rest->setAttrs(loop->getAttrs());
  llvm::BitVector erased(kept.size() + loop.getNumInductionVars());
  for (unsigned i : kept.set_bits())
    erased.set(i + loop.getNumInductionVars());
  yield->eraseOperands(kept);
  rest.getRegion().takeBody(loop.getRegion());
  rest.getBody()->eraseArguments(erased);
  for (auto [old, result] : llvm::zip_equal(results, rest.getResults()))
    old.replaceAllUsesWith(result);
  loop.erase();
}

void CarryNumbersInMemory::keep(scf::WhileOp loop) {
  scf::ConditionOp condition = loop.getConditionOp();
  scf::YieldOp yield = loop.getYieldOp();
  const unsigned numCarried = loop.getNumOperands(),
                 numHanded = loop.getNumResults();
  llvm::BitVector carried(numCarried), handed(numHanded);
  for (unsigned i = 0; i < numCarried; ++i)
    carried[i] = isKept(loop.getBeforeArguments()[i]);
  for (unsigned i = 0; i < numHanded; ++i)
    handed[i] = isKept(loop.getAfterArguments()[i]);
  if (carried.none() && handed.none())
    return;
  Location loc = loop.getLoc();
  OpBuilder before(loop),
      enter = OpBuilder::atBlockBegin(loop.getBeforeBody()), hand(condition),
      inside = OpBuilder::atBlockBegin(loop.getAfterBody()), end(yield);
  // What the condition hands on, before its names change.
  SmallVector<Value> given(condition.getArgs());
  SmallVector<Value> memories(numCarried), starts, results;
  for (unsigned i = 0; i < numCarried; ++i) {
    Value start = loop.getInits()[i];
    if (!carried[i]) {
      starts.push_back(start);
      continue;
    }
    memories[i] = allocate(before, loc, start.getType());
    store(before, loc, start, memories[i]);
    store(end, loc, yield.getOperand(i), memories[i]);
    ++numKept;
  }
  SmallVector<Type> types;
  for (unsigned i = 0; i < numHanded; ++i) {
    if (!handed[i]) {
      types.push_back(given[i].getType());
      results.push_back(loop.getResult(i));
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(given[i]);
    Value memory;
    if (argument && argument.getOwner() == loop.getBeforeBody())
      memory = memories[argument.getArgNumber()];
    if (!memory) {
      memory = allocate(before, loc, given[i].getType());
      store(hand, loc, given[i], memory);
      ++numKept;
    }
    arrive(inside, loop.getAfterArguments()[i], memory);
    arriveBehind(cast<OpResult>(loop.getResult(i)), memory);
  }
  for (unsigned i : carried.set_bits())
    arrive(enter, loop.getBeforeArguments()[i], memories[i]);
  auto rest = scf::WhileOp::create(before, loc, types, starts);
  rest->setAttrs(loop->getAttrs());
  llvm::BitVector unhanded(numHanded + 1);
  for (unsigned i : handed.set_bits())
    unhanded.set(i + 1);
  condition->eraseOperands(unhanded);
  yield->eraseOperands(carried);
  rest.getBefore().takeBody(loop.getBefore());
  rest.getAfter().takeBody(loop.getAfter());
  rest.getBeforeBody()->eraseArguments(carried);
  rest.getAfterBody()->eraseArguments(handed);
  for (auto [old, result] : llvm::zip_equal(results, rest.getResults()))
    old.replaceAllUsesWith(result);
  loop.erase();
}

void CarryNumbersInMemory::keep(scf::IfOp branch) {
  llvm::BitVector kept(branch.getNumResults());
  for (OpResult result : branch->getResults())
    kept[result.getResultNumber()] = isKept(result);
  if (kept.none())
    return;
  Location loc = branch.getLoc();
  OpBuilder before(branch);
  SmallVector<Type> types;
  SmallVector<Value> results;
  for (OpResult result : branch->getResults()) {
    const unsigned i = result.getResultNumber();
    if (!kept[i]) {
      types.push_back(result.getType());
      results.push_back(result);
      continue;
    }
    Value memory = allocate(before, loc, result.getType());
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
      OpBuilder end(yield);
      store(end, loc, yield.getOperand(i), memory);
    }
    arriveBehind(result, memory);
    ++numKept;
  }
  branch.thenYield()->eraseOperands(kept);
  branch.elseYield()->eraseOperands(kept);
  auto rest = scf::IfOp::create(before, loc, types, branch.getCondition(),
                                /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
  rest->setAttrs(branch->getAttrs());
  rest.getThenRegion().takeBody(branch.getThenRegion());
  rest.getElseRegion().takeBody(branch.getElseRegion());
  for (auto [old, result] : llvm::zip_equal(results, rest.getResults()))
    old.replaceAllUsesWith(result);
  branch.erase();
}
