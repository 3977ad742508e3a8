//===- CausalMask.h - Conditions on loops -----------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a condition on an element says that a query sees the keys up to its
// own number. What decides are the numbers of rows and columns, however they
// were made: by linalg.index, from tensors of ascending numbers, or as
// differences of them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_CAUSALMASK_H
#define AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_CAUSALMASK_H

#include "Element.h"

namespace mlir::amp {

/// The expression that is at most 0 where an i1 holds, if there is one.
std::optional<AffineExpr> getLinearCondition(const Elements &elements,
                                             const Element &condition);

/// Whether an i1 holds just where `key` is at most `query`; with `otherwise`,
/// where it is greater.
bool isCausal(const Elements &elements, const Element &condition,
              AffineExpr query, AffineExpr key, bool otherwise = false);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_CAUSALMASK_H
