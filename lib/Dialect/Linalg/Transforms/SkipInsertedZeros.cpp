//===- SkipInsertedZeros.cpp - Convolutions without zeros between pixels --===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The polyphase decomposition of a convolution of a dilated image (lhs_dilation
// in XLA). In a dimension with stride s, where pixel q of the image without
// zeros stands at o + s q, the convolution reads its image at p + a t + c: p is
// a pixel of the result, t a tap of the filter, a a dilation or, for a filter
// turned around, its negative. What is not zero is
//
//   p + a t + c - o = s q.
//
// For the pixels p = s p' + r of one remainder r that leaves the taps
// t = (s/g) t' + first, with g the greatest common divisor of a and s, and then
//
//   q = p' + (a/g) t' + (r + a first + c - o) / s.
//
// So each remainder is a convolution with the same loops, of a slice of the
// image (with a border of zeros where q leaves it) and every s/g-th tap, into
// every s-th pixel. Dimensions multiply: strides of 2 in both give four parts.
// Dimensions of stride 1 keep their loops; if the insertion pads them, the
// border does.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/Contraction.h"
#include "amp/Analysis/SpreadTensor.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#include <numeric>

#define DEBUG_TYPE "amp-skip-inserted-zeros"

namespace mlir::amp {
#define GEN_PASS_DEF_SKIPINSERTEDZEROSPASS
#include "amp/Dialect/Linalg/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Parts of a convolution beyond which it is left alone: each is an operation
/// of its own to compile.
static constexpr int64_t kMaxParts = 64;

/// Parts that any convolution is divided into, and multiplications that a part
/// saves where there are more.
static constexpr int64_t kFewParts = 16, kPartWork = int64_t(1) << 20;

namespace {

/// The pixels of one remainder in one dimension, and the taps that they meet.
struct Part {
  int64_t remainder, pixels;
  int64_t firstTap, tapStride, taps;
  /// What the image without zeros is read at: p' + dilation t' + shift.
  int64_t dilation, shift;
};

/// A dimension of the image with zeros between its pixels.
struct StridedDim {
  /// The dimension of the image.
  unsigned dim;
  int64_t stride;
  /// c - o above.
  int64_t shift;
  /// The loop over pixels, the dimension of the result where it stands, and its
  /// extent.
  unsigned pixelLoop, resultDim;
  int64_t pixels;
  /// The loop over taps, the dimension of the filter, its extent and its
  /// coefficient in the image. Without one, as a single tap.
  std::optional<unsigned> tapLoop;
  unsigned filterDim = 0;
  int64_t taps = 1, dilation = 0;
  /// Those that meet a tap.
  SmallVector<Part> parts;
};

/// A convolution of an image with zeros between its pixels.
struct Convolution {
  linalg::GenericOp op;
  /// Of the two inputs, which is the image.
  unsigned imageInput;
  ContractionOperand image, filter, result;
  SpreadTensor spread;
  SmallVector<StridedDim> strided;
};

} // namespace

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

/// The results of `map` in which `loop` stands.
static SmallVector<unsigned> findLoop(AffineMap map, unsigned loop) {
  SmallVector<unsigned> results;
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(loop))
      results.push_back(i);
  return results;
}

