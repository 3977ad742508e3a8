//===- VectorTransfers.cpp - Transfers of vectors as tensors --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window of the tensor has an extent of the vector in each dimension that the
// permutation map names, in the tensor's order, and none in the others, where
// one place is read. Masks are of that shape. Between the window and the vector
// is a transposition or a repetition, which the map says.
//
// A window that is inside is a slice. One that may leave the tensor is computed
// element by element: a place that is outside, or that the mask leaves out, is
// not read, as another that is inside is read in its stead and not taken. That
// a place is inside is known from numbers, or promised by `in_bounds`. Numbers
// are believed before promises, which upstream's folds make for what begins in
// front of the tensor as well (LLVM 22); and with a mask, promises are not
// believed, as a vectoriser makes them for what the mask leaves out. Written is
// such a window by a choice for each element of the tensor.
//
//===----------------------------------------------------------------------===//

#include "VectorTransfers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// A dimension of the tensor that the vector has.
struct Side {
  /// Of the tensor, and of the vector.
  unsigned dim, vectorDim;
  int64_t extent;
  /// Whether each place is known to be in the tensor.
  bool isInside;
};

/// What a transfer reads or writes of its tensor.
class Window {
public:
  Window(OpBuilder &b, VectorTransferOpInterface transfer, bool hasMask);

  bool isInside() const {
    return llvm::all_of(sides, [](const Side &side) { return side.isInside; });
  }
  SmallVector<int64_t> shape() const {
    return llvm::map_to_vector(sides,
                               [](const Side &side) { return side.extent; });
  }
  RankedTensorType type() const {
    return RankedTensorType::get(shape(), tensorType.getElementType());
  }
  /// From the loops of the vector to the window.
  AffineMap map() const {
    SmallVector<AffineExpr> dims;
    for (const Side &side : sides)
      dims.push_back(b.getAffineDimExpr(side.vectorDim));
    return AffineMap::get(rank, 0, dims, b.getContext());
  }
  SmallVector<OpFoldResult> sizes() const {
    SmallVector<OpFoldResult> sizes(tensorType.getRank(), b.getIndexAttr(1));
    for (const Side &side : sides)
      sizes[side.dim] = b.getIndexAttr(side.extent);
    return sizes;
  }

  OpBuilder &b;
  Location loc;
  Value tensor;
  RankedTensorType tensorType;
  SmallVector<OpFoldResult> offsets;
  /// In the tensor's order.
  SmallVector<Side> sides;
  /// Of the vector.
  unsigned rank;
};
} // namespace

Window::Window(OpBuilder &b, VectorTransferOpInterface transfer, bool hasMask)
    : b(b), loc(transfer.getLoc()), tensor(transfer.getBase()),
      tensorType(cast<RankedTensorType>(tensor.getType())),
      offsets(getAsOpFoldResult(transfer.getIndices())),
      rank(transfer.getVectorType().getRank()) {
  ArrayRef<int64_t> extents = transfer.getVectorType().getShape();
  for (auto [vectorDim, place] :
       llvm::enumerate(transfer.getPermutationMap().getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(place);
    if (!dim)
      continue;
    const unsigned number = dim.getPosition();
    const int64_t size = tensorType.getDimSize(number);
    std::optional<int64_t> offset = getConstantIntValue(offsets[number]);
    const int64_t extent = extents[vectorDim];
    bool isInside = !hasMask && transfer.isDimInBounds(vectorDim);
    if (offset && *offset < 0)
      isInside = false;
    else if (offset && !ShapedType::isDynamic(size))
      isInside = extent <= size && *offset <= size - extent;
    sides.push_back({number, unsigned(vectorDim), extent, isInside});
  }
  llvm::sort(sides, [](const Side &left, const Side &right) {
    return left.dim < right.dim;
  });
}

static Value empty(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                   Type element) {
  return tensor::EmptyOp::create(b, loc, shape, element);
}

static SmallVector<utils::IteratorType> parallel(unsigned count) {
  return SmallVector<utils::IteratorType>(count, utils::IteratorType::parallel);
}

/// `window`, with another number where `mask` says so.
static Value choose(OpBuilder &b, Location loc, Value mask, Value window,
                    Value other) {
  auto type = cast<RankedTensorType>(window.getType());
  AffineMap each = b.getMultiDimIdentityMap(type.getRank());
  return linalg::GenericOp::create(
             b, loc, type, ValueRange{mask, window},
             empty(b, loc, type.getShape(), type.getElementType()),
             {each, each, each}, parallel(type.getRank()),
             [&](OpBuilder &b, Location loc, ValueRange elements) {
               Value chosen = arith::SelectOp::create(b, loc, elements[0],
                                                      elements[1], other);
               linalg::YieldOp::create(b, loc, chosen);
             })
      .getResult(0);
}

/// `left` and `right`, of which either may be missing.
static Value both(OpBuilder &b, Location loc, Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(b, loc, left, right);
}

/// `mask` in the shape of the window. That of a window without extents has one
/// element, as vectors of masks have no rank 0.
static Value fitMask(const Window &window, Value mask) {
  if (!mask || !window.sides.empty())
    return mask;
  auto type = cast<RankedTensorType>(mask.getType());
  if (type.getRank() == 0)
    return mask;
  return tensor::CollapseShapeOp::create(
      window.b, window.loc, RankedTensorType::get({}, type.getElementType()),
      mask, SmallVector<ReassociationIndices>());
}

/// Reads each place of a window that is inside and that the mask names.
static Value readEach(const Window &window, Value mask, Value other) {
  OpBuilder &b = window.b;
  auto body = [&](OpBuilder &b, Location loc, ValueRange) {
    SmallVector<Value> places, lanes;
    for (OpFoldResult offset : window.offsets)
      places.push_back(getValueOrCreateConstantIndexOp(b, loc, offset));
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), isTaken;
    for (auto [number, side] : llvm::enumerate(window.sides)) {
      Value &place = places[side.dim];
      lanes.push_back(linalg::IndexOp::create(b, loc, number));
      place = arith::AddIOp::create(b, loc, lanes.back(), place);
      if (side.isInside)
        continue;
      // Negative ones are large without a sign.
      Value size = tensor::DimOp::create(b, loc, window.tensor, side.dim);
      Value isInside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, size);
      place = arith::SelectOp::create(b, loc, isInside, place, zero);
      isTaken = both(b, loc, isTaken, isInside);
    }
    if (mask)
      isTaken =
          both(b, loc, isTaken, tensor::ExtractOp::create(b, loc, mask, lanes));
    Value element = tensor::ExtractOp::create(b, loc, window.tensor, places);
    if (isTaken)
      element = arith::SelectOp::create(b, loc, isTaken, element, other);
    linalg::YieldOp::create(b, loc, element);
  };
  RankedTensorType type = window.type();
  return linalg::GenericOp::create(
             b, window.loc, type, ValueRange(),
             empty(b, window.loc, type.getShape(), type.getElementType()),
             b.getMultiDimIdentityMap(type.getRank()), parallel(type.getRank()),
             body)
      .getResult(0);
}

