//===- MaskedElements.cpp - What elements beyond a diagonal are -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies are read once, from the top, with a value of a small lattice for each
// result. Integers that are linear in the loops are kept as such: the mask of
// a causal attention is a comparison of two of them, in the body that applies
// it or in an operation of its own, on tensors that number positions.
//
// Zero times what is not known counts as zero, and minus infinity plus it as
// minus infinity: who asks takes what is masked to be finite. A large negative
// number in the place of minus infinity counts as such, but where all of a row
// is masked its softmax is the same for each element, masked or not.
//
//===----------------------------------------------------------------------===//

#include "MaskedElements.h"
#include "amp/Analysis/Fill.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::amp;

/// Numbers from here on down are as good as minus infinity in a softmax.
static constexpr double kLowest = -1e30;

/// Operations of which a tensor of indices may be made.
static constexpr unsigned kMostDepth = 8;

namespace {
/// Reads the body of one operation.
class BodyEvaluator {
public:
  BodyEvaluator(linalg::LinalgOp op, std::optional<Diagonal> diagonal,
                Side side, function_ref<MaskedElement(OpOperand &)> getInput,
                unsigned depth = 0)
      : op(op), diagonal(diagonal), side(side), getInput(getInput),
        depth(depth) {}

  BodyElements evaluate();

  /// The first comparison of two loops, as a diagonal.
  std::optional<Diagonal> found;

private:
  MaskedElement get(Value value);
  MaskedElement getConstant(TypedAttr attribute);
  MaskedElement asIndex(Type type, const LinearExpr &index);
  MaskedElement getTensor(OpOperand &operand);
  MaskedElement evaluate(Operation &inner);
  MaskedElement evaluateFloat(Operation &inner);
  MaskedElement compare(arith::CmpIOp compare);
  MaskedElement compareWithZero(const LinearExpr &expr);
  unsigned numLoops() { return op.getNumLoops(); }

  linalg::LinalgOp op;
  std::optional<Diagonal> diagonal;
  Side side;
  function_ref<MaskedElement(OpOperand &)> getInput;
  unsigned depth;
  DenseMap<Value, MaskedElement> elements;
};
} // namespace

static LinearExpr combine(const LinearExpr &x, const LinearExpr &y,
                          int64_t sign) {
  LinearExpr sum = x;
  for (auto [a, b] : llvm::zip_equal(sum.coefficients, y.coefficients))
    a += sign * b;
  sum.constant += sign * y.constant;
  return sum;
}

/// The diagonal beyond which `expr` <= 0 is always false, or always true, as
/// the second value says.
static std::optional<std::pair<Diagonal, bool>>
asDiagonal(const LinearExpr &expr) {
  std::optional<unsigned> plus, minus;
  for (auto [loop, coefficient] : llvm::enumerate(expr.coefficients)) {
    if (coefficient == 0)
      continue;
    std::optional<unsigned> &place = coefficient == 1 ? plus : minus;
    if (std::abs(coefficient) != 1 || place)
      return std::nullopt;
    place = loop;
  }
  if (!plus || !minus)
    return std::nullopt;
  // plus - minus + constant <= 0: false where plus > minus - constant.
  if (*plus > *minus)
    return std::pair(Diagonal{*minus, *plus, -expr.constant}, false);
  // minus >= plus + constant: true where minus > plus + constant - 1.
  return std::pair(Diagonal{*plus, *minus, expr.constant - 1}, true);
}

