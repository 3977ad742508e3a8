//===- FusionTarget.h - What a machine can do with a group ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine as the fusion plan sees it: a few numbers of bytes, rows and
// tiles, whether sums of products are in registers, and which operations can be
// computed in parts. The defaults are those of a core of a CPU.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_FUSION_FUSIONTARGET_H
#define AMP_FUSION_FUSIONTARGET_H

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
  /// Tiles of a group below which they do not grow, as long as their runs are
  /// worth it: those that keep a machine busy.
  int64_t tiles = 1;
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
  /// A sum is a group by itself, if it can be in parts: tiles are what many
  /// share.
  bool sumsAlone = false;
  /// What can be computed in parts.
  FusionForms forms;
};

} // namespace mlir::amp

#endif // AMP_FUSION_FUSIONTARGET_H
