//===- Candidate.cpp - Operations that may share a pass -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is common to two groups if it walks the same dimension of every tensor
// that one writes and the other reads: what is read in a tile is written in it.
// Tensors that both only read tie loops that are free by then. A loop that does
// not walk what its group reads of the other would have it written many times,
// and one that a sum goes along has not written the sum: neither is common. The
// others run inside of a tile.
//
// Bytes are those of each tensor that is read and not written here, and of each
// that is written here and read by others.
//
//===----------------------------------------------------------------------===//

#include "Candidate.h"

#include "LoopTies.h"
#include "TensorBytes.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int kNoLoop = FusionGroup::kNoLoop;

bool Candidate::hasProduct() const {
  return llvm::any_of(
      vertices, [&](unsigned vertex) { return graph->isProduct(vertex); });
}

SmallVector<int> Candidate::getSummedLoops() const {
  SmallVector<int> summed;
  for (auto [vertex, loops] : llvm::zip_equal(vertices, loops))
    llvm::append_range(summed,
                       amp::getSummedLoops(*graph->getNode(vertex), loops));
  return summed;
}

int64_t Candidate::countTiles() const {
  int64_t tiles = 1;
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    tiles *= countSteps(loop);
  return tiles;
}

void Candidate::forEachWalk(
    llvm::function_ref<void(const FusionNode &, ArrayRef<int>,
                            const TensorWalk &, bool)>
        visit) const {
  for (auto [vertex, loops] : llvm::zip_equal(vertices, loops)) {
    for (const TensorWalk &walk : graph->getNode(vertex)->reads)
      visit(*graph->getNode(vertex), loops, walk, /*isWrite=*/false);
    for (const TensorWalk &walk : graph->getNode(vertex)->writes)
      visit(*graph->getNode(vertex), loops, walk, /*isWrite=*/true);
  }
}

void Candidate::countBytes() {
  llvm::SmallDenseSet<unsigned> inside(vertices.begin(), vertices.end());
  bytes = 0;
  for (Value tensor : reads)
    if (!writes.contains(tensor))
      bytes += countTensorBytes(tensor);
  for (Value tensor : writes)
    if (graph->isYielded(tensor) ||
        !llvm::all_of(graph->getReaders(tensor),
                      [&](unsigned reader) { return inside.contains(reader); }))
      bytes += countTensorBytes(tensor);
}

Candidate Candidate::getSingle(const BlockGraph &graph, unsigned vertex,
                               bool isShared) {
  Candidate single;
  single.graph = &graph;
  single.vertices.push_back(vertex);
  Operation *op = graph.getOp(vertex);
  if (const FusionNode *node = graph.getNode(vertex)) {
    SmallVector<int> loops(node->extents.size(), kNoLoop);
    llvm::SmallBitVector common = node->divisible;
    if (isShared)
      common |= node->summed;
    for (unsigned dim : common.set_bits()) {
      loops[dim] = single.extents.size();
      single.extents.push_back(node->extents[dim]);
    }
    single.loops.push_back(std::move(loops));
    for (const TensorWalk &walk : node->reads)
      single.reads.insert(walk.tensor);
    for (const TensorWalk &walk : node->writes)
      single.writes.insert(walk.tensor);
  } else {
    single.loops.emplace_back();
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      for (OpOperand &operand : op->getOpOperands())
        if (isa<RankedTensorType>(operand.get().getType()) &&
            structured.payloadUsesValueFromOperand(&operand))
          single.reads.insert(getReshapeRoot(operand.get()));
      for (Value result : op->getResults())
        single.writes.insert(result);
    }
  }
  single.countBytes();
  return single;
}

std::optional<Candidate> Candidate::join(const Candidate &a, const Candidate &b,
                                         bool inParts) {
  Candidate joined = joinAtAnyLoops(a, b, inParts);
  if (joined.extents.empty())
    return std::nullopt;
  return joined;
}

Candidate Candidate::joinAtAnyLoops(const Candidate &a, const Candidate &b,
                                    bool inParts) {
  LoopTies ties(a.extents.size(), b.extents.size());
  if (!inParts) {
    for (int loop : a.getSummedLoops())
      ties.tie(loop, kNoLoop);
    for (int loop : b.getSummedLoops())
      ties.tie(kNoLoop, loop);
  }
  struct Access {
    SmallVector<int> loops, summed;
    bool isWrite;
  };
  llvm::MapVector<Value, SmallVector<Access, 2>> ofA, ofB;
  auto collect = [&](const Candidate &of, const Candidate &other, auto &into) {
    of.forEachWalk([&](const FusionNode &node, ArrayRef<int> loops,
                       const TensorWalk &walk, bool isWrite) {
      if (other.reads.contains(walk.tensor) ||
          other.writes.contains(walk.tensor))
        into[walk.tensor].push_back({getGroupLoops(walk.dims, loops),
                                     amp::getSummedLoops(node, loops),
                                     isWrite});
    });
  };
  collect(a, b, ofA);
  collect(b, a, ofB);

  // What one writes and the other reads has to be written in the same tile.
  for (bool dependences : {true, false})
    for (auto &[tensor, accesses] : ofA)
      for (const Access &first : accesses)
        for (const Access &second : ofB[tensor]) {
          if ((first.isWrite || second.isWrite) != dependences)
            continue;
          for (auto [x, y] : llvm::zip_equal(first.loops, second.loops))
            if (dependences || ties.areFree(x, y))
              ties.tie(x, y);
          if (!dependences)
            continue;
          // A loop that does not walk the tensor would write it many times,
          // and one that it is summed along has not written it.
          const Access &reader = first.isWrite ? second : first;
          const Access &writer = first.isWrite ? first : second;
          const Candidate &of = first.isWrite ? b : a;
          for (int loop = 0, e = of.extents.size(); loop < e; ++loop)
            if (!llvm::is_contained(reader.loops, loop))
              ties.tie(first.isWrite ? kNoLoop : loop,
                       first.isWrite ? loop : kNoLoop);
          for (int loop : writer.summed)
            ties.tie(first.isWrite ? loop : kNoLoop,
                     first.isWrite ? kNoLoop : loop);
        }

  Candidate joined;
  joined.graph = a.graph;
  SmallVector<int> newOfA(a.extents.size(), kNoLoop),
      newOfB(b.extents.size(), kNoLoop);
  for (unsigned loop = 0; loop < a.extents.size(); ++loop)
    if (int other = ties.getB(loop); other != kNoLoop) {
      newOfA[loop] = newOfB[other] = joined.extents.size();
      joined.extents.push_back(ShapedType::isDynamic(a.extents[loop])
                                   ? b.extents[other]
                                   : a.extents[loop]);
    }
  auto append = [&](const Candidate &of, ArrayRef<int> renumbered) {
    joined.vertices.append(of.vertices);
    for (SmallVector<int> loops : of.loops) {
      for (int &loop : loops)
        if (loop != kNoLoop)
          loop = renumbered[loop];
      joined.loops.push_back(std::move(loops));
    }
    joined.reads.insert_range(of.reads);
    joined.writes.insert_range(of.writes);
  };
  append(a, newOfA);
  append(b, newOfB);
  joined.countBytes();
  return joined;
}
