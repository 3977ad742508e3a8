//===- ConvolutionProduct.cpp - Load a convolution by threads -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operand of each kind is an image, filters or a plain matrix, and where
// D's rows lie.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionProduct.h"

using namespace mlir;
using namespace mlir::amp;

ConvolutionProduct::ConvolutionProduct(DeviceBuilder &b,
                                       const GemmProblem &product,
                                       const ConvolutionProblem &convolution,
                                       const GemmConfig &config,
                                       const GemmEpilogue &epilogue)
    : Product(b, product, config, epilogue), convolution(convolution),
      gatheredA(b, tileA, config.loadA,
                isTmaStride(convolution.runOfA(), convolution.a)),
      gatheredB(b, tileB, config.loadB,
                isTmaStride(convolution.runOfB(), convolution.a)) {}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Elements of the tensor called `name`.
static int64_t getElements(const ConvolutionProblem &convolution,
                           StringRef name) {
  if (name == "x")
    return convolution.inputPixels() * convolution.channels;
  if (name == "y")
    return convolution.outputPixels() * convolution.filters;
  return convolution.filters * convolution.taps() *
         convolution.channelsPerGroup();
}

unsigned ConvolutionProduct::addOperand(KernelSignature &signature, Side side) {
  ConvolutionNames names = getTensorNames(convolution.kind);
  StringRef name = side == Side::A ? names.a : names.b;
  return signature.addBuffer(name, problem.a, getElements(convolution, name));
}

unsigned ConvolutionProduct::addResult(KernelSignature &signature) {
  StringRef name = getTensorNames(convolution.kind).d;
  return signature.addBuffer(name, problem.d, getElements(convolution, name));
}

void ConvolutionProduct::addParameters(KernelSignature &signature) {
  index.a = addOperand(signature, Side::A);
  index.b = addOperand(signature, Side::B);
  if (split()) {
    addWorkspace(signature);
  } else {
    resultIndex = addResult(signature);
    int64_t elements =
        getElements(convolution, getTensorNames(convolution.kind).d);
    index.operands = addEpilogueOperands(
        signature, epilogue,
        {elements / problem.strideOfD(), problem.strideOfD(), elements});
    index.outputs =
        addEpilogueOutputs(signature, problem, config, epilogue, elements);
  }
  index.batch = signature.addNumber("batch", convolution.batch);
  // Always the same, but no constant: LLVM would unroll a loop over few stages,
  // main loop and all.
  if (convolution.kind != ConvolutionKind::WeightGradient)
    index.run =
        signature.addNumber("run", convolution.runOfA(), convolution.runOfA());
}

void ConvolutionProduct::readParameters(Block *entry) {
  images = b.number(entry->getArgument(index.batch));
  if (convolution.kind != ConvolutionKind::WeightGradient)
    run = b.number(entry->getArgument(index.run));
  pointerA = entry->getArgument(index.a);
  pointerB = entry->getArgument(index.b);
  n = b.number(problem.n);
  batches = b.number(problem.batch);
  switch (convolution.kind) {
  case ConvolutionKind::Forward:
    m = images * (convolution.outputHeight() * convolution.outputWidth());
    break;
  case ConvolutionKind::DataGradient:
    m = images * (convolution.classHeight() * convolution.classWidth());
    break;
  case ConvolutionKind::WeightGradient:
    m = b.number(problem.m);
    break;
  }
  if (split())
    return;
  operands = readEpilogueOperands(entry, index.operands, epilogue);
  for (unsigned i = 0; i < epilogue.outputs.size(); ++i)
    outputs.push_back(entry->getArgument(index.outputs + i));
}

//===----------------------------------------------------------------------===//
// Groups and classes
//===----------------------------------------------------------------------===//

Number ConvolutionProduct::groupOf(WorkItem item) {
  return convolution.groups == 1 ? b.number(0)
                                 : item.batch % convolution.groups;
}

ConvolutionProduct::ClassTaps
ConvolutionProduct::findTaps(Number residue, int64_t stride, int64_t dilation,
                             int64_t padding, int64_t filter) {
  SmallVector<int64_t> first, count, origin;
  TapSequence taps;
  for (int64_t i = 0; i < stride; ++i) {
    taps = getTapSequence(i, stride, dilation, padding, filter);
    first.push_back(taps.first);
    count.push_back(taps.count);
    origin.push_back(taps.origin);
  }
  return {residue,
          b.choose(residue, first),
          b.choose(residue, count),
          b.choose(residue, origin),
          taps.step,
          taps.outputStep,
          *llvm::max_element(count)};
}