/// Moves elements between two orders: `from` is where the result's loops read.
static Value rearrange(OpBuilder &b, Location loc, Value tensor, AffineMap from,
                       ArrayRef<int64_t> shape) {
  if (from.isIdentity())
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType()).clone(shape);
  return linalg::GenericOp::create(
             b, loc, type, tensor, empty(b, loc, shape, type.getElementType()),
             {from, b.getMultiDimIdentityMap(shape.size())},
             parallel(shape.size()),
             [](OpBuilder &b, Location loc, ValueRange elements) {
               linalg::YieldOp::create(b, loc, elements[0]);
             })
      .getResult(0);
}

Value mlir::amp::readAsTensor(OpBuilder &b, vector::TransferReadOp read,
                              Value mask) {
  Window window(b, read, bool(mask));
  mask = fitMask(window, mask);
  Value result;
  if (llvm::is_contained(window.tensorType.getShape(), 0)) {
    result = tensor::SplatOp::create(b, window.loc, read.getPadding(),
                                     window.type());
  } else if (window.isInside()) {
    SmallVector<OpFoldResult> strides(window.offsets.size(), b.getIndexAttr(1));
    result = tensor::ExtractSliceOp::create(b, window.loc, window.type(),
                                            window.tensor, window.offsets,
                                            window.sizes(), strides);
    if (mask)
      result = choose(b, window.loc, mask, result, read.getPadding());
  } else {
    result = readEach(window, mask, read.getPadding());
  }
  return rearrange(b, window.loc, result, window.map(),
                   read.getVectorType().getShape());
}

/// Writes each element of a window that is inside and that the mask names, by
/// a choice for each element of the tensor.
static Value writeEach(const Window &window, Value vector, Value mask) {
  OpBuilder &b = window.b;
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), isWritten;
    SmallVector<Value> distances;
    for (auto [dim, offset] : llvm::enumerate(window.offsets)) {
      Value place = linalg::IndexOp::create(b, loc, dim);
      Value start = getValueOrCreateConstantIndexOp(b, loc, offset);
      distances.push_back(arith::SubIOp::create(b, loc, place, start));
    }
    SmallVector<int64_t> extents(distances.size(), 1);
    SmallVector<Value> lanes;
    for (const Side &side : window.sides)
      extents[side.dim] = side.extent;
    for (auto [distance, extent] : llvm::zip_equal(distances, extents)) {
      // What is before the window is far behind it without a sign.
      Value isInside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, distance,
                                arith::ConstantIndexOp::create(b, loc, extent));
      distance = arith::SelectOp::create(b, loc, isInside, distance, zero);
      isWritten = both(b, loc, isWritten, isInside);
    }
    for (const Side &side : window.sides)
      lanes.push_back(distances[side.dim]);
    if (mask)
      isWritten = both(b, loc, isWritten,
                       tensor::ExtractOp::create(b, loc, mask, lanes));
    Value element = tensor::ExtractOp::create(b, loc, vector, lanes);
    if (isWritten)
      element =
          arith::SelectOp::create(b, loc, isWritten, element, elements.front());
    linalg::YieldOp::create(b, loc, element);
  };
  const unsigned rank = window.tensorType.getRank();
  return linalg::GenericOp::create(
             b, window.loc, window.tensorType, ValueRange(), window.tensor,
             b.getMultiDimIdentityMap(rank), parallel(rank), body)
      .getResult(0);
}

Value mlir::amp::writeAsTensor(OpBuilder &b, vector::TransferWriteOp write,
                               Value vector, Value mask) {
  Window window(b, write, bool(mask));
  mask = fitMask(window, mask);
  // A map that writes repeats nothing.
  Value part = rearrange(b, window.loc, vector,
                         inversePermutation(window.map()), window.shape());
  if (mask || !window.isInside())
    return writeEach(window, part, mask);
  SmallVector<OpFoldResult> strides(window.offsets.size(), b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, window.loc, part, window.tensor,
                                       window.offsets, window.sizes(), strides);
}
