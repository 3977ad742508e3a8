//===- Im2colProduct.cpp - Load a convolution by TMA ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The maps, and the coordinates of a stage. Where an operand is stored with M
// or N innermost, its tile is boxes of 128 bytes of columns, one copy each.
//
//===----------------------------------------------------------------------===//

#include "Im2colProduct.h"

#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

Im2colProduct::Im2colProduct(DeviceBuilder &b,
                             const ConvolutionProblem &convolution,
                             const GemmConfig &config,
                             const GemmEpilogue &epilogue)
    : ConvolutionProduct(b, getIm2colProduct(convolution), convolution, config,
                         epilogue),
      rows(getIm2colRows(convolution)), columns(getIm2colColumns(convolution)),
      depth(getIm2colChannels(convolution)),
      blocks(getIm2colBlocks(convolution, isWeightGradient()
                                              ? convolution.runOfB()
                                              : convolution.runOfA())) {}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

unsigned Im2colProduct::addImage(KernelSignature &signature, StringRef name,
                                 int64_t channels, int64_t pixels) {
  int64_t bytes = getElementBytes(problem.a);
  int64_t pixel = channels * bytes, row = columns.size * pixel;
  return signature.addIm2colMap(
      name, problem.a, {channels, columns.size, rows.size, convolution.batch},
      {pixel, row, rows.size * row},
      {{columns.lower, rows.lower},
       {columns.upper, rows.upper},
       {1, columns.step, rows.step, 1},
       depth,
       pixels});
}

unsigned Im2colProduct::addOperand(KernelSignature &signature, Side side) {
  ConvolutionNames names = getTensorNames(convolution.kind);
  int64_t bytes = getElementBytes(problem.a);
  if (isWeightGradient() && side == Side::B)
    return addImage(signature, names.b, convolution.channels, depth);
  if (isWeightGradient())
    return signature.addTensorMap(
        names.a, problem.a, {convolution.filters, convolution.outputPixels()},
        {convolution.filters * bytes}, {tileA.boxColumns(), tileA.boxRows()});
  if (side == Side::A)
    return addImage(signature, names.a,
                    convolution.kind == ConvolutionKind::Forward
                        ? convolution.channels
                        : convolution.filters,
                    config.tileM);
  // Channels past the last of a tap are zeros, not the next tap's.
  int64_t channels = convolution.channelsPerGroup();
  return signature.addTensorMap(
      names.b, problem.b, {channels, convolution.taps(), convolution.filters},
      {channels * bytes, convolution.taps() * channels * bytes},
      {shareOfB.boxColumns(), 1, shareOfB.boxRows()});
}

