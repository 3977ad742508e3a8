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
//   loops    at least one loop is common to both: it walks the same dimension
//            of every tensor that one writes and the other reads. Loops that
//            are not common run inside of a tile
//   close    the parts of all tensors in a tile fit what is close, and those of
//            large tensors are no shorter than a run
//   order    no operation outside takes from one and gives to the other
//   life     where a contraction stands between them, the second takes from the
//            first, and nobody else does, or it leaves little. Otherwise the
//            forward pass would compute for the backward pass what is then kept
//            for the time between
//   product  a group with one joins what reads its results and what its
//            products read, if that is in the tile by then: the loops see to
//            it. Nothing joins that only reads what it reads
//   sums     where a tile that has all of a sum is too large, or leaves too few
//            tiles of a product, a sum goes along loops of the group, each tile
//            giving a part of it, if nobody in the group reads it
//
// What only fills what an operation starts from stands with it.
//
// Where sums are in registers, products go first. What is computed on them
// there costs what else it reads, and no pair could save more than the f32
// sums. Of all that follows from one sum at a time (ProductElements.h),
// directly or through others that do, all stay that keep `order` and `life`.
// With them comes what only makes something larger for them, as a broadcast
// does.
//
// Groups stand in an order in which they can be computed. What is between two
// of them in that order and waits for the first goes behind both.
//
// A pair that may not join is looked at again when one of them has grown.
//
// Bytes of a group are those of each tensor that it reads and did not write,
// and of each that it writes and others read. Reshapes are no tensors.
//
//===----------------------------------------------------------------------===//

#include "amp/Fusion/FusionPlan.h"

#include "BlockGraph.h"
#include "Candidate.h"
#include "CandidateTile.h"
#include "GroupOrder.h"
#include "Lifetimes.h"
#include "ProductElements.h"
#include "TensorBytes.h"
#include "llvm/ADT/SetVector.h"

#include <queue>
#include <set>

using namespace mlir;
using namespace mlir::amp;

static constexpr int kNoLoop = FusionGroup::kNoLoop;

/// How many readers of a tensor, in the order of the block, are looked at on
/// each side of those that are in a group. They come closer as it grows.
static constexpr unsigned kReaders = 4;

namespace {
class Planner {
public:
  Planner(Block &block, const FusionTarget &target)
      : target(target), graph(block, target.forms), groups(graph),
        lifetimes(graph) {}

  FusionPlan plan();

private:
  /// Gives a product in registers what is computed on its elements, and what is
  /// made for that.
  void joinElementReaders(unsigned product);
  /// True if `vertex` is no group's, and makes of less something that the group
  /// of `product` alone reads: zeros, a bias for each row, halves in f32.
  bool isMadeFor(unsigned vertex, unsigned product) const;
  /// The vertices, `product` first, that need its elements one by one.
  std::set<unsigned> collectElementReaders(unsigned product) const;
  /// False if a product of one of them stands in the way.
  bool keepsProducts(const Candidate &a, const Candidate &b) const;
  /// False if there is nothing to share: one operation, that starts from what
  /// it is given or is a product. Chooses the tile of any other that is alone.
  bool sharesPass(Candidate &candidate) const;
  /// Groups that share a tensor with `group`.
  llvm::SetVector<unsigned> getNeighbours(unsigned group) const;
  void push(unsigned a, unsigned b);
  FusionGroup createGroup(const Candidate &candidate,
                          ArrayRef<unsigned> vertices) const;

