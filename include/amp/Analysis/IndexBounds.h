//===- IndexBounds.h - Indices that stay inside a tensor --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What runs where a program had not asked for it (both sides of a condition, a
// kernel before the check of its indices) must not read outside of a tensor.
// Which indices cannot, without a look at data, is said here.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_INDEXBOUNDS_H
#define AMP_ANALYSIS_INDEXBOUNDS_H

#include "mlir/IR/Value.h"

namespace mlir::amp {

/// True if `index` is known to be at least 0 and below `size`: a constant, the
/// linalg.index of a loop of no more iterations, or a choice (arith.select) of
/// such an index wherever another is not below `size`. Never for a size that is
/// not known (ShapedType::kDynamic).
bool isWithin(Value index, int64_t size);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_INDEXBOUNDS_H
