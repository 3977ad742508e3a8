//===- LoopThreads.h - Which thread runs what of a nest ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops on elements of buffers, shared by threads so that each element is
// written by one thread alone, in the order of the loops.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ELEMENTS_LOOPTHREADS_H
#define AMP_LIB_KERNELS_ELEMENTS_LOOPTHREADS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::amp {

struct LoopThreads {
  /// Loops of which a thread has one iteration, outermost first. Bounds are
  /// constant.
  SmallVector<scf::ForOp> loops;
  /// What a thread runs only for elements of its own: `first` to `last`, of one
  /// block. Null if it runs all.
  Operation *first = nullptr, *last = nullptr;
  /// The indices by which elements have owners, and the extents that these
  /// indices stay in. Element number n, row by row, belongs to part n % parts.
  SmallVector<std::pair<Value, int64_t>> owner;
  int64_t parts = 1;

  /// How often each of `loops` runs.
  SmallVector<int64_t> getTrips() const;
  int64_t count() const;
};

/// Shares `nest`, which writes `writes` and else reads only `reads`: among one
/// thread if nothing is proved.
LoopThreads shareLoops(Operation *nest, ArrayRef<Value> reads,
                       ArrayRef<Value> writes);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_LOOPTHREADS_H
