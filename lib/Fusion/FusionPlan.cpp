//===- FusionPlan.cpp - Which operations share a pass over memory ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Greedy. Each operation begins as a group of its own; of all pairs of groups
// that share a tensor, the one that saves most bytes becomes one group, until
// no pair saves any. Two may become one if
//
//   loops    at least one loop is common to both (Candidate.cpp)
//   close    the parts of all tensors in a tile fit what is close, and those of
//            large tensors are no shorter than a run (CandidateTile.cpp)
//   order    no operation outside takes from one and gives to the other
//            (GroupOrder.cpp)
//   life     what lives through a contraction for it, and would not otherwise,
//            is little (Lifetimes.cpp)
//   product  a group with one joins what reads its results and what its
//            products read, if that is in the tile by then: the loops see to
//            it. Nothing joins that only reads what it reads
//   sums     where a tile that has all of a sum is too large, or leaves too few
//            tiles of a product, a sum goes along loops of the group, each tile
//            giving a part of it, if nobody in the group reads it (Candidate,
//            CandidateTile.cpp)
//
// What only fills what an operation starts from stands with it (BlockGraph.h),
// which makes a group of that operation even where nothing else joins it.
//
// Where sums are in registers, products go first. What is computed on them
// there (ProductsInRegisters.cpp) costs what else it reads, and no pair could
// save more than the f32 sums. Such a group joins no other.
//
// The gain of a pair is known before its tile: pairs wait in a queue by gain,
// and a tile is chosen when one's turn comes. A pair that may not join is
// looked at again when one of them has grown.
//
//===----------------------------------------------------------------------===//

#include "amp/Fusion/FusionPlan.h"

#include "BlockGraph.h"
#include "Candidate.h"
#include "CandidateTile.h"
#include "GroupOrder.h"
#include "Lifetimes.h"
#include "ProductsInRegisters.h"
#include "llvm/ADT/SetVector.h"

#include <queue>

using namespace mlir;
using namespace mlir::amp;

static constexpr int kNoLoop = FusionGroup::kNoLoop;

/// How many readers of a tensor, in the order of the block, are looked at on
/// each side of those that are in a group. They come closer as it grows.
static constexpr unsigned kReaders = 4;

namespace {
/// Groups of one block, while they grow.
class Planner {
public:
  Planner(Block &block, const FusionTarget &target)
      : target(target), graph(block, target.forms), groups(graph),
        lifetimes(graph) {}

  FusionPlan plan();

private:
  /// False if a product of one of them stands in the way.
  bool keepsProducts(const Candidate &a, const Candidate &b) const;
  /// `candidate` with a tile, which one that is alone is given now; nothing if
  /// there is nothing to share: one operation, that starts from what it is
  /// given or is a product.
  std::optional<Candidate> getShared(const Candidate &candidate) const;
  /// Groups that share a tensor with `group`.
  llvm::SetVector<unsigned> getNeighbours(unsigned group) const;
  /// Lets a pair wait for its turn, if it may join at all and saves bytes.
  void push(unsigned a, unsigned b);
  /// What is handed on of `candidate`, whose operations are `vertices` in the
  /// order of the block: loops of one tile left out, starts put in.
  FusionGroup createGroup(const Candidate &candidate,
                          ArrayRef<unsigned> vertices) const;

  /// Two groups that may become one.
  struct Pair {
    /// Bytes that this saves.
    int64_t gain;
    unsigned a, b;
    /// How many operations they have: a group that is larger by now is another.
    size_t sizeA, sizeB;
    bool operator<(const Pair &other) const {
      return std::tie(gain, other.a, other.b) < std::tie(other.gain, a, b);
    }
  };

  const FusionTarget &target;
  BlockGraph graph;
  GroupOrder groups;
  Lifetimes lifetimes;
  std::priority_queue<Pair> pairs;
};
} // namespace

bool Planner::keepsProducts(const Candidate &a, const Candidate &b) const {
  if (!a.hasProduct() && !b.hasProduct())
    return true;
  if (target.productsInRegisters)
    return false;
  auto reads = [](const Candidate &reader, const Candidate &writer) {
    return llvm::any_of(reader.reads, [&](Value tensor) {
      return writer.writes.contains(tensor);
    });
  };
  return reads(a, b) || reads(b, a);
}

std::optional<Candidate> Planner::getShared(const Candidate &candidate) const {
  if (candidate.vertices.size() > 1)
    return candidate;
  unsigned vertex = candidate.vertices.front();
  const FusionNode *node = graph.getNode(vertex);
  if (!node || graph.isProduct(vertex))
    return std::nullopt;
  if (target.sumsAlone && node->summed.any()) {
    Candidate inParts = Candidate::getSingle(graph, vertex);
    if (chooseTile(inParts, target))
      return inParts;
  }
  if (graph.getStarts(vertex).empty())
    return std::nullopt;
  Candidate alone = Candidate::getSingle(graph, vertex, /*isShared=*/false);
  if (alone.extents.empty() || !chooseTile(alone, target))
    return std::nullopt;
  return alone;
}

llvm::SetVector<unsigned> Planner::getNeighbours(unsigned group) const {
  llvm::SetVector<unsigned> neighbours;
  const Candidate &of = groups[group];
  auto add = [&](unsigned vertex) {
    if (graph.getNode(vertex) && groups.getNumber(vertex) != group)
      neighbours.insert(groups.getNumber(vertex));
  };
  auto addReaders = [&](Value tensor, bool isWritten) {
    if (cast<RankedTensorType>(tensor.getType()).getRank() == 0)
      return; // no loop walks it
    ArrayRef<unsigned> readers = graph.getReaders(tensor);
    unsigned next = isWritten ? kReaders : 0;
    for (unsigned place = 0; place < readers.size(); ++place) {
      if (groups.getNumber(readers[place]) == group) {
        for (unsigned back = 1; back <= std::min(place, kReaders); ++back)
          add(readers[place - back]);
        next = kReaders;
      } else if (next > 0) {
        add(readers[place]);
        --next;
      }
    }
  };
  for (Value tensor : of.reads)
    addReaders(tensor, /*isWritten=*/false);
  for (Value tensor : of.writes)
    addReaders(tensor, /*isWritten=*/true);
  for (unsigned vertex : of.vertices)
    for (unsigned before : graph.getPredecessors(vertex))
      add(before);
  return neighbours;
}

