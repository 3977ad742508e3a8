//===- BulkCopies.cpp - Bulk copies and the groups of bulk stores ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk without a tensor map, and what tensor copies share with it. A
// load counts its bytes on an mbarrier of each destination block; a store
// belongs to a group of its thread. A store has two agents: one reads shared
// memory, one writes global memory, for wait_group.read waits only for the
// first. All of it goes through the asynchronous proxy: checked when issued,
// performed later by the cluster's engine.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

Clock Cluster::openBulkStore(uint32_t id, Actor &reader, Actor &writer) {
  Thread &thread = *self;
  if (thread.readAgent < 0) {
    thread.readAgent = makeAgent("a bulk store reading");
    thread.writeAgent = makeAgent("a bulk store writing");
  }
  Clock group = thread.bulkCommitted + 1;
  thread.bulkOpen = true;
  thread.bulkInstruction = id;
  ++thread.bulkPending[group];
  reader = genericActor(thread);
  reader.fenced = &thread.view.fenced;
  reader.foreignFenced = &thread.view.foreignFenced;
  reader.epoch.at = group;
  reader.epoch.who = thread.readAgent;
  writer = reader;
  writer.epoch.who = thread.writeAgent;
  return group;
}

void Cluster::endBulkStore(Thread &thread, Clock group) {
  if (!--thread.bulkPending[group])
    thread.bulkPending.erase(group);
  wake(thread.index); // it tests its own condition again
}

void Cluster::bulkWait(const Instruction &inst) {
  Thread &thread = *self;
  Clock allowed = inst.number;
  Clock done =
      thread.bulkCommitted > allowed ? thread.bulkCommitted - allowed : 0;
  while (!thread.bulkPending.empty() &&
         thread.bulkPending.begin()->first <= done)
    suspend();
  thread.bulkRead = std::max(thread.bulkRead, done);
  if (thread.readAgent < 0)
    return;
  thread.view.seen[thread.readAgent] = thread.bulkRead;
  if (inst.readOnly)
    return;
  thread.bulkWritten = std::max(thread.bulkWritten, done);
  thread.view.seen[thread.writeAgent] = thread.bulkWritten;
}

static const char *checkBulk(uint32_t shared, const void *global,
                             uint32_t bytes) {
  if (shared % 16 || reinterpret_cast<uintptr_t>(global) % 16)
    return "expected a bulk copy between addresses that are multiples of 16";
  if (bytes % 16)
    return "expected a bulk copy of a multiple of 16 bytes";
  return nullptr;
}

/// Operands: target, source, mbarrier, size, [multicast mask].
void Cluster::bulkLoad(const Instruction &inst, uint32_t id, char *arguments) {
  Thread &thread = *self;
  SharedAddress to = locate(getOperand<char *>(arguments, inst, 0));
  char *source = getOperand<char *>(arguments, inst, 1);
  SharedAddress at = locate(getOperand<char *>(arguments, inst, 2));
  uint32_t bytes = getOperand<uint32_t>(arguments, inst, 3);
  bool fromShared = inst.opcode == Opcode::BulkLoadShared;
  if (const char *why = checkBulk(to.offset, source, bytes))
    report(id, why);
  uint32_t mask = inst.optional[0] < 0
                      ? 1u << to.rank
                      : getOperand<uint16_t>(arguments, inst, inst.optional[0]);
  for (unsigned r = 0; r < blocks.size(); ++r) {
    if (!(mask >> r & 1))
      continue;
    MBarrier &barrier = findMBarrier({fromShared ? to.rank : r, at.offset}, id);
    checkCompletion(barrier, id);
    Clock operation = ++barrier.issued;
    barrier.outstanding.insert(operation);
    Actor actor = genericActor(thread);
    actor.fenced = &thread.view.fenced;
    actor.foreignFenced = &thread.view.foreignFenced;
    actor.epoch.at = operation;
    actor.epoch.who = barrier.agent;
    bool inside =
        fromShared
            ? checkShared(actor, locate(source), bytes, AccessKind::Read, id)
            : checkGlobal(actor, source, bytes, AccessKind::Read, id);
    inside &= checkShared(actor, {r, to.offset}, bytes, AccessKind::Write, id);
    statistics.bulkBytes += bytes;
    char *target = blocks[r].shared + to.offset;
    engine.push_back([=, &barrier] {
      if (inside)
        memcpy(target, source, bytes);
      completeCopy(barrier, operation, bytes, id);
    });
  }
}

/// Operands: target, source, size.
void Cluster::bulkStore(const Instruction &inst, uint32_t id, char *arguments) {
  char *target = getOperand<char *>(arguments, inst, 0);
  char *source = getOperand<char *>(arguments, inst, 1);
  uint32_t bytes = getOperand<uint32_t>(arguments, inst, 2);
  SharedAddress from = locate(source);
  if (const char *why = checkBulk(from.offset, target, bytes))
    report(id, why);
  Actor reader, writer;
  Clock group = openBulkStore(id, reader, writer);
  bool inside = checkShared(reader, from, bytes, AccessKind::Read, id) &&
                checkGlobal(writer, target, bytes, AccessKind::Write, id);
  statistics.bulkBytes += bytes;
  Thread &thread = *self;
  engine.push_back([=, &thread] {
    if (inside)
      memcpy(target, source, bytes);
    endBulkStore(thread, group);
  });
}

void Cluster::bulkCopy(const Instruction &inst, uint32_t id, char *arguments) {
  switch (inst.opcode) {
  case Opcode::BulkLoad:
  case Opcode::BulkLoadShared:
    return bulkLoad(inst, id, arguments);
  case Opcode::BulkStore:
    return bulkStore(inst, id, arguments);
  case Opcode::TensorLoad:
    return tensorLoad(inst, id, arguments);
  case Opcode::TensorStore:
    return tensorStore(inst, id, arguments);
  case Opcode::BulkCommit:
    ++self->bulkCommitted;
    self->bulkOpen = false;
    return;
  default:
    return bulkWait(inst);
  }
}
