//===- MaskedElements.h - What elements beyond a diagonal are ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A causal mask is a comparison of two indices: the element of row i and column
// j is masked where j > i + diagonal. These are the words to say what an
// operation makes of elements there, from what its inputs are there: zero,
// minus infinity, or nothing that is known.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_LINALG_TRANSFORMS_MASKEDELEMENTS_H
#define AMP_LIB_DIALECT_LINALG_TRANSFORMS_MASKEDELEMENTS_H

#include "amp/Analysis/LinearMap.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::amp {

/// Elements with column > row + offset, of two loops or of two dimensions.
struct Diagonal {
  unsigned row, column;
  int64_t offset;
};

/// What an element is.
struct MaskedElement {
  enum Kind {
    Unknown,
    Zero,
    /// -1e30 or less: as good as minus infinity in a softmax beside a number.
    Lowest,
    NegativeInfinity,
    /// A number, as long as nothing overflows.
    Finite,
    False,
    True,
    /// A linear function of the loops.
    Index,
    /// What the sum was before.
    Sum
  };
  Kind kind = Unknown;
  LinearExpr index;
  /// Which sum, by the number of its result.
  unsigned result = 0;

  bool isLowest() const { return kind == Lowest || kind == NegativeInfinity; }
  bool isMasked() const { return kind == Zero || isLowest(); }
  bool isNumber() const { return kind == Zero || kind == Finite; }
};

/// The elements that are asked for.
enum class Side { Beyond, Within };

/// The values of a body.
struct BodyElements {
  /// Of its operations with one result, in their order.
  SmallVector<std::pair<Operation *, MaskedElement>> values;
  SmallVector<MaskedElement> yielded;
};

/// What `op`, a linalg operation on tensors, computes for elements on one side
/// of `diagonal` of its loops; `getInput` says what an input is there, or
/// Unknown. What masks and tensors of indices are is found out where they are
/// computed.
BodyElements evaluateMasked(linalg::LinalgOp op, const Diagonal &diagonal,
                            Side side,
                            function_ref<MaskedElement(OpOperand &)> getInput);

/// The diagonal of a comparison of two loops in the body of `op`, or in what
/// computes one of its masks.
std::optional<Diagonal> findDiagonal(linalg::LinalgOp op);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_LINALG_TRANSFORMS_MASKEDELEMENTS_H
