//===- SeparateAsserts.cpp - Assertions leave what computes ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A front end asserts where it computes: in the body of an update of millions
// of elements stands that a step counter is not zero. Here each assertion of a
// body becomes an operation of its own, in front of it, over the loops that the
// condition depends on, and no others:
//
//   generic (d0, d1) ins(%x[d0, d1], %step[]) { assert %step != 0; f(%x, %step)
//   }
//   ->  generic () ins(%step[]) { assert %step != 0 }
//       generic (d0, d1) ins(%x[d0, d1], %step[]) { f(%x, %step) }
//
// An assertion of the same values by the same text that stands before it in the
// block is enough. What is left computes only, and can be moved and fused.
//
// One whose loops have no extents without the other operands stays, and so do
// those behind it: which of them fails first does not change. Nor is a loop
// left out that may run no time at all.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Host/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"

#define DEBUG_TYPE "amp-separate-asserts"

namespace mlir::amp {
#define GEN_PASS_DEF_SEPARATEASSERTSPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// What the condition of an assertion is made of.
struct Condition {
  /// Operations of the body, in its order.
  llvm::SetVector<Operation *> operations;
  /// Operands of the structured operation, in their order.
  SmallVector<OpOperand *> operands;
  /// Its loops.
  llvm::SmallBitVector dims;
};
} // namespace

/// Nothing where the condition does not stand by itself: it reads what was
/// there before, or its loops have no extents.
static std::optional<Condition> readCondition(cf::AssertOp assertion,
                                              linalg::GenericOp op) {
  Condition condition;
  Block *body = op.getBody();
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *inner) { return inner->getBlock() == body; };
  if (failed(getBackwardSlice(assertion.getOperation(), &slice, options)))
    return std::nullopt;
  slice.insert(assertion);
  llvm::SmallBitVector read(body->getNumArguments());
  condition.dims.resize(op.getNumLoops());
  for (Operation &inner : *body) {
    if (!slice.contains(&inner))
      continue;
    condition.operations.insert(&inner);
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      condition.dims.set(index.getDim());
    if (inner.getNumRegions() != 0)
      return std::nullopt;
    for (Value operand : inner.getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand))
        if (argument.getOwner() == body)
          read.set(argument.getArgNumber());
  }
  llvm::SmallBitVector withExtent(op.getNumLoops());
  for (unsigned number : read.set_bits()) {
    OpOperand *operand = op.getMatchingOpOperand(body->getArgument(number));
    if (!op.isDpsInput(operand))
      return std::nullopt;
    condition.operands.push_back(operand);
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      if (map.isFunctionOfDim(dim))
        condition.dims.set(dim);
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        withExtent.set(dim.getPosition());
  }
  // Each loop needs an operand that it walks from end to end.
  if (condition.dims.test(withExtent))
    return std::nullopt;
  for (auto [dim, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!condition.dims.test(dim) &&
        (ShapedType::isDynamic(extent) || extent == 0))
      return std::nullopt;
  return condition;
}

/// The operation that is left of `op` if it asserts `condition` alone.
static linalg::GenericOp createAssertion(linalg::GenericOp op,
                                         const Condition &condition) {
  OpBuilder builder(op);
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> places(op.getNumLoops(),
                                 getAffineConstantExpr(0, context));
  SmallVector<unsigned> placeOf(op.getNumLoops(), 0);
  unsigned numLoops = 0;
  for (unsigned dim : condition.dims.set_bits()) {
    placeOf[dim] = numLoops;
    places[dim] = getAffineDimExpr(numLoops++, context);
  }
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (OpOperand *operand : condition.operands) {
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand).replaceDimsAndSymbols(
        places, {}, numLoops, 0));
  }
  SmallVector<utils::IteratorType> kinds(numLoops,
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, condition.operations.back()->getLoc(), TypeRange(), inputs,
      ValueRange(), maps, kinds,
      [&](OpBuilder &inner, Location loc, ValueRange arguments) {
        IRMapping mapping;
        for (auto [operand, argument] :
             llvm::zip_equal(condition.operands, arguments))
          mapping.map(op.getMatchingBlockArgument(operand), argument);
        for (Operation *original : condition.operations) {
          Operation *copy = inner.clone(*original, mapping);
          if (auto index = dyn_cast<linalg::IndexOp>(copy))
            index.setDim(placeOf[index.getDim()]);
        }
        linalg::YieldOp::create(inner, loc);
      });
}

/// Text and operands of `op`: equal ones assert the same.
static std::string getKey(linalg::GenericOp op) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  for (Value operand : op->getOperands())
    stream << operand.getAsOpaquePointer() << ' ';
  // Values from outside of the body, which the text names by number.
  op.getBody()->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getParentBlock() != op.getBody())
        stream << operand.getAsOpaquePointer() << ' ';
  });
  op->print(stream, OpPrintingFlags().useLocalScope());
  return key;
}

/// True if `op` has no effect and no use any more.
static bool isDead(linalg::GenericOp op) {
  return op->use_empty() && wouldOpBeTriviallyDead(op);
}

namespace {
struct SeparateAsserts
    : public amp::impl::SeparateAssertsPassBase<SeparateAsserts> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics() &&
          !op.getBody()->getOps<cf::AssertOp>().empty())
        ops.push_back(op);
    });
    llvm::DenseMap<Block *, llvm::StringSet<>> known;
    for (linalg::GenericOp op : ops) {
      separate(op, known[op->getBlock()]);
      if (op->getNumResults() == 0 ? op.getBody()->without_terminator().empty()
                                   : isDead(op))
        op.erase();
    }
  }

  void separate(linalg::GenericOp op, llvm::StringSet<> &known) {
    for (cf::AssertOp assertion :
         llvm::make_early_inc_range(op.getBody()->getOps<cf::AssertOp>())) {
      std::optional<Condition> condition = readCondition(assertion, op);
      if (!condition)
        return;
      linalg::GenericOp alone = createAssertion(op, *condition);
      if (known.insert(getKey(alone)).second) {
        ++numSeparated;
      } else {
        alone.erase();
        ++numKnown;
      }
      eraseUnused(*condition);
    }
  }

  /// Takes from the body what only the assertion needed.
  static void eraseUnused(const Condition &condition) {
    for (Operation *inner : llvm::reverse(condition.operations))
      if (isa<cf::AssertOp>(inner) || isOpTriviallyDead(inner))
        inner->erase();
  }
};
} // namespace
