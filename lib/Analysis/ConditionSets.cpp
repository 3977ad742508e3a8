//===- ConditionSets.cpp - Sets of conditions, equal ones once ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries are compared from their first bits on. Where one lies within a part of
// the other, that part is merged; where they share nothing, a branch holds
// both.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/ConditionSets.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::amp;

/// The bits of `form` above `bit`.
static unsigned getPrefix(unsigned form, unsigned bit) {
  return form & ~(bit | (bit - 1));
}

ConditionSetId ConditionSets::intern(Node node) {
  auto [it, isNew] = numbers.try_emplace(node, nodes.size());
  if (isNew)
    nodes.push_back(&it->first);
  return it->second;
}

ConditionSetId ConditionSets::join(ConditionSetId first,
                                   ConditionSetId second) {
  unsigned a = nodes[first]->form, b = nodes[second]->form;
  unsigned bit = llvm::bit_floor(a ^ b);
  if (a > b)
    std::swap(first, second);
  return intern({getPrefix(a, bit), bit, first, second, 0});
}

ConditionSetId ConditionSets::merge(ConditionSetId first,
                                    ConditionSetId second) {
  if (first == second || second == kEmpty)
    return first;
  if (first == kEmpty)
    return second;
  if (nodes[first]->isLeaf() || nodes[second]->isLeaf())
    return mergeParts(first, second);
  if (auto it = merged.find({first, second}); it != merged.end())
    return it->second;
  return merged[{first, second}] = mergeParts(first, second);
}

ConditionSetId ConditionSets::mergeParts(ConditionSetId first,
                                         ConditionSetId second) {
  if (first == second || second == kEmpty)
    return first;
  if (first == kEmpty)
    return second;
  const Node &a = *nodes[first], &b = *nodes[second];
  // A leaf's bit, 0, is the lowest.
  unsigned bit = std::max(a.bit, b.bit);
  if (bit == 0)
    return a.form == b.form ? first : join(first, second);
  if (getPrefix(a.form, bit) != getPrefix(b.form, bit))
    return join(first, second);
  // The parts of a set as seen from `bit`: itself, on one side, if it branches
  // lower.
  auto divide = [&](const Node &node, ConditionSetId set) {
    if (node.bit == bit)
      return std::pair(node.left, node.right);
    return node.form & bit ? std::pair(kEmpty, set) : std::pair(set, kEmpty);
  };
  auto [leftA, rightA] = divide(a, first);
  auto [leftB, rightB] = divide(b, second);
  ConditionSetId left = mergeParts(leftA, leftB),
                 right = mergeParts(rightA, rightB);
  return intern({getPrefix(a.form, bit), bit, left, right, 0});
}
