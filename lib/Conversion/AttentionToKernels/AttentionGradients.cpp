//===- AttentionGradients.cpp - Gradients of attentions in a program ------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With E the exponentials of a row, Z their sum and dP = dO V^T, the gradient
// of scores is
//
// P (dP - sum P dP)  =  E dP / Z - E (sum E dP) / Z^2.
//
// Front ends write it in several ways, with P or with E and Z, so it is
// recognised as an expression: everything becomes a polynomial in dP, E, Z and
// T = sum E dP, with negative powers of Z. A sum over the keys is one of its
// terms: that of E is Z, that of E dP is T, and what is the same for all keys
// stands before it. Two expressions are the same if their polynomials are.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"
#include "CausalMask.h"
#include "amp/Analysis/Fill.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <array>
#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Of dP, E, Z and T.
enum Atom { kChange, kExponential, kTotal, kSum };
using Powers = std::array<int, 4>;
/// Terms by their powers; none with the factor 0.
using Polynomial = std::map<Powers, double>;

class GradientReader {
public:
  explicit GradientReader(const AttentionMatch &attention)
      : attention(attention), loops(*attention.loops),
        elements(loops.elements) {}

  /// The polynomial of an element for a query and a key.
  std::optional<Polynomial> read(const Element &element);

  /// dO, once a dP was read.
  std::optional<HeadsSource> resultGradient;

private:
  std::optional<Polynomial> readTensor(const Element &element);
  std::optional<Polynomial> readSelect(const Element &element);
  std::optional<Polynomial> sumOverKeys(const Polynomial &each);
  bool isChange(const Element &element, linalg::LinalgOp op);

  const AttentionMatch &attention;
  const AttentionLoops &loops;
  const Elements &elements;
};
} // namespace

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

static Polynomial getAtom(Atom atom, int power = 1) {
  Powers powers{};
  powers[atom] = power;
  return {{powers, 1}};
}

static void addTerm(Polynomial &sum, const Powers &powers, double factor) {
  double &term = sum[powers];
  term += factor;
  if (term == 0)
    sum.erase(powers);
}

static Polynomial add(Polynomial x, const Polynomial &y, double factor) {
  for (auto [powers, number] : y)
    addTerm(x, powers, factor * number);
  return x;
}

static Polynomial multiply(const Polynomial &x, const Polynomial &y) {
  Polynomial product;
  for (auto [powers, number] : x)
    for (auto [others, other] : y) {
      Powers sum;
      for (int i = 0; i < 4; ++i)
        sum[i] = powers[i] + others[i];
      addTerm(product, sum, number * other);
    }
  return product;
}

/// 1 / x of one term.
static std::optional<Polynomial> invert(const Polynomial &x) {
  if (x.size() != 1)
    return std::nullopt;
  const auto &[powers, number] = *x.begin();
  Powers inverse;
  for (int i = 0; i < 4; ++i)
    inverse[i] = -powers[i];
  return Polynomial{{inverse, 1 / number}};
}

