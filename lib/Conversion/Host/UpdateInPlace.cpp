//===- UpdateInPlace.cpp - States whose memory results have ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parameter is an argument of a step and, updated, a result. A caller that
// has one buffer for both would have to copy one of them aside, as results are
// written before arguments were read for the last time. Most are not: the
// update reads an element of the parameter and writes the new one. Of such a
// pair the signature then says that the result `overwrites` the argument, and
// the step works in the result's memory,
//
//   if (address of %argument != address of %result)
//     copy %argument to %result
//   ...  reads of %argument are reads of %result  ...
//
// which is the argument's where the caller says so, and right for any other.
//
// A pair is one if each read comes before the first write, in the order of
// blocks and branches; or in the same loops over parts, where each iteration
// has a part of its own and reads it before it writes it; or in one elementwise
// operation that reads and writes the same element. No assertion may fail once
// a state is written: a refused call leaves states as they were.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/BufferRoots.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Program/ProgramSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#define DEBUG_TYPE "amp-update-in-place"

namespace mlir::amp {
#define GEN_PASS_DEF_UPDATEINPLACEPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// An argument of a step, and the result that it is updated to.
class StateUpdate {
public:
  StateUpdate(BlockArgument argument, BlockArgument result)
      : argument(argument), result(result) {}

  /// Whether both may have the same memory.
  bool canShareMemory();
  /// Lets the step work in the result's memory.
  void shareMemory();

private:
  /// True if `read`, a use of the argument or of a view of it, is over when
  /// `write`, one of the result, happens.
  bool isOver(OpOperand &read, OpOperand &write) const;
  /// Whether `a`, of the argument, and `b`, of the result, are the same part.
  bool areSamePart(Value a, Value b) const;
  /// Whether each iteration of the loops around `block` has a part of its own
  /// of what `view` is a view of.
  static bool isApartInLoops(Value view, Block *block);
  /// Whether `write` writes each element once, and reads none.
  static bool writesElements(OpOperand &write);

  BlockArgument argument, result;
};
} // namespace

/// The uses of `buffer` and of its views that are no views.
static SmallVector<OpOperand *> findUses(Value buffer) {
  SmallVector<Value> views = {buffer};
  SmallVector<OpOperand *> uses;
  while (!views.empty())
    for (OpOperand &use : views.pop_back_val().getUses()) {
      auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner());
      if (view && view.getViewSource() == use.get() &&
          view->getNumResults() == 1)
        views.push_back(view->getResult(0));
      else
        uses.push_back(&use);
    }
  return uses;
}

/// Whether the buffer may be read behind `use` as what its operation gives.
static bool isHandedOn(OpOperand *use) {
  Operation *op = use->getOwner();
  return op->hasTrait<OpTrait::IsTerminator>() ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
}

/// The block that both stand in, each with what is around it.
static Block *findCommonBlock(Operation *a, Operation *b) {
  for (Block *block = a->getBlock(); block;
       block = block->getParentOp()->getBlock())
    if (block->findAncestorOpInBlock(*b))
      return block;
  return nullptr;
}

bool StateUpdate::writesElements(OpOperand &write) {
  if (auto copy = dyn_cast<memref::CopyOp>(write.getOwner()))
    return &copy.getTargetMutable() == &write;
  auto op = dyn_cast<linalg::GenericOp>(write.getOwner());
  return op && op.hasPureBufferSemantics() && op.isDpsInit(&write) &&
         op.isAllParallelLoops() && !op.payloadUsesValueFromOperand(&write) &&
         op.getMatchingIndexingMap(&write).isPermutation();
}

bool StateUpdate::areSamePart(Value a, Value b) const {
  while (a != argument || b != result) {
    auto view = a.getDefiningOp<ViewLikeOpInterface>(),
         other = b.getDefiningOp<ViewLikeOpInterface>();
    if (!view || !other ||
        !OperationEquivalence::isEquivalentTo(
            view, other,
            [&](Value x, Value y) {
              return success(x == y || (x == view.getViewSource() &&
                                        y == other.getViewSource()));
            },
            /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations))
      return false;
    a = view.getViewSource();
    b = other.getViewSource();
  }
  return true;
}

bool StateUpdate::isApartInLoops(Value view, Block *block) {
  SmallVector<memref::SubViewOp> parts;
  for (; view; view = getViewedBuffer(view))
    if (auto part = view.getDefiningOp<memref::SubViewOp>())
      parts.push_back(part);
  auto isCutBy = [&](Value position, int64_t step) {
    return llvm::any_of(parts, [&](memref::SubViewOp part) {
      return llvm::any_of(
          llvm::zip_equal(part.getMixedOffsets(), part.getMixedSizes(),
                          part.getMixedStrides()),
          [&](auto of) {
            auto [offset, size, stride] = of;
            std::optional<int64_t> extent = getConstantIntValue(size);
            return dyn_cast<Value>(offset) == position && extent &&
                   *extent <= step && isConstantIntValue(stride, 1);
          });
    });
  };
  for (Operation *op = block->getParentOp(); !isa<func::FuncOp>(op);
       op = op->getParentOp()) {
    if (isa<scf::IfOp>(op))
      continue;
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    if (!loop || !isa<scf::ForOp, scf::ForallOp>(op))
      return false;
    std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
    std::optional<SmallVector<Value>> positions = loop.getLoopInductionVars();
    if (!steps || !positions)
      return false;
    for (auto [position, step] : llvm::zip_equal(*positions, *steps)) {
      std::optional<int64_t> known = getConstantIntValue(step);
      if (!known || !isCutBy(position, *known))
        return false;
    }
  }
  return true;
}