MaskedElement BodyEvaluator::compareWithZero(const LinearExpr &expr) {
  auto asTruth = [](bool truth) {
    return MaskedElement{truth ? MaskedElement::True : MaskedElement::False,
                         {}};
  };
  if (llvm::all_of(expr.coefficients, [](int64_t c) { return c == 0; }))
    return asTruth(expr.constant <= 0);
  std::optional<std::pair<Diagonal, bool>> limit = asDiagonal(expr);
  if (!limit)
    return {};
  if (!found)
    found = limit->first;
  if (!diagonal || diagonal->row != limit->first.row ||
      diagonal->column != limit->first.column)
    return {};
  int64_t offset = limit->first.offset;
  if (side == Side::Beyond && diagonal->offset >= offset)
    return asTruth(limit->second);
  if (side == Side::Within && diagonal->offset <= offset)
    return asTruth(!limit->second);
  return {};
}

MaskedElement BodyEvaluator::compare(arith::CmpIOp compare) {
  MaskedElement x = get(compare.getLhs()), y = get(compare.getRhs());
  auto isTruth = [](MaskedElement e) {
    return e.kind == MaskedElement::True || e.kind == MaskedElement::False;
  };
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (isTruth(x) && isTruth(y)) {
    bool equal = x.kind == y.kind;
    if (predicate == arith::CmpIPredicate::eq)
      return {equal ? MaskedElement::True : MaskedElement::False, {}};
    if (predicate == arith::CmpIPredicate::ne)
      return {equal ? MaskedElement::False : MaskedElement::True, {}};
    return {};
  }
  if (x.kind != MaskedElement::Index || y.kind != MaskedElement::Index)
    return {};
  LinearExpr difference = combine(x.index, y.index, -1);
  LinearExpr opposite = combine(y.index, x.index, -1);
  switch (predicate) {
  case arith::CmpIPredicate::sle:
    return compareWithZero(difference);
  case arith::CmpIPredicate::slt:
    ++difference.constant;
    return compareWithZero(difference);
  case arith::CmpIPredicate::sge:
    return compareWithZero(opposite);
  case arith::CmpIPredicate::sgt:
    ++opposite.constant;
    return compareWithZero(opposite);
  default:
    return {};
  }
}

MaskedElement BodyEvaluator::getConstant(TypedAttr attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    APFloat value = number.getValue();
    if (value.isZero())
      return {MaskedElement::Zero, {}};
    if (value.isInfinity() && value.isNegative())
      return {MaskedElement::NegativeInfinity, {}};
    if (value.isFinite() && number.getValueAsDouble() <= kLowest)
      return {MaskedElement::Lowest, {}};
    return {value.isFinite() ? MaskedElement::Finite : MaskedElement::Unknown,
            {}};
  }
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number)
    return {};
  if (number.getType().isInteger(1))
    return {number.getValue().isZero() ? MaskedElement::False
                                       : MaskedElement::True,
            {}};
  if (number.getValue().getSignificantBits() > 32)
    return {};
  LinearExpr index;
  index.coefficients.assign(numLoops(), 0);
  index.constant = number.getValue().getSExtValue();
  return asIndex(number.getType(), index);
}

/// `index` as an integer of `type`, unless that could wrap.
MaskedElement BodyEvaluator::asIndex(Type type, const LinearExpr &index) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if ((type.isInteger() && type.getIntOrFloatBitWidth() < 32) ||
      llvm::any_of(extents, [](int64_t extent) { return extent < 1; }))
    return {};
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  auto [least, greatest] = index.getRange(extents);
  return least < -kMost || greatest > kMost
             ? MaskedElement()
             : MaskedElement{MaskedElement::Index, index};
}