unsigned Im2colProduct::addResult(KernelSignature &signature) {
  if (config.storeD != MatrixAccess::Tma)
    return ConvolutionProduct::addResult(signature);
  int64_t bytes = getElementBytes(problem.d);
  int64_t row = problem.strideOfD() * bytes;
  SmallVector<int64_t> shape{problem.n, problem.m}, strides{row};
  SmallVector<int64_t> box{128 / bytes, 64};
  if (batched()) {
    // Groups are columns of y and x, and rows of f.
    shape.push_back(problem.batch);
    strides.push_back(isWeightGradient() ? problem.m * row : problem.n * bytes);
    box.push_back(1);
  }
  return signature.addTensorMap(getTensorNames(convolution.kind).d, problem.d,
                                shape, strides, box);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

StageRange Im2colProduct::stagesOf(WorkItem item) {
  if (isWeightGradient())
    return ConvolutionProduct::stagesOf(item);
  Number taps = convolution.kind == ConvolutionKind::Forward
                    ? b.number(convolution.taps())
                    : rowTapsOf(item).count * columnTapsOf(item).count;
  // Not `blocks`: with constants, LLVM would unroll the main loop.
  return getStages(b, item, ceilDiv(run, depth) * taps, config.splitK);
}

Im2colProduct::Pixel Im2colProduct::locatePixel(Number place) const {
  Number row = place / columns.places;
  return {place % columns.places * columns.step + columns.lower,
          row % rows.places * rows.step + rows.lower, row / rows.places};
}

void Im2colProduct::beginTile(WorkItem item, Number row, Number column, Number,
                              int64_t) {
  position = {item, groupOf(item), row, column, Pixel()};
  if (!isWeightGradient())
    position.pixel = locatePixel(row);
}

Im2colProduct::Tap Im2colProduct::locateTap(Number block) const {
  Number tap = block / blocks;
  Number row = tap / convolution.filterWidth;
  Number column = tap % convolution.filterWidth;
  return {row * convolution.dilationHeight, column * convolution.dilationWidth,
          tap, block % blocks * depth};
}

Im2colProduct::Tap Im2colProduct::locateClassTap(Number stage) {
  ClassTaps tapRows = rowTapsOf(position.item);
  ClassTaps tapColumns = columnTapsOf(position.item);
  TapOrder order{blocks, tapRows.count, tapColumns.count, tapColumns.mostTaps};
  TapOrder::Tap tap = order.locate(b, stage);
  Number row = tapRows.first + tap.row * tapRows.step;
  Number column = tapColumns.first + tap.column * tapColumns.step;
  return {tapRows.origin - tap.row * tapRows.outputStep - rows.lower,
          tapColumns.origin - tap.column * tapColumns.outputStep -
              columns.lower,
          row * convolution.filterWidth + column, tap.inRun * depth};
}

void Im2colProduct::loadPixels(Value shared, Value map, Number channel,
                               const Pixel &pixel, const Tap &tap,
                               Value barrier, Value multicast) {
  sm90::loadPixels(b, shared, map,
                   {channel, pixel.column, pixel.row, pixel.image},
                   {tap.columnOffset, tap.rowOffset}, barrier, multicast);
}

void Im2colProduct::loadByTma(Side side, Value shared, Number stage,
                              Value barrier, Value multicast) {
  if (isWeightGradient())
    return loadOfWeights(side, shared, stage, barrier, multicast);
  bool isForward = convolution.kind == ConvolutionKind::Forward;
  Tap tap = isForward ? locateTap(stage) : locateClassTap(stage);
  int64_t filters = convolution.filtersPerGroup();
  if (side == Side::A) {
    Number first = position.group * convolution.runOfA();
    return loadPixels(shared, pointerA, first + tap.channel, position.pixel,
                      tap, barrier, multicast);
  }
  Number first = position.group * filters;
  if (isForward)
    return sm90::loadBox(b, shared, pointerB,
                         {tap.channel, tap.index, first + position.column},
                         barrier, multicast);
  for (int64_t i = 0; i < shareOfB.size(); i += depth)
    sm90::loadBox(b, b.advance(shared, i * 128), pointerB,
                  {position.column + i, tap.index, first + tap.channel},
                  barrier, multicast);
}

/// K are pixels of y.
void Im2colProduct::loadOfWeights(Side side, Value shared, Number stage,
                                  Value barrier, Value multicast) {
  Number place = stage * config.tileK;
  if (side == Side::A) {
    Number first =
        position.group * convolution.filtersPerGroup() + position.row;
    for (int64_t i = 0; i < tileA.size(); i += depth)
      sm90::loadBox(b, b.advance(shared, i * 128), pointerA, {first + i, place},
                    barrier, multicast);
    return;
  }
  Pixel pixel = locatePixel(place);
  for (int64_t i = 0; i < shareOfB.size(); i += depth) {
    // Past the last tap, columns that D does not have.
    Number block = min((position.column + i) / depth,
                       b.number(convolution.taps() * blocks - 1));
    Tap tap = locateTap(block);
    Number first = position.group * convolution.channelsPerGroup();
    loadPixels(b.advance(shared, i * 128), pointerB, first + tap.channel, pixel,
               tap, barrier, multicast);
  }
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

ResultMatrix Im2colProduct::placeResult(WorkItem item) {
  ResultMatrix matrix = ConvolutionProduct::placeResult(item);
  if (!isWeightGradient() || !hasPaddedColumns())
    return matrix;
  int64_t channels = convolution.channelsPerGroup();
  matrix.shape.n = b.number(problem.strideOfD());
  matrix.columnOf = [this, channels](Number column) {
    Number tap = column / (blocks * depth);
    Number channel = column % (blocks * depth);
    return b.select(channel < channels, tap * channels + channel,
                    b.number(problem.strideOfD()));
  };
  return matrix;
}

WorkspaceColumns Im2colProduct::workspaceColumns() const {
  if (!isWeightGradient() || !hasPaddedColumns())
    return {};
  int64_t channels = convolution.channelsPerGroup();
  return {problem.strideOfD(), [this, channels](Number column) {
            return column / channels * (blocks * depth) + column % channels;
          }};
}
