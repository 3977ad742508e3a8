//===- Contraction.h - A linalg operation as a matrix product ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The view of an operation on which conversions of matrix products work:
//
//   C[batch, m, n] += A[batch, m, k] * B[batch, k, n]
//
// where batch, m, n and k are lists of loops. Because every indexing map is
// linear and every buffer is strided, the address of an element is a constant
// plus one stride per loop. It therefore splits into a part that depends on the
// row loops and one that depends on the column loops, and a convolution's
// window needs no treatment of its own: the loops (image row, kernel row) both
// have a stride in A.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_CONTRACTION_H
#define AMP_ANALYSIS_CONTRACTION_H

#include "amp/Analysis/LinearMap.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::amp {

/// One operand of a contraction.
struct ContractionOperand {
  Value value;
  /// From loops to the operand's dimensions; every result is linear.
  AffineMap map;

  Type getElementType() const { return getElementTypeOrSelf(value.getType()); }
  /// Result `dim` of the map.
  LinearExpr getIndex(unsigned dim) const;
};

struct Contraction {
  linalg::LinalgOp op;
  ContractionOperand a, b, c;
  /// Loops by the operands that they index: all three, A and C, B and C, and
  /// the reductions (in A, in B or in both). m and n are in the order of C's
  /// dimensions, k in the order of the loops, which is the order of the sum.
  SmallVector<unsigned> batch, m, n, k;
};

/// The factors of `value` if it is `out + a * b`, as two operations or as one
/// (`math.fma`).
std::optional<std::pair<Value, Value>> matchMultiplyAdd(Value value, Value out);

/// Views `op` as a contraction: two inputs and one output, the body `out + a *
/// b` (inputs widened in between where they are narrower), linear maps, an
/// output whose dimensions are loops, a reduction, and a parallel loop that
/// belongs to one input alone. Fails if one of these does not hold. Element
/// types are the caller's to check.
///
/// Which input becomes B is a choice: rows of B are vectors, so B is the input
/// that has the loop over C's last dimension.
FailureOr<Contraction> matchContraction(linalg::LinalgOp op);

/// True for a product of a matrix and a vector, or a batch of such: all loops
/// that walk the rows of C, or all that walk its columns, have extent 1. Each
/// element of the matrix is used once, so that its memory is what the product
/// waits for. False for convolutions.
bool isMatrixVector(const Contraction &contraction);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_CONTRACTION_H