/// What a tensor of masks or indices holds, in the loops of the operation.
MaskedElement BodyEvaluator::getTensor(OpOperand &operand) {
  if (TypedAttr constant = getSplatValue(operand.get()))
    return getConstant(constant);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  if (!getElementTypeOrSelf(operand.get().getType()).isIntOrIndex() ||
      !producer || !producer.isAllParallelLoops() ||
      !producer.hasPureTensorSemantics() || depth == kMostDepth ||
      !map.isProjectedPermutation())
    return {};
  unsigned number = cast<OpResult>(operand.get()).getResultNumber();
  AffineMap written =
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(number));
  if (!written.isPermutation())
    return {};
  // A loop of the producer is one of this operation.
  SmallVector<unsigned> loops(producer.getNumLoops());
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    loops[written.getDimPosition(dim)] = map.getDimPosition(dim);
  std::optional<Diagonal> its;
  if (diagonal) {
    auto *row = llvm::find(loops, diagonal->row);
    auto *column = llvm::find(loops, diagonal->column);
    if (row != loops.end() && column != loops.end())
      its = Diagonal{unsigned(row - loops.begin()),
                     unsigned(column - loops.begin()), diagonal->offset};
  }
  BodyEvaluator inner(
      producer, its, side, [](OpOperand &) { return MaskedElement(); },
      depth + 1);
  MaskedElement element = inner.evaluate().yielded[number];
  if (inner.found && !found)
    found = Diagonal{loops[inner.found->row], loops[inner.found->column],
                     inner.found->offset};
  if (element.kind == MaskedElement::Index) {
    LinearExpr index;
    index.coefficients.assign(numLoops(), 0);
    index.constant = element.index.constant;
    for (auto [loop, coefficient] :
         llvm::zip_equal(loops, element.index.coefficients))
      index.coefficients[loop] += coefficient;
    return asIndex(getElementTypeOrSelf(operand.get().getType()), index);
  }
  return element;
}

MaskedElement BodyEvaluator::get(Value value) {
  if (auto it = elements.find(value); it != elements.end())
    return it->second;
  if (TypedAttr constant = getSplatValue(value))
    return getConstant(constant);
  return {};
}

MaskedElement BodyEvaluator::evaluateFloat(Operation &inner) {
  MaskedElement x = get(inner.getOperand(0));
  MaskedElement y =
      inner.getNumOperands() > 1 ? get(inner.getOperand(1)) : MaskedElement();
  auto isZero = [](MaskedElement e) { return e.kind == MaskedElement::Zero; };
  auto isSum = [](MaskedElement e) { return e.kind == MaskedElement::Sum; };
  auto isFinite = [](MaskedElement e) {
    return e.kind == MaskedElement::Finite;
  };
  bool areFinite = isFinite(x) && isFinite(y);
  if (isa<arith::AddFOp>(inner)) {
    if (isZero(x))
      return y;
    if (isZero(y))
      return x;
    if (isSum(x) || isSum(y))
      return {};
    if (areFinite)
      return x;
    return x.isLowest() ? x : y.isLowest() ? y : MaskedElement();
  }
  if (isa<arith::SubFOp>(inner))
    return isZero(y) || areFinite ||
                   (x.isLowest() && !isSum(y) && !y.isLowest())
               ? x
               : MaskedElement();
  if (isa<arith::MulFOp>(inner))
    return isZero(x) || isZero(y) ? MaskedElement{MaskedElement::Zero, {}}
           : areFinite            ? x
                                  : MaskedElement();
  if (isa<arith::DivFOp>(inner))
    return isZero(x) ? x : MaskedElement();
  if (isa<arith::NegFOp>(inner))
    return isZero(x) || isFinite(x) ? x : MaskedElement();
  if (isa<arith::ExtFOp, arith::TruncFOp>(inner))
    return x.isMasked() || isFinite(x) ? x : MaskedElement();
  if (isa<math::ExpOp, math::Exp2Op>(inner))
    return x.isLowest() ? MaskedElement{MaskedElement::Zero, {}}
                        : MaskedElement();
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(inner)) {
    if (x.isLowest())
      return y;
    return y.isLowest() ? x : MaskedElement();
  }
  return {};
}