/// Whether x is a multiple of y, and of which factor.
static std::optional<double> divide(const Polynomial &x, const Polynomial &y) {
  if (x.size() != y.size())
    return std::nullopt;
  std::optional<double> factor;
  for (auto [term, other] : llvm::zip_equal(x, y)) {
    if (term.first != other.first)
      return std::nullopt;
    const double quotient = term.second / other.second;
    if (factor && std::abs(quotient - *factor) > 1e-6 * std::abs(*factor))
      return std::nullopt;
    factor = quotient;
  }
  return factor;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Whether a product is dO V^T.
bool GradientReader::isChange(const Element &element, linalg::LinalgOp op) {
  FailureOr<Contraction> product = matchContraction(op);
  Type type = attention.problem.type;
  if (failed(product) || !isFilledWithZero(product->c.value) ||
      product->a.getElementType() != type ||
      product->b.getElementType() != type)
    return false;
  for (bool isSwapped : {false, true}) {
    auto iteration =
        loops.getIteration(*product, isSwapped ? loops.key : loops.query,
                           isSwapped ? loops.query : loops.key, loops.depth);
    if (!iteration || getOperand(product->c, *iteration).at != element.at)
      continue;
    auto find = [&](const ContractionOperand &operand, bool isKey) {
      return findSource(loops, getOperand(operand, *iteration), type, isKey,
                        /*hasFactor=*/false);
    };
    std::optional<HeadsSource> gradient = find(
                                   isSwapped ? product->b : product->a, false),
                               values = find(
                                   isSwapped ? product->a : product->b, true);
    if (!gradient || !values || !(*values == attention.v) ||
        (resultGradient && !(*resultGradient == *gradient)))
      continue;
    resultGradient = gradient;
    return true;
  }
  return false;
}

std::optional<Polynomial> GradientReader::sumOverKeys(const Polynomial &each) {
  Polynomial sum;
  for (auto [powers, number] : each) {
    Powers summed = powers;
    if (powers[kExponential] != 1 || powers[kChange] < 0 || powers[kChange] > 1)
      return std::nullopt;
    ++summed[powers[kChange] ? kSum : kTotal];
    summed[kExponential] = summed[kChange] = 0;
    addTerm(sum, summed, number);
  }
  return sum;
}

std::optional<Polynomial> GradientReader::readTensor(const Element &element) {
  if (elements.isSame(element, attention.total, loops.other))
    return getAtom(kTotal);
  auto op = element.value.getDefiningOp<linalg::LinalgOp>();
  if (!op)
    return std::nullopt;
  if (isChange(element, op))
    return getAtom(kChange);
  std::optional<Reduction> reduction =
      elements.matchReduction(element, loops.key);
  std::optional<double> start;
  if (reduction && isa<arith::AddFOp>(reduction->combiner))
    start = elements.getNumber(reduction->start);
  // Of a row as a whole.
  bool isOfRow = llvm::none_of(element.at, [&](AffineExpr index) {
    auto key = dyn_cast<AffineDimExpr>(loops.key);
    return key && index.isFunctionOfDim(key.getPosition());
  });
  if (!start || *start != 0 || !isOfRow)
    return std::nullopt;
  std::optional<Polynomial> each = read(reduction->each);
  return each ? sumOverKeys(*each) : std::nullopt;
}

/// What a mask hides has no probability, and no gradient either way.
std::optional<Polynomial> GradientReader::readSelect(const Element &element) {
  unsigned seen = 0;
  if (attention.isEmpty &&
      elements.isSame(element.operand(0), *attention.isEmpty, loops.other))
    seen = 2;
  else if (attention.problem.mask == AttentionMask::Causal)
    for (unsigned side : {1, 2})
      if (isCausal(elements, element.operand(0), loops.query, loops.key,
                   /*otherwise=*/side == 2))
        seen = side;
  if (!seen || elements.getNumber(element.operand(3 - seen)) != 0.0)
    return std::nullopt;
  std::optional<Polynomial> value = read(element.operand(seen));
  // Only what is 0 for a key without probability.
  if (!value || llvm::any_of(*value, [](const auto &term) {
        return term.first[kExponential] < 1;
      }))
    return std::nullopt;
  return value;
}

std::optional<Polynomial> GradientReader::read(const Element &element) {
  if (std::optional<double> number = elements.getNumber(element))
    return *number == 0 ? Polynomial() : Polynomial{{Powers{}, *number}};
  Element first = elements.lookBack(element);
  if (isa<ShapedType>(first.value.getType()))
    return readTensor(first);
  Operation *op = first.value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<math::ExpOp>(op))
    return elements.isSame(first, attention.exponential, loops.other)
               ? std::optional(getAtom(kExponential))
               : std::nullopt;
  if (isa<arith::SelectOp>(op))
    return readSelect(first);
  if (!isa<arith::NegFOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
           arith::DivFOp>(op))
    return std::nullopt;
  std::optional<Polynomial> x = read(first.operand(0));
  if (!x)
    return std::nullopt;
  if (isa<arith::NegFOp>(op))
    return add({}, *x, -1);
  std::optional<Polynomial> y = read(first.operand(1));
  if (!y)
    return std::nullopt;
  if (isa<arith::AddFOp>(op))
    return add(*x, *y, 1);
  if (isa<arith::SubFOp>(op))
    return add(*x, *y, -1);
  if (isa<arith::DivFOp>(op))
    y = invert(*y);
  return y ? std::optional(multiply(*x, *y)) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// Looks among products for the three that give gradients.
class GradientMatcher {
public:
  explicit GradientMatcher(const AttentionMatch &attention)
      : attention(attention), loops(*attention.loops), reader(attention) {}

  void add(linalg::LinalgOp op);
  std::optional<AttentionGradients> finish();

private:
  bool addAs(const Contraction &product, bool isSwapped, bool isOfKeys);
  bool addOf(const Contraction &product, bool isOfKeys, const Element &matrix,
             const Element &rows, ArrayRef<AffineExpr> iteration);
  bool take(linalg::LinalgOp &place, HeadsTarget &target,
            const Contraction &product, ArrayRef<AffineExpr> iteration,
            bool isOfKeys, double factor, double expected);

  const AttentionMatch &attention;
  const AttentionLoops &loops;
  GradientReader reader;
  AttentionGradients found;
  bool isAmbiguous = false;
};
} // namespace

