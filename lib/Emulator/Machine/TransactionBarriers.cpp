//===- TransactionBarriers.cpp - Barriers in shared memory (mbarrier) -----===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase completes when its arrivals are all there and its bytes add up to
// nothing. Copies complete on a barrier through an agent of its own, so that a
// wait for one barrier says nothing of another's copies. The object is written
// by its init through the generic proxy: threads must be ordered after that,
// and copies must find a fence behind it. From then on its bytes are nobody
// else's, until an inval that is ordered after every use (PTX ISA, "Parallel
// Synchronization and Communication Instructions: mbarrier", Lifecycle of the
// mbarrier object).
//
// An arrival on another block's barrier hands on what its thread did only at
// cluster scope, and only to waits at cluster scope. At cta scope it hands on
// what the thread has waited for in agents: these accesses are over, whoever
// is told. Rings of slots rely on that, see docs/Rationale/Hardware.md.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

void Cluster::settle(MBarrier &barrier) {
  if (barrier.pending || barrier.bytes)
    return;
  ++barrier.phase;
  barrier.pending = barrier.count;
  barrier.done = barrier.view;
  wakeAll(barrier.waiters);
}

MBarrier &Cluster::findMBarrier(SharedAddress address, uint32_t id) {
  auto [it, isNew] =
      mbarriers.try_emplace(uint64_t(address.rank) << 32 | address.offset);
  MBarrier &barrier = it->second;
  if (isNew) {
    if (id != noInstruction)
      report(id, "mbarrier used before its init");
    barrier.rank = address.rank;
    barrier.count = barrier.pending = 1;
    barrier.agent = makeAgent("a bulk copy");
    barrier.view.reset(threads.size() + agents.size());
    barrier.done = barrier.view;
    barrier.uses.resize(threadsPerBlock);
  } else if (!barrier.live && id != noInstruction) {
    report(id, "mbarrier used after its inval", &barrier.init,
           "the inval is here");
  }
  return barrier;
}

void Cluster::useMBarrier(MBarrier &barrier, uint32_t id) {
  if (barrier.rank == self->rank)
    barrier.uses[self->local] = {self->view.seen[self->index], id};
}

bool Cluster::checkInit(MBarrier &barrier, uint32_t id) {
  const Clocks &seen = self->view.seen;
  auto agent = size_t(barrier.initAgent); // beyond all clocks if it is -1
  if ((agent < seen.size() && seen[agent] == barrier.inits) ||
      genericActor(*self).knows(barrier.init))
    return true;
  report(id, "mbarrier operation that is not ordered after the init",
         &barrier.init, "the init is here");
  return false;
}

void Cluster::handOnInits() {
  Clocks &handedOn = clusterBarrier.view.seen;
  for (auto &[key, barrier] : mbarriers) {
    if (!barrier.live || !barrier.initFenced || barrier.init.who != self->index)
      continue;
    if (barrier.initAgent < 0)
      barrier.initAgent = int(makeAgent("an init"));
    size_t agent = barrier.initAgent;
    handedOn.resize(std::max(handedOn.size(), agent + 1));
    handedOn[agent] = barrier.inits;
  }
}

void Cluster::fenceInits() {
  Thread &thread = *self;
  for (auto &[key, barrier] : mbarriers)
    if (barrier.init.who == thread.index)
      barrier.initFenced = true;
  ++thread.view.seen[thread.index];
}

/// The transaction count of an mbarrier has 20 bits and a sign.
static void checkBytes(Cluster &cluster, const MBarrier &barrier, uint32_t id) {
  constexpr int64_t limit = (1 << 20) - 1;
  if (barrier.bytes > limit)
    cluster.report(id, "transaction count of an mbarrier rises above its range "
                       "of 2^20 - 1 bytes");
  if (barrier.bytes < -limit)
    cluster.report(id, "transaction count of an mbarrier falls below its range "
                       "of 2^20 - 1 bytes");
}

