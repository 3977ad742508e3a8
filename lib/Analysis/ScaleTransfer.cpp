//===- ScaleTransfer.cpp - Degrees through an operation -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scales are positive, so a maximum, an absolute value and a comparison with 0
// commute with them. Zero, infinity and NaN are the same at every scale, which
// is what `Any` stands for: a maximum with 0, a mask of 0 and -inf added to
// scores, a select between a gradient and 0 keep the other operand's degree. So
// does a maximum that starts at the lowest finite number, as front ends write.
// What is not in the table has degree 0 if all that it reads has; if not, it is
// certain that the degree is lost in arithmetic, and undecided elsewhere.
//
// Overflow and rounding are left out: the proof is about real numbers, and the
// guard takes care of what overflows.
//
//===----------------------------------------------------------------------===//

#include "ScaleTransfer.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;

ScaleTransfer::ScaleTransfer(DegreeTable &table,
                             const llvm::StringMap<unsigned> &scales)
    : table(table), scales(scales) {
  set<arith::AddFOp, arith::SubFOp, arith::MaximumFOp, arith::MinimumFOp,
      arith::MaxNumFOp, arith::MinNumFOp, arith::RemFOp, math::ClampFOp>(
      {Rule::Sum});
  set<arith::MulFOp>({Rule::Product});
  set<arith::DivFOp>({Rule::Quotient});
  set<math::FmaOp>({Rule::MultiplyAdd});
  set<math::Atan2Op>({Rule::Ratio});
  set<arith::CmpFOp>({Rule::Compare});
  set<arith::SelectOp>({Rule::Select});
  set<arith::NegFOp, math::AbsFOp, math::CopySignOp, arith::TruncFOp,
      arith::ExtFOp, CastOp, MasterCopyOp, TapOp, AllReduceFoundInfOp>(
      {Rule::First});
  set<math::SqrtOp>({Rule::Power, *Rational::get(1, 2)});
  set<math::RsqrtOp>({Rule::Power, *Rational::get(-1, 2)});
  set<math::CbrtOp>({Rule::Power, *Rational::get(1, 3)});
  set<math::PowFOp, math::FPowIOp>({Rule::PowerOf});
  set<math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp,
      tensor::DimOp, tensor::RankOp>({Rule::Observe});
  set<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp,
      tensor::ExpandShapeOp, tensor::ExtractOp, tensor::ExtractSliceOp,
      tensor::FromElementsOp, tensor::GatherOp, tensor::InsertOp,
      tensor::InsertSliceOp, tensor::ReshapeOp, tensor::ScatterOp,
      tensor::SplatOp, linalg::PackOp, linalg::UnPackOp>({Rule::Move});
}

/// True if each element of a floating constant is 0, infinite or NaN, or of no
/// value at all: what a loop that was made of blocks carries where nothing is.
static bool isSameAtEveryScale(Attribute value) {
  if (isa<ub::PoisonAttrInterface>(value))
    return true;
  auto isSame = [](const APFloat &number) {
    return number.isZero() || !number.isFinite();
  };
  if (auto number = dyn_cast<FloatAttr>(value))
    return isSame(number.getValue());
  if (auto numbers = dyn_cast<DenseFPElementsAttr>(value))
    return numbers.isSplat() ? isSame(numbers.getSplatValue<APFloat>())
                             : llvm::all_of(numbers, isSame);
  return false;
}

/// True if each element of a floating constant is the largest finite number, of
/// the given sign.
static bool isLargestFinite(Attribute value, bool isNegative) {
  auto isLargest = [&](const APFloat &number) {
    return number.isFinite() && number.isLargest() &&
           number.isNegative() == isNegative;
  };
  if (auto number = dyn_cast<FloatAttr>(value))
    return isLargest(number.getValue());
  auto numbers = dyn_cast<DenseFPElementsAttr>(value);
  return numbers && numbers.isSplat() &&
         isLargest(numbers.getSplatValue<APFloat>());
}

