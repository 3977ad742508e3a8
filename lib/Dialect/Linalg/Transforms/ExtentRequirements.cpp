//===- ExtentRequirements.cpp - What extents an operation needs -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each kind of operation:
//
//   linalg        a loop has one extent in all tensors that it walks; a window,
//                 or the one place that is read, lies inside of its tensor
//   elementwise   operands have the same extents
//   insert_slice  the source has the sizes that the slice names, and it fits
//   expand_shape  the extents of a group multiply to the one that is divided
//   concat        parts have the same extents across its dimension
//   pad           what is cut off by negative amounts was there
//   extract       an index that is a number is one of the tensor
//
// What casts and slices claim is upstream's to check
// (RuntimeVerifiableOpInterface). Checks that numbers decide fold.
//
//===----------------------------------------------------------------------===//

#include "ExtentRequirements.h"

#include "amp/Analysis/LinearMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::amp;
using Predicate = arith::CmpIPredicate;

/// What a run says where `op` does not get the extents that it needs.
static std::string getMessage(Operation *op, const Twine &what) {
  std::string message;
  llvm::raw_string_ostream stream(message);
  stream << what << " of '" << op->getName() << "' at " << op->getLoc()
         << ": expected a batch of the shape that the step is written for";
  return message;
}

namespace {
/// A dimension of an operand.
struct OperandDim {
  OpOperand *operand = nullptr;
  int64_t dim = 0;

  bool isKnown() const { return !type().isDynamicDim(dim); }
  RankedTensorType type() const {
    return cast<RankedTensorType>(operand->get().getType());
  }
  std::string describe() const {
    return "dimension " + std::to_string(dim) + " of operand " +
           std::to_string(operand->getOperandNumber());
  }
};

/// Numbers in front of an operation, and what is asserted of them.
class Assertions {
public:
  explicit Assertions(Operation *op) : op(op), b(op->getLoc(), op) {}

  Value number(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  }
  Value number(int64_t value) { return number(b.getIndexAttr(value)); }
  Value extent(Value tensor, int64_t dim) {
    return number(tensor::getMixedSize(b, b.getLoc(), tensor, dim));
  }
  Value extent(const OperandDim &at) {
    return extent(at.operand->get(), at.dim);
  }
  Value add(Value lhs, Value rhs) { return arith::AddIOp::create(b, lhs, rhs); }
  Value multiply(Value lhs, Value rhs) {
    return arith::MulIOp::create(b, lhs, rhs);
  }
  Value either(Value lhs, Value rhs) {
    return arith::OrIOp::create(b, lhs, rhs);
  }
  Value compare(Value lhs, Predicate predicate, Value rhs) {
    return arith::CmpIOp::create(b, predicate, lhs, rhs);
  }
  /// `first + (extent - 1) * step`: where that many steps end.
  Value walk(Value first, Value extent, Value step) {
    Value steps = arith::SubIOp::create(b, extent, number(1));
    return add(first, multiply(steps, step));
  }

  void require(Value holds, const Twine &otherwise) {
    cf::AssertOp::create(b, holds, getMessage(op, otherwise));
  }
  void requireSame(const OperandDim &at, const OperandDim &other) {
    Value lhs = extent(at), rhs = extent(other);
    require(compare(lhs, Predicate::eq, rhs),
            at.describe() + " has another extent than " + other.describe());
  }
  /// A slice is one of `extent` elements. One of no elements is, wherever it
  /// starts.
  void requireInside(OpFoldResult offset, OpFoldResult size,
                     OpFoldResult stride, Value extent,
                     const Twine &otherwise) {
    Value count = number(size);
    if (isZeroInteger(offset) && isOneInteger(stride))
      return require(compare(count, Predicate::sle, extent), otherwise);
    Value start = number(offset), zero = number(0);
    Value last = walk(start, count, number(stride));
    Value isEmpty = compare(count, Predicate::eq, zero);
    Value isFrom = compare(start, Predicate::sge, zero);
    Value isTo = compare(last, Predicate::slt, extent);
    require(either(isEmpty, arith::AndIOp::create(b, isFrom, isTo)), otherwise);
  }

private:
  Operation *op;
  ImplicitLocOpBuilder b;
};

class LoopRequirements {
public:
  explicit LoopRequirements(linalg::LinalgOp op)
      : op(op), assertions(op), dimOfLoop(op.getNumLoops()) {}

