//===- ProductElements.cpp - What follows from one sum at a time ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation computes each element by itself where every loop walks one
// dimension of its results, and reads an element once where every loop walks
// one dimension of what is read. Loops of one round are none. As reshapes do
// not change in which order elements lie, the sequence of loops is all that
// says it: operands that are walked in one sequence, and have sums in the same
// order, are of the same sum. A result that is walked in another sequence has
// an order of its own.
//
// A sum and its mirror image, %s[i, j] + %s[j, i], are two sums of one element:
// the case that takes more than a look at each operand.
//
//===----------------------------------------------------------------------===//

#include "ProductElements.h"

using namespace mlir;
using namespace mlir::amp;

/// The loops of `node` that walk `dims`, those of one round left out, if each
/// loop is there once.
static std::optional<SmallVector<int>> getSequence(const FusionNode &node,
                                                   ArrayRef<int> dims) {
  SmallVector<int> sequence;
  for (int loop : dims)
    if (loop != TensorWalk::kWhole && node.extents[loop] != 1)
      sequence.push_back(loop);
  for (auto [loop, extent] : llvm::enumerate(node.extents))
    if (extent != 1 && llvm::count(sequence, int(loop)) != 1)
      return std::nullopt;
  return sequence;
}

/// How many elements `node` computes of each result, each by itself; nothing
/// if it does not, or if that is not known.
static std::optional<int64_t> countElements(const FusionNode &node) {
  int64_t count = 1;
  for (auto [loop, extent] : llvm::enumerate(node.extents)) {
    if (ShapedType::isDynamic(extent) || (extent != 1 && !node.divisible[loop]))
      return std::nullopt;
    count *= extent;
  }
  return count;
}

ProductElements::ProductElements(const FusionNode &product) {
  Value sums = product.writes.front().tensor;
  count = cast<RankedTensorType>(sums.getType()).getNumElements();
  orderOf[sums] = 0;
}

bool ProductElements::add(const FusionNode &node) {
  if (node.product || countElements(node) != count)
    return false;
  std::optional<SmallVector<int>> sequence;
  unsigned order = 0;
  for (const TensorWalk &walk : node.reads) {
    auto known = orderOf.find(walk.tensor);
    if (known == orderOf.end())
      continue;
    std::optional<SmallVector<int>> found = getSequence(node, walk.valueDims);
    if (!found || (sequence && (found != sequence || known->second != order)))
      return false;
    sequence = std::move(found);
    order = known->second;
  }
  if (!sequence)
    return false;
  for (const TensorWalk &walk : node.writes) {
    bool isKept = getSequence(node, walk.valueDims) == sequence;
    orderOf[walk.tensor] = isKept ? order : numOrders++;
  }
  return true;
}
