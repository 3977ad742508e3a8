//===- Releases.h - What an atomic location hands on ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A release and the acquire that reads its value synchronise only if each names
// a scope that includes the other's thread (PTX ISA, Memory Consistency Model,
// "Release and acquire patterns", "Synchronizes-with"). So a location keeps
// what was released there by where it came from and how far it reaches: for
// threads of the same block or cluster by origin; for all others, of whom there
// may be thousands, joined into one.
//
// A release sequence is C11's: a store begins another, a read-modify-write
// continues the one it finds.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_RELEASES_H
#define AMP_LIB_EMULATOR_MACHINE_RELEASES_H

#include "Clocks.h"

#include "amp/Emulator/Instruction.h"

#include <map>
#include <tuple>

namespace amp::emu {

/// A block: where something was released, or is to be acquired.
struct Origin {
  uint32_t cluster;
  unsigned rank;
};

class Releases {
public:
  /// A store, unless it is part of a read-modify-write.
  void beginSequence();
  void add(Origin from, Scope scope, const View &view);
  /// Joins what a thread at `to` acquires of those threads that `scope` is the
  /// narrowest to include: of its block, its cluster, or the device.
  void join(View &view, Origin to, Scope scope) const;

  /// Changes when anything does.
  uint64_t getVersion() const { return version; }

private:
  uint64_t version = 0;
  std::map<std::tuple<uint32_t, unsigned, Scope>, View> byOrigin;
  /// At the scope of the device: also of the clusters' own threads.
  ForeignClocks device, deviceFenced;
};

/// An atomic location.
struct AtomicLocation {
  Releases releases;
  /// What fences of the total order have covered before writes here, whoever
  /// executed them.
  Releases totallyFenced;
};

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_RELEASES_H
