//===- SoftmaxesInParts.cpp - A maximum and the exponentials below it -----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax, or the logarithm of one, takes the maximum of each row and then
// adds up the exponentials of the distances from it: two passes over rows that
// no block can keep, and a third where the exponentials are a tensor of their
// own. Of parts p of a row, which a block does keep, both are one pass:
//
//   m_p = max of x               s_p = sum of exp(x - m_p)
//
// and those of the row follow from them,
//
//   max of x           = max over p of m_p
//   sum of exp(x - c)  = sum over p of s_p exp(m_p - c)
//
// for any c that is finite or the maximum (Milakov and Gimelshein, "Online
// normalizer calculation for softmax", 2018, with parts instead of elements).
// What else reads the exponentials computes them itself.
//
// What is infinite or NaN stays what it was: a part whose maximum is not finite
// adds up exp(x - 0), which is 0 where all of it is masked by -inf.
//
//===----------------------------------------------------------------------===//

#include "BodyExpressions.h"
#include "amp/Analysis/Elementwise.h"
#include "amp/Analysis/Fill.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "amp-softmaxes-in-parts"

namespace mlir::amp {
#define GEN_PASS_DEF_SOFTMAXESINPARTSPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

using utils::IteratorType;

/// Elements of a part, at most and at least: what the threads of a block keep
/// in registers, and enough for each to have one.
static constexpr int64_t kMostElements = 8192, kLeastElements = 256;
/// Elements that a thread reads at once, at most.
static constexpr int64_t kVector = 8;

namespace {
/// A number for each row, from all elements of the last loop.
struct RowReduction {
  linalg::GenericOp op;
  /// What takes one more element into the number, and that element.
  Operation *combiner;
  Value taken;

  static std::optional<RowReduction> match(linalg::GenericOp op);
  bool isMaximum() const {
    return isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner);
  }
  /// What it makes of one more number and of the number so far.
  Value combine(OpBuilder &b, Location loc, Value number, Value soFar) const {
    return b
        .create(loc, combiner->getName().getIdentifier(), {number, soFar},
                soFar.getType())
        ->getResult(0);
  }
};

/// The sum in f32 of each row's exponentials.
struct ExpSum {
  linalg::GenericOp op;
  /// Whose body computes them: `op`, or what it adds up.
  linalg::GenericOp source;
  /// exp(element - center), the latter one for each row.
  Value element, center;

  static std::optional<ExpSum> match(const RowReduction &sum);
};
} // namespace

static unsigned getLastLoop(linalg::GenericOp op) {
  return op.getNumLoops() - 1;
}

static int64_t getRowLength(linalg::GenericOp op) {
  return op.getStaticLoopRanges().back();
}

/// Whether the elements that `map` reads are the same for all of a row.
static bool isOfRows(AffineMap map) {
  return !map.isFunctionOfDim(map.getNumDims() - 1);
}

/// From all loops but the last to themselves.
static AffineMap getRowMap(unsigned numLoops, MLIRContext *context) {
  return AffineMap::getMultiDimIdentityMap(numLoops, context)
      .dropResult(numLoops - 1);
}

std::optional<RowReduction> RowReduction::match(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.hasDynamicShape() || op.getNumLoops() < 2 ||
      op.getIteratorTypesArray().back() != IteratorType::reduction ||
      op.getNumReductionLoops() != 1)
    return std::nullopt;
  OpOperand *init = op.getDpsInitOperand(0);
  if (op.getMatchingIndexingMap(init) !=
      getRowMap(op.getNumLoops(), op.getContext()))
    return std::nullopt;
  // What parts of an operand are is plain where each loop is a dimension.
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingIndexingMap(input).isProjectedPermutation())
      return std::nullopt;
  Operation *combiner =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  BlockArgument soFar = op.getRegionOutputArgs().front();
  if (!isa_and_present<arith::MaximumFOp, arith::MaxNumFOp, arith::AddFOp>(
          combiner) ||
      !soFar.hasOneUse() || *soFar.user_begin() != combiner)
    return std::nullopt;
  Value taken = combiner->getOperand(combiner->getOperand(0) == soFar ? 1 : 0);
  return RowReduction{op, combiner, taken};
}

/// What computes the elements that `sum` adds up, if that is an operation on
/// elements in the same order.
static linalg::GenericOp getSource(const RowReduction &sum) {
  linalg::GenericOp op = sum.op;
  auto argument = dyn_cast<BlockArgument>(sum.taken);
  if (!argument)
    return op;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  auto source = operand->get().getDefiningOp<linalg::GenericOp>();
  if (!source || source->getNumResults() != 1 || !readsByElement(source) ||
      source->getBlock() != op->getBlock() || !source->isBeforeInBlock(op) ||
      !op.getMatchingIndexingMap(operand).isIdentity() ||
      !llvm::all_of(
          source.getIndexingMapsArray(),
          [](AffineMap map) { return map.isProjectedPermutation(); }) ||
      !source.getIndexingMapsArray().back().isIdentity())
    return {};
  return source;
}

