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
// slices lie inside of their tensors, and that a remainder has a divisor. The
// walk is post-order, so that an if inside of another is a choice by the time
// the outer one is looked at, or is a reason against it.
//
// The price is the work of the branch that is not wanted. A skipped step, which
// this is for, is rare, and what it saves is one elementwise update.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/IndexBounds.h"
#include "amp/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#define DEBUG_TYPE "amp-flatten-conditionals"

namespace mlir::amp {
#define GEN_PASS_DEF_FLATTENCONDITIONALSPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// The tensor of one element that `value` was taken from, or null.
static Value getMemory(Value value) {
  auto extract = value.getDefiningOp<tensor::ExtractOp>();
  if (!extract)
    return {};
  RankedTensorType type = extract.getTensor().getType();
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    return {};
  return extract.getTensor();
}

/// Whether a divisor is a constant with which no processor traps: 0 has no
/// remainder, and that by -1 of the least number overflows on some.
static bool isSafeDivisor(Value divisor) {
  APInt constant;
  return matchPattern(divisor, m_ConstantInt(&constant)) &&
         !constant.isZero() && !constant.isAllOnes();
}

/// Whether an operation in a region does what isPure takes for granted.
static bool isDefined(Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [](auto remainder) { return isSafeDivisor(remainder.getRhs()); })
      .Case<tensor::ExtractOp>([](auto extract) {
        return llvm::all_of(llvm::zip(extract.getIndices(),
                                      extract.getTensor().getType().getShape()),
                            [](auto pair) {
                              return isWithin(std::get<0>(pair),
                                              std::get<1>(pair));
                            });
      })
      .Case<tensor::InsertOp>([](auto insert) {
        return llvm::all_of(
            llvm::zip(insert.getIndices(), insert.getType().getShape()),
            [](auto pair) {
              return isWithin(std::get<0>(pair), std::get<1>(pair));
            });
      })
      .Case<tensor::GatherOp, tensor::ScatterOp>([](auto) { return false; })
      .Case<OffsetSizeAndStrideOpInterface>([](auto slice) {
        return !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
               !ShapedType::isDynamicShape(slice.getStaticSizes()) &&
               !ShapedType::isDynamicShape(slice.getStaticStrides());
      })
      .Default(true);
}

/// Whether a region may run where the program does not ask for it.
static bool isSpeculatable(Region &region) {
  for (Operation &op : region.front().without_terminator())
    if (!isPure(&op))
      return false;
  return !region
              .walk([](Operation *op) {
                return isDefined(op) ? WalkResult::advance()
                                     : WalkResult::interrupt();
              })
              .wasInterrupted();
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
    return op.getNumResults() != 0 && getMemory(op.getCondition()) &&
           llvm::all_of(op.getResultTypes(), isSelectable) &&
           isSpeculatable(op.getThenRegion()) &&
           isSpeculatable(op.getElseRegion());
  }

  void flatten(scf::IfOp op, IRRewriter &rewriter) {
    Value condition = getMemory(op.getCondition());
    SmallVector<Value> thens(op.thenYield().getResults());
    SmallVector<Value> elses(op.elseYield().getResults());
    for (Block *block : {op.thenBlock(), op.elseBlock()}) {
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
  static Value createInput(OpBuilder &builder, Location loc, Value value) {
    if (isa<RankedTensorType>(value.getType()))
      return value;
    if (Value memory = getMemory(value))
      return memory;
    return tensor::FromElementsOp::create(
        builder, loc, RankedTensorType::get({}, value.getType()), value);
  }

  Value createSelect(OpBuilder &builder, Location loc, Value condition,
                     Value then, Value otherwise) {
    ++numSelects;
    auto type = dyn_cast<RankedTensorType>(then.getType());
    bool isNumber = !type;
    if (isNumber)
      type = RankedTensorType::get({}, then.getType());
    unsigned rank = type.getRank();
    SmallVector<Value> inputs = {condition, createInput(builder, loc, then),
                                 createInput(builder, loc, otherwise)};
    AffineMap identity = builder.getMultiDimIdentityMap(rank);
    // Of tensors with one element, the element.
    auto getMap = [&](Value input) {
      auto inputType = cast<RankedTensorType>(input.getType());
      if (inputType == type)
        return identity;
      SmallVector<AffineExpr> zeros(inputType.getRank(),
                                    builder.getAffineConstantExpr(0));
      return AffineMap::get(rank, 0, zeros, builder.getContext());
    };
    SmallVector<AffineMap> maps = llvm::map_to_vector(inputs, getMap);
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
