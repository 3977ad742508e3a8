//===- JoinSummedProducts.cpp - One product for a sum of products ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a weight that a step uses in each of n positions of a
// sequence is a sum of n products, each with a short sum of its own:
//
//   a1 * b1 + a2 * b2 + ... + an * bn  =  [a1 a2 ... an] * [b1 b2 ... bn]
//
// The right side has one sum, over the operands side by side, and its result
// is written once. Where copying the operands moves fewer elements than n - 1
// further results have, the sum of products becomes that product.
//
// A sum is a tree of additions that nobody else reads a part of. Products in
// it join if they differ in how long their sums are and in nothing else; what
// remains is added in the order in which it stood there.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Contraction.h"
#include "amp/Analysis/Elementwise.h"
#include "amp/Analysis/Fill.h"
#include "amp/Analysis/LinearMap.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "amp-join-summed-products"

namespace mlir::amp {
#define GEN_PASS_DEF_JOINSUMMEDPRODUCTSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// True if `op` adds two tensors of f32, element by element.
static bool isAddition(Operation *op) {
  auto add = getOnlyOperation<arith::AddFOp>(op, 2);
  return add && add.getType().isF32();
}

namespace {
/// A product of a sum, whose own sum is one loop.
struct Summand {
  linalg::GenericOp op;
  /// The loop of its sum.
  unsigned loop;

  /// Nothing if `value` is no product that could join another.
  static std::optional<Summand> match(Value value);
  /// The dimension of input `number` that the sum walks.
  unsigned getDim(unsigned number) {
    return *op.getIndexingMapsArray()[number].getResultPosition(
        getAffineDimExpr(loop, op.getContext()));
  }
  /// Whether the two differ in the lengths of their sums alone.
  bool joins(Summand other);
};
} // namespace

std::optional<Summand> Summand::match(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || !op.hasPureTensorSemantics() || !op->hasOneUse() ||
      op->getNumResults() != 1 || op.hasDynamicShape() ||
      !getElementTypeOrSelf(value.getType()).isF32() ||
      !isFilledWithZero(op.getDpsInits()[0]))
    return std::nullopt;
  FailureOr<Contraction> product = matchContraction(op);
  if (failed(product) || product->k.size() != 1)
    return std::nullopt;
  Summand summand{op, product->k[0]};
  for (OpOperand *input : op.getDpsInputOperands())
    if (!walksOneDim(op.getMatchingIndexingMap(input), summand.loop))
      return std::nullopt;
  return summand;
}

bool Summand::joins(Summand other) {
  linalg::GenericOp with = other.op;
  SmallVector<int64_t> extents = op.getStaticLoopRanges(),
                       others = with.getStaticLoopRanges();
  if (extents.size() != others.size() || loop != other.loop)
    return false;
  extents[loop] = others[loop];
  if (extents != others || op.getIndexingMaps() != with.getIndexingMaps() ||
      op.getIteratorTypes() != with.getIteratorTypes() ||
      getSplatValue(op.getDpsInits()[0]) !=
          getSplatValue(with.getDpsInits()[0]))
    return false;
  // Loops need not walk all of a dimension.
  for (unsigned number : {0, 1}) {
    auto type = cast<RankedTensorType>(op.getInputs()[number].getType()),
         same = cast<RankedTensorType>(with.getInputs()[number].getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[getDim(number)] = same.getDimSize(getDim(number));
    if (type.clone(shape) != same)
      return false;
  }
  return op->getResultTypes() == with->getResultTypes() &&
         OperationEquivalence::isRegionEquivalentTo(
             &op.getRegion(), &with.getRegion(),
             OperationEquivalence::IgnoreLocations);
}

namespace {
/// A sum of several tensors, from the last addition on.
class SumOfProducts {
public:
  explicit SumOfProducts(linalg::GenericOp root) : root(root) { collect(); }

  /// Joins products where that saves elements; how many there were of those.
  unsigned join(RewriterBase &rewriter);

private:
  /// Fills in what is added, in order.
  void collect();
  bool isInside(Value value) const {
    Operation *op = value.getDefiningOp();
    return isAddition(op) && op->hasOneUse() &&
           op->getBlock() == root->getBlock();
  }
  /// Whether so many products are better as one.
  static bool isWorthwhile(ArrayRef<Summand> products);
  Value createJoined(RewriterBase &rewriter, ArrayRef<Summand> products) const;

  linalg::GenericOp root;
  SmallVector<Value> summands;
};
} // namespace

void SumOfProducts::collect() {
  SmallVector<Value> left(llvm::reverse(root.getInputs()));
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (isInside(value))
      llvm::append_range(
          left,
          llvm::reverse(value.getDefiningOp<linalg::GenericOp>().getInputs()));
    else
      summands.push_back(value);
  }
}