/// True if nothing becomes of `value`, which no finite number is below (or
/// above), but starts of maxima (of minima): they are what else they are taken
/// of, at every scale that does not overflow.
template <typename... Extrema> static bool isOnlyStart(Value value) {
  SmallVector<Value> worklist{value};
  llvm::SmallDenseSet<Value> seen{value};
  auto add = [&](Value next) {
    if (next && seen.insert(next).second)
      worklist.push_back(next);
    return bool(next);
  };
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<Extrema...>(user))
        continue;
      if (isa<linalg::YieldOp>(user) &&
          isa<linalg::LinalgOp>(user->getParentOp())) {
        add(user->getParentOp()->getResult(use.getOperandNumber()));
        continue;
      }
      if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
              tensor::ExtractOp, tensor::ExtractSliceOp, tensor::SplatOp>(
              user)) {
        add(user->getResult(0));
        continue;
      }
      auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
      if (!linalgOp || linalgOp.hasPureBufferSemantics() ||
          !add(linalgOp.getMatchingBlockArgument(&use)))
        return false;
    }
  return true;
}

static bool isOnlyStart(Attribute constant, Value value) {
  return (isLargestFinite(constant, /*isNegative=*/true) &&
          isOnlyStart<arith::MaximumFOp, arith::MaxNumFOp>(value)) ||
         (isLargestFinite(constant, /*isNegative=*/false) &&
          isOnlyStart<arith::MinimumFOp, arith::MinNumFOp>(value));
}

static std::optional<Rational> getConstantExponent(Value value) {
  FloatAttr number;
  IntegerAttr integer;
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&number)))
    return Rational::get(number.getValueAsDouble());
  if (matchPattern(value, m_Constant(&integer)))
    return integer.getValue().isSignedIntN(32)
               ? std::optional<Rational>(integer.getInt())
               : std::nullopt;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  if (auto splat = elements.getSplatValue<Attribute>();
      auto real = dyn_cast<FloatAttr>(splat))
    return Rational::get(real.getValueAsDouble());
  else if (auto whole = dyn_cast<IntegerAttr>(splat);
           whole && whole.getValue().isSignedIntN(32))
    return Rational(whole.getInt());
  return std::nullopt;
}

DegreeId ScaleTransfer::raise(Operation *op,
                              ArrayRef<DegreeId> operands) const {
  DegreeId exponent = table.requireZero(operands[1], op, DegreeFault::Distorts);
  DegreeId base = operands[0];
  if (base == DegreeTable::kZero)
    return exponent;
  if (std::optional<Rational> power = getConstantExponent(op->getOperand(1)))
    return table.multiply(base, *power, op);
  // An exponent from data: 1 to any power is 1, s to any power is not.
  DegreeId constant = table.requireZero(base, op, DegreeFault::Exponent);
  return table.join(constant, exponent, op, DegreeFault::Exponent);
}

DegreeId ScaleTransfer::move(Operation *op, ArrayRef<DegreeId> operands) const {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  DegreeId moved = DegreeTable::kAny, places = DegreeTable::kZero;
  for (auto [value, degree] : llvm::zip_equal(op->getOperands(), operands)) {
    if (getElementTypeOrSelf(value.getType()) == element)
      moved = table.join(moved, degree, op, DegreeFault::Mixes);
    else
      places = table.join(places,
                          table.requireZero(degree, op, DegreeFault::Unknown),
                          op, DegreeFault::Unknown);
  }
  return table.control(moved, places);
}

