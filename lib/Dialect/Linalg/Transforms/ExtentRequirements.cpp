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
//   linalg         a loop has one extent in all tensors that it walks; windows,
//                  and a place that is read, lie inside of their tensor
//   elementwise    operands have the same extents
//   extract_slice  it lies inside of its tensor
//   insert_slice   the source has the sizes that the slice names, and it fits
//   expand_shape   the extents of a group multiply to the one that is divided
//   concat         parts have the same extents, but along its dimension, where
//                  they have the result's together
//   pad            negative amounts cut off what there is, amounts that are not
//                  known cut nothing off, and the result is what it says
//   extract        an index is one of the tensor
//   empty          no extent is below 0
//   cast           tells the truth (upstream's RuntimeVerifiableOpInterface)
//
// Checks that numbers decide fold. An extent is looked up once: what it is of a
// result is known from its operands, so that a step of many operations takes no
// time with its square.
//
//===----------------------------------------------------------------------===//

#include "ExtentRequirements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"
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
  bool isEmpty() const { return type().getDimSize(dim) == 0; }
  RankedTensorType type() const {
    return cast<RankedTensorType>(operand->get().getType());
  }
  std::string describe() const {
    return "dimension " + std::to_string(dim) + " of operand " +
           std::to_string(operand->getOperandNumber());
  }
  /// Becomes `at` if that is a number and this is none, or nothing yet.
  void choose(const OperandDim &at) {
    if (!operand || (!isKnown() && at.isKnown()))
      *this = at;
  }
};
} // namespace

/// Whether what is asserted in front of `op` may be asserted before all else:
/// what is in a branch may not be executed.
static bool isInFront(Operation *op) {
  return isa<FunctionOpInterface>(op->getParentOp()) &&
         op->getBlock()->isEntryBlock();
}

/// Numbers in front of an operation, and what is asserted of them.
class amp::Assertions {
public:
  Assertions(Operation *op, ExtentRequirements &requirements)
      : op(op), b(op->getLoc(), op), known(requirements.extents) {}

  Value number(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  }
  Value number(int64_t value) { return number(b.getIndexAttr(value)); }
  Value extent(Value tensor, int64_t dim);
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
  /// Of numbers from 0 on.
  Value divide(Value lhs, Value rhs) {
    return arith::DivSIOp::create(b, lhs, rhs);
  }
  /// The last index of so many.
  Value last(Value extent) {
    return arith::SubIOp::create(b, extent, number(1));
  }
  /// `first + (extent - 1) * step`: where that many steps end.
  Value walk(Value first, Value extent, Value step) {
    return add(first, multiply(last(extent), step));
  }

  /// `isComputed`: what is asked is left alone unless it depends on extents of
  /// arguments alone.
  void require(Value holds, const Twine &otherwise, bool isComputed = false) {
    if (isComputed && !isInFront(op))
      return;
    auto check = cf::AssertOp::create(b, holds, getMessage(op, otherwise));
    if (isComputed)
      check->setAttr(ExtentRequirements::kOnlyInFront, b.getUnitAttr());
  }
  /// `other` was chosen among such as `at`: if `at` is known, both are.
  void requireSame(const OperandDim &at, const OperandDim &other) {
    if (at.isKnown() || (at.operand == other.operand && at.dim == other.dim))
      return;
    Value lhs = extent(at), rhs = extent(other);
    require(compare(lhs, Predicate::eq, rhs),
            at.describe() + " has another extent than " + other.describe());
  }
  /// A slice lies in `extent` elements. One of no elements does, wherever it
  /// starts.
  void requireInside(OpFoldResult offset, OpFoldResult size,
                     OpFoldResult stride, Value extent, const Twine &otherwise,
                     bool isComputed) {
    Value count = number(size), start = number(offset), zero = number(0);
    if (!getConstantIntValue(size))
      require(compare(count, Predicate::sge, zero), otherwise,
              isComputed || !isInFront(op));
    if (isZeroInteger(offset) && isOneInteger(stride))
      return require(compare(count, Predicate::sle, extent), otherwise,
                     isComputed);
    Value last = walk(start, count, number(stride));
    Value isEmpty = compare(count, Predicate::eq, zero);
    Value isFrom = compare(start, Predicate::sge, zero);
    Value isTo = compare(last, Predicate::slt, extent);
    require(either(isEmpty, arith::AndIOp::create(b, isFrom, isTo)), otherwise,
            isComputed);
  }

private:
  Operation *op;
  ImplicitLocOpBuilder b;
  DenseMap<std::pair<Value, int64_t>, Value> &known;
};

