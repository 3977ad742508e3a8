//===- Lanes.cpp - Exchange between the lanes of a warp -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles, votes, reductions, matches, elect.sync and bar.warp.sync. All take
// a mask of lanes; a warp that is not whole (a block of 48 threads) gathers the
// lanes it has. Lanes with the same mask meet each other, so that the halves of
// a diverged warp can each have a collective of their own. Lanes of the mask
// that have exited are not waited for, and count for nothing; what has no mask
// (.aligned) wants all lanes alive.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

namespace {
/// The lanes that have met, in order.
struct Lanes {
  unsigned count = 0;
  uint8_t lane[warpSize];
};
} // namespace

static Lanes listLanes(uint32_t mask) {
  Lanes lanes;
  for (unsigned l = 0; l < warpSize; ++l)
    if (mask >> l & 1)
      lanes.lane[lanes.count++] = l;
  return lanes;
}

static int32_t getLane(const Gathering &m, const Instruction &inst,
                       unsigned lane, int operand) {
  return getOperand<int32_t>(m.arguments[lane], inst, operand);
}

static void putLane(const Gathering &m, unsigned lane, uint32_t value) {
  memcpy(m.results[lane], &value, 4);
}

/// shfl.sync as the PTX manual has it: operands mask, value, b, c; c holds a
/// clamp and a segment mask.
static void shuffle(Gathering &m, const Instruction &inst, const Lanes &lanes,
                    uint32_t mask, uint32_t live, Cluster &cluster,
                    uint32_t id) {
  for (unsigned i = 0; i < lanes.count; ++i) {
    int lane = lanes.lane[i];
    int b = getLane(m, inst, lane, 2) & 31, c = getLane(m, inst, lane, 3);
    int segment = c >> 8 & 31, clamp = c & 31;
    int maxLane = (lane & segment) | (clamp & ~segment);
    int minLane = lane & segment;
    int source = lane;
    bool inside = true;
    switch (ShuffleKind(inst.kind)) {
    case ShuffleKind::Up:
      source = lane - b;
      inside = source >= maxLane;
      break;
    case ShuffleKind::Down:
      source = lane + b;
      inside = source <= maxLane;
      break;
    case ShuffleKind::Butterfly:
      source = lane ^ b;
      inside = source <= maxLane;
      break;
    case ShuffleKind::Index:
      source = minLane | (b & ~segment);
      inside = source <= maxLane;
      break;
    }
    if (!inside)
      source = lane;
    if (!(mask >> source & 1)) {
      cluster.report(id, "shuffle from a lane outside the mask");
      source = lane;
    } else if (!(live >> source & 1)) {
      cluster.report(id, "shuffle from a lane that has exited");
      source = lane;
    }
    memcpy(m.results[lane], m.arguments[source] + inst.offsets[1], 4);
    if (inst.number) // with the predicate: { i32, i1 }
      m.results[lane][4] = inside;
  }
}

static void vote(Gathering &m, const Instruction &inst, const Lanes &lanes) {
  uint32_t ballot = 0, all = 0;
  for (unsigned i = 0; i < lanes.count; ++i) {
    unsigned lane = lanes.lane[i];
    all |= 1u << lane;
    if (getOperand<uint8_t>(m.arguments[lane], inst, 1) & 1)
      ballot |= 1u << lane;
  }
  for (unsigned i = 0; i < lanes.count; ++i) {
    char *result = m.results[lanes.lane[i]];
    switch (VoteKind(inst.kind)) {
    case VoteKind::Any:
      *result = ballot != 0;
      break;
    case VoteKind::All:
      *result = ballot == all;
      break;
    case VoteKind::Uniform:
      *result = ballot == all || ballot == 0;
      break;
    case VoteKind::Ballot:
      putLane(m, lanes.lane[i], ballot);
      break;
    }
  }
}

static uint32_t combine(ReduceKind kind, uint32_t a, uint32_t b) {
  float x, y;
  memcpy(&x, &a, 4);
  memcpy(&y, &b, 4);
  switch (kind) {
  case ReduceKind::Add:
    return a + b;
  case ReduceKind::And:
    return a & b;
  case ReduceKind::Or:
    return a | b;
  case ReduceKind::Xor:
    return a ^ b;
  case ReduceKind::Min:
    return std::min(int32_t(a), int32_t(b));
  case ReduceKind::Max:
    return std::max(int32_t(a), int32_t(b));
  case ReduceKind::UnsignedMin:
    return std::min(a, b);
  case ReduceKind::UnsignedMax:
    return std::max(a, b);
  case ReduceKind::FloatMin:
    return x != x ? b : y != y || x < y ? a : b;
  case ReduceKind::FloatMax:
    return x != x ? b : y != y || x > y ? a : b;
  default:
    return a;
  }
}

