//===- AsyncCopies.cpp - cp.async: copies of a thread, in groups ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes move when a wait covers their group, and not before, so that who
// reads early sees what was there. Between issue and wait the target is marked
// as in flight, and any touch of it is reported. Waiting makes the copies
// visible to the thread itself; others still need a barrier.
//
// The source is read until the wait, too. Its reads carry a clock that the
// thread has not reached and jumps to when it waits: so neither the thread nor
// whom it tells of itself before that is ordered after them. Copies handed to
// an mbarrier become operations of the mbarrier's agent, which is what the
// threads that wait for it learn of.
//
// cp.async is in the generic proxy (PTX ISA, "Data Movement and Conversion
// Instructions: Non-bulk copy"): what the asynchronous proxy is to read needs a
// fence behind the wait.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

/// How far ahead of its thread the clock of a copy lies: the releases that a
/// thread may make between issue and wait, beyond which an early write to the
/// source goes unnoticed.
constexpr Clock copyLead = 4096;

void Cluster::landCopies(const std::vector<PendingCopy> &copies,
                         const Epoch &epoch) {
  for (const PendingCopy &copy : copies) {
    memcpy(copy.target, copy.source, copy.bytes);
    memset(copy.target + copy.bytes, 0, copy.zeros);
    if (!state.options.check)
      continue;
    SharedAddress to = locate(copy.target);
    uint32_t at = to.offset, end = at + copy.bytes + copy.zeros;
    for (uint32_t next; at < end; at = next) {
      next = std::min(end, (at / 16 + 1) * 16);
      landCopy(blocks[to.rank].shadow[at / 16], at % 16, next - at, epoch);
    }
  }
}

void Cluster::asyncCopy(const Instruction &inst, uint32_t id, char *arguments) {
  Thread &thread = *self;
  Clock &now = thread.view.seen[thread.index];
  switch (inst.opcode) {
  case Opcode::CopyAsync: {
    PendingCopy copy{getOperand<char *>(arguments, inst, 0),
                     getOperand<char *>(arguments, inst, 1),
                     unsigned(inst.number), 0};
    if (inst.optional[0] >= 0) { // fewer bytes than the copy: zeros follow
      unsigned bytes = std::min<unsigned>(
          inst.number, getOperand<uint32_t>(arguments, inst, inst.optional[0]));
      copy.zeros = copy.bytes - bytes;
      copy.bytes = bytes;
    }
    SharedAddress to = locate(copy.target);
    if ((to.offset | reinterpret_cast<uintptr_t>(copy.source)) % inst.number)
      report(id, "expected a cp.async aligned to its " +
                     std::to_string(inst.number) + " bytes");
    CopyGroup &group = thread.openCopies;
    if (!group.over)
      group.over = thread.lastCopyOver =
          std::max(thread.lastCopyOver + 1, now + copyLead);
    Actor actor = genericActor(thread), reader = actor;
    reader.epoch.at = group.over;
    reader.epoch.copying = true;
    if (copy.bytes &&
        !checkGlobal(reader, copy.source, copy.bytes, AccessKind::Read, id)) {
      copy.zeros += copy.bytes;
      copy.bytes = 0;
    }
    if (!checkShared(actor, to, inst.number, AccessKind::Write, id, true))
      return;
    thread.copyInstruction = id;
    group.copies.push_back(copy);
    break;
  }
  case Opcode::CopyCommit:
    thread.copyGroups.push_back(std::move(thread.openCopies));
    thread.openCopies = {};
    break;
  case Opcode::CopyWait:
    while (thread.copyGroups.size() > size_t(inst.number)) {
      const CopyGroup &group = thread.copyGroups.front();
      now = std::max(now, group.over);
      landCopies(group.copies, genericActor(thread).epoch);
      thread.copyGroups.pop_front();
    }
    break;
  default:
    copyArrive(inst, id, arguments);
  }
}

/// All copies of the thread so far land, then the mbarrier counts an arrival.
void Cluster::copyArrive(const Instruction &inst, uint32_t id,
                         char *arguments) {
  Thread &thread = *self;
  SharedAddress address = locate(getOperand<char *>(arguments, inst, 0));
  if (address.rank != thread.rank) {
    report(id, "expected an mbarrier in the block's shared memory");
    return;
  }
  MBarrier &barrier = findMBarrier(address, id);
  checkInit(barrier, id);
  if (!inst.kind) // without .noinc the arrival is one more than expected
    ++barrier.pending;
  Clock operation = ++barrier.issued;
  barrier.outstanding.insert(operation);
  Epoch agent = genericActor(thread).epoch;
  agent.who = barrier.agent;
  agent.at = operation;
  std::vector<PendingCopy> all;
  auto handOver = [&](CopyGroup &group) {
    Epoch mine = genericActor(thread).epoch;
    mine.at = group.over;
    for (const PendingCopy &copy : group.copies) {
      if (copy.bytes && state.options.check)
        state.memory.handOverReads(copy.source, copy.bytes, mine, agent);
      all.push_back(copy);
    }
    group.copies.clear();
  };
  for (CopyGroup &group : thread.copyGroups)
    handOver(group);
  handOver(thread.openCopies);
  engine.push_back([this, &thread, &barrier, all = std::move(all),
                    view = thread.view, agent, operation, id] {
    landCopies(all, agent);
    barrier.view.join(view);
    if (barrier.pending == 0) {
      self = &thread;
      report(id, "more arrivals on an mbarrier than its count of " +
                     std::to_string(barrier.count));
    } else {
      --barrier.pending;
    }
    completeCopy(barrier, operation, 0, id);
  });
  ++thread.view.seen[thread.index];
}
