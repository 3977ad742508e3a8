//===- DepthwiseImages.cpp - Depthwise forward and data gradient ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both slide filters over an image, the source, and give another, the result.
// A block has a slab of channels. It copies their filters to shared memory,
// channels innermost, and walks strips of the result. A thread holds the sums
// of a strip in registers. For each row of the filter it reads the pixels of
// the source that the strip meets, each once, and multiplies it by every tap
// that meets it. Which taps these are follows from the problem: of a data
// gradient with strides because a strip begins where a column of the padded
// image is a multiple of the stride. A long row of a filter is taken in pieces.
//
// The place of a strip's first column in the source, and with it the pixels of
// its row, may be outside of the image; these are zeros that are not read. A
// row of the filter that lies between two rows of the gradient of y is left
// out.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseKernels.h"

#include "Device/Sm80Instructions.h"
#include "Epilogue/EpilogueBuilder.h"
#include "Epilogue/EpilogueOperands.h"
#include "PixelReader.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <map>

using namespace mlir;
using namespace mlir::amp;

/// Taps of a row whose filters a thread holds at a time.
static constexpr int64_t kPiece = 5;
static constexpr int64_t kBlocksPerMultiprocessor = 2;

namespace {
class DepthwiseImages {
public:
  DepthwiseImages(DeviceBuilder &b, const ConvolutionProblem &problem,
                  const GemmEpilogue &epilogue)
      : b(b), problem(problem), epilogue(epilogue),
        gradient(problem.kind == ConvolutionKind::DataGradient),
        shape(getDepthwiseShape(problem)), width(getStripWidth(problem)),
        source{problem.height, problem.width, problem.channels},
        result{problem.outputHeight(), problem.outputWidth(), problem.filters} {
    if (gradient)
      std::swap(source, result);
  }

  void emit(StringRef name);

private:
  using Values = DeviceBuilder::Values;
  struct ImageSize {
    int64_t height, width, channels;
  };
  /// A strip's place: an image of the batch, its row, its first column, and
  /// the column of the source that this and tap 0 meet. Columns may be less
  /// than 0.
  struct Strip {
    Number image, row, column, sourceColumn;
  };

  /// A row of the source.
  struct SourceRow {
    PixelReader reader;
    Number firstPixel;
    Value inside;
  };

  /// Of a data gradient, columns of the first strip before the image.
  int64_t columnsBefore() const {
    return gradient ? problem.padLeft % problem.strideWidth : 0;
  }
  int64_t stripsPerRow() const {
    return llvm::divideCeil(result.width + columnsBefore(), width);
  }
  /// Filters that meet a channel of the result.
  int64_t filtersPerResult() const {
    return gradient ? getMultiplier(problem) : 1;
  }
  /// The most taps that addTaps takes at a time. Of a data gradient, pieces
  /// begin with taps of one class.
  int64_t tapsPerPiece() const {
    if (!gradient)
      return kPiece;
    return std::max<int64_t>(kPiece / problem.strideWidth, 1) *
           problem.strideWidth;
  }

  LLVM::LLVMFuncOp createKernel(StringRef name);
  void loadFilters(Value filters, Number slab);
  Strip locate(Number strip);
  Values addRow(ValueRange sums, const Strip &strip, Number sourceRow,
                Number filter, Number filterRow);
  Values addTaps(ValueRange sums, const SourceRow &row, Number column,
                 Value taps, int64_t count);
  Values computeStrip(const Strip &strip);
  void storeStrip(const Strip &strip, ArrayRef<Value> sums);

  DeviceBuilder &b;
  const ConvolutionProblem &problem;
  const GemmEpilogue &epilogue;
  bool gradient;
  DepthwiseShape shape;
  int64_t width;
  ImageSize source, result;

  Value sourceImage, resultImage, sharedFilters;
  SmallVector<Value> operands;
  Number images, thread, channelInSlab, channel;
};
} // namespace

LLVM::LLVMFuncOp DepthwiseImages::createKernel(StringRef name) {
  KernelSignature signature(b);
  auto addImage = [&](StringRef name, const ImageSize &size, Type type) {
    signature.addBuffer(
        name, type, problem.batch * size.height * size.width * size.channels);
  };
  addImage(gradient ? "y" : "x", source, problem.a);
  signature.addBuffer("f", problem.b, problem.filters * problem.taps());
  addImage(gradient ? "x" : "y", result, problem.d);
  int64_t pixels = problem.batch * result.height * result.width;
  addEpilogueOperands(signature, epilogue,
                      {pixels, result.channels, pixels * result.channels});
  signature.addNumber("batch", problem.batch);

  int64_t strips = problem.batch * result.height * stripsPerRow();
  int64_t walkers = llvm::divideCeil(strips, shape.strips());
  return signature.createKernel(
      name, {{walkers * shape.slabs(), kBlocksPerMultiprocessor, shape.slabs()},
             DepthwiseShape::threads,
             /*minBlocks=*/kBlocksPerMultiprocessor,
             /*cluster=*/1,
             getDepthwiseFilterBytes(problem, shape),
             /*order=*/0});
}