MaskedElement BodyEvaluator::evaluate(Operation &inner) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    LinearExpr loop;
    loop.coefficients.assign(numLoops(), 0);
    loop.coefficients[index.getDim()] = 1;
    return asIndex(index.getType(), loop);
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(inner)) {
    MaskedElement x = get(inner.getOperand(0));
    return x.kind == MaskedElement::Index
               ? asIndex(inner.getResult(0).getType(), x.index)
               : MaskedElement();
  }
  if (isa<arith::AddIOp, arith::SubIOp>(inner)) {
    MaskedElement x = get(inner.getOperand(0)), y = get(inner.getOperand(1));
    if (x.kind != MaskedElement::Index || y.kind != MaskedElement::Index)
      return {};
    return asIndex(
        inner.getResult(0).getType(),
        combine(x.index, y.index, isa<arith::AddIOp>(inner) ? 1 : -1));
  }
  if (auto comparison = dyn_cast<arith::CmpIOp>(inner))
    return compare(comparison);
  if (auto comparison = dyn_cast<arith::CmpFOp>(inner)) {
    bool areInfinite =
        get(comparison.getLhs()).kind == MaskedElement::NegativeInfinity &&
        get(comparison.getRhs()).kind == MaskedElement::NegativeInfinity;
    return areInfinite && comparison.getPredicate() == arith::CmpFPredicate::OEQ
               ? MaskedElement{MaskedElement::True, {}}
               : MaskedElement();
  }
  if (isa<arith::OrIOp, arith::AndIOp>(inner)) {
    MaskedElement x = get(inner.getOperand(0)), y = get(inner.getOperand(1));
    bool isOr = isa<arith::OrIOp>(inner);
    MaskedElement::Kind neutral =
        isOr ? MaskedElement::False : MaskedElement::True;
    MaskedElement::Kind stronger =
        isOr ? MaskedElement::True : MaskedElement::False;
    if (x.kind == neutral)
      return y;
    if (y.kind == neutral)
      return x;
    return x.kind == stronger ? x : y.kind == stronger ? y : MaskedElement();
  }
  if (auto select = dyn_cast<arith::SelectOp>(inner)) {
    MaskedElement condition = get(select.getCondition());
    MaskedElement yes = get(select.getTrueValue()),
                  no = get(select.getFalseValue());
    if (condition.kind == MaskedElement::True)
      return yes;
    if (condition.kind == MaskedElement::False)
      return no;
    return yes.kind == no.kind && yes.kind != MaskedElement::Index &&
                   yes.result == no.result
               ? yes
               : MaskedElement();
  }
  return evaluateFloat(inner);
}

BodyElements BodyEvaluator::evaluate() {
  BodyElements all;
  Block *body = op.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = body->getArgument(operand.getOperandNumber());
    MaskedElement element;
    if (op.isDpsInit(&operand)) {
      element.kind = op.getNumReductionLoops() != 0 ? MaskedElement::Sum
                                                    : MaskedElement::Unknown;
      element.result = op.getTiedOpResult(&operand).getResultNumber();
    } else {
      element = getInput(operand);
      if (element.kind == MaskedElement::Unknown)
        element = getTensor(operand);
    }
    elements[argument] = element;
  }
  for (Operation &inner : body->without_terminator()) {
    if (inner.getNumResults() != 1 || inner.hasTrait<OpTrait::ConstantLike>())
      continue;
    MaskedElement element = evaluate(inner);
    elements[inner.getResult(0)] = element;
    all.values.emplace_back(&inner, element);
  }
  for (Value result : body->getTerminator()->getOperands())
    all.yielded.push_back(get(result));
  return all;
}

BodyElements
amp::evaluateMasked(linalg::LinalgOp op, const Diagonal &diagonal, Side side,
                    function_ref<MaskedElement(OpOperand &)> getInput) {
  return BodyEvaluator(op, diagonal, side, getInput).evaluate();
}

std::optional<Diagonal> amp::findDiagonal(linalg::LinalgOp op) {
  BodyEvaluator evaluator(op, std::nullopt, Side::Beyond,
                          [](OpOperand &) { return MaskedElement(); });
  evaluator.evaluate();
  return evaluator.found;
}