bool GradientMatcher::take(linalg::LinalgOp &place, HeadsTarget &target,
                           const Contraction &product,
                           ArrayRef<AffineExpr> iteration, bool isOfKeys,
                           double factor, double expected) {
  std::optional<HeadsTarget> written =
      findTarget(loops, product, iteration, attention.problem.type, isOfKeys);
  if (!written ||
      std::abs(factor * written->factor - expected) > 1e-5 * expected)
    return false;
  isAmbiguous |= place != nullptr;
  place = product.op;
  target = *written;
  return true;
}

bool GradientMatcher::addOf(const Contraction &product, bool isOfKeys,
                            const Element &matrix, const Element &rows,
                            ArrayRef<AffineExpr> iteration) {
  std::optional<HeadsSource> before = reader.resultGradient;
  std::optional<Polynomial> polynomial = reader.read(matrix);
  if (!polynomial)
    return false;
  const Polynomial probability = {{Powers{0, 1, -1, 0}, 1}},
                   gradient = {{Powers{1, 1, -1, 0}, 1},
                               {Powers{0, 1, -2, 1}, -1}};
  Type type = attention.problem.type;
  if (isOfKeys && divide(*polynomial, probability) == 1.0) {
    std::optional<HeadsSource> source =
        findSource(loops, rows, type, /*isKey=*/false, /*hasFactor=*/false);
    if (!source ||
        (reader.resultGradient && !(*reader.resultGradient == *source)) ||
        !take(found.vProduct, found.v, product, iteration, isOfKeys, 1, 1))
      return false;
    reader.resultGradient = source;
    return true;
  }
  std::optional<double> factor = divide(*polynomial, gradient);
  std::optional<HeadsSource> source;
  if (factor)
    source = findSource(loops, rows, type, /*isKey=*/!isOfKeys,
                        /*hasFactor=*/true);
  const HeadsSource &expected = isOfKeys ? attention.q : attention.k;
  if (source && *source == expected &&
      take(isOfKeys ? found.kProduct : found.qProduct,
           isOfKeys ? found.k : found.q, product, iteration, isOfKeys,
           *factor * source->factor, attention.problem.scale))
    return true;
  reader.resultGradient = before;
  return false;
}

bool GradientMatcher::addAs(const Contraction &product, bool isSwapped,
                            bool isOfKeys) {
  AffineExpr row = isOfKeys ? loops.key : loops.query,
             summed = isOfKeys ? loops.query : loops.key;
  auto iteration = loops.getIteration(product, isSwapped ? loops.depth : row,
                                      isSwapped ? row : loops.depth, summed);
  if (!iteration)
    return false;
  Element a = getOperand(product.a, *iteration),
          b = getOperand(product.b, *iteration);
  return addOf(product, isOfKeys, isSwapped ? b : a, isSwapped ? a : b,
               *iteration);
}

void GradientMatcher::add(linalg::LinalgOp op) {
  FailureOr<Contraction> product = matchContraction(op);
  Type type = attention.problem.type;
  if (failed(product) || !isFilledWithZero(product->c.value) ||
      product->a.getElementType() != type ||
      product->b.getElementType() != type || op == attention.product.op ||
      op == attention.scores.op)
    return;
  for (bool isOfKeys : {false, true})
    for (bool isSwapped : {false, true})
      if (addAs(*product, isSwapped, isOfKeys))
        return;
}

std::optional<AttentionGradients> GradientMatcher::finish() {
  if (!found.qProduct || !found.kProduct || !found.vProduct || isAmbiguous)
    return std::nullopt;
  found.resultGradient = *reader.resultGradient;
  auto q = findPart(loops, found.q, /*isKey=*/false),
       k = findPart(loops, found.k, /*isKey=*/true),
       v = findPart(loops, found.v, /*isKey=*/true);
  if (q && k && v && q->first == k->first && k->first == v->first &&
      q->first->getNumOperands() == 3) {
    found.joined = q->first;
    found.q.layout = q->second;
    found.k.layout = k->second;
    found.v.layout = v->second;
  }
  return found;
}

std::optional<AttentionGradients>
mlir::amp::matchGradients(const AttentionMatch &attention,
                          ArrayRef<linalg::LinalgOp> products) {
  GradientMatcher matcher(attention);
  for (linalg::LinalgOp op : products)
    matcher.add(op);
  return matcher.finish();
}
