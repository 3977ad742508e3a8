//===- FlagRules.cpp - What makes a flag surely true ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rule for each kind of operation. A disjunction asks for one true operand
// whatever its shape, a conjunction for all of them, and that of a single
// element: two tensors with a true element each may have them at different
// places. A body of linalg is gone through once for each of its operands that
// holds, by itself for the same reason; a reduction has to keep what it found
// before, and what is repeated has to be repeated once at least. Only where all
// that it is handed is false everywhere, it is gone through for all together.
// Sums of flags are disjunctions where they cannot wrap to 0.
//
//===----------------------------------------------------------------------===//

#include "FlagRules.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

/// True if a value of `type` surely has an element.
static bool hasElements(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || (shaped.hasStaticShape() && shaped.getNumElements() != 0);
}

bool mlir::amp::isFlagType(Type type) {
  return getElementTypeOrSelf(type).isInteger(1);
}

bool mlir::amp::isConstantFlag(FlagPart part) {
  auto [value, isNegated] = part;
  if (!hasElements(value.getType()))
    return false;
  APFloat number(0.0);
  if (matchPattern(value, m_ConstantFloat(&number)))
    return isNegated ? number.isZero()
                     : number > APFloat(number.getSemantics());
  return isNegated ? matchPattern(value, m_Zero())
                   : matchPattern(value, m_NonZero());
}

std::optional<FlagPart> mlir::amp::getKeptFlag(FlagPart part) {
  Operation *def = part.first.getDefiningOp();
  auto keep = [&](Value value, bool isNegation) {
    return FlagPart{value, part.second != unsigned(isNegation)};
  };
  if (!def)
    return std::nullopt;
  if (isa<arith::ExtUIOp, arith::ExtSIOp, arith::UIToFPOp>(def) ||
      (isa<arith::IndexCastUIOp>(def) && part.first.getType().isIndex()))
    return keep(def->getOperand(0), false);
  // What is false here may be true elsewhere.
  if (isa<AllReduceFoundInfOp>(def) && !part.second)
    return keep(def->getOperand(0), false);
  if (def->getNumOperands() != 2)
    return std::nullopt;
  if (auto compare = dyn_cast<arith::CmpFOp>(def);
      compare && matchPattern(compare.getRhs(), m_AnyZeroFloat()) &&
      llvm::is_contained({arith::CmpFPredicate::OGT, arith::CmpFPredicate::UNE,
                          arith::CmpFPredicate::ONE},
                         compare.getPredicate()))
    return keep(compare.getLhs(), false);
  for (auto [kept, other] : {std::pair(0, 1), std::pair(1, 0)}) {
    Value value = def->getOperand(kept), constant = def->getOperand(other);
    bool isZero = matchPattern(constant, m_Zero());
    bool isTrue =
        isFlagType(value.getType()) && matchPattern(constant, m_One());
    if (!isZero && !isTrue)
      continue;
    if (isa<arith::XOrIOp>(def))
      return keep(value, isTrue);
    if (auto compare = dyn_cast<arith::CmpIOp>(def)) {
      bool isEqual = compare.getPredicate() == arith::CmpIPredicate::eq;
      if (isEqual || compare.getPredicate() == arith::CmpIPredicate::ne)
        return keep(value, isEqual == isZero);
      if (isZero &&
          compare.getPredicate() == (kept == 0 ? arith::CmpIPredicate::ugt
                                               : arith::CmpIPredicate::ult))
        return keep(value, false);
    }
    if (isa<arith::AndIOp>(def) && isTrue)
      return keep(value, false);
  }
  return std::nullopt;
}

/// True if a value of `type` has one element.
static bool hasOneElement(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || (shaped.hasStaticShape() && shaped.getNumElements() == 1);
}

/// True if `part` has as many elements as `whole`.
static bool isWhole(Type part, Type whole) {
  auto ofPart = dyn_cast<ShapedType>(part);
  auto ofWhole = cast<ShapedType>(whole);
  return ofWhole.hasStaticShape() && (!ofPart || ofPart.hasStaticShape()) &&
         (ofPart ? ofPart.getNumElements() : 1) == ofWhole.getNumElements();
}

