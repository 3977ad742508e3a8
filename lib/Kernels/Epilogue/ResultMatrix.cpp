//===- ResultMatrix.cpp - Where elements of D lie -------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pair is one access where both of its addresses are known to be aligned,
// else two.
//
//===----------------------------------------------------------------------===//

#include "ResultMatrix.h"

#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::hasEvenResult(const GemmProblem &problem) {
  return problem.strideOfD() % 2 == 0 &&
         llvm::all_of(problem.batchStridesD,
                      [](int64_t stride) { return stride % 2 == 0; });
}

void mlir::amp::storePair(DeviceBuilder &b, Value pair,
                          const ResultMatrix &matrix, Number row,
                          Number column) {
  const EpilogueShape &shape = matrix.shape;
  Type type = getElementTypeOrSelf(pair.getType());
  unsigned bytes = getElementBytes(type);
  auto store = [&](Value value, Number at, unsigned alignment) {
    b.store(value, matrix.element(b, type, row, at), alignment);
  };
  Value inside = b.both(row < shape.m, column < shape.n);
  if (shape.evenColumns && matrix.evenStride) {
    b.branch(inside, [&] { store(pair, column, 2 * bytes); });
    return;
  }
  b.branch(inside, [&] {
    store(b.extract(pair, 0), column, bytes);
    b.branch(column + 1 < shape.n,
             [&] { store(b.extract(pair, 1), column + 1, bytes); });
  });
}
