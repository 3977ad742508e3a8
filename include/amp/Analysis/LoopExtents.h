//===- LoopExtents.h - What is known of extents of loops --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of a linalg operation walks a dimension of several operands. One may
// have an extent that is a number where another's is not known: both are 4 when
// the program runs.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_LOOPEXTENTS_H
#define AMP_ANALYSIS_LOOPEXTENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::amp {

/// True if the extent of each loop of `op` is the same number in all operands
/// that it walks, or is not known of any of them.
///
/// Ask before upstream's patterns that fold reshapes by expansion
/// (populateFoldReshapeOpsByExpansionPatterns): where extents differ they give
/// up after they have created operations, which the greedy driver takes for a
/// change, and tries again.
bool haveLoopsOneExtent(linalg::LinalgOp op);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_LOOPEXTENTS_H
