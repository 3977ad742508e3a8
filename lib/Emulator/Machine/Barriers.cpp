//===- Barriers.cpp - Barriers of a block and of a cluster ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arriving joins the thread's view into the barrier; passing takes the view
// that the barrier had when it completed. The sixteen barriers of a block count
// threads (bar.sync, bar.arrive, bar.red); without a count they wait for all
// that are alive. A relaxed cluster arrival hands on nothing but what fences of
// the cluster's scope have covered, and fenced mbarrier initialisations, which
// is what it is for.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

void Cluster::settle(NamedBarrier &barrier) {
  barrier.done = barrier.view;
  barrier.view.reset(threads.size());
  unsigned count = barrier.arrived;
  switch (ReduceKind(barrier.instruction == noInstruction
                         ? 0
                         : get(barrier.instruction).kind)) {
  case ReduceKind::And:
    barrier.reduced = barrier.counted == count;
    break;
  case ReduceKind::Or:
    barrier.reduced = barrier.counted != 0;
    break;
  default:
    barrier.reduced = barrier.counted;
  }
  barrier.counted = barrier.arrived = 0;
  ++barrier.generation;
  wakeAll(barrier.waiters);
}

/// Passing a barrier whose view the running thread has joined and has learned
/// nothing since.
void Cluster::takeView(const View &view) {
  Clocks &seen = self->view.seen;
  size_t clocks = seen.size();
  Clock mine = seen[self->index];
  self->view = view;
  seen.resize(clocks); // agents may have come since
  seen[self->index] = mine;
}

void Cluster::blockBarrier(const Instruction &inst, uint32_t id,
                           char *arguments, char *result) {
  Thread &thread = *self;
  auto optional = [&](int i) -> uint32_t {
    return inst.optional[i] < 0
               ? 0
               : getOperand<uint32_t>(arguments, inst, inst.optional[i]);
  };
  uint32_t number = optional(0), count = optional(1);
  if (number > 15) {
    report(id, "barrier number " + std::to_string(number) + " is above 15");
    return;
  }
  bool sync = inst.opcode == Opcode::Barrier;
  if (count % warpSize || count > threadsPerBlock || (!sync && !count))
    report(id, "expected a barrier's thread count to be whole warps of the "
               "block, but got " +
                   std::to_string(count));
  NamedBarrier &barrier = myBlock().barriers[number];
  Epoch other;
  other.instruction = barrier.instruction;
  if (barrier.arrived == 0) {
    barrier.instruction = id;
    barrier.expected = count;
  } else if (barrier.expected != count) {
    report(id, "threads disagree on the thread count of a barrier", &other,
           "another thread waits here");
  } else if (count == 0 && barrier.instruction != id) {
    report(id, "threads of one block wait at different barriers", &other,
           "another thread waits here");
  }
  barrier.view.join(thread.view);
  ++thread.view.seen[thread.index];
  barrier.counted += optional(2) != 0;
  unsigned generation = barrier.generation;
  if (++barrier.arrived == (count ? count : myBlock().live))
    settle(barrier);
  if (!sync)
    return;
  while (barrier.generation == generation) {
    barrier.waiters.push_back(thread.index);
    suspend();
  }
  if (barrier.generation == generation + 1)
    takeView(barrier.done);
  else // a later one's: others have passed again
    thread.view.join(barrier.done);
  if (result && ReduceKind(inst.kind) != ReduceKind::None)
    memcpy(result, &barrier.reduced, 4);
}

void Cluster::settle(ClusterBarrier &barrier) {
  if (!barrier.arrived || barrier.arrived < live)
    return;
  barrier.done = barrier.view;
  barrier.view.reset(threads.size());
  barrier.arrived = 0;
  ++barrier.generation;
  for (Thread &thread : threads) // who waits for something else tests again
    wake(thread.index);
}

void Cluster::clusterArrive(bool relaxed) {
  Thread &thread = *self;
  if (thread.clusterArrived)
    report(thread.instruction, "second cluster arrival without a wait");
  thread.clusterArrived = true;
  thread.clusterGeneration = clusterBarrier.generation;
  if (relaxed) {
    handOnInits();
    if (const View *fenced = thread.releaseFences[int(Scope::Cluster)].get())
      clusterBarrier.view.join(*fenced);
  } else {
    clusterBarrier.view.join(thread.view);
    ++thread.view.seen[thread.index];
  }
  ++clusterBarrier.arrived;
  settle(clusterBarrier);
}

void Cluster::clusterWait(uint32_t id) {
  Thread &thread = *self;
  if (!thread.clusterArrived) {
    report(id, "cluster wait without an arrival");
    return;
  }
  while (clusterBarrier.generation == thread.clusterGeneration)
    suspend();
  thread.clusterArrived = false;
  thread.view.join(clusterBarrier.done);
}

void Cluster::leaveBarriers(Thread &thread) {
  Block &block = blocks[thread.rank];
  if (block.live == 0) {
    // Its shared memory goes: what others do to it must be ordered before.
    View last = thread.view;
    for (Thread &other : threads)
      if (other.rank == thread.rank)
        last.join(other.view);
    for (auto &[key, barrier] : mbarriers) {
      if (barrier.rank != thread.rank)
        continue;
      for (auto &[who, arrival] : barrier.remote)
        if (last.seen[who] < arrival.at)
          report(arrival.instruction,
                 "block may exit before this remote arrival on it");
      if (last.seen[barrier.agent] < barrier.issued)
        report(barrier.init.instruction,
               "block exits while copies that nobody has waited for may still "
               "write to it");
    }
  }
  for (NamedBarrier &barrier : block.barriers)
    if (barrier.arrived && !barrier.expected && barrier.arrived == block.live)
      settle(barrier);
  settle(clusterBarrier);
}
