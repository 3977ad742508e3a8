//===- Warpgroup.cpp - wgmma ----------------------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic happens at issue. What makes it asynchronous is kept apart:
// its reads of shared memory belong to an agent of the warpgroup and are
// ordered before others only by a wait that covers their group, so that handing
// a tile back too early is a race; reading an accumulator, or using its
// registers, before such a wait is reported where it happens (AccumulatorRead,
// which the lowering puts in front of uses).
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Fragments.h"
#include "MatrixDescriptor.h"
#include "MatrixMultiply.h"
#include "amp/Emulator/NumberFormat.h"

using namespace amp::emu;

namespace {
/// A shared-memory operand of a warpgroup's multiply.
struct Operand {
  MatrixDescriptor descriptor;
  int rows, k; // rows: M or N
  Format format;
  bool mnMajor, negate;
};
} // namespace

/// Reads an operand as values[k * rows + row] (alongRows) or
/// values[row * k + k'], 16 bytes at a time, checking each access.
static void readOperand(Cluster &cluster, const Operand &op, char *shared,
                        unsigned rank, const Actor &actor, uint32_t id,
                        bool alongRows, float *values) {
  int bytes = getFormatBytes(op.format), per = 16 / bytes;
  int lines = op.mnMajor ? op.k : op.rows;
  int length = op.mnMajor ? op.rows : op.k;
  for (int line = 0; line < lines; ++line)
    for (int x = 0; x < length; x += per) {
      int mn = op.mnMajor ? x : line, k = op.mnMajor ? line : x;
      uint32_t offset = op.descriptor.locate(mn, k, bytes, op.mnMajor);
      float chunk[16];
      if (!cluster.checkShared(actor, {rank, offset}, 16, AccessKind::Read,
                               id)) {
        std::fill(chunk, chunk + per, 0.f);
      } else {
        loadNumbers(op.format, shared + offset, chunk, per);
      }
      for (int i = 0; i < per; ++i) {
        float value = op.negate ? -chunk[i] : chunk[i];
        int row = op.mnMajor ? mn + i : mn, column = op.mnMajor ? k : k + i;
        values[alongRows ? column * op.rows + row : row * op.k + column] =
            value;
      }
    }
}

static void readRegistersA(Gathering &lanes, const Instruction &inst,
                           float *values) {
  int bytes = getFormatBytes(inst.formatA), per = 4 / bytes;
  int registers = 64 * inst.k / per / int(warpgroupSize);
  for (int thread = 0; thread < int(warpgroupSize); ++thread)
    for (int r = 0; r < registers; ++r)
      for (int p = 0; p < per; ++p) {
        Element e = getElementA(thread % 32, r, p, per);
        float value =
            loadNumber(inst.formatA, lanes.arguments[thread] + inst.offsets[1] +
                                         r * 4 + p * bytes);
        values[(thread / 32 * 16 + e.row) * inst.k + e.column] =
            inst.negateA ? -value : value;
      }
}