namespace {
class LoopRequirements {
public:
  LoopRequirements(linalg::LinalgOp op, ExtentRequirements &requirements)
      : op(op), assertions(op, requirements), dimOfLoop(op.getNumLoops()) {}

  void check() {
    forEachDim([&](OperandDim at, AffineExpr index) {
      if (auto loop = dyn_cast<AffineDimExpr>(index))
        dimOfLoop[loop.getPosition()].choose(at);
    });
    forEachDim([&](OperandDim at, AffineExpr index) {
      if (auto loop = dyn_cast<AffineDimExpr>(index))
        assertions.requireSame(at, dimOfLoop[loop.getPosition()]);
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

  /// The largest value of an index that grows with each loop; nothing for
  /// others. `isKnown` says whether a number is.
  std::optional<Value> getLast(AffineExpr index, bool &isKnown) {
    if (auto constant = dyn_cast<AffineConstantExpr>(index))
      return assertions.number(constant.getValue());
    if (auto loop = dyn_cast<AffineDimExpr>(index)) {
      const OperandDim &walked = dimOfLoop[loop.getPosition()];
      if (!walked.operand)
        return std::nullopt;
      isKnown &= walked.isKnown();
      return assertions.last(assertions.extent(walked));
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(index);
    if (!binary)
      return std::nullopt;
    std::optional<Value> lhs = getLast(binary.getLHS(), isKnown);
    std::optional<Value> rhs = getLast(binary.getRHS(), isKnown);
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    bool isPositive = factor && factor.getValue() > 0;
    if (!lhs || !rhs)
      return std::nullopt;
    if (index.getKind() == AffineExprKind::Add)
      return assertions.add(*lhs, *rhs);
    if (index.getKind() == AffineExprKind::Mul && isPositive)
      return assertions.multiply(*lhs, *rhs);
    if (index.getKind() == AffineExprKind::FloorDiv && isPositive)
      return assertions.divide(*lhs, *rhs);
    return std::nullopt;
  }

  /// The last element that a window reads is in the tensor, unless a loop
  /// makes no step.
  void checkWindow(const OperandDim &at, AffineExpr index) {
    for (const OperandDim &walked : dimOfLoop)
      if (walked.operand && walked.isEmpty())
        return;
    bool isKnown = at.isKnown();
    std::optional<Value> end = getLast(index, isKnown);
    if (!end || isKnown)
      return;
    Value last = *end;
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

/// The value and the dimension of it that have the extent of a result, or the
/// extent itself.
static std::pair<OpFoldResult, int64_t> getOrigin(OpResult result,
                                                  int64_t dim) {
  Operation *def = result.getOwner();
  if (auto op = dyn_cast<DestinationStyleOpInterface>(def))
    if (OpOperand *init = op.getTiedOpOperand(result))
      return {init->get(), dim};
  if (OpTrait::hasElementwiseMappableTraits(def))
    for (Value operand : def->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        return {operand, dim};
  if (auto insertion = dyn_cast<tensor::InsertSliceOp>(def))
    return {insertion.getDest(), dim};
  if (auto empty = dyn_cast<tensor::EmptyOp>(def))
    return {empty.getMixedSizes()[dim], -1};
  if (auto expansion = dyn_cast<tensor::ExpandShapeOp>(def))
    return {expansion.getMixedOutputShape()[dim], -1};
  if (auto cast = dyn_cast<tensor::CastOp>(def))
    if (isa<RankedTensorType>(cast.getSource().getType()))
      return {cast.getSource(), dim};
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(def)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [at, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(at) && dim-- == 0)
        return {size, -1};
  }
  return {OpFoldResult(), -1};
}

Value Assertions::extent(Value tensor, int64_t dim) {
  SmallVector<std::pair<Value, int64_t>> asked;
  Value found;
  while (!found) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dim)) {
      found = number(type.getDimSize(dim));
      break;
    }
    asked.push_back({tensor, dim});
    if (found = known.lookup(asked.back()); found)
      break;
    OpFoldResult origin;
    int64_t originDim = -1;
    if (auto result = dyn_cast<OpResult>(tensor))
      std::tie(origin, originDim) = getOrigin(result, dim);
    auto value = dyn_cast_if_present<Value>(origin);
    if (originDim >= 0) {
      tensor = value;
      dim = originDim;
    } else if (origin) {
      found = value ? value : number(origin);
    } else {
      // Where all that reads the tensor can read it.
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfterValue(tensor);
      found = tensor::DimOp::create(b, tensor, number(dim));
    }
  }
  // A number is made where it is asked for.
  if (!getConstantIntValue(found))
    for (const std::pair<Value, int64_t> &each : asked)
      known[each] = found;
  return found;
}

/// The operands of `op` have the same extents, but in dimension `except`.
static void requireSameExtents(Operation *op, Assertions &assertions,
                               std::optional<int64_t> except = std::nullopt) {
  SmallVector<OperandDim> chosen;
  auto forEachDim = [&](function_ref<void(OperandDim)> visit) {
    for (OpOperand &operand : op->getOpOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()))
        for (int64_t dim : llvm::seq(type.getRank()))
          if (dim != except)
            visit({&operand, dim});
  };
  forEachDim([&](OperandDim at) {
    chosen.resize(std::max<size_t>(chosen.size(), at.dim + 1));
    chosen[at.dim].choose(at);
  });
  forEachDim(
      [&](OperandDim at) { assertions.requireSame(at, chosen[at.dim]); });
}

static void requireOf(tensor::ConcatOp op, Assertions &assertions) {
  const int64_t along = op.getDim();
  requireSameExtents(op, assertions, along);
  for (int64_t dim : llvm::seq(op.getResultType().getRank())) {
    if (op.getResultType().isDynamicDim(dim))
      continue;
    Value extent = assertions.extent(op.getInputs().front(), dim);
    if (dim == along)
      for (Value part : op.getInputs().drop_front())
        extent = assertions.add(extent, assertions.extent(part, dim));
    Value said = assertions.number(op.getResultType().getDimSize(dim));
    assertions.require(assertions.compare(extent, Predicate::eq, said),
                       "parts have another extent than the result along "
                       "dimension " +
                           Twine(dim));
  }
}

/// The slice of `op` lies inside of `whole`.
template <typename SliceOp>
static void requireSlice(SliceOp op, Value whole, int64_t dim, StringRef name,
                         Assertions &assertions) {
  auto type = cast<RankedTensorType>(whole.getType());
  OpFoldResult offset = op.getMixedOffsets()[dim];
  OpFoldResult size = op.getMixedSizes()[dim];
  OpFoldResult stride = op.getMixedStrides()[dim];
  // The verifier's, which does not look at constants that are values.
  if (!type.isDynamicDim(dim) && isa<Attribute>(offset) &&
      isa<Attribute>(size) && isa<Attribute>(stride))
    return;
  assertions.requireInside(offset, size, stride, assertions.extent(whole, dim),
                           name + " runs out-of-bounds along dimension " +
                               Twine(dim),
                           /*isComputed=*/type.hasStaticShape());
}

static void requireOf(tensor::ExtractSliceOp op, Assertions &assertions) {
  for (int64_t dim : llvm::seq(op.getSourceType().getRank()))
    requireSlice(op, op.getSource(), dim, "extract_slice", assertions);
}

static void requireOf(tensor::InsertSliceOp op, Assertions &assertions) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  RankedTensorType source = op.getSourceType();
  int64_t sourceDim = 0;
  for (int64_t dim : llvm::seq(op.getDestType().getRank())) {
    OpFoldResult size = op.getMixedSizes()[dim];
    if (!dropped.test(dim)) {
      bool isKnown = !source.isDynamicDim(sourceDim);
      if (!isKnown || isa<Value>(size)) {
        Value extent = assertions.extent(op.getSource(), sourceDim);
        assertions.require(
            assertions.compare(extent, Predicate::eq, assertions.number(size)),
            "dimension " + Twine(sourceDim) +
                " of operand 0 has another extent than the slice",
            isKnown);
      }
      ++sourceDim;
    }
    requireSlice(op, op.getDest(), dim, "insert_slice", assertions);
  }
}

static void requireOf(tensor::ExpandShapeOp op, Assertions &assertions) {
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

/// Of tensors whose rank is known, by what their extents come from: the fold of
/// a cast into what makes its operand changes the operand's own extents.
static void requireOf(tensor::CastOp op, Assertions &assertions) {
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto result = dyn_cast<RankedTensorType>(op.getType());
  if (!source || !result) {
    OpBuilder builder(op);
    cast<RuntimeVerifiableOpInterface>(op.getOperation())
        .generateRuntimeVerification(
            builder, op.getLoc(),
            [](Operation *op, StringRef what) { return getMessage(op, what); });
    return;
  }
  for (int64_t dim : llvm::seq(source.getRank())) {
    if (!source.isDynamicDim(dim) || result.isDynamicDim(dim))
      continue;
    Value extent = assertions.extent(op.getSource(), dim);
    Value said = assertions.number(result.getDimSize(dim));
    assertions.require(assertions.compare(extent, Predicate::eq, said),
                       "size mismatch of dim " + Twine(dim));
  }
}

static void requireOf(tensor::PadOp op, Assertions &assertions) {
  Value zero = assertions.number(0);
  for (int64_t dim : llvm::seq(op.getSourceType().getRank())) {
    OpFoldResult low = op.getMixedLowPad()[dim];
    OpFoldResult high = op.getMixedHighPad()[dim];
    const std::string where =
        "dimension " + std::to_string(dim) + " of operand 0 ";
    Value extent = assertions.extent(op.getSource(), dim), padded = extent;
    int64_t added = 0; // by what is cut off: not above 0
    for (OpFoldResult amount : {low, high}) {
      Value number = assertions.number(amount);
      padded = assertions.add(padded, number);
      if (std::optional<int64_t> known = getConstantIntValue(amount))
        added += std::min<int64_t>(*known, 0);
      else
        assertions.require(assertions.compare(number, Predicate::sge, zero),
                           where + "is longer than what it is padded to");
    }
    if (added < 0) {
      Value left = assertions.add(extent, assertions.number(added));
      assertions.require(assertions.compare(left, Predicate::sge, zero),
                         where + "is shorter than what is cut off");
    }
    if (!op.getResultType().isDynamicDim(dim)) {
      Value said = assertions.number(op.getResultType().getDimSize(dim));
      assertions.require(assertions.compare(padded, Predicate::eq, said),
                         where + "has another extent padded than the result");
    }
  }
}

static void requireOf(tensor::ExtractOp op, Assertions &assertions) {
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    const bool isNumber = getConstantIntValue(index).has_value();
    Value extent = assertions.extent(op.getTensor(), static_cast<int64_t>(dim));
    Value zero = assertions.number(0);
    const std::string where =
        "dimension " + std::to_string(dim) + " of operand 0 ";
    assertions.require(assertions.compare(index, Predicate::sge, zero),
                       where + "has no index below 0", !isNumber);
    assertions.require(assertions.compare(extent, Predicate::sgt, index),
                       where + "is shorter than the index", !isNumber);
  }
}

static void requireOf(tensor::EmptyOp op, Assertions &assertions) {
  Value zero = assertions.number(0);
  for (Value extent : op.getDynamicSizes())
    assertions.require(assertions.compare(extent, Predicate::sge, zero),
                       "an extent is below 0", /*isComputed=*/true);
}

void ExtentRequirements::require(Operation *op) {
  auto isUnknown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  if (!llvm::any_of(op->getOperandTypes(), isUnknown) &&
      !llvm::any_of(op->getResultTypes(), isUnknown)) {
    // Of tensors that are known, places may not be.
    bool hasPlaces =
        isa<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::PadOp>(op) &&
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<IndexType>);
    if (!hasPlaces || !isInFront(op))
      return;
  }
  // What a body of linalg reads by an index is not a matter of extents alone.
  if (!isa<linalg::LinalgOp>(op) && op->getParentOfType<linalg::LinalgOp>())
    return;
  Assertions assertions(op, *this);
  if (OpTrait::hasElementwiseMappableTraits(op))
    return requireSameExtents(op, assertions);
  TypeSwitch<Operation *>(op)
      .Case([&](linalg::LinalgOp op) {
        if (op.hasPureTensorSemantics())
          LoopRequirements(op, *this).check();
      })
      .Case<tensor::ConcatOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
            tensor::ExpandShapeOp, tensor::PadOp, tensor::ExtractOp,
            tensor::EmptyOp, tensor::CastOp>(
          [&](auto op) { requireOf(op, assertions); });
}
