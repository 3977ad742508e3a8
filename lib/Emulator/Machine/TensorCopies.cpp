//===- TensorCopies.cpp - Copies of tiles by tensor map (TMA) -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is a sequence of rows; in shared memory the 16-byte chunks of a row
// are permuted by the swizzle. Loads fill what lies outside the tensor and
// always count the whole tile; stores and reductions leave it out. The same
// tile can go to several blocks of the cluster, at the same offsets in each.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "amp/Emulator/NumberFormat.h"

#include <algorithm>

using namespace amp::emu;

namespace {
struct TileCopy {
  const TensorMap *map;
  int32_t coordinates[5];
  uint16_t offsets[3];
};
} // namespace

static TileCopy getTile(const TensorMap *map, const Instruction &inst,
                        const char *arguments, int firstCoordinate,
                        int firstOffset) {
  TileCopy tile{map, {}, {}};
  for (int d = 0; d < inst.number; ++d)
    tile.coordinates[d] =
        getOperand<int32_t>(arguments, inst, firstCoordinate + d);
  for (int d = 0; inst.im2col && firstOffset >= 0 && d < inst.number - 2; ++d)
    tile.offsets[d] = getOperand<uint16_t>(arguments, inst, firstOffset + d);
  return tile;
}

/// Calls act(offset in shared memory, byte in the row) for each chunk of a row.
template <typename Act>
static void forEachChunk(const TensorMap &map, uint32_t tile, int row,
                         Act act) {
  int rowBytes = map.getTileSize(0) * map.elementSize;
  for (int i = 0; i < rowBytes; i += 16)
    act(swizzleOffset(tile + row * rowBytes + i, map.swizzle), i);
}

/// The first rule that a copy breaks, or null. A pointer that is no argument of
/// the launch is not looked at: in the emulator's form a descriptor is a
/// structure of the host's.
static const char *checkTile(const Launch &launch, const TensorMap *map,
                             const Instruction &inst, uint32_t shared) {
  const auto &known = launch.tensorMaps;
  if (std::find(known.begin(), known.end(), map) == known.end())
    return "expected a tensor map that is an argument of the kernel; the "
           "emulator has no model of those that lie in memory";
  if (const char *why = map->validateTile(shared))
    return why;
  if (map->rank != inst.number)
    return "expected as many coordinates as the tensor map has dimensions";
  if (map->im2col != inst.im2col)
    return "expected a copy of the mode that the tensor map was made for";
  return nullptr;
}

/// The bytes of a tile row as a load delivers them.
static void readRow(const TileCopy &tile, int row, char *bytes) {
  const TensorMap &map = *tile.map;
  int size = map.getTileSize(0), element = map.elementSize, first, last;
  memset(bytes, map.fillNaN ? 0xff : 0, size * element);
  const char *from =
      map.getRow(row, tile.coordinates, tile.offsets, first, last);
  if (!from)
    return;
  memcpy(bytes + first * element, from + first * element,
         (last - first) * element);
}

/// Operands: shared address, map, coordinates, mbarrier, im2col offsets,
/// [multicast mask], [cache hint].
void Cluster::tensorLoad(const Instruction &inst, uint32_t id,
                         char *arguments) {
  Thread &thread = *self;
  SharedAddress to = locate(getOperand<char *>(arguments, inst, 0));
  const TensorMap *map = getOperand<const TensorMap *>(arguments, inst, 1);
  TileCopy tile = getTile(map, inst, arguments, 2, 3 + inst.number);
  SharedAddress at =
      locate(getOperand<char *>(arguments, inst, 2 + inst.number));
  if (const char *why = checkTile(state.launch, map, inst, to.offset)) {
    report(id, why);
    return;
  }
  uint32_t mask = inst.optional[0] < 0
                      ? 1u << to.rank
                      : getOperand<uint16_t>(arguments, inst, inst.optional[0]);
  if (mask >> blocks.size())
    report(id, "copy to a block outside of the cluster");
  int64_t bytes = map->getTileBytes();
  for (unsigned r = 0; r < blocks.size(); ++r) {
    if (!(mask >> r & 1))
      continue;
    if (!blocks[r].live) {
      report(id, "copy to a block that has exited");
      continue;
    }
    MBarrier &barrier = findMBarrier({r, at.offset}, id);
    checkCompletion(barrier, id);
    Clock operation = ++barrier.issued;
    barrier.outstanding.insert(operation);
    Actor actor = genericActor(thread);
    actor.fenced = &thread.view.fenced;
    actor.foreignFenced = &thread.view.foreignFenced;
    actor.epoch.at = operation;
    actor.epoch.who = barrier.agent;
    bool inside = true;
    for (int row = 0, rows = map->getNumRows(); row < rows; ++row) {
      forEachChunk(*map, to.offset, row, [&](uint32_t offset, int) {
        inside &= checkShared(actor, {r, offset}, 16, AccessKind::Write, id);
      });
      int first, last;
      const char *from =
          map->getRow(row, tile.coordinates, tile.offsets, first, last);
      if (from)
        inside &= checkGlobal(actor, from + first * map->elementSize,
                              (last - first) * map->elementSize,
                              AccessKind::Read, id);
    }
    statistics.bulkBytes += bytes;
    engine.push_back([=, &barrier] {
      char row[256 * 8];
      for (int i = 0, rows = map->getNumRows(); inside && i < rows; ++i) {
        readRow(tile, i, row);
        forEachChunk(*map, to.offset, i, [&](uint32_t offset, int byte) {
          memcpy(blocks[r].shared + offset, row + byte, 16);
        });
      }
      completeCopy(barrier, operation, bytes, id);
    });
  }
}

