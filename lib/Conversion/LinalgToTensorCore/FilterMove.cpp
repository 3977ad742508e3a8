//===- FilterMove.cpp - Filters as they lie somewhere else ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The move has a loop for each dimension of its result, in their order. What it
// reads in loops over the filters as kernels order them follows by putting, for
// each loop of the move, what that dimension is there: a tap r of R as R - 1 -
// r if taps are reversed. Where the result is no permutation of what is read,
// taps that are in order here would be reversed there, or the other way round.
//
//===----------------------------------------------------------------------===//

#include "FilterMove.h"

#include "amp/Analysis/LinearMap.h"
#include "amp/Analysis/SpreadTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::amp;

/// What a dimension of a gradient's filters is in the forward pass.
static FilterDim exchange(FilterDim dim) {
  if (dim == FilterDim::Filter)
    return FilterDim::Channel;
  return dim == FilterDim::Channel ? FilterDim::Filter : dim;
}

/// The dimensions of the problem's filters as kernels read them, with sizes.
static SmallVector<std::pair<FilterDim, int64_t>>
getDims(const ConvolutionProblem &problem) {
  SmallVector<std::pair<FilterDim, int64_t>> dims;
  if (problem.groups > 1)
    dims.push_back({FilterDim::Group, problem.groups});
  dims.push_back({FilterDim::Filter, problem.filtersPerGroup()});
  dims.push_back({FilterDim::Row, problem.filterHeight});
  dims.push_back({FilterDim::Column, problem.filterWidth});
  dims.push_back({FilterDim::Channel, problem.channelsPerGroup()});
  return dims;
}

/// Goes back over a reshape that joins dimensions of size 1 with others, or
/// splits dimensions. Returns what is reshaped, with its dimensions.
static std::optional<Value>
lookThroughReshape(Value filters, ArrayRef<FilterDim> dims,
                   SmallVectorImpl<MovedDim> &moved) {
  auto getDim = [](FilterDim dim, int64_t size) {
    return size == 1 ? std::nullopt : std::optional(dim);
  };
  auto type = cast<RankedTensorType>(filters.getType());
  if (auto collapse = filters.getDefiningOp<tensor::CollapseShapeOp>()) {
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    for (auto [dim, joined] :
         llvm::zip_equal(dims, collapse.getReassociationIndices())) {
      if (llvm::count_if(joined, [&](int64_t of) { return shape[of] != 1; }) >
          1)
        return std::nullopt;
      for (int64_t of : joined)
        moved.push_back({{getDim(dim, shape[of])}, {shape[of]}});
    }
    return collapse.getSrc();
  }
  auto expand = filters.getDefiningOp<tensor::ExpandShapeOp>();
  if (!expand) {
    for (auto [dim, size] : llvm::zip_equal(dims, type.getShape()))
      moved.push_back({{getDim(dim, size)}, {size}});
    return filters;
  }
  for (const ReassociationIndices &split : expand.getReassociationIndices()) {
    MovedDim &dim = moved.emplace_back();
    for (int64_t of : split) {
      dim.dims.push_back(getDim(dims[of], type.getDimSize(of)));
      dim.sizes.push_back(type.getDimSize(of));
    }
  }
  return expand.getSrc();
}

static bool isMove(linalg::GenericOp op, unsigned rank) {
  return op && op.hasPureTensorSemantics() && op.getNumDpsInputs() == 1 &&
         op->getNumResults() == 1 && !op.hasIndexSemantics() &&
         op.getNumParallelLoops() == rank && op.getNumLoops() == rank &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
}

/// Takes the dimensions of what `op` reads apart as those of its result are.
/// Fails where a part of a split dimension would be read by itself.
LogicalResult FilterMove::readSource(ArrayRef<MovedDim> moved,
                                     ArrayRef<SmallVector<AffineExpr>> loops) {
  AffineMap read = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  auto source = cast<RankedTensorType>(op.getDpsInputs()[0].getType());
  SmallVector<AffineExpr> whole; // null if split
  for (auto [dim, parts] : llvm::zip_equal(moved, loops)) {
    auto isLarge = [](int64_t size) { return size != 1; };
    const auto *large = llvm::find_if(dim.sizes, isLarge);
    AffineExpr &loop = whole.emplace_back();
    if (large == dim.sizes.end())
      loop = getAffineConstantExpr(0, op.getContext());
    else if (llvm::count_if(dim.sizes, isLarge) == 1)
      loop = parts[large - dim.sizes.begin()];
  }
  SmallVector<AffineExpr> results;
  for (auto [expr, size] :
       llvm::zip_equal(read.getResults(), source.getShape())) {
    ReassociationIndices &parts = sourceSplit.emplace_back();
    auto add = [&](AffineExpr result, int64_t resultSize) {
      parts.push_back(results.size());
      results.push_back(result);
      sourceShape.push_back(resultSize);
    };
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      unsigned position = loop.getPosition();
      for (auto [part, partSize] :
           llvm::zip_equal(loops[position], moved[position].sizes))
        add(part, partSize);
      continue;
    }
    for (auto [position, loop] : llvm::enumerate(whole))
      if (!loop && expr.isFunctionOfDim(position))
        return failure();
    add(expr.replaceDims(whole), size);
  }
  map = simplifyAffineMap(
      AffineMap::get(sizes.size(), 0, results, op.getContext()));
  return success(map.isProjectedPermutation(/*allowZeroInResults=*/true) &&
                 fitsExtents(map, sourceShape, sizes));
}

