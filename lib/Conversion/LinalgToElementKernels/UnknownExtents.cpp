//===- UnknownExtents.cpp - What makes an extent unknown ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards from each buffer of unknown shape: to the sizes that an allocation
// or a view is given, to the buffer that a view with the same extents is of,
// and through the operations on numbers that made a size. A branch has the
// extents of what it yields, and of its condition, which may choose between
// two; an scf.for has those of what it starts with and of what it yields, and
// decides itself where these are constants. The walk ends at arguments of
// functions, at elements that are loaded, and at what another loop, a block or
// a call hands on, of which nobody can say more. Each value is visited once.
//
//===----------------------------------------------------------------------===//

#include "UnknownExtents.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// The walk; `values` grows while it goes on.
class Walk {
public:
  void add(Value value) {
    auto buffer = dyn_cast<MemRefType>(value.getType());
    if (!buffer || !buffer.hasStaticShape())
      values.insert(value);
  }
  UnknownExtents run() {
    for (size_t i = 0; i < values.size(); ++i)
      visit(values[i]);
    if (found.cause == UnknownExtents::Cause::None && changing)
      end(UnknownExtents::Cause::HandedOn, changing);
    return found;
  }

private:
  void visit(Value value);
  void add(ValueRange more) {
    for (Value value : more)
      add(value);
  }
  void end(UnknownExtents::Cause cause, Operation *origin) {
    if (cause > found.cause)
      found = {cause, origin};
  }

  /// Goes on from what `loop` starts with and yields for `value`, if it carries
  /// that.
  bool addCarried(scf::ForOp loop, Value value);

  llvm::SetVector<Value> values;
  UnknownExtents found;
  /// A loop that carries one of the values.
  Operation *changing = nullptr;
};
} // namespace

bool Walk::addCarried(scf::ForOp loop, Value value) {
  if (value == loop.getInductionVar())
    return false;
  unsigned number = isa<OpResult>(value)
                        ? cast<OpResult>(value).getResultNumber()
                        : cast<BlockArgument>(value).getArgNumber() -
                              loop.getNumInductionVars();
  add({loop.getInitArgs()[number], loop.getYieldedValues()[number]});
  changing = loop;
  return true;
}

void Walk::visit(Value value) {
  using Cause = UnknownExtents::Cause;
  Operation *op = value.getDefiningOp();
  Block *block = value.getParentBlock();
  if (auto loop = dyn_cast<scf::ForOp>(op ? op : block->getParentOp());
      loop && addCarried(loop, value))
    return;
  if (!op) {
    bool isArgument =
        block->isEntryBlock() && isa<FunctionOpInterface>(block->getParentOp());
    return end(isArgument ? Cause::Argument : Cause::HandedOn,
               block->getParentOp());
  }
  if (isa<memref::LoadOp>(op))
    return end(Cause::Element, op);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return add({branch.thenYield().getOperand(number),
                branch.elseYield().getOperand(number), branch.getCondition()});
  }
  if (op->getNumRegions() != 0 || isa<CallOpInterface>(op))
    return end(Cause::HandedOn, op);
  if (auto view = dyn_cast<OffsetSizeAndStrideOpInterface>(op))
    return add(view.getSizes());
  add(op->getOperands());
}

UnknownExtents UnknownExtents::find(Operation *op) {
  Walk walk;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<MemRefType>(operand.getType()))
        walk.add(operand);
  });
  return walk.run();
}
