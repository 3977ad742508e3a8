//===- OrderPlan.h - Storage orders of a whole function ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which order each operation of a function computes in, and what that costs. An
// analysis: it changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LAYOUT_ORDERPLAN_H
#define AMP_LAYOUT_ORDERPLAN_H

#include "amp/Layout/ConvolutionOrders.h"
#include "amp/Layout/OrderProblem.h"
#include "amp/Layout/TensorAccess.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::amp {

/// What computes in one order: an operation, or a value that a loop carries or
/// a branch hands out.
struct OrderNode {
  Operation *op = nullptr;
  TensorAccesses accesses;
  bool isConvolution = false;
  /// The order of the loops if it computes in the preferred order; empty if no
  /// convolution asks for one. A convolution's are its own and not used.
  SmallVector<unsigned> loops;
  /// The order of each tensor of `accesses` if it computes in the preferred
  /// order; empty if there is none.
  SmallVector<StorageOrder, 4> preferred;
  /// Whether it does.
  OrderChoice choice = OrderChoice::Written;

  StorageOrder getOrder(unsigned access, OrderChoice choice) const {
    if (choice == OrderChoice::Preferred && !preferred.empty())
      return preferred[access];
    return getWrittenOrder(accesses.tensors[access].loopsOfDim.size());
  }
};

/// A value behind transpositions: its dimension i is dimension `dims[i]` of
/// `root`.
struct TransposedValue {
  Value root;
  StorageOrder dims;

  /// `order` of the value as an order of the root.
  StorageOrder toRoot(ArrayRef<int64_t> order) const {
    return StorageOrder(reorder(dims, order));
  }
};

class OrderPlan {
public:
  explicit OrderPlan(FunctionOpInterface function);

  /// Nodes of `op`: one, several for a loop or a branch, none if it computes as
  /// written whatever happens.
  ArrayRef<unsigned> getNodes(Operation *op) const;
  const OrderNode &getNode(unsigned node) const { return nodes[node]; }

  /// The order in which `use` is read, or `definition` made, if that is the
  /// business of a node.
  std::optional<StorageOrder> getOrder(OpOperand &use) const;
  std::optional<StorageOrder> getOrder(Value definition) const;

  /// Looks through the transpositions before `value`.
  TransposedValue lookThrough(Value value) const;

  /// Layout changes with each convolution by itself, and those of the plan.
  LayoutChanges getSeparate() const { return separate; }
  LayoutChanges getPlanned() const { return planned; }

  /// True if the function is as planned already.
  bool isWritten() const;

private:
  void addNodes(Operation *op);
  unsigned addNode(Operation *op, TensorAccesses accesses);
  void addCarried(Operation *op);
  void preferForConvolutions(FunctionOpInterface function);
  void spreadFrom(Value root);
  void offer(unsigned node, unsigned access, ArrayRef<int64_t> order);
  void solve();

  SmallVector<OrderNode, 0> nodes;
  llvm::DenseMap<Operation *, SmallVector<unsigned, 1>> nodesOf;
  /// Node and access of each definition and of each use.
  llvm::DenseMap<Value, std::pair<unsigned, unsigned>> definitions;
  llvm::DenseMap<OpOperand *, std::pair<unsigned, unsigned>> uses;
  /// Values with several orders, in program order, transposed ones left out.
  SmallVector<Value> roots;
  /// Roots whose preferred order is known, with it; those to look at.
  llvm::DenseMap<Value, StorageOrder> wanted;
  SmallVector<Value> queue;
  LayoutChanges separate, planned;
};

/// True if any order of `value` can be made where it is needed: an empty
/// tensor, a fill, a constant with one value.
bool isMadeInAnyOrder(Value value);

} // namespace mlir::amp

#endif // AMP_LAYOUT_ORDERPLAN_H
