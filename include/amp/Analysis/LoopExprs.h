//===- LoopExprs.h - Indices as expressions of loops ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a linalg.generic computes indices from linalg.index by arithmetic
// on numbers. Whoever needs to know what an index is in terms of the loops asks
// here.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_LOOPEXPRS_H
#define AMP_ANALYSIS_LOOPEXPRS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::amp {

class LoopExprs {
public:
  explicit LoopExprs(linalg::GenericOp op) : op(op) {}

  /// `index`, a value of the body, as a sum of multiples of the loops and a
  /// constant: linalg.index, constants, arith.addi, subi and muli by a
  /// constant. Nothing if it is made of anything else.
  std::optional<AffineExpr> read(Value index);

private:
  std::optional<AffineExpr> compute(Value index);

  linalg::GenericOp op;
  /// Values that were read already: bodies share sums.
  llvm::DenseMap<Value, std::optional<AffineExpr>> known;
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_LOOPEXPRS_H