/// The loop of `dim` of the image over pixels, and over taps if there is one.
static FailureOr<StridedDim> matchStridedDim(Convolution &convolution,
                                             unsigned dim) {
  AffineMap image = convolution.image.map, filter = convolution.filter.map,
            result = convolution.result.map;
  linalg::GenericOp op = convolution.op;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  LinearExpr index = convolution.image.getIndex(dim);

  StridedDim strided;
  strided.dim = dim;
  strided.stride = convolution.spread.strides[dim];
  strided.shift = index.constant - convolution.spread.offsets[dim];
  std::optional<unsigned> pixelLoop;
  for (auto [loop, coefficient] : llvm::enumerate(index.coefficients)) {
    if (coefficient == 0)
      continue;
    if (findLoop(image, loop).size() != 1)
      return failure();
    SmallVector<unsigned> inFilter = findLoop(filter, loop);
    SmallVector<unsigned> inResult = findLoop(result, loop);
    if (!inResult.empty()) {
      if (pixelLoop || coefficient != 1 || !inFilter.empty())
        return failure();
      pixelLoop = loop;
      strided.resultDim = inResult.front();
      continue;
    }
    if (strided.tapLoop || inFilter.size() != 1 ||
        filter.getResult(inFilter.front()) !=
            getAffineDimExpr(loop, filter.getContext()))
      return failure();
    strided.tapLoop = loop;
    strided.filterDim = inFilter.front();
    strided.taps = extents[loop];
    strided.dilation = coefficient;
  }
  if (!pixelLoop)
    return failure();
  strided.pixelLoop = *pixelLoop;
  strided.pixels = extents[*pixelLoop];
  return strided;
}

/// How many of `extent` there are from `first` on in steps of `step`.
static int64_t countSteps(int64_t first, int64_t extent, int64_t step) {
  return llvm::divideCeil(extent - first, step);
}

/// The parts of `strided` that meet a tap.
static SmallVector<Part> getParts(const StridedDim &strided) {
  int64_t divisor = std::gcd(strided.dilation, strided.stride);
  int64_t tapStride = strided.stride / divisor;
  SmallVector<Part> parts;
  for (int64_t remainder = 0;
       remainder < std::min(strided.stride, strided.pixels); ++remainder)
    for (int64_t tap = 0; tap < std::min(tapStride, strided.taps); ++tap) {
      int64_t index = remainder + strided.dilation * tap + strided.shift;
      if (index % strided.stride != 0)
        continue;
      Part part;
      part.remainder = remainder;
      part.pixels = countSteps(remainder, strided.pixels, strided.stride);
      part.firstTap = tap;
      part.tapStride = tapStride;
      part.taps = countSteps(tap, strided.taps, tapStride);
      part.dilation = strided.dilation / divisor;
      part.shift = index / strided.stride;
      parts.push_back(part);
      break; // no other tap below tapStride is met
    }
  return parts;
}

/// Views a contraction as a convolution of its input `imageInput`.
static std::optional<Convolution> match(linalg::GenericOp op,
                                        unsigned imageInput) {
  auto getOperand = [&](OpOperand &operand) {
    return ContractionOperand{operand.get(),
                              op.getMatchingIndexingMap(&operand)};
  };
  Convolution convolution{op,
                          imageInput,
                          getOperand(*op.getDpsInputOperand(imageInput)),
                          getOperand(*op.getDpsInputOperand(1 - imageInput)),
                          getOperand(*op.getDpsInitOperand(0)),
                          getSpreadTensor(op.getDpsInputs()[imageInput]),
                          {}};
  ArrayRef<int64_t> pixels = convolution.spread.getShape();
  if (llvm::is_contained(pixels, 0))
    return std::nullopt;
  int64_t parts = 1;
  for (auto [dim, stride] : llvm::enumerate(convolution.spread.strides)) {
    if (stride == 1 || pixels[dim] == 1)
      continue; // nothing stands between
    FailureOr<StridedDim> strided = matchStridedDim(convolution, dim);
    if (failed(strided))
      return std::nullopt;
    strided->parts = getParts(*strided);
    parts *= strided->parts.size();
    if (parts > kMaxParts)
      return std::nullopt;
    convolution.strided.push_back(std::move(*strided));
  }
  if (convolution.strided.empty())
    return std::nullopt;
  int64_t work = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    work *= extent;
  if (parts > kFewParts && work / parts < kPartWork)
    return std::nullopt;
  return convolution;
}