/// Copies the filters of a slab, [channel][filter][tap], to shared memory as
/// [filter][tap][channel].
void DepthwiseImages::loadFilters(Value filters, Number slab) {
  int64_t bytes = getElementBytes(problem.b);
  int64_t perChannel = filtersPerResult() * problem.taps();
  int64_t elements = shape.slab() * perChannel;
  Number zero = b.number(0), last = b.number(shape.channels * perChannel - 1);
  b.loop(thread, b.number(elements), b.number(DepthwiseShape::threads),
         ValueRange(), [&](Number i, ValueRange) -> Values {
           Number place = i % perChannel * shape.slab() + i / perChannel;
           Value element = b.load(problem.b,
                                  b.element(filters, problem.b, zero, zero,
                                            min(slab * elements + i, last)),
                                  bytes);
           b.store(element, b.advance(sharedFilters, place * bytes), bytes);
           return {};
         });
}

DepthwiseImages::Strip DepthwiseImages::locate(Number strip) {
  Number inRow = strip % stripsPerRow(), row = strip / stripsPerRow();
  Number sourceColumn =
      gradient ? inRow * (width / problem.strideWidth) +
                     problem.padLeft / problem.strideWidth
               : inRow * (width * problem.strideWidth) - problem.padLeft;
  return {row / result.height, row % result.height,
          inRow * width - columnsBefore(), sourceColumn};
}

/// Adds the products with `count` taps of a row, the first of which meets
/// `column` of the source in the strip's first column.
DepthwiseImages::Values DepthwiseImages::addTaps(ValueRange start,
                                                 const SourceRow &row,
                                                 Number column, Value taps,
                                                 int64_t count) {
  int64_t bytes = getElementBytes(problem.b);
  auto type = VectorType::get(shape.vector, problem.b);
  Values filters;
  for (int64_t tap = 0; tap < count; ++tap)
    filters.push_back(
        b.widen(b.load(type, b.advance(taps, tap * shape.slab() * bytes),
                       shape.vector * bytes)));
  // The pairs of a column of the strip and a tap that meet in a column of the
  // source, by that column.
  std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>> meetings;
  for (int64_t i = 0; i < width; ++i)
    for (int64_t tap = 0; tap < count; ++tap) {
      int64_t shift = tap * problem.dilationWidth;
      if (!gradient)
        meetings[i * problem.strideWidth + shift].push_back({i, tap});
      else if ((i - shift) % problem.strideWidth == 0)
        meetings[(i - shift) / problem.strideWidth].push_back({i, tap});
    }
  SmallVector<Value> addresses = row.reader.locate(row.firstPixel, column);
  Values sums(start);
  for (auto &[offset, pairs] : meetings) {
    Value pixels = row.reader.load(
        addresses, offset, b.both(row.inside, column + offset < source.width));
    for (auto [i, tap] : pairs)
      sums[i] = math::FmaOp::create(b, pixels, filters[tap], sums[i]);
  }
  return sums;
}

DepthwiseImages::Values DepthwiseImages::addRow(ValueRange start,
                                                const Strip &strip,
                                                Number sourceRow, Number filter,
                                                Number filterRow) {
  int64_t multiplier = getMultiplier(problem);
  SmallVector<Number> places = getChannels(b, shape, channel);
  for (Number &place : places)
    place = gradient ? place * multiplier + filter : place / multiplier;
  SourceRow row{
      PixelReader(b, shape, problem.a, sourceImage, source.channels, places),
      (strip.image * source.height + sourceRow) * source.width,
      sourceRow < source.height};
  int64_t tapBytes = shape.slab() * getElementBytes(problem.b);
  Value taps =
      b.advance(sharedFilters, (filter * problem.filterHeight + filterRow) *
                                       (problem.filterWidth * tapBytes) +
                                   channelInSlab * getElementBytes(problem.b));
  if (problem.filterWidth <= tapsPerPiece())
    return addTaps(start, row, strip.sourceColumn, taps, problem.filterWidth);
  int64_t piece = tapsPerPiece(), pieces = problem.filterWidth / piece;
  auto columnOf = [&](Number i) {
    int64_t shift = piece * problem.dilationWidth;
    return gradient ? strip.sourceColumn - i * (shift / problem.strideWidth)
                    : strip.sourceColumn + i * shift;
  };
  Values sums =
      b.loop(b.number(0), b.number(pieces), b.number(1), start,
             [&](Number i, ValueRange sums) {
               return addTaps(sums, row, columnOf(i),
                              b.advance(taps, i * (piece * tapBytes)), piece);
             });
  if (problem.filterWidth % piece == 0)
    return sums;
  return addTaps(sums, row, columnOf(b.number(pieces)),
                 b.advance(taps, pieces * piece * tapBytes),
                 problem.filterWidth % piece);
}

