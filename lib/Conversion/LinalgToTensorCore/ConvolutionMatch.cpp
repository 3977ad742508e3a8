//===- ConvolutionMatch.cpp - A contraction with windows ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In
//
//   y[n][p][q][k] += x[n][p * stride + r * dilation][...][c] * f[k][r][s][c]
//
// each of the image's rows and columns is a sum over two loops. Where p and q
// index the result and r and s are summed, it is the convolution; the other way
// round it is the gradient of the filters. Zeros around the image are part of
// the kernel: a tensor.pad of zeros is looked through, and so is a slice that
// cuts off pixels which no window reaches.
//
// In groups a loop g more is in all three, x[n][h][w][g][c] * f[g][k][r][s][c],
// where neither k nor c has to have a loop if there is one of them only. In
// memory that is x[n][h][w][g * C + c] and f[g * K + k][r][s][c]. Depthwise
// filters are also written f[r][s][g], as named operations have them; they, or
// their gradient, are transposed.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionMatch.h"

#include "ElementMovement.h"
#include "amp/Analysis/Fill.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// The two loops over the image's rows, or columns.
struct Window {
  /// Pixels of the output, `stride` pixels of the image apart, and taps of the
  /// filter, `dilation` pixels apart.
  unsigned pixel, tap;
  int64_t stride, dilation;
};
} // namespace

/// The loops of `index`, with coefficients.
static SmallVector<std::pair<unsigned, int64_t>>
getLoops(const LinearExpr &index) {
  SmallVector<std::pair<unsigned, int64_t>> loops;
  for (auto [loop, coefficient] : llvm::enumerate(index.coefficients))
    if (coefficient != 0)
      loops.push_back({loop, coefficient});
  return loops;
}

/// The loop that `operand` is indexed by in `dim`, or nothing if that is not
/// one loop alone, in its order.
static std::optional<unsigned> getLoop(const ContractionOperand &operand,
                                       unsigned dim) {
  auto loop = dyn_cast<AffineDimExpr>(operand.map.getResult(dim));
  return loop ? std::optional(loop.getPosition()) : std::nullopt;
}

/// The map from loops to dimensions that are these loops.
static bool hasLoops(const ContractionOperand &operand,
                     ArrayRef<unsigned> loops) {
  return llvm::equal(operand.map.getResults(), loops,
                     [&](AffineExpr expr, unsigned loop) {
                       return expr == getAffineDimExpr(loop, expr.getContext());
                     });
}

static FailureOr<Window> readWindow(const ContractionOperand &image,
                                    unsigned dim,
                                    function_ref<bool(unsigned)> isPixel) {
  LinearExpr index = image.getIndex(dim);
  auto loops = getLoops(index);
  if (loops.size() != 2 || index.constant != 0 ||
      isPixel(loops[0].first) == isPixel(loops[1].first) ||
      loops[0].second < 0 || loops[1].second < 0)
    return failure();
  if (!isPixel(loops[0].first))
    std::swap(loops[0], loops[1]);
  return Window{loops[0].first, loops[1].first, loops[0].second,
                loops[1].second};
}

Value mlir::amp::lookThroughChannels(Value image) {
  // Rows and columns of both are dimensions 1 and 2.
  auto keepsPixels = [](ArrayRef<ReassociationIndices> reassociation) {
    return reassociation.size() > 3 &&
           llvm::all_of(reassociation.take_front(3),
                        [](const ReassociationIndices &dims) {
                          return dims.size() == 1;
                        });
  };
  while (Operation *op = image.getDefiningOp()) {
    auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
    auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
    bool isOfChannels =
        (expand && keepsPixels(expand.getReassociationIndices())) ||
        (collapse && keepsPixels(collapse.getReassociationIndices()));
    if (!isOfChannels || !isPlainTensor(op->getOperand(0).getType()))
      break;
    image = op->getOperand(0);
  }
  return image;
}

