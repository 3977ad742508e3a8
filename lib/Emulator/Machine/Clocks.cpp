//===- Clocks.cpp - Who did what after what -------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joining views: the maximum of each clock.
//
//===----------------------------------------------------------------------===//

#include "Clocks.h"

using namespace amp::emu;

static void joinClocks(Clocks &into, const Clocks &from) {
  if (into.size() < from.size())
    into.resize(from.size());
  for (size_t i = 0, e = from.size(); i < e; ++i)
    into[i] = std::max(into[i], from[i]);
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
