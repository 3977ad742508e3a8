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
// scores, a select between a gradient and 0 keep the other operand's degree.
// A number's bits, as an integer, carry its degree until they are one again.
// What is not in the table has degree 0 if all that it reads has; if not, it is
// certain that the degree is lost in arithmetic, and undecided elsewhere.
//
// Overflow and rounding are left out: the proof is about real numbers, and the
// guard takes care of what overflows. So a scaled value must get to the guard
// with its infinities: what tests for them, or makes finite numbers of them,
// is refused before the value is unscaled. That a value was scaled stays with
// it where its degree goes: g * 0 and g - g are 0 at every scale, and NaN by an
// overflow. An infinity compares as the large number does that it stands for; a
// NaN as nothing does, so what is chosen by a comparison, or left by a loop
// that it ends, has to be NaN then. But an infinity may come of a sum of large
// numbers that is none: it must not become a bound that is scaled too. What is
// divided by an infinity is 0, and no small number.
//
//===----------------------------------------------------------------------===//

#include "ScaleTransfer.h"

#include "ScaleConstants.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

ScaleTransfer::ScaleTransfer(DegreeTable &table,
                             const llvm::StringMap<unsigned> &scales,
                             const AllocationOrderMap<Value, DegreeId> &degrees)
    : table(table), scales(scales), degrees(degrees) {
  set<arith::AddFOp, arith::SubFOp, arith::MaximumFOp, arith::MinimumFOp,
      math::ClampFOp>({Rule::Sum});
  set<arith::MaxNumFOp, arith::MinNumFOp>({Rule::Number});
  set<arith::MulFOp>({Rule::Product});
  set<arith::DivFOp>({Rule::Quotient});
  set<arith::RemFOp>({Rule::Remainder});
  set<math::FmaOp>({Rule::MultiplyAdd});
  set<math::Atan2Op>({Rule::Ratio});
  set<arith::CmpFOp>({Rule::Compare});
  set<arith::SelectOp>({Rule::Select});
  set<arith::NegFOp, math::AbsFOp, arith::TruncFOp, arith::ExtFOp, CastOp,
      MasterCopyOp, TapOp, AllReduceFoundInfOp>({Rule::First});
  set<math::CopySignOp>({Rule::Sign});
  set<math::SqrtOp>({Rule::Power, *Rational::get(1, 2)});
  set<math::RsqrtOp>({Rule::Power, *Rational::get(-1, 2)});
  set<math::CbrtOp>({Rule::Power, *Rational::get(1, 3)});
  set<math::PowFOp, math::FPowIOp>({Rule::PowerOf});
  set<math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp>(
      {Rule::Test});
  set<arith::FPToSIOp, arith::FPToUIOp>({Rule::Integer});
  set<arith::SIToFPOp, arith::UIToFPOp>({Rule::Count});
  set<tensor::DimOp, tensor::RankOp>({Rule::Observe});
  set<tensor::EmptyOp>({Rule::Size});
  set<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp,
      tensor::ExpandShapeOp, tensor::ExtractOp, tensor::ExtractSliceOp,
      tensor::FromElementsOp, tensor::GatherOp, tensor::InsertOp,
      tensor::InsertSliceOp, tensor::ReshapeOp, tensor::ScatterOp,
      tensor::SplatOp, linalg::PackOp, linalg::UnPackOp, vector::BroadcastOp,
      vector::ExtractOp, vector::ExtractStridedSliceOp, vector::InsertOp,
      vector::InsertStridedSliceOp, vector::ShapeCastOp, vector::ShuffleOp,
      vector::TransferReadOp, vector::TransferWriteOp, vector::TransposeOp>(
      {Rule::Move});
  set<vector::FMAOp>({Rule::MultiplyAdd});
  set<vector::ReductionOp, vector::MultiDimReductionOp>({Rule::Reduce});
  set<arith::BitcastOp, tensor::BitcastOp, arith::AndIOp, arith::OrIOp,
      arith::XOrIOp>({Rule::Bits});
}

