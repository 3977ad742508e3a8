//===- MatrixProduct.h - A contraction as a kernel sees it ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction has loops; a kernel has one batch, rows, columns and a depth,
// and matrices with a row stride. Here the loops become these four, and each
// operand is followed through casts, reshapes and transposes to a tensor that
// is such a matrix as it lies in memory.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_MATRIXPRODUCT_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_MATRIXPRODUCT_H

#include "ElementMovement.h"
#include "amp/Analysis/Contraction.h"
#include "amp/Kernels/GemmProblem.h"

namespace mlir::amp {

/// A tensor that can be an operand of a kernel.
struct MatrixSource {
  /// What the kernel reads, once its dimensions are permuted.
  Value value;
  /// Stored with rows and columns exchanged, rows `stride` elements apart.
  bool transposed;
  int64_t stride;
  /// Dimensions of `value` in the order in which it must be copied; empty if it
  /// is read where it is.
  SmallVector<int64_t> permutation;
  /// From one matrix of the batch to the next, and the first element of all.
  StridedView batch = {};
  int64_t place = 0;
  /// The matrices are all of the tensor, one after the other.
  bool readsWhole = true;
  /// Not 0: copied, with rows of so many elements, into rows `stride` apart.
  int64_t paddedRow = 0;

  bool isCopy() const { return !permutation.empty() || paddedRow; }
};

/// The same source with its rows, of `row` elements, at multiples of the bytes
/// that tensor maps and asynchronous copies want. Nothing if they lie so, or if
/// no copy of rows alone makes them.
std::optional<MatrixSource> padRows(const MatrixSource &source, int64_t row);
/// Elements from one row to the next that those want, for rows of `row`.
int64_t getPaddedStride(int64_t row, Type type);
/// How many dimensions of a shape lie before those that are a row of `row`
/// elements; nothing if no dimensions are.
std::optional<unsigned> countDimsBeforeRow(ArrayRef<int64_t> shape,
                                           int64_t row);

/// Ways to read the operands of a contraction, and what it is a product of.
struct MatrixProduct {
  Operation *op;
  /// Sizes alone; types and layouts follow from the sources.
  int64_t m, n, k, batch;
  /// In order of preference: those that need no copy first, and among them
  /// those that are furthest from the operation.
  SmallVector<MatrixSource> a, b;
  /// Added to the sums; null if it is zero.
  Value init;
  /// Where the kernel writes: walks over the batch, over rows and over columns
  /// of the result. Empty if they follow one another.
  TensorWalks result;
  /// What no kernel can write so: its result has the loops over the batch, over
  /// rows and over columns as dimensions, in this shape; the operation's result
  /// has them in the order of `resultPermutation`.
  SmallVector<int64_t> resultShape, resultPermutation;
  /// Not 0: the kernel writes rows that are so many elements apart, from which
  /// the result is copied.
  int64_t paddedStride = 0;

  /// The problem with one source for each operand, and a result of `type`. None
  /// if a batch has more loops than kernels do.
  std::optional<GemmProblem> getProblem(const MatrixSource &a,
                                        const MatrixSource &b, Type type) const;
  /// All elements of the result, as the kernel numbers them.
  StridedView getResultOrder() const;
  /// Whether they lie in memory in this order, one after the other.
  bool isResultDense() const;
  /// Elements from the first of them to the last, in memory.
  int64_t getResultSpan() const;
  /// The product whose result is transposed.
  MatrixProduct getTransposed() const;
};

/// Whether tensor maps and asynchronous copies can start at this element.
bool isStart(int64_t place, Type type);
/// Whether a kernel can write a result that lies so: columns one behind the
/// other, and rows with a stride.
bool isWritable(const TensorWalks &result);
/// The same with rows and columns exchanged.
TensorWalks getTransposed(const TensorWalks &result);

/// Whether a contraction on tensors is one that kernels can compute at all, by
/// its shapes and its sums; `reason` says why not.
LogicalResult verifyContraction(const Contraction &contraction,
                                std::string &reason);

/// Whether an operand is read in windows.
bool isConvolution(const Contraction &contraction);

/// Views a contraction that is verified as a product. Fails if it is none;
/// `reason` then says which rule of the pass does not hold.
FailureOr<MatrixProduct> matchMatrixProduct(const Contraction &contraction,
                                            std::string &reason);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_MATRIXPRODUCT_H