std::optional<ExpSum> ExpSum::match(const RowReduction &sum) {
  linalg::GenericOp op = sum.op, source = getSource(sum);
  if (!isa<arith::AddFOp>(sum.combiner) ||
      !sum.combiner->getResult(0).getType().isF32() || !source ||
      !isFilledWithZero(op.getDpsInitOperand(0)->get()))
    return std::nullopt;
  Value added = source == op ? sum.taken
                             : source.getBody()->getTerminator()->getOperand(0);
  auto exp = added.getDefiningOp<math::ExpOp>();
  auto distance =
      exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  if (!distance)
    return std::nullopt;
  auto isInput = [&](BlockArgument argument) {
    return source.isDpsInput(source.getMatchingOpOperand(argument));
  };
  auto isInputOfRows = [&](BlockArgument argument) {
    OpOperand *operand = source.getMatchingOpOperand(argument);
    return source.isDpsInput(operand) &&
           isOfRows(source.getMatchingIndexingMap(operand));
  };
  if (!followsFrom(distance.getLhs(), source.getBody(), isInput) ||
      !followsFrom(distance.getRhs(), source.getBody(), isInputOfRows))
    return std::nullopt;
  return ExpSum{op, source, distance.getLhs(), distance.getRhs()};
}

/// The elements of parts of `rows`: as many as threads read at once, if such
/// parts divide a row; 0 if there are no parts.
static int64_t choosePart(int64_t rows) {
  int64_t any = 0;
  for (int64_t part = std::min(kMostElements, rows / 2); part >= kLeastElements;
       --part) {
    if (rows % part)
      continue;
    if (part % kVector == 0)
      return part;
    any = any ? any : part;
  }
  return any;
}

namespace {
/// Maxima of the parts of rows, and sums of the exponentials below them.
class Parts {
public:
  Parts(OpBuilder &b, const RowReduction &maximum, int64_t length);

  /// The maxima of rows.
  Value takeMaxima(OpBuilder &b, const RowReduction &maximum) const;
  /// The sums of all exponentials of the distances from the center of `sum`.
  Value addUp(OpBuilder &b, const ExpSum &sum) const;

private:
  void expandInputs(OpBuilder &b, linalg::GenericOp op);
  /// A number for each part, from what `combine` makes of the number so far
  /// and of elements of the inputs and of `others`, which are numbers of parts.
  Value
  reduce(OpBuilder &b, linalg::GenericOp op, Value init, ValueRange others,
         function_ref<Value(OpBuilder &, Location, ValueRange)> combine) const;

  int64_t length, numParts;
  /// Of the maximum, with an extent for the parts and one for what they have.
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  Value maxima, sums;
};
} // namespace

void Parts::expandInputs(OpBuilder &b, linalg::GenericOp op) {
  unsigned last = getLastLoop(op);
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    SmallVector<AffineExpr> places;
    SmallVector<ReassociationIndices> groups;
    SmallVector<int64_t> shape;
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    for (auto [i, place] : llvm::enumerate(map.getResults())) {
      groups.push_back({int64_t(places.size())});
      places.push_back(place);
      if (place != b.getAffineDimExpr(last)) {
        shape.push_back(type.getDimSize(i));
        continue;
      }
      groups.back().push_back(places.size());
      places.push_back(b.getAffineDimExpr(last + 1));
      shape.append({numParts, length});
    }
    Value value = input->get();
    if (!isOfRows(map))
      value = tensor::ExpandShapeOp::create(b, op.getLoc(), type.clone(shape),
                                            value, groups);
    inputs.push_back(value);
    maps.push_back(
        AffineMap::get(op.getNumLoops() + 1, 0, places, b.getContext()));
  }
}

Value Parts::reduce(
    OpBuilder &b, linalg::GenericOp op, Value init, ValueRange others,
    function_ref<Value(OpBuilder &, Location, ValueRange)> combine) const {
  Location loc = op.getLoc();
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  shape.back() = numParts;
  Value empty = tensor::EmptyOp::create(b, loc, shape, init.getType());
  Value start = linalg::FillOp::create(b, loc, init, empty).getResult(0);
  SmallVector<IteratorType> kinds(shape.size(), IteratorType::parallel);
  kinds.push_back(IteratorType::reduction);
  AffineMap ofParts = getRowMap(shape.size() + 1, b.getContext());
  SmallVector<Value> operands = inputs;
  llvm::append_range(operands, others);
  SmallVector<AffineMap> allMaps = maps;
  allMaps.append(others.size() + 1, ofParts);
  return linalg::GenericOp::create(
             b, loc, start.getType(), operands, start, allMaps, kinds,
             [&](OpBuilder &body, Location at, ValueRange elements) {
               linalg::YieldOp::create(body, at, combine(body, at, elements));
             })
      .getResult(0);
}

