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

#include "amp/Fusion/FusionGroup.h"
#include "amp/Fusion/FusionTarget.h"

namespace mlir::amp {

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
