//===- Accesses.cpp - Checks and counters of memory accesses --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access, of lowered loads and stores as of the models, passes through
// checkShared, checkGlobal or checkLocal: bounds first, then the history. The
// counters see ordinary accesses a lane at a time and put the lanes of a warp
// together by how often each has run the instruction, which is exact as long as
// lanes do not diverge around it.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

Actor Cluster::genericActor(const Thread &thread) const {
  Actor actor;
  actor.epoch.at = thread.view.seen[thread.index];
  actor.epoch.instruction = thread.instruction;
  actor.epoch.cluster = index;
  actor.epoch.who = thread.index;
  actor.seen = &thread.view.seen;
  actor.foreign = &thread.view.foreign;
  actor.threadsPerBlock = threadsPerBlock;
  if (thread.instruction != noInstruction)
    if (const Instruction &inst = get(thread.instruction);
        inst.opcode == Opcode::Atomic)
      actor.epoch.strength = toStrength(inst.scope);
  return actor;
}

unsigned Cluster::makeAgent(const char *kind) {
  agents.push_back(kind);
  size_t clocks = threads.size() + agents.size();
  for (Thread &thread : threads)
    thread.view.seen.resize(clocks);
  return clocks - 1;
}

bool Cluster::checkShared(const Actor &actor, SharedAddress address,
                          unsigned size, AccessKind kind, uint32_t id,
                          bool inFlight) {
  ++statistics.sharedChecks;
  if (address.rank >= blocks.size() ||
      address.offset + size > state.launch.sharedBytes) {
    report(id, "access outside of shared memory: " + std::to_string(size) +
                   " bytes at " + std::to_string(address.offset) + " of " +
                   std::to_string(state.launch.sharedBytes));
    return false;
  }
  if (!state.options.check)
    return true;
  Block &block = blocks[address.rank];
  if (block.live == 0)
    report(id, "access to shared memory of a block that has exited");
  uint32_t at = address.offset, end = at + size;
  for (uint32_t next; at < end; at = next) {
    next = std::min(end, (at / 16 + 1) * 16);
    Finding finding =
        checkLine(block.shadow[at / 16], at % 16, next - at, actor,
                  sharedSpace(address.rank), kind, inFlight);
    if (finding.rule)
      report(id, finding, "shared", actor);
  }
  return true;
}

bool Cluster::checkGlobal(const Actor &actor, const void *address,
                          unsigned size, AccessKind kind, uint32_t id) {
  ++statistics.globalChecks;
  const Buffer *buffer = state.memory.find(address, size);
  if (!buffer) {
    // The buffer that ends or begins nearest, for the message.
    std::string near;
    intptr_t nearest = 4096;
    for (const Buffer &b : state.launch.buffers) {
      intptr_t offset = static_cast<const char *>(address) -
                        static_cast<const char *>(b.data);
      intptr_t distance =
          offset < 0 ? -offset : offset + intptr_t(size) - intptr_t(b.size);
      if (distance >= nearest)
        continue;
      nearest = distance;
      near = ": byte " + std::to_string(offset) + " of '" + b.name + "' with " +
             std::to_string(b.size);
    }
    report(id, "access outside of global memory" + near);
    return false;
  }
  if (kind != AccessKind::Read && buffer->readOnly) {
    report(id, "write to constant memory: '" + buffer->name + "'");
    return false;
  }
  if (!state.options.check)
    return true;
  Finding finding = state.memory.check(address, size, actor, kind);
  if (finding.rule)
    report(id, finding, "global", actor);
  return true;
}

void Cluster::checkAccess(void *address, uint64_t size, AccessKind kind,
                          uint32_t id) {
  SharedAddress shared = locate(address);
  bool inside = false;
  if (shared.rank != ~0u)
    // Larger than the window is outside of it all the same.
    inside =
        checkShared(genericActor(*self), shared,
                    unsigned(std::min<uint64_t>(size, windowBytes)), kind, id);
  else if (id != noInstruction && get(id).isShared)
    report(id, "access outside of shared memory");
  else if (int owner = local.getOwner(address); owner >= 0)
    inside = checkLocal(unsigned(owner), address, size, kind, id);
  else if (size > UINT32_MAX)
    report(id, "access outside of global memory: " + std::to_string(size) +
                   " bytes");
  else
    inside =
        checkGlobal(genericActor(*self), address, unsigned(size), kind, id);
  if (!inside)
    abandon(); // the access itself would fault
}

void Cluster::checkAlignment(const void *address, uint32_t id) {
  unsigned alignment = get(id).alignment;
  uintptr_t past = reinterpret_cast<uintptr_t>(address) % alignment;
  if (!past)
    return;
  report(id, "misaligned access: expected an address at a multiple of " +
                 std::to_string(alignment) + " bytes, but it lies " +
                 std::to_string(past) + " past one");
  abandon();
}

void Cluster::ordinaryAccess(void *address, unsigned size, uint32_t id) {
  const Instruction &inst = get(id);
  self->instruction = id;
  self->steps.countAccess(address, id, inst.writes);
  checkAlignment(address, id);
  checkAccess(address, size, inst.writes ? AccessKind::Write : AccessKind::Read,
              id);
  if (state.options.countTransactions && local.getOwner(address) < 0)
    countAccess(address, size, id);
}

void Cluster::countAccess(void *address, unsigned size, uint32_t id) {
  if (self->occurrences.empty())
    self->occurrences.resize(state.instructions.size());
  uint64_t occurrence = self->occurrences[id]++;
  auto key =
      std::make_pair(self->index / warpSize, uint64_t(id) << 32 | occurrence);
  WarpAccess &access = counting[key];
  ++access.lanes;
  SharedAddress shared = locate(address);
  if (shared.rank != ~0u) {
    access.shared[self->local % warpSize] = {shared.offset, size};
  } else {
    access.bytes += size;
    uintptr_t p = reinterpret_cast<uintptr_t>(address);
    for (uintptr_t sector = p / 32; sector <= (p + size - 1) / 32; ++sector)
      access.sectors.insert(sector);
  }
  if (access.lanes == warpSize) {
    finishCounting(access);
    counting.erase(key);
  }
}

void Cluster::finishCounting(WarpAccess &access) {
  if (!access.sectors.empty()) {
    ++statistics.globalRequests;
    statistics.globalSectors += access.sectors.size();
    statistics.globalBytes += access.bytes;
  }
  // Lanes go in passes of 128 bytes, by their number and not as the schedule
  // let them arrive; in a pass each bank gives one word.
  unsigned widest = 0;
  for (const auto &[offset, size] : access.shared)
    widest = std::max(widest, size);
  if (!widest)
    return;
  unsigned perPass = std::clamp(128 / widest, 1u, warpSize);
  for (unsigned first = 0; first < warpSize; first += perPass) {
    std::set<uint32_t> words[32];
    size_t worst = 0;
    for (unsigned lane = first; lane < first + perPass; ++lane) {
      auto [offset, size] = access.shared[lane];
      for (uint32_t w = offset / 4; size && w <= (offset + size - 1) / 4; ++w) {
        words[w % 32].insert(w);
        worst = std::max(worst, words[w % 32].size());
      }
    }
    if (!worst)
      continue;
    ++statistics.sharedPasses;
    statistics.sharedConflicts += worst - 1;
  }
}
