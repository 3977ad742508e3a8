//===- ScaleConstants.cpp - Constants that scaled values meet -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants are asked for where they are used and not where they are defined:
// one lowest number may be the start of a maximum and the bound of a clamp.
//
//===----------------------------------------------------------------------===//

#include "ScaleConstants.h"

#include "amp/Analysis/LoopRounds.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace mlir::amp;

/// Steps from a use to its constant: more are no fill of a constant.
constexpr unsigned kMaxSteps = 32;

/// The function with a body that `call` calls; null if it has none.
static func::FuncOp getCallee(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return callee && !callee.isExternal() ? callee : func::FuncOp();
}

/// The value whose elements `value` consists of, if they are of one operand.
static Value getMovedFrom(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast_if_present<linalg::LinalgOp>(
        argument.getOwner()->getParentOp());
    if (!op || !op.hasPureTensorSemantics())
      return {};
    OpOperand *operand = op.getMatchingOpOperand(argument);
    return op.isDpsInput(operand) || op.getNumReductionLoops() == 0
               ? operand->get()
               : Value();
  }
  Operation *def = value.getDefiningOp();
  if (auto call = dyn_cast<func::CallOp>(def)) {
    func::FuncOp callee = getCallee(call);
    if (!callee || !llvm::hasSingleElement(callee.getBody()))
      return {};
    return callee.getBody().front().getTerminator()->getOperand(
        cast<OpResult>(value).getResultNumber());
  }
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::ExtractOp, tensor::ExtractSliceOp, tensor::ReshapeOp,
          tensor::SplatOp, vector::BroadcastOp>(def))
    return def->getOperand(0);
  if (auto elements = dyn_cast<tensor::FromElementsOp>(def))
    return llvm::all_equal(elements.getElements()) ? elements.getElements()[0]
                                                   : Value();
  auto op = dyn_cast<linalg::LinalgOp>(def);
  if (!op || !op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0)
    return {};
  unsigned index = cast<OpResult>(value).getResultNumber();
  // Each element of the result is written.
  if (!op.getIndexingMapMatchingResult(cast<OpResult>(value)).isPermutation())
    return {};
  return op.getBlock()->getTerminator()->getOperand(index);
}

static TypedAttr getUniformConstant(Value value, unsigned steps,
                                    bool entersCalls) {
  for (; value && steps != 0; --steps) {
    if (!entersCalls && value.getDefiningOp<func::CallOp>())
      return {};
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant))) {
      if (auto elements = dyn_cast<DenseElementsAttr>(constant))
        constant = elements.isSplat() ? elements.getSplatValue<Attribute>()
                                      : Attribute();
      if (isa_and_present<FloatAttr, IntegerAttr>(constant))
        return cast<TypedAttr>(constant);
      return {};
    }
    if (Operation *def = value.getDefiningOp();
        isa_and_present<arith::ExtFOp, arith::TruncFOp>(def)) {
      auto number = dyn_cast_if_present<FloatAttr>(
          getUniformConstant(def->getOperand(0), steps - 1, entersCalls));
      auto type = cast<FloatType>(getElementTypeOrSelf(value.getType()));
      if (!number)
        return {};
      APFloat converted = number.getValue();
      bool losesInfo;
      converted.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                        &losesInfo);
      return FloatAttr::get(type, converted);
    }
    value = getMovedFrom(value);
  }
  return {};
}

TypedAttr mlir::amp::getUniformConstant(Value value) {
  return ::getUniformConstant(value, kMaxSteps, /*entersCalls=*/true);
}

TypedAttr mlir::amp::getUniformConstantHere(Value value) {
  return ::getUniformConstant(value, kMaxSteps, /*entersCalls=*/false);
}

