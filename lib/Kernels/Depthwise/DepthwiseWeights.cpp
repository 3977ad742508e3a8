//===- DepthwiseWeights.cpp - Depthwise weight gradient -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tap of a filter is the sum, over all pixels of y, of its gradient times
// the pixel of x that the tap meets there. A thread has a few channels and a
// group of taps, a few rows of the filter or a part of one, whose sums it keeps
// in registers while it walks strips of y. It reads the pixels of x that a
// strip meets once for each row of the filter. In the end a block adds the sums
// of its threads in their order, through shared memory, and writes them to its
// part of the workspace. A second kernel adds the parts in their order: the
// result is the same in each run, and on each device, for the number of parts
// is the kernel's and not the launch's.
//
// Groups of taps have one size. The last in each dimension begins earlier
// instead of being smaller, and leaves out the taps that the one before has.
//
//===----------------------------------------------------------------------===//

#include "DepthwiseKernels.h"

#include "Device/Sm80Instructions.h"
#include "Epilogue/EpilogueBuilder.h"
#include "Epilogue/EpilogueOperands.h"
#include "PixelReader.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <map>

using namespace mlir;
using namespace mlir::amp;

/// Taps of a thread. Eight channels of each are 72 sums.
static constexpr int64_t kTaps = 9;
/// Taps that a block adds up at a time.
static constexpr int64_t kTapsAtOnce = 4;
static constexpr int64_t kBlocksPerMultiprocessor = 1;

namespace {
class DepthwiseWeights {
public:
  DepthwiseWeights(DeviceBuilder &b, const ConvolutionProblem &problem,
                   int64_t multiprocessors)
      : b(b), problem(problem), shape(getDepthwiseShape(problem)),
        columns(std::min(problem.filterWidth, kTaps)),
        rows(std::clamp<int64_t>(kTaps / columns, 1, problem.filterHeight)),
        height(problem.outputHeight()), width(problem.outputWidth()) {
    int64_t strips = problem.batch * height * stripsPerRow();
    int64_t most =
        kBlocksPerMultiprocessor * multiprocessors / (shape.slabs() * groups());
    parts = std::clamp<int64_t>(llvm::divideCeil(strips, shape.strips()), 1,
                                std::max<int64_t>(most, 1));
  }

  void emitSums(StringRef name);
  void emitReduction(StringRef name, const GemmEpilogue &epilogue);

private:
  using Values = DeviceBuilder::Values;

  int64_t groupsPerRow() const {
    return llvm::divideCeil(problem.filterWidth, columns);
  }
  int64_t groups() const {
    return llvm::divideCeil(problem.filterHeight, rows) * groupsPerRow();
  }
  int64_t stripWidth() const { return getStripWidth(problem); }
  int64_t stripsPerRow() const { return llvm::divideCeil(width, stripWidth()); }
  unsigned addWorkspace(KernelSignature &signature) {
    return signature.addBuffer("workspace", b.getF32Type(),
                               parts * problem.taps() * shape.channels);
  }

  Values addStrip(ValueRange sums, Number strip);
  Values addColumns(ValueRange sums, Number image, Number row, Number column,
                    int64_t count);
  void addThreads(ArrayRef<Value> sums, Number part, Number slab);

  DeviceBuilder &b;
  const ConvolutionProblem &problem;
  DepthwiseShape shape;
  /// Of a group of taps.
  int64_t columns, rows;
  /// Of y.
  int64_t height, width;
  int64_t parts;

