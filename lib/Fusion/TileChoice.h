//===- TileChoice.h - How large the tiles of a group are --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_TILECHOICE_H
#define AMP_LIB_FUSION_TILECHOICE_H

#include "amp/Fusion/FusionGroup.h"
#include "amp/Fusion/FusionTarget.h"

namespace mlir::amp {

/// A tensor of which a tile has a part.
struct TilePart {
  Value tensor;
  /// For each dimension the loop that walks it, or FusionGroup::kNoLoop where a
  /// tile has all of it.
  SmallVector<int> loops;
};

/// Loops that a tile is to have some steps of: for each the common loop, or
/// FusionGroup::kNoLoop where a tile has all of it, and its extent.
using TileSide = SmallVector<std::pair<int, int64_t>>;

/// The loops that a sum goes along, and of how many elements a tile has a part
/// of it at least.
struct TileSum {
  TileSide loops;
  int64_t length;
};

/// Loops of a product that walk rows, and columns, of its result.
struct ProductSides {
  TileSide rows, columns;
  /// Operands; B is read again for each tile of rows.
  TilePart a, b;
};

/// Steps of loops of `extents`, which divide them, so that the parts fit
/// `target`; nothing if there are none. `products` and `sums` are the group's.
std::optional<SmallVector<int64_t>> chooseTile(ArrayRef<int64_t> extents,
                                               ArrayRef<TilePart> parts,
                                               const FusionTarget &target,
                                               ArrayRef<ProductSides> products,
                                               ArrayRef<TileSum> sums);

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_TILECHOICE_H