  void check() {
    forEachDim([&](OperandDim at, AffineExpr index) {
      if (auto loop = dyn_cast<AffineDimExpr>(index))
        choose(dimOfLoop[loop.getPosition()], at);
    });
    forEachDim([&](OperandDim at, AffineExpr index) {
      if (auto loop = dyn_cast<AffineDimExpr>(index))
        checkLoop(dimOfLoop[loop.getPosition()], at);
      else
        checkWindow(at, index);
    });
  }

private:
  void forEachDim(function_ref<void(OperandDim, AffineExpr)> visit) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        for (auto [dim, index] :
             llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
          visit({&operand, static_cast<int64_t>(dim)}, index);
  }

  /// A number if there is one, else what comes first.
  static void choose(OperandDim &chosen, OperandDim at) {
    if (!chosen.operand || (!chosen.isKnown() && at.isKnown()))
      chosen = at;
  }

  void checkLoop(const OperandDim &chosen, const OperandDim &at) {
    bool isItself = at.operand == chosen.operand && at.dim == chosen.dim;
    if (!isItself && !at.isKnown()) // else neither is unknown
      assertions.requireSame(at, chosen);
  }

  /// The last element that a window reads is in the tensor, unless a loop
  /// makes no step.
  void checkWindow(const OperandDim &at, AffineExpr index) {
    std::optional<LinearExpr> linear = LinearExpr::get(index, op.getNumLoops());
    if (!linear || llvm::any_of(linear->coefficients,
                                [](int64_t factor) { return factor < 0; }))
      return;
    bool isKnown = at.isKnown();
    Value last = assertions.number(linear->constant);
    for (auto [loop, factor] : llvm::enumerate(linear->coefficients)) {
      if (factor == 0)
        continue;
      const OperandDim &walked = dimOfLoop[loop];
      if (!walked.operand)
        return;
      isKnown &= walked.isKnown();
      Value extent = assertions.extent(walked);
      last = assertions.walk(last, extent, assertions.number(factor));
    }
    if (isKnown)
      return;
    Value fits =
        assertions.compare(last, Predicate::slt, assertions.extent(at));
    Value zero = assertions.number(0);
    for (const OperandDim &walked : dimOfLoop) {
      if (!walked.operand || walked.isKnown())
        continue;
      Value isEmpty =
          assertions.compare(assertions.extent(walked), Predicate::eq, zero);
      fits = assertions.either(fits, isEmpty);
    }
    assertions.require(fits, at.describe() + " is shorter than the windows");
  }

  linalg::LinalgOp op;
  Assertions assertions;
  /// Where the extent of each loop is looked up.
  SmallVector<OperandDim> dimOfLoop;
};
} // namespace

/// `operands` have the same extents, but in dimension `except`.
static void assertSameExtents(Operation *op,
                              MutableArrayRef<OpOperand> operands,
                              std::optional<int64_t> except = std::nullopt) {
  Assertions assertions(op);
  SmallVector<OperandDim> chosen;
  auto forEachDim = [&](function_ref<void(OperandDim)> visit) {
    for (OpOperand &operand : operands)
      if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()))
        for (int64_t dim : llvm::seq(type.getRank()))
          if (dim != except)
            visit({&operand, dim});
  };
  forEachDim([&](OperandDim at) {
    chosen.resize(std::max<size_t>(chosen.size(), at.dim + 1));
    OperandDim &first = chosen[at.dim];
    if (!first.operand || (!first.isKnown() && at.isKnown()))
      first = at;
  });
  forEachDim([&](OperandDim at) {
    if (!at.isKnown() && at.operand != chosen[at.dim].operand)
      assertions.requireSame(at, chosen[at.dim]);
  });
}

