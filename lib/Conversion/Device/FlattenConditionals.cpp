//===- FlattenConditionals.cpp - Conditions stay on the device ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An scf.if whose condition is an element of a tensor makes the host wait for
// the device. Where both of its regions may run whatever the condition is, they
// run both, in front of it, and each result becomes a choice by that element:
//
//   %c = tensor.extract %found[]
//   %r = scf.if %c { yield %old } else { %n = step(%old)  yield %n }
//   ->  %n = step(%old)
//       %r = generic ins(%found[], %old[d0], %n[d0]) { select }
//
// "May run" is upstream's isPure, which asks whether an operation has no effect
// and may run without need, plus what it takes for granted: that indices and
// slices lie inside of their tensors, and that a remainder has a divisor. An
// assertion in the body of a linalg.generic reads the condition, and holds in
// the branch that is not wanted. The walk is post-order, so that an if inside
// of another is a choice by the time the outer one is looked at, or is a reason
// against it.
//
// The price is the work of the branch that is not wanted. A skipped step, which
// this is for, is rare, and what it saves is one elementwise update.
//
//===----------------------------------------------------------------------===//

#include "DefinedBehavior.h"

#include "amp/Analysis/NumberMemory.h"
#include "amp/Conversion/Device/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define DEBUG_TYPE "amp-flatten-conditionals"

namespace mlir::amp {
#define GEN_PASS_DEF_FLATTENCONDITIONALSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Whether an operation of a branch may run where the program does not ask for
/// it, its assertions left aside.
static bool mayRun(Operation &op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (generic && generic.hasPureTensorSemantics())
    return llvm::all_of(*generic.getBody(), [](Operation &inner) {
      return isa<cf::AssertOp>(inner) || mayRun(inner);
    });
  return mayRunUnasked(&op);
}

static bool mayRun(Region &region) {
  return llvm::all_of(region.front().without_terminator(),
                      [](Operation &op) { return mayRun(op); });
}

/// Makes `op` assert only where `condition` has the value that its branch has:
///   assert %x  ->  assert %condition != wanted || %x
static void guardAssertions(linalg::GenericOp op, Value condition, bool wanted,
                            IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  unsigned position = op.getNumDpsInputs();
  SmallVector<Value> inputs = op.getInputs();
  inputs.push_back(condition);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.insert(maps.begin() + position,
              getNumberMap(condition, op.getNumLoops()));
  auto guarded = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(), /*bodyBuild=*/nullptr,
      linalg::getPrunedAttributeList(op));
  guarded.getRegion().takeBody(op.getRegion());
  Value element = guarded.getBody()->insertArgument(
      position, rewriter.getI1Type(), condition.getLoc());
  for (auto assertion : guarded.getBody()->getOps<cf::AssertOp>()) {
    rewriter.setInsertionPoint(assertion);
    Location loc = assertion.getLoc();
    Value isOther = element;
    if (wanted)
      isOther = arith::XOrIOp::create(
          rewriter, loc, element,
          arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true)));
    assertion.getArgMutable().assign(
        arith::OrIOp::create(rewriter, loc, isOther, assertion.getArg()));
  }
  rewriter.replaceOp(op, guarded.getResults());
}

/// Whether a choice between values of a type is an operation on tensors.
static bool isSelectable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.hasStaticShape() && !tensor.getEncoding()
                : type.isIntOrIndexOrFloat();
}

namespace {
struct FlattenConditionals
    : public amp::impl::FlattenConditionalsPassBase<FlattenConditionals> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> ops;
    getOperation().walk<WalkOrder::PostOrder>(
        [&](scf::IfOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (scf::IfOp op : ops) {
      if (canFlatten(op))
        flatten(op, rewriter);
      else
        ++numKept;
    }
  }

  static bool canFlatten(scf::IfOp op) {
    // In the body of an operation on tensors a choice is one of numbers.
    return op.getNumResults() != 0 &&
           !op->getParentOfType<linalg::LinalgOp>() &&
           getNumberMemory(op.getCondition()) &&
           llvm::all_of(op.getResultTypes(), isSelectable) &&
           mayRun(op.getThenRegion()) && mayRun(op.getElseRegion());
  }

  void flatten(scf::IfOp op, IRRewriter &rewriter) {
    Value condition = getNumberMemory(op.getCondition());
    SmallVector<Value> thens, elses;
    for (Block *block : {op.thenBlock(), op.elseBlock()}) {
      bool wanted = block == op.thenBlock();
      for (auto generic :
           llvm::make_early_inc_range(block->getOps<linalg::GenericOp>()))
        if (!generic.getBody()->getOps<cf::AssertOp>().empty()) {
          guardAssertions(generic, condition, wanted, rewriter);
          ++numGuarded;
        }
      llvm::append_range(wanted ? thens : elses,
                         block->getTerminator()->getOperands());
      rewriter.eraseOp(block->getTerminator());
      rewriter.inlineBlockBefore(block, op);
    }
    rewriter.setInsertionPoint(op);
    SmallVector<Value> results;
    for (auto [then, otherwise] : llvm::zip_equal(thens, elses))
      results.push_back(then == otherwise
                            ? then
                            : createSelect(rewriter, op.getLoc(), condition,
                                           then, otherwise));
    rewriter.replaceOp(op, results);
    ++numFlattened;
  }

  /// An input with the value: a number is memory of one element, of which a
  /// device need not be told.
  static Value createInput(OpBuilder &builder, Value value) {
    if (isa<RankedTensorType>(value.getType()))
      return value;
    return getOrMakeNumberMemory(builder, value);
  }

  Value createSelect(OpBuilder &builder, Location loc, Value condition,
                     Value then, Value otherwise) {
    ++numSelects;
    auto type = dyn_cast<RankedTensorType>(then.getType());
    bool isNumber = !type;
    // Tensors of indices have no kernel.
    if (then.getType().isIndex()) {
      Value element = tensor::ExtractOp::create(
          builder, loc, condition,
          SmallVector<Value>(
              cast<RankedTensorType>(condition.getType()).getRank(),
              arith::ConstantIndexOp::create(builder, loc, 0)));
      return arith::SelectOp::create(builder, loc, element, then, otherwise)
          .getResult();
    }
    if (isNumber)
      type = RankedTensorType::get({}, then.getType());
    unsigned rank = type.getRank();
    SmallVector<Value> inputs = {condition, createInput(builder, then),
                                 createInput(builder, otherwise)};
    AffineMap identity = builder.getMultiDimIdentityMap(rank);
    SmallVector<AffineMap> maps = llvm::map_to_vector(inputs, [&](Value input) {
      return input.getType() == type ? identity : getNumberMap(input, rank);
    });
    maps.push_back(identity);
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                          type.getElementType());
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    Value result =
        linalg::GenericOp::create(
            builder, loc, type, inputs, empty, maps, loops,
            [](OpBuilder &body, Location loc, ValueRange arguments) {
              Value chosen = arith::SelectOp::create(
                  body, loc, arguments[0], arguments[1], arguments[2]);
              linalg::YieldOp::create(body, loc, chosen);
            })
            .getResult(0);
    return isNumber
               ? tensor::ExtractOp::create(builder, loc, result, ValueRange())
                     .getResult()
               : result;
  }
};
} // namespace
