//===- VariancesInParts.cpp - A sum and the squares around it in one pass -===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A batch norm adds up each channel, and then the squares of the distances from
// the mean: two passes over a tensor that no block can keep. Of parts p of R
// rows, which a block does keep, both are one pass:
//
//   s_p = sum of x                d_p = sum of (x - s_p / R)^2
//
// and those of all rows follow from them,
//
//   sum of x           = sum over p of s_p
//   sum of (x - m)^2   = sum over p of d_p + R (s_p / R - m)^2
//
// for any m, since the distances from a part's own mean add up to nothing. It
// is how Chan, Golub and LeVeque combine variances ("Updating Formulae and a
// Pairwise Algorithm for Computing Sample Variances", 1979): nothing is
// subtracted that is not small itself, and a part's roundings stay with it.
//
//===----------------------------------------------------------------------===//

#include "BodyExpressions.h"
#include "amp/Analysis/Fill.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Fusion/FusionNode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "amp-variances-in-parts"

namespace mlir::amp {
#define GEN_PASS_DEF_VARIANCESINPARTSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Rows of a part, at most and at least: with 32 columns of f32 a tile of 16
/// KiB, and sums of parts that are few beside what they are of.
static constexpr int64_t kMostRows = 128, kLeastRows = 16;

namespace {
/// A sum in f32 for each column of rows: over all loops but the last.
struct ColumnSum {
  linalg::GenericOp op;
  /// The tensor whose rows they are, through reshapes, and its operand.
  Value root;
  OpOperand *rows;
  /// What is added to the sum so far.
  Value added;
  int64_t numRows, numColumns;

  static std::optional<ColumnSum> match(Operation *op);
  /// Whether it adds up the elements of the rows, widened or not.
  bool isOfElements() const;
};
} // namespace

/// What `value` is a reshape of, through reshapes that leave rows of `columns`
/// elements as they are.
static Value getRowsRoot(Value value, int64_t columns) {
  auto hasRows = [&](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return type.getRank() > 0 && type.getShape().back() == columns;
  };
  while (isReshape(value.getDefiningOp()) &&
         hasRows(value.getDefiningOp()->getOperand(0)))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

std::optional<ColumnSum> ColumnSum::match(Operation *operation) {
  auto op = dyn_cast<linalg::GenericOp>(operation);
  if (!op || !op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.hasIndexSemantics() || op.hasDynamicShape() || op.getNumLoops() < 2)
    return std::nullopt;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  if (kinds.back() != utils::IteratorType::parallel ||
      op.getNumReductionLoops() != op.getNumLoops() - 1)
    return std::nullopt;
  OpOperand *init = op.getDpsInitOperand(0);
  AffineExpr column = getAffineDimExpr(op.getNumLoops() - 1, op.getContext());
  AffineMap toColumn =
      AffineMap::get(op.getNumLoops(), 0, column, op.getContext());
  if (op.getMatchingIndexingMap(init) != toColumn ||
      !getElementTypeOrSelf(init->get().getType()).isF32() ||
      !isFilledWithZero(init->get()))
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  ColumnSum sum{op, {}, nullptr, {}, 1, extents.back()};
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.isIdentity() && !sum.rows)
      sum.rows = input;
    else if (map != toColumn)
      return std::nullopt;
  }
  auto add = op.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  BlockArgument soFar = op.getRegionOutputArgs().front();
  if (!sum.rows || !add || !soFar.hasOneUse() ||
      (add.getLhs() != soFar && add.getRhs() != soFar))
    return std::nullopt;
  sum.added = add.getLhs() == soFar ? add.getRhs() : add.getLhs();
  for (int64_t extent : ArrayRef(extents).drop_back())
    sum.numRows *= extent;
  sum.root = getRowsRoot(sum.rows->get(), sum.numColumns);
  return sum;
}

bool ColumnSum::isOfElements() const {
  linalg::GenericOp sum = op;
  return sum.getNumDpsInputs() == 1 &&
         getUnwidened(added) == sum.getMatchingBlockArgument(rows);
}

