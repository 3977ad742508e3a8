//===- PrecisionUnits.h - Operations that round together --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unit of decision: the operations that one operation of the framework was
// lowered to, forward and backward. It computes in FP32 inside and rounds once,
// at its results, as the framework's kernel does.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_PRECISIONUNITS_H
#define AMP_ANALYSIS_PRECISIONUNITS_H

#include "amp/Analysis/ComputeKind.h"
#include "amp/Analysis/ModelBoundary.h"
#include "amp/Analysis/ValueOrigins.h"
#include "amp/Support/AllocationOrder.h"

#include <array>
#include <list>

namespace mlir::amp {

class PrecisionUnits {
public:
  struct Unit {
    /// In the order in which they joined it. Empty while units are formed.
    llvm::SmallVector<Operation *> ops;
    /// How many of them are of each kind.
    std::array<unsigned, kNumComputeKinds> kinds = {};
    /// `amp.function` of its operations, or empty.
    StringRef function;
    /// True if the front end gave no origin: grouped by structure.
    bool structural = false;
    /// True if the origin is a place in the source: what stands there is
    /// arithmetic, not an operation of the framework.
    bool place = false;

    bool has(ComputeKind kind) const {
      return kinds[static_cast<unsigned>(kind)] != 0;
    }
  };

  /// Groups the floating-point operations of `function`. `boundary` is given
  /// where the model is cast: a batch normalisation is then one unit, however
  /// many operations the front end wrote it with.
  PrecisionUnits(FunctionOpInterface function, const ValueOrigins &origins,
                 const ModelBoundary *boundary);

  llvm::ArrayRef<Unit> getUnits() const { return units; }
  /// Unit number, or nothing for operations without a precision of their own.
  std::optional<unsigned> lookup(Operation *op) const {
    auto it = unitOf.find(op);
    return it == unitOf.end() ? std::nullopt : std::optional(find(it->second));
  }

private:
  /// An operation, and the unit that it was assigned to.
  using Member = std::pair<Operation *, unsigned>;

  unsigned open(StringRef function);
  /// The unit that `unit` has become part of.
  unsigned find(unsigned unit) const;
  /// Moves `op` to `unit`. Where it was, it stays in `members` until `tidy`:
  /// taking it out each time would be quadratic in the size of a unit.
  void assign(Operation *op, unsigned unit);
  void tidy();
  /// In constant time, as the larger of the two may be the one that goes.
  void merge(unsigned from, unsigned into);
  void groupByOrigin(llvm::ArrayRef<Operation *> ops,
                     const ModelBoundary *boundary);
  void joinNormalizations(llvm::ArrayRef<Operation *> ops,
                          const ModelBoundary *boundary);
  void joinMovements(llvm::ArrayRef<Operation *> ops);
  void joinByStructure(llvm::ArrayRef<Operation *> ops);

  const ValueOrigins &origins;
  llvm::SmallVector<Unit> units;
  /// The unit that an operation was assigned to last; see `find`.
  AllocationOrderMap<Operation *, unsigned> unitOf;
  /// Of each unit, the one that it was merged into, or itself. Ways are
  /// shortened as they are walked.
  mutable llvm::SmallVector<unsigned> mergedInto;
  /// Of each unit, what was assigned to it and to those that were merged into
  /// it; until `tidy`.
  llvm::SmallVector<std::list<Member>> members;
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_PRECISIONUNITS_H