/// True if slices or pads with these numbers, one for each dimension, leave all
/// but rows and columns alone.
static bool areOfPixels(ArrayRef<int64_t> numbers) {
  return numbers[0] == 0 &&
         llvm::all_of(numbers.drop_front(3),
                      [](int64_t number) { return number == 0; });
}

static SmallVector<int64_t> subtract(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return llvm::map_to_vector(llvm::zip_equal(a, b), [](auto pair) {
    return std::get<0>(pair) - std::get<1>(pair);
  });
}

std::optional<SpreadTensor> mlir::amp::getSpreadPixels(Value image) {
  SpreadTensor spread = getSpreadTensor(image);
  auto all = cast<RankedTensorType>(image.getType()).getShape();
  SmallVector<int64_t> ones(all.size(), 1);
  if (all.size() < 4 || !areOfPixels(subtract(all, spread.getShape())) ||
      !areOfPixels(subtract(spread.strides, ones)))
    return std::nullopt;
  return spread;
}

/// Takes zeros around the image into the problem.
static Value absorbPadding(Value image, ConvolutionProblem &problem) {
  auto pad = image.getDefiningOp<tensor::PadOp>();
  if (!pad || !isPlainTensor(pad.getSourceType()) ||
      pad.getSourceType().getRank() < 4)
    return image;
  Value value = pad.getConstantPaddingValue();
  TypedAttr number = value ? getSplatValue(value) : TypedAttr();
  auto zero = dyn_cast_or_null<FloatAttr>(number);
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  if (!zero || !zero.getValue().isPosZero() ||
      ShapedType::isDynamicShape(low) || ShapedType::isDynamicShape(high) ||
      !areOfPixels(low) || !areOfPixels(high) ||
      llvm::any_of(low, [](int64_t size) { return size < 0; }) ||
      llvm::any_of(high, [](int64_t size) { return size < 0; }))
    return image;
  problem.padTop = low[1];
  problem.padLeft = low[2];
  problem.padBottom = high[1];
  problem.padRight = high[2];
  return lookThroughChannels(pad.getSource());
}

/// The image of which `image` has all but the last rows and columns, or `image`
/// itself.
static Value getWholeImage(Value image) {
  auto slice = image.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSourceType().getRank() < 4 ||
      slice.getType().getRank() != slice.getSourceType().getRank() ||
      !isPlainTensor(slice.getSourceType()) || !slice.hasUnitStride() ||
      !slice.hasZeroOffset())
    return image;
  return areOfPixels(subtract(slice.getSourceType().getShape(),
                              slice.getType().getShape()))
             ? lookThroughChannels(slice.getSource())
             : image;
}

namespace {
/// The pixels over which a gradient of filters is summed.
struct PixelGrid {
  Value tensor;
  /// Rows and columns, and from one to the next in the tensor that is written.
  std::array<int64_t, 2> sizes, strides;
};
} // namespace

/// The pixels of an output's gradient that has zeros between them, as some
/// front ends write the gradient of the filters of a convolution with strides.
static std::optional<PixelGrid> getPixelsApart(Value output) {
  std::optional<SpreadTensor> spread =
      getSpreadPixels(lookThroughChannels(output));
  if (!spread ||
      llvm::any_of(spread->offsets, [](int64_t offset) { return offset != 0; }))
    return std::nullopt;
  ArrayRef<int64_t> shape = spread->getShape();
  return PixelGrid{lookThroughChannels(spread->elements),
                   {shape[1], shape[2]},
                   {spread->strides[1], spread->strides[2]}};
}

namespace {
/// The loops of a convolution by what they run over.
struct ConvolutionLoops {
  /// Images.
  unsigned n;
  Window rows, columns;
  std::optional<unsigned> group, filter, channel;
  /// Images and pixels index the result, taps and channels are summed over; in
  /// a gradient of the filters the other way round.
  bool isForward;

  SmallVector<unsigned> ofOutput() const;
  /// With what each is.
  SmallVector<std::pair<unsigned, FilterDim>> ofFilters() const;
};
} // namespace