/// The number in the body of `sum` that its squares are distances from, if it
/// adds up such squares.
static Value getCenter(const ColumnSum &sum) {
  linalg::GenericOp op = sum.op;
  auto square = sum.added.getDefiningOp<arith::MulFOp>();
  if (!square || square.getLhs() != square.getRhs())
    return {};
  auto distance = square.getLhs().getDefiningOp<arith::SubFOp>();
  BlockArgument element = op.getMatchingBlockArgument(sum.rows);
  auto isOfColumns = [&](BlockArgument argument) {
    return argument != element && argument != op.getRegionOutputArgs().front();
  };
  if (!distance || !distance.getType().isF32() ||
      getUnwidened(distance.getLhs()) != element ||
      !followsFrom(distance.getRhs(), op.getBody(), isOfColumns))
    return {};
  return distance.getRhs();
}

/// The most rows of parts of equal length; 0 if all are too short.
static int64_t choosePart(int64_t rows) {
  for (int64_t part = kMostRows; part >= kLeastRows; --part)
    if (rows % part == 0)
      return part;
  return 0;
}

namespace {
/// Sums of the parts of a tensor's rows, and squares around their means.
class Parts {
public:
  Parts(OpBuilder &b, const ColumnSum &sum, int64_t length);

  /// The sums of all rows.
  Value addUp(OpBuilder &b, Location loc) const;
  /// The squares of all distances from `center`, in the body of `variance`.
  Value addUpSquares(OpBuilder &b, const ColumnSum &variance,
                     Value center) const;

private:
  int64_t length, columns;
  /// [part, column]
  Value sums, squares;
};
} // namespace

static Value multiply(OpBuilder &b, Location loc, Value value, double factor) {
  Value number =
      arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(factor)));
  return arith::MulFOp::create(b, loc, value, number);
}

/// The square of the distance of two numbers.
static Value squareDistance(OpBuilder &b, Location loc, Value x, Value y) {
  Value distance = arith::SubFOp::create(b, loc, x, y);
  return arith::MulFOp::create(b, loc, distance, distance);
}

/// The sums from zero, of `shape` in f32, of what `makeTerm` makes of an
/// element of each input. `maps` has those of the inputs and that of the sums.
static Value
addUpTerms(OpBuilder &b, Location loc, ValueRange inputs,
           ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> kinds,
           ArrayRef<int64_t> shape,
           function_ref<Value(OpBuilder &, Location, ValueRange)> makeTerm) {
  Value empty = tensor::EmptyOp::create(b, loc, shape, b.getF32Type());
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  Value zeros = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  return linalg::GenericOp::create(
             b, loc, zeros.getType(), inputs, zeros, maps, kinds,
             [&](OpBuilder &body, Location at, ValueRange elements) {
               Value term = makeTerm(body, at, elements.drop_back());
               Value next =
                   arith::AddFOp::create(body, at, elements.back(), term);
               linalg::YieldOp::create(body, at, next);
             })
      .getResult(0);
}

Parts::Parts(OpBuilder &b, const ColumnSum &sum, int64_t length)
    : length(length), columns(sum.numColumns) {
  linalg::GenericOp op = sum.op;
  Location loc = op.getLoc();
  MLIRContext *context = b.getContext();
  const int64_t numParts = sum.numRows / length;
  // Rows one after the other, then part by part.
  Value rows = sum.root;
  auto type = cast<RankedTensorType>(rows.getType());
  if (type.getRank() > 2) {
    SmallVector<ReassociationIndices> groups(2);
    groups[0] = llvm::to_vector<2>(llvm::seq(int64_t(0), type.getRank() - 1));
    groups[1] = {type.getRank() - 1};
    rows = tensor::CollapseShapeOp::create(b, loc, rows, groups);
  }
  SmallVector<ReassociationIndices> groups = {{0, 1}, {2}};
  rows = tensor::ExpandShapeOp::create(
      b, loc, type.clone({numParts, length, columns}), rows, groups);

  AffineExpr p, r, c;
  bindDims(context, p, r, c);
  AffineMap all = AffineMap::get(3, 0, {p, r, c}, context);
  AffineMap ofPart = AffineMap::get(3, 0, {p, c}, context);
  SmallVector<utils::IteratorType> kinds = {utils::IteratorType::parallel,
                                            utils::IteratorType::reduction,
                                            utils::IteratorType::parallel};
  sums = addUpTerms(b, loc, rows, {all, ofPart}, kinds, {numParts, columns},
                    [](OpBuilder &body, Location at, ValueRange elements) {
                      return widen(body, at, elements[0]);
                    });
  // Means are no tensor of their own: one between sums and squares would keep
  // the two from being one group.
  squares = addUpTerms(
      b, loc, {rows, sums}, {all, ofPart, ofPart}, kinds, {numParts, columns},
      [&](OpBuilder &body, Location at, ValueRange elements) {
        Value element = widen(body, at, elements[0]);
        Value mean = multiply(body, at, elements[1], 1.0 / length);
        return squareDistance(body, at, element, mean);
      });
}