void Cluster::multiplyWarpgroup(Gathering &lanes, const Instruction &inst,
                                uint32_t id, Thread *first, unsigned agent) {
  statistics.wgmmaFlops += 2ull * 64 * inst.n * inst.k;
  // Every thread of the warpgroup must be ordered after what is read.
  View common = first->view;
  for (unsigned i = 1; i < warpgroupSize; ++i)
    common.meet(first[i].view);
  Actor actor = genericActor(*first);
  actor.seen = &common.seen;
  actor.fenced = &common.fenced;
  actor.foreignFenced = &common.foreignFenced;
  actor.epoch.at = first->multiplyCommitted + 1;
  actor.epoch.who = agent;
  actor.epoch.instruction = id;

  auto descriptor = [&](int operand) {
    uint64_t bits = getOperand<uint64_t>(lanes.arguments[0], inst, operand);
    for (unsigned i = 1; i < warpgroupSize; ++i)
      if (getOperand<uint64_t>(lanes.arguments[i], inst, operand) != bits) {
        report(id, "threads of a warpgroup give different matrix descriptors");
        break;
      }
    MatrixDescriptor decoded = MatrixDescriptor::decode(bits);
    if (decoded.baseOffset)
      report(id, "a matrix descriptor with a base offset has no model; align "
                 "the tile to 8 rows of its swizzle");
    else if (uint32_t pattern = 8 * decoded.swizzle;
             pattern && decoded.start % pattern >= uint32_t(decoded.swizzle))
      report(id, "expected the tile of a matrix descriptor to begin in the "
                 "first row of its swizzle, at a multiple of " +
                     std::to_string(pattern) + " bytes, but it lies " +
                     std::to_string(decoded.start % pattern) + " past one");
    return decoded;
  };
  std::vector<float> a(64 * inst.k), b(size_t(inst.k) * inst.n),
      d(64 * size_t(inst.n));
  Block &block = myBlock();
  unsigned rank = self->rank;
  if (inst.registersA)
    readRegistersA(lanes, inst, a.data());
  else
    readOperand(*this,
                {descriptor(1), 64, inst.k, inst.formatA, inst.transposedA,
                 inst.negateA},
                block.shared, rank, actor, id, false, a.data());
  readOperand(*this,
              {descriptor(inst.firstB), inst.n, inst.k, inst.formatB,
               inst.transposedB, inst.negateB},
              block.shared, rank, actor, id, true, b.data());

  Format format = inst.formatAccumulator;
  int bytes = getFormatBytes(format), perThread = inst.n / 2;
  auto forEachElement = [&](auto act) {
    for (int thread = 0; thread < int(warpgroupSize); ++thread)
      for (int i = 0; i < perThread; ++i) {
        Element e = getElementD(thread, i);
        act(thread, i * bytes, d[size_t(e.row) * inst.n + e.column]);
      }
  };
  bool zero =
      inst.zeroAccumulator ||
      (inst.optional[1] >= 0 &&
       !(getOperand<int32_t>(lanes.arguments[0], inst, inst.optional[1])));
  if (format == Format::S32) {
    // The products of one instruction are exact in f32; the sum wraps.
    multiplyTile(a.data(), b.data(), d.data(), 64, inst.n, inst.k);
    forEachElement([&](int thread, int at, float &value) {
      uint32_t sum = 0;
      if (!zero)
        memcpy(&sum, lanes.arguments[thread] + inst.offsets[0] + at, 4);
      sum += uint32_t(int32_t(value));
      memcpy(lanes.results[thread] + at, &sum, 4);
    });
    return;
  }
  if (!zero)
    forEachElement([&](int thread, int at, float &value) {
      const char *from = lanes.arguments[thread] + inst.offsets[0] + at;
      if (format == Format::F32)
        memcpy(&value, from, 4);
      else
        value = loadNumber(format, from);
    });
  multiplyTile(a.data(), b.data(), d.data(), 64, inst.n, inst.k);
  forEachElement([&](int thread, int at, float &value) {
    char *to = lanes.results[thread] + at;
    if (format == Format::F32)
      memcpy(to, &value, 4);
    else
      storeNumber(format, to, value);
  });
}

void Cluster::warpgroup(const Instruction &inst, uint32_t id, char *arguments,
                        char *result) {
  Thread &thread = *self;
  unsigned number = thread.local / warpgroupSize;
  int &agent = myBlock().multiplyAgents[number];
  if (agent < 0)
    agent = int(makeAgent("a wgmma"));
  switch (inst.opcode) {
  case Opcode::WarpgroupMultiply: {
    unsigned first = number * warpgroupSize;
    if (first + warpgroupSize > threadsPerBlock) {
      report(id, "expected a whole warpgroup of 128 threads");
      return;
    }
    if (!thread.multiplyFenced)
      report(id, "wgmma without a wgmma.fence since its registers were "
                 "accessed");
    thread.multiplyOpen = true;
    thread.multiplyInstruction = id;
    thread.lastGroupOf[id] = thread.multiplyCommitted + 1;
    Thread *firstThread = self - (thread.local - first);
    gather(
        myBlock().warpgroups[number], [] { return warpgroupSize; }, first, id,
        arguments, result,
        [&](Gathering &m) {
          multiplyWarpgroup(m, inst, id, firstThread, agent);
        });
    return;
  }
  case Opcode::WarpgroupCommit:
    ++thread.multiplyCommitted; // an empty group counts too
    thread.multiplyOpen = false;
    return;
  case Opcode::WarpgroupWait: {
    Clock allowed = inst.number;
    Clock done = thread.multiplyCommitted > allowed
                     ? thread.multiplyCommitted - allowed
                     : 0;
    thread.multiplyWaited = std::max(thread.multiplyWaited, done);
    thread.view.seen[agent] = thread.multiplyWaited;
    return;
  }
  case Opcode::AccumulatorRead:
    thread.multiplyFenced = false; // the next wgmma needs a fence again
    for (unsigned source : inst.sources) {
      auto it = thread.lastGroupOf.find(source);
      if (it == thread.lastGroupOf.end() || it->second <= thread.multiplyWaited)
        continue;
      Epoch other;
      other.instruction = source;
      report(id, "accumulator read before its wgmma has been waited for",
             &other, "the wgmma is here");
      return;
    }
    return;
  default: // wgmma.fence
    thread.multiplyFenced = true;
  }
}
