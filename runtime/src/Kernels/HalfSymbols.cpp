//===-- HalfSymbols.cpp - The conversions LLVM calls by name --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On x86-64 LLVM passes and returns half and bfloat in the low 16 bits of an
// xmm register, which is the calling convention of _Float16. That type carries
// the bits of both here: g++ 12 has no __bf16, and only moves are done with it,
// never arithmetic or conversions (which would call these very functions).
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Half.h"

#include "Support/Failure.h"

#include <cstring>

using namespace amp::rt;

#ifdef __x86_64__

using HalfInXmm = _Float16;

static HalfInXmm toXmm(uint16_t bits) {
  HalfInXmm result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

static float extendF16(HalfInXmm value) {
  uint16_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return ampRtHalfF32FromF16(bits);
}

static HalfInXmm truncateF32ToF16(float value) {
  return toXmm(ampRtHalfF16FromF32(value));
}

static HalfInXmm truncateF64ToF16(double value) {
  return toXmm(ampRtHalfF16FromF64(value));
}

static HalfInXmm truncateF32ToBF16(float value) {
  return toXmm(ampRtHalfBF16FromF32(value));
}

static HalfInXmm truncateF64ToBF16(double value) {
  return toXmm(ampRtHalfBF16FromF64(value));
}

static const AmpRtSymbol halfSymbols[] = {
    {"__extendhfsf2", reinterpret_cast<void *>(&extendF16)},
    {"__truncsfhf2", reinterpret_cast<void *>(&truncateF32ToF16)},
    {"__truncdfhf2", reinterpret_cast<void *>(&truncateF64ToF16)},
    {"__truncsfbf2", reinterpret_cast<void *>(&truncateF32ToBF16)},
    {"__truncdfbf2", reinterpret_cast<void *>(&truncateF64ToBF16)},
};
static constexpr int64_t halfSymbolCount =
    sizeof(halfSymbols) / sizeof(halfSymbols[0]);

#else

static const AmpRtSymbol *const halfSymbols = nullptr;
static constexpr int64_t halfSymbolCount = 0;

#endif

AmpRtStatus ampRtHalfSymbols(const AmpRtSymbol **symbols, int64_t *count) {
  if (!symbols)
    return failNull("ampRtHalfSymbols", "symbols");
  if (!count)
    return failNull("ampRtHalfSymbols", "count");
  *symbols = halfSymbols;
  *count = halfSymbolCount;
  return AMP_RT_OK;
}