  Value x, y, workspace, memory;
  Number thread, channel;
  /// The first tap that belongs to the group, and the first that it sums up.
  Number ownRow, ownColumn, firstRow, firstColumn;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sums of a block
//===----------------------------------------------------------------------===//

/// Adds the products of `count` columns of y.
DepthwiseWeights::Values DepthwiseWeights::addColumns(ValueRange start,
                                                      Number image, Number row,
                                                      Number column,
                                                      int64_t count) {
  SmallVector<Number> places = getChannels(b, shape, channel);
  PixelReader gradients(b, shape, problem.a, y, problem.filters, places);
  for (Number &place : places)
    place = place / getMultiplier(problem);
  PixelReader images(b, shape, problem.b, x, problem.channels, places);
  SmallVector<Value> addresses =
      gradients.locate((image * height + row) * width, column);
  Values gradient;
  for (int64_t i = 0; i < count; ++i)
    gradient.push_back(gradients.load(addresses, i));

  // The pairs of a column of y and a tap that meet in a column of x, by it.
  std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>> meetings;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t tap = 0; tap < columns; ++tap)
      meetings[i * problem.strideWidth + tap * problem.dilationWidth].push_back(
          {i, tap});
  Number imageColumn = column * problem.strideWidth +
                       firstColumn * problem.dilationWidth - problem.padLeft;
  Values sums(start);
  for (int64_t tapRow = 0; tapRow < rows; ++tapRow) {
    Number imageRow = row * problem.strideHeight +
                      (firstRow + tapRow) * problem.dilationHeight -
                      problem.padTop;
    Value rowInside = imageRow < problem.height;
    SmallVector<Value> addresses = images.locate(
        (image * problem.height + imageRow) * problem.width, imageColumn);
    for (auto &[offset, pairs] : meetings) {
      Value pixels =
          images.load(addresses, offset,
                      b.both(rowInside, imageColumn + offset < problem.width));
      for (auto [i, tap] : pairs) {
        Value &sum = sums[tapRow * columns + tap];
        sum = math::FmaOp::create(b, pixels, gradient[i], sum);
      }
    }
  }
  return sums;
}

DepthwiseWeights::Values DepthwiseWeights::addStrip(ValueRange sums,
                                                    Number strip) {
  Number column = strip % stripsPerRow() * stripWidth();
  Number rows = strip / stripsPerRow();
  Number row = rows % height, image = rows / height;
  auto whole = [&] {
    return addColumns(sums, image, row, column, stripWidth());
  };
  // Column by column: what a column past the last would meet may be inf.
  auto piecewise = [&] {
    return b.loop(column, b.number(width), b.number(1), sums,
                  [&](Number column, ValueRange sums) {
                    return addColumns(sums, image, row, column, 1);
                  });
  };
  if (width % stripWidth() == 0)
    return whole();
  if (width < stripWidth())
    return piecewise();
  return b.either(column + (stripWidth() - 1) < width, whole, piecewise);
}

/// Adds up the sums of the threads that have the same channels, in the order of
/// their strips, and stores those of the block's own taps.
void DepthwiseWeights::addThreads(ArrayRef<Value> sums, Number part,
                                  Number slab) {
  Type f32 = b.getF32Type();
  int64_t rowBytes = shape.slab() * 4, tapBytes = shape.strips() * rowBytes;
  Value place = b.advance(memory, thread * (shape.vector * 4));
  for (int64_t first = 0, end = sums.size(); first < end;
       first += kTapsAtOnce) {
    int64_t count = std::min(kTapsAtOnce, end - first);
    if (first)
      sm80::blockBarrier(b);
    for (int64_t i = 0; i < count; ++i)
      b.store(sums[first + i], b.advance(place, i * tapBytes),
              std::min<int64_t>(16, shape.vector * 4));
    sm80::blockBarrier(b);
    Number inSlab = thread % shape.slab(), tap = thread / shape.slab();
    Number row = firstRow + (tap + first) / columns;
    Number column = firstColumn + (tap + first) % columns;
    Number at = slab * shape.slab() + inSlab;
    Value isOwn = b.both(ownRow < row + 1, ownColumn < column + 1);
    Value isTap = b.both(tap < count, at < shape.channels);
    b.branch(b.both(isTap, isOwn), [&] {
      Value from = b.advance(memory, tap * tapBytes + inSlab * 4);
      Value sum = b.loop(b.number(0), b.number(shape.strips()), b.number(1),
                         b.zero(f32), [&](Number i, ValueRange sum) -> Values {
                           Value next =
                               b.load(f32, b.advance(from, i * rowBytes), 4);
                           return {arith::AddFOp::create(b, sum[0], next)};
                         })[0];
      Number index = part * problem.taps() + row * problem.filterWidth + column;
      b.store(sum,
              b.element(workspace, f32, index, b.number(shape.channels), at),
              4);
    });
  }
}

void DepthwiseWeights::emitSums(StringRef name) {
  std::string memoryName = (name + "_memory").str();
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External,
                         memoryName, Attribute(), /*alignment=*/16,
                         /*addrSpace=*/3);
  KernelSignature signature(b);
  signature.addBuffer("x", problem.b, problem.inputPixels() * problem.channels);
  signature.addBuffer("y", problem.a, problem.outputPixels() * problem.filters);
  addWorkspace(signature);
  signature.addNumber("batch", problem.batch);
  int64_t atOnce = std::min(rows * columns, kTapsAtOnce);
  auto func = signature.createKernel(
      name, {{parts * groups() * shape.slabs()},
             DepthwiseShape::threads,
             /*minBlocks=*/kBlocksPerMultiprocessor,
             /*cluster=*/1,
             atOnce * DepthwiseShape::threads * shape.vector * 4,
             /*order=*/0});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  x = entry->getArgument(0);
  y = entry->getArgument(1);
  workspace = entry->getArgument(2);
  Number images = b.number(entry->getArgument(3));
  memory = LLVM::AddressOfOp::create(b, b.pointer(3), memoryName);
  thread = sm80::threadId(b);
  Number block = sm80::blockId(b), slab = block % shape.slabs();
  Number group = block / shape.slabs() % groups();
  Number part = block / (shape.slabs() * groups());
  channel = slab * shape.slab() + thread % shape.lanes * shape.vector;
  ownRow = group / groupsPerRow() * rows;
  ownColumn = group % groupsPerRow() * columns;
  firstRow = min(ownRow, b.number(problem.filterHeight - rows));
  firstColumn = min(ownColumn, b.number(problem.filterWidth - columns));