static std::optional<Convolution> match(linalg::GenericOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (!op.hasPureTensorSemantics() || ShapedType::isDynamicShape(extents) ||
      llvm::is_contained(extents, 0) || failed(matchContraction(op)))
    return std::nullopt;
  if (std::optional<Convolution> convolution = match(op, /*imageInput=*/0))
    return convolution;
  return match(op, /*imageInput=*/1);
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

namespace {

/// One remainder in each strided dimension, and where the image without zeros
/// is read for it.
struct Remainder {
  SmallVector<Part> parts;
  SmallVector<LinearExpr> indices;
  /// The least and the greatest index of each dimension.
  SmallVector<std::pair<int64_t, int64_t>> ranges;
};

/// Writes the parts of one convolution.
class PartBuilder {
public:
  explicit PartBuilder(Convolution &convolution)
      : convolution(convolution), op(convolution.op), builder(op),
        loc(op.getLoc()), result(convolution.result.value) {}

  /// Returns the number of parts.
  unsigned build();

private:
  void addRemainder(ArrayRef<Part> parts);
  void padImage();
  Value extract(Value tensor, const linalg::SliceParameters &bounds);
  void buildRemainder(const Remainder &remainder);

  Convolution &convolution;
  linalg::GenericOp op;
  OpBuilder builder;
  Location loc;
  SmallVector<Remainder> remainders;
  /// The image without zeros between pixels, with a border where a remainder
  /// reads it, and how wide that is before the first pixel of each dimension.
  Value image;
  SmallVector<int64_t> border;
  /// The result with the parts that were built.
  Value result;
};

} // namespace

/// All of `tensor`, as a slice.
static linalg::SliceParameters getWhole(OpBuilder &builder, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  linalg::SliceParameters slice;
  slice.offsets.assign(type.getRank(), builder.getIndexAttr(0));
  slice.sizes = getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  slice.strides.assign(type.getRank(), builder.getIndexAttr(1));
  return slice;
}

static void setDim(OpBuilder &builder, linalg::SliceParameters &slice,
                   unsigned dim, int64_t offset, int64_t size, int64_t stride) {
  slice.offsets[dim] = builder.getIndexAttr(offset);
  slice.sizes[dim] = builder.getIndexAttr(size);
  // The stride of a single element says nothing, and hides what is whole.
  slice.strides[dim] = builder.getIndexAttr(size == 1 ? 1 : stride);
}

/// Adds what is read for `parts`, unless that is the border alone.
void PartBuilder::addRemainder(ArrayRef<Part> parts) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  Remainder remainder{SmallVector<Part>(parts), {}, {}};
  for (auto [dim, offset] : llvm::enumerate(convolution.spread.offsets)) {
    remainder.indices.push_back(convolution.image.getIndex(dim));
    remainder.indices.back().constant -= offset;
  }
  for (auto [strided, part] : llvm::zip_equal(convolution.strided, parts)) {
    LinearExpr &index = remainder.indices[strided.dim];
    index.constant = part.shift;
    extents[strided.pixelLoop] = part.pixels;
    if (!strided.tapLoop)
      continue;
    index.coefficients[*strided.tapLoop] = part.dilation;
    extents[*strided.tapLoop] = part.taps;
  }
  ArrayRef<int64_t> shape = convolution.spread.getShape();
  for (auto [index, size] : llvm::zip_equal(remainder.indices, shape)) {
    remainder.ranges.push_back(index.getRange(extents));
    auto [least, greatest] = remainder.ranges.back();
    if (greatest < 0 || least >= size)
      return;
  }
  remainders.push_back(std::move(remainder));
}