/// The largest value of `sum`, extensions of flags and sums of them; nothing if
/// it is another one, or larger than `limit`.
static std::optional<uint64_t> getLargest(Value sum, uint64_t limit) {
  constexpr unsigned kMaxTerms = 4096;
  unsigned numTerms = 0;
  uint64_t largest = 0;
  SmallVector<Value> worklist{sum};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    // A value that is added to itself again and again has 2^n terms.
    if (++numTerms > kMaxTerms)
      return std::nullopt;
    if (auto add = value.getDefiningOp<arith::AddIOp>()) {
      llvm::append_range(worklist, add->getOperands());
      continue;
    }
    APInt constant;
    uint64_t most = 0;
    if (matchPattern(value, m_ConstantInt(&constant)))
      most = constant.getLimitedValue();
    else if (auto extend = value.getDefiningOp<arith::ExtUIOp>();
             extend && isFlagType(extend.getIn().getType()))
      most = 1;
    else
      return std::nullopt;
    if (most > limit - largest)
      return std::nullopt;
    largest += most;
  }
  return largest;
}

/// True if `sum` is 0 only if both of its operands are.
static bool isDisjunction(arith::AddIOp sum) {
  constexpr uint64_t kMost = 4096;
  Type type = getElementTypeOrSelf(sum.getType());
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                  : type.getIntOrFloatBitWidth();
  uint64_t limit = width > 12 ? kMost : (uint64_t(1) << width) - 1;
  return getLargest(sum, limit).has_value();
}

/// True if `holds` for one of the values of `part`'s operation, or for all.
static bool holdsForAny(FlagPart part, HoldingParts holds) {
  return llvm::any_of(
      part.first.getDefiningOp()->getOperands(),
      [&](Value operand) { return holds({operand, part.second}); });
}
static bool holdsForAll(FlagPart part, HoldingParts holds) {
  return hasOneElement(part.first.getType()) &&
         llvm::all_of(
             part.first.getDefiningOp()->getOperands(),
             [&](Value operand) { return holds({operand, part.second}); });
}

/// A choice is true where all that it may choose is. One of a constant is a
/// disjunction.
static bool isChoiceImplied(arith::SelectOp select, unsigned isNegated,
                            HoldingParts holds) {
  Value condition = select.getCondition();
  FlagPart taken{select.getTrueValue(), isNegated},
      other{select.getFalseValue(), isNegated};
  bool isOne = hasOneElement(condition.getType());
  if (isOne && holds({condition, false}))
    return holds(taken);
  if (isOne && holds({condition, true}))
    return holds(other);
  // Some element is chosen so.
  if ((isConstantFlag(taken) && holds({condition, false})) ||
      (isConstantFlag(other) && holds({condition, true})))
    return true;
  return isOne && holds(taken) && holds(other);
}

/// Movements and joins of tensors.
static bool isTensorImplied(FlagPart part, HoldingParts holds) {
  Operation *def = part.first.getDefiningOp();
  FlagPart source{def->getOperand(0), part.second};
  if (isa<tensor::FromElementsOp, tensor::ConcatOp>(def))
    return holdsForAny(part, holds);
  // What is put in is in there, what it is put in may be written over.
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::InsertOp, tensor::InsertSliceOp>(def))
    return holds(source);
  if (isa<tensor::SplatOp>(def))
    return hasElements(part.first.getType()) && holds(source);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(def);
      slice && !slice.hasUnitStride())
    return false;
  if (isa<tensor::ReshapeOp, tensor::ExtractOp, tensor::ExtractSliceOp>(def))
    return isWhole(part.first.getType(), source.first.getType()) &&
           holds(source);
  return false;
}

//===----------------------------------------------------------------------===//
// Bodies of linalg
//===----------------------------------------------------------------------===//