/// Whether maxima of `type` may begin with an infinity, and are no wider than
/// what sums are of.
static bool hasInfinity(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number && number.getWidth() <= 32 &&
         APFloat::semanticsHasInf(number.getFloatSemantics());
}

/// `number`, or 0 if it is infinite or NaN.
static Value getFinite(OpBuilder &b, Location loc, Value number) {
  auto type = cast<FloatType>(number.getType());
  Value infinity = arith::ConstantOp::create(
      b, loc, b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics())));
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0));
  Value magnitude = math::AbsFOp::create(b, loc, number);
  Value isFinite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                         magnitude, infinity);
  return arith::SelectOp::create(b, loc, isFinite, number, zero);
}

/// exp(x - y)
static Value createExp(OpBuilder &b, Location loc, Value x, Value y) {
  Value distance = arith::SubFOp::create(b, loc, x, y);
  return math::ExpOp::create(b, loc, distance);
}

Parts::Parts(OpBuilder &b, const RowReduction &maximum, int64_t length)
    : length(length) {
  linalg::GenericOp op = maximum.op;
  numParts = getRowLength(op) / length;
  expandInputs(b, op);
  auto takeElement = [&](OpBuilder &body, ValueRange elements) {
    IRMapping known;
    known.map(op.getRegionInputArgs(), elements.take_front(inputs.size()));
    return cloneExpression(body, maximum.taken, op.getBody(), known);
  };
  auto type = cast<FloatType>(maximum.taken.getType());
  Value lowest = arith::ConstantOp::create(
      b, op.getLoc(),
      b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                           /*Negative=*/true)));
  maxima = reduce(b, op, lowest, {},
                  [&](OpBuilder &body, Location at, ValueRange elements) {
                    return maximum.combine(
                        body, at, takeElement(body, elements), elements.back());
                  });
  Value zero = arith::ConstantOp::create(b, op.getLoc(), b.getF32FloatAttr(0));
  sums =
      reduce(b, op, zero, maxima,
             [&](OpBuilder &body, Location at, ValueRange elements) -> Value {
               Value element = widen(body, at, takeElement(body, elements));
               Value center = getFinite(
                   body, at, widen(body, at, elements.drop_back().back()));
               Value term = createExp(body, at, element, center);
               return arith::AddFOp::create(body, at, elements.back(), term);
             });
}

/// A number for each row as `op` has it, from numbers of parts and of rows:
/// what `combine` makes of elements of `inputs` and of the number so far.
static linalg::GenericOp
combineParts(OpBuilder &b, linalg::GenericOp op, ValueRange inputs,
             ArrayRef<AffineMap> inputMaps,
             function_ref<Value(OpBuilder &, Location, ValueRange)> combine) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(getRowMap(op.getNumLoops(), b.getContext()));
  return linalg::GenericOp::create(
      b, op.getLoc(), op->getResultTypes(), inputs, op.getDpsInits(), maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &body, Location at, ValueRange elements) {
        linalg::YieldOp::create(body, at, combine(body, at, elements));
      });
}

Value Parts::takeMaxima(OpBuilder &b, const RowReduction &maximum) const {
  linalg::GenericOp op = maximum.op;
  AffineMap all = b.getMultiDimIdentityMap(op.getNumLoops());
  return combineParts(b, op, maxima, all,
                      [&](OpBuilder &body, Location at, ValueRange elements) {
                        return maximum.combine(body, at, elements[0],
                                               elements[1]);
                      })
      .getResult(0);
}

Value Parts::addUp(OpBuilder &b, const ExpSum &sum) const {
  linalg::GenericOp source = sum.source;
  SmallVector<Value> operands = {sums, maxima}, arguments;
  SmallVector<AffineMap> operandMaps(
      2, b.getMultiDimIdentityMap(source.getNumLoops()));
  for (OpOperand *input : source.getDpsInputOperands()) {
    AffineMap map = source.getMatchingIndexingMap(input);
    if (!isOfRows(map))
      continue;
    operands.push_back(input->get());
    operandMaps.push_back(map);
    arguments.push_back(source.getMatchingBlockArgument(input));
  }
  return combineParts(
             b, sum.op, operands, operandMaps,
             [&](OpBuilder &body, Location at, ValueRange elements) -> Value {
               IRMapping known;
               known.map(ValueRange(arguments),
                         elements.drop_front(2).drop_back());
               Value center =
                   cloneExpression(body, sum.center, source.getBody(), known);
               Value scale =
                   createExp(body, at, widen(body, at, elements[1]), center);
               Value term = arith::MulFOp::create(body, at, elements[0], scale);
               return arith::AddFOp::create(body, at, elements.back(), term);
             })
      .getResult(0);
}

