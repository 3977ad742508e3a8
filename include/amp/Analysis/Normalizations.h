//===- Normalizations.h - Normalisations written by hand --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A normalisation (layer norm, RMS norm, softmax) combines elements with
// statistics of themselves: x - mean(x), c * rsqrt(mean(c * c)), e / sum(e).
// That is what it is known by, in whatever operations it is written.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_NORMALIZATIONS_H
#define AMP_ANALYSIS_NORMALIZATIONS_H

#include "amp/Analysis/ValueOrigins.h"

namespace mlir::amp {

/// The normalisations among the forward operations of `ops`, which are in
/// program order: the operations of each, in program order, without those that
/// move elements. Two operations are of one normalisation only if `mayJoin`
/// says so of them.
llvm::SmallVector<llvm::SmallVector<Operation *>>
findNormalizations(llvm::ArrayRef<Operation *> ops, const ValueOrigins &origins,
                   llvm::function_ref<bool(Operation *, Operation *)> mayJoin);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_NORMALIZATIONS_H
