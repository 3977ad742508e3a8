//===- ComputeKind.h - What an operation computes ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structural half of classification: what an operation is, by its
// interfaces and the body of its region, never by its name alone. Front ends
// differ (JAX gives almost no named contraction), so a matmul that is written
// as a linalg.generic must be seen as one.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_COMPUTEKIND_H
#define AMP_ANALYSIS_COMPUTEKIND_H

#include "mlir/IR/Operation.h"

namespace mlir::linalg {
class LinalgOp;
} // namespace mlir::linalg

namespace mlir::amp {

enum class ComputeKind {
  /// Multiply-accumulate with a dimension that only one operand has: matmul,
  /// convolution, and their gradients.
  Contraction,
  /// Unsafe in half: exp, log, pow and kin, sums and products over elements,
  /// division by a sum.
  Wide,
  /// Elementwise on several floating operands.
  Promote,
  /// One floating operand; max, min, compare, select.
  Follow,
  /// Each element of the result is an element of an operand, or a constant.
  Movement,
  /// A constant, or made from integers: has no precision of its own.
  Neutral,
  /// Control flow and calls: regions and callees decide for themselves.
  Control,
  /// No floating tensor in or out, or scalars: left alone.
  Other,
};
constexpr unsigned kNumComputeKinds =
    static_cast<unsigned>(ComputeKind::Other) + 1;

/// `ComputeKind` of `op`. Reads the operation, its region and, for division by
/// a sum, the producers of its operands.
ComputeKind getComputeKind(Operation *op);

/// True for a tensor type that the passes may store in half: ranked, f32, and
/// without an encoding (sparse storage has its own rules).
bool isCastableTensor(Type type);

/// The operands whose elements the body of `op` works on one by one: inputs,
/// and, where nothing is reduced, what it writes over if it reads that first.
llvm::SmallVector<Value> getElementOperands(linalg::LinalgOp op);

/// For a multiply-accumulate linalg operation (kind Contraction): true if
/// `operand` is one of the two factors.
bool isContractionFactor(OpOperand &operand);

/// One line for a reason: "contraction", "body has math.exp".
std::string describeComputeKind(Operation *op, ComputeKind kind);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_COMPUTEKIND_H
