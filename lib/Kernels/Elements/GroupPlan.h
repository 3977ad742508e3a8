//===- GroupPlan.h - Who computes what of a tile ----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of a tile in phases. In a phase of rows, each row of columns
// belongs to a team of threads, which have the same columns in all operations
// of the phase: what one operation hands to the next stays in registers, and a
// sum of a row is known to all of its team. What a phase hands to another is in
// shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ELEMENTS_GROUPPLAN_H
#define AMP_LIB_KERNELS_ELEMENTS_GROUPPLAN_H

#include "Elements/GenericBody.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

#include <vector>

namespace mlir::amp {

/// An operation of a phase.
struct GroupOperation {
  linalg::GenericOp op;
  /// Its loops: those that say the row, and those that say the column; without
  /// the latter, it is computed once for each row.
  SmallVector<unsigned> rows, columns;
  bool isSum = false;
};

struct GroupPhase {
  enum class Form {
    /// Rows of columns; each operation has both, or rows alone.
    Rows,
    /// One operation, whose elements threads share.
    Elements,
    /// One operation, whose sums threads share: not of rows, or in an order
    /// that matters.
    Sums,
  };
  Form form = Form::Elements;
  SmallVector<GroupOperation> operations;
  /// Of Form::Rows.
  int64_t rows = 1, columns = 1;
  /// Elements that follow one another, which a thread takes at once.
  int64_t width = 1;
  /// Threads that share a row or a sum.
  int64_t members = 1;
  /// Of a row, how many times `width` columns a thread has.
  int64_t chunks = 1;
  /// Whether these are written one by one, so that they stay in registers.
  bool isUnrolled = false;
  /// Whether threads wait for one another first, and behind each round of
  /// teams.
  bool waits = false, waitsEachRound = false;
};

struct GroupPlan {
  explicit GroupPlan(scf::ForallOp loop);

  /// Tiles along each loop, and in all.
  SmallVector<int64_t> counts;
  int64_t tiles = 1;
  /// Threads of a block, a power of two.
  int64_t threads;
  std::vector<GroupPhase> phases;
  /// Places in shared memory, behind what threads exchange.
  llvm::MapVector<Value, int64_t> places;
  int64_t tileBytes = 0, exchangedBytes = 0;
  /// Whether threads wait before views are copied, and at the end of a tile.
  bool waitsForViews = false, waitsAtEnd = false;

  /// Lanes of a warp.
  static constexpr int64_t kWarp = 32;
};

/// Of a team, how many members exchange the results of `op` by shuffles,
/// threads that are so far `apart`; 1 if none do.
int64_t countShuffled(linalg::GenericOp op, int64_t members, int64_t apart = 1);

/// Memory through which threads combine results: for each result, and each of
/// `width` sums, as many numbers as there are `slots`.
struct ExchangeLayout {
  ExchangeLayout(linalg::GenericOp op, int64_t width, int64_t slots);

  /// Where the numbers of sum `lane` of a result begin.
  int64_t getOffset(unsigned result, int64_t lane) const;

  int64_t width, slots, bytes;
  SmallVector<int64_t> sizes, offsets;
};

/// Whether iterations of an operation of a phase have the element of a tensor
/// that is `perRow` further with each row and `perColumn` with each column.
bool hasSteps(const GroupOperation &operation, ArrayRef<int64_t> sizes,
              const ElementNumber &number, int64_t perRow, int64_t perColumn);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_GROUPPLAN_H
