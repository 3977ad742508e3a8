//===- HeadTensors.cpp - Where heads lie in a program's tensors -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row lies in one piece if a step along the depth is one element. Rows begin
// at multiples of 16 bytes (verifyAttention has the rule); a tensor where they
// do not is no source, and one nearer to the attention may be.
//
//===----------------------------------------------------------------------===//

#include "HeadTensors.h"

#include "amp/Analysis/LinearMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> joinExtents(ArrayRef<int64_t> batch, int64_t rows,
                                        int64_t columns, int64_t depth) {
  SmallVector<int64_t> extents(batch);
  extents.append({rows, columns, depth, Elements::kAnyExtent});
  return extents;
}

AttentionLoops::AttentionLoops(MLIRContext *context, ArrayRef<int64_t> batch,
                               int64_t rows, int64_t columns, int64_t depth)
    : elements(joinExtents(batch, rows, columns, depth)) {
  unsigned next = 0;
  // Loops of one iteration have no name, as in Elements.
  auto make = [&](int64_t extent) -> AffineExpr {
    unsigned dim = next++;
    return extent == 1 ? getAffineConstantExpr(0, context)
                       : getAffineDimExpr(dim, context);
  };
  for (int64_t extent : batch)
    this->batch.push_back(make(extent));
  query = make(rows);
  key = make(columns);
  this->depth = make(depth);
  other = make(2);
}

std::optional<SmallVector<AffineExpr>>
AttentionLoops::getIteration(const Contraction &contraction, AffineExpr m,
                             AffineExpr n, AffineExpr k) const {
  if (contraction.m.size() != 1 || contraction.n.size() != 1 ||
      contraction.k.size() != 1 || contraction.batch.size() != numBatch())
    return std::nullopt;
  linalg::LinalgOp op = contraction.op;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<AffineExpr> iteration(sizes.size());
  auto extentOf = [&](AffineExpr loop) {
    auto dim = dyn_cast<AffineDimExpr>(loop);
    return dim ? elements.getExtent(dim.getPosition()) : 1;
  };
  // In the order of the result's dimensions.
  SmallVector<unsigned> ordered(contraction.batch);
  llvm::sort(ordered, [&](unsigned x, unsigned y) {
    auto position = [&](unsigned loop) {
      return *contraction.c.map.getResultPosition(
          getAffineDimExpr(loop, op.getContext()));
    };
    return position(x) < position(y);
  });
  for (auto [loop, name] : llvm::zip_equal(ordered, batch))
    iteration[loop] = name;
  iteration[contraction.m[0]] = m;
  iteration[contraction.n[0]] = n;
  iteration[contraction.k[0]] = k;
  for (auto [size, name] : llvm::zip_equal(sizes, iteration))
    if (size != extentOf(name))
      return std::nullopt;
  return iteration;
}

