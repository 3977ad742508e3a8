//===- ProductsInRegisters.cpp - Who reads sums in registers --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of all that follows from one sum at a time (ProductElements.h), directly or
// through others that do, those join their product that wait for no operation
// outside that waits for one inside, and make no tensor live longer. One that
// may not can take others with it, so that all are looked at until none leaves.
//
// With them comes what only makes something larger for them, as a broadcast
// does. Of what the product itself reads, this is only what fills the start of
// its sum: its operands are read by its kernel.
//
//===----------------------------------------------------------------------===//

#include "ProductsInRegisters.h"

#include "ProductElements.h"
#include "TensorBytes.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// The group of one product.
class RegisterGroup {
public:
  RegisterGroup(unsigned product, const BlockGraph &graph,
                const Lifetimes &lifetimes, GroupOrder &groups)
      : product(product), graph(graph), lifetimes(lifetimes), groups(groups) {}

  void grow();

private:
  /// The vertices, `product` first, that need its elements one by one.
  std::set<unsigned> collectReaders() const;
  /// Takes out of `members` what may not join the product.
  void keepOrderAndLife(std::set<unsigned> &members) const;
  void add(unsigned vertex);
  /// Adds what is made for `members`.
  void addMakers(const std::set<unsigned> &members);
  /// True if `vertex` is alone, and makes of less something that the group
  /// of `product` alone reads: zeros, a bias for each row, halves in f32.
  bool isMadeFor(unsigned vertex) const;

  unsigned product;
  const BlockGraph &graph;
  const Lifetimes &lifetimes;
  GroupOrder &groups;
};
} // namespace

std::set<unsigned> RegisterGroup::collectReaders() const {
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
    if (!graph.getNode(reader) || !groups.isAlone(reader) ||
        !elements.add(*graph.getNode(reader)))
      continue;
    members.insert(reader);
    addReaders(reader);
  }
  return members;
}

void RegisterGroup::keepOrderAndLife(std::set<unsigned> &members) const {
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
}

void RegisterGroup::add(unsigned vertex) {
  unsigned a = groups.getNumber(product), b = groups.getNumber(vertex);
  [[maybe_unused]] bool isMerged = groups.merge(
      a, b, Candidate::joinAtAnyLoops(groups[a], groups[b], /*inParts=*/false));
  assert(isMerged && "members keep the order of the block");
}

bool RegisterGroup::isMadeFor(unsigned vertex) const {
  if (!graph.getNode(vertex) || graph.isProduct(vertex) ||
      !groups.isAlone(vertex))
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

void RegisterGroup::addMakers(const std::set<unsigned> &members) {
  SmallVector<unsigned> open(members.begin(), members.end());
  while (!open.empty()) {
    unsigned reader = open.pop_back_val();
    for (unsigned before : graph.getPredecessors(reader))
      if (groups[groups.getNumber(product)].vertices.size() < kMaxOperations &&
          isMadeFor(before) &&
          (reader != product ||
           graph.getProductStart(product).getDefiningOp() ==
               graph.getOp(before))) {
        add(before);
        open.push_back(before);
      }
  }
}

void RegisterGroup::grow() {
  std::set<unsigned> members = collectReaders();
  keepOrderAndLife(members);
  for (unsigned reader : llvm::drop_begin(members))
    add(reader);
  addMakers(members);
}

void mlir::amp::joinElementReaders(unsigned product, const BlockGraph &graph,
                                   const Lifetimes &lifetimes,
                                   GroupOrder &groups) {
  RegisterGroup(product, graph, lifetimes, groups).grow();
}