static void assertInsertion(tensor::InsertSliceOp op) {
  Assertions assertions(op);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  RankedTensorType source = op.getSourceType(), into = op.getDestType();
  int64_t sourceDim = 0;
  for (int64_t dim : llvm::seq(into.getRank())) {
    OpFoldResult offset = op.getMixedOffsets()[dim];
    OpFoldResult size = op.getMixedSizes()[dim];
    if (!dropped.test(dim)) {
      if (source.isDynamicDim(sourceDim)) {
        Value extent = assertions.extent(op.getSource(), sourceDim);
        assertions.require(
            assertions.compare(extent, Predicate::eq, assertions.number(size)),
            "dimension " + Twine(sourceDim) +
                " of operand 0 has another extent than the slice");
      }
      ++sourceDim;
    }
    if (!into.isDynamicDim(dim) && getConstantIntValue(offset) &&
        getConstantIntValue(size))
      continue; // the verifier's
    assertions.requireInside(
        offset, size, op.getMixedStrides()[dim],
        assertions.extent(op.getDest(), dim),
        "insert_slice runs out-of-bounds along dimension " + Twine(dim));
  }
}

static void assertExpansion(tensor::ExpandShapeOp op) {
  Assertions assertions(op);
  SmallVector<OpFoldResult> shape = op.getMixedOutputShape();
  for (auto [dim, parts] : llvm::enumerate(op.getReassociationIndices())) {
    Value product = assertions.number(1);
    for (int64_t part : parts)
      product = assertions.multiply(product, assertions.number(shape[part]));
    Value extent = assertions.extent(op.getSrc(), static_cast<int64_t>(dim));
    assertions.require(assertions.compare(extent, Predicate::eq, product),
                       "dimension " + Twine(dim) +
                           " of operand 0 has another extent than the shape");
  }
}

static void assertPadding(tensor::PadOp op) {
  Assertions assertions(op);
  auto isPositive = [](OpFoldResult amount) {
    std::optional<int64_t> value = getConstantIntValue(amount);
    return value && *value >= 0;
  };
  for (int64_t dim : llvm::seq(op.getSourceType().getRank())) {
    OpFoldResult low = op.getMixedLowPad()[dim];
    OpFoldResult high = op.getMixedHighPad()[dim];
    if (isPositive(low) && isPositive(high))
      continue;
    Value left = assertions.extent(op.getSource(), dim);
    left = assertions.add(left, assertions.number(low));
    left = assertions.add(left, assertions.number(high));
    assertions.require(
        assertions.compare(left, Predicate::sge, assertions.number(0)),
        "dimension " + Twine(dim) +
            " of operand 0 is shorter than what is cut off");
  }
}

static void assertIndices(tensor::ExtractOp op) {
  Assertions assertions(op);
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    std::optional<int64_t> place = getConstantIntValue(index);
    if (!place)
      continue;
    Value extent = assertions.extent(op.getTensor(), static_cast<int64_t>(dim));
    assertions.require(
        assertions.compare(extent, Predicate::sgt, assertions.number(*place)),
        "dimension " + Twine(dim) + " of operand 0 is shorter than the index");
  }
}

void amp::assertExtents(Operation *op) {
  auto isUnknown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  if (!llvm::any_of(op->getOperandTypes(), isUnknown) &&
      !llvm::any_of(op->getResultTypes(), isUnknown))
    return;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (linalgOp.hasPureTensorSemantics())
      LoopRequirements(linalgOp).check();
    return;
  }
  // What a body of linalg reads by an index is not a matter of extents alone.
  if (op->getParentOfType<linalg::LinalgOp>())
    return;
  if (OpTrait::hasElementwiseMappableTraits(op))
    return assertSameExtents(op, op->getOpOperands());
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return assertSameExtents(op, op->getOpOperands(), concat.getDim());
  if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
    return assertInsertion(insertion);
  if (auto expansion = dyn_cast<tensor::ExpandShapeOp>(op))
    return assertExpansion(expansion);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return assertPadding(pad);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return assertIndices(extract);
  auto verifiable = dyn_cast<RuntimeVerifiableOpInterface>(op);
  if (!verifiable || !isa<tensor::CastOp, tensor::ExtractSliceOp>(op))
    return;
  OpBuilder builder(op);
  verifiable.generateRuntimeVerification(
      builder, op->getLoc(),
      [](Operation *op, StringRef what) { return getMessage(op, what); });
}
