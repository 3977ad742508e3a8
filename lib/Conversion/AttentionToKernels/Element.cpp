//===- Element.cpp - Elements of tensors, as numbers ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step goes through a body's argument, an operation with parallel loops
// alone, a reshape, a slice or a cast. A reshape that merges dimensions splits
// an index: terms whose coefficients are multiples of the inner extent belong
// to the outer dimension, and the others have to stay below it.
//
// Loops of one iteration have the index 0, whatever they are called, so that
// equal elements have equal indices.
//
//===----------------------------------------------------------------------===//

#include "Element.h"

#include "amp/Analysis/LinearMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

static AffineExpr constant(int64_t number, MLIRContext *context) {
  return getAffineConstantExpr(number, context);
}

/// The iteration at which an operation writes an element of a result of
/// `shape`, if it writes that one; `loops` that it does not name stay empty.
static bool findIteration(AffineMap map, ArrayRef<int64_t> shape,
                          ArrayRef<AffineExpr> at,
                          SmallVectorImpl<AffineExpr> &loops) {
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return false;
  loops.assign(map.getNumDims(), AffineExpr());
  for (auto [expr, size, index] : llvm::zip_equal(map.getResults(), shape, at))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      loops[dim.getPosition()] = index;
    else if (size != 1 && expr != index)
      return false;
  return true;
}

/// Where an operand of a linalg operation is read at an iteration.
static Element readOperand(linalg::LinalgOp op, OpOperand &operand,
                           ArrayRef<AffineExpr> loops, unsigned numLoops) {
  if (!isa<ShapedType>(operand.get().getType()))
    return {operand.get(), {}};
  Element element{operand.get(), {}};
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    element.at.push_back(
        simplifyAffineExpr(expr.replaceDims(loops), numLoops, 0));
  return element;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::optional<std::pair<int64_t, int64_t>>
Elements::getRange(AffineExpr index) const {
  std::optional<LinearExpr> linear =
      LinearExpr::get(simplify(index), extents.size());
  return linear ? std::optional(linear->getRange(extents)) : std::nullopt;
}

/// Linear terms of an index, by how they are merged from an outer and an inner
/// dimension of `inner` elements.
std::optional<std::pair<AffineExpr, AffineExpr>>
Elements::splitIndex(AffineExpr index, int64_t inner) const {
  MLIRContext *context = index.getContext();
  if (inner == 1)
    return std::pair(index, constant(0, context));
  AffineExpr outside = constant(0, context), inside = outside;
  SmallVector<AffineExpr> terms{index};
  while (!terms.empty()) {
    AffineExpr term = terms.pop_back_val();
    if (auto binary = dyn_cast<AffineBinaryOpExpr>(term);
        binary && binary.getKind() == AffineExprKind::Add) {
      terms.append({binary.getLHS(), binary.getRHS()});
      continue;
    }
    if (term.isMultipleOf(inner))
      outside = outside + term.floorDiv(inner);
    else
      inside = inside + term;
  }
  auto range = getRange(inside);
  if (!range || range->first < 0 || range->second >= inner)
    return std::nullopt;
  return std::pair(simplify(outside), simplify(inside));
}

/// The index in what a shape is made of, by dimensions of both that belong
/// together. `isMerged`: dimensions of the source are merged to one.
std::optional<Element>
Elements::stepThroughShape(const Element &element, Value source,
                           ArrayRef<ReassociationIndices> groups,
                           bool isMerged) const {
  auto type = cast<RankedTensorType>(element.value.getType()),
       sourceType = cast<RankedTensorType>(source.getType());
  if (!type.hasStaticShape() || !sourceType.hasStaticShape())
    return std::nullopt;
  MLIRContext *context = source.getContext();
  Element result{source, {}};
  if (!isMerged) {
    for (const ReassociationIndices &group : groups) {
      AffineExpr index = constant(0, context);
      for (int64_t dim : group)
        index = index * type.getDimSize(dim) + element.at[dim];
      result.at.push_back(simplify(index));
    }
    return result;
  }
  result.at.assign(sourceType.getRank(), constant(0, context));
  for (auto [dim, group] : llvm::enumerate(groups)) {
    AffineExpr rest = element.at[dim];
    for (int64_t inner : llvm::reverse(group)) {
      auto parts = splitIndex(rest, sourceType.getDimSize(inner));
      if (!parts)
        return std::nullopt;
      // The outermost has all that is left.
      if (inner == group.front()) {
        result.at[inner] = rest;
        break;
      }
      result.at[inner] = parts->second;
      rest = parts->first;
    }
  }
  return result;
}

static std::optional<Element> stepThroughSlice(const Element &element,
                                               tensor::ExtractSliceOp slice) {
  if (llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic) ||
      llvm::any_of(slice.getStaticStrides(), ShapedType::isDynamic))
    return std::nullopt;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  MLIRContext *context = slice.getContext();
  Element result{slice.getSource(), {}};
  unsigned next = 0;
  for (auto [dim, offset, stride] :
       llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides()))
    result.at.push_back(dropped.test(dim)
                            ? constant(offset, context)
                            : element.at[next++] * stride + offset);
  return result;
}