DegreeId ScaleTransfer::applyRule(Entry entry, Operation *op,
                                  ArrayRef<DegreeId> operands) const {
  switch (entry.rule) {
  case Rule::Sum: {
    DegreeId sum = DegreeTable::kAny;
    for (DegreeId operand : operands)
      sum = table.join(sum, operand, op, DegreeFault::Mixes);
    return sum;
  }
  case Rule::Product:
    return table.combine(operands[0], operands[1], 1, op);
  case Rule::Quotient:
    return table.combine(operands[0], operands[1], -1, op);
  case Rule::Ratio:
  case Rule::Compare: {
    DegreeFault fault =
        entry.rule == Rule::Ratio ? DegreeFault::Mixes : DegreeFault::Compares;
    DegreeId both = table.join(operands[0], operands[1], op, fault);
    // The conditions of both stay; their degree goes.
    return table[both].isFault() ? both
                                 : table.control(DegreeTable::kZero, both);
  }
  case Rule::First: {
    DegreeId first = operands[0];
    for (DegreeId other : operands.drop_front())
      first = table.control(first, other);
    return first;
  }
  case Rule::Power:
    return table.multiply(operands[0], entry.power, op);
  case Rule::PowerOf:
    return raise(op, operands);
  case Rule::MultiplyAdd:
    return table.join(table.combine(operands[0], operands[1], 1, op),
                      operands[2], op, DegreeFault::Mixes);
  case Rule::Select:
    return table.control(
        table.join(operands[1], operands[2], op, DegreeFault::Mixes),
        table.requireZero(operands[0], op, DegreeFault::Compares));
  case Rule::Observe:
    return DegreeTable::kZero;
  case Rule::Move:
    return move(op, operands);
  }
  llvm_unreachable("all rules are listed");
}

DegreeId ScaleTransfer::applyDefault(Operation *op,
                                     ArrayRef<DegreeId> operands) const {
  bool isArithmetic =
      isa_and_present<arith::ArithDialect, math::MathDialect,
                      linalg::LinalgDialect>(op->getDialect()) &&
      !isa<arith::BitcastOp>(op);
  DegreeFault fault =
      isArithmetic ? DegreeFault::Distorts : DegreeFault::Unknown;
  DegreeId result = DegreeTable::kZero;
  for (DegreeId operand : operands)
    result =
        table.join(result, table.requireZero(operand, op, fault), op, fault);
  return result;
}

SmallVector<DegreeId, 1>
ScaleTransfer::apply(Operation *op, ArrayRef<DegreeId> operands) const {
  if (auto scale = dyn_cast<ScaleLossOp>(op))
    return {table.combine(
        operands[0], table.getAtom(scales.lookup(scale.getScaler())), 1, op)};
  if (auto unscale = dyn_cast<UnscaleOp>(op)) {
    DegreeId scale = table.getAtom(scales.lookup(unscale.getScaler()));
    unsigned numGradients = unscale.getGradients().size();
    SmallVector<DegreeId, 1> results;
    for (unsigned i = 0; i != numGradients; ++i) {
      // A gradient that carries the scale once loses it: anything else is a
      // fault here and not where it is seen.
      DegreeId result = table.requireZero(
          table.combine(operands[i], scale, -1, op), op, DegreeFault::Unscales);
      if (table[operands[i]].kind == ScaleDegree::Any)
        result = operands[i];
      if (!unscale.getAccumulators().empty())
        result = table.join(result, operands[numGradients + i], op,
                            DegreeFault::Mixes);
      results.push_back(result);
    }
    results.push_back(DegreeTable::kZero); // found_inf
    return results;
  }
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant)))
    return {isSameAtEveryScale(constant) ||
                    isOnlyStart(constant, op->getResult(0))
                ? DegreeTable::kAny
                : DegreeTable::kZero};
  if (isa<tensor::EmptyOp>(op))
    return {DegreeTable::kAny};
  auto it = rules.find(op->getName().getTypeID());
  DegreeId degree = it == rules.end() || op->getNumResults() != 1
                        ? applyDefault(op, operands)
                        : applyRule(it->second, op, operands);
  return SmallVector<DegreeId, 1>(op->getNumResults(), degree);
}