bool SumOfProducts::isWorthwhile(ArrayRef<Summand> products) {
  if (products.size() < 2)
    return false;
  int64_t copied = 0;
  for (Summand product : products)
    for (Value input : product.op.getInputs())
      copied += cast<ShapedType>(input.getType()).getNumElements();
  auto result = cast<ShapedType>(products.front().op->getResult(0).getType());
  return copied <= int64_t(products.size() - 1) * result.getNumElements();
}

/// `parts` one behind the other along `dim`.
static Value concatenate(RewriterBase &rewriter, Location loc, unsigned dim,
                         ValueRange parts) {
  auto whole = tensor::ConcatOp::create(rewriter, loc, dim, parts);
  Value tensor = whole.decomposeOperation(rewriter)->front();
  rewriter.eraseOp(whole);
  return tensor;
}

Value SumOfProducts::createJoined(RewriterBase &rewriter,
                                  ArrayRef<Summand> products) const {
  Summand first = products.front();
  SmallVector<Location> locations;
  for (Summand product : products)
    locations.push_back(product.op.getLoc());
  Location loc = rewriter.getFusedLoc(locations);
  IRMapping mapping;
  for (auto [number, input] : llvm::enumerate(first.op.getInputs())) {
    SmallVector<Value> parts;
    for (Summand product : products)
      parts.push_back(product.op.getInputs()[number]);
    mapping.map(input, concatenate(rewriter, loc, first.getDim(number), parts));
  }
  Operation *joined = rewriter.clone(*first.op, mapping);
  joined->setLoc(loc);
  return joined->getResult(0);
}

unsigned SumOfProducts::join(RewriterBase &rewriter) {
  // Each product stands for all that it joins.
  SmallVector<SmallVector<Summand>> groups;
  SmallVector<std::pair<Value, int>> order;
  for (Value value : summands) {
    std::optional<Summand> summand = Summand::match(value);
    // One in front of a loop stays there.
    if (!summand || summand->op->getBlock() != root->getBlock()) {
      order.emplace_back(value, -1);
      continue;
    }
    auto *group = llvm::find_if(groups, [&](ArrayRef<Summand> group) {
      return summand->joins(group.front());
    });
    if (group == groups.end()) {
      order.emplace_back(value, groups.size());
      groups.emplace_back();
      group = &groups.back();
    }
    group->push_back(*summand);
  }
  unsigned numJoined = 0;
  for (ArrayRef<Summand> group : groups)
    if (isWorthwhile(group))
      numJoined += group.size();
  if (numJoined == 0)
    return 0;

  rewriter.setInsertionPoint(root);
  SmallVector<Value> terms;
  for (auto [value, number] : order) {
    if (number >= 0 && isWorthwhile(groups[number]))
      terms.push_back(createJoined(rewriter, groups[number]));
    else if (number >= 0)
      for (Summand product : groups[number])
        terms.push_back(product.op->getResult(0));
    else
      terms.push_back(value);
  }
  Value sum = terms.front();
  for (Value term : ArrayRef(terms).drop_front()) {
    auto add = cast<linalg::GenericOp>(rewriter.clone(*root));
    add.getInputsMutable().assign({sum, term});
    sum = add->getResult(0);
  }
  rewriter.replaceOp(root, sum);
  return numJoined;
}

namespace {
struct JoinSummedProducts
    : public amp::impl::JoinSummedProductsPassBase<JoinSummedProducts> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> roots;
    getOperation().walk([&](linalg::GenericOp op) {
      Operation *reader =
          isAddition(op) && op->hasOneUse() ? *op->user_begin() : nullptr;
      if (isAddition(op) && !(reader && isAddition(reader) &&
                              reader->getBlock() == op->getBlock()))
        roots.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    unsigned numJoined = 0;
    for (linalg::GenericOp root : roots)
      numJoined += SumOfProducts(root).join(rewriter);
    numProducts += numJoined;
    // Products that joined, and their additions.
    if (numJoined != 0)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
