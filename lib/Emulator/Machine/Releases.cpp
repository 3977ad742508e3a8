//===- Releases.cpp - What an atomic location hands on --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What comes through another cluster may tell a thread of its own cluster, too:
// the tree of the device has an entry for each.
//
//===----------------------------------------------------------------------===//

#include "Releases.h"

using namespace amp::emu;

void Releases::beginSequence() {
  if (byOrigin.empty())
    return;
  byOrigin.clear();
  device = deviceFenced = {};
  ++version;
}

void Releases::add(Origin from, Scope scope, const View &view) {
  ++version;
  byOrigin[{from.cluster, from.rank, scope}].join(view);
  if (scope != Scope::Device)
    return;
  device.join(view.foreign);
  device.join(from.cluster, view.seen);
  deviceFenced.join(view.foreignFenced);
  if (const Clocks *fenced = view.fenced.get(globalSpace))
    deviceFenced.join(from.cluster, *fenced);
}

void Releases::join(View &view, Origin to, Scope scope) const {
  if (scope == Scope::Device) {
    view.foreign.join(device);
    view.foreignFenced.join(deviceFenced);
    if (const Clocks *own = device.find(to.cluster))
      view.joinSeen(*own);
    return;
  }
  auto end = byOrigin.lower_bound({to.cluster + 1, 0, Scope::Block});
  for (auto it = byOrigin.lower_bound({to.cluster, 0, Scope::Block}); it != end;
       ++it) {
    auto [cluster, rank, reach] = it->first;
    bool isNear = rank == to.rank;
    if (scope == Scope::Block ? isNear : !isNear && reach != Scope::Block)
      view.join(it->second);
  }
}
