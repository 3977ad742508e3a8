//===- MemoryMoves.cpp - memcpy, memmove and memset -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks of memory moves, which the lowered code then does itself. A copy
// may have holes that nobody wrote, as a struct does that is padded; its target
// then has the same ones, so that who reads them there is found. A copy of
// nothing but holes is a mistake by itself.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include <algorithm>

using namespace amp::emu;

/// Which bytes of a range, whose bounds have been checked, have been written.
static std::vector<bool> getWrittenBytes(Cluster &cluster, const char *address,
                                         uint64_t size) {
  if (int owner = cluster.local.getOwner(address); owner >= 0) {
    const LocalVariable &variable = *cluster.local.getNearest(owner, address);
    auto first = variable.initialised.begin() + (address - variable.begin);
    return std::vector<bool>(first, first + size);
  }
  SharedAddress shared = cluster.locate(address);
  if (shared.rank == ~0u)
    return cluster.state.memory.getWritten(address, size);
  std::vector<bool> written(size);
  const std::vector<Line> &shadow = cluster.blocks[shared.rank].shadow;
  for (uint64_t i = 0, at = shared.offset; i < size; ++i, ++at)
    written[i] = getWritten(shadow[at / 16]) >> at % 16 & 1;
  return written;
}

static void forgetBytes(Cluster &cluster, char *address, uint64_t size) {
  if (int owner = cluster.local.getOwner(address); owner >= 0) {
    LocalVariable &variable = *cluster.local.getNearest(owner, address);
    std::fill_n(variable.initialised.begin() + (address - variable.begin), size,
                false);
    return;
  }
  SharedAddress shared = cluster.locate(address);
  if (shared.rank == ~0u)
    return cluster.state.memory.forget(address, size);
  std::vector<Line> &shadow = cluster.blocks[shared.rank].shadow;
  for (uint64_t at = shared.offset; at < shared.offset + size; ++at)
    forget(shadow[at / 16], at % 16, 1);
}

/// Operands: target, size and, of a copy, source.
void Cluster::moveMemory(const Instruction &inst, uint32_t id,
                         const char *arguments) {
  char *target = getOperand<char *>(arguments, inst, 0);
  uint64_t size = getOperand<uint64_t>(arguments, inst, 1);
  if (size == 0)
    return;
  std::vector<bool> written;
  if (inst.number == 3) {
    char *source = getOperand<char *>(arguments, inst, 2);
    checkAccess(source, size, AccessKind::Move, id);
    bool overlaps = source < target + size && target < source + size;
    if (overlaps && source != target && !inst.readOnly)
      report(id, "memcpy of " + std::to_string(size) +
                     " bytes between places that overlap; use memmove");
    if (state.options.check)
      written = getWrittenBytes(*this, source, size);
    if (!written.empty() &&
        std::find(written.begin(), written.end(), true) == written.end())
      checkAccess(source, size, AccessKind::Read, id); // says so
  }
  checkAccess(target, size, AccessKind::Write, id);
  for (uint64_t i = 0, end; i < written.size(); i = end) {
    end = i + 1;
    if (written[i])
      continue;
    while (end < written.size() && !written[end])
      ++end;
    forgetBytes(*this, target + i, end - i);
  }
}
