//===- ConvolutionOrders.cpp - What convolution kernels read --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream classifies the loops of a convolution. A filter gradient is one,
// too, under other names: images are summed over (`inputChannel`), the channels
// of its input are what a forward convolution calls images (`batch`), and its
// window is the image of the output's gradient. Both forms hold their channels
// innermost; what differs is which loops those are.
//
//===----------------------------------------------------------------------===//

#include "amp/Layout/ConvolutionOrders.h"

#include "amp/Analysis/ComputeKind.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::amp;

/// The dimensions of a tensor with `map`, in the order of `loops`.
static StorageOrder getDimsAlong(AffineMap map, ArrayRef<unsigned> loops) {
  StorageOrder order;
  for (unsigned loop : loops)
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr.isFunctionOfDim(loop) && !llvm::is_contained(order, dim))
        order.push_back(dim);
  return order;
}

/// Points of `loops`; 0 if that is not known.
static int64_t getPoints(linalg::LinalgOp op, ArrayRef<unsigned> loops) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t points = 1;
  for (unsigned loop : loops)
    points *= ShapedType::isDynamic(extents[loop]) ? 0 : extents[loop];
  return points;
}

/// True if `op`, a convolution with `dims`, is the gradient of a filter.
static bool isFilterGradient(linalg::LinalgOp op,
                             const linalg::ConvolutionDimensions &dims,
                             const ValueOrigins &origins) {
  Origins input = origins.lookup(op.getDpsInputOperand(0)->get());
  Origins filter = origins.lookup(op.getDpsInputOperand(1)->get());
  if (input.isParameterOnly() || filter.isParameterOnly())
    return false;
  if (std::optional<Phase> phase = getPhase(op))
    return *phase == Phase::Backward;
  if (input.seed || filter.seed)
    return true;
  return getPoints(op, dims.filterLoop) > getPoints(op, dims.outputImage);
}

std::optional<ConvolutionOrders>
mlir::amp::getConvolutionOrders(Operation *op, const ValueOrigins &origins) {
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg || !linalg.hasPureTensorSemantics() ||
      linalg.getNumDpsInputs() != 2 || linalg.getNumDpsInits() != 1 ||
      getComputeKind(op) != ComputeKind::Contraction)
    return std::nullopt;
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(linalg);
  if (failed(dims) || dims->filterLoop.empty())
    return std::nullopt;

  ConvolutionOrders orders;
  orders.isFilterGradient = isFilterGradient(linalg, *dims, origins);
  bool isGradient = orders.isFilterGradient;
  // What the channels of input and output, and what the images are called.
  auto &inputChannels = isGradient ? dims->batch : dims->inputChannel;
  auto &images = isGradient ? dims->inputChannel : dims->batch;

  auto join = [](std::initializer_list<ArrayRef<unsigned>> lists) {
    SmallVector<unsigned> loops;
    for (ArrayRef<unsigned> list : lists)
      loops.append(list.begin(), list.end());
    return loops;
  };
  auto &window = isGradient ? dims->outputImage : dims->filterLoop;
  auto &image = isGradient ? dims->filterLoop : dims->outputImage;
  bool isDepthwise = inputChannels.empty() && dims->outputChannel.empty();
  SmallVector<unsigned> filter =
      isDepthwise
          ? join({window, dims->depth})
          : join({dims->depth, dims->outputChannel, window, inputChannels});
  SmallVector<unsigned> output =
      join({images, image, dims->depth, dims->outputChannel});
  SmallVector<unsigned> input =
      join({images, image, dims->depth, inputChannels});

  SmallVector<AffineMap> maps = linalg.getIndexingMapsArray();
  orders.input = getDimsAlong(maps[0], input);
  orders.filter = getDimsAlong(maps[1], isGradient ? output : filter);
  orders.output = getDimsAlong(maps[2], isGradient ? filter : output);
  // A dimension that no loop runs along would have no place.
  if (orders.input.size() != maps[0].getNumResults() ||
      orders.filter.size() != maps[1].getNumResults() ||
      orders.output.size() != maps[2].getNumResults())
    return std::nullopt;
  return orders;
}