/// Has all who read `op` compute its elements themselves, if all can.
static void computeInReaders(IRRewriter &rewriter, linalg::GenericOp op) {
  std::optional<llvm::SetVector<Operation *>> readers = getGenericReaders(op);
  if (!readers)
    return;
  auto canCompute = [&](OpOperand &use) {
    auto reader = cast<linalg::GenericOp>(use.getOwner());
    return reader->getBlock() == op->getBlock() &&
           op->isBeforeInBlock(reader) &&
           reader.getMatchingIndexingMap(&use).isPermutation() &&
           linalg::areElementwiseOpsFusable(&use);
  };
  if (!llvm::all_of(op->getUses(), canCompute))
    return;
  while (!op->use_empty()) {
    OpOperand &use = *op->getUses().begin();
    Operation *reader = use.getOwner();
    rewriter.setInsertionPoint(reader);
    Operation *own = rewriter.clone(*op);
    use.set(own->getResult(0));
    FailureOr<linalg::ElementwiseOpFusionResult> fused =
        linalg::fuseElementwiseOps(rewriter, &use);
    assert(succeeded(fused) && "it was asked");
    for (Value result : reader->getResults())
      rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
    rewriter.eraseOp(reader);
    rewriter.eraseOp(own);
  }
  rewriter.eraseOp(op);
}

namespace {
struct SoftmaxesInParts
    : public amp::impl::SoftmaxesInPartsPassBase<SoftmaxesInParts> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<RowReduction> maxima;
    // Below each maximum.
    SmallVector<SmallVector<ExpSum>> sums;
    getOperation().walk([&](linalg::GenericOp op) {
      std::optional<RowReduction> reduction = RowReduction::match(op);
      if (!reduction)
        return;
      if (reduction->isMaximum()) {
        maxima.push_back(*reduction);
        sums.emplace_back();
      } else if (std::optional<ExpSum> sum = ExpSum::match(*reduction);
                 sum && isLong(*sum)) {
        auto *maximum = llvm::find_if(maxima, [&](const RowReduction &other) {
          return isBelow(*sum, other);
        });
        if (maximum != maxima.end())
          sums[maximum - maxima.begin()].push_back(*sum);
      }
    });
    IRRewriter rewriter(&getContext());
    DenseSet<Operation *> sources;
    for (auto [maximum, below] : llvm::zip_equal(maxima, sums)) {
      for (const ExpSum &sum : below)
        if (sum.source != sum.op)
          sources.insert(sum.source);
      int64_t length = below.empty() ? 0 : choosePart(getRowLength(maximum.op));
      if (length == 0)
        continue;
      rewriter.setInsertionPoint(maximum.op);
      Parts parts(rewriter, maximum, length);
      rewriter.replaceOp(maximum.op, parts.takeMaxima(rewriter, maximum));
      for (const ExpSum &sum : below) {
        rewriter.setInsertionPoint(sum.op);
        rewriter.replaceOp(sum.op, parts.addUp(rewriter, sum));
        ++numInParts;
      }
    }
    // The last first: one may read another, and is another operation then.
    SmallVector<linalg::GenericOp> ordered;
    getOperation().walk([&](linalg::GenericOp op) {
      if (sources.contains(op))
        ordered.push_back(op);
    });
    for (linalg::GenericOp source : llvm::reverse(ordered))
      computeInReaders(rewriter, source);
  }

private:
  /// Whether a row and what becomes of it, which takes as many bytes, are more
  /// than a block keeps, with exponentials that are a tensor.
  bool isLong(const ExpSum &sum) const {
    linalg::GenericOp source = sum.source;
    int64_t elementBytes = 0;
    for (OpOperand *input : source.getDpsInputOperands())
      if (!isOfRows(source.getMatchingIndexingMap(input)))
        elementBytes =
            std::max(elementBytes, getElementBytes(input->get().getType()));
    int64_t bytes = 2 * elementBytes;
    if (source != sum.op)
      bytes += sizeof(float);
    return getRowLength(sum.op) * bytes > closeBytes;
  }

  /// Whether `sum` is of distances from elements that `maximum` is one of.
  static bool isBelow(const ExpSum &sum, const RowReduction &maximum) {
    linalg::GenericOp op = maximum.op;
    return op->getBlock() == sum.op->getBlock() &&
           op->isBeforeInBlock(sum.source) &&
           hasInfinity(maximum.taken.getType()) &&
           op.getStaticLoopRanges() ==
               linalg::GenericOp(sum.source).getStaticLoopRanges() &&
           areSameExpression(getUnwidened(maximum.taken), op,
                             getUnwidened(sum.element), sum.source);
  }
};
} // namespace