ConvolutionProduct::ClassTaps ConvolutionProduct::rowTapsOf(WorkItem item) {
  Number residue =
      convolution.strideHeight == 1
          ? b.number(0)
          : item.batch / (convolution.groups * convolution.strideWidth);
  return findTaps(residue, convolution.strideHeight, convolution.dilationHeight,
                  convolution.padTop, convolution.filterHeight);
}

ConvolutionProduct::ClassTaps ConvolutionProduct::columnTapsOf(WorkItem item) {
  Number residue =
      convolution.strideWidth == 1
          ? b.number(0)
          : item.batch / convolution.groups % convolution.strideWidth;
  return findTaps(residue, convolution.strideWidth, convolution.dilationWidth,
                  convolution.padLeft, convolution.filterWidth);
}

TapOrder ConvolutionProduct::allTaps() {
  return {convolution.channelsPerGroup(), b.number(convolution.filterHeight),
          b.number(convolution.filterWidth), convolution.filterWidth};
}

TapOrder ConvolutionProduct::classTaps(const ClassTaps &rows,
                                       const ClassTaps &columns) {
  // Without a column of taps there is no tap in any row.
  Number count = b.select(columns.count == 0, b.number(0), rows.count);
  return {convolution.filtersPerGroup(), count, columns.count,
          columns.mostTaps};
}