/// True if a NaN among the operands of a reduction is left out.
static bool leavesNaNOut(Operation *op) {
  auto kind = op->getAttrOfType<vector::CombiningKindAttr>("kind").getValue();
  return kind == vector::CombiningKind::MAXNUMF ||
         kind == vector::CombiningKind::MINNUMF;
}

static bool takesNoProduct(Operation *op) {
  auto kind = op->getAttrOfType<vector::CombiningKindAttr>("kind").getValue();
  return kind == vector::CombiningKind::ADD ||
         kind == vector::CombiningKind::MAXIMUMF ||
         kind == vector::CombiningKind::MAXNUMF ||
         kind == vector::CombiningKind::MINIMUMF ||
         kind == vector::CombiningKind::MINNUMF;
}

/// The operand of `op` whose bits, but for the sign, its result has: that of a
/// bitcast, or what a sign is taken from, set in or turned in. Nothing if it is
/// another operation on bits.
static std::optional<unsigned> getBitsOperand(Operation *op) {
  if (isa<arith::BitcastOp, tensor::BitcastOp>(op))
    return 0;
  for (unsigned i : {0, 1}) {
    auto mask = dyn_cast_if_present<IntegerAttr>(
        getUniformConstant(op->getOperand(1 - i)));
    if (mask && (isa<arith::AndIOp>(op) ? mask.getValue().isMaxSignedValue()
                                        : mask.getValue().isSignMask()))
      return i;
  }
  return std::nullopt;
}

/// The type of the numbers whose bits `value` is; null if that is not seen.
static Type getNumberType(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<arith::BitcastOp, tensor::BitcastOp, arith::AndIOp, arith::OrIOp,
             arith::XOrIOp>(def))
      return {};
    std::optional<unsigned> operand = getBitsOperand(def);
    if (!operand)
      return {};
    value = def->getOperand(*operand);
    if (Type type = getElementTypeOrSelf(value.getType()); isa<FloatType>(type))
      return type;
  }
  return {};
}

/// The operand whose bits, but for the sign, `op` keeps for numbers of the same
/// type.
static std::optional<unsigned> getKeptBits(Operation *op) {
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (!isa<FloatType>(to))
    return getBitsOperand(op);
  return getNumberType(op->getResult(0)) == to ? getBitsOperand(op)
                                               : std::nullopt;
}

DegreeId ScaleTransfer::multiply(DegreeId base, Rational power,
                                 Operation *op) const {
  // What is divided by infinity is 0.
  if (power < Rational(0))
    base = table.hideOverflow(base, op, DegreeFault::Hides);
  return table.multiply(base, power, op);
}

DegreeId ScaleTransfer::raise(Operation *op,
                              ArrayRef<DegreeId> operands) const {
  DegreeId exponent = table.requireZero(operands[1], op, DegreeFault::Distorts);
  DegreeId base = operands[0];
  if (base == DegreeTable::kZero)
    return exponent;
  if (std::optional<Rational> power = getConstantExponent(op->getOperand(1)))
    return multiply(base, *power, op);
  // An exponent from data: 1 to any power is 1, s to any power is not.
  DegreeId constant = table.requireZero(base, op, DegreeFault::Exponent);
  return table.join(constant, exponent, op, DegreeFault::Exponent);
}

DegreeId ScaleTransfer::move(Operation *op, ArrayRef<DegreeId> operands) const {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  // Integers may be places as well as elements.
  if (!isa<FloatType, ComplexType>(element) &&
      isa<tensor::GatherOp, tensor::ScatterOp>(op))
    return requireAllZero(op, operands, DegreeFault::Unknown);
  DegreeId moved = DegreeTable::kAny, places = DegreeTable::kZero;
  for (auto [value, degree] : llvm::zip_equal(op->getOperands(), operands)) {
    if (getElementTypeOrSelf(value.getType()) == element)
      moved = table.join(moved, degree, op, DegreeFault::Mixes);
    else
      places = table.join(places,
                          table.requireZero(degree, op, DegreeFault::Unknown),
                          op, DegreeFault::Unknown);
  }
  return table.control(moved,
                       table.hideOverflow(places, op, DegreeFault::Chooses));
}