bool mlir::amp::isSameAtEveryScale(Attribute constant) {
  // What a loop that was made of blocks carries where nothing is.
  if (isa<ub::PoisonAttrInterface>(constant))
    return true;
  auto isSame = [](const APFloat &number) {
    return number.isZero() || !number.isFinite();
  };
  if (auto number = dyn_cast<FloatAttr>(constant))
    return isSame(number.getValue());
  if (auto numbers = dyn_cast<DenseFPElementsAttr>(constant))
    return numbers.isSplat() ? isSame(numbers.getSplatValue<APFloat>())
                             : llvm::all_of(numbers, isSame);
  return false;
}

//===----------------------------------------------------------------------===//
// Exponents
//===----------------------------------------------------------------------===//

/// 1/3 is no number of any type, and stands as the nearest one.
static std::optional<Rational> getRational(FloatAttr number) {
  constexpr int64_t kMaxDenominator = 64;
  double exact = number.getValueAsDouble();
  if (std::fabs(exact) < 0x1p31)
    for (int64_t below = 1; below <= kMaxDenominator; ++below) {
      auto above = static_cast<int64_t>(std::llround(exact * below));
      APFloat rounded(static_cast<double>(above) / below);
      bool losesInfo;
      rounded.convert(number.getValue().getSemantics(),
                      APFloat::rmNearestTiesToEven, &losesInfo);
      if (rounded == number.getValue())
        return Rational::get(above, below);
    }
  return Rational::get(exact);
}

std::optional<Rational> mlir::amp::getConstantExponent(Value value) {
  TypedAttr constant = getUniformConstant(value);
  if (auto number = dyn_cast_if_present<FloatAttr>(constant))
    return getRational(number);
  if (auto number = dyn_cast_if_present<IntegerAttr>(constant);
      number && number.getValue().isSignedIntN(32))
    return Rational(number.getValue().getSExtValue());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Infinities
//===----------------------------------------------------------------------===//

bool mlir::amp::comparesWithInfinity(Operation *op) {
  auto compare = dyn_cast<arith::CmpFOp>(op);
  if (!compare)
    return false;
  if (compare.getPredicate() == arith::CmpFPredicate::ORD ||
      compare.getPredicate() == arith::CmpFPredicate::UNO ||
      compare.getLhs() == compare.getRhs())
    return true;
  return llvm::any_of(op->getOperands(), [](Value operand) {
    auto number = dyn_cast_if_present<FloatAttr>(getUniformConstant(operand));
    return number && !number.getValue().isFinite();
  });
}

/// Steps from a value to what it is infinite or NaN with.
constexpr unsigned kMaxOperations = 6;

bool mlir::amp::castsToNumbers(Operation *cast) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(cast->getResult(0)));
  return isa<arith::TruncFOp>(cast) && type &&
         !APFloat::semanticsHasNaN(type.getFloatSemantics());
}

static bool isNaNWith(Value value, Value operand, unsigned steps) {
  if (value == operand)
    return true;
  Operation *def = value.getDefiningOp();
  if (steps == 0 || !def || castsToNumbers(def) ||
      !isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
           arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::ExtFOp,
           arith::TruncFOp, math::AbsFOp, math::FmaOp, math::SqrtOp,
           math::RsqrtOp>(def))
    return false;
  return llvm::any_of(def->getOperands(), [&](Value read) {
    return isNaNWith(read, operand, steps - 1);
  });
}

bool mlir::amp::isNaNWith(Value value, Value operand) {
  return ::isNaNWith(value, operand, kMaxOperations);
}

