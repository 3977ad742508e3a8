//===- ChipLimits.cpp - What a chip of sm_90 has room for -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a driver refuses of a launch, and how much of a grid runs at once. Where
// the registers of a kernel are not known they do not count, so that a grid
// that is said not to fit does not.
//
//===----------------------------------------------------------------------===//

#include "ChipLimits.h"

#include <algorithm>

using namespace amp::emu;

static uint64_t countAll(const Dim3 &d) { return uint64_t(d.x) * d.y * d.z; }

std::string amp::emu::validateLaunch(const Launch &launch) {
  auto text = [](const Dim3 &d) {
    return std::to_string(d.x) + "," + std::to_string(d.y) + "," +
           std::to_string(d.z);
  };
  const Dim3 &grid = launch.grid, &block = launch.block, &c = launch.cluster;
  if (countAll(grid) == 0 || countAll(block) == 0 || countAll(c) == 0)
    return "expected extents of at least 1, but got grid " + text(grid) +
           ", block " + text(block) + ", cluster " + text(c);
  if (grid.x > chip.gridX || grid.y > chip.gridY || grid.z > chip.gridZ)
    return "expected a grid of at most " + std::to_string(chip.gridX) + "," +
           std::to_string(chip.gridY) + "," + std::to_string(chip.gridZ) +
           " blocks, but got " + text(grid);
  if (countAll(block) > chip.blockThreads)
    return "expected at most " + std::to_string(chip.blockThreads) +
           " threads in a block, but got " + std::to_string(countAll(block));
  if (block.z > chip.blockZ)
    return "expected a block of at most " + std::to_string(chip.blockX) + "," +
           std::to_string(chip.blockY) + "," + std::to_string(chip.blockZ) +
           " threads, but got " + text(block);
  if (countAll(c) > chip.clusterBlocks)
    return "expected at most " + std::to_string(chip.clusterBlocks) +
           " blocks in a cluster, but got " + std::to_string(countAll(c));
  if (grid.x % c.x || grid.y % c.y || grid.z % c.z)
    return "expected a grid that is a multiple of the cluster " + text(c) +
           ", but got " + text(grid);
  unsigned staticBytes = launch.sharedBytes - launch.dynamicSharedBytes;
  if (staticBytes > chip.staticSharedBytes)
    return "expected at most " + std::to_string(chip.staticSharedBytes) +
           " bytes of static shared memory, but got " +
           std::to_string(staticBytes) + "; make it dynamic";
  if (launch.sharedBytes > chip.sharedBytes)
    return "expected at most " + std::to_string(chip.sharedBytes) +
           " bytes of shared memory (sm_90), but got " +
           std::to_string(launch.sharedBytes);
  uint64_t registers = uint64_t(launch.registers) * countAll(block);
  if (registers > chip.registers)
    return "expected at most " + std::to_string(chip.registers) +
           " registers in a block, but got " + std::to_string(registers) +
           ": " + std::to_string(launch.registers) + " for each thread";
  return "";
}

uint64_t amp::emu::countResidentClusters(const Launch &launch) {
  unsigned warps = (launch.block.count() + 31) / 32;
  unsigned blocks = std::min(chip.blocks, chip.threads / (warps * 32));
  blocks = std::min(blocks, chip.sharedPool /
                                (launch.sharedBytes + chip.sharedReserved));
  if (launch.registers)
    blocks = std::min(blocks, chip.registers / (launch.registers * warps * 32));
  return uint64_t(std::max(blocks, 1u)) * chip.multiprocessors /
         launch.cluster.count();
}
