//===- ChipFusion.cpp - A chip as the fusion plan sees it -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory is the chip's. The other numbers are the same on all of them
// (CUDA Programming Guide, "Compute Capabilities": 65,536 registers of 4 bytes;
// "Device Memory Accesses": lines of 128 bytes).
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/ChipFusion.h"

using namespace mlir;
using namespace mlir::amp;

/// A quarter of the registers of a multiprocessor. A larger tile would leave no
/// room for a second block, which computes while the first one waits.
static constexpr int64_t kTileBytes = 65536 * 4 / 4;

/// A line of the caches, and what a warp reads in one access of 4 bytes each.
static constexpr int64_t kRunBytes = 128;

FusionTarget mlir::amp::getFusionTarget(const GemmChip &chip) {
  FusionTarget target;
  target.closeBytes = chip.sharedMemory;
  target.tileBytes = kTileBytes;
  target.runBytes = kRunBytes;
  target.productsInRegisters = true;
  target.forms.named = true;
  target.forms.windows = true;
  return target;
}
