//===- Clocks.cpp - Who did what after what -------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joining views: the maximum of each clock; what several views share: the
// minimum. A join of trees gives back one of the two where it covers the other,
// so that after a barrier of the grid all clusters share one tree, whose size
// is that of the grid's clocks.
//
//===----------------------------------------------------------------------===//

#include "Clocks.h"
#include "TargetClones.h"

#include <array>

using namespace amp::emu;

AMP_EMU_CLONES
static void takeMaximum(Clock *__restrict into, const Clock *__restrict from,
                        size_t count) {
  for (size_t i = 0; i < count; ++i)
    into[i] = std::max(into[i], from[i]);
}

AMP_EMU_CLONES
static void takeMinimum(Clock *__restrict into, const Clock *__restrict from,
                        size_t count) {
  for (size_t i = 0; i < count; ++i)
    into[i] = std::min(into[i], from[i]);
}

static void joinClocks(Clocks &into, const Clocks &from, size_t first = 0) {
  if (into.size() < from.size())
    into.resize(from.size());
  takeMaximum(into.data() + first, from.data() + first, from.size() - first);
}

static void meetClocks(Clocks &into, const Clocks &from) {
  if (into.size() > from.size())
    into.resize(from.size()); // what is missing is at 0
  takeMinimum(into.data(), from.data(), into.size());
}

static bool coversClocks(const Clocks &clocks, const Clocks &other) {
  for (size_t i = clocks.size(); i < other.size(); ++i)
    if (other[i])
      return false;
  return std::equal(clocks.begin(),
                    clocks.begin() + std::min(clocks.size(), other.size()),
                    other.begin(), [](Clock a, Clock b) { return a >= b; });
}

const Clocks *ForeignClocks::find(uint32_t cluster) const {
  if (!root || uint64_t(cluster) >> 4 * height)
    return nullptr;
  const Node *node = root.get();
  for (unsigned level = height; node && level; --level)
    node = node->children[cluster >> 4 * (level - 1) & 15].get();
  return node ? &node->clocks : nullptr;
}

ForeignClocks::Tree ForeignClocks::join(const Tree &a, const Tree &b,
                                        unsigned height) {
  if (!b || a == b)
    return a;
  if (!a)
    return b;
  if (height == 0) {
    if (coversClocks(a->clocks, b->clocks))
      return a;
    if (coversClocks(b->clocks, a->clocks))
      return b;
    auto both = std::make_shared<Node>(*a);
    joinClocks(both->clocks, b->clocks);
    return both;
  }
  std::array<Tree, 16> joined;
  for (unsigned i = 0; i < joined.size(); ++i)
    joined[i] = join(a->children[i], b->children[i], height - 1);
  if (std::equal(joined.begin(), joined.end(), a->children.begin()))
    return a;
  if (std::equal(joined.begin(), joined.end(), b->children.begin()))
    return b;
  auto both = std::make_shared<Node>();
  both->children.assign(joined.begin(), joined.end());
  return both;
}

void ForeignClocks::raise(unsigned to) {
  for (; height < to; ++height) {
    if (!root)
      continue;
    auto above = std::make_shared<Node>();
    above->children.resize(16);
    above->children[0] = std::move(root);
    root = std::move(above);
  }
}

void ForeignClocks::join(const ForeignClocks &other) {
  if (!other.root || other.root == root || other.root == covered)
    return;
  covered = other.root;
  if (!root) {
    root = other.root;
    height = other.height;
    return;
  }
  raise(other.height);
  ForeignClocks raised = other;
  raised.raise(height);
  root = join(root, raised.root, height);
}

void ForeignClocks::join(uint32_t cluster, const Clocks &clocks) {
  ForeignClocks one;
  auto leaf = std::make_shared<Node>();
  leaf->clocks = clocks;
  one.root = std::move(leaf);
  for (; uint64_t(cluster) >> 4 * one.height; ++one.height) {
    auto above = std::make_shared<Node>();
    above->children.resize(16);
    above->children[cluster >> 4 * one.height & 15] = std::move(one.root);
    one.root = std::move(above);
  }
  join(one);
}

void FencedClocks::set(Space space, const std::shared_ptr<Clocks> &fenced) {
  if (clocks.size() <= space)
    clocks.resize(space + 1);
  clocks[space] = fenced;
}

/// Clocks that nobody else refers to.
static Clocks &makeOwn(std::shared_ptr<Clocks> &clocks) {
  if (clocks.use_count() > 1)
    clocks = std::make_shared<Clocks>(*clocks);
  return *clocks;
}

void FencedClocks::join(const FencedClocks &other) {
  if (clocks.size() < other.clocks.size())
    clocks.resize(other.clocks.size());
  for (Space space = 0; space < other.clocks.size(); ++space) {
    std::shared_ptr<Clocks> &mine = clocks[space];
    const std::shared_ptr<Clocks> &others = other.clocks[space];
    if (!others || mine == others)
      continue;
    if (!mine || coversClocks(*others, *mine))
      mine = others;
    else if (!coversClocks(*mine, *others))
      joinClocks(makeOwn(mine), *others);
  }
}

void FencedClocks::meet(const FencedClocks &other) {
  if (clocks.size() > other.clocks.size())
    clocks.resize(other.clocks.size());
  for (Space space = 0; space < clocks.size(); ++space) {
    std::shared_ptr<Clocks> &mine = clocks[space];
    const std::shared_ptr<Clocks> &others = other.clocks[space];
    if (!mine || mine == others)
      continue;
    if (!others)
      mine = nullptr;
    else
      meetClocks(makeOwn(mine), *others);
  }
}

static void joinShared(std::shared_ptr<View> &into,
                       const std::shared_ptr<View> &from) {
  if (!from || into == from)
    return;
  if (!into) {
    into = from;
    return;
  }
  if (into.use_count() > 1)
    into = std::make_shared<View>(*into);
  into->join(*from);
}

void View::join(const View &other) {
  joinClocks(seen, other.seen);
  fenced.join(other.fenced);
  foreign.join(other.foreign);
  foreignFenced.join(other.foreignFenced);
  joinShared(totallyFenced, other.totallyFenced);
  joinShared(totallyRead, other.totallyRead);
}

void View::joinSeen(const Clocks &clocks) { joinClocks(seen, clocks); }

void View::joinAgents(const View &other, size_t threads) {
  joinClocks(seen, other.seen, threads);
}

void View::meet(const View &other) {
  meetClocks(seen, other.seen);
  fenced.meet(other.fenced);
}