/// Maps of `count` inputs of parts, `others` of columns, and of the result.
static SmallVector<AffineMap> getMaps(MLIRContext *context, unsigned count,
                                      unsigned others) {
  AffineExpr p, c;
  bindDims(context, p, c);
  SmallVector<AffineMap> maps(count, AffineMap::get(2, 0, {p, c}, context));
  maps.append(others + 1, AffineMap::get(2, 0, {c}, context));
  return maps;
}

static constexpr utils::IteratorType kOverParts[] = {
    utils::IteratorType::reduction, utils::IteratorType::parallel};

Value Parts::addUp(OpBuilder &b, Location loc) const {
  return addUpTerms(
      b, loc, sums, getMaps(b.getContext(), /*count=*/1, /*others=*/0),
      kOverParts, {columns},
      [](OpBuilder &, Location, ValueRange elements) { return elements[0]; });
}

Value Parts::addUpSquares(OpBuilder &b, const ColumnSum &variance,
                          Value center) const {
  linalg::GenericOp op = variance.op;
  SmallVector<Value> inputs = {squares, sums}, arguments;
  for (OpOperand *input : op.getDpsInputOperands())
    if (input != variance.rows) {
      inputs.push_back(input->get());
      arguments.push_back(op.getMatchingBlockArgument(input));
    }
  return addUpTerms(
      b, op.getLoc(), inputs,
      getMaps(b.getContext(), /*count=*/2, arguments.size()), kOverParts,
      {columns}, [&](OpBuilder &body, Location at, ValueRange elements) {
        IRMapping known;
        known.map(ValueRange(arguments), elements.drop_front(2));
        Value from = cloneExpression(body, center, op.getBody(), known);
        Value mean = multiply(body, at, elements[1], 1.0 / length);
        Value between =
            multiply(body, at, squareDistance(body, at, mean, from), length);
        return arith::AddFOp::create(body, at, elements[0], between)
            .getResult();
      });
}

namespace {
struct VariancesInParts
    : public amp::impl::VariancesInPartsPassBase<VariancesInParts> {
  using Base::Base;

  void runOnOperation() override {
    // The sums of a tensor's columns, by the tensor.
    DenseMap<Value, ColumnSum> sumOf;
    SmallVector<std::pair<ColumnSum, Value>> variances;
    getOperation().walk([&](linalg::GenericOp op) {
      std::optional<ColumnSum> sum = ColumnSum::match(op);
      if (!sum || !isLarge(*sum))
        return;
      if (sum->isOfElements())
        sumOf.try_emplace(sum->root, *sum);
      else if (Value center = getCenter(*sum))
        variances.emplace_back(*sum, center);
    });
    IRRewriter rewriter(&getContext());
    for (auto &[variance, center] : variances) {
      auto found = sumOf.find(variance.root);
      if (found == sumOf.end())
        continue;
      ColumnSum sum = found->second;
      if (sum.numRows != variance.numRows ||
          sum.op->getBlock() != variance.op->getBlock() ||
          !sum.op->isBeforeInBlock(variance.op))
        continue;
      int64_t length = choosePart(sum.numRows);
      if (length == 0)
        continue;
      rewriter.setInsertionPoint(sum.op);
      Parts parts(rewriter, sum, length);
      Value total = parts.addUp(rewriter, sum.op.getLoc());
      rewriter.setInsertionPoint(variance.op);
      Value squares = parts.addUpSquares(rewriter, variance, center);
      rewriter.replaceOp(sum.op, total);
      rewriter.replaceOp(variance.op, squares);
      // Another variance of the same tensor would want the same parts.
      sumOf.erase(found);
      ++numVariances;
    }
  }

private:
  /// Whether columns as narrow as a block may read are more than it keeps.
  bool isLarge(const ColumnSum &sum) const {
    auto type = cast<RankedTensorType>(sum.root.getType());
    int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    return sum.numRows * std::max<int64_t>(runBytes, elementBytes) > closeBytes;
  }
};
} // namespace
