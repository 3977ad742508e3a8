//===- AttentionProblem.h - An attention that is asked for ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention as plain data: O = softmax(scale * Q K^T + mask) V for each head of
// a batch, or its gradients. Where heads lie is said by strides, so that they
// are read and written in the tensors that others make and want.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_ATTENTIONPROBLEM_H
#define AMP_KERNELS_ATTENTIONPROBLEM_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Types.h"

namespace mlir::amp {

/// Where a tensor has the rows of each head: element i of a row is number
/// `offset + batch * batchStride + head * headStride + row * rowStride + i` of
/// `elements`.
struct HeadsLayout {
  int64_t offset = 0, batchStride = 0, headStride = 0, rowStride = 0;
  int64_t elements = 0;

  /// [batch][head][row][depth], without gaps.
  static HeadsLayout getDense(int64_t batch, int64_t heads, int64_t rows,
                              int64_t depth) {
    return {0, heads * rows * depth, rows * depth, depth,
            batch * heads * rows * depth};
  }
};

/// Which keys a query sees.
enum class AttentionMask {
  None,    ///< all
  Causal,  ///< those up to its own number
  Additive ///< all, with a number of memory added to each score
};

enum class AttentionKind {
  Forward, ///< O and, for a backward pass, the logarithm of each row's sum
  Backward ///< the gradients of Q, K and V
};

struct AttentionProblem {
  AttentionKind kind = AttentionKind::Forward;
  /// Queries are `rows`, keys `columns`, and a row of Q, K, V or O has `depth`
  /// elements.
  int64_t batch = 1, heads = 1, rows = 0, columns = 0, depth = 0;
  /// f16 or bf16, of all tensors; sums are f32.
  Type type;
  /// Of Q K^T; above 0.
  float scale = 1;
  AttentionMask mask = AttentionMask::None;
  /// Of an additive mask: its type, elements from one batch, head, query and
  /// key to the next (0 where they share), and all of them.
  Type maskType;
  int64_t maskBatch = 0, maskHead = 0, maskRow = 0, maskColumn = 0;
  int64_t maskElements = 0;
  /// A query that sees no key has zeros; otherwise NaNs, which are the quotient
  /// of its sums.
  bool emptyRowsAreZero = false;
  /// Forward: also writes `exponents` and `inverses`, which the backward pass
  /// reads.
  bool keepsSums = false;
  /// Backward: the gradients of Q, K and V are parts of one tensor.
  bool joinsGradients = false;
  /// The gradients are those of a backward pass alone.
  HeadsLayout q, k, v, o, oGradient, qGradient, kGradient, vGradient;

  /// For how many blocks of a kernel a multiprocessor has registers.
  int64_t blocksPerMultiprocessor() const {
    return (kind == AttentionKind::Forward ? 3 : 2) - (depth > 64);
  }
};

/// Whether kernels can compute it; says why not.
LogicalResult verifyAttention(const AttentionProblem &problem,
                              function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::amp

#endif // AMP_KERNELS_ATTENTIONPROBLEM_H
