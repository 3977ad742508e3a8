//===- Atomics.cpp - Order through atomics --------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The atomic operation itself happens in the lowered code, with the host's own
// atomics; beginAtomic publishes what the thread releases, endAtomic takes what
// it acquires. Fences between relaxed atomics work as in C11: a release fence
// keeps a copy of the view for later stores, an acquire fence takes what
// earlier loads have found.
//
// Every atomic also ends the thread's turn, so that a loop that waits for a
// value lets others run.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

/// Joins what a thread of `cluster` has released into the view of a thread of
/// cluster `index`.
static void acquireView(View &view, uint32_t index, const Released &released) {
  if (released.cluster == index) {
    view.join(released.view);
    return;
  }
  auto foreign = std::make_shared<ForeignClocks>();
  if (released.view.foreign)
    *foreign = *released.view.foreign;
  (*foreign)[released.cluster] =
      std::make_shared<const Clocks>(released.view.seen);
  foreign->erase(index);
  View other;
  other.foreign = std::move(foreign);
  view.join(other);
  if (released.view.foreign) {
    // What the releaser knew of this cluster.
    auto mine = released.view.foreign->find(index);
    if (mine != released.view.foreign->end()) {
      other.foreign = nullptr;
      other.seen = *mine->second;
      view.join(other);
    }
  }
}

/// Up to 16 bytes as a number that differs where they do, nearly always.
static uint64_t loadValue(const void *address, unsigned size) {
  uint64_t halves[2] = {};
  memcpy(halves, address, std::min<size_t>(size, sizeof halves));
  return halves[0] ^ halves[1] * 0x9e3779b97f4a7c15ull;
}

/// Whether the thread has looked at a value and found what it found the last
/// time; read-modify-writes look when they change nothing (a lock that is
/// taken, an addition of 0).
bool Cluster::foundNothingNew(const void *address, const Instruction &inst,
                              uint32_t id) {
  uint64_t value = loadValue(address, inst.bytes);
  if (inst.writes && (!inst.number || value != self->valueBefore))
    return false;
  auto [it, isNew] =
      self->lastFound.try_emplace(id, std::make_pair(address, value));
  bool same = !isNew && it->second == std::make_pair(address, value);
  it->second = {address, value};
  return same;
}

void Cluster::beginAtomic(void *address, unsigned size, uint32_t id) {
  const Instruction &inst = get(id);
  Thread &thread = *self;
  thread.instruction = id;
  thread.steps.left -= StepCount::instruction;
  thread.steps.touchedMemory = true;
  checkAlignment(address, id);
  if (local.getOwner(address) >= 0) {
    if (!inst.isVolatile) {
      report(id, "atomic access to local memory; atomics are for global and "
                 "shared memory");
      abandon();
    }
    return checkAccess(address, size,
                       inst.writes ? AccessKind::Write : AccessKind::Read, id);
  }
  checkAccess(address, size,
              inst.writes ? AccessKind::AtomicWrite : AccessKind::AtomicRead,
              id);
  SharedAddress shared = locate(address);
  bool readsAndWrites = inst.writes && inst.number;
  thread.valueBefore = readsAndWrites ? loadValue(address, size) : 0;
  if (!inst.writes)
    return;
  const View *view = inst.order & Release  ? &thread.view
                     : thread.releaseFence ? thread.releaseFence.get()
                                           : nullptr;
  bool readsToo = inst.number != 0; // read-modify-write
  if (view) {
    if (shared.rank != ~0u) {
      std::vector<Released> &list = releases[shared];
      if (!readsToo)
        list.clear();
      list.push_back({index, *view});
    } else {
      state.memory.release(address, index, *view, readsToo);
    }
  }
  if (inst.order & Release)
    ++thread.view.seen[thread.index];
}

void Cluster::endAtomic(void *address, uint32_t id) {
  const Instruction &inst = get(id);
  Thread &thread = *self;
  if (local.getOwner(address) >= 0)
    return;
  SharedAddress shared = locate(address);
  bool reads = inst.number != 0 || !inst.writes;
  if (reads) {
    std::vector<Released> found;
    if (shared.rank != ~0u) {
      auto it = releases.find(shared);
      if (it != releases.end())
        found = it->second;
    } else {
      found = state.memory.acquire(address);
    }
    if (inst.order & Acquire) {
      for (const Released &released : found)
        acquireView(thread.view, index, released);
    } else if (!found.empty()) {
      thread.relaxedReads = std::move(found);
    }
  }
  if (foundNothingNew(address, inst, id))
    spin(/*learned=*/false);
  else if (!inst.writes)
    spin(/*learned=*/true);
}

void Cluster::fence(const Instruction &inst) {
  Thread &thread = *self;
  for (const Released &released : thread.relaxedReads)
    acquireView(thread.view, index, released);
  thread.relaxedReads.clear();
  thread.releaseFence = std::make_shared<View>(thread.view);
  ++thread.view.seen[thread.index];
}
