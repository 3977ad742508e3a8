//===- AttentionMatch.cpp - Attentions in a program -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the product backwards: probabilities are exponentials divided by the sum
// of a row, exponentials those of a score minus the greatest of its row, and
// scores a product with a factor and a mask. What occurs twice (the score in
// its maximum and in its exponential) is compared as an expression, for fusion
// copies what it likes.
//
// A mask is causal if the numbers of rows and columns say so (CausalMask.h).
// What it puts in place of a score or adds to it has to be so low that the
// exponential is 0 beside any score of a key that is seen. Exponentials of f32
// are 0 from a difference of 104 on. Front ends write -1e9 or less; no score of
// f16 comes near, and one of bf16 only if queries and keys have thousands.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "CausalMask.h"
#include "amp/Analysis/Fill.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

/// What is as good as -inf for a score.
static constexpr double kHidden = -1e8;

namespace {
class AttentionMatcher {
public:
  AttentionMatcher(AttentionMatch &match, std::string &reason)
      : match(match), loops(*match.loops), elements(loops.elements),
        reason(reason) {}

  bool matchProbabilities(const Element &probability);

private:
  bool matchScores(const Element &score);
  bool matchMask(const Element &added);
  bool matchHiding(const Element &select, Element &score);
  bool isEmptyRow(const Element &condition, const Element &score);
  bool isNumber(const Element &element, double number) {
    std::optional<double> found = elements.getNumber(element);
    return found && *found == number;
  }
  bool refuse(const char *text) {
    reason = text;
    return false;
  }

  AttentionMatch &match;
  const AttentionLoops &loops;
  const Elements &elements;
  std::string &reason;
};
} // namespace

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// The condition of which `element` is the opposite, or the other way round.
static Element stripNegations(const Elements &elements, Element element,
                              bool &isNegated) {
  for (;;) {
    element = elements.lookBack(element);
    APInt constant;
    auto compare = getComputed<arith::CmpIOp>(element);
    if (compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
        compare.getLhs().getType().isInteger(1) &&
        matchPattern(elements.lookBack(element.operand(1)).value,
                     m_ConstantInt(&constant))) {
      isNegated ^= constant.isZero();
      element = element.operand(0);
      continue;
    }
    if (getComputed<arith::XOrIOp>(element) &&
        element.value.getType().isInteger(1) &&
        matchPattern(elements.lookBack(element.operand(1)).value,
                     m_ConstantInt(&constant))) {
      isNegated ^= !constant.isZero();
      element = element.operand(0);
      continue;
    }
    return element;
  }
}

/// Whether a condition holds just where all scores of a row are -inf.
bool AttentionMatcher::isEmptyRow(const Element &condition,
                                  const Element &score) {
  bool isNegated = false;
  Element any = stripNegations(elements, condition, isNegated);
  std::optional<Reduction> found = elements.matchReduction(any, loops.key);
  APInt start;
  if (!found || !isNegated || !isa<arith::OrIOp>(found->combiner) ||
      !matchPattern(elements.lookBack(found->start).value,
                    m_ConstantInt(&start)) ||
      !start.isZero())
    return false;
  bool isOther = false;
  Element each = stripNegations(elements, found->each, isOther);
  auto compare = getComputed<arith::CmpFOp>(each);
  if (!compare)
    return false;
  const bool differs = compare.getPredicate() == arith::CmpFPredicate::UNE;
  if (!differs && compare.getPredicate() != arith::CmpFPredicate::OEQ)
    return false;
  return isOther != differs &&
         isNumber(each.operand(1), -std::numeric_limits<double>::infinity()) &&
         elements.isSame(each.operand(0), score, loops.other);
}

