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
  /// The other loops around `first`, outermost first, if a block has one
  /// update, which is an iteration of them, and all later ones of its owner; it
  /// does nothing if an earlier one has that owner. Bounds are constant, and
  /// all iterations of `loops` have the same owner in one update.
  SmallVector<scf::ForOp> updates;

  /// The most threads of a block.
  static constexpr int64_t kMostThreads = 256;

  int64_t countUpdates() const;
  /// How many blocks have one update, a thread for each iteration of `loops`.
  int64_t countBlocksOfUpdate() const;
  int64_t count() const;
};

/// How often each loop runs.
SmallVector<int64_t> getTrips(ArrayRef<scf::ForOp> loops);

/// Shares `nest`, which writes `writes` and else reads only `reads`: among one
/// thread if nothing is proved. Updates have blocks of their own if those are
/// at most `mostUpdateBlocks`.
LoopThreads shareLoops(Operation *nest, ArrayRef<Value> reads,
                       ArrayRef<Value> writes, int64_t mostUpdateBlocks);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_LOOPTHREADS_H
