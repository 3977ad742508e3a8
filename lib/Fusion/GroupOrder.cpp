//===- GroupOrder.cpp - Groups of a block, and an order of them -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An order is kept while groups grow, so that only groups that stand between
// two have to be looked at to know whether one waits for the other through
// them. Two that become one stand in the place of the second; what stood
// between them and waits for the first goes behind. At the end the groups are
// sorted anew: of those that wait for none, the one whose first operation stood
// first is next.
//
//===----------------------------------------------------------------------===//

#include "GroupOrder.h"

#include <queue>

using namespace mlir;
using namespace mlir::amp;

GroupOrder::GroupOrder(const BlockGraph &graph) : graph(graph) {
  for (unsigned vertex = 0; vertex < graph.size(); ++vertex) {
    groups.push_back(Candidate::getSingle(graph, vertex));
    groupOf.push_back(vertex);
    places.push_back(vertex);
    groupAt.push_back(vertex);
  }
}

std::optional<llvm::DenseSet<unsigned>>
GroupOrder::findBehind(unsigned first, unsigned second) const {
  llvm::DenseSet<unsigned> behind;
  SmallVector<unsigned> open = {first};
  while (!open.empty())
    for (unsigned vertex : groups[open.pop_back_val()].vertices)
      for (unsigned next : graph.getSuccessors(vertex)) {
        unsigned group = groupOf[next];
        if (group == first || (group == second && groupOf[vertex] == first))
          continue;
        if (group == second)
          return std::nullopt;
        if (places[group] < places[second] && behind.insert(group).second)
          open.push_back(group);
      }
  return behind;
}

void GroupOrder::placeTogether(unsigned first, unsigned second, unsigned joined,
                               const llvm::DenseSet<unsigned> &behind) {
  unsigned begin = places[first], end = places[second];
  SmallVector<unsigned> before, after;
  for (unsigned place = begin + 1; place < end; ++place) {
    unsigned group = groupAt[place];
    if (group != kNoGroup)
      (behind.contains(group) ? after : before).push_back(group);
  }
  before.push_back(joined);
  before.append(after);
  std::fill(groupAt.begin() + begin, groupAt.begin() + end + 1, kNoGroup);
  for (auto [place, group] : llvm::enumerate(before)) {
    groupAt[begin + place] = group;
    places[group] = begin + place;
  }
}

bool GroupOrder::merge(unsigned a, unsigned b, Candidate joined) {
  bool inOrder = places[a] < places[b];
  unsigned first = inOrder ? a : b, second = inOrder ? b : a;
  std::optional<llvm::DenseSet<unsigned>> behind = findBehind(first, second);
  if (!behind)
    return false;
  placeTogether(first, second, a, *behind);
  for (unsigned vertex : groups[b].vertices)
    groupOf[vertex] = a;
  groups[a] = std::move(joined);
  groups[b] = Candidate();
  return true;
}

llvm::DenseSet<unsigned>
GroupOrder::findWaiting(const std::set<unsigned> &members) const {
  unsigned last = 0;
  for (unsigned member : members)
    last = std::max(last, places[groupOf[member]]);
  llvm::DenseSet<unsigned> waiting;
  SmallVector<unsigned> open(members.begin(), members.end());
  while (!open.empty())
    for (unsigned next : graph.getSuccessors(open.pop_back_val())) {
      unsigned group = groupOf[next];
      if (members.count(next) || places[group] >= last ||
          !waiting.insert(group).second)
        continue;
      open.append(groups[group].vertices);
    }
  return waiting;
}

SmallVector<SmallVector<unsigned>> GroupOrder::sort() const {
  SmallVector<unsigned> waitsFor(groups.size(), 0);
  for (unsigned vertex = 0; vertex < graph.size(); ++vertex)
    for (unsigned next : graph.getSuccessors(vertex))
      waitsFor[groupOf[next]] += groupOf[next] != groupOf[vertex];
  // The group whose first operation stood first.
  using Ready = std::pair<unsigned, unsigned>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  auto getFirst = [&](unsigned group) {
    return *llvm::min_element(groups[group].vertices);
  };
  for (auto [group, candidate] : llvm::enumerate(groups))
    if (!candidate.vertices.empty() && waitsFor[group] == 0)
      ready.emplace(getFirst(group), group);
  SmallVector<SmallVector<unsigned>> sorted;
  while (!ready.empty()) {
    unsigned group = ready.top().second;
    ready.pop();
    SmallVector<unsigned> vertices = groups[group].vertices;
    llvm::sort(vertices);
    for (unsigned vertex : vertices)
      for (unsigned next : graph.getSuccessors(vertex))
        if (groupOf[next] != group && --waitsFor[groupOf[next]] == 0)
          ready.emplace(getFirst(groupOf[next]), groupOf[next]);
    sorted.push_back(std::move(vertices));
  }
  return sorted;
}