/// True if `op` surely runs a round.
static bool runsRound(linalg::LinalgOp op) {
  return llvm::all_of(op.getStaticLoopRanges(), [](int64_t size) {
    return size != 0 && !ShapedType::isDynamic(size);
  });
}

/// True if `op` reads each element of `operand`, an input, and each in a round
/// at least.
static bool readsAll(linalg::LinalgOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation())
    return hasOneElement(operand.get().getType()) && runsRound(op);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop != op.getNumLoops(); ++loop)
    if (!map.isFunctionOfDim(loop) &&
        (sizes[loop] == 0 || ShapedType::isDynamic(sizes[loop])))
      return false;
  return true;
}

/// True if `map` tells all of its loops apart.
static bool tellsApart(AffineMap map) {
  llvm::SmallBitVector missing(map.getNumDims(), true);
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      missing.reset(dim.getPosition());
  return missing.none();
}

/// True if `yielded`, of the body of `op`, holds in a round in which `seeds`
/// do, arguments of it, beside what is captured.
static bool isYielded(linalg::LinalgOp op, FlagPart yielded,
                      ArrayRef<FlagPart> seeds, HoldingParts holds) {
  llvm::DenseSet<FlagPart> known(seeds.begin(), seeds.end());
  auto holdsInside = [&](FlagPart part) {
    if (isConstantFlag(part) || known.contains(part))
      return true;
    // What is captured has one element, which holds in every round.
    return !op->isAncestor(part.first.getParentBlock()->getParentOp()) &&
           hasOneElement(part.first.getType()) && holds(part);
  };
  for (Operation &inside : op.getBlock()->without_terminator())
    for (Value result : inside.getResults())
      for (unsigned isNegated : {0, 1})
        if (isImplied({result, isNegated}, holdsInside))
          known.insert({result, isNegated});
  return holdsInside(yielded);
}

/// True if all elements of `value` are false.
static bool isFalse(Value value, HoldingParts holds) {
  constexpr unsigned kMaxValues = 4096;
  llvm::SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i != values.size(); ++i) {
    if (i == kMaxValues)
      return false;
    Value next = values[i];
    if (matchPattern(next, m_Zero()) ||
        (hasOneElement(next.getType()) && holds({next, true})))
      continue;
    Operation *def = next.getDefiningOp();
    if (!isa_and_present<tensor::FromElementsOp, tensor::ConcatOp,
                         tensor::CastOp, tensor::CollapseShapeOp,
                         tensor::ExpandShapeOp, tensor::SplatOp,
                         tensor::InsertOp, tensor::InsertSliceOp, arith::OrIOp>(
            def))
      return false;
    for (Value operand : def->getOperands())
      if (!operand.getType().isIndex())
        values.insert(operand);
  }
  return true;
}

/// True if `op` is handed nothing but what is false, and keeps it.
static bool keepsFalse(linalg::LinalgOp op, FlagPart yielded,
                       HoldingParts holds) {
  SmallVector<FlagPart> seeds;
  for (OpOperand &operand : op->getOpOperands()) {
    seeds.emplace_back(op.getMatchingBlockArgument(&operand), true);
    if (!isFalse(operand.get(), holds))
      return false;
  }
  return isYielded(op, yielded, seeds, holds);
}

static bool isLinalgImplied(linalg::LinalgOp op, FlagPart part,
                            HoldingParts holds) {
  auto [result, isNegated] = part;
  unsigned number = cast<OpResult>(result).getResultNumber();
  FlagPart yielded{op.getBlock()->getTerminator()->getOperand(number),
                   isNegated};
  OpOperand *init = op.getDpsInitOperand(number);
  if (isNegated && hasElements(result.getType()) &&
      keepsFalse(op, yielded, holds))
    return true;
  bool keepsBefore =
      isYielded(op, yielded,
                FlagPart{op.getMatchingBlockArgument(init), isNegated}, holds);
  // A reduction keeps what it joins with its elements before; where it joins
  // nothing, each element is to have a place of its own.
  bool isReduction = op.getNumReductionLoops() != 0 ||
                     !tellsApart(op.getMatchingIndexingMap(init));
  if (isReduction && !keepsBefore)
    return false;
  if ((keepsBefore && holds({init->get(), isNegated})) ||
      (runsRound(op) && isYielded(op, yielded, {}, holds)))
    return true;
  for (OpOperand *input : op.getDpsInputOperands())
    for (unsigned isFalse : {0, 1})
      if (holds({input->get(), isFalse}) && readsAll(op, *input) &&
          isYielded(op, yielded,
                    FlagPart{op.getMatchingBlockArgument(input), isFalse},
                    holds))
        return true;
  return false;
}

