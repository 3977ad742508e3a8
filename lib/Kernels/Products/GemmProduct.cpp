//===- GemmProduct.cpp - The product of two matrices in memory ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix that goes by TMA is a tensor map, with a dimension more for a batch,
// or one for each of its loops; any other is a pointer and a row stride. A loop
// in which an operand stays the same is no dimension.
//
//===----------------------------------------------------------------------===//

#include "GemmProduct.h"

#include "Device/BatchLoops.h"
#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

unsigned GemmProduct::addMatrix(KernelSignature &signature, StringRef name,
                                const StoredMatrix &matrix, MatrixAccess access,
                                int64_t boxColumns, int64_t boxRows) {
  if (access != MatrixAccess::Tma)
    return signature.addBuffer(name, matrix.type, matrix.elements,
                               matrix.count * matrix.outer * matrix.inner);
  const int64_t bytes = getElementBytes(matrix.type);
  SmallVector<int64_t> shape{matrix.inner, matrix.outer};
  SmallVector<int64_t> strides{matrix.stride * bytes};
  SmallVector<int64_t> box{boxColumns, boxRows};
  auto addDimension = [&](int64_t size, int64_t stride) {
    shape.push_back(size);
    strides.push_back(stride * bytes);
    box.push_back(1);
  };
  if (matrix.strides.empty()) {
    if (matrix.count > 1)
      addDimension(matrix.count, matrix.stride * matrix.outer);
    return signature.addTensorMap(name, matrix.type, shape, strides, box);
  }
  ArrayRef<int64_t> sizes = problem.batchShape;
  for (auto [size, stride] :
       llvm::reverse(llvm::zip_equal(sizes, matrix.strides)))
    if (stride)
      addDimension(size, stride);
  return signature.addTensorMap(name, matrix.type, shape, strides, box,
                                matrix.elements);
}

void GemmProduct::addParameters(KernelSignature &signature) {
  // Copies of 16 bytes rely on rows of whole chunks where they found them.
  auto multiple = [&](int64_t size, Type type) {
    return isTmaStride(size, type) &&
                   config.schedule->alignedLoad == MatrixAccess::Async
               ? 16 / getElementBytes(type)
               : 1;
  };
  auto even = [](int64_t size) { return size % 2 ? 1 : 2; };
  index.a = addMatrix(signature, nameOfA,
                      {problem.a, problem.rowOfA(), problem.rowsOfA(),
                       problem.strideOfA(), problem.matricesOfA(),
                       problem.batchStridesA, problem.memoryOfA()},
                      config.loadA, tileA.boxColumns(), tileA.boxRows());
  index.b = addMatrix(signature, nameOfB,
                      {problem.b, problem.rowOfB(), problem.rowsOfB(),
                       problem.strideOfB(),
                       std::max(problem.matricesOfB(), problem.groups),
                       problem.batchStridesB, problem.memoryOfB()},
                      config.loadB, shareOfB.boxColumns(), shareOfB.boxRows());
  if (split()) {
    addWorkspace(signature);
  } else {
    resultIndex =
        addMatrix(signature, "d",
                  {problem.d, problem.n, problem.m, problem.strideOfD(),
                   problem.batch, problem.batchStridesD, problem.memoryOfD()},
                  config.storeD, 128 / getElementBytes(problem.d), 64);
    index.operands = addEpilogueOperands(
        signature, epilogue,
        {problem.m, problem.n, problem.batch * problem.m * problem.n});
    index.outputs = addEpilogueOutputs(signature, problem, config, epilogue,
                                       problem.batch * problem.m * problem.n);
  }
  int64_t multipleM = problem.transposeA ? multiple(problem.m, problem.a) : 1;
  int64_t multipleN = problem.transposeB ? 1 : multiple(problem.n, problem.b);
  int64_t multipleK = problem.transposeA && !problem.transposeB
                          ? 1
                          : multiple(problem.k, problem.a);
  if (hasWholeChunks())
    multipleN = std::max(multipleN, multiple(problem.n, problem.d));
  index.m = signature.addNumber("m", problem.m, multipleM);
  index.n = signature.addNumber("n", problem.n,
                                std::max<int64_t>(multipleN, even(problem.n)));
  index.k = signature.addNumber("k", problem.k, multipleK);
  if (batched())
    index.batch = signature.addNumber("batch", problem.batch);
  if (config.loadA != MatrixAccess::Tma)
    index.lda = signature.addNumber("lda", problem.strideOfA(),
                                    multiple(problem.strideOfA(), problem.a));
  if (config.loadB != MatrixAccess::Tma)
    index.ldb = signature.addNumber("ldb", problem.strideOfB(),
                                    multiple(problem.strideOfB(), problem.b));
  if (config.storeD != MatrixAccess::Tma && !split())
    index.ldd = signature.addNumber(
        "ldd", problem.strideOfD(),
        hasWholeChunks() ? multiple(problem.strideOfD(), problem.d)
                         : even(problem.strideOfD()));
}

