//===- BlockGraph.h - Operations, and who waits for whom --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fusion plan sees of a block: its operations as vertices, who waits
// for whom, who reads a tensor, and how each operation walks its tensors. A
// reshape stands with what it reshapes, and what only fills what an operation
// starts from with that operation.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_BLOCKGRAPH_H
#define AMP_LIB_FUSION_BLOCKGRAPH_H

#include "amp/Fusion/FusionNode.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::amp {

/// Operations of a block, reshapes left out, and who waits for whom.
class BlockGraph {
public:
  /// Vertices of `forms` are those that may be computed in parts.
  BlockGraph(Block &block, const FusionForms &forms);

  unsigned size() const { return ops.size(); }
  Operation *getOp(unsigned vertex) const { return ops[vertex]; }
  /// How the operation walks its tensors, what getStarts fills not among what
  /// it reads; null if it is not computed in parts.
  const FusionNode *getNode(unsigned vertex) const {
    return nodes[vertex] ? &*nodes[vertex] : nullptr;
  }
  /// True if it is a product that may be computed in parts.
  bool isProduct(unsigned vertex) const {
    return nodes[vertex] && nodes[vertex]->product;
  }
  /// The tensor that such a product adds to.
  Value getProductStart(unsigned product) const {
    return getReshapeRoot(nodes[product]->product->start);
  }
  ArrayRef<unsigned> getSuccessors(unsigned vertex) const {
    return successors[vertex];
  }
  ArrayRef<unsigned> getPredecessors(unsigned vertex) const {
    return predecessors[vertex];
  }
  /// Operations that read `root`, the terminator not counted.
  ArrayRef<unsigned> getReaders(Value root) const {
    auto found = readers.find(root);
    return found == readers.end() ? ArrayRef<unsigned>() : found->second;
  }
  /// True if the terminator takes `root`.
  bool isYielded(Value root) const { return yielded.contains(root); }
  /// What fills what `vertex` starts from, and nothing else.
  ArrayRef<Operation *> getStarts(unsigned vertex) const {
    return starts[vertex];
  }
  /// Reshapes of what `vertex` gives, in their order.
  ArrayRef<Operation *> getReshapes(unsigned vertex) const {
    return reshapes[vertex];
  }

private:
  void addEdge(unsigned from, unsigned to) {
    if (from == to || !edges.insert({from, to}).second)
      return;
    successors[from].push_back(to);
    predecessors[to].push_back(from);
  }

  SmallVector<Operation *> ops;
  std::vector<std::optional<FusionNode>> nodes;
  SmallVector<SmallVector<unsigned>> successors, predecessors;
  llvm::DenseSet<std::pair<unsigned, unsigned>> edges;
  SmallVector<SmallVector<Operation *>> starts, reshapes;
  llvm::DenseMap<Value, SmallVector<unsigned>> readers;
  llvm::DenseSet<Value> yielded;
};

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_BLOCKGRAPH_H