std::optional<FilterMove> FilterMove::find(Value filters,
                                           ArrayRef<FilterDim> dims,
                                           const ConvolutionProblem &problem,
                                           bool isGradient) {
  SmallVector<MovedDim> moved;
  std::optional<Value> made = lookThroughReshape(filters, dims, moved);
  FilterMove move;
  if (!made)
    return std::nullopt;
  move.op = made->getDefiningOp<linalg::GenericOp>();
  if (!isMove(move.op, moved.size()))
    return std::nullopt;
  Type source = move.op.getDpsInputs()[0].getType();
  if (!isPlainTensor(source) || cast<RankedTensorType>(source).getRank() == 0)
    return std::nullopt;

  MLIRContext *context = move.op.getContext();
  auto kernelDims = getDims(problem);
  move.sizes = llvm::to_vector(llvm::make_second_range(kernelDims));
  auto getLoop = [&](FilterDim dim) -> AffineExpr {
    for (auto [loop, entry] : llvm::enumerate(kernelDims))
      if (entry.first == dim && entry.second != 1)
        return getAffineDimExpr(loop, context);
    return getAffineConstantExpr(0, context); // of size 1
  };
  SmallVector<SmallVector<AffineExpr>> loops;
  for (const MovedDim &each : moved) {
    SmallVector<AffineExpr> &parts = loops.emplace_back();
    for (std::optional<FilterDim> dim : each.dims) {
      AffineExpr loop = getAffineConstantExpr(0, context);
      if (dim)
        loop = getLoop(isGradient ? exchange(*dim) : *dim);
      if (isGradient && dim == FilterDim::Row)
        loop = problem.filterHeight - 1 - loop;
      if (isGradient && dim == FilterDim::Column)
        loop = problem.filterWidth - 1 - loop;
      parts.push_back(loop);
    }
  }
  if (failed(move.readSource(moved, loops)))
    return std::nullopt;
  return move;
}

/// The move computes nothing, and reads elements in the order in which they
/// lie.
bool FilterMove::isReshape() const {
  linalg::GenericOp op = this->op;
  auto yielded =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  if (!yielded || yielded.getOwner() != op.getBlock() ||
      llvm::product_of(sourceShape) != llvm::product_of(sizes))
    return false;
  int64_t last = -1;
  for (auto [size, expr] : llvm::zip_equal(sourceShape, map.getResults())) {
    if (size == 1)
      continue;
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || int64_t(loop.getPosition()) < last)
      return false;
    last = loop.getPosition();
  }
  return true;
}

Value FilterMove::build(OpBuilder &b) const {
  linalg::GenericOp op = this->op;
  Location loc = op.getLoc();
  auto rank = static_cast<unsigned>(sizes.size());
  auto type = cast<RankedTensorType>(op->getResult(0).getType()).clone(sizes);
  Value source = op.getDpsInputs()[0];
  if (isReshape()) {
    auto flat =
        RankedTensorType::get(type.getNumElements(), type.getElementType());
    auto all = [](int64_t rank) {
      return SmallVector<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
    };
    int64_t sourceRank = cast<RankedTensorType>(source.getType()).getRank();
    Value line =
        tensor::CollapseShapeOp::create(b, loc, flat, source, all(sourceRank));
    return tensor::ExpandShapeOp::create(b, loc, type, line, all(rank));
  }
  auto given = cast<RankedTensorType>(source.getType());
  if (sourceShape.size() != size_t(given.getRank()))
    source = tensor::ExpandShapeOp::create(b, loc, given.clone(sourceShape),
                                           source, sourceSplit);
  Value init = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  auto filters = linalg::GenericOp::create(
      b, loc, type, source, init, {map, b.getMultiDimIdentityMap(rank)},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel));
  IRMapping mapping;
  op.getRegion().cloneInto(&filters.getRegion(), mapping);
  return filters->getResult(0);
}
