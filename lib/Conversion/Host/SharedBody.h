//===- SharedBody.h - Elementwise operations in one body --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_HOST_SHAREDBODY_H
#define AMP_LIB_CONVERSION_HOST_SHAREDBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::amp {

/// True if both together read more than a few results of products. Each of them
/// is a tile of its own where one operation reads all, and one after the other
/// in one tile where several do: of a sum of many (the gradient of a weight
/// that a recurrent layer uses in each position, rounded each time) tiles leave
/// the cache.
bool readManyProducts(linalg::LinalgOp writer, linalg::LinalgOp reader);

/// Computes in one body what visits the same points of parallel loops in
/// `block` and takes from one another, each value once.
void shareBodies(Block &block, RewriterBase &rewriter);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_HOST_SHAREDBODY_H
