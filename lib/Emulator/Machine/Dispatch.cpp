//===- Dispatch.cpp - What lowered code calls -----------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions by index, special registers, shared memory, and the checks
// around loads, stores and atomics.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

static const char *describe(StopKind kind) {
  switch (kind) {
  case StopKind::Trap:
    break;
  case StopKind::Unreachable:
    return "the thread is where the kernel says that it never comes";
  case StopKind::FalseAssumption:
    return "what the kernel assumes here is false";
  case StopKind::DivisionByZero:
    return "division by zero, whose result is undefined";
  case StopKind::DivisionOverflow:
    return "division of the least number by -1, whose result is undefined";
  }
  return "kernel trapped";
}

void Cluster::execute(uint32_t id, char *arguments, char *result) {
  const Instruction &inst = get(id);
  Thread &thread = *self;
  thread.instruction = id;
  thread.steps.left -= StepCount::instruction;
  if (inst.predicate >= 0 &&
      !(getOperand<uint8_t>(arguments, inst, inst.predicate) & 1))
    return;
  switch (inst.opcode) {
  case Opcode::LoadMatrix:
  case Opcode::StoreMatrix:
  case Opcode::MultiplyMatrix:
  case Opcode::Shuffle:
  case Opcode::Vote:
  case Opcode::Reduce:
  case Opcode::Match:
  case Opcode::SyncWarp:
  case Opcode::Elect:
    return warpCollective(inst, id, arguments, result);
  case Opcode::WarpgroupMultiply:
  case Opcode::WarpgroupFence:
  case Opcode::WarpgroupCommit:
  case Opcode::WarpgroupWait:
  case Opcode::AccumulatorRead:
    return warpgroup(inst, id, arguments, result);
  case Opcode::Barrier:
  case Opcode::BarrierArrive:
    return blockBarrier(inst, id, arguments, result);
  case Opcode::ClusterArrive:
    return clusterArrive(false);
  case Opcode::ClusterArriveRelaxed:
    return clusterArrive(true);
  case Opcode::ClusterWait:
    return clusterWait(id);
  case Opcode::MBarrierInit:
  case Opcode::MBarrierInvalidate:
  case Opcode::MBarrierArrive:
  case Opcode::MBarrierArriveExpectTx:
  case Opcode::MBarrierExpectTx:
  case Opcode::MBarrierCompleteTx:
  case Opcode::MBarrierWait:
  case Opcode::MBarrierTryWait:
  case Opcode::MBarrierTestWait:
    return mbarrier(inst, id, arguments, result);
  case Opcode::CopyAsync:
  case Opcode::CopyCommit:
  case Opcode::CopyWait:
  case Opcode::CopyArrive:
    return asyncCopy(inst, id, arguments);
  case Opcode::TensorLoad:
  case Opcode::TensorStore:
  case Opcode::BulkLoad:
  case Opcode::BulkLoadShared:
  case Opcode::BulkStore:
  case Opcode::BulkCommit:
  case Opcode::BulkWait:
    return bulkCopy(inst, id, arguments);
  case Opcode::Fence:
    return fence(inst);
  case Opcode::ProxyFence:
    return proxyFence(inst);
  case Opcode::TensorMapFence:
    return tensorMapFence(inst, id, arguments);
  case Opcode::MBarrierInitFence:
    return fenceInits();
  case Opcode::MapToCluster: {
    SharedAddress address = locate(getOperand<char *>(arguments, inst, 0));
    unsigned rank = getOperand<uint32_t>(arguments, inst, 1);
    if (rank >= blocks.size()) {
      report(id, "mapa to block " + std::to_string(rank) + " of a cluster of " +
                     std::to_string(blocks.size()));
      rank = thread.rank;
    }
    char *mapped = blocks[rank].shared + address.offset;
    memcpy(result, &mapped, sizeof mapped);
    return;
  }
  case Opcode::Convert:
    return convertNumbers(inst, arguments, result);
  case Opcode::PermuteBytes:
    return permuteBytes(inst, arguments, result);
  case Opcode::MoveMemory:
    return moveMemory(inst, id, arguments);
  case Opcode::Trap:
    report(id, describe(StopKind(inst.kind)));
    abandon();
  case Opcode::Exit:
    exitThread();
  case Opcode::Sleep:
    return spin(/*learned=*/false);
  case Opcode::SetMaxRegisters:
    return setMaxRegisters(inst, id);
  case Opcode::Nothing:
  case Opcode::Access:
  case Opcode::Atomic:
  case Opcode::LoopRound:
    return;
  case Opcode::LocalVariable: {          // the frame of a function
    constexpr size_t reserve = 32 << 10; // for the machine
    char here;
    if (thread.steps.left < 0) // calls in place of a loop
      takeSteps(id);
    if (&here > stacks->get(thread.index) + reserve)
      return;
    report(id, "calls too deep: the stack of the thread has no room for "
               "another frame");
    abandon();
  }
  }
}