void Cluster::completeCopy(MBarrier &barrier, Clock operation, int64_t bytes,
                           uint32_t id) {
  // Who waits is ordered after every copy before the oldest missing one.
  barrier.outstanding.erase(operation);
  barrier.view.seen[barrier.agent] = barrier.outstanding.empty()
                                         ? barrier.issued
                                         : *barrier.outstanding.begin() - 1;
  barrier.bytes -= bytes;
  checkBytes(*this, barrier, id);
  settle(barrier);
}

void Cluster::checkCompletion(MBarrier &barrier, uint32_t id) {
  Actor actor = genericActor(*self);
  actor.fenced = &self->view.fenced;
  if (checkInit(barrier, id) && !barrier.initFenced &&
      !actor.knowsFenced(barrier.init, sharedSpace(barrier.rank)))
    report(id, "copy completes on an mbarrier whose init has no fence",
           &barrier.init, "the init is here; follow it by fence.mbarrier_init");
}

void Cluster::mbarrierInit(const Instruction &inst, uint32_t id,
                           SharedAddress address, uint32_t count) {
  if (count == 0 || count >= 1 << 20)
    report(id, "expected an mbarrier count from 1 to 2^20 - 1, but got " +
                   std::to_string(count));
  MBarrier &barrier = findMBarrier(address, noInstruction);
  barrier.count = barrier.pending = count;
  barrier.bytes = 0;
  barrier.phase = 0;
  barrier.initFenced = false;
  ++barrier.inits;
  barrier.live = true;
  barrier.remote.clear();
  std::fill(barrier.uses.begin(), barrier.uses.end(), MBarrier::Use());
  Actor actor = genericActor(*self);
  checkShared(actor, address, 8, AccessKind::BarrierInit, id);
  barrier.init = actor.epoch;
}

void Cluster::mbarrierInvalidate(uint32_t id, SharedAddress address,
                                 MBarrier &barrier) {
  const Clocks &seen = self->view.seen;
  auto checkUse = [&](unsigned thread, Clock at, uint32_t instruction) {
    if (seen[thread] >= at)
      return;
    Epoch use;
    use.at = at;
    use.who = thread;
    use.cluster = index;
    use.instruction = instruction;
    report(id, "inval of an mbarrier that is not ordered after its last use",
           &use, "it is used here");
  };
  for (unsigned i = 0; i < threadsPerBlock; ++i)
    checkUse(barrier.rank * threadsPerBlock + i, barrier.uses[i].at,
             barrier.uses[i].instruction);
  for (auto &[who, arrival] : barrier.remote)
    checkUse(who, arrival.at, arrival.instruction);
  if (seen[barrier.agent] < barrier.issued)
    report(id, "inval of an mbarrier that copies may still complete on; wait "
               "for its phase first");
  Actor actor = genericActor(*self);
  checkShared(actor, address, 8, AccessKind::BarrierEnd, id);
  barrier.init = actor.epoch;
  barrier.live = false;
}

void Cluster::mbarrierArrive(const Instruction &inst, uint32_t id,
                             MBarrier &barrier, bool remote, char *arguments,
                             char *result) {
  Thread &thread = *self;
  bool arrives = inst.opcode == Opcode::MBarrierArrive ||
                 inst.opcode == Opcode::MBarrierArriveExpectTx;
  if (inst.opcode == Opcode::MBarrierArriveExpectTx ||
      inst.opcode == Opcode::MBarrierExpectTx)
    barrier.bytes += getOperand<int32_t>(arguments, inst, 1);
  if (inst.opcode == Opcode::MBarrierCompleteTx)
    barrier.bytes -= getOperand<int32_t>(arguments, inst, 1);
  checkBytes(*this, barrier, id);
  bool releases = !remote || inst.scope != Scope::Block;
  if (remote)
    barrier.remote[thread.index] = {thread.view.seen[thread.index], id,
                                    barrier.phase, releases};
  if (!arrives) {
    settle(barrier);
    return;
  }
  uint32_t count =
      inst.optional[0] < 0
          ? 1
          : getOperand<uint32_t>(arguments, inst, inst.optional[0]);
  uint64_t phase = barrier.phase;
  if (inst.number) // it returns the state
    memcpy(result, &phase, 8);
  if (releases)
    barrier.view.join(thread.view);
  else
    barrier.view.joinAgents(thread.view, threads.size());
  ++thread.view.seen[thread.index];
  if (barrier.pending < count)
    report(id, "more arrivals on an mbarrier than its count of " +
                   std::to_string(barrier.count));
  barrier.pending -= std::min(barrier.pending, count);
  if (inst.kind) // arrive_drop: later phases expect one less
    barrier.count -= std::min(barrier.count, 1u);
  settle(barrier);
}