/// Whether `block` runs once at most: there is nothing around it but branches.
static bool isOnce(Block *block) {
  Operation *op = block->getParentOp();
  while (isa<scf::IfOp>(op))
    op = op->getParentOp();
  return isa<func::FuncOp>(op);
}

bool StateUpdate::isOver(OpOperand &read, OpOperand &write) const {
  Operation *reader = read.getOwner(), *writer = write.getOwner();
  Block *block = findCommonBlock(reader, writer);
  if (!block)
    return false;
  bool isSame = areSamePart(read.get(), write.get());
  // Other iterations read other parts if this one reads what it writes.
  if (!isOnce(block) && (!isSame || !isApartInLoops(write.get(), block)))
    return false;
  if (reader != writer) {
    Operation *first = block->findAncestorOpInBlock(*reader),
              *second = block->findAncestorOpInBlock(*writer);
    if (first != second)
      return first->isBeforeInBlock(second);
    return isa<scf::IfOp>(first); // of which one side runs
  }
  if (!isSame)
    return false;
  auto op = dyn_cast<linalg::GenericOp>(reader);
  return !op ||
         op.getMatchingIndexingMap(&read) == op.getMatchingIndexingMap(&write);
}

bool StateUpdate::canShareMemory() {
  auto type = dyn_cast<MemRefType>(argument.getType());
  if (!type || type != result.getType() || !type.hasStaticShape() ||
      !type.getLayout().isIdentity())
    return false;
  SmallVector<OpOperand *> reads = findUses(argument),
                           writes = findUses(result);
  if (llvm::any_of(reads, isHandedOn))
    return false;
  Block *body = argument.getOwner();
  Operation *lastCheck = nullptr;
  body->walk([&](Operation *op) {
    // A function of the module may assert, too.
    auto call = dyn_cast<func::CallOp>(op);
    if (isa<cf::AssertOp>(op) ||
        (call && !call.getCallee().starts_with("ampRt")))
      lastCheck = body->findAncestorOpInBlock(*op);
  });
  return !writes.empty() && llvm::all_of(writes, [&](OpOperand *write) {
    Operation *op = body->findAncestorOpInBlock(*write->getOwner());
    return writesElements(*write) &&
           (!lastCheck || lastCheck->isBeforeInBlock(op)) &&
           llvm::all_of(reads,
                        [&](OpOperand *read) { return isOver(*read, *write); });
  });
}

void StateUpdate::shareMemory() {
  // Of the argument to where it is: what skips an update.
  for (OpOperand *use : findUses(argument))
    if (auto copy = dyn_cast<memref::CopyOp>(use->getOwner());
        copy && getBufferRoot(copy.getTarget()) == result)
      copy.erase();
  argument.replaceAllUsesWith(result);
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Location loc = argument.getLoc();
  auto getAddress = [&](Value buffer) -> Value {
    return memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  };
  Value isElsewhere =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                            getAddress(argument), getAddress(result));
  scf::IfOp::create(builder, loc, isElsewhere, [&](OpBuilder &b, Location at) {
    memref::CopyOp::create(b, at, argument, result);
    scf::YieldOp::create(b, at);
  });
}

namespace {
struct UpdateInPlace : public amp::impl::UpdateInPlacePassBase<UpdateInPlace> {
  void runOnOperation() override {
    func::FuncOp step = getOperation();
    auto signature = step->getAttrOfType<DictionaryAttr>(kSignatureAttr);
    if (!signature || step.isExternal())
      return;
    auto arguments = signature.getAs<ArrayAttr>("arguments"),
         results = signature.getAs<ArrayAttr>("results");
    // The caller's memory for results stands behind the arguments.
    if (!arguments || !results ||
        step.getNumArguments() != arguments.size() + results.size())
      return;
    Builder builder(&getContext());
    SmallVector<Attribute> described(results.begin(), results.end());
    llvm::SmallDenseSet<unsigned> taken;
    for (auto [index, attribute] : llvm::enumerate(described)) {
      auto value = cast<DictionaryAttr>(attribute);
      std::optional<unsigned> state = findState(arguments, value);
      if (!state)
        continue;
      StateUpdate update(step.getArgument(*state),
                         step.getArgument(arguments.size() + index));
      if (taken.contains(*state) || !update.canShareMemory())
        continue;
      update.shareMemory();
      taken.insert(*state);
      NamedAttrList members(value);
      members.set("overwrites", builder.getI64IntegerAttr(*state));
      attribute = members.getDictionary(&getContext());
      ++numStates;
    }
    NamedAttrList members(signature);
    members.set("results", builder.getArrayAttr(described));
    step->setAttr(kSignatureAttr, members.getDictionary(&getContext()));
  }

  /// The argument of the role and name of a result; nothing if there is none,
  /// or several.
  static std::optional<unsigned> findState(ArrayAttr arguments,
                                           DictionaryAttr result) {
    auto role = result.getAs<StringAttr>("role"),
         name = result.getAs<StringAttr>("name");
    std::optional<unsigned> found;
    for (auto [index, attribute] : llvm::enumerate(arguments)) {
      auto argument = cast<DictionaryAttr>(attribute);
      if (!role || !name || argument.get("role") != role ||
          argument.get("name") != name)
        continue;
      if (found)
        return std::nullopt;
      found = index;
    }
    return found;
  }
};
} // namespace