/// Axes x, y, z in threes, then the scalars; the lowering counts the same way.
int32_t Cluster::specialRegister(unsigned which) {
  auto axis = [](const Dim3 &d, unsigned i) {
    return i == 0 ? d.x : i == 1 ? d.y : d.z;
  };
  const Launch &l = state.launch;
  unsigned i = which % 3, local = self->local, rank = self->rank;
  unsigned id = axis(blocks[rank].id, i), shape = axis(l.cluster, i);
  unsigned lane = local % warpSize;
  switch (which / 3) {
  case 0: // tid
    return i == 0   ? local % l.block.x
           : i == 1 ? local / l.block.x % l.block.y
                    : local / l.block.x / l.block.y;
  case 1: // ntid
    return axis(l.block, i);
  case 2: // ctaid
    return id;
  case 3: // nctaid
    return axis(l.grid, i);
  case 4: // clusterid
    return id / shape;
  case 5: // nclusterid
    return axis(l.grid, i) / shape;
  case 6: // cluster.ctaid
    return id % shape;
  case 7: // cluster.nctaid
    return shape;
  }
  switch (which) {
  case 24: // laneid
    return lane;
  case 25: // warpid
    return local / warpSize;
  case 26: // cluster.ctarank
    return rank;
  case 27: // cluster.nctarank
    return blocks.size();
  case 28: // warpsize
    return warpSize;
  case 29: // nwarpid
    return (threadsPerBlock + warpSize - 1) / warpSize;
  case 30: // smid: clusters are given to processors in turn
    return index % 132;
  case 31: // nsmid
    return 132;
  case 32: // dynamic.smem.size
    return l.dynamicSharedBytes;
  case 33: // total.smem.size
    return l.sharedBytes;
  case 34: // lanemask.eq
    return 1u << lane;
  case 35: // lanemask.le
    return (2u << lane) - 1;
  case 36: // lanemask.lt
    return (1u << lane) - 1;
  case 37: // lanemask.ge
    return ~((1u << lane) - 1);
  case 38: // lanemask.gt
    return ~((2u << lane) - 1);
  default: // gridid
    return 0;
  }
}

/// Goes on with every switch and every look, so that waiting for it ends.
int64_t Cluster::readClock() {
  return int64_t(statistics.fiberSwitches + 16 * ++clockReads);
}

void ampEmuExecute(int64_t instruction, char *arguments, char *result) {
  running->execute(uint32_t(instruction), arguments, result);
}

int32_t ampEmuSpecialRegister(int32_t which) {
  return running->specialRegister(which);
}

int64_t ampEmuClock() { return running->readClock(); }

void *ampEmuShared() { return running->myBlock().shared; }

void *ampEmuSharedAddress(int32_t offset) {
  return running->myBlock().shared + (uint32_t(offset) & (windowBytes - 1));
}

void ampEmuAccess(void *address, int32_t size, int64_t instruction) {
  running->ordinaryAccess(address, size, uint32_t(instruction));
}

void ampEmuAtomic(void *address, int32_t size, int64_t instruction) {
  running->beginAtomic(address, size, uint32_t(instruction));
}

void ampEmuAtomicDone(void *address, int64_t instruction) {
  running->endAtomic(address, uint32_t(instruction));
}

void *ampEmuLocal(int64_t bytes, int32_t alignment, int64_t instruction) {
  return running->allocateLocal(uint64_t(bytes), unsigned(alignment),
                                uint32_t(instruction));
}

void *ampEmuLocalMark() {
  return reinterpret_cast<void *>(running->local.mark(running->self->index));
}

void ampEmuLocalRelease(void *mark) {
  running->local.release(running->self->index, reinterpret_cast<size_t>(mark));
}

int64_t *ampEmuSteps() { return &running->self->steps.left; }

void ampEmuStepsTaken(int64_t instruction) {
  running->takeSteps(uint32_t(instruction));
}