StageRange ConvolutionProduct::stagesOf(WorkItem item) {
  Number k;
  switch (convolution.kind) {
  case ConvolutionKind::Forward:
    k = run * convolution.taps();
    break;
  case ConvolutionKind::DataGradient:
    k = rowTapsOf(item).count * columnTapsOf(item).count * run;
    break;
  case ConvolutionKind::WeightGradient:
    k = images * (convolution.outputHeight() * convolution.outputWidth());
    break;
  }
  return getStages(b, item, ceilDiv(k, config.tileK), config.splitK);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// x: a row for each pixel of y, a column for each tap and channel.
ConvolutionProduct::Operand ConvolutionProduct::makeImage(Value pointer,
                                                          Number group) {
  ImageOperand::Shape shape;
  shape.height = convolution.height;
  shape.width = convolution.width;
  shape.channels = convolution.channels;
  shape.gridHeight = convolution.outputHeight();
  shape.gridWidth = convolution.outputWidth();
  shape.gridPixels = images * (shape.gridHeight * shape.gridWidth);
  shape.scaleY = convolution.strideHeight;
  shape.scaleX = convolution.strideWidth;
  shape.stepY = convolution.dilationHeight;
  shape.stepX = convolution.dilationWidth;
  shape.originY = b.number(-convolution.padTop);
  shape.originX = b.number(-convolution.padLeft);
  shape.taps = allTaps();
  shape.firstChannel = group * convolution.channelsPerGroup();
  return std::make_unique<ImageOperand>(b, pointer, problem.a, shape);
}

/// The gradient of y for the pixels of x of a class: a row for each of these, a
/// column for each of their taps and each filter.
ConvolutionProduct::Operand
ConvolutionProduct::makeGradient(Value pointer, WorkItem item, Number group) {
  ClassTaps rows = rowTapsOf(item), columns = columnTapsOf(item);
  ImageOperand::Shape shape;
  shape.height = convolution.outputHeight();
  shape.width = convolution.outputWidth();
  shape.channels = convolution.filters;
  shape.gridHeight = convolution.classHeight();
  shape.gridWidth = convolution.classWidth();
  shape.gridPixels = m;
  shape.scaleY = shape.scaleX = 1;
  shape.stepY = -rows.outputStep;
  shape.stepX = -columns.outputStep;
  shape.originY = rows.origin;
  shape.originX = columns.origin;
  shape.taps = classTaps(rows, columns);
  shape.firstChannel = group * convolution.filtersPerGroup();
  return std::make_unique<ImageOperand>(b, pointer, problem.a, shape);
}

/// The filters of a group: a row for each, a column for each tap and channel.
ConvolutionProduct::Operand ConvolutionProduct::makeFilters(Value pointer,
                                                            Number group) {
  MatrixOperand::Shape shape{problem.k, n, b.number(problem.k),
                             group * convolution.filtersPerGroup(),
                             b.number(0)};
  return std::make_unique<MatrixOperand>(b, pointer, problem.a, shape);
}

/// The same for the taps of a class: a row for each and each filter, a column
/// for each channel.
ConvolutionProduct::Operand ConvolutionProduct::makeClassFilters(Value pointer,
                                                                 WorkItem item,
                                                                 Number group) {
  ClassTaps rows = rowTapsOf(item), columns = columnTapsOf(item);
  FilterOperand::Shape shape;
  shape.height = convolution.filterHeight;
  shape.width = convolution.filterWidth;
  shape.channels = convolution.channelsPerGroup();
  shape.firstFilter = group * convolution.filtersPerGroup();
  shape.taps = classTaps(rows, columns);
  shape.firstY = rows.first;
  shape.firstX = columns.first;
  shape.stepY = rows.step;
  shape.stepX = columns.step;
  return std::make_unique<FilterOperand>(b, pointer, problem.a, shape);
}

/// The gradient of y: a row for each pixel, a column for each filter of the
/// group.
ConvolutionProduct::Operand
ConvolutionProduct::makeOutputColumns(Value pointer, Number group) {
  MatrixOperand::Shape shape{
      convolution.filters,
      images * (convolution.outputHeight() * convolution.outputWidth()), m,
      b.number(0), group * convolution.filtersPerGroup()};
  return std::make_unique<MatrixOperand>(b, pointer, problem.a, shape);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void ConvolutionProduct::beginTile(WorkItem item, Number row, Number column,
                                   Number thread, int64_t threads) {
  Number group = groupOf(item);
  Operand a, bs;
  switch (convolution.kind) {
  case ConvolutionKind::Forward:
    a = makeImage(pointerA, group);
    bs = makeFilters(pointerB, group);
    break;
  case ConvolutionKind::DataGradient:
    a = makeGradient(pointerA, item, group);
    bs = makeClassFilters(pointerB, item, group);
    break;
  case ConvolutionKind::WeightGradient:
    a = makeOutputColumns(pointerA, group);
    bs = makeImage(pointerB, group);
    break;
  }
  gatheredA.begin(std::move(a), row, thread, threads);
  gatheredB.begin(std::move(bs), column, thread, threads);
}

void ConvolutionProduct::loadByThreads(Side side, Value shared, Number stage) {
  (side == Side::A ? gatheredA : gatheredB).load(shared, stage * config.tileK);
}

void ConvolutionProduct::loadByTma(Side, Value, Number, Value, Value) {
  llvm_unreachable("verifyConvolution refuses TMA");
}

ResultMatrix ConvolutionProduct::placeResult(WorkItem item) {
  Number stride = b.number(problem.strideOfD()), zero = b.number(0);
  bool evenColumns = problem.n % 2 == 0;
  bool evenStride = problem.strideOfD() % 2 == 0;
  if (convolution.kind == ConvolutionKind::WeightGradient) {
    EpilogueShape shape{m, n, item.batch * m, evenColumns};
    return {shape, result, stride, evenStride};
  }
  EpilogueShape shape{m, n, zero, evenColumns};
  if (convolution.groups > 1) {
    shape.firstColumn = groupOf(item) * problem.n;
    shape.stride = stride;
  }
  if (convolution.classes() == 1)
    return {shape, result, stride, evenStride};
  // Pixels of a class, and past the last of them rows and columns that some
  // classes have and this one has not.
  shape.m = images * (convolution.height * convolution.width);
  Number residueY = rowTapsOf(item).residue;
  Number residueX = columnTapsOf(item).residue;
  auto rowOf = [this, residueY, residueX, past = shape.m](Number row) {
    Number line = row / convolution.classWidth();
    Number image = line / convolution.classHeight();
    Number y =
        line % convolution.classHeight() * convolution.strideHeight + residueY;
    Number x =
        row % convolution.classWidth() * convolution.strideWidth + residueX;
    Value inside =
        b.both(row < m, b.both(y < convolution.height, x < convolution.width));
    Number pixel = (image * convolution.height + y) * convolution.width + x;
    return b.select(inside, pixel, past);
  };
  return {shape, result, stride, evenStride, rowOf};
}
