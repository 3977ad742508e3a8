//===- MatrixDescriptor.cpp - Shared-memory operands of wgmma -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The swizzle is a permutation of address bits, applied last: the offset of an
// element in the unswizzled tile, added to the start address, decides.
//
//===----------------------------------------------------------------------===//

#include "MatrixDescriptor.h"

#include "amp/Emulator/TensorMap.h"

using namespace amp::emu;

MatrixDescriptor MatrixDescriptor::decode(uint64_t bits) {
  static const int swizzles[4] = {0, 128, 64, 32};
  auto field = [&](int at) { return uint32_t(bits >> at & 0x3fff) << 4; };
  return {field(0), field(16), field(32), int(bits >> 49 & 7),
          swizzles[bits >> 62]};
}

uint32_t MatrixDescriptor::locate(int mn, int k, int bytes,
                                  bool mnMajor) const {
  // Byte along the contiguous dimension, and row along the other.
  uint32_t x = uint32_t(mnMajor ? mn : k) * bytes;
  uint32_t row = mnMajor ? k : mn;
  uint32_t offset;
  if (!swizzle) {
    uint32_t alongX = mnMajor ? stride : leading;
    uint32_t alongRows = mnMajor ? leading : stride;
    offset = x / 16 * alongX + row / 8 * alongRows + row % 8 * 16 + x % 16;
  } else {
    uint32_t width = swizzle;
    offset = row / 8 * stride + row % 8 * width +
             (mnMajor ? x / width * leading + x % width : x);
  }
  return swizzleOffset(start + offset, swizzle) & 0x3ffff;
}