/// True if `value` is infinite or NaN wherever `operand` is infinite.
static bool isInfiniteWith(Value value, Value operand, unsigned steps) {
  if (value == operand)
    return true;
  Operation *def = value.getDefiningOp();
  if (!def || steps == 0 || castsToNumbers(def))
    return false;
  if (isa<arith::DivFOp, arith::ExtFOp, arith::TruncFOp, arith::NegFOp,
          math::AbsFOp, math::SqrtOp>(def))
    return isInfiniteWith(def->getOperand(0), operand, steps - 1);
  if (auto power = dyn_cast<math::PowFOp>(def)) {
    std::optional<Rational> exponent = getConstantExponent(power.getRhs());
    return exponent && Rational(0) < *exponent &&
           isInfiniteWith(power.getLhs(), operand, steps - 1);
  }
  // The sum of an infinity and anything is no number, nor is its product.
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(def) &&
         llvm::any_of(def->getOperands(), [&](Value read) {
           return isInfiniteWith(read, operand, steps - 1);
         });
}

bool mlir::amp::keepsInfinity(Operation *division) {
  Value divisor = division->getOperand(1);
  while (Operation *def = divisor.getDefiningOp()) {
    if (!isa<arith::NegFOp, math::AbsFOp>(def))
      break;
    divisor = def->getOperand(0);
  }
  return isInfiniteWith(division->getOperand(0), divisor, kMaxOperations);
}

bool mlir::amp::choosesNaN(arith::SelectOp select,
                           function_ref<bool(Value)> mayOverflow) {
  using Predicate = arith::CmpFPredicate;
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return false;
  // Each of them is true of NaN, or none.
  bool isTrue = compare.getPredicate() >= Predicate::UEQ;
  Value taken = isTrue ? select.getTrueValue() : select.getFalseValue();
  bool isTrueOfEqual =
      llvm::is_contained({Predicate::OEQ, Predicate::OGE, Predicate::OLE,
                          Predicate::UEQ, Predicate::UGE, Predicate::ULE},
                         compare.getPredicate());
  Value takenOfEqual =
      isTrueOfEqual ? select.getTrueValue() : select.getFalseValue();
  if (llvm::all_of(compare->getOperands(), mayOverflow) &&
      llvm::none_of(compare->getOperands(), [&](Value compared) {
        return isInfiniteWith(takenOfEqual, compared, kMaxOperations);
      }))
    return false;
  return llvm::all_of(compare->getOperands(), [&](Value compared) {
    auto number = dyn_cast_if_present<FloatAttr>(getUniformConstant(compared));
    return (number && !number.getValue().isNaN()) || isNaNWith(taken, compared);
  });
}

/// The largest finite number, of either sign; null if it is none.
static FloatAttr getLargestFinite(Value value) {
  auto number = dyn_cast_if_present<FloatAttr>(getUniformConstant(value));
  return number && number.getValue().isFinite() && number.getValue().isLargest()
             ? number
             : FloatAttr();
}

bool mlir::amp::clampsInfinity(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, math::ClampFOp>(op) &&
         llvm::any_of(op->getOperands(), getLargestFinite);
}

static bool isNotNegative(Value value, unsigned steps);

/// True if `value` is the maximum of numbers that are no -inf, of at least one
/// or of what it starts with.
static bool isMaximumOfNotNegative(Value value, unsigned steps) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumReductionLoops() == 0)
    return false;
  OpOperand *start =
      op.getDpsInitOperand(cast<OpResult>(value).getResultNumber());
  BlockArgument carried = op.getMatchingBlockArgument(start);
  auto maximum =
      op.getMatchingYieldValue(start)->get().getDefiningOp<arith::MaximumFOp>();
  if (!maximum || !llvm::is_contained(maximum->getOperands(), carried))
    return false;
  bool hasElement = llvm::all_of(op.getStaticLoopRanges(), [](int64_t range) {
    return ShapedType::isStatic(range) && range != 0;
  });
  Value element =
      maximum.getLhs() == carried ? maximum.getRhs() : maximum.getLhs();
  return isNotNegative(element, steps) &&
         (hasElement || isNotNegative(start->get(), steps));
}

