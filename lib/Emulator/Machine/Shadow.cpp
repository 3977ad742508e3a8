//===- Shadow.cpp - The history of memory, for race detection -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One cell at a time. The order of the tests decides which of several findings
// is named: what is still in flight early, as its data are not even there.
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
  barrier = other.barrier;
  more = other.more ? std::make_unique<MoreEpochs>(*other.more) : nullptr;
  return *this;
}

/// Reads of other clusters accumulate where thousands of blocks read the same
/// operand; any of them conflicts with an unordered write, so the last ones
/// will do.
constexpr size_t maxReads = 256;

static bool isWrite(AccessKind kind) {
  return kind != AccessKind::Read && kind != AccessKind::Move;
}

static void recordRead(Cell &cell, const Actor &actor) {
  // Readers that the actor is ordered after are covered by it, unless they race
  // with more.
  auto isCovered = [&](const Epoch &e) {
    return actor.knows(e) && e.strength >= actor.epoch.strength;
  };
  unsigned kept = 0;
  for (unsigned i = 0; i < cell.readCount; ++i)
    if (!isCovered(cell.reads[i]))
      cell.reads[kept++] = cell.reads[i];
  if (kept < std::size(cell.reads)) {
    cell.reads[kept++] = actor.epoch;
  } else {
    if (!cell.more)
      cell.more = std::make_unique<MoreEpochs>();
    std::vector<Epoch> &more = cell.more->reads;
    if (more.size() == maxReads) {
      more[cell.more->oldest++ % maxReads] = actor.epoch;
    } else {
      if (more.size() == more.capacity()) // before it grows: what is covered?
        more.erase(std::remove_if(more.begin(), more.end(), isCovered),
                   more.end());
      more.push_back(actor.epoch);
    }
  }
  cell.readCount = kept;
}

static bool races(const Actor &actor, const Epoch &e) {
  return !actor.knows(e) && !actor.isStrongWith(e);
}

static const Epoch *findRace(const Actor &actor,
                             const std::vector<Epoch> &epochs) {
  auto it = std::find_if(epochs.begin(), epochs.end(),
                         [&](const Epoch &e) { return races(actor, e); });
  return it == epochs.end() ? nullptr : &*it;
}

static const Epoch *findRacingRead(const Cell &cell, const Actor &actor) {
  for (unsigned i = 0; i < cell.readCount; ++i)
    if (races(actor, cell.reads[i]))
      return &cell.reads[i];
  return cell.more ? findRace(actor, cell.more->reads) : nullptr;
}

static const Epoch *findRacingWrite(const Cell &cell, const Actor &actor) {
  if (races(actor, cell.write))
    return &cell.write;
  return cell.more ? findRace(actor, cell.more->writes) : nullptr;
}

/// A write by the actor takes the place of what came before, except of what is
/// weaker. A race with it has been reported.
static void recordWrite(Cell &cell, const Actor &actor) {
  auto isCovered = [&](const Epoch &e) {
    return e.strength >= actor.epoch.strength || races(actor, e);
  };
  unsigned kept = 0;
  for (unsigned i = 0; i < cell.readCount; ++i)
    if (!isCovered(cell.reads[i]))
      cell.reads[kept++] = cell.reads[i];
  cell.readCount = kept;
  bool hidesWrite = cell.write.at && !isCovered(cell.write);
  if (hidesWrite && !cell.more)
    cell.more = std::make_unique<MoreEpochs>();
  if (cell.more) {
    for (std::vector<Epoch> *epochs : {&cell.more->reads, &cell.more->writes})
      epochs->erase(std::remove_if(epochs->begin(), epochs->end(), isCovered),
                    epochs->end());
    if (hidesWrite)
      cell.more->writes.push_back(cell.write);
    else if (cell.more->reads.empty() && cell.more->writes.empty())
      cell.more = nullptr;
  }
  cell.write = actor.epoch;
}

/// The race of two accesses without order is `rule`, if one is ordinary.
static Finding makeRace(Finding::Rule rule, const Actor &actor,
                        const Epoch &other) {
  bool bothAtomic = actor.epoch.strength != Strength::Weak &&
                    other.strength != Strength::Weak;
  return {bothAtomic ? Finding::NarrowScope : rule, other};
}

static Finding checkCell(Cell &cell, const Actor &actor, Space space,
                         AccessKind kind, bool inFlight) {
  if (cell.barrier && kind != AccessKind::BarrierEnd)
    return {Finding::LiveBarrier, cell.write}; // what is there stays as it is
  if (cell.inFlight)
    return {Finding::InFlight, cell.write};
  Finding finding;
  if (const Epoch *write = findRacingWrite(cell, actor))
    finding = makeRace(isWrite(kind) ? Finding::WriteAfterWrite
                                     : Finding::ReadAfterWrite,
                       actor, *write);
  else if (actor.fenced && cell.genericWrite &&
           !actor.knowsFenced(cell.write, space))
    finding = {Finding::MissingProxyFence, cell.write};
  if (!isWrite(kind)) {
    if (!cell.initialised && !finding.rule && kind != AccessKind::Move)
      finding.rule = Finding::Uninitialised;
    recordRead(cell, actor);
    return finding;
  }
  if (!finding.rule)
    if (const Epoch *read = findRacingRead(cell, actor))
      finding = makeRace(read->copying ? Finding::WriteUnderCopy
                                       : Finding::WriteAfterRead,
                         actor, *read);
  if (kind == AccessKind::Update && !cell.initialised && !finding.rule)
    finding.rule = Finding::Uninitialised;
  recordWrite(cell, actor);
  cell.initialised = kind != AccessKind::BarrierEnd;
  cell.barrier = kind == AccessKind::BarrierInit;
  cell.genericWrite = !actor.fenced;
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
                            const Actor &actor, Space space, AccessKind kind,
                            bool inFlight) {
  if (size == 16 && !line.bytes)
    return checkCell(line.whole, actor, space, kind, inFlight);
  split(line);
  Finding finding;
  bool alike = true;
  for (unsigned i = offset; i < offset + size; ++i) {
    Finding one = checkCell((*line.bytes)[i], actor, space, kind, inFlight);
    alike &= one.rule != Finding::LiveBarrier;
    if (!finding.rule)
      finding = one;
  }
  if (size == 16 && isWrite(kind) && alike) {
    line.whole = std::move((*line.bytes)[0]);
    line.bytes = nullptr;
  }
  return finding;
}

unsigned amp::emu::getWritten(const Line &line) {
  if (!line.bytes)
    return line.whole.initialised ? 0xffff : 0;
  unsigned written = 0;
  for (unsigned i = 0; i < 16; ++i)
    written |= unsigned((*line.bytes)[i].initialised) << i;
  return written;
}

void amp::emu::forget(Line &line, unsigned offset, unsigned size) {
  split(line);
  for (unsigned i = offset; i < offset + size; ++i)
    (*line.bytes)[i].initialised = false;
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

void amp::emu::handOverReads(Line &line, unsigned offset, unsigned size,
                             const Epoch &from, const Epoch &to) {
  auto handOver = [&](Cell &cell) {
    auto rename = [&](Epoch &read) {
      if (read.isSame(from)) {
        read.at = to.at;
        read.who = to.who;
      }
    };
    std::for_each_n(cell.reads, cell.readCount, rename);
    if (cell.more)
      std::for_each(cell.more->reads.begin(), cell.more->reads.end(), rename);
  };
  if (size < 16)
    split(line);
  if (!line.bytes)
    return handOver(line.whole);
  for (unsigned i = offset; i < offset + size; ++i)
    handOver((*line.bytes)[i]);
}
