//===- ChipFusion.cpp - A chip as the fusion plan sees it -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles fit the shared memory of a block, and one sector is worth reading by
// itself: its neighbours are another block's, and in the cache by then. There
// is a tile for each multiprocessor where that leaves sectors whole. Sums of
// products are in registers, and products may be convolutions.
//
//===----------------------------------------------------------------------===//

#include "amp/Fusion/FusionTarget.h"
#include "amp/Kernels/Chip.h"

using namespace mlir;
using namespace mlir::amp;

FusionTarget mlir::amp::getFusionTarget(const Chip &chip) {
  FusionTarget target;
  target.closeBytes = chip.limits.sharedMemory;
  // A quarter of the registers of a multiprocessor. A larger tile would leave
  // no room for a second block, which computes while the first one waits.
  target.tileBytes = chip.limits.registers * 4 / 4;
  target.runBytes = chip.limits.sectorBytes;
  target.tiles = chip.rates.multiprocessors;
  target.productsInRegisters = true;
  target.forms.named = true;
  target.forms.windows = true;
  target.forms.vectorsAsSums = true;
  return target;
}