bool AttentionMatcher::matchProbabilities(const Element &probability) {
  Element quotient = elements.lookBack(probability);
  std::optional<Element> empty;
  if (getComputed<arith::SelectOp>(quotient) &&
      isNumber(quotient.operand(1), 0)) {
    empty = quotient.operand(0);
    quotient = elements.lookBack(quotient.operand(2));
  }
  if (!getComputed<arith::DivFOp>(quotient))
    return refuse("expected an operand that is divided by the sum of a row");
  Element exponential = elements.lookBack(quotient.operand(0)),
          total = elements.lookBack(quotient.operand(1));
  if (!getComputed<math::ExpOp>(exponential))
    return refuse("expected an operand of exponentials");
  match.exponential = exponential;
  std::optional<Reduction> sum = elements.matchReduction(total, loops.key);
  if (!sum || !isa<arith::AddFOp>(sum->combiner) || !isNumber(sum->start, 0) ||
      !elements.isSame(sum->each, exponential, loops.other))
    return refuse("expected exponentials divided by their sum over keys");
  Element difference = elements.lookBack(exponential.operand(0));
  if (!getComputed<arith::SubFOp>(difference))
    return refuse("expected exponentials of differences to the greatest score");
  Element score = difference.operand(0);
  std::optional<Reduction> greatest = elements.matchReduction(
      elements.lookBack(difference.operand(1)), loops.key);
  if (!greatest ||
      !isa<arith::MaximumFOp, arith::MaxNumFOp>(greatest->combiner) ||
      !elements.isSame(greatest->each, score, loops.other))
    return refuse("expected exponentials of differences to the greatest score");
  std::optional<double> start = elements.getNumber(greatest->start);
  if (!start || *start > kHidden)
    return refuse("expected exponentials of differences to the greatest score");
  if (empty && !isEmptyRow(*empty, score))
    return refuse("expected zeros of no rows but those without keys");
  match.total = total;
  match.isEmpty = empty;
  match.problem.emptyRowsAreZero = empty.has_value();
  return matchScores(score);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// The product of which an element is a multiple by `factor`, or none.
static std::optional<Element> findProduct(const Elements &elements,
                                          Element element, double &factor) {
  for (;;) {
    element = elements.lookBack(element);
    if (isa<ShapedType>(element.value.getType())) {
      auto op = element.value.getDefiningOp<linalg::LinalgOp>();
      if (op && succeeded(matchContraction(op)))
        return element;
      return std::nullopt;
    }
    std::optional<double> number;
    unsigned other = 0;
    if (getComputed<arith::MulFOp>(element)) {
      for (unsigned i = 0; i < 2 && !number; ++i) {
        number = elements.getNumber(element.operand(i));
        other = 1 - i;
      }
      factor *= number.value_or(0);
    } else if (getComputed<arith::DivFOp>(element)) {
      number = elements.getNumber(element.operand(1));
      factor /= number.value_or(1);
    }
    if (!number)
      return std::nullopt;
    element = element.operand(other);
  }
}

/// `select(condition, score, hidden)`, or with both exchanged.
bool AttentionMatcher::matchHiding(const Element &select, Element &score) {
  for (unsigned seen : {1, 2}) {
    std::optional<double> number = elements.getNumber(select.operand(3 - seen));
    if (!number || *number > kHidden ||
        !isCausal(elements, select.operand(0), loops.query, loops.key,
                  /*otherwise=*/seen == 2))
      continue;
    match.problem.mask = AttentionMask::Causal;
    score = select.operand(seen);
    return true;
  }
  return false;
}

/// What is added to a score.
bool AttentionMatcher::matchMask(const Element &added) {
  AttentionProblem &problem = match.problem;
  Element number = elements.lookBack(added), zero;
  if (getComputed<arith::SelectOp>(number) && matchHiding(number, zero) &&
      isNumber(zero, 0))
    return true;
  problem.mask = AttentionMask::None;
  std::optional<Element> tensor = added;
  while (tensor && !isa<ShapedType>(tensor->value.getType()))
    tensor = elements.stepBack(*tensor);
  std::optional<AttentionLoops::Steps> steps;
  if (tensor)
    steps = loops.getSteps(*tensor);
  if (!steps || steps->offset != 0 || steps->depth != 0)
    return refuse("expected a mask that is read by rows and columns");
  auto type = cast<RankedTensorType>(tensor->value.getType());
  match.mask = tensor->value;
  problem.mask = AttentionMask::Additive;
  problem.maskType = type.getElementType();
  problem.maskBatch = steps->batch;
  problem.maskHead = steps->head;
  problem.maskRow = steps->query;
  problem.maskColumn = steps->key;
  problem.maskElements = type.getNumElements();
  return true;
}

bool AttentionMatcher::matchScores(const Element &score) {
  Element number = elements.lookBack(score);
  double factor = 1;
  if (getComputed<arith::SelectOp>(number)) {
    Element seen;
    if (!matchHiding(number, seen))
      return refuse("expected a mask that is causal or added to scores");
    number = elements.lookBack(seen);
  } else if (getComputed<arith::AddFOp>(number)) {
    bool found = false;
    for (unsigned i = 0; i < 2 && !found; ++i) {
      double any = 1;
      if (!findProduct(elements, number.operand(i), any))
        continue;
      if (!matchMask(number.operand(1 - i)))
        return false;
      number = elements.lookBack(number.operand(i));
      found = true;
    }
    if (!found)
      return refuse("expected scores that are a product");
  }
  std::optional<Element> product = findProduct(elements, number, factor);
  if (!product)
    return refuse("expected scores that are a product");
  auto op = product->value.getDefiningOp<linalg::LinalgOp>();
  match.scores = *matchContraction(op);
  Type type = match.problem.type;
  const Contraction &scores = match.scores;
  if (!isFilledWithZero(scores.c.value) || scores.a.getElementType() != type ||
      scores.b.getElementType() != type)
    return refuse("expected scores of a product of the result's type");
  for (bool isSwapped : {false, true}) {
    auto iteration =
        loops.getIteration(scores, isSwapped ? loops.key : loops.query,
                           isSwapped ? loops.query : loops.key, loops.depth);
    if (!iteration)
      continue;
    // The product's elements are those that the softmax reads.
    if (getOperand(scores.c, *iteration).at != product->at)
      continue;
    const ContractionOperand &q = isSwapped ? scores.b : scores.a,
                             &k = isSwapped ? scores.a : scores.b;
    auto findRows = [&](const ContractionOperand &operand, bool isKey) {
      return findSource(loops, getOperand(operand, *iteration), type, isKey,
                        /*hasFactor=*/true);
    };
    std::optional<HeadsSource> queries = findRows(q, false),
                               keys = findRows(k, true);
    if (!queries || !keys)
      return refuse("expected rows of heads that lie in one piece each");
    match.q = *queries;
    match.k = *keys;
    match.problem.q = queries->layout;
    match.problem.k = keys->layout;
    match.problem.scale = factor * queries->factor * keys->factor;
    return true;
  }
  return refuse("expected scores of each query and key");
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

std::optional<AttentionMatch> mlir::amp::matchAttention(linalg::LinalgOp op,
                                                        std::string &reason) {
  FailureOr<Contraction> product = matchContraction(op);
  if (failed(product))
    return std::nullopt;
  auto refuse = [&](const char *text) {
    reason = text;
    return std::nullopt;
  };
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (!op.hasPureTensorSemantics() || product->batch.size() > 2 ||
      product->m.size() != 1 || product->n.size() != 1 ||
      product->k.size() != 1 || llvm::any_of(sizes, ShapedType::isDynamic) ||
      !isFilledWithZero(product->c.value))
    return refuse("expected a product of matrices for each head of a batch");
  Type type = product->a.getElementType();
  if ((!type.isF16() && !type.isBF16()) || product->b.getElementType() != type)
    return refuse("expected operands of f16 or bf16");
  // In the order of the result's dimensions, as AttentionLoops has them.
  SmallVector<int64_t> batch;
  for (AffineExpr index : product->c.map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(index))
      if (llvm::is_contained(product->batch, dim.getPosition()))
        batch.push_back(sizes[dim.getPosition()]);
  for (bool isSwapped : {false, true}) {
    const unsigned row = (isSwapped ? product->n : product->m)[0],
                   depth = (isSwapped ? product->m : product->n)[0];
    AttentionMatch match;
    match.loops = std::make_unique<AttentionLoops>(
        op.getContext(), batch, sizes[row], sizes[product->k[0]], sizes[depth]);
    const AttentionLoops &loops = *match.loops;
    match.product = *product;
    AttentionProblem &problem = match.problem;
    problem.batch = loops.batchSize();
    problem.heads = loops.headCount();
    problem.rows = loops.rows();
    problem.columns = loops.columns();
    problem.depth = loops.depthSize();
    problem.type = type;
    auto iteration =
        loops.getIteration(*product, isSwapped ? loops.depth : loops.query,
                           isSwapped ? loops.query : loops.depth, loops.key);
    if (!iteration)
      continue;
    std::string why;
    if (!AttentionMatcher(match, why)
             .matchProbabilities(
                 getOperand(isSwapped ? product->b : product->a, *iteration))) {
      // Of the operand that has more of an attention.
      if (reason.empty() || match.exponential.value)
        reason = why;
      continue;
    }
    std::optional<HeadsSource> values = findSource(
        loops, getOperand(isSwapped ? product->a : product->b, *iteration),
        type, /*isKey=*/true, /*hasFactor=*/false);
    if (!values)
      return refuse("expected rows of heads that lie in one piece each");
    std::optional<HeadsTarget> result =
        findTarget(loops, *product, *iteration, type, /*isKey=*/false);
    if (!result || result->factor != 1)
      return refuse("expected a result that is rounded and nothing else");
    match.v = *values;
    match.result = *result;
    problem.v = values->layout;
    problem.o = result->layout;
    return match;
  }
  return std::nullopt;
}