/// True if `value` is no -inf. The seed of a loss is 1, and scales are
/// positive.
static bool isNotNegative(Value value, unsigned steps) {
  if (auto number = dyn_cast_if_present<FloatAttr>(getUniformConstant(value)))
    return !number.getValue().isNegative();
  if (steps == 0)
    return false;
  if (Value moved = getMovedFrom(value))
    return isNotNegative(moved, steps - 1);
  Operation *def = value.getDefiningOp();
  if (!def)
    return false;
  if (isa<math::AbsFOp, math::SqrtOp, math::ExpOp, ScaleLossOp>(def) ||
      (isa<arith::MulFOp>(def) && def->getOperand(0) == def->getOperand(1)) ||
      isMaximumOfNotNegative(value, steps - 1))
    return true;
  return isa<arith::AddFOp, arith::MulFOp, arith::DivFOp, arith::MaximumFOp,
             arith::ExtFOp, arith::TruncFOp>(def) &&
         llvm::all_of(def->getOperands(), [&](Value operand) {
           return isNotNegative(operand, steps - 1);
         });
}

/// True if `value` is no +inf.
static bool isNotPositive(Value value, unsigned steps) {
  for (; steps != 0; --steps) {
    if (auto negation = value.getDefiningOp<arith::NegFOp>())
      return isNotNegative(negation.getOperand(), steps - 1);
    value = getMovedFrom(value);
    if (!value)
      return false;
  }
  return false;
}

/// True if `value` is what `op` gave, moved or not, or is handed over by an
/// operation that contains `op`.
static bool comesFrom(Value value, Operation *op) {
  for (unsigned steps = kMaxOperations; value && steps != 0; --steps) {
    Operation *def = value.getDefiningOp();
    if (def && def->isAncestor(op))
      return true;
    value = getMovedFrom(value);
  }
  return false;
}

/// True if `value` is what a loop or reduction carries to the next `op`, which
/// is a running maximum then. What goes round as it is, is a bound.
static bool isCarriedTo(Value value, Operation *op) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(parent)) {
    OpOperand *operand = linalgOp.getMatchingOpOperand(argument);
    return linalgOp.getNumReductionLoops() != 0 &&
           linalgOp.isDpsInit(operand) &&
           comesFrom(linalgOp.getMatchingYieldValue(operand)->get(), op);
  }
  auto loop = dyn_cast<LoopLikeOpInterface>(parent);
  if (!loop)
    return false;
  if (OpOperand *yielded = loop.getTiedLoopYieldedValue(argument))
    return comesFrom(yielded->get(), op);
  // The two regions of an scf.while number their arguments differently.
  return llvm::any_of(argument.getOwner()->getTerminator()->getOperands(),
                      [&](Value yielded) { return comesFrom(yielded, op); });
}

bool mlir::amp::boundsInfinity(Operation *op,
                               function_ref<bool(Value)> mayOverflow) {
  SmallVector<Value> values(op->getOperands());
  bool isMaximum = isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    values = {select.getTrueValue(), select.getFalseValue()};
    if (!compare || values[0] == values[1] ||
        !llvm::is_contained(values, compare.getLhs()) ||
        !llvm::is_contained(values, compare.getRhs()))
      return false;
  }
  if (llvm::all_equal(values) ||
      llvm::any_of(values, [&](Value value) { return isCarriedTo(value, op); }))
    return false;
  llvm::erase_if(values, [&](Value value) { return !mayOverflow(value); });
  return values.size() > 1 &&
         !(isMaximum && llvm::all_of(values, [](Value value) {
             return isNotNegative(value, kMaxOperations);
           }));
}

/// The operations that say what `condition` is, all of which have to be true;
/// null for one that none defines.
static llvm::SetVector<Operation *> getConjuncts(Value condition) {
  // Each part once: a chain of conjunctions with themselves has 2^n paths.
  llvm::SetVector<Value> parts;
  llvm::SetVector<Operation *> conjuncts;
  parts.insert(condition);
  for (unsigned i = 0; i < parts.size(); ++i) {
    Operation *def = parts[i].getDefiningOp();
    if (isa_and_present<tensor::ExtractOp>(def))
      parts.insert(def->getOperand(0));
    else if (isa_and_present<arith::AndIOp>(def))
      parts.insert_range(def->getOperands());
    else
      conjuncts.insert(def);
  }
  return conjuncts;
}

