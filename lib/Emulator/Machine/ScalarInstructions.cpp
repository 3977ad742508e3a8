//===- ScalarInstructions.cpp - What a thread does for itself -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between number formats, and the permutation of bytes.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "amp/Emulator/NumberFormat.h"

#include <algorithm>

using namespace amp::emu;

void Cluster::convertNumbers(const Instruction &inst, const char *arguments,
                             char *result) {
  int bytes = getFormatBytes(inst.formatA);
  for (int i = 0; i < inst.number; ++i) {
    const char *from = inst.packed ? arguments + inst.offsets[0] + i * bytes
                                   : arguments + inst.offsets[i];
    float value = loadNumber(inst.formatA, from);
    if (inst.relu && value <= 0)
      value = 0; // -0, too; NaN stays
    int slot = inst.packed ? i : inst.number - 1 - i;
    storeNumber(inst.formatB, result + slot * getFormatBytes(inst.formatB),
                value);
  }
}

/// The table of prmt: which of the eight bytes becomes byte `i` of the result.
static unsigned getSourceByte(PermuteKind kind, unsigned selector, unsigned i) {
  unsigned s = selector & 3;
  switch (kind) {
  case PermuteKind::Index:
    return selector >> 4 * i & 7;
  case PermuteKind::Forward4:
    return s + i;
  case PermuteKind::Backward4:
    return (s - i) & 7;
  case PermuteKind::Replicate8:
    return s;
  case PermuteKind::ClampLeft:
    return std::max(s, i);
  case PermuteKind::ClampRight:
    return std::min(s, i);
  case PermuteKind::Replicate16:
    return (s & 1) * 2 + (i & 1);
  }
  return 0;
}

void Cluster::permuteBytes(const Instruction &inst, const char *arguments,
                           char *result) {
  auto kind = PermuteKind(inst.kind);
  bool isPair = inst.number == 3; // else without the second register
  uint64_t pool = getOperand<uint32_t>(arguments, inst, 0);
  if (isPair)
    pool |= uint64_t(getOperand<uint32_t>(arguments, inst, 1)) << 32;
  uint32_t selector = getOperand<uint32_t>(arguments, inst, isPair ? 2 : 1);
  for (unsigned i = 0; i < 4; ++i) {
    auto byte = uint8_t(pool >> 8 * getSourceByte(kind, selector, i));
    // The highest bit of a nibble asks for the sign alone.
    if (kind == PermuteKind::Index && selector >> (4 * i + 3) & 1)
      byte = byte & 0x80 ? 0xff : 0;
    result[i] = char(byte);
  }
}
