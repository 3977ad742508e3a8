//===- FusionNode.cpp - How an operation walks its tensors ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads indexing maps and reassociations. A dimension that is indexed by
// anything but one loop (a window, a constant) is read as a whole.
//
//===----------------------------------------------------------------------===//

#include "amp/Fusion/FusionNode.h"

#include "amp/Analysis/Contraction.h"
#include "amp/Analysis/LoopExtents.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isReshape(Operation *op) {
  return isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

Value mlir::amp::getReshapeRoot(Value value) {
  while (isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

Value mlir::amp::getFirstInit(Value init) {
  while (auto writer = init.getDefiningOp<linalg::GenericOp>())
    init =
        writer.getDpsInitOperand(cast<OpResult>(init).getResultNumber())->get();
  return init;
}

/// The dimension of `dims` that is longer than 1, if the others are not.
static std::optional<int64_t> getOnlyLong(ArrayRef<int64_t> dims,
                                          ArrayRef<int64_t> shape) {
  std::optional<int64_t> only;
  for (int64_t dim : dims) {
    if (shape[dim] == 1)
      continue;
    if (only)
      return std::nullopt;
    only = dim;
  }
  return only;
}

SmallVector<int> mlir::amp::getSourceLoops(Operation *reshape,
                                           ArrayRef<int> resultLoops) {
  auto source = cast<RankedTensorType>(reshape->getOperand(0).getType());
  auto result = cast<RankedTensorType>(reshape->getResult(0).getType());
  SmallVector<int> dims(source.getRank(), TensorWalk::kWhole);
  auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape);
  SmallVector<ReassociationIndices> groups =
      expand ? expand.getReassociationIndices()
             : cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices();
  ArrayRef<int64_t> longShape = expand ? result.getShape() : source.getShape();
  for (auto [collapsed, group] : llvm::enumerate(groups))
    if (std::optional<int64_t> expanded = getOnlyLong(group, longShape)) {
      if (expand)
        dims[collapsed] = resultLoops[*expanded];
      else
        dims[*expanded] = resultLoops[collapsed];
    }
  return dims;
}

/// How `value` is walked by `dims`.
static TensorWalk createWalk(Value value, SmallVector<int> dims) {
  TensorWalk walk{value, dims, value, dims};
  while (isReshape(walk.tensor.getDefiningOp())) {
    Operation *reshape = walk.tensor.getDefiningOp();
    walk.dims = getSourceLoops(reshape, walk.dims);
    walk.tensor = reshape->getOperand(0);
  }
  return walk;
}

SmallVector<int> mlir::amp::getIndexedLoops(AffineMap map) {
  SmallVector<int> dims;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    dims.push_back(dim ? int(dim.getPosition()) : TensorWalk::kWhole);
  }
  return dims;
}

/// The loops of `op` that it can be cut along. Operands of a product are read
/// by whoever computes a part of it.
static llvm::SmallBitVector
getDivisible(linalg::LinalgOp op, ArrayRef<int64_t> extents, bool isProduct) {
  llvm::SmallBitVector divisible(op.getNumLoops());
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    divisible[dim] = kind == utils::IteratorType::parallel && extents[dim] != 1;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isProduct && op.isDpsInput(&operand))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    llvm::SmallBitVector alone(op.getNumLoops());
    for (AffineExpr expr : map.getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        alone.set(dim.getPosition());
        continue;
      }
      for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
        if (expr.isFunctionOfDim(dim))
          divisible.reset(dim);
    }
    if (op.isDpsInit(&operand))
      divisible &= alone;
  }
  return divisible;
}

