//===- ChecksToFlags.cpp - Checks are read at the end ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation that only asserts becomes one that computes whether it would
// have, an or over all of its loops, and the host asks in front of the return:
//
//   generic (d0) ins(%x[d0]) { assert p(%x), "text" }
//   ->  %v = generic (d0) ins(%x[d0]) outs(%false[]) { %out || !p(%x) }
//       ...
//       assert !%v[], "text"
//       return
//
// Several assertions of one body are as many operations, each with a copy of
// the body of which only what the condition needs is left. Their order is that
// of the text, so that the message is that of the first check, in this order,
// that did not hold.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define DEBUG_TYPE "amp-checks-to-flags"

namespace mlir::amp {
#define GEN_PASS_DEF_CHECKSTOFLAGSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Whether an operation has assertions and computes nothing else.
static bool isCheck(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumResults() == 0 &&
         !op.getBody()->getOps<cf::AssertOp>().empty() &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
           return isa<cf::AssertOp>(inner) || isMemoryEffectFree(&inner);
         });
}

static Value createNot(OpBuilder &builder, Location loc, Value value) {
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  return arith::XOrIOp::create(builder, loc, value, yes);
}

/// Whether the condition of `assertion`, in the body of `op`, is false
/// anywhere: a tensor of one i1.
static Value createFlag(OpBuilder &builder, linalg::GenericOp op,
                        cf::AssertOp assertion) {
  Location loc = assertion.getLoc();
  Type bit = builder.getI1Type();
  Value no =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  Value empty = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>(), bit);
  Value start = linalg::FillOp::create(builder, loc, no, empty).getResult(0);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.push_back(AffineMap::get(op.getNumLoops(), 0, builder.getContext()));
  SmallVector<utils::IteratorType> loops(op.getNumLoops(),
                                         utils::IteratorType::reduction);
  auto flag = linalg::GenericOp::create(
      builder, loc, start.getType(), op.getInputs(), start, maps, loops,
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments(), arguments.drop_back());
        for (Operation &inner : op.getBody()->without_terminator())
          if (!isa<cf::AssertOp>(inner))
            body.clone(inner, mapping);
        Value violated =
            createNot(body, loc, mapping.lookupOrDefault(assertion.getArg()));
        Value any = arith::OrIOp::create(body, loc, arguments.back(), violated);
        linalg::YieldOp::create(body, loc, any);
      });
  // What other assertions of the body needed.
  SmallVector<Operation *> copies = llvm::map_to_vector(
      flag.getBody()->without_terminator(), [](Operation &op) { return &op; });
  for (Operation *copy : llvm::reverse(copies))
    if (isOpTriviallyDead(copy))
      copy->erase();
  return flag.getResult(0);
}

namespace {
struct ChecksToFlags : public amp::impl::ChecksToFlagsPassBase<ChecksToFlags> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    bool isOneBlock = function.getBody().hasOneBlock();
    SmallVector<linalg::GenericOp> checks;
    function.walk([&](linalg::GenericOp op) {
      if (op.getBody()->getOps<cf::AssertOp>().empty())
        return;
      if (isOneBlock && op->getParentOp() == function && isCheck(op))
        checks.push_back(op);
      else
        ++numKept;
    });
    for (linalg::GenericOp check : checks) {
      OpBuilder builder(check);
      OpBuilder end(function.getBody().front().getTerminator());
      for (auto assertion : check.getBody()->getOps<cf::AssertOp>()) {
        Value flag = createFlag(builder, check, assertion);
        Location loc = assertion.getLoc();
        Value violated =
            tensor::ExtractOp::create(end, loc, flag, ValueRange());
        cf::AssertOp::create(end, loc, createNot(end, loc, violated),
                             assertion.getMsg());
        ++numFlags;
      }
      check.erase();
    }
  }
};
} // namespace