SmallVector<unsigned> ConvolutionLoops::ofOutput() const {
  SmallVector<unsigned> loops = {n, rows.pixel, columns.pixel};
  for (std::optional<unsigned> loop : {group, filter})
    if (loop)
      loops.push_back(*loop);
  return loops;
}

SmallVector<std::pair<unsigned, FilterDim>>
ConvolutionLoops::ofFilters() const {
  SmallVector<std::pair<unsigned, FilterDim>> loops;
  if (group)
    loops.push_back({*group, FilterDim::Group});
  if (filter)
    loops.push_back({*filter, FilterDim::Filter});
  loops.push_back({rows.tap, FilterDim::Row});
  loops.push_back({columns.tap, FilterDim::Column});
  if (channel)
    loops.push_back({*channel, FilterDim::Channel});
  return loops;
}

/// Reads what each loop is from the image's map.
static FailureOr<ConvolutionLoops> readLoops(const Contraction &contraction,
                                             const ContractionOperand &image,
                                             StringRef &reason) {
  auto decline = [&](StringRef text) {
    reason = text;
    return failure();
  };
  auto isInResult = [&](unsigned loop) {
    return contraction.c.map.isFunctionOfDim(loop);
  };
  unsigned rank = image.map.getNumResults();
  bool isInGroups = !contraction.batch.empty();
  if (rank != 4 && !(rank == 5 && isInGroups))
    return decline("of other than two dimensions");
  ConvolutionLoops loops;
  std::optional<unsigned> n = getLoop(image, 0);
  SmallVector<unsigned, 2> last; // groups and channels
  for (unsigned dim = 3; dim < rank; ++dim)
    if (std::optional<unsigned> loop = getLoop(image, dim))
      last.push_back(*loop);
  if (!n || last.size() != rank - 3)
    return decline("whose images are not stored N,H,W,C; run "
                   "amp-assign-layouts first");
  loops.n = *n;
  loops.isForward = isInResult(*n);
  if (isInGroups) {
    if (contraction.batch.size() != 1 || last[0] != contraction.batch[0])
      return decline("in groups whose images are not stored N,H,W,G,C; run "
                     "amp-assign-layouts first");
    loops.group = last[0];
  }
  if (last.size() > size_t(isInGroups))
    loops.channel = last.back();
  auto isPixel = [&](unsigned loop) {
    return isInResult(loop) == loops.isForward;
  };
  FailureOr<Window> rows = readWindow(image, 1, isPixel);
  FailureOr<Window> columns = readWindow(image, 2, isPixel);
  if (failed(rows) || failed(columns) ||
      (loops.channel && isInResult(*loops.channel) == loops.isForward))
    return decline("whose windows are not of rows and columns");
  loops.rows = *rows;
  loops.columns = *columns;
  unsigned others = 0;
  for (unsigned loop = 0; loop < image.map.getNumDims(); ++loop)
    if (!image.map.isFunctionOfDim(loop)) {
      loops.filter = loop;
      ++others;
    }
  // Only in groups may there be one filter without a loop.
  if (others > 1 || (!isInGroups && others == 0) ||
      image.map.getNumDims() != 5 + last.size() + others)
    return decline("with loops that are not of filters, channels or windows");
  return loops;
}

