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

#include "amp/Kernels/GemmProblem.h"

using namespace mlir;
using namespace mlir::amp;

void mlir::amp::storePair(DeviceBuilder &b, Value pair,
                          const ResultMatrix &matrix, Number row,
                          Number column) {
  const EpilogueShape &shape = matrix.shape;
  Type type = getElementTypeOrSelf(pair.getType());
  unsigned bytes = getElementBytes(type);
  auto store = [&](Value value, Number at, unsigned alignment) {
    b.store(value,
            b.element(matrix.pointer, type, row + shape.firstRow, matrix.stride,
                      shape.locateColumn(at)),
            alignment);
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
