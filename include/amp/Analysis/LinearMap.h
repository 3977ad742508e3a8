//===- LinearMap.h - Results of affine maps as sums of loops ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indexing maps of linalg operations that address memory by one stride per loop
// have results `c0 l0 + c1 l1 + ... + c`. Whoever needs the numbers asks here.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_LINEARMAP_H
#define AMP_ANALYSIS_LINEARMAP_H

#include "mlir/IR/AffineMap.h"
#include "mlir/Support/LLVM.h"

namespace mlir::amp {

/// A result of an affine map without symbols.
struct LinearExpr {
  /// One for each loop.
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;

  /// `expr` over `numLoops` loops, if it is linear.
  static std::optional<LinearExpr> get(AffineExpr expr, unsigned numLoops);

  /// The least and the greatest value while each loop runs from 0 up to its
  /// extent, which is at least 1.
  std::pair<int64_t, int64_t> getRange(ArrayRef<int64_t> extents) const;
};

/// The one dimension of an operand, indexed by `map`, along `loop`; nothing if
/// it has none, and failure if one is another function of the loop, or two are.
FailureOr<std::optional<unsigned>> getDimAlong(AffineMap map, unsigned loop);

/// True if `map` has `loop` in one result, and by itself.
bool walksOneDim(AffineMap map, unsigned loop);

/// True if linalg may read a tensor of `shape` by `map` in loops of `extents`:
/// it takes the extent of a loop from each dimension that the loop indexes by
/// itself. What is not known (ShapedType::kDynamic) does not fit.
bool fitsExtents(AffineMap map, ArrayRef<int64_t> shape,
                 ArrayRef<int64_t> extents);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_LINEARMAP_H
