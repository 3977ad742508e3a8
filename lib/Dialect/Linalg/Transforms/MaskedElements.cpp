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
// number in the place of minus infinity is not known: where all of a row is
// masked, its softmax is the same for each element, masked or not.
//
//===----------------------------------------------------------------------===//

#include "MaskedElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

/// Operations of which a tensor of indices may be made.
static constexpr unsigned kMostDepth = 8;

namespace {
/// Reads the body of one operation.
class BodyEvaluator {
public:
  BodyEvaluator(linalg::LinalgOp op, std::optional<Diagonal> diagonal,
                Side side, function_ref<Element(OpOperand &)> getInput,
                unsigned depth = 0)
      : op(op), diagonal(diagonal), side(side), getInput(getInput),
        depth(depth) {}

  SmallVector<Element> evaluate();

  /// The first comparison of two loops, as a diagonal.
  std::optional<Diagonal> found;

private:
  Element get(Value value);
  Element getConstant(Attribute attribute);
  Element asIndex(Type type, const LinearExpr &index);
  Element getTensor(OpOperand &operand);
  Element evaluate(Operation &inner);
  Element evaluateFloat(Operation &inner);
  Element compare(arith::CmpIOp compare);
  Element compareWithZero(const LinearExpr &expr);
  unsigned numLoops() { return op.getNumLoops(); }

  linalg::LinalgOp op;
  std::optional<Diagonal> diagonal;
  Side side;
  function_ref<Element(OpOperand &)> getInput;
  unsigned depth;
  DenseMap<Value, Element> elements;
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

Element BodyEvaluator::compareWithZero(const LinearExpr &expr) {
  auto asTruth = [](bool truth) {
    return Element{truth ? Element::True : Element::False, {}};
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

Element BodyEvaluator::compare(arith::CmpIOp compare) {
  Element x = get(compare.getLhs()), y = get(compare.getRhs());
  auto isTruth = [](Element e) {
    return e.kind == Element::True || e.kind == Element::False;
  };
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (isTruth(x) && isTruth(y)) {
    bool equal = x.kind == y.kind;
    if (predicate == arith::CmpIPredicate::eq)
      return {equal ? Element::True : Element::False, {}};
    if (predicate == arith::CmpIPredicate::ne)
      return {equal ? Element::False : Element::True, {}};
    return {};
  }
  if (x.kind != Element::Index || y.kind != Element::Index)
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

Element BodyEvaluator::getConstant(Attribute attribute) {
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
    attribute = splat.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    APFloat value = number.getValue();
    if (value.isZero())
      return {Element::Zero, {}};
    if (value.isInfinity() && value.isNegative())
      return {Element::NegativeInfinity, {}};
    return {value.isFinite() ? Element::Finite : Element::Unknown, {}};
  }
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number)
    return {};
  if (number.getType().isInteger(1))
    return {number.getValue().isZero() ? Element::False : Element::True, {}};
  if (number.getValue().getSignificantBits() > 32)
    return {};
  LinearExpr index;
  index.coefficients.assign(numLoops(), 0);
  index.constant = number.getValue().getSExtValue();
  return asIndex(number.getType(), index);
}

/// `index` as an integer of `type`, unless that could wrap.
Element BodyEvaluator::asIndex(Type type, const LinearExpr &index) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if ((type.isInteger() && type.getIntOrFloatBitWidth() < 32) ||
      llvm::any_of(extents, [](int64_t extent) { return extent < 1; }))
    return {};
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  auto [least, greatest] = index.getRange(extents);
  return least < -kMost || greatest > kMost ? Element()
                                            : Element{Element::Index, index};
}

/// What a tensor of masks or indices holds, in the loops of the operation.
Element BodyEvaluator::getTensor(OpOperand &operand) {
  Attribute constant;
  if (matchPattern(operand.get(), m_Constant(&constant)))
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
      producer, its, side, [](OpOperand &) { return Element(); }, depth + 1);
  Element element = inner.evaluate()[number];
  if (inner.found && !found)
    found = Diagonal{loops[inner.found->row], loops[inner.found->column],
                     inner.found->offset};
  if (element.kind == Element::Index) {
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

Element BodyEvaluator::get(Value value) {
  if (auto it = elements.find(value); it != elements.end())
    return it->second;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return getConstant(constant);
  return {};
}

Element BodyEvaluator::evaluateFloat(Operation &inner) {
  Element x = get(inner.getOperand(0));
  Element y = inner.getNumOperands() > 1 ? get(inner.getOperand(1)) : Element();
  auto isZero = [](Element e) { return e.kind == Element::Zero; };
  auto isInfinite = [](Element e) {
    return e.kind == Element::NegativeInfinity;
  };
  auto isSum = [](Element e) { return e.kind == Element::Sum; };
  auto isFinite = [](Element e) { return e.kind == Element::Finite; };
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
    return isInfinite(x) ? x : isInfinite(y) ? y : Element();
  }
  if (isa<arith::SubFOp>(inner))
    return isZero(y) || areFinite ||
                   (isInfinite(x) && !isSum(y) && !isInfinite(y))
               ? x
               : Element();
  if (isa<arith::MulFOp>(inner))
    return isZero(x) || isZero(y) ? Element{Element::Zero, {}}
           : areFinite            ? x
                                  : Element();
  if (isa<arith::DivFOp>(inner))
    return isZero(x) ? x : Element();
  if (isa<arith::NegFOp>(inner))
    return isZero(x) || isFinite(x) ? x : Element();
  if (isa<arith::ExtFOp, arith::TruncFOp>(inner))
    return x.isMasked() || isFinite(x) ? x : Element();
  if (isa<math::ExpOp, math::Exp2Op>(inner))
    return isInfinite(x) ? Element{Element::Zero, {}} : Element();
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(inner)) {
    if (isInfinite(x))
      return y;
    return isInfinite(y) ? x : Element();
  }
  return {};
}

Element BodyEvaluator::evaluate(Operation &inner) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    LinearExpr loop;
    loop.coefficients.assign(numLoops(), 0);
    loop.coefficients[index.getDim()] = 1;
    return asIndex(index.getType(), loop);
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(inner)) {
    Element x = get(inner.getOperand(0));
    return x.kind == Element::Index
               ? asIndex(inner.getResult(0).getType(), x.index)
               : Element();
  }
  if (isa<arith::AddIOp, arith::SubIOp>(inner)) {
    Element x = get(inner.getOperand(0)), y = get(inner.getOperand(1));
    if (x.kind != Element::Index || y.kind != Element::Index)
      return {};
    return asIndex(
        inner.getResult(0).getType(),
        combine(x.index, y.index, isa<arith::AddIOp>(inner) ? 1 : -1));
  }
  if (auto comparison = dyn_cast<arith::CmpIOp>(inner))
    return compare(comparison);
  if (auto comparison = dyn_cast<arith::CmpFOp>(inner)) {
    bool areInfinite =
        get(comparison.getLhs()).kind == Element::NegativeInfinity &&
        get(comparison.getRhs()).kind == Element::NegativeInfinity;
    return areInfinite && comparison.getPredicate() == arith::CmpFPredicate::OEQ
               ? Element{Element::True, {}}
               : Element();
  }
  if (isa<arith::OrIOp, arith::AndIOp>(inner)) {
    Element x = get(inner.getOperand(0)), y = get(inner.getOperand(1));
    bool isOr = isa<arith::OrIOp>(inner);
    Element::Kind neutral = isOr ? Element::False : Element::True;
    Element::Kind stronger = isOr ? Element::True : Element::False;
    if (x.kind == neutral)
      return y;
    if (y.kind == neutral)
      return x;
    return x.kind == stronger ? x : y.kind == stronger ? y : Element();
  }
  if (auto select = dyn_cast<arith::SelectOp>(inner)) {
    Element condition = get(select.getCondition());
    Element yes = get(select.getTrueValue()), no = get(select.getFalseValue());
    if (condition.kind == Element::True)
      return yes;
    if (condition.kind == Element::False)
      return no;
    return yes.kind == no.kind && yes.kind != Element::Index &&
                   yes.result == no.result
               ? yes
               : Element();
  }
  return evaluateFloat(inner);
}

