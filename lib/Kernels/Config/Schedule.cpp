//===- Schedule.cpp - Who does what in a main loop ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of schedules, and which of them a chip has. Nothing but this file
// says which instruction goes with which roles, tiles and sizes.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/Schedule.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr Schedule::Tile kWarpgroupTiles[] = {
    {128, 256}, {128, 128}, {64, 128}, {64, 64}};
static constexpr Schedule::Tile kWarpTiles[] = {
    {128, 128}, {128, 64}, {64, 64}};
/// A warp of threads has 32 rows, and a block has four warps or more.
static constexpr Schedule::Tile kThreadTiles[] = {{128, 128}, {128, 64}};

/// What the copy engine stores at a time: 64 rows of 128 bytes.
static constexpr int64_t kBoxBytes = 8192;

/// With wgmma. A unit stages its results in two boxes: one is filled while the
/// other is stored.
static const Schedule kWarpgroups = {
    /*name=*/"warpgroups",
    /*loop=*/MainLoopKind::Warpgroups,
    /*needs=*/Chip::WarpgroupProducts | Chip::CopyEngine | Chip::Clusters,
    /*operands=*/Schedule::Half | Schedule::Eight | Schedule::Tf32,
    /*loaderThreads=*/128,
    /*alignedLoad=*/MatrixAccess::Tma,
    /*slotBarriers=*/2,
    /*instruction=*/ProductInstruction::Wgmma,
    /*unitThreads=*/128,
    /*rows=*/{0, 64},
    /*columns=*/{1, 0},
    /*turns=*/1,
    /*storer=*/Schedule::Storer::CopyEngine,
    /*stagingBytes=*/2 * kBoxBytes,
    /*minStages=*/2,
    /*maxCluster=*/2,
    /*tiles=*/kWarpgroupTiles,
};

/// With mma.sync. Of three stages one is read, one is waited for, and one is in
/// flight.
static const Schedule kWarps = {
    /*name=*/"warps",
    /*loop=*/MainLoopKind::Warps,
    /*needs=*/Chip::WarpProducts | Chip::AsyncCopies,
    /*operands=*/Schedule::Half | Schedule::Tf32,
    /*loaderThreads=*/0,
    /*alignedLoad=*/MatrixAccess::Async,
    /*slotBarriers=*/0,
    /*instruction=*/ProductInstruction::MmaSync,
    /*unitThreads=*/32,
    /*rows=*/{2, 0},
    /*columns=*/{0, 32},
    /*turns=*/1,
    /*storer=*/Schedule::Storer::Everyone,
    /*stagingBytes=*/0,
    /*minStages=*/3,
    /*maxCluster=*/1,
    /*tiles=*/kWarpTiles,
};

/// With plain arithmetic, in the same ring.
static const Schedule kThreads = {
    /*name=*/"threads",
    /*loop=*/MainLoopKind::Warps,
    /*needs=*/Chip::AsyncCopies,
    /*operands=*/Schedule::F32,
    /*loaderThreads=*/0,
    /*alignedLoad=*/MatrixAccess::Async,
    /*slotBarriers=*/0,
    /*instruction=*/ProductInstruction::Fma,
    /*unitThreads=*/32,
    /*rows=*/{0, 32},
    /*columns=*/{0, 64},
    /*turns=*/1,
    /*storer=*/Schedule::Storer::Everyone,
    /*stagingBytes=*/0,
    /*minStages=*/3,
    /*maxCluster=*/1,
    /*tiles=*/kThreadTiles,
};

ArrayRef<const Schedule *> mlir::amp::getSchedules() {
  static const Schedule *const rows[] = {&kWarpgroups, &kWarps, &kThreads};
  return rows;
}

bool Schedule::takes(Type operand) const {
  if (isa<Float16Type, BFloat16Type>(operand))
    return operands & Half;
  if (isa<Float8E4M3FNType, Float8E5M2Type>(operand))
    return operands & Eight;
  if (isa<FloatTF32Type>(operand))
    return operands & Tf32;
  return operand.isF32() && (operands & F32);
}

const Schedule &mlir::amp::getSchedule(const Chip &chip, Type operand) {
  // Whatever the operands: what it does not take, an earlier chip's does
  // (Chip::earlier).
  if (chip.has(kWarpgroups.needs))
    return kWarpgroups;
  const Schedule &schedule = kThreads.takes(operand) ? kThreads : kWarps;
  assert(chip.has(schedule.needs) && "every chip has what these two need");
  return schedule;
}

SmallVector<const Schedule *> mlir::amp::getSchedules(const Chip &chip,
                                                      Type operand) {
  const Schedule &first = getSchedule(chip, operand);
  SmallVector<const Schedule *> all{&first};
  for (const Schedule *row : getSchedules())
    if (row != &first && row->instruction == first.instruction &&
        chip.has(row->needs))
      all.push_back(row);
  return all;
}
