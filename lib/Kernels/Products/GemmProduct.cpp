//===- GemmProduct.cpp - The product of two matrices in memory ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix that goes by TMA is a tensor map, of rank 3 with a batch; any other
// is a pointer and a row stride.
//
//===----------------------------------------------------------------------===//

#include "GemmProduct.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

unsigned GemmProduct::addMatrix(KernelSignature &signature, StringRef name,
                                Type type, MatrixAccess access, int64_t inner,
                                int64_t outer, int64_t stride, int64_t count,
                                int64_t boxColumns, int64_t boxRows) {
  if (access != MatrixAccess::Tma)
    return signature.addBuffer(name, type, count * outer * stride);
  SmallVector<int64_t> shape{inner, outer}, box{boxColumns, boxRows};
  SmallVector<int64_t> strides{stride * getElementBytes(type)};
  if (count > 1) {
    shape.push_back(count);
    strides.push_back(strides[0] * outer);
    box.push_back(1);
  }
  return signature.addTensorMap(name, type, shape, strides, box);
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
  index.a =
      addMatrix(signature, nameOfA, problem.a, config.loadA, problem.rowOfA(),
                problem.transposeA ? problem.k : problem.m, problem.strideOfA(),
                problem.batch, tileA.boxColumns(), tileA.boxRows());
  index.b =
      addMatrix(signature, nameOfB, problem.b, config.loadB, problem.rowOfB(),
                problem.transposeB ? problem.n : problem.k, problem.strideOfB(),
                std::max(problem.batch, problem.groups), shareOfB.boxColumns(),
                shareOfB.boxRows());
  if (split()) {
    addWorkspace(signature);
  } else {
    resultIndex = addMatrix(signature, "d", problem.d, config.storeD, problem.n,
                            problem.m, problem.strideOfD(), problem.batch,
                            128 / getElementBytes(problem.d), 64);
    index.operands = addEpilogueOperands(
        signature, epilogue,
        {problem.m, problem.n, problem.batch * problem.m * problem.n});
    index.outputs = addEpilogueOutputs(signature, problem, config, epilogue);
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

void GemmProduct::beginTile(WorkItem item, Number row, Number column,
                            Number thread, int64_t threads) {
  Value matrix = batched() ? Value(item.batch) : Value();
  position = {row, column, thread, threads, matrix, matrix};
}

void GemmProduct::loadByThreads(Side side, Value shared, Number stage) {
  Number depth = stage * config.tileK;
  auto matrix = [&](Value index) {
    return index ? b.number(index) : b.number(0);
  };
  if (side == Side::A)
    tileA.loadByThreads(b, sourceA, shared, position.row, depth,
                        matrix(position.matrixA), position.thread,
                        position.threads);
  else
    tileB.loadByThreads(b, sourceB, shared, position.column, depth,
                        matrix(position.matrixB), position.thread,
                        position.threads);
}

void GemmProduct::loadByTma(Side side, Value shared, Number stage,
                            Value barrier, Value multicast) {
  Number depth = stage * config.tileK;
  if (side == Side::A)
    tileA.loadByTma(b, sourceA, shared, position.row, depth, position.matrixA,
                    barrier, multicast);
  else
    shareOfB.loadByTma(b, sourceB, shared, position.column, depth,
                       position.matrixB, barrier, multicast);
}

ResultMatrix GemmProduct::placeResult(WorkItem item) {
  Number firstRow = batched() ? item.batch * m : b.number(0);
  EpilogueShape shape{m, n, firstRow, problem.n % 2 == 0};
  ResultMatrix matrix{shape, result, resultStride,
                      problem.strideOfD() % 2 == 0};
  matrix.wholeChunks = hasWholeChunks();
  return matrix;
}
