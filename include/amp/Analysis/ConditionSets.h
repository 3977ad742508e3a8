//===- ConditionSets.h - Sets of conditions, equal ones once ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gradient norm puts a condition on each gradient, and all that is computed
// from it carries all of them: sets that differ in one element. They are binary
// tries over the numbers of the conditions' forms, a branch where numbers first
// differ, and each trie is kept once. So sets are equal where their numbers
// are, one more element costs the depth of a trie, and what is found out about
// a part of one set holds for all sets with that part.
//
// Source: C. Okasaki, A. Gill, "Fast Mergeable Integer Maps", 1998.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_CONDITIONSETS_H
#define AMP_ANALYSIS_CONDITIONSETS_H

#include <map>
#include <tuple>
#include <vector>

namespace mlir::amp {

/// A set of conditions by its number in `ConditionSets`.
using ConditionSetId = unsigned;

class ConditionSets {
public:
  /// A leaf holds one condition; another node the union of two sets, all forms
  /// of `left` smaller than all of `right`.
  struct Node {
    /// The form of a leaf's condition; of others the bits that all forms share.
    unsigned form;
    /// The highest bit in which forms of the two parts differ; 0 of a leaf.
    unsigned bit;
    ConditionSetId left, right;
    unsigned condition;

    bool isLeaf() const { return bit == 0; }
    auto getKey() const { return std::tie(form, bit, left, right, condition); }
    bool operator<(const Node &other) const {
      return getKey() < other.getKey();
    }
  };

  static constexpr ConditionSetId kEmpty = 0;

  /// The root of a set that is not empty. References stay valid.
  const Node &operator[](ConditionSetId set) const { return *nodes[set]; }

  /// The set of `condition`, which says that form number `form` is 0.
  ConditionSetId getSingle(unsigned form, unsigned condition) {
    return intern({form, 0, kEmpty, kEmpty, condition});
  }
  /// The union; of two conditions with one form, that of `first`.
  ConditionSetId merge(ConditionSetId first, ConditionSetId second);

private:
  ConditionSetId mergeParts(ConditionSetId first, ConditionSetId second);
  ConditionSetId intern(Node node);
  /// The union of two sets whose forms differ in a bit that each has in common.
  ConditionSetId join(ConditionSetId first, ConditionSetId second);

  std::map<Node, ConditionSetId> numbers;
  /// Unions that were asked for: large sets are, again and again.
  std::map<std::pair<ConditionSetId, ConditionSetId>, ConditionSetId> merged;
  /// By number; the empty set has none.
  std::vector<const Node *> nodes{nullptr};
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_CONDITIONSETS_H
