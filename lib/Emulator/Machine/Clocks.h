//===- Clocks.h - Who did what after what -----------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Happens-before as vector clocks. A clock belongs to a thread of the cluster
// or to an asynchronous agent: something that touches memory on a thread's
// behalf and later than its instruction (one agent for the tensor copies that
// complete on an mbarrier, one for the wgmmas of a warpgroup, two for the bulk
// stores of a thread). An agent's clock counts its operations; a thread learns
// of them by waiting.
//
// Threads of other clusters are only ever ordered by atomics in global memory,
// which is rare, so what a thread knows of other clusters is a shared map that
// is usually null.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_CLOCKS_H
#define AMP_LIB_EMULATOR_MACHINE_CLOCKS_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace amp::emu {

using Clock = uint32_t;

constexpr uint32_t noInstruction = ~0u;

/// One access: who, when by its own clock, and which instruction.
struct Epoch {
  Clock at = 0; // 0: nothing happened, which everyone knows
  uint32_t instruction = noInstruction;
  uint32_t cluster = 0;
  uint16_t who = 0;
};

/// By thread and agent; agents that came later are at 0.
using Clocks = std::vector<Clock>;
/// By cluster; the clocks never change once they are here.
using ForeignClocks = std::map<uint32_t, std::shared_ptr<const Clocks>>;

/// What a thread is ordered after. `fenced` is the part of `seen` that has a
/// proxy fence behind it, which the asynchronous proxy may touch.
struct View {
  Clocks seen, fenced;
  std::shared_ptr<const ForeignClocks> foreign, foreignFenced;

  void reset(size_t size) {
    seen.assign(size, 0);
    fenced.assign(size, 0);
    foreign = foreignFenced = nullptr;
  }
  void join(const View &other);
  /// Only what `other` knows of agents, which come after `threads`.
  void joinAgents(const View &other, size_t threads);
  /// Keeps what `other` is ordered after too, within the cluster.
  void meet(const View &other);
};

/// On whose behalf memory is touched, and what it is ordered after. `fenced` is
/// null in the generic proxy.
struct Actor {
  Epoch epoch;
  const Clocks *seen = nullptr, *fenced = nullptr;
  const ForeignClocks *foreign = nullptr, *foreignFenced = nullptr;

  bool knows(const Epoch &e) const { return covers(e, *seen, foreign); }
  bool knowsFenced(const Epoch &e) const {
    return covers(e, *fenced, foreignFenced);
  }

private:
  static bool reached(const Clocks &clocks, const Epoch &e) {
    return e.who < clocks.size() && clocks[e.who] >= e.at;
  }
  bool covers(const Epoch &e, const Clocks &clocks,
              const ForeignClocks *others) const {
    if (e.at == 0)
      return true;
    if (e.cluster == epoch.cluster)
      return reached(clocks, e);
    if (!others)
      return false;
    auto it = others->find(e.cluster);
    return it != others->end() && reached(*it->second, e);
  }
};

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_CLOCKS_H