/// Fills in the loops of `node` that sums go along. Products are none: zero in
/// one part times infinity in another would be NaN where their order gives
/// zero.
static void findSummed(FusionNode &node) {
  auto op = cast<linalg::LinalgOp>(node.operation);
  SmallVector<Operation *> combiners;
  for (auto [number, init] : llvm::enumerate(op.getRegionOutputArgs())) {
    bool isReassociable = init.getType().isF32() || init.getType().isF64() ||
                          init.getType().isSignlessInteger();
    SmallVector<Operation *> combining;
    if (!isReassociable ||
        !matchReduction(op.getRegionOutputArgs(), number, combining) ||
        combining.size() != 1 || isa<arith::MulFOp>(combining.front()) ||
        !arith::getNeutralElement(combining.front()))
      return;
    combiners.push_back(combining.front());
  }
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    node.summed[dim] = kind == utils::IteratorType::reduction &&
                       !ShapedType::isDynamic(node.extents[dim]) &&
                       node.extents[dim] != 1;
  for (OpOperand &operand : op->getOpOperands())
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
        // What a loop of the sums walks of another result has no part of it.
        if (expr.isFunctionOfDim(dim) &&
            (!isa<AffineDimExpr>(expr) || op.isDpsInit(&operand)))
          node.summed.reset(dim);
  if (node.summed.any())
    node.combiners = combiners;
}

/// True if the extents of all results are known without what `op` starts from
/// being there: a group may compute that, and reshape it.
static bool hasExtents(linalg::LinalgOp op) {
  return llvm::all_of(op.getDpsInits(), [](Value init) {
    if (cast<RankedTensorType>(init.getType()).hasStaticShape())
      return true;
    return !isReshape(getFirstInit(init).getDefiningOp());
  });
}

/// An operation that computes on each element of tensors, none of linalg.
static std::optional<FusionNode> getElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() == 0 ||
      !isMemoryEffectFree(op))
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || llvm::is_contained(type.getShape(), 0))
    return std::nullopt;
  FusionNode node;
  node.operation = op;
  node.extents.assign(type.getShape().begin(), type.getShape().end());
  node.divisible.resize(type.getRank());
  for (auto [dim, extent] : llvm::enumerate(node.extents))
    node.divisible[dim] = extent != 1;
  auto dims = llvm::to_vector(llvm::seq<int>(0, type.getRank()));
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      node.reads.push_back(createWalk(operand, dims));
  for (Value result : op->getResults())
    node.writes.push_back(createWalk(result, dims));
  return node;
}

std::optional<FusionNode> FusionNode::get(Operation *operation,
                                          const FusionForms &forms) {
  auto op = dyn_cast<linalg::LinalgOp>(operation);
  if (!op && forms.named)
    return getElementwise(operation);
  if (!op || !(forms.named || isa<linalg::GenericOp>(operation)) ||
      !op.hasPureTensorSemantics() || op->getNumResults() == 0 ||
      !isMemoryEffectFree(op))
    return std::nullopt;
  FusionNode node;
  FailureOr<Contraction> contraction = matchContraction(op);
  if (succeeded(contraction) &&
      !(forms.vectorsAsSums && isMatrixVector(*contraction))) {
    if (!forms.windows &&
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation();
        }))
      return std::nullopt;
    auto getWalk = [](const ContractionOperand &operand) {
      return createWalk(operand.value, getIndexedLoops(operand.map));
    };
    node.product = {contraction->m, contraction->n, getWalk(contraction->a),
                    getWalk(contraction->b), contraction->c.value};
  }
  node.operation = operation;
  node.extents = op.getStaticLoopRanges();
  // A tile's parts have the extents of its loops, whatever tensor they are of.
  if (llvm::is_contained(node.extents, 0) || !haveLoopsOneExtent(op) ||
      !hasExtents(op))
    return std::nullopt;
  node.divisible =
      getDivisible(op, node.extents, /*isProduct=*/node.product.has_value());
  node.summed.resize(op.getNumLoops());
  if (!node.product)
    findSummed(node);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    // An input that the body does not use has the extent of a loop all the
    // same.
    if (isa<RankedTensorType>(operand.get().getType()) &&
        (op.isDpsInput(&operand) || op.payloadUsesValueFromOperand(&operand)))
      node.reads.push_back(createWalk(operand.get(), getIndexedLoops(map)));
    if (op.isDpsInit(&operand))
      node.writes.push_back(
          createWalk(op.getTiedOpResult(&operand), getIndexedLoops(map)));
  }
  for (TensorWalk &walk : node.reads)
    walk.isPacked = node.product.has_value();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (auto type = dyn_cast<RankedTensorType>(value.getType())) {
      node.reads.push_back(createWalk(
          value, SmallVector<int>(type.getRank(), TensorWalk::kWhole)));
      node.reads.back().isGathered = true;
    }
  return node;
}