std::optional<AttentionLoops::Steps>
AttentionLoops::getSteps(const Element &element) const {
  auto type = dyn_cast<RankedTensorType>(element.value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  AffineExpr place = getAffineConstantExpr(0, element.value.getContext());
  for (auto [size, index] : llvm::zip_equal(type.getShape(), element.at))
    place = place * size + index;
  const unsigned numLoops = elements.getNumLoops();
  std::optional<LinearExpr> linear =
      LinearExpr::get(simplifyAffineExpr(place, numLoops, 0), numLoops);
  if (!linear || linear->coefficients.back() != 0)
    return std::nullopt;
  ArrayRef<int64_t> steps = linear->coefficients;
  const unsigned first = numBatch();
  return Steps{linear->constant,
               first > 1 ? steps[0] : 0,
               first > 0 ? steps[first - 1] : 0,
               steps[first],
               steps[first + 1],
               steps[first + 2]};
}

Element mlir::amp::getOperand(const ContractionOperand &operand,
                              ArrayRef<AffineExpr> iteration) {
  Element element{operand.value, {}};
  for (AffineExpr index : operand.map.getResults())
    element.at.push_back(index.replaceDims(iteration));
  return element;
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// The layout of rows that an element is part of, if they lie in pieces.
static std::optional<HeadsLayout>
getLayout(const AttentionLoops &loops, const Element &element, bool isKey) {
  std::optional<AttentionLoops::Steps> steps = loops.getSteps(element);
  if (!steps || steps->depth != 1 || (isKey ? steps->query : steps->key) != 0)
    return std::nullopt;
  HeadsLayout layout{
      steps->offset, steps->batch, steps->head,
      isKey ? steps->key : steps->query,
      cast<RankedTensorType>(element.value.getType()).getNumElements()};
  for (int64_t step :
       {layout.offset, layout.batchStride, layout.headStride, layout.rowStride})
    if (step < 0 || step % 8 != 0)
      return std::nullopt;
  return layout;
}

/// The element that a product or quotient with a constant is made of, and the
/// constant multiplied to `factor`.
static std::optional<Element> stepThroughFactor(const Elements &elements,
                                                const Element &element,
                                                double &factor) {
  if (getComputed<arith::MulFOp>(element))
    for (unsigned i = 0; i < 2; ++i)
      if (std::optional<double> number =
              elements.getNumber(element.operand(i))) {
        factor *= *number;
        return element.operand(1 - i);
      }
  if (getComputed<arith::DivFOp>(element))
    if (std::optional<double> number = elements.getNumber(element.operand(1))) {
      factor /= *number;
      return element.operand(0);
    }
  return std::nullopt;
}

bool HeadsSource::operator==(const HeadsSource &other) const {
  const HeadsLayout &x = layout, &y = other.layout;
  return tensor == other.tensor && x.offset == y.offset &&
         x.batchStride == y.batchStride && x.headStride == y.headStride &&
         x.rowStride == y.rowStride;
}

/// Whether a tensor is another one, rounded and in another order.
static bool isRounding(Value tensor, Value wide) {
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      op.getDpsInputs()[0] != wide)
    return false;
  auto rounding = op.getBlock()
                      ->getTerminator()
                      ->getOperand(0)
                      .getDefiningOp<arith::TruncFOp>();
  return rounding && rounding.getIn() == op.getBlock()->getArgument(0) &&
         !op.getMatchingIndexingMap(&op->getOpOperand(0)).isIdentity();
}

std::optional<HeadsSource> mlir::amp::findSource(const AttentionLoops &loops,
                                                 Element element, Type type,
                                                 bool isKey, bool hasFactor) {
  std::optional<HeadsSource> found;
  double factor = 1;
  std::optional<Element> next = element;
  while (next) {
    Value value = next->value;
    // What was rounded to the other format of 16 bits is not what it was made
    // of.
    Type number = getElementTypeOrSelf(value.getType());
    if (number != type && isa<FloatType>(number) &&
        number.getIntOrFloatBitWidth() <= 16)
      break;
    if (isa<ShapedType>(value.getType()) &&
        getElementTypeOrSelf(value.getType()) == type &&
        (hasFactor || factor == 1))
      if (std::optional<HeadsLayout> layout = getLayout(loops, *next, isKey))
        found = {value, *layout, factor, Value(), {}};
    if (found && !found->wide && isa<ShapedType>(value.getType()) &&
        getElementTypeOrSelf(value.getType()).isF32() &&
        found->factor == factor && isRounding(found->tensor, value))
      if (std::optional<HeadsLayout> layout = getLayout(loops, *next, isKey)) {
        found->wide = value;
        found->wideLayout = *layout;
      }
    Element current = *next;
    next = loops.elements.stepBack(current);
    if (!next)
      next = stepThroughFactor(loops.elements, current, factor);
  }
  return found;
}

std::optional<HeadsTarget> mlir::amp::findTarget(const AttentionLoops &loops,
                                                 const Contraction &product,
                                                 ArrayRef<AffineExpr> iteration,
                                                 Type type, bool isKey) {
  Value result = product.op->getResult(0);
  if (!result.hasOneUse())
    return std::nullopt;
  auto reader = dyn_cast<linalg::LinalgOp>(*result.user_begin());
  if (!reader || reader.getNumDpsInits() != 1 ||
      reader->getBlock() != product.op->getBlock() ||
      reader.getNumParallelLoops() != reader.getNumLoops() ||
      getElementTypeOrSelf(reader->getResult(0).getType()) != type)
    return std::nullopt;
  OpOperand &use = *result.use_begin();
  AffineMap map = reader.getMatchingIndexingMap(&use),
            output = reader.getMatchingIndexingMap(reader.getDpsInitOperand(0));
  if (!reader.isDpsInput(&use) || !map.isPermutation() ||
      !output.isPermutation())
    return std::nullopt;
  // The iteration of the reader, and from it the element that it writes.
  SmallVector<AffineExpr> readerLoops(map.getNumDims());
  for (auto [read, index] :
       llvm::zip_equal(map.getResults(), product.c.map.getResults()))
    readerLoops[cast<AffineDimExpr>(read).getPosition()] =
        index.replaceDims(iteration);
  Element written{reader->getResult(0), {}};
  for (AffineExpr index : output.getResults())
    written.at.push_back(index.replaceDims(readerLoops));

  HeadsTarget target{reader, {}, 1, {}};
  Element number{reader.getBlock()->getTerminator()->getOperand(0),
                 readerLoops};
  BlockArgument read = reader.getMatchingBlockArgument(&use);
  while (number.value != read) {
    std::optional<Element> next;
    if (number.value.getDefiningOp())
      next = loops.elements.stepBack(number);
    if (!next)
      next = stepThroughFactor(loops.elements, number, target.factor);
    if (!next)
      return std::nullopt;
    number = *next;
  }
  std::optional<HeadsLayout> layout = getLayout(loops, written, isKey);
  if (!layout)
    return std::nullopt;
  target.layout = *layout;
  target.written = written;
  return target;
}

std::optional<std::pair<Operation *, HeadsLayout>>
mlir::amp::findPart(const AttentionLoops &loops, const HeadsTarget &target,
                    bool isKey) {
  Element element = target.written;
  if (!element.value.hasOneUse())
    return std::nullopt;
  Operation *user = *element.value.user_begin();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
    Element merged{collapse.getResult(), {}};
    for (const ReassociationIndices &group :
         collapse.getReassociationIndices()) {
      AffineExpr index = getAffineConstantExpr(0, element.value.getContext());
      for (int64_t dim : group)
        index = index * collapse.getSrcType().getDimSize(dim) + element.at[dim];
      merged.at.push_back(index);
    }
    element = merged;
    if (!element.value.hasOneUse())
      return std::nullopt;
    user = *element.value.user_begin();
  }
  auto concat = dyn_cast<tensor::ConcatOp>(user);
  if (!concat || concat->getBlock() != target.op->getBlock())
    return std::nullopt;
  const int64_t dim = concat.getDim();
  for (Value part : concat.getInputs()) {
    if (part == element.value)
      break;
    element.at[dim] = element.at[dim] +
                      cast<RankedTensorType>(part.getType()).getDimSize(dim);
  }
  std::optional<HeadsLayout> layout =
      getLayout(loops, {concat.getResult(), element.at}, isKey);
  if (!layout)
    return std::nullopt;
  return std::pair(user, *layout);
}
