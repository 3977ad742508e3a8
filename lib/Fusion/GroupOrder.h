//===- GroupOrder.h - Groups of a block, and an order of them ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of a block in groups, and the groups in an order in which they
// can be computed. Two become one only if that leaves such an order.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_GROUPORDER_H
#define AMP_LIB_FUSION_GROUPORDER_H

#include "Candidate.h"

#include <set>

namespace mlir::amp {

/// Groups of a block, in an order in which they can stand.
class GroupOrder {
public:
  /// Each vertex of `graph` is a group of its own, of its number.
  explicit GroupOrder(const BlockGraph &graph);

  unsigned size() const { return groups.size(); }
  /// Empty if it was joined to another.
  const Candidate &operator[](unsigned group) const { return groups[group]; }
  /// The group of `vertex`.
  unsigned getNumber(unsigned vertex) const { return groupOf[vertex]; }
  /// True if `vertex` is a group of its own.
  bool isAlone(unsigned vertex) const {
    return groups[groupOf[vertex]].vertices.size() == 1;
  }

  /// Makes `b` part of `a`, as `joined`; false if an operation outside takes
  /// from one and gives to the other.
  bool merge(unsigned a, unsigned b, Candidate joined);
  /// Groups in front of the last of `members` that wait for one of them, others
  /// of `members` not counted.
  llvm::DenseSet<unsigned> findWaiting(const std::set<unsigned> &members) const;
  /// Groups in an order in which they can stand, as close to that of the block
  /// as can be, each with its operations in the order of the block.
  SmallVector<SmallVector<unsigned>> sort() const;

private:
  /// The groups between `first` and `second` in their order that wait for
  /// `first`; nothing if `second` waits for one of them.
  std::optional<llvm::DenseSet<unsigned>> findBehind(unsigned first,
                                                     unsigned second) const;
  /// Puts `joined` in the place of both: behind what stood between them, but
  /// for the groups that wait for it.
  void placeTogether(unsigned first, unsigned second, unsigned joined,
                     const llvm::DenseSet<unsigned> &behind);

  const BlockGraph &graph;
  std::vector<Candidate> groups;
  SmallVector<unsigned> groupOf;
  /// An order in which groups can stand, by group and by place.
  static constexpr unsigned kNoGroup = ~0u;
  SmallVector<unsigned> places, groupAt;
};

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_GROUPORDER_H
