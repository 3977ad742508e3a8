//===- Shadow.h - The history of memory, for race detection -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every byte: the last write and the reads since that no write has
// followed, each as an epoch (as FastTrack does it). A write covers what came
// before it for everyone who is ordered after the write; an atomic does so for
// nobody else, as others may come to the byte unordered with it. So an atomic
// leaves what is weaker than it: ordinary accesses, atomics of narrower scope.
// Most accesses of GPU
// kernels are whole aligned groups of 16 bytes (TMA, cp.async, ldmatrix,
// wgmma), so the history is kept per 16-byte line, and per byte only in lines
// that narrower accesses have touched; a write of the whole line joins it
// again. Exact to the byte, at the price of one cell per 16 bytes for the hot
// paths.
//
// A shadow does not lock. Shared memory belongs to one host thread; global
// memory locks a page around each call.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_SHADOW_H
#define AMP_LIB_EMULATOR_MACHINE_SHADOW_H

#include "Clocks.h"

#include <array>
#include <cstddef>

namespace amp::emu {

enum class AccessKind : uint8_t {
  Read,
  Write,
  // A write of what the bytes that it replaces were needed for.
  Update,
  // A read that hands on bytes that nobody wrote as what they are.
  Move,
  // Of the bytes of an mbarrier, which belong to it from the one to the other.
  BarrierInit,
  BarrierEnd,
};

/// What a cell has rarely.
struct MoreEpochs {
  std::vector<Epoch> reads;
  /// Of `reads`, once they are as many as are kept.
  size_t oldest = 0;
  /// Writes before the last, each weaker than those after it.
  std::vector<Epoch> writes;
};

struct Cell {
  Epoch write;
  Epoch reads[2];
  uint8_t readCount = 0; // of `reads`; more of them in `more`
  bool initialised = false;
  bool inFlight = false;     // written by a cp.async nobody has waited for
  bool genericWrite = false; // the last write went through the generic proxy
  bool barrier = false;      // belongs to a live mbarrier
  std::unique_ptr<MoreEpochs> more;

  Cell() = default;
  Cell(const Cell &other);
  Cell &operator=(const Cell &other);
  Cell(Cell &&) = default;
  Cell &operator=(Cell &&) = default;
};

struct Line {
  Cell whole;
  std::unique_ptr<std::array<Cell, 16>> bytes;
};

/// What is wrong with an access: which rule, and the other access if there is
/// one.
struct Finding {
  enum Rule : uint8_t {
    None,
    InFlight,          // touches what a cp.async is still writing
    WriteAfterWrite,   // two writes without order
    ReadAfterWrite,    // reads what is not ordered after its write
    WriteAfterRead,    // overwrites what someone may still read
    NarrowScope,       // atomics that do not reach each other's thread
    WriteUnderCopy,    // ... what a cp.async may still read
    MissingProxyFence, // asynchronous proxy on a generic write
    Uninitialised,     // reads what nobody wrote
    LiveBarrier,       // touches the bytes of a live mbarrier
  } rule = None;
  Epoch other;
};

/// Checks an access to `size` bytes at byte `offset` of the line and records
/// it. `inFlight` marks the start of a cp.async.
Finding checkLine(Line &line, unsigned offset, unsigned size,
                  const Actor &actor, Space space, AccessKind kind,
                  bool inFlight = false);

/// Which bytes of the line have been written; bit i is byte i.
unsigned getWritten(const Line &line);

/// These bytes are again as if nobody had written them.
void forget(Line &line, unsigned offset, unsigned size);

/// Ends a cp.async write into these bytes: they now belong to `epoch`.
void landCopy(Line &line, unsigned offset, unsigned size, const Epoch &epoch);

/// Reads by `from` are now `to`'s, which others will wait for instead.
void handOverReads(Line &line, unsigned offset, unsigned size,
                   const Epoch &from, const Epoch &to);

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_SHADOW_H
