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
// keeps a copy of the view for later stores, an acquire fence takes what all
// earlier reads have found. Each of the four operations of such a pattern has a
// scope, and the narrowest decides who is ordered by it (Releases.h).
//
// Fences of that kind belong to the thread that writes or reads. Two fence.sc
// need not: they have a total order that contradicts no causality, and where
// what comes after the one is observed by what comes before the other, that
// fixes it (PTX ISA, Memory Consistency Model, "Synchronizes-with", axioms
// "Fence-SC" and "Causality"). So each thread may fence what it wrote, then all
// meet, and one raises the flag. What such fences have covered travels with the
// views; where nothing fixes their order, they order nothing here. That is for
// fences of the device; within a block a meeting orders all there is.
//
// What an acquiring read finds is ordered before the read itself, so it is
// taken before the access is checked too.
//
// Every atomic that only reads also ends the thread's turn, so that a loop that
// waits for a value lets others run.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

template <typename Act> void Cluster::withAtomic(const void *address, Act act) {
  SharedAddress shared = locate(address);
  if (shared.rank != ~0u)
    act(atomics[shared]);
  else
    state.memory.withAtomic(address, act);
}

void Cluster::publish(AtomicLocation &location, const Instruction &inst) {
  const Thread &thread = *self;
  Origin here{index, thread.rank};
  bool readsToo = inst.number != 0; // read-modify-write
  if (!readsToo) {
    location.releases.beginSequence();
    location.totallyFenced.beginSequence();
  }
  if (thread.view.totallyFenced)
    location.totallyFenced.add(here, inst.scope, *thread.view.totallyFenced);
  if (inst.order & Release)
    return location.releases.add(here, inst.scope, thread.view);
  // Narrower fences cover more; a wider one counts for them, too.
  const View *wider = nullptr;
  for (int scope = int(inst.scope); scope >= 0; --scope) {
    const View *fenced = thread.releaseFences[scope].get();
    if (fenced && fenced != wider)
      location.releases.add(here, Scope(scope), *fenced);
    wider = fenced;
  }
}

void Cluster::learn(const AtomicLocation &location, const Instruction &inst) {
  Thread &thread = *self;
  Origin here{index, thread.rank};
  for (int scope = 0; scope <= int(inst.scope); ++scope) {
    if (inst.order & Acquire) {
      location.releases.join(thread.view, here, Scope(scope));
      continue;
    }
    std::unique_ptr<View> &found = thread.relaxedReads[scope];
    if (!found)
      found = std::make_unique<View>();
    location.releases.join(*found, here, Scope(scope));
  }
  if (!location.totallyFenced.getVersion())
    return;
  auto found = std::make_shared<View>();
  for (int scope = 0; scope <= int(inst.scope); ++scope)
    location.totallyFenced.join(*found, here, Scope(scope));
  if (thread.view.totallyRead)
    found->join(*thread.view.totallyRead);
  thread.view.totallyRead = std::move(found);
}

/// Takes what has been released at the address since the thread looked last.
void Cluster::lookAt(const void *address, const Instruction &inst,
                     uint32_t id) {
  Thread &thread = *self;
  withAtomic(address, [&](AtomicLocation &location) {
    uint64_t version =
        location.releases.getVersion() + location.totallyFenced.getVersion();
    if (thread.lookedAt == address && thread.lookingInstruction == id &&
        thread.lookedVersion == version)
      return;
    learn(location, inst);
    thread.lookedAt = address;
    thread.lookingInstruction = id;
    thread.lookedVersion = version;
  });
}

static bool reads(const Instruction &inst) {
  return inst.number != 0 || !inst.writes;
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
  if (inst.order & Acquire && reads(inst))
    lookAt(address, inst, id);
  checkAccess(address, size,
              inst.needsOld ? AccessKind::Update
              : inst.writes ? AccessKind::Write
                            : AccessKind::Read,
              id);
  bool readsAndWrites = inst.writes && inst.number;
  thread.valueBefore = readsAndWrites ? loadValue(address, size) : 0;
  if (!inst.writes)
    return;
  withAtomic(address,
             [&](AtomicLocation &location) { publish(location, inst); });
  if (inst.order & Release)
    ++thread.view.seen[thread.index];
}

void Cluster::endAtomic(void *address, uint32_t id) {
  const Instruction &inst = get(id);
  if (local.getOwner(address) >= 0)
    return;
  if (reads(inst))
    lookAt(address, inst, id);
  if (foundNothingNew(address, inst, id))
    spin(/*learned=*/false);
  else if (!inst.writes)
    spin(/*learned=*/true);
}

void Cluster::fence(const Instruction &inst) {
  Thread &thread = *self;
  if (inst.order & Acquire)
    for (int scope = 0; scope <= int(inst.scope); ++scope)
      if (std::unique_ptr<View> found = std::move(thread.relaxedReads[scope]))
        thread.view.join(*found);
  bool total = inst.order & Total && inst.scope == Scope::Device;
  if (total)
    if (std::shared_ptr<View> found = std::move(thread.view.totallyRead))
      thread.view.join(*found);
  if (!(inst.order & Release))
    return;
  if (total) {
    thread.view.totallyFenced = nullptr; // part of the view
    thread.view.totallyFenced = std::make_shared<View>(thread.view);
  }
  auto fenced = std::make_shared<const View>(thread.view);
  for (int scope = 0; scope <= int(inst.scope); ++scope)
    thread.releaseFences[scope] = fenced;
  ++thread.view.seen[thread.index];
}