  struct Pair {
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

bool Planner::sharesPass(Candidate &candidate) const {
  if (candidate.vertices.size() > 1)
    return true;
  unsigned vertex = candidate.vertices.front();
  if (!graph.getNode(vertex) || graph.isProduct(vertex) ||
      graph.getStarts(vertex).empty())
    return false;
  candidate = Candidate::getSingle(graph, vertex, /*isShared=*/false);
  return !candidate.extents.empty() && chooseTile(candidate, target);
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

//===----------------------------------------------------------------------===//
// Products in registers
//===----------------------------------------------------------------------===//

std::set<unsigned> Planner::collectElementReaders(unsigned product) const {
  std::set<unsigned> members = {product}, open;
  auto sums = cast<RankedTensorType>(graph.getOp(product)->getResultTypes()[0]);
  if (!sums.hasStaticShape())
    return members;
  ProductElements elements(*graph.getNode(product));
  auto addReaders = [&](unsigned member) {
    for (const TensorWalk &walk : graph.getNode(member)->writes) {
      ArrayRef<unsigned> readers = graph.getReaders(walk.tensor);
      open.insert(readers.begin(), readers.end());
    }
  };
  addReaders(product);
  // In the order of the block, so that all that a reader reads is known.
  while (!open.empty() && members.size() < kMaxOperations) {
    unsigned reader = *open.begin();
    open.erase(open.begin());
    bool isTaken = groups[groups.getNumber(reader)].vertices.size() > 1;
    if (!graph.getNode(reader) || isTaken ||
        !elements.add(*graph.getNode(reader)))
      continue;
    members.insert(reader);
    addReaders(reader);
  }
  return members;
}

void Planner::joinElementReaders(unsigned product) {
  std::set<unsigned> members = collectElementReaders(product);
  // Each that leaves is one that others may not keep order or life without.
  for (size_t numBefore = 0; numBefore != members.size();) {
    numBefore = members.size();
    llvm::DenseSet<unsigned> waiting = groups.findWaiting(members);
    for (auto it = std::next(members.begin()); it != members.end();) {
      bool isInOrder =
          llvm::none_of(graph.getPredecessors(*it), [&](unsigned before) {
            return !members.count(before) &&
                   waiting.contains(groups.getNumber(before));
          });
      bool stays = isInOrder && lifetimes.mayStay(product, *it, members);
      it = stays ? std::next(it) : members.erase(it);
    }
  }
  auto add = [&](unsigned vertex) {
    unsigned a = groups.getNumber(product), b = groups.getNumber(vertex);
    [[maybe_unused]] bool isMerged = groups.merge(
        a, b,
        Candidate::joinAtAnyLoops(groups[a], groups[b], /*inParts=*/false));
    assert(isMerged && "members keep the order of the block");
  };
  for (unsigned reader : llvm::drop_begin(members))
    add(reader);
  SmallVector<unsigned> open(members.begin(), members.end());
  while (!open.empty()) {
    unsigned reader = open.pop_back_val();
    for (unsigned before : graph.getPredecessors(reader))
      if (groups[groups.getNumber(product)].vertices.size() < kMaxOperations &&
          isMadeFor(before, product) &&
          (reader != product ||
           graph.getProductStart(product).getDefiningOp() ==
               graph.getOp(before))) {
        add(before);
        open.push_back(before);
      }
  }
}

bool Planner::isMadeFor(unsigned vertex, unsigned product) const {
  if (!graph.getNode(vertex) || graph.isProduct(vertex) ||
      groups[groups.getNumber(vertex)].vertices.size() > 1)
    return false;
  int64_t read = 0, written = 0;
  for (const TensorWalk &walk : graph.getNode(vertex)->reads)
    read += countTensorBytes(walk.tensor);
  for (const TensorWalk &walk : graph.getNode(vertex)->writes) {
    written += countTensorBytes(walk.tensor);
    if (graph.isYielded(walk.tensor) ||
        !llvm::all_of(graph.getReaders(walk.tensor), [&](unsigned reader) {
          return groups.getNumber(reader) == groups.getNumber(product);
        }))
      return false;
  }
  return read < written;
}

FusionPlan Planner::plan() {
  FusionPlan plan;
  for (unsigned group = 0; group < groups.size(); ++group)
    plan.bytesBefore += groups[group].bytes;
  if (target.productsInRegisters)
    for (unsigned vertex = 0; vertex < graph.size(); ++vertex)
      if (graph.isProduct(vertex))
        joinElementReaders(vertex);
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
    Candidate candidate = groups[groups.getNumber(vertices.front())];
    plan.bytesAfter += candidate.bytes;
    for (unsigned vertex : vertices) {
      llvm::append_range(plan.order, graph.getStarts(vertex));
      plan.order.push_back(graph.getOp(vertex));
    }
    for (unsigned vertex : vertices)
      llvm::append_range(plan.order, graph.getReshapes(vertex));
    if (!sharesPass(candidate))
      continue;
    plan.groups.push_back(createGroup(candidate, vertices));
  }
  return plan;
}

FusionPlan FusionPlan::compute(Block &block, const FusionTarget &target) {
  return Planner(block, target).plan();
}
