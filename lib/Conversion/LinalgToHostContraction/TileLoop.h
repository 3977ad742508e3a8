//===- TileLoop.h - Products in a loop over tiles ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product in a loop over tiles reads columns of B again for each tile of
// rows. What it has packed of them can be kept from one iteration to the next,
// if nothing in the loop writes B.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_TILELOOP_H
#define AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_TILELOOP_H

#include "amp/Analysis/Contraction.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::amp {

/// A loop that a product stands in, and in which nothing writes its B.
struct TileLoop {
  scf::ForOp loop;
  /// The loop whose iterations threads share, if it has this one in its body;
  /// else the loop.
  Operation *outer;

  /// True if `value` is there in front of all of it.
  bool isDefinedOutside(Value value) const {
    return !outer->isAncestor(value.getParentBlock()->getParentOp());
  }

  /// Of `product`, on buffers; nothing if it stands in none, or B is written.
  /// Has to be asked before operations of the loop become calls.
  static std::optional<TileLoop> find(const Contraction &product);
};

/// Some columns of a matrix.
struct ColumnsOfMatrix {
  /// All of it.
  ContractionOperand whole;
  /// Extents of the loops over its columns.
  SmallVector<int64_t> extents;
  /// Where each of these loops begins in the part, and how many columns a step
  /// of it is.
  SmallVector<std::pair<OpFoldResult, int64_t>> offsets;

  int64_t size() const { return ShapedType::getNumElements(extents); }
};

/// The matrix that B of `product` is some consecutive columns of in each tile,
/// from one on that a multiple of `width` is in front of; nothing if it is not
/// known to be one matrix for all tiles. Extents of `product` are constants.
std::optional<ColumnsOfMatrix> findWholeB(const Contraction &product,
                                          const TileLoop &loop, int64_t width);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_TILELOOP_H
