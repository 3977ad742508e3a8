//===- StepTraffic.h - Bytes that a step cannot do without ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A measure for plans that does not depend on a plan: which tensors of a step
// have to be in memory however well it is fused.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_FUSION_STEPTRAFFIC_H
#define AMP_FUSION_STEPTRAFFIC_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::amp {

/// Bytes of the tensors of `step` that have to be in memory, each written once
/// (arguments are there already) and read once (if anybody reads it):
///
///   - arguments and results
///   - operands and results of contractions; a result that one rounding alone
///     reads is the rounded one
///   - values kept for the backward pass: those that the results numbered
///     `losses` depend on and that somebody reads on whom they do not depend
///
/// What only moves or widens elements of another tensor is that tensor.
/// Extents that are not known count as 1. Values inside of loops and branches
/// count once.
struct LeastTraffic {
  int64_t bytes = 0;
  /// Of these, what others than contractions write and read: the part that is
  /// bound by memory. A tensor that both read counts here.
  int64_t memoryBound = 0;
};
LeastTraffic countLeastTraffic(func::FuncOp step, ArrayRef<unsigned> losses);

} // namespace mlir::amp

#endif // AMP_FUSION_STEPTRAFFIC_H
