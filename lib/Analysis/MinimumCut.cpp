//===- MinimumCut.cpp - Smallest s-t cut of a network ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dinic's algorithm: the largest flow is the smallest cut. Each phase numbers
// the nodes by their distance from the source in what capacity is left, and
// sends flow along arcs that lead one further until none is left. At most as
// many phases as nodes; a handful in practice. When the sink is out of reach,
// the nodes in reach are the source's side: every smallest cut contains them.
//
// Paths are walked with a stack of their own: those of a step are as long as
// the program.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/MinimumCut.h"

#include <algorithm>
#include <cassert>

using namespace mlir::amp;

MinimumCut::Node MinimumCut::addNode() {
  arcsOf.emplace_back();
  return arcsOf.size() - 1;
}

void MinimumCut::addArc(Node from, Node to, int64_t capacity) {
  assert(capacity >= 0 && "capacities are not negative");
  arcsOf[from].push_back(arcs.size());
  arcs.push_back({to, capacity});
  arcsOf[to].push_back(arcs.size());
  arcs.push_back({from, 0});
}

/// Numbers the nodes; true if the sink is in reach.
bool MinimumCut::findLevels() {
  level.assign(arcsOf.size(), -1);
  level[getSource()] = 0;
  llvm::SmallVector<Node> queue = {getSource()};
  for (unsigned i = 0; i < queue.size(); ++i)
    for (unsigned arc : arcsOf[queue[i]])
      if (arcs[arc].residual > 0 && level[arcs[arc].to] < 0) {
        level[arcs[arc].to] = level[queue[i]] + 1;
        queue.push_back(arcs[arc].to);
      }
  return level[getSink()] >= 0;
}

/// Sends flow along one path of this phase; 0 if there is none.
int64_t MinimumCut::augment() {
  llvm::SmallVector<unsigned> path; // arcs
  Node node = getSource();
  while (node != getSink()) {
    if (next[node] < arcsOf[node].size()) {
      unsigned arc = arcsOf[node][next[node]];
      Node to = arcs[arc].to;
      if (arcs[arc].residual > 0 && level[to] == level[node] + 1) {
        path.push_back(arc);
        node = to;
      } else {
        ++next[node];
      }
    } else {
      if (path.empty())
        return 0;
      node = arcs[path.pop_back_val() ^ 1].to;
      ++next[node];
    }
  }
  int64_t flow = kUncuttable;
  for (unsigned arc : path)
    flow = std::min(flow, arcs[arc].residual);
  for (unsigned arc : path) {
    arcs[arc].residual -= flow;
    arcs[arc ^ 1].residual += flow;
  }
  return flow;
}

std::optional<int64_t> MinimumCut::solve() {
  int64_t total = 0;
  while (findLevels()) {
    next.assign(arcsOf.size(), 0);
    while (int64_t flow = augment()) {
      total += flow;
      if (total >= kUncuttable)
        return std::nullopt;
    }
  }
  return total;
}
