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

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

/// Rows of a transposed copy are multiples of it.
static constexpr int64_t kCopyBytes = 16;

int64_t mlir::amp::getElementBytes(Type type) {
  // In memory it is f32.
  if (isa<FloatTF32Type>(type))
    return 4;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

bool mlir::amp::isTmaStride(int64_t stride, Type type) {
  return stride % (16 / getElementBytes(type)) == 0;
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