/// Appends what `condition` compares; false where it is true of NaN, or made of
/// something else than comparisons that all have to be true.
static bool findCompared(Value condition, llvm::SetVector<Value> &compared) {
  for (Operation *def : getConjuncts(condition)) {
    if (isa_and_present<arith::CmpIOp>(def))
      continue; // what made integers of an overflow is looked at there
    auto compare = dyn_cast_if_present<arith::CmpFOp>(def);
    if (!compare || compare.getPredicate() >= arith::CmpFPredicate::ORD)
      return false;
    compared.insert(compare.getLhs());
    compared.insert(compare.getRhs());
  }
  return true;
}

namespace {
/// What a round of a loop begins with, and what is added to that.
struct Counter {
  BlockArgument argument;
  APInt added;
};
} // namespace

/// What `value`, an integer of a round of `loop`, is counted from; none if it
/// is something else than what the round begins with plus a constant.
static std::optional<Counter> getCounter(scf::WhileOp loop, Value value) {
  Type type = getElementTypeOrSelf(value);
  if (!type.isIntOrIndex())
    return std::nullopt;
  APInt added(type.isIndex() ? IndexType::kInternalStorageBitWidth
                             : type.getIntOrFloatBitWidth(),
              0);
  for (unsigned steps = 0; steps < kMaxOperations; ++steps) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == loop.getBeforeBody())
        return Counter{argument, added};
      if (argument.getOwner() != loop.getAfterBody())
        return std::nullopt;
      value = loop.getConditionOp().getArgs()[argument.getArgNumber()];
      continue;
    }
    Operation *def = value.getDefiningOp();
    if (auto extract = dyn_cast<tensor::ExtractOp>(def)) {
      if (!extract.getIndices().empty())
        return std::nullopt;
      value = extract.getTensor();
      continue;
    }
    if (!isa<arith::AddIOp, arith::SubIOp>(def))
      return std::nullopt;
    value = def->getOperand(0);
    auto number = dyn_cast_if_present<IntegerAttr>(
        getUniformConstant(def->getOperand(1)));
    if (!number && isa<arith::AddIOp>(def)) {
      value = def->getOperand(1);
      number = dyn_cast_if_present<IntegerAttr>(
          getUniformConstant(def->getOperand(0)));
    }
    if (!number || number.getValue().getBitWidth() != added.getBitWidth())
      return std::nullopt;
    if (isa<arith::AddIOp>(def))
      added += number.getValue();
    else
      added -= number.getValue();
  }
  return std::nullopt;
}

/// What each round of `loop` adds to `value`; none if that is no constant.
static std::optional<APInt> getStep(scf::WhileOp loop, Value value) {
  std::optional<Counter> counter = getCounter(loop, value);
  if (!counter)
    return std::nullopt;
  std::optional<Counter> next = getCounter(
      loop, loop.getYieldedValues()[counter->argument.getArgNumber()]);
  return next && next->argument == counter->argument
             ? std::optional<APInt>(next->added)
             : std::nullopt;
}

/// True if `value` is the same in each round of `loop`.
static bool isUnchanged(scf::WhileOp loop, Value value) {
  if (!loop->isAncestor(value.getParentBlock()->getParentOp()) ||
      getUniformConstant(value))
    return true;
  std::optional<APInt> step = getStep(loop, value);
  return step && step->isZero();
}

