//===- ChipLimits.h - What a chip of sm_90 has room for ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of compute capability 9.0 in the CUDA programming guide ("Compute
// Capabilities", technical specifications), with the multiprocessors of an H100
// SXM or H200.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_CHIPLIMITS_H
#define AMP_LIB_EMULATOR_MACHINE_CHIPLIMITS_H

#include "amp/Emulator/Launch.h"

namespace amp::emu {

struct ChipLimits {
  // Of a launch.
  uint64_t gridX = 2147483647, gridY = 65535, gridZ = 65535;
  unsigned blockX = 1024, blockY = 1024, blockZ = 64, blockThreads = 1024;
  unsigned clusterBlocks = 16; // above 8 with the kernel's consent
  /// In bytes of a block; static memory has a limit of its own, which ptxas
  /// applies.
  unsigned sharedBytes = 232448, staticSharedBytes = 49152;

  // Of a multiprocessor, for the blocks that it holds at once.
  unsigned multiprocessors = 132;
  unsigned blocks = 32, threads = 2048, registers = 65536;
  unsigned sharedPool = 233472, sharedReserved = 1024; // bytes, the latter each
};

inline constexpr ChipLimits chip;

/// How many clusters of the launch the chip holds at once.
uint64_t countResidentClusters(const Launch &launch);

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_CHIPLIMITS_H
