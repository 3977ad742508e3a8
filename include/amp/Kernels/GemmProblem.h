//===- GemmProblem.h - A matrix product that is asked for -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = epilogue(A * B) as plain data: sizes, types and how the matrices are
// stored. Nothing here knows a chip; how a kernel computes it is
// GemmConfig.h's.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_GEMMPROBLEM_H
#define AMP_KERNELS_GEMMPROBLEM_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::amp {

/// D[M][N] = A * B for each of `batch` independent matrices.
struct GemmProblem {
  /// A has M x K elements, B has K x N. Zero is a legal size.
  int64_t m = 0, n = 0, k = 0;
  int64_t batch = 1;
  /// Not 0: so many products in one. Each has a run of the rows of A and D, as
  /// many as memory says when the kernel runs, and its own B.
  int64_t groups = 0;
  /// f16 and bf16 (both the same), f8E4M3FN and f8E5M2 (also mixed).
  Type a, b;
  /// f16, bf16 or f32. Sums are f32 always.
  Type d;
  /// A is stored [K][M] instead of [M][K].
  bool transposeA = false;
  /// B is stored [N][K] instead of [K][N].
  bool transposeB = false;
  /// Elements from one stored row to the next; 0 means that rows are dense.
  int64_t lda = 0, ldb = 0, ldd = 0;
  /// Loops over the batch, the outermost first, where its matrices do not
  /// follow one another in all of A, B and D, as the heads of an attention do
  /// not. `batch` is the product of these sizes.
  SmallVector<int64_t, 3> batchShape;
  /// Elements from one matrix to the next in each of these loops; 0 in A or B
  /// if all have the same.
  SmallVector<int64_t, 3> batchStridesA, batchStridesB, batchStridesD;

  /// As many loops as a tensor map has room for.
  static constexpr size_t kMaxBatchLoops = 3;

  /// The stored row length of each matrix.
  int64_t rowOfA() const { return transposeA ? m : k; }
  int64_t rowOfB() const { return transposeB ? k : n; }
  int64_t strideOfA() const { return lda ? lda : rowOfA(); }
  int64_t strideOfB() const { return ldb ? ldb : rowOfB(); }
  int64_t strideOfD() const { return ldd ? ldd : n; }
  /// Stored rows of one matrix.
  int64_t rowsOfA() const { return transposeA ? k : m; }
  int64_t rowsOfB() const { return transposeB ? n : k; }
  /// Matrices that memory has, of all that the products read.
  int64_t matricesOfA() const { return countMatrices(batchStridesA); }
  int64_t matricesOfB() const { return countMatrices(batchStridesB); }
  /// Elements of the memory that each has: whole rows of all matrices, or where
  /// these do not follow one another, from the first element to the last.
  int64_t memoryOfA() const;
  int64_t memoryOfB() const;
  int64_t memoryOfD() const;

private:
  int64_t countMatrices(ArrayRef<int64_t> strides) const;
  int64_t countMemory(int64_t matrices, int64_t rows, int64_t row,
                      int64_t stride, ArrayRef<int64_t> batchStrides) const;
};

/// The problem that is left when operands are copied, transposed, by a kernel
/// before the product's: those of 8 bits that are not stored with K innermost,
/// in rows that are multiples of 16 bytes apart.
GemmProblem getCopiedProblem(const GemmProblem &problem);

/// Whether TMA and asynchronous copies can address rows that are `stride`
/// elements of `type` apart.
bool isTmaStride(int64_t stride, Type type);
bool areTmaStrides(ArrayRef<int64_t> strides, Type type);

} // namespace mlir::amp

#endif // AMP_KERNELS_GEMMPROBLEM_H