/// Reduces one element of global memory with one of shared memory.
static void reduceElement(ReduceKind kind, Format format, char *global,
                          const char *shared) {
  switch (format) {
  case Format::S32: {
    uint32_t a, b;
    memcpy(&a, global, 4);
    memcpy(&b, shared, 4);
    switch (kind) {
    case ReduceKind::Add:
      a += b;
      break;
    case ReduceKind::Min:
      a = std::min(int32_t(a), int32_t(b));
      break;
    case ReduceKind::Max:
      a = std::max(int32_t(a), int32_t(b));
      break;
    case ReduceKind::And:
      a &= b;
      break;
    case ReduceKind::Or:
      a |= b;
      break;
    case ReduceKind::Xor:
      a ^= b;
      break;
    case ReduceKind::Increment:
      a = a >= b ? 0 : a + 1;
      break;
    default:
      a = a == 0 || a > b ? b : a - 1;
    }
    memcpy(global, &a, 4);
    return;
  }
  default: {
    float a = loadNumber(format, global), b = loadNumber(format, shared);
    float sum = kind == ReduceKind::Min   ? std::min(a, b)
                : kind == ReduceKind::Max ? std::max(a, b)
                                          : a + b;
    storeNumber(format, global, sum);
  }
  }
}

/// Operands: map, shared address, coordinates. With a reduction when the
/// instruction's kind says so.
void Cluster::tensorStore(const Instruction &inst, uint32_t id,
                          char *arguments) {
  Thread &thread = *self;
  const TensorMap *map = getOperand<const TensorMap *>(arguments, inst, 0);
  SharedAddress from = locate(getOperand<char *>(arguments, inst, 1));
  TileCopy tile = getTile(map, inst, arguments, 2, -1);
  if (const char *why = checkTile(state.launch, map, inst, from.offset)) {
    report(id, why);
    return;
  }
  bool reduces = ReduceKind(inst.kind) != ReduceKind::None;
  Actor reader, writer;
  Clock group = openBulkStore(id, reader, writer);
  if (reduces) // each is relaxed, at the scope of the device
    writer.epoch.strength = Strength::Device;
  bool inside = true;
  for (int row = 0, rows = map->getNumRows(); row < rows; ++row) {
    forEachChunk(*map, from.offset, row, [&](uint32_t offset, int) {
      inside &=
          checkShared(reader, {from.rank, offset}, 16, AccessKind::Read, id);
    });
    int first, last;
    char *to = map->getRow(row, tile.coordinates, tile.offsets, first, last);
    if (to)
      inside &=
          checkGlobal(writer, to + first * map->elementSize,
                      (last - first) * map->elementSize, AccessKind::Write, id);
  }
  statistics.bulkBytes += map->getTileBytes();
  engine.push_back([=, &thread, kind = ReduceKind(inst.kind)] {
    char bytes[256 * 8];
    int element = map->elementSize;
    for (int row = 0, rows = map->getNumRows(); inside && row < rows; ++row) {
      forEachChunk(*map, from.offset, row, [&](uint32_t offset, int byte) {
        memcpy(bytes + byte, blocks[from.rank].shared + offset, 16);
      });
      int first, last;
      char *to = map->getRow(row, tile.coordinates, tile.offsets, first, last);
      if (!to)
        continue;
      for (int i = first; i < last; ++i) {
        char *global = to + i * element;
        if (kind == ReduceKind::None)
          memcpy(global, bytes + i * element, element);
        else
          state.memory.reduce([&] {
            reduceElement(kind, map->format, global, bytes + i * element);
          });
      }
    }
    endBulkStore(thread, group);
  });
}