FailureOr<ConvolutionMatch>
mlir::amp::matchConvolution(const Contraction &contraction,
                            std::string &reason) {
  auto decline = [&](StringRef text) {
    reason = ("it is a convolution " + text).str();
    return failure();
  };
  const ContractionOperand *image = &contraction.a, *other = &contraction.b;
  if (image->map.isProjectedPermutation(/*allowZeroInResults=*/true))
    std::swap(image, other);
  StringRef refusal;
  FailureOr<ConvolutionLoops> loops = readLoops(contraction, *image, refusal);
  if (failed(loops))
    return decline(refusal);
  const ContractionOperand &output = loops->isForward ? contraction.c : *other;
  const ContractionOperand &filters = loops->isForward ? *other : contraction.c;

  ConvolutionMatch match;
  SmallVector<unsigned> filterLoops;
  for (auto [loop, dim] : loops->ofFilters()) {
    filterLoops.push_back(loop);
    match.filterDims.push_back(dim);
  }
  bool isInKernelOrder = hasLoops(filters, filterLoops);
  if (!isInKernelOrder && !loops->filter && !loops->channel) {
    std::rotate(filterLoops.begin(), filterLoops.begin() + 1,
                filterLoops.end()); // rows, columns, groups
    match.filterDims = {FilterDim::Row, FilterDim::Column, FilterDim::Group};
  }
  if (!hasLoops(output, loops->ofOutput()) || !hasLoops(filters, filterLoops))
    return decline(
        "whose filters or outputs are not stored K,R,S,C and N,P,Q,K; "
        "run amp-assign-layouts first");

  ConvolutionProblem &problem = match.problem;
  problem.kind = loops->isForward ? ConvolutionKind::Forward
                                  : ConvolutionKind::WeightGradient;
  linalg::LinalgOp op = contraction.op;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto getSize = [&](std::optional<unsigned> loop) {
    return loop ? sizes[*loop] : 1;
  };
  problem.groups = getSize(loops->group);
  problem.filters = problem.groups * getSize(loops->filter);
  problem.channels = problem.groups * getSize(loops->channel);
  problem.filterHeight = sizes[loops->rows.tap];
  problem.filterWidth = sizes[loops->columns.tap];
  problem.dilationHeight = loops->rows.dilation;
  problem.dilationWidth = loops->columns.dilation;
  auto take = [&](Value imageValue, const PixelGrid &pixels) {
    match.other = pixels.tensor;
    problem.strideHeight = loops->rows.stride * pixels.strides[0];
    problem.strideWidth = loops->columns.stride * pixels.strides[1];
    problem.padTop = problem.padBottom = 0;
    problem.padLeft = problem.padRight = 0;
    match.image = absorbPadding(imageValue, problem);
    auto shape = cast<RankedTensorType>(match.image.getType()).getShape();
    problem.batch = shape[0];
    problem.height = shape[1];
    problem.width = shape[2];
    return problem.outputHeight() == pixels.sizes[0] &&
           problem.outputWidth() == pixels.sizes[1];
  };
  // With strides there may be pixels behind the last ones that are read, which
  // front ends cut off.
  Value given = lookThroughChannels(image->value);
  Value whole = getWholeImage(given);
  PixelGrid all{other->value,
                {sizes[loops->rows.pixel], sizes[loops->columns.pixel]},
                {1, 1}};
  std::optional<PixelGrid> apart =
      loops->isForward ? std::nullopt : getPixelsApart(other->value);
  if (!(apart && (take(whole, *apart) || take(given, *apart))) &&
      !take(whole, all) && !take(given, all))
    return decline("that does not reach the end of its image");
  problem.a = getElementTypeOrSelf(match.image.getType());
  problem.b = getElementTypeOrSelf(match.other.getType());

  // The groups' results lie side by side: as one matrix.
  MatrixProduct &product = match.product;
  product.op = op;
  product.batch = 1;
  GemmProblem sums = getImplicitProduct(problem);
  product.m = loops->isForward ? sums.m : problem.filters;
  product.n = loops->isForward ? problem.filters : sums.n;
  product.k = sums.k;
  if (!isInKernelOrder && loops->isForward) {
    match.otherMove = FilterMove::find(match.other, match.filterDims, problem,
                                       /*isGradient=*/false);
    match.otherPermutation = {2, 0, 1};
  } else if (!isInKernelOrder) {
    product.resultShape = {problem.filters, problem.filterHeight,
                           problem.filterWidth};
    product.resultPermutation = {1, 2, 0};
  }
  if (!isFilledWithZero(contraction.c.value))
    product.init = contraction.c.value;
  if (product.init && !product.resultPermutation.empty())
    return decline("that adds to filters which are not stored G,R,S");
  return match;
}