bool mlir::amp::isImplied(FlagPart part, HoldingParts holds) {
  Operation *def = part.first.getDefiningOp();
  bool isNegated = part.second;
  if (!def || def->getNumOperands() == 0)
    return false;
  if (std::optional<FlagPart> kept = getKeptFlag(part))
    return holds(*kept);
  if (auto select = dyn_cast<arith::SelectOp>(def))
    return isChoiceImplied(select, part.second, holds);
  if (auto op = dyn_cast<linalg::LinalgOp>(def))
    return isLinalgImplied(op, part, holds);
  if (isa<tensor::TensorDialect>(def->getDialect()))
    return isTensorImplied(part, holds);
  if (isa<arith::OrIOp, arith::MaxUIOp>(def))
    return isNegated ? holdsForAll(part, holds) : holdsForAny(part, holds);
  if (isa<arith::AndIOp, arith::MinUIOp, arith::MulIOp>(def) &&
      isFlagType(part.first.getType()))
    return isNegated ? holdsForAny(part, holds) : holdsForAll(part, holds);
  auto sum = dyn_cast<arith::AddIOp>(def);
  if (sum && isNegated)
    return holdsForAll(part, holds); // 0 + 0
  return sum && holdsForAny(part, holds) && isDisjunction(sum);
}

void mlir::amp::addNecessary(FlagPart part, SmallVectorImpl<FlagPart> &parts) {
  Operation *def = part.first.getDefiningOp();
  if (!def || def->getNumOperands() == 0 ||
      llvm::any_of(def->getOperandTypes(),
                   [](Type type) { return !hasOneElement(type); }) ||
      !hasOneElement(part.first.getType()))
    return;
  Value first = def->getOperand(0);
  bool isNegated = part.second;
  bool isMoved =
      isa<tensor::ExtractOp, tensor::FromElementsOp, tensor::CastOp,
          tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::SplatOp>(def);
  bool isBoth = isNegated ? isa<arith::OrIOp, arith::MaxUIOp>(def)
                          : isa<arith::AndIOp, arith::MinUIOp>(def) &&
                                isFlagType(part.first.getType());
  if (isMoved)
    parts.emplace_back(first, isNegated);
  else if (isBoth)
    for (Value operand : def->getOperands())
      parts.emplace_back(operand, isNegated);
  else if (isa<arith::ExtUIOp, arith::ExtSIOp, arith::IndexCastUIOp,
               arith::XOrIOp, arith::CmpIOp>(def))
    if (std::optional<FlagPart> kept = getKeptFlag(part))
      parts.push_back(*kept);
}

void mlir::amp::addSufficient(FlagPart part, SmallVectorImpl<FlagPart> &parts) {
  Operation *def = part.first.getDefiningOp();
  if (!def)
    return;
  if (auto unscale = dyn_cast<UnscaleOp>(def)) {
    if (part.first == unscale.getFoundInf() && !part.second &&
        unscale.getAlreadyFound())
      parts.emplace_back(unscale.getAlreadyFound(), false);
    return;
  }
  if (def->getNumRegions() != 0 && !isa<linalg::LinalgOp>(def))
    return;
  for (Value operand : def->getOperands())
    for (unsigned isNegated : {0, 1}) {
      FlagPart one{operand, isNegated};
      auto holds = [&](FlagPart other) {
        return other == one || isConstantFlag(other);
      };
      if (isImplied(part, holds))
        parts.push_back(one);
    }
}