void Planner::push(unsigned a, unsigned b) {
  if (a > b)
    std::swap(a, b);
  if (groups[a].vertices.size() + groups[b].vertices.size() > kMaxOperations ||
      !keepsProducts(groups[a], groups[b]) ||
      !lifetimes.mayJoin(groups[a], groups[b]))
    return;
  std::optional<Candidate> joined =
      Candidate::join(groups[a], groups[b], /*inParts=*/false);
  if (!joined && (groups[a].hasSums() || groups[b].hasSums()))
    joined = Candidate::join(groups[a], groups[b], /*inParts=*/true);
  if (!joined)
    return;
  int64_t gain = groups[a].bytes + groups[b].bytes - joined->bytes;
  if (gain > 0)
    pairs.push(
        {gain, a, b, groups[a].vertices.size(), groups[b].vertices.size()});
}

/// The loops of `start`, which fills what `op` starts from, if those of `op`
/// are `loops`.
static SmallVector<int> getStartLoops(const FusionNode &start,
                                      linalg::GenericOp op,
                                      ArrayRef<int> loops) {
  OpOperand &use = *start.operation->getResult(0).use_begin();
  SmallVector<int> ofStart(start.extents.size(), kNoLoop);
  for (auto [dim, loop] : llvm::zip_equal(
           start.writes.front().valueDims,
           getGroupLoops(getIndexedLoops(op.getMatchingIndexingMap(&use)),
                         loops)))
    if (dim != TensorWalk::kWhole)
      ofStart[dim] = loop;
  return ofStart;
}

FusionGroup Planner::createGroup(const Candidate &candidate,
                                 ArrayRef<unsigned> vertices) const {
  FusionGroup group;
  // A loop of one tile is none, but a group has at least one.
  SmallVector<int> newOf(candidate.extents.size(), kNoLoop);
  for (unsigned loop = 0; loop < candidate.extents.size(); ++loop) {
    bool isLast = loop + 1 == candidate.extents.size();
    bool isTiled = !candidate.tile.empty();
    if (isTiled && candidate.extents[loop] == candidate.tile[loop] &&
        !(isLast && group.extents.empty()))
      continue;
    newOf[loop] = group.extents.size();
    group.extents.push_back(candidate.extents[loop]);
    if (isTiled)
      group.tile.push_back(candidate.tile[loop]);
  }
  for (unsigned vertex : vertices) {
    const auto *place = llvm::find(candidate.vertices, vertex);
    SmallVector<int> loops =
        candidate.loops[std::distance(candidate.vertices.begin(), place)];
    for (int &loop : loops)
      if (loop != kNoLoop)
        loop = newOf[loop];
    // Parts of a sum start from nothing.
    if (amp::getSummedLoops(*graph.getNode(vertex), loops).empty())
      for (Operation *start : graph.getStarts(vertex)) {
        FusionNode node = *FusionNode::get(start);
        group.loops.push_back(getStartLoops(
            node, cast<linalg::GenericOp>(graph.getOp(vertex)), loops));
        group.nodes.push_back(std::move(node));
      }
    group.nodes.push_back(*graph.getNode(vertex));
    group.loops.push_back(std::move(loops));
  }
  return group;
}

FusionPlan Planner::plan() {
  FusionPlan plan;
  for (unsigned group = 0; group < groups.size(); ++group)
    plan.bytesBefore += groups[group].bytes;
  if (target.productsInRegisters)
    for (unsigned vertex = 0; vertex < graph.size(); ++vertex)
      if (graph.isProduct(vertex))
        joinElementReaders(vertex, graph, lifetimes, groups);
  for (unsigned group = 0; group < groups.size(); ++group)
    if (graph.getNode(group) && !groups[group].vertices.empty())
      for (unsigned other : getNeighbours(group))
        if (group < other)
          push(group, other);
  while (!pairs.empty()) {
    Pair pair = pairs.top();
    pairs.pop();
    if (groups[pair.a].vertices.size() != pair.sizeA ||
        groups[pair.b].vertices.size() != pair.sizeB)
      continue;
    std::optional<Candidate> joined =
        joinInTiles(groups[pair.a], groups[pair.b], target);
    if (!joined || !groups.merge(pair.a, pair.b, std::move(*joined)))
      continue;
    for (unsigned other : getNeighbours(pair.a))
      push(pair.a, other);
  }

  for (ArrayRef<unsigned> vertices : groups.sort()) {
    const Candidate &candidate = groups[groups.getNumber(vertices.front())];
    plan.bytesAfter += candidate.bytes;
    for (unsigned vertex : vertices) {
      llvm::append_range(plan.order, graph.getStarts(vertex));
      plan.order.push_back(graph.getOp(vertex));
    }
    for (unsigned vertex : vertices)
      llvm::append_range(plan.order, graph.getReshapes(vertex));
    if (std::optional<Candidate> shared = getShared(candidate))
      plan.groups.push_back(createGroup(*shared, vertices));
  }
  return plan;
}

FusionPlan FusionPlan::compute(Block &block, const FusionTarget &target) {
  return Planner(block, target).plan();
}
