//===- LocalMemory.cpp - Variables of one thread --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses are taken when the first thread of a cluster asks for memory, and
// become memory when they are touched. Variables end in the order in which
// functions return, so a thread's list is a stack.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include <sys/mman.h>

using namespace amp::emu;

LocalMemory::~LocalMemory() {
  if (memory)
    munmap(memory, variables.size() * windowBytes);
}

char *LocalMemory::allocate(unsigned thread, unsigned threads, size_t size,
                            unsigned alignment, uint32_t instruction) {
  if (!memory) {
    void *mapped = mmap(nullptr, threads * windowBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
      return nullptr;
    memory = static_cast<char *>(mapped);
    variables.resize(threads);
  }
  std::vector<LocalVariable> &mine = variables[thread];
  char *window = memory + thread * windowBytes;
  size_t used = 0;
  for (const LocalVariable &variable : mine)
    used += variable.size;
  char *last = mine.empty() ? window : mine.back().begin + mine.back().size;
  size_t start = (size_t(last - window) + gap + 15) / 16 * 16 + alignment % 16;
  if (size > limit - used || start + size + gap > windowBytes)
    return nullptr;
  mine.push_back(
      {window + start, size, instruction, std::vector<bool>(size, false)});
  return window + start;
}

LocalVariable *LocalMemory::getNearest(unsigned thread, const void *address) {
  std::vector<LocalVariable> &mine = variables[thread];
  LocalVariable *nearest = nullptr;
  for (LocalVariable &variable : mine)
    if (!nearest || variable.begin <= address)
      nearest = &variable;
  return nearest;
}

bool Cluster::checkLocal(unsigned owner, const void *address, size_t size,
                         AccessKind kind, uint32_t id) {
  if (owner != self->index) {
    report(id, "access to local memory of another thread: its addresses mean "
               "nothing outside of it");
    return false;
  }
  const char *p = static_cast<const char *>(address);
  LocalVariable *variable = local.getNearest(owner, address);
  if (!variable) {
    report(id, "access to a local variable of a function that has returned");
    return false;
  }
  if (!variable->holds(p, size)) {
    Epoch other;
    other.instruction = variable->instruction;
    report(id,
           "access outside of local memory: " + std::to_string(size) +
               " bytes at " + std::to_string(p - variable->begin) + " of " +
               std::to_string(variable->size),
           &other, "the variable is here");
    return false;
  }
  if (!state.options.check)
    return true;
  auto first = variable->initialised.begin() + (p - variable->begin);
  if (kind == AccessKind::Write)
    std::fill(first, first + size, true);
  else if (kind != AccessKind::Move &&
           std::find(first, first + size, false) != first + size)
    report(id, "read of uninitialised local memory");
  return true;
}

void *Cluster::allocateLocal(uint64_t bytes, unsigned alignment, uint32_t id) {
  self->instruction = id;
  char *begin =
      local.allocate(self->index, threads.size(), bytes, alignment, id);
  if (begin)
    return begin;
  if (!local.isMapped())
    reportNoAddresses(id, "local memory");
  else
    report(id, "expected at most " + std::to_string(LocalMemory::limit) +
                   " bytes of local memory in a thread, but " +
                   std::to_string(bytes) + " more are asked for");
  abandon();
}