SmallVector<Element> BodyEvaluator::evaluate() {
  Block *body = op.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = body->getArgument(operand.getOperandNumber());
    Element element;
    if (op.isDpsInit(&operand)) {
      element.kind =
          op.getNumReductionLoops() != 0 ? Element::Sum : Element::Unknown;
    } else {
      element = getInput(operand);
      if (element.kind == Element::Unknown)
        element = getTensor(operand);
    }
    elements[argument] = element;
  }
  for (Operation &inner : body->without_terminator())
    if (inner.getNumResults() == 1 &&
        inner.getNumOperands() + isa<linalg::IndexOp>(inner) > 0)
      elements[inner.getResult(0)] = evaluate(inner);
  SmallVector<Element> results;
  for (Value result : body->getTerminator()->getOperands())
    results.push_back(get(result));
  return results;
}

SmallVector<Element>
amp::evaluateMasked(linalg::LinalgOp op, const Diagonal &diagonal, Side side,
                    function_ref<Element(OpOperand &)> getInput) {
  return BodyEvaluator(op, diagonal, side, getInput).evaluate();
}

std::optional<Diagonal> amp::findDiagonal(linalg::LinalgOp op) {
  BodyEvaluator evaluator(op, std::nullopt, Side::Beyond,
                          [](OpOperand &) { return Element(); });
  evaluator.evaluate();
  return evaluator.found;
}