DepthwiseImages::Values DepthwiseImages::computeStrip(const Strip &strip) {
  auto sum = VectorType::get(shape.vector, b.getF32Type());
  Values sums(width, b.zero(sum));
  int64_t rows = problem.filterHeight;
  // Rows of all filters that meet a channel, one after the other.
  return b.loop(
      b.number(0), b.number(filtersPerResult() * rows), b.number(1), sums,
      [&](Number i, ValueRange sums) {
        Number filter = i / rows, row = i % rows;
        Number shift = row * problem.dilationHeight;
        auto add = [&](Number sourceRow) {
          return addRow(sums, strip, sourceRow, filter, row);
        };
        if (!gradient)
          return add(strip.row * problem.strideHeight + shift - problem.padTop);
        // From a row on that none is above.
        int64_t stride = problem.strideHeight;
        int64_t above = llvm::divideCeil(
            (problem.filterHeight - 1) * problem.dilationHeight, stride);
        Number met = strip.row + (problem.padTop + above * stride) - shift;
        if (stride == 1)
          return add(met - above);
        return b.either(
            met % stride == 0, [&] { return add(met / stride - above); },
            [&] { return Values(sums); });
      });
}

void DepthwiseImages::storeStrip(const Strip &strip, ArrayRef<Value> sums) {
  int64_t pixels = result.height * result.width;
  Number columns = b.number(result.channels);
  bool even = result.channels % 2 == 0;
  ResultMatrix matrix{{images * pixels, columns, b.number(0), even},
                      resultImage,
                      columns,
                      even};
  EpilogueBuilder builder(b, epilogue, operands, matrix.shape, problem.d);
  Number firstPixel = (strip.image * result.height + strip.row) * result.width;
  SmallVector<Number> channels;
  for (int64_t i = 0; i < shape.vector; i += 2)
    channels.push_back(channel + i);
  for (int64_t i = 0; i < width; ++i) {
    Number column = strip.column + i, pixel = firstPixel + column;
    SmallVector<Value> pairs;
    for (auto [j, at] : llvm::enumerate(channels))
      pairs.push_back(builder.apply(
          b.gather({b.extract(sums[i], 2 * j), b.extract(sums[i], 2 * j + 1)}),
          pixel, at));
    b.branch(column < result.width, [&] {
      if (shape.access == 1)
        return storePair(b, pairs[0], matrix, pixel, channel);
      SmallVector<Value> elements;
      for (Value pair : pairs)
        elements.append({b.extract(pair, 0), b.extract(pair, 1)});
      b.store(b.gather(elements),
              b.element(resultImage, problem.d, pixel, columns, channel),
              std::min<int64_t>(16, shape.vector * getElementBytes(problem.d)));
    });
  }
}

void DepthwiseImages::emit(StringRef name) {
  std::string memory = (name + "_memory").str();
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External, memory,
                         Attribute(), /*alignment=*/16, /*addrSpace=*/3);
  auto func = createKernel(name);
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  sourceImage = entry->getArgument(0);
  resultImage = entry->getArgument(2);
  for (unsigned i = 0; i < epilogue.operands.size(); ++i)
    operands.push_back(entry->getArgument(3 + i));
  images = b.number(entry->getArguments().back());
  sharedFilters = LLVM::AddressOfOp::create(b, b.pointer(3), memory);
  thread = sm80::threadId(b);
  Number block = sm80::blockId(b), slab = block % shape.slabs();
  channelInSlab = thread % shape.lanes * shape.vector;
  channel = slab * shape.slab() + channelInSlab;
  loadFilters(entry->getArgument(1), slab);
  sm80::blockBarrier(b);

  Number first = block / shape.slabs() * shape.strips() + thread / shape.lanes;
  Number step = sm80::blockCount(b) / shape.slabs() * shape.strips();
  Number strips = images * (result.height * stripsPerRow());
  b.branch(channel < shape.channels, [&] {
    b.loop(first, strips, step, ValueRange(), [&](Number i, ValueRange) {
      Strip strip = locate(i);
      storeStrip(strip, computeStrip(strip));
      return Values();
    });
  });
  LLVM::ReturnOp::create(b, ValueRange());
}

void mlir::amp::emitDepthwiseImages(DeviceBuilder &b, StringRef name,
                                    const ConvolutionProblem &problem,
                                    const GemmEpilogue &epilogue) {
  DepthwiseImages(b, problem, epilogue).emit(name);
}