/// True if `compare` is false after a number of rounds: what it compares counts
/// towards a bound. Rounds are counted from either side, but one by one where
/// the bound has to be met.
static bool endsByCounting(scf::WhileOp loop, arith::CmpIOp compare) {
  using Predicate = arith::CmpIPredicate;
  Value counted = compare.getLhs(), bound = compare.getRhs();
  bool isUp = llvm::is_contained(
      {Predicate::slt, Predicate::sle, Predicate::ult, Predicate::ule},
      compare.getPredicate());
  if (!isUnchanged(loop, bound)) {
    std::swap(counted, bound);
    isUp = !isUp;
    if (!isUnchanged(loop, bound))
      return false;
  }
  std::optional<APInt> step = getStep(loop, counted);
  if (!step || step->isZero())
    return false;
  if (compare.getPredicate() == Predicate::eq)
    return true; // of one round at most
  if (compare.getPredicate() == Predicate::ne)
    return step->isOne() || step->isAllOnes();
  return step->isNegative() != isUp;
}

bool mlir::amp::endsWithOverflow(scf::WhileOp loop,
                                 function_ref<bool(Value)> mayOverflow) {
  return llvm::any_of(
      getConjuncts(loop.getConditionOp().getCondition()), [&](Operation *def) {
        auto compare = dyn_cast_if_present<arith::CmpIOp>(def);
        return compare && llvm::none_of(def->getOperands(), mayOverflow) &&
               endsByCounting(loop, compare);
      });
}

/// The value that `value` is NaN with, and only with.
static Value getNaNSource(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    bool isSquare =
        isa<arith::MulFOp>(def) && def->getOperand(0) == def->getOperand(1);
    if (!isSquare &&
        !isa<arith::NegFOp, math::AbsFOp, arith::ExtFOp, tensor::ExtractOp>(
            def))
      return value;
    value = def->getOperand(0);
  }
  return value;
}

bool mlir::amp::showsOverflow(scf::WhileOp loop, unsigned number,
                              function_ref<bool(Value)> mayOverflow) {
  llvm::SetVector<Value> compared;
  scf::ConditionOp end = loop.getConditionOp();
  if (!findCompared(end.getCondition(), compared))
    return false;
  Value given = end.getArgs()[number];
  auto argument = dyn_cast<BlockArgument>(given);
  return llvm::all_of(compared, [&](Value value) {
    value = getNaNSource(value);
    if (!mayOverflow(value) || isNaNWith(given, value))
      return true;
    // What was made outside is NaN before the first round.
    bool isOutside = !loop->isAncestor(value.getParentBlock()->getParentOp());
    return isOutside && argument &&
           argument.getOwner() == loop.getBeforeBody() &&
           isNaNWith(loop.getInits()[argument.getArgNumber()], value);
  });
}

//===----------------------------------------------------------------------===//
// Starts of maxima
//===----------------------------------------------------------------------===//

/// True if `select` takes the larger one (the smaller one) of two values.
static bool isExtremum(arith::SelectOp select, bool isMaximum) {
  using Predicate = arith::CmpFPredicate;
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return false;
  bool isGreater = false;
  switch (compare.getPredicate()) {
  case Predicate::OGT:
  case Predicate::OGE:
  case Predicate::UGT:
  case Predicate::UGE:
    isGreater = true;
    break;
  case Predicate::OLT:
  case Predicate::OLE:
  case Predicate::ULT:
  case Predicate::ULE:
    break;
  default:
    return false;
  }
  Value first = compare.getLhs(), second = compare.getRhs();
  if (isGreater != isMaximum)
    std::swap(first, second);
  return select.getTrueValue() == first && select.getFalseValue() == second;
}

static bool isExtremum(Operation *op, bool isMaximum) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return isExtremum(select, isMaximum);
  return isMaximum ? isa<arith::MaximumFOp, arith::MaxNumFOp>(op)
                   : isa<arith::MinimumFOp, arith::MinNumFOp>(op);
}

