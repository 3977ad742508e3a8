//===- FusionGroup.cpp - Operations in one loop nest ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of an operation that no loop of the group stands for is in the tile as
// a whole. A sum has a part in each tile if one does.
//
//===----------------------------------------------------------------------===//

#include "amp/Fusion/FusionGroup.h"

using namespace mlir;
using namespace mlir::amp;

SmallVector<int> mlir::amp::getGroupLoops(ArrayRef<int> dims,
                                          ArrayRef<int> loops) {
  SmallVector<int> result;
  for (int dim : dims)
    result.push_back(dim == TensorWalk::kWhole ? FusionGroup::kNoLoop
                                               : loops[dim]);
  return result;
}

SmallVector<int> mlir::amp::getSummedLoops(const FusionNode &node,
                                           ArrayRef<int> loops) {
  SmallVector<int> summed;
  for (unsigned dim : node.summed.set_bits())
    if (loops[dim] != FusionGroup::kNoLoop)
      summed.push_back(loops[dim]);
  return summed;
}

SmallVector<int> FusionGroup::getSummedLoops(unsigned node) const {
  return amp::getSummedLoops(nodes[node], loops[node]);
}
