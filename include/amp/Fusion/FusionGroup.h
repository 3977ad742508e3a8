//===- FusionGroup.h - Operations in one loop nest --------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What shares a pass over memory: operations, the parallel loops that they have
// in common, how these are cut in tiles, and which of them walks each dimension
// of each operation. Whoever computes a group reads it here.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_FUSION_FUSIONGROUP_H
#define AMP_FUSION_FUSIONGROUP_H

#include "amp/Fusion/FusionNode.h"

namespace mlir::amp {

/// Operations that share a pass.
struct FusionGroup {
  /// In an order in which they can stand.
  std::vector<FusionNode> nodes;
  /// Extents of the common loops, outermost first; kDynamic before run time.
  SmallVector<int64_t> extents;
  /// Steps of these loops, which divide the extents; none with a product whose
  /// kernel chooses them.
  SmallVector<int64_t> tile;
  /// For each operation and each of its dimensions the loop that walks it, or
  /// kNoLoop where a tile holds all of it.
  SmallVector<SmallVector<int>> loops;

  static constexpr int kNoLoop = -1;

  /// The loops that sums of an operation go along: its results in a tile are
  /// parts of sums, to be combined behind the loops.
  SmallVector<int> getSummedLoops(unsigned node) const;
};

/// The common loops that sums of `node` go along, whose entry of
/// FusionGroup::loops is `loops`.
SmallVector<int> getSummedLoops(const FusionNode &node, ArrayRef<int> loops);

/// The common loops of a group behind loops `dims` of one of its operations,
/// whose entry of FusionGroup::loops is `loops`.
SmallVector<int> getGroupLoops(ArrayRef<int> dims, ArrayRef<int> loops);

} // namespace mlir::amp

#endif // AMP_FUSION_FUSIONGROUP_H
