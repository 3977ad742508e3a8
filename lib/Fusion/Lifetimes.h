//===- Lifetimes.h - What a group would keep for a later time ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who stands behind a contraction can come to a group in front of it only if no
// tensor has to live longer for that.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_LIFETIMES_H
#define AMP_LIB_FUSION_LIFETIMES_H

#include "Candidate.h"

#include <set>

namespace mlir::amp {

/// Tensors of a block, and the contractions that they live through.
class Lifetimes {
public:
  explicit Lifetimes(const BlockGraph &graph);

  /// True if no contraction stands between two groups, or the second takes from
  /// the first and nobody else does, or leaves little beside what it takes.
  bool mayJoin(const Candidate &a, const Candidate &b) const;
  /// True if no contraction stands between `product` and `reader`, one of
  /// `members`, or nobody else reads what it takes from `members`.
  bool mayStay(unsigned product, unsigned reader,
               const std::set<unsigned> &members) const;

private:
  const BlockGraph &graph;
  /// How many contractions stand in front of each vertex, and of the one behind
  /// it.
  SmallVector<unsigned> contractionsBefore, contractionsThrough;
};

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_LIFETIMES_H
