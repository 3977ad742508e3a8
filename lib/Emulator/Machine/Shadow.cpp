//===- Shadow.cpp - The history of memory, for race detection -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One cell at a time. The order of the tests decides which of several findings
// is named: what is still in flight first, as its data are not even there.
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

using namespace amp::emu;

Cell::Cell(const Cell &other) { *this = other; }

Cell &Cell::operator=(const Cell &other) {
  write = other.write;
  std::copy(std::begin(other.reads), std::end(other.reads), std::begin(reads));
  readCount = other.readCount;
  initialised = other.initialised;
  inFlight = other.inFlight;
  genericWrite = other.genericWrite;
  atomicWrite = other.atomicWrite;
  atomicReads = other.atomicReads;
  moreReads = other.moreReads
                  ? std::make_unique<std::vector<Epoch>>(*other.moreReads)
                  : nullptr;
  return *this;
}

/// Reads of other clusters accumulate where thousands of blocks read the same
/// operand; any of them conflicts with an unordered write, so a few will do.
constexpr size_t maxReads = 1024;

static bool isWrite(AccessKind kind) {
  return kind == AccessKind::Write || kind == AccessKind::AtomicWrite;
}
static bool isAtomic(AccessKind kind) {
  return kind == AccessKind::AtomicRead || kind == AccessKind::AtomicWrite;
}

static void recordRead(Cell &cell, const Actor &actor, bool atomic) {
  // Readers that the actor is ordered after are covered by it.
  unsigned kept = 0;
  for (unsigned i = 0; i < cell.readCount; ++i)
    if (!actor.knows(cell.reads[i]))
      cell.reads[kept++] = cell.reads[i];
  cell.atomicReads = atomic && (kept == 0 || cell.atomicReads);
  if (kept < std::size(cell.reads)) {
    cell.reads[kept++] = actor.epoch;
  } else {
    if (!cell.moreReads)
      cell.moreReads = std::make_unique<std::vector<Epoch>>();
    std::vector<Epoch> &more = *cell.moreReads;
    if (more.size() == more.capacity()) // before it grows: what is covered?
      more.erase(std::remove_if(more.begin(), more.end(),
                                [&](const Epoch &e) { return actor.knows(e); }),
                 more.end());
    if (more.size() < maxReads)
      more.push_back(actor.epoch);
  }
  cell.readCount = kept;
}

static const Epoch *unorderedRead(const Cell &cell, const Actor &actor) {
  for (unsigned i = 0; i < cell.readCount; ++i)
    if (!actor.knows(cell.reads[i]))
      return &cell.reads[i];
  if (cell.moreReads)
    for (const Epoch &e : *cell.moreReads)
      if (!actor.knows(e))
        return &e;
  return nullptr;
}

static Finding checkCell(Cell &cell, const Actor &actor, AccessKind kind,
                         bool inFlight) {
  if (cell.inFlight)
    return {Finding::InFlight, cell.write};
  Finding finding;
  bool bothAtomic = isAtomic(kind) && cell.atomicWrite;
  if (!bothAtomic && !actor.knows(cell.write))
    finding = {isWrite(kind) ? Finding::WriteAfterWrite
                             : Finding::ReadAfterWrite,
               cell.write};
  else if (actor.fenced && cell.genericWrite && !actor.knowsFenced(cell.write))
    finding = {Finding::MissingProxyFence, cell.write};
  if (!isWrite(kind)) {
    if (!cell.initialised && !finding.rule)
      finding.rule = Finding::Uninitialised;
    recordRead(cell, actor, isAtomic(kind));
    return finding;
  }
  if (!(isAtomic(kind) && cell.atomicReads) && !finding.rule)
    if (const Epoch *read = unorderedRead(cell, actor))
      finding = {Finding::WriteAfterRead, *read};
  cell.write = actor.epoch;
  cell.readCount = 0;
  cell.moreReads = nullptr;
  cell.atomicReads = false;
  cell.initialised = true;
  cell.genericWrite = !actor.fenced;
  cell.atomicWrite = isAtomic(kind);
  cell.inFlight = inFlight;
  return finding;
}

static void split(Line &line) {
  if (line.bytes)
    return;
  line.bytes = std::make_unique<std::array<Cell, 16>>();
  line.bytes->fill(line.whole);
}

Finding amp::emu::checkLine(Line &line, unsigned offset, unsigned size,
                            const Actor &actor, AccessKind kind,
                            bool inFlight) {
  if (size == 16 && !line.bytes)
    return checkCell(line.whole, actor, kind, inFlight);
  split(line);
  Finding finding;
  for (unsigned i = offset; i < offset + size; ++i) {
    Finding one = checkCell((*line.bytes)[i], actor, kind, inFlight);
    if (!finding.rule)
      finding = one;
  }
  if (size == 16 && isWrite(kind)) {
    line.whole = std::move((*line.bytes)[0]);
    line.bytes = nullptr;
  }
  return finding;
}

void amp::emu::landCopy(Line &line, unsigned offset, unsigned size,
                        const Epoch &epoch) {
  auto land = [&](Cell &cell) {
    cell.inFlight = false;
    cell.write.who = epoch.who;
    cell.write.cluster = epoch.cluster;
    cell.write.at = epoch.at;
  };
  if (!line.bytes)
    return land(line.whole);
  for (unsigned i = offset; i < offset + size; ++i)
    land((*line.bytes)[i]);
}