/// True if `op` makes another of its operands of an infinite one.
bool ScaleTransfer::boundsOverflow(Operation *op) const {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, math::ClampFOp, arith::SelectOp>(op) &&
         boundsInfinity(op, [&](Value value) { return mayOverflow(value); });
}

DegreeId ScaleTransfer::applyRule(Entry entry, Operation *op,
                                  ArrayRef<DegreeId> operands) const {
  switch (entry.rule) {
  case Rule::Sum: {
    DegreeFault fault =
        clampsInfinity(op) ? DegreeFault::Hides : DegreeFault::Mixes;
    DegreeId sum = DegreeTable::kAny;
    for (DegreeId operand : operands)
      sum = table.join(sum, operand, op, fault);
    if (boundsOverflow(op))
      sum = table.hideOverflow(sum, op, DegreeFault::Hides);
    // 0 or NaN.
    if (isa<arith::SubFOp>(op) && op->getOperand(0) == op->getOperand(1))
      return table.multiplyByZero(sum);
    return sum;
  }
  case Rule::Number:
    return table.requireNoOverflow(applyRule({Rule::Sum}, op, operands), op,
                                   DegreeFault::Hides);
  case Rule::Product:
    return table.combine(operands[0], operands[1], 1, op);
  case Rule::Quotient:
  case Rule::Remainder: {
    DegreeId divisor = operands[1];
    if (!keepsInfinity(op))
      divisor = table.hideOverflow(divisor, op, DegreeFault::Hides);
    return entry.rule == Rule::Quotient
               ? table.combine(operands[0], divisor, -1, op)
               : table.join(operands[0], divisor, op, DegreeFault::Mixes);
  }
  case Rule::Test:
    return requireAllZero(op, operands, DegreeFault::Hides);
  case Rule::Ratio:
  case Rule::Compare: {
    // A number that is 0 at every scale has nothing else to tell.
    if (comparesWithInfinity(op) || llvm::any_of(operands, [&](DegreeId id) {
          return table[id].kind == ScaleDegree::Any && table.mayOverflow(id);
        }))
      return requireAllZero(op, operands, DegreeFault::Hides);
    DegreeFault fault =
        entry.rule == Rule::Ratio ? DegreeFault::Mixes : DegreeFault::Compares;
    DegreeId both = table.join(operands[0], operands[1], op, fault);
    if (entry.rule == Rule::Ratio)
      both = table.hideOverflow(both, op, DegreeFault::Hides);
    // The conditions of both stay; their degree goes.
    return table.control(DegreeTable::kZero, both);
  }
  case Rule::First: {
    DegreeId first = operands[0];
    for (DegreeId other : operands.drop_front())
      first = table.control(first, other);
    return castsToNumbers(op)
               ? table.hideOverflow(first, op, DegreeFault::Hides)
               : first;
  }
  case Rule::Sign: {
    // NaN has a sign as well.
    DegreeId sign = operands[1];
    if (!isNaNWith(op->getOperand(0), op->getOperand(1)))
      sign = table.hideOverflow(sign, op, DegreeFault::Chooses);
    return table.control(operands[0], sign);
  }
  case Rule::Power:
    return multiply(operands[0], entry.power, op);
  case Rule::PowerOf:
    return raise(op, operands);
  case Rule::MultiplyAdd:
    return table.join(table.combine(operands[0], operands[1], 1, op),
                      operands[2], op, DegreeFault::Mixes);
  case Rule::Select: {
    DegreeId condition =
        table.requireZero(operands[0], op, DegreeFault::Compares);
    if (!choosesNaN(cast<arith::SelectOp>(op),
                    [&](Value value) { return mayOverflow(value); }))
      condition = table.hideOverflow(condition, op, DegreeFault::Chooses);
    DegreeId chosen =
        table.join(operands[1], operands[2], op, DegreeFault::Mixes);
    if (boundsOverflow(op))
      chosen = table.hideOverflow(chosen, op, DegreeFault::Hides);
    return table.control(chosen, condition);
  }
  case Rule::Integer:
    return table.requireNoOverflow(applyDefault(op, operands), op,
                                   DegreeFault::Hides);
  case Rule::Count:
    return table.hideOverflow(
        requireAllZero(op, operands, DegreeFault::Distorts), op,
        DegreeFault::Chooses);
  case Rule::Observe:
  case Rule::Size: {
    // What has no degree, or has one under conditions, may decide. A size that
    // an overflow chose is that of a hidden one.
    DegreeId result =
        entry.rule == Rule::Size ? DegreeTable::kAny : DegreeTable::kZero;
    for (DegreeId operand : operands) {
      if (entry.rule == Rule::Size)
        operand = table.hideOverflow(operand, op, DegreeFault::Chooses);
      else
        operand = table.getOfSize(operand);
      result = table.control(result, operand);
    }
    return result;
  }
  case Rule::Reduce:
    if (!takesNoProduct(op))
      return applyDefault(op, operands);
    return applyRule({leavesNaNOut(op) ? Rule::Number : Rule::Sum}, op,
                     operands);
  case Rule::Move:
    return move(op, operands);
  case Rule::Bits:
    if (std::optional<unsigned> kept = getKeptBits(op))
      return operands[*kept];
    return applyDefault(op, operands);
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
  DegreeId result = requireAllZero(op, operands, fault);
  // A function of an infinity, as tanh, may be any number.
  return llvm::any_of(op->getResultTypes(),
                      [](Type type) {
                        return isa<FloatType>(getElementTypeOrSelf(type));
                      })
             ? table.hideOverflow(result, op, DegreeFault::Hides)
             : result;
}

DegreeId ScaleTransfer::requireAllZero(Operation *op,
                                       ArrayRef<DegreeId> operands,
                                       DegreeFault fault) const {
  DegreeId result = DegreeTable::kZero;
  for (DegreeId operand : operands) {
    DegreeId zero = table.requireZero(operand, op, fault);
    if (fault == DegreeFault::Hides)
      zero = table.requireNoOverflow(zero, op, fault);
    result = table.join(result, zero, op, fault);
  }
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
          table.combine(table.requireShown(operands[i]), scale, -1, op), op,
          DegreeFault::Unscales);
      if (table[operands[i]].kind == ScaleDegree::Any)
        result = table.requireShown(operands[i]);
      result = table.clearOverflow(result);
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
    return {isSameAtEveryScale(constant) ? DegreeTable::kAny
                                         : DegreeTable::kZero};
  auto it = rules.find(op->getName().getTypeID());
  DegreeId degree = it == rules.end() || op->getNumResults() != 1
                        ? applyDefault(op, operands)
                        : applyRule(it->second, op, operands);
  return SmallVector<DegreeId, 1>(op->getNumResults(), degree);
}

std::optional<SmallVector<unsigned>>
ScaleTransfer::findFoundScales(Value found) const {
  SmallVector<unsigned> numbers;
  llvm::SetVector<Value> parts;
  parts.insert(found);
  for (unsigned i = 0; i != parts.size(); ++i) {
    Operation *def = parts[i].getDefiningOp();
    if (auto unscale = dyn_cast_if_present<UnscaleOp>(def)) {
      numbers.push_back(scales.lookup(unscale.getScaler()));
      if (unscale.getAlreadyFound())
        parts.insert(unscale.getAlreadyFound());
      continue;
    }
    if (!def || def->getNumRegions() != 0 || !isMemoryEffectFree(def))
      return std::nullopt;
    parts.insert_range(def->getOperands());
  }
  return numbers;
}
