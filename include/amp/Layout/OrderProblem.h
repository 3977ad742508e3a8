//===- OrderProblem.h - Which storage orders move fewest bytes --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice behind amp-assign-layouts without the IR: nodes compute in the
// order in which they are written or in a preferred one; a value that is needed
// in an order in which it was not produced is copied into it, once.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LAYOUT_ORDERPROBLEM_H
#define AMP_LAYOUT_ORDERPROBLEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>

namespace mlir::amp {

/// What a node does. Written sorts first: it is what a tie leaves.
enum class OrderChoice : uint8_t { Written, Preferred };

/// Layout changes of a step.
struct LayoutChanges {
  int64_t count = 0;
  int64_t bytes = 0;

  bool operator==(const LayoutChanges &other) const {
    return count == other.count && bytes == other.bytes;
  }
};

class OrderProblem {
public:
  /// The orders of one value are numbers, equal if nothing has to move between
  /// them. Index: OrderChoice.
  using Orders = std::array<int, 2>;

  /// A use: under its choice, `node` reads the value in that order.
  struct Demand {
    unsigned node;
    Orders orders;
  };

  /// Adds a node that may choose, or one that cannot.
  unsigned addNode() { return addNode(true, true); }
  unsigned addFixedNode(OrderChoice choice) {
    return addNode(choice == OrderChoice::Written,
                   choice == OrderChoice::Preferred);
  }

  /// Adds a value that `producer` makes in the order of its choice. Copying it
  /// into another order costs `bytes`.
  void addValue(int64_t bytes, unsigned producer, Orders orders,
                llvm::ArrayRef<Demand> demands);

  /// What `choices`, one for each node, cost.
  LayoutChanges evaluate(llvm::ArrayRef<OrderChoice> choices) const;

  /// All nodes as written that may be.
  llvm::SmallVector<OrderChoice> getWritten() const;

  /// The cheapest choices; of several, those with the fewest preferred orders.
  /// Never more expensive than `getWritten`.
  llvm::SmallVector<OrderChoice> solve() const;

  /// True if a cut states the costs exactly. It does unless two nodes need the
  /// same order of a value under opposite choices; then `solve` minimises a
  /// bound from above.
  bool isExact() const;

private:
  struct Value {
    int64_t bytes;
    unsigned producer;
    Orders orders;
    llvm::SmallVector<Demand, 4> demands;
  };
  /// Who needs one order of a value, and how the producer stands to it.
  struct Need {
    int order;
    std::array<bool, 2> isProduced; // index: the producer's choice
    bool isAlways = false;          // some node, under each of its choices
    /// Nodes that need it under one choice only. Index: that choice.
    std::array<llvm::SmallVector<unsigned, 4>, 2> nodes;
  };

  unsigned addNode(bool mayBeWritten, bool mayBePreferred);
  Orders restrict(unsigned node, Orders orders) const;
  llvm::SmallVector<Need> getNeeds(const Value &value) const;

  llvm::SmallVector<std::array<bool, 2>> allowed; // index: OrderChoice
  llvm::SmallVector<Value> values;
};

} // namespace mlir::amp

#endif // AMP_LAYOUT_ORDERPROBLEM_H