/// True if the condition of `loop` is seen to hold before its first round.
static bool holdsAtFirst(scf::WhileOp loop) {
  auto getFirst = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == loop.getBeforeBody())
      value = loop.getInits()[argument.getArgNumber()];
    return dyn_cast_if_present<IntegerAttr>(getUniformConstant(value));
  };
  return llvm::all_of(
      getConjuncts(loop.getConditionOp().getCondition()), [&](Operation *def) {
        auto compare = dyn_cast_if_present<arith::CmpIOp>(def);
        IntegerAttr left = compare ? getFirst(compare.getLhs()) : nullptr;
        IntegerAttr right = compare ? getFirst(compare.getRhs()) : nullptr;
        return left && right &&
               arith::applyCmpPredicate(compare.getPredicate(), left.getValue(),
                                        right.getValue());
      });
}

/// True if each element of what `op` reduces to is seen to be of at least one:
/// nothing is compared over an extent that is 0 at run time.
static bool hasElement(linalg::LinalgOp op) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  return llvm::all_of(reduced, [&](unsigned loop) {
    return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      std::optional<unsigned> place =
          map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
      // One that is dynamic is negative here.
      return place && op.getShape(&operand)[*place] > 0;
    });
  });
}

/// True if `loop` is seen to have a round.
static bool hasRound(LoopLikeOpInterface loop) {
  if (auto conditioned = dyn_cast<scf::WhileOp>(*loop))
    return holdsAtFirst(conditioned);
  return runsRound(loop) == true;
}

/// What the rounds carry that begin with `operand`, or a function is handed;
/// null if it is neither.
static BlockArgument getCarried(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op);
      loop && !isa<scf::ForallOp>(op))
    return hasRound(loop) ? loop.getTiedLoopRegionIterArg(&operand)
                          : BlockArgument();
  if (auto condition = dyn_cast<scf::ConditionOp>(op))
    return number == 0 ? BlockArgument()
                       : cast<scf::WhileOp>(op->getParentOp())
                             .getAfterArguments()[number - 1];
  if (auto call = dyn_cast<func::CallOp>(op)) {
    func::FuncOp callee = getCallee(call);
    return callee ? callee.getArgument(number) : BlockArgument();
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.hasPureTensorSemantics() &&
                 linalgOp.getNumReductionLoops() != 0 &&
                 linalgOp.isDpsInit(&operand) && hasElement(linalgOp)
             ? linalgOp.getMatchingBlockArgument(&operand)
             : BlockArgument();
}

SmallVector<Operation *> mlir::amp::findStartedExtrema(Value start,
                                                       BlockArgument carried) {
  FloatAttr number = getLargestFinite(start);
  if (!number)
    return {};
  Operation *parent = carried.getOwner()->getParentOp();
  auto loop = dyn_cast<LoopLikeOpInterface>(parent);
  auto reduction = dyn_cast<linalg::LinalgOp>(parent);
  if ((loop && !hasRound(loop)) || (reduction && !hasElement(reduction)))
    return {};
  bool isMaximum = number.getValue().isNegative();
  SmallVector<Operation *> extrema;
  SmallVector<Value> worklist{carried};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isExtremum(user, isMaximum)) {
        extrema.push_back(user);
        continue;
      }
      // Below (above) each number that it is compared with.
      if (isa<arith::CmpFOp>(user))
        continue;
      if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
              tensor::ExtractOp, tensor::ExtractSliceOp>(user)) {
        worklist.push_back(user->getResult(0));
        continue;
      }
      BlockArgument inner = getCarried(use);
      if (!inner)
        return {};
      worklist.push_back(inner);
    }
  }
  return extrema;
}

bool mlir::amp::mayHideInfinity(Operation *extremum) {
  bool isMaximum = isExtremum(extremum, /*isMaximum=*/true);
  return llvm::none_of(extremum->getOperands(), [&](Value value) {
    return isMaximum ? isNotNegative(value, kMaxOperations)
                     : isNotPositive(value, kMaxOperations);
  });
}
