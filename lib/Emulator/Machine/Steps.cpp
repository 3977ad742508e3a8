//===- Steps.cpp - Loops that do not end ----------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has an allowance of steps. Loops take it down where they come round
// (the lowering puts that in), accesses and instructions from here; only loops
// look whether anything is left. When nothing is, a thread that has touched
// memory lets the others run: what it waits for may be a plain store of theirs,
// which as a race is a better finding than that it waits. The next allowance is
// larger by far, so that of many threads in the same endless loop one comes to
// the limit long before the others.
//
// The weights are what things cost here, roughly in nanoseconds, but for a read
// of the same place again and again: nobody computes like that.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

void StepCount::countAccess(const void *address, uint32_t instruction,
                            bool writes) {
  bool again = !writes && address == lastRead && instruction == lastReader;
  left -= again ? 64 : 4;
  lastRead = writes ? nullptr : address;
  lastReader = instruction;
  touchedMemory = true;
}

void Cluster::takeSteps(uint32_t id) {
  Thread &thread = *self;
  StepCount &steps = thread.steps;
  thread.instruction = id;
  steps.taken += uint64_t(steps.allowance - steps.left);
  uint64_t limit = state.options.stepLimit;
  if (limit && steps.taken >= limit) {
    report(id, "loop without end: the thread has taken " +
                   std::to_string(limit) +
                   " steps; if it is meant to, raise the step limit");
    abandon();
  }
  steps.allowance *= 16;
  if (limit)
    steps.allowance = std::min(steps.allowance, int64_t(limit - steps.taken));
  else
    steps.allowance = std::min(steps.allowance, int64_t(1) << 40);
  steps.left = steps.allowance;
  if (!steps.touchedMemory)
    return;
  steps.touchedMemory = false;
  ++statistics.fiberSwitches;
  switchFiber(thread.fiber, scheduler);
}
