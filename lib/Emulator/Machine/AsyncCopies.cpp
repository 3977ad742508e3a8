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
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

void Cluster::landCopies(Thread &thread, const CopyGroup &group) {
  Epoch epoch;
  epoch.at = thread.view.seen[thread.index];
  epoch.cluster = index;
  epoch.who = thread.index;
  for (const PendingCopy &copy : group) {
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
    Actor actor = genericActor(thread);
    if (copy.bytes &&
        !checkGlobal(actor, copy.source, copy.bytes, AccessKind::Read, id)) {
      copy.zeros += copy.bytes;
      copy.bytes = 0;
    }
    if (!checkShared(actor, to, inst.number, AccessKind::Write, id, true))
      return;
    thread.copyInstruction = id;
    thread.openCopies.push_back(copy);
    break;
  }
  case Opcode::CopyCommit:
    thread.copyGroups.push_back(std::move(thread.openCopies));
    thread.openCopies.clear();
    break;
  case Opcode::CopyWait:
    while (thread.copyGroups.size() > size_t(inst.number)) {
      landCopies(thread, thread.copyGroups.front());
      thread.copyGroups.pop_front();
    }
    break;
  default: { // CopyArrive: all copies so far land, then the mbarrier counts it
    SharedAddress address = locate(getOperand<char *>(arguments, inst, 0));
    if (address.rank != thread.rank) {
      report(id, "expected an mbarrier in the block's shared memory");
      return;
    }
    MBarrier &barrier = findMBarrier(address, id);
    if (!inst.kind) // without .noinc the arrival is one more than expected
      ++barrier.pending;
    CopyGroup all;
    for (CopyGroup &group : thread.copyGroups) {
      all.insert(all.end(), group.begin(), group.end());
      group.clear();
    }
    all.insert(all.end(), thread.openCopies.begin(), thread.openCopies.end());
    thread.openCopies.clear();
    View view = thread.view;
    engine.push_back([this, &thread, &barrier, all, view, id] {
      landCopies(thread, all);
      barrier.view.join(view);
      // The copies carry the thread's clock; who waits must have seen it.
      barrier.view.seen[thread.index] = std::max(
          barrier.view.seen[thread.index], thread.view.seen[thread.index]);
      ++thread.view.seen[thread.index];
      if (barrier.pending == 0) {
        self = &thread;
        report(id, "more arrivals on an mbarrier than its count of " +
                       std::to_string(barrier.count));
      } else {
        --barrier.pending;
      }
      settle(barrier);
    });
  }
  }
}