/// Sets `image` to as much as all remainders read.
void PartBuilder::padImage() {
  image = convolution.spread.elements;
  auto type = cast<RankedTensorType>(image.getType());
  SmallVector<int64_t> shape(type.getShape());
  border.assign(shape.size(), 0);
  SmallVector<OpFoldResult> low, high;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t after = 0;
    for (const Remainder &remainder : remainders) {
      auto [least, greatest] = remainder.ranges[dim];
      border[dim] = std::max(border[dim], -least);
      after = std::max(after, greatest + 1 - size);
    }
    low.push_back(builder.getIndexAttr(border[dim]));
    high.push_back(builder.getIndexAttr(after));
    size += border[dim] + after;
  }
  if (ArrayRef(shape) == type.getShape())
    return;
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  image = tensor::PadOp::create(builder, loc, type.clone(shape), image, low,
                                high, zero);
}

Value PartBuilder::extract(Value tensor,
                           const linalg::SliceParameters &bounds) {
  return builder.createOrFold<tensor::ExtractSliceOp>(
      loc, tensor, bounds.offsets, bounds.sizes, bounds.strides);
}

void PartBuilder::buildRemainder(const Remainder &remainder) {
  Value filter = convolution.filter.value;
  linalg::SliceParameters pixels = getWhole(builder, image),
                          taps = getWhole(builder, filter),
                          part = getWhole(builder, result);
  SmallVector<AffineExpr> exprs;
  for (auto [dim, index] : llvm::enumerate(remainder.indices)) {
    auto [least, greatest] = remainder.ranges[dim];
    setDim(builder, pixels, dim, border[dim] + least, greatest + 1 - least, 1);
    AffineExpr expr = builder.getAffineConstantExpr(index.constant - least);
    for (auto [loop, coefficient] : llvm::enumerate(index.coefficients))
      expr = expr + builder.getAffineDimExpr(loop) * coefficient;
    exprs.push_back(expr);
  }
  for (auto [dim, strided] :
       llvm::zip_equal(remainder.parts, convolution.strided)) {
    setDim(builder, part, strided.resultDim, dim.remainder, dim.pixels,
           strided.stride);
    if (strided.tapLoop)
      setDim(builder, taps, strided.filterDim, dim.firstTap, dim.taps,
             dim.tapStride);
  }

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[convolution.imageInput] =
      AffineMap::get(op.getNumLoops(), 0, exprs, builder.getContext());
  SmallVector<Value> inputs(2, extract(filter, taps));
  inputs[convolution.imageInput] = extract(image, pixels);
  Value start = extract(result, part);
  auto generic = linalg::GenericOp::create(
      builder, loc, start.getType(), inputs, start, maps,
      op.getIteratorTypesArray(), /*bodyBuild=*/nullptr,
      linalg::getPrunedAttributeList(op));
  IRMapping mapping;
  op.getRegion().cloneInto(&generic.getRegion(), mapping);
  result =
      tensor::InsertSliceOp::create(builder, loc, generic.getResult(0), result,
                                    part.offsets, part.sizes, part.strides);
}

unsigned PartBuilder::build() {
  SmallVector<SmallVector<Part>> combinations(1);
  for (const StridedDim &strided : convolution.strided) {
    SmallVector<SmallVector<Part>> longer;
    for (const SmallVector<Part> &combination : combinations)
      for (const Part &part : strided.parts)
        longer.emplace_back(combination).push_back(part);
    combinations = std::move(longer);
  }
  for (const SmallVector<Part> &combination : combinations)
    addRemainder(combination);
  padImage();
  for (const Remainder &remainder : remainders)
    buildRemainder(remainder);
  op.getResult(0).replaceAllUsesWith(result);
  op.erase();
  return remainders.size();
}

namespace {
struct SkipInsertedZeros
    : public amp::impl::SkipInsertedZerosPassBase<SkipInsertedZeros> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    bool changed = false;
    for (linalg::GenericOp op : ops) {
      std::optional<Convolution> convolution = match(op);
      if (!convolution)
        continue;
      numParts += PartBuilder(*convolution).build();
      ++numSkipped;
      changed = true;
    }
    // The images with zeros.
    IRRewriter rewriter(&getContext());
    if (changed)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