bool Cluster::mbarrierWait(const Instruction &inst, uint32_t id,
                           MBarrier &barrier, bool remote, char *arguments) {
  Thread &thread = *self;
  if (remote)
    report(id, "wait on another block's mbarrier");
  // By parity, or by the state that an arrival has returned.
  auto isDone = [&] {
    return inst.number
               ? barrier.phase != getOperand<uint64_t>(arguments, inst, 1)
               : (barrier.phase & 1) !=
                     (getOperand<uint32_t>(arguments, inst, 1) & 1);
  };
  if (inst.opcode == Opcode::MBarrierTestWait) {
    if (!isDone()) {
      spin(/*learned=*/false);
      return false;
    }
  }
  while (!isDone()) { // try_wait suspends too, as the hardware may
    barrier.waiters.push_back(thread.index);
    suspend();
  }
  for (auto it = barrier.remote.begin(); it != barrier.remote.end();) {
    const MBarrier::RemoteArrival &arrival = it->second;
    if (arrival.phase == barrier.phase) { // not waited for
      ++it;
      continue;
    }
    if (arrival.releases && inst.scope == Scope::Block)
      report(id, "wait with cta scope for arrivals of cluster scope from "
                 "another block; use cluster scope");
    it = barrier.remote.erase(it);
  }
  thread.view.join(barrier.done);
  useMBarrier(barrier, id); // until here
  return true;
}

void Cluster::mbarrier(const Instruction &inst, uint32_t id, char *arguments,
                       char *result) {
  SharedAddress address = locate(getOperand<char *>(arguments, inst, 0));
  if (address.rank >= blocks.size()) {
    report(id, "expected an mbarrier in shared memory");
    return;
  }
  if (address.offset % 8)
    report(id, "expected an mbarrier at a multiple of 8 bytes, but got " +
                   std::to_string(address.offset));
  bool remote = address.rank != self->rank;
  if (remote && blocks[address.rank].live == 0) {
    report(id, "arrival on an mbarrier of a block that has exited");
    return;
  }
  if (inst.opcode == Opcode::MBarrierInit) {
    if (remote)
      report(id, "init of another block's mbarrier");
    return mbarrierInit(inst, id, address,
                        getOperand<uint32_t>(arguments, inst, 1));
  }
  MBarrier &barrier = findMBarrier(address, id);
  checkInit(barrier, id);
  if (inst.opcode != Opcode::MBarrierInvalidate)
    useMBarrier(barrier, id);
  switch (inst.opcode) {
  case Opcode::MBarrierInvalidate:
    if (remote)
      report(id, "inval of another block's mbarrier");
    mbarrierInvalidate(id, address, barrier);
    break;
  case Opcode::MBarrierArrive:
  case Opcode::MBarrierArriveExpectTx:
  case Opcode::MBarrierExpectTx:
  case Opcode::MBarrierCompleteTx:
    mbarrierArrive(inst, id, barrier, remote, arguments, result);
    break;
  default: {
    bool done = mbarrierWait(inst, id, barrier, remote, arguments);
    if (inst.opcode != Opcode::MBarrierWait)
      *result = done;
  }
  }
}
