//===- Clocks.cpp - Who did what after what -------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joining views: the maximum of each clock; what several views share: the
// minimum.
//
//===----------------------------------------------------------------------===//

#include "Clocks.h"
#include "TargetClones.h"

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

static void joinForeign(std::shared_ptr<const ForeignClocks> &into,
                        const std::shared_ptr<const ForeignClocks> &from) {
  if (!from || into == from)
    return;
  if (!into) {
    into = from;
    return;
  }
  auto joined = std::make_shared<ForeignClocks>(*into);
  for (const auto &[cluster, clocks] : *from) {
    std::shared_ptr<const Clocks> &slot = (*joined)[cluster];
    if (!slot) {
      slot = clocks;
    } else if (slot != clocks) {
      auto both = std::make_shared<Clocks>(*slot);
      joinClocks(*both, *clocks);
      slot = std::move(both);
    }
  }
  into = std::move(joined);
}

void View::join(const View &other) {
  joinClocks(seen, other.seen);
  joinClocks(fenced, other.fenced);
  joinForeign(foreign, other.foreign);
  joinForeign(foreignFenced, other.foreignFenced);
}

void View::joinAgents(const View &other, size_t threads) {
  joinClocks(seen, other.seen, threads);
  joinClocks(fenced, other.fenced, threads);
}

void View::meet(const View &other) {
  meetClocks(seen, other.seen);
  meetClocks(fenced, other.fenced);
}
