//===- GemmProblem.cpp - A matrix product that is asked for ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes of elements and rows, and what a copy of operands leaves of a problem.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/GemmProblem.h"

#include "amp/Support/ShapedBytes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

/// Rows of a transposed copy are multiples of it.
static constexpr int64_t kCopyBytes = 16;

int64_t GemmProblem::countMatrices(ArrayRef<int64_t> strides) const {
  if (batchShape.empty())
    return batch;
  int64_t count = 1;
  for (auto [size, stride] : llvm::zip_equal(batchShape, strides))
    count *= stride ? size : 1;
  return count;
}

int64_t GemmProblem::countMemory(int64_t matrices, int64_t rows, int64_t row,
                                 int64_t stride,
                                 ArrayRef<int64_t> batchStrides) const {
  if (batchShape.empty())
    return matrices * rows * stride;
  if (rows == 0 || row == 0)
    return 0;
  int64_t last = (rows - 1) * stride + row - 1;
  for (auto [size, step] : llvm::zip_equal(batchShape, batchStrides))
    last += (size - 1) * step;
  return last + 1;
}

int64_t GemmProblem::memoryOfA() const {
  return countMemory(batch, rowsOfA(), rowOfA(), strideOfA(), batchStridesA);
}

int64_t GemmProblem::memoryOfB() const {
  return countMemory(std::max(batch, groups), rowsOfB(), rowOfB(), strideOfB(),
                     batchStridesB);
}

int64_t GemmProblem::memoryOfD() const {
  return countMemory(batch, m, n, strideOfD(), batchStridesD);
}

bool mlir::amp::isTmaStride(int64_t stride, Type type) {
  return stride % (16 / getElementBytes(type)) == 0;
}

bool mlir::amp::areTmaStrides(ArrayRef<int64_t> strides, Type type) {
  return llvm::all_of(
      strides, [&](int64_t stride) { return isTmaStride(stride, type); });
}

GemmProblem mlir::amp::getCopiedProblem(const GemmProblem &problem) {
  GemmProblem read = problem;
  if (getElementBytes(problem.a) != 1)
    return read;
  int64_t stride =
      std::max<int64_t>(llvm::alignTo(problem.k, kCopyBytes), kCopyBytes);
  if (problem.transposeA) {
    read.transposeA = false;
    read.lda = stride;
  }
  if (!problem.transposeB) {
    read.transposeB = true;
    read.ldb = stride;
  }
  return read;
}
