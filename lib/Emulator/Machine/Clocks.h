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
// which is rare, so what a thread knows of other clusters is usually nothing.
// After a barrier of a whole grid it is something of every cluster, for each
// thread of the grid: so that is a tree that never changes, whose parts threads
// share, and joining two trees passes over what they share.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_CLOCKS_H
#define AMP_LIB_EMULATOR_MACHINE_CLOCKS_H

#include "amp/Emulator/Instruction.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace amp::emu {

using Clock = uint32_t;

constexpr uint32_t noInstruction = ~0u;

/// Towards whom an access is strong: nobody, or the threads of its scope, with
/// whose own strong accesses it does not race (PTX ISA, Memory Consistency
/// Model, "Morally strong operations").
enum class Strength : uint8_t { Weak, Block, Cluster, Device };

inline Strength toStrength(Scope scope) { return Strength(uint8_t(scope) + 1); }

/// One access: who, when by its own clock, and which instruction.
struct Epoch {
  Clock at = 0; // 0: nothing happened, which everyone knows
  uint32_t instruction = noInstruction;
  uint32_t cluster = 0;
  uint16_t who = 0;
  /// A copy reads for its thread, until a wait for its group. Its clock is one
  /// that the thread does not reach before.
  bool copying = false;
  Strength strength = Strength::Weak;

  bool isSame(const Epoch &e) const {
    return at == e.at && cluster == e.cluster && who == e.who;
  }
};

/// By thread and agent; agents that came later are at 0.
using Clocks = std::vector<Clock>;

/// Clocks by cluster.
class ForeignClocks {
public:
  /// Null where nothing is known.
  const Clocks *find(uint32_t cluster) const;
  void join(const ForeignClocks &other);
  void join(uint32_t cluster, const Clocks &clocks);

private:
  /// Of height 0: the clocks of a cluster. Else sixteen children, which may be
  /// null, each for a sixteenth of the clusters.
  struct Node {
    Clocks clocks;
    std::vector<std::shared_ptr<const Node>> children;
  };
  using Tree = std::shared_ptr<const Node>;
  static Tree join(const Tree &a, const Tree &b, unsigned height);
  void raise(unsigned to);

  Tree root;
  unsigned height = 0;
  /// What was joined last: threads of a block bring the same one by one.
  Tree covered;
};

/// A state space as proxy fences name them: global memory, and the shared
/// memory of each block.
using Space = unsigned;
constexpr Space globalSpace = 0;
inline Space sharedSpace(unsigned rank) { return 1 + rank; }

/// By space: the part of what a thread is ordered after that has a proxy fence
/// of that space behind it. Fences are few and their clocks handed round, so
/// views share them.
class FencedClocks {
public:
  bool knows(Space space, const Epoch &e) const {
    return space < clocks.size() && clocks[space] &&
           e.who < clocks[space]->size() && (*clocks[space])[e.who] >= e.at;
  }
  /// Null where nothing has been fenced.
  const Clocks *get(Space space) const {
    return space < clocks.size() ? clocks[space].get() : nullptr;
  }
  void set(Space space, const std::shared_ptr<Clocks> &fenced);
  void join(const FencedClocks &other);
  void meet(const FencedClocks &other);

private:
  std::vector<std::shared_ptr<Clocks>> clocks; // changed where not shared
};

/// What a thread is ordered after, and what of it the asynchronous proxy may
/// touch. Of other clusters that is only global memory.
struct View {
  Clocks seen;
  FencedClocks fenced;
  ForeignClocks foreign, foreignFenced;
  /// What fences of the total order (fence.sc) on the way here have covered,
  /// and what reads on the way have found of it, for the next such fence. Null
  /// where there is none, as nearly always.
  std::shared_ptr<View> totallyFenced, totallyRead;

  void reset(size_t size) {
    seen.assign(size, 0);
    fenced = {};
    foreign = foreignFenced = {};
    totallyFenced = totallyRead = nullptr;
  }
  void join(const View &other);
  void joinSeen(const Clocks &clocks);
  /// Only what `other` knows of agents, which come after `threads`.
  void joinAgents(const View &other, size_t threads);
  /// Keeps what `other` is ordered after too, within the cluster.
  void meet(const View &other);
};

/// On whose behalf memory is touched, and what it is ordered after. `fenced` is
/// null in the generic proxy.
struct Actor {
  Epoch epoch;
  unsigned threadsPerBlock = 1;
  const Clocks *seen = nullptr;
  const FencedClocks *fenced = nullptr;
  const ForeignClocks *foreign = nullptr, *foreignFenced = nullptr;

  bool knows(const Epoch &e) const {
    if (e.cluster != epoch.cluster)
      return knowsForeign(e, foreign);
    return reached(*seen, e);
  }
  bool knowsFenced(const Epoch &e, Space space) const {
    if (e.cluster != epoch.cluster)
      return space == globalSpace && knowsForeign(e, foreignFenced);
    return e.at == 0 || fenced->knows(space, e);
  }
  /// Whether both are strong, each towards the thread of the other.
  bool isStrongWith(const Epoch &e) const {
    Strength needed = e.cluster != epoch.cluster ? Strength::Device
                      : e.who / threadsPerBlock != epoch.who / threadsPerBlock
                          ? Strength::Cluster
                          : Strength::Block;
    return std::min(e.strength, epoch.strength) >= needed;
  }

private:
  static bool reached(const Clocks &clocks, const Epoch &e) {
    return e.at == 0 || (e.who < clocks.size() && clocks[e.who] >= e.at);
  }
  static bool knowsForeign(const Epoch &e, const ForeignClocks *others) {
    if (e.at == 0)
      return true;
    const Clocks *theirs = others ? others->find(e.cluster) : nullptr;
    return theirs && reached(*theirs, e);
  }
};

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_CLOCKS_H
