//===- FusionPlan.h - Which operations share a pass over memory -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups the operations of a block so that what one of them computes is read by
// the next while it is close, and values that several read come from memory
// once. It rewrites nothing: host and devices read one plan.
//
// A group is a nest of parallel loops that all its operations have in common,
// cut in tiles, and in each tile one operation after the other on its part of
// the tensors. A softmax has its rows for loops: maximum, exponentials, their
// sum and the quotients of a row happen while the row is in a cache. A batch
// norm has its channels, an optimizer all dimensions of a parameter.
//
// A product has what reads its result in its group, if anything: a tile of the
// result is computed, and read while it is close. What an operand is computed
// by is in the group too, another product for one, if a tile has all of it that
// the product sums over. Loops are ordered so that operands are packed least
// often. Where its sums are in registers instead, what reads them element by
// element is in its group.
//
// A sum along the common loops that nobody in the group reads is computed in
// parts, one for each tile: the gradient of a bias, a check of all elements.
//
// What belongs together is found by structure: which loop of the reader walks
// the dimension that a loop of the writer walks. No operation is known by name.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_FUSION_FUSIONPLAN_H
#define AMP_FUSION_FUSIONPLAN_H

#include "amp/Fusion/FusionNode.h"

namespace mlir::amp {

/// What a machine can do with a group.
struct FusionTarget {
  /// Bytes of all tensors' parts in a tile that stay close to who computes: a
  /// part of a second-level cache, or the shared memory of a multiprocessor.
  int64_t closeBytes = 256 * 1024;
  /// Bytes of a tile from which on more buy nothing: loops are long enough for
  /// vectors, and a first-level cache holds them.
  int64_t tileBytes = 24 * 1024;
  /// Shortest run of bytes that is worth reading by itself.
  int64_t runBytes = 512;
  /// Bytes of all tensors' parts in a tile with a product, its operands left
  /// out: the sum stays for as long as it grows, not the operands.
  int64_t productBytes = 1536 * 1024;
  /// Bytes of B, its columns in a tile, that are read again for each tile of
  /// rows: a part of a third-level cache.
  int64_t packedBytes = 2 * 1024 * 1024;
  /// Rows of a product, at most, that make what B costs to read again small,
  /// and columns that do so with packing A. Fewer rows do where the sum is
  /// short.
  int64_t productRows = 128, productColumns = 1024;
  /// Tiles of a product that are shared among those who compute.
  int64_t productTiles = 8;
  /// Sums of a product are in registers when what reads them is computed, and
  /// its kernel chooses the tile. Elements are handed on one by one: it has in
  /// its group what needs one of them for each of its own, whatever shape
  /// tensors have, and nothing else.
  bool productsInRegisters = false;
  /// What can be computed in parts.
  FusionForms forms;
};

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

/// The common loops of a group behind loops `dims` of one of its operations,
/// whose entry of FusionGroup::loops is `loops`.
SmallVector<int> getGroupLoops(ArrayRef<int> dims, ArrayRef<int> loops);

struct FusionPlan {
  /// Groups of at least two operations, in an order in which they can stand.
  std::vector<FusionGroup> groups;
  /// The operations of the block in an order in which those of each group are
  /// neighbours; the terminator is left out.
  SmallVector<Operation *> order;
  /// Bytes that operations read and write one by one, and by the plan: each
  /// tensor once for each group, or operation in none, that reads or writes it.
  int64_t bytesBefore = 0, bytesAfter = 0;

  static FusionPlan compute(Block &block, const FusionTarget &target);
};

} // namespace mlir::amp

#endif // AMP_FUSION_FUSIONPLAN_H