  Number first = part * shape.strips() + thread / shape.lanes;
  Number strips = images * (height * stripsPerRow());
  auto type = VectorType::get(shape.vector, b.getF32Type());
  Values zeros(rows * columns, b.zero(type));
  // Threads past the last channel have no strips.
  Number end = b.select(channel < shape.channels, strips, b.number(0));
  Values sums = b.loop(
      first, end, b.number(parts * shape.strips()), zeros,
      [&](Number strip, ValueRange sums) { return addStrip(sums, strip); });
  addThreads(sums, part, slab);
  LLVM::ReturnOp::create(b, ValueRange());
}

//===----------------------------------------------------------------------===//
// The sum of the parts
//===----------------------------------------------------------------------===//

void DepthwiseWeights::emitReduction(StringRef name,
                                     const GemmEpilogue &epilogue) {
  Type f32 = b.getF32Type();
  KernelSignature signature(b);
  addWorkspace(signature);
  int64_t filters = problem.filters, taps = problem.taps();
  signature.addBuffer("f", problem.d, filters * taps);
  addEpilogueOperands(signature, epilogue, {filters, taps, filters * taps});
  int64_t pairs = filters * llvm::divideCeil(taps, 2);
  auto func = signature.createKernel(
      name, {{int64_t(llvm::divideCeil(pairs, DepthwiseShape::threads))},
             DepthwiseShape::threads,
             /*minBlocks=*/1,
             /*cluster=*/1,
             /*sharedMemory=*/0,
             /*order=*/1});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  SmallVector<Value> operands(entry->getArguments().drop_front(2));
  EpilogueShape bounds{b.number(filters), b.number(taps), b.number(0),
                       taps % 2 == 0};
  Number item = sm80::blockId(b) * DepthwiseShape::threads + sm80::threadId(b);
  // Neighbouring threads read neighbouring filters.
  Number filter = item % filters, tap = item / filters * 2;
  b.branch(tap < taps, [&] {
    auto load = [&](Number part, Number tap) {
      Number row = part * taps + min(tap, bounds.n - 1);
      return b.load(
          f32,
          b.element(entry->getArgument(0), f32, row, b.number(filters), filter),
          4);
    };
    Values sums = b.loop(
        b.number(0), b.number(parts), b.number(1), {b.zero(f32), b.zero(f32)},
        [&](Number part, ValueRange sums) -> Values {
          return {arith::AddFOp::create(b, sums[0], load(part, tap)),
                  arith::AddFOp::create(b, sums[1], load(part, tap + 1))};
        });
    EpilogueBuilder builder(b, epilogue, operands, bounds, problem.d);
    storePair(b, builder.apply(b.gather(sums), filter, tap),
              {bounds, entry->getArgument(1), bounds.n, bounds.evenColumns},
              filter, tap);
  });
  LLVM::ReturnOp::create(b, ValueRange());
}

void mlir::amp::emitDepthwiseWeights(DeviceBuilder &b, StringRef name,
                                     const ConvolutionProblem &problem,
                                     const GemmEpilogue &epilogue,
                                     int64_t multiprocessors) {
  DepthwiseWeights kernels(b, problem, multiprocessors);
  kernels.emitSums(name);
  kernels.emitReduction((name + "_reduce").str(), epilogue);
}
