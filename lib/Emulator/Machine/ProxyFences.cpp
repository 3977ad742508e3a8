//===- ProxyFences.cpp - Order between the proxies ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fence.proxy.async marks all that its thread is ordered after, its own
// accesses and others', as ready for the asynchronous proxy, in the spaces that
// it names (PTX ISA, membar/fence: "limited only to operations performed on
// objects in the state space specified"). .shared::cta is the memory of the
// thread's own block, wherever the write came from.
//
// The fences of the tensormap proxy order nothing but descriptors that a kernel
// has written in global memory, and such descriptors have no model: here they
// order nothing.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

void Cluster::proxyFence(const Instruction &inst) {
  Thread &thread = *self;
  View &view = thread.view;
  auto space = FencedSpace(inst.kind);
  auto fenced = std::make_shared<Clocks>(view.seen);
  if (space == FencedSpace::All || space == FencedSpace::Global) {
    view.fenced.set(globalSpace, fenced);
    view.foreignFenced = view.foreign;
  }
  for (unsigned rank = 0; rank < blocks.size(); ++rank)
    if (space == FencedSpace::All || space == FencedSpace::SharedCluster ||
        (space == FencedSpace::SharedBlock && rank == thread.rank))
      view.fenced.set(sharedSpace(rank), fenced);
  ++view.seen[thread.index];
}

/// Operands of an acquire: address, size.
void Cluster::tensorMapFence(const Instruction &inst, uint32_t id,
                             const char *arguments) {
  if (inst.offsets.empty())
    return;
  const char *address = getOperand<const char *>(arguments, inst, 0);
  int32_t size = getOperand<int32_t>(arguments, inst, 1);
  if (size != 128 || !state.memory.find(address, size))
    report(id, "expected a fence of 128 bytes of global memory");
}