void GemmProduct::readParameters(Block *entry) {
  auto number = [&](unsigned i) { return b.number(entry->getArgument(i)); };
  m = number(index.m);
  n = number(index.n);
  k = number(index.k);
  batches = batched() ? number(index.batch) : b.number(1);
  sourceA = {config.loadA,
             entry->getArgument(index.a),
             problem.transposeA ? m : k,
             problem.transposeA ? k : m,
             Number(),
             isTmaStride(problem.rowOfA(), problem.a)};
  sourceB = {config.loadB,
             entry->getArgument(index.b),
             problem.transposeB ? k : n,
             problem.transposeB ? n : k,
             Number(),
             isTmaStride(problem.rowOfB(), problem.b)};
  if (config.loadA != MatrixAccess::Tma)
    sourceA.stride = number(index.lda);
  if (config.loadB != MatrixAccess::Tma)
    sourceB.stride = number(index.ldb);
  if (split())
    return;
  if (config.storeD != MatrixAccess::Tma)
    resultStride = number(index.ldd);
  operands = readEpilogueOperands(entry, index.operands, epilogue);
  for (unsigned i = 0; i < epilogue.outputs.size(); ++i)
    outputs.push_back(entry->getArgument(index.outputs + i));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

GemmProduct::Matrix GemmProduct::locate(WorkItem item,
                                        const OperandSource &source, Type type,
                                        ArrayRef<int64_t> strides) {
  if (strides.empty())
    return {batched() ? Value(item.batch) : Value(), {}, source.pointer};
  SmallVector<Number, 3> places = splitBatch(item.batch, problem.batchShape);
  if (source.access != MatrixAccess::Tma)
    return {Value(),
            {},
            advanceToMatrix(b, source.pointer, getElementBytes(type), places,
                            strides)};
  Matrix matrix;
  for (auto [place, stride] :
       llvm::reverse(llvm::zip_equal(ArrayRef<Number>(places), strides)))
    if (stride)
      matrix.coordinates.push_back(place);
  return matrix;
}

void GemmProduct::beginTile(WorkItem item, Number row, Number column,
                            Number thread, int64_t threads) {
  position = {row,
              column,
              thread,
              threads,
              locate(item, sourceA, problem.a, problem.batchStridesA),
              locate(item, sourceB, problem.b, problem.batchStridesB)};
}

void GemmProduct::loadByThreads(Side side, Value shared, Number stage) {
  Number depth = stage * config.tileK;
  auto load = [&](const OperandTile &tile, OperandSource source, Number row,
                  const Matrix &matrix) {
    source.pointer = matrix.pointer;
    tile.loadByThreads(b, source, shared, row, depth,
                       matrix.number ? b.number(matrix.number) : b.number(0),
                       position.thread, position.threads);
  };
  if (side == Side::A)
    load(tileA, sourceA, position.row, position.a);
  else
    load(tileB, sourceB, position.column, position.b);
}

void GemmProduct::loadByTma(Side side, Value shared, Number stage,
                            Value barrier, Value multicast) {
  Number depth = stage * config.tileK;
  auto load = [&](const OperandTile &tile, const OperandSource &source,
                  Number row, const Matrix &matrix) {
    SmallVector<Value, 3> coordinates = matrix.coordinates;
    if (matrix.number)
      coordinates = {matrix.number};
    tile.loadByTma(b, source, shared, row, depth, coordinates, barrier,
                   multicast);
  };
  if (side == Side::A)
    load(tileA, sourceA, position.row, position.a);
  else
    load(shareOfB, sourceB, position.column, position.b);
}

ResultMatrix GemmProduct::placeResult(WorkItem item) {
  Number firstRow = batched() ? item.batch * m : b.number(0);
  EpilogueShape shape{m, n, firstRow, problem.n % 2 == 0};
  ResultMatrix matrix{shape, result, resultStride, hasEvenResult(problem)};
  matrix.wholeChunks = hasWholeChunks();
  if (problem.batchShape.empty())
    return matrix;
  SmallVector<Number, 3> places = splitBatch(item.batch, problem.batchShape);
  if (config.storeD == MatrixAccess::Tma) {
    llvm::append_range(matrix.mapCoordinates, llvm::reverse(places));
    return matrix;
  }
  matrix.pointer = advanceToMatrix(b, result, getElementBytes(problem.d),
                                   places, problem.batchStridesD);
  matrix.pointsAtMatrix = true;
  return matrix;
}
