//===- Candidate.h - Operations that may share a pass -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group while the plan is made: its operations, the loops that they have in
// common, and what it reads and writes. An operation is one by itself, with all
// loops that it can be cut along, and two groups are one with the loops that
// both can be cut along.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_CANDIDATE_H
#define AMP_LIB_FUSION_CANDIDATE_H

#include "BlockGraph.h"
#include "amp/Fusion/FusionGroup.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::amp {

/// Operations of a group, at most: what a pair costs to look at grows with
/// them.
inline constexpr size_t kMaxOperations = 48;

/// Operations that may share a pass, in any order.
struct Candidate {
  SmallVector<unsigned> vertices;
  SmallVector<int64_t> extents;
  /// For each vertex and each of its dimensions the common loop.
  SmallVector<SmallVector<int>> loops;
  /// Steps of the common loops; empty before they are chosen.
  SmallVector<int64_t> tile;
  /// What operations read and write, reshapes looked through.
  llvm::SetVector<Value> reads, writes;
  /// Of each tensor that is read and not written here, and of each that is
  /// written here and read by others.
  int64_t bytes = 0;

  /// An operation by itself; `isShared` if it may come to share loops that its
  /// sums go along.
  static Candidate getSingle(const BlockGraph &graph, unsigned vertex,
                             bool isShared = true);
  /// Both, with the loops that are common; nothing if there are none. Sums may
  /// go along them if they are to be in parts.
  static std::optional<Candidate> join(const Candidate &a, const Candidate &b,
                                       bool inParts);
  /// The same, with no loops if none are common.
  static Candidate joinAtAnyLoops(const Candidate &a, const Candidate &b,
                                  bool inParts);

  const BlockGraph &getGraph() const { return *graph; }
  bool hasProduct() const;
  /// The common loops that sums go along.
  SmallVector<int> getSummedLoops() const;
  bool hasSums() const { return !getSummedLoops().empty(); }
  /// Steps of a loop in `tile`; 1 if its extent is not known.
  int64_t countSteps(unsigned loop) const {
    return ShapedType::isDynamic(extents[loop]) ? 1
                                                : extents[loop] / tile[loop];
  }
  int64_t countTiles() const;

  /// For each read and write: the walk, and the loops of who walks.
  void forEachWalk(llvm::function_ref<void(const FusionNode &, ArrayRef<int>,
                                           const TensorWalk &, bool isWrite)>
                       visit) const;

private:
  void countBytes();

  const BlockGraph *graph = nullptr;
};

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_CANDIDATE_H