/// Through an operation that computes each element of its own, or a sum over
/// loops of one iteration.
std::optional<Element> Elements::stepIntoBody(const Element &element,
                                              linalg::LinalgOp op) const {
  if (!op.hasPureTensorSemantics())
    return std::nullopt;
  const unsigned number = cast<OpResult>(element.value).getResultNumber();
  OpOperand *init = op.getDpsInitOperand(number);
  SmallVector<AffineExpr> loops;
  if (!findIteration(op.getMatchingIndexingMap(init), op.getShape(init),
                     element.at, loops))
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  bool isSum = false;
  for (auto [loop, size, kind] :
       llvm::zip_equal(loops, sizes, op.getIteratorTypesArray())) {
    if (size == 1)
      loop = constant(0, op.getContext());
    if (!loop)
      return std::nullopt;
    isSum |= kind == utils::IteratorType::reduction;
  }
  Value yielded = op.getBlock()->getTerminator()->getOperand(number);
  if (!isSum)
    return Element{yielded, loops};
  // 0 + x
  auto sum = yielded.getDefiningOp<arith::AddFOp>();
  Value start = op.getMatchingBlockArgument(init);
  Element before{init->get(), element.at};
  std::optional<double> number0 = getNumber(before);
  if (!sum || !number0 || *number0 != 0 ||
      (sum.getLhs() == start) == (sum.getRhs() == start))
    return std::nullopt;
  return Element{sum.getLhs() == start ? sum.getRhs() : sum.getLhs(), loops};
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

std::optional<Element> Elements::stepBack(const Element &element) const {
  if (auto argument = dyn_cast<BlockArgument>(element.value)) {
    auto op = dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    if (!op || isa<ShapedType>(argument.getType()))
      return std::nullopt;
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    // What a sum has so far is in no tensor.
    if (!op.isDpsInput(&operand) &&
        op.getNumParallelLoops() != op.getNumLoops())
      return std::nullopt;
    return readOperand(op, operand, element.at, extents.size());
  }
  Operation *op = element.value.getDefiningOp();
  if (!isa<ShapedType>(element.value.getType())) {
    // Not through a rounding to 8 bits, which is meant.
    if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
        element.value.getType().getIntOrFloatBitWidth() >= 16)
      return element.operand(0);
    return std::nullopt;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return stepThroughShape(element, expand.getSrc(),
                            expand.getReassociationIndices(),
                            /*isMerged=*/false);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return stepThroughShape(element, collapse.getSrc(),
                            collapse.getReassociationIndices(),
                            /*isMerged=*/true);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return stepThroughSlice(element, slice);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return stepIntoBody(element, linalgOp);
  return std::nullopt;
}

Element Elements::lookBack(Element element) const {
  while (std::optional<Element> before = stepBack(element))
    element = std::move(*before);
  return element;
}

std::optional<APFloat> Elements::getFloat(const Element &element) const {
  Element first = lookBack(element);
  Attribute attribute;
  if (!matchPattern(first.value, m_Constant(&attribute)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
    attribute = splat.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue();
  return std::nullopt;
}

std::optional<double> Elements::getNumber(const Element &element) const {
  std::optional<APFloat> number = getFloat(element);
  return number ? std::optional(number->convertToDouble()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reductions and comparison
//===----------------------------------------------------------------------===//

std::optional<Reduction> Elements::matchReduction(const Element &element,
                                                  AffineExpr loop) const {
  auto op = element.value.getDefiningOp<linalg::LinalgOp>();
  if (!op || !op.hasPureTensorSemantics() || op.getNumReductionLoops() != 1)
    return std::nullopt;
  const unsigned number = cast<OpResult>(element.value).getResultNumber();
  OpOperand *init = op.getDpsInitOperand(number);
  SmallVector<AffineExpr> loops;
  if (!findIteration(op.getMatchingIndexingMap(init), op.getShape(init),
                     element.at, loops))
    return std::nullopt;
  int64_t extent = 1;
  for (auto [index, size, kind] : llvm::zip_equal(
           loops, op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (kind == utils::IteratorType::reduction)
      extent = size;
    if (size == 1)
      index = getAffineConstantExpr(0, op.getContext());
    if (!index)
      index = loop;
  }
  auto dim = dyn_cast<AffineDimExpr>(loop);
  const int64_t expected = dim ? extents[dim.getPosition()] : 1;
  if (ShapedType::isDynamic(extent) ||
      (extent != expected && expected != kAnyExtent))
    return std::nullopt;
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(number).getDefiningOp();
  Value start = op.getMatchingBlockArgument(init);
  if (!combiner || combiner->getBlock() != op.getBlock() ||
      combiner->getNumOperands() != 2 || !start.hasOneUse())
    return std::nullopt;
  Value first = combiner->getOperand(0), second = combiner->getOperand(1);
  if ((first == start) == (second == start))
    return std::nullopt;
  return Reduction{combiner,
                   {first == start ? second : first, loops},
                   {init->get(), element.at},
                   extent};
}

/// Operations without regions that compute the same of the same operands.
static bool isSameKind(Operation *x, Operation *y) {
  return x->getName() == y->getName() && x->getNumRegions() == 0 &&
         x->getNumOperands() == y->getNumOperands() &&
         x->getNumResults() == 1 &&
         x->getResultTypes() == y->getResultTypes() &&
         x->getAttrDictionary() == y->getAttrDictionary() &&
         x->getPropertiesAsAttribute() == y->getPropertiesAsAttribute();
}

bool Elements::isSame(Element x, Element y, AffineExpr loop) const {
  x = lookBack(x);
  y = lookBack(y);
  if (x == y)
    return true;
  Operation *of = x.value.getDefiningOp(), *other = y.value.getDefiningOp();
  if (!of || !other)
    return false;
  Attribute first, second;
  if (matchPattern(of, m_Constant(&first)) &&
      matchPattern(other, m_Constant(&second)))
    return first == second;
  if (isa<ShapedType>(x.value.getType())) {
    // The name would stand for two loops.
    const unsigned position = cast<AffineDimExpr>(loop).getPosition();
    auto isOfLoop = [&](AffineExpr index) {
      return index.isFunctionOfDim(position);
    };
    if (llvm::any_of(x.at, isOfLoop) || llvm::any_of(y.at, isOfLoop))
      return false;
    std::optional<Reduction> sum = matchReduction(x, loop),
                             otherSum = matchReduction(y, loop);
    return sum && otherSum &&
           sum->combiner->getName() == otherSum->combiner->getName() &&
           sum->extent == otherSum->extent &&
           isSame(sum->start, otherSum->start, loop) &&
           isSame(sum->each, otherSum->each, loop);
  }
  if (auto index = dyn_cast<linalg::IndexOp>(of))
    return isa<linalg::IndexOp>(other) &&
           x.at[index.getDim()] == y.at[cast<linalg::IndexOp>(other).getDim()];
  if (isa<ShapedType>(y.value.getType()) || !isSameKind(of, other) ||
      !isPure(of))
    return false;
  for (unsigned i = 0; i < of->getNumOperands(); ++i)
    if (!isSame(x.operand(i), y.operand(i), loop))
      return false;
  return true;
}
