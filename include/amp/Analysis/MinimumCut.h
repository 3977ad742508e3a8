//===- MinimumCut.h - Smallest s-t cut of a network -------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions with two answers per node, where a disagreement between two nodes
// has a price, are minimum cuts: which values are stored in half, in which
// order a tensor is stored.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_MINIMUMCUT_H
#define AMP_ANALYSIS_MINIMUMCUT_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace mlir::amp {

/// A network of nodes and directed arcs with capacities. A cut puts each node
/// on the source's or the sink's side and costs the capacities of the arcs from
/// the former to the latter.
class MinimumCut {
public:
  using Node = unsigned;

  /// Capacity of an arc that no cut may contain. All other capacities together
  /// must be smaller.
  static constexpr int64_t kUncuttable = int64_t(1) << 60;

  MinimumCut() : arcsOf(2) {}

  Node getSource() const { return 0; }
  Node getSink() const { return 1; }
  Node addNode();

  /// Adds an arc; `capacity` is not negative. Arcs between the same nodes add
  /// up.
  void addArc(Node from, Node to, int64_t capacity);

  /// Finds the smallest cut and returns its cost, or nothing if each cut
  /// contains an uncuttable arc. Of several smallest cuts it is the one with
  /// the fewest nodes on the source's side, which is unique.
  std::optional<int64_t> solve();

  /// The side of `node`, after `solve`.
  bool isOnSourceSide(Node node) const { return level[node] >= 0; }

private:
  /// Arcs come in pairs: arc `i ^ 1` is arc `i` backwards.
  struct Arc {
    Node to;
    int64_t residual;
  };

  bool findLevels();
  int64_t augment();

  llvm::SmallVector<Arc> arcs;
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> arcsOf;
  llvm::SmallVector<int> level;     // arcs from the source, -1: out of reach
  llvm::SmallVector<unsigned> next; // first arc of each node not used up
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_MINIMUMCUT_H