static void reduce(Gathering &m, const Instruction &inst, const Lanes &lanes) {
  uint32_t sum = getLane(m, inst, lanes.lane[0], 0);
  for (unsigned i = 1; i < lanes.count; ++i)
    sum =
        combine(ReduceKind(inst.kind), sum, getLane(m, inst, lanes.lane[i], 0));
  for (unsigned i = 0; i < lanes.count; ++i)
    putLane(m, lanes.lane[i], sum);
}

static void match(Gathering &m, const Instruction &inst, const Lanes &lanes) {
  uint32_t all = 0;
  bool same = true;
  auto value = [&](unsigned i) {
    uint64_t v = 0;
    memcpy(&v, m.arguments[lanes.lane[i]] + inst.offsets[1], inst.number);
    return v;
  };
  for (unsigned i = 0; i < lanes.count; ++i) {
    all |= 1u << lanes.lane[i];
    same &= value(i) == value(0);
  }
  for (unsigned i = 0; i < lanes.count; ++i) {
    uint32_t equal = 0;
    for (unsigned j = 0; j < lanes.count; ++j)
      if (value(i) == value(j))
        equal |= 1u << lanes.lane[j];
    if (MatchKind(inst.kind) == MatchKind::Any) {
      putLane(m, lanes.lane[i], equal);
    } else { // { i32, i1 }
      putLane(m, lanes.lane[i], same ? all : 0);
      m.results[lanes.lane[i]][4] = same;
    }
  }
}

/// Operand with the mask of lanes, or -1: all of them.
static int getMaskOperand(const Instruction &inst) {
  switch (inst.opcode) {
  case Opcode::Shuffle:
  case Opcode::Vote:
  case Opcode::Match:
  case Opcode::SyncWarp:
    return 0;
  case Opcode::Reduce:
    return 1;
  case Opcode::Elect:
    return inst.optional[0];
  default:
    return -1;
  }
}

void Cluster::warpCollective(const Instruction &inst, uint32_t id,
                             char *arguments, char *result) {
  unsigned lane = self->local % warpSize, first = self->local - lane;
  unsigned warp = first / warpSize;
  uint32_t whole = getLanes(warp);
  int operand = getMaskOperand(inst);
  uint32_t mask = operand < 0
                      ? whole
                      : getOperand<uint32_t>(arguments, inst, operand) & whole;
  if (!(mask >> lane & 1)) {
    report(id, "lane is not in the mask of its own collective");
    return;
  }
  bool wantsAll = operand < 0 && inst.opcode != Opcode::Elect;
  if (wantsAll && whole != ~0u) {
    report(id, "expected a whole warp of 32 threads");
    return;
  }
  Gathering &meeting = mask == whole ? myBlock().warps[warp]
                                     : myBlock().partialWarps[{warp, mask}];
  Thread *firstThread = self - lane;
  // gather() wakes a whole warp; lanes outside the mask test again and wait on.
  auto act = [&](Gathering &m) {
    uint32_t live = getLiveLanes(warp);
    if (wantsAll && live != ~0u)
      return report(id, "expected a whole warp of 32 threads, but some of its "
                        "lanes have exited");
    switch (inst.opcode) {
    case Opcode::LoadMatrix:
      return loadMatrix(m, inst, id, firstThread);
    case Opcode::StoreMatrix:
      return storeMatrix(m, inst, id, firstThread);
    case Opcode::MultiplyMatrix:
      return multiplyMatrix(m, inst);
    default:
      break;
    }
    Lanes lanes = listLanes(mask & live);
    switch (inst.opcode) {
    case Opcode::Shuffle:
      return shuffle(m, inst, lanes, mask, live, *this, id);
    case Opcode::Vote:
      return vote(m, inst, lanes);
    case Opcode::Reduce:
      return reduce(m, inst, lanes);
    case Opcode::Match:
      return match(m, inst, lanes);
    case Opcode::Elect:
      for (unsigned i = 0; i < lanes.count; ++i)
        *m.results[lanes.lane[i]] = i == 0;
      return;
    default: { // bar.warp.sync orders the lanes
      View joined = firstThread[lanes.lane[0]].view;
      for (unsigned i = 1; i < lanes.count; ++i)
        joined.join(firstThread[lanes.lane[i]].view);
      for (unsigned i = 0; i < lanes.count; ++i) {
        Thread &thread = firstThread[lanes.lane[i]];
        thread.view = joined;
        ++thread.view.seen[thread.index];
      }
    }
    }
  };
  auto needed = [&] {
    return unsigned(__builtin_popcount(mask & getLiveLanes(warp)));
  };
  gather(meeting, needed, first, id, arguments, result, act);
}
