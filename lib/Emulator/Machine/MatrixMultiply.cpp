//===- MatrixMultiply.cpp - mma.sync --------------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers the operands of a warp into dense tiles, multiplies, and scatters the
// result. Integer types multiply in 32-bit integers, f64 in f64; all others in
// f32 (see MatrixMultiply.h).
//
//===----------------------------------------------------------------------===//

#include "MatrixMultiply.h"
#include "Cluster.h"
#include "Fragments.h"
#include "amp/Emulator/NumberFormat.h"

using namespace amp::emu;

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define AMP_EMU_CLONES                                                         \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define AMP_EMU_CLONES
#endif

AMP_EMU_CLONES
void amp::emu::multiplyTile(const float *a, const float *b, float *d, int m,
                            int n, int k) {
  // Eight columns at a time stay in registers over k.
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; j += 8) {
      float sum[8];
      for (int c = 0; c < 8; ++c)
        sum[c] = d[i * n + j + c];
      for (int x = 0; x < k; ++x) {
        float scale = a[i * k + x];
        const float *row = b + x * n + j;
        for (int c = 0; c < 8; ++c)
          sum[c] += scale * row[c];
      }
      for (int c = 0; c < 8; ++c)
        d[i * n + j + c] = sum[c];
    }
}

namespace {
/// The operands of one mma as dense tiles of their own bits.
struct RawTiles {
  alignas(16) char a[16 * 32 * 4], b[32 * 8 * 4];
};
} // namespace

template <typename T>
static void gatherOperands(Gathering &lanes, const Instruction &inst,
                           RawTiles &tiles) {
  constexpr int wide = sizeof(T) > 4 ? sizeof(T) : 4;
  constexpr int per = wide / int(sizeof(T));
  T *a = reinterpret_cast<T *>(tiles.a), *b = reinterpret_cast<T *>(tiles.b);
  int registersA = inst.m * inst.k / per / 32;
  int registersB = inst.n * inst.k / per / 32;
  for (int lane = 0; lane < int(warpSize); ++lane) {
    const char *from = lanes.arguments[lane];
    for (int r = 0; r < registersA; ++r) {
      T parts[per];
      memcpy(parts, from + inst.offsets[0] + r * wide, sizeof parts);
      for (int p = 0; p < per; ++p) {
        Element e = inst.m == 8 ? getElementA8(lane, r, p, per)
                                : getElementA(lane, r, p, per);
        a[e.row * inst.k + e.column] = parts[p];
      }
    }
    for (int r = 0; r < registersB; ++r) {
      T parts[per];
      memcpy(parts, from + inst.offsets[inst.firstB] + r * wide, sizeof parts);
      for (int p = 0; p < per; ++p) {
        Element e = getElementB(lane, r, p, per);
        b[e.row * inst.n + e.column] = parts[p];
      }
    }
  }
}

/// Calls act(lane, byte in the lane's accumulator, index in the tile).
template <typename Act>
static void forEachAccumulator(const Instruction &inst, int bytes, Act act) {
  int perLane = inst.m * inst.n / 32;
  for (int lane = 0; lane < int(warpSize); ++lane)
    for (int i = 0; i < perLane; ++i) {
      Element e = getElementC(lane, i);
      act(lane, i * bytes, e.row * inst.n + e.column);
    }
}

template <typename T, typename Load>
static void multiplyExactly(Gathering &lanes, const Instruction &inst,
                            Load load) {
  T d[16 * 8];
  forEachAccumulator(inst, sizeof(T), [&](int lane, int at, int i) {
    memcpy(&d[i],
           lanes.arguments[lane] + inst.offsets[inst.firstAccumulator] + at,
           sizeof(T));
  });
  for (int i = 0; i < inst.m; ++i)
    for (int j = 0; j < inst.n; ++j)
      for (int k = 0; k < inst.k; ++k)
        d[i * inst.n + j] +=
            load(true, i * inst.k + k) * load(false, k * inst.n + j);
  forEachAccumulator(inst, sizeof(T), [&](int lane, int at, int i) {
    memcpy(lanes.results[lane] + at, &d[i], sizeof(T));
  });
}

void Cluster::multiplyMatrix(Gathering &lanes, const Instruction &inst) {
  statistics.mmaFlops += 2ull * inst.m * inst.n * inst.k;
  RawTiles tiles;
  switch (getFormatBytes(inst.formatA)) {
  case 1:
    gatherOperands<uint8_t>(lanes, inst, tiles);
    break;
  case 2:
    gatherOperands<uint16_t>(lanes, inst, tiles);
    break;
  case 4:
    gatherOperands<uint32_t>(lanes, inst, tiles);
    break;
  default:
    gatherOperands<uint64_t>(lanes, inst, tiles);
  }
  if (isInteger(inst.formatA)) {
    // Unsigned arithmetic: sums wrap.
    return multiplyExactly<uint32_t>(lanes, inst, [&](bool ofA, int i) {
      uint8_t byte = (ofA ? tiles.a : tiles.b)[i];
      Format format = ofA ? inst.formatA : inst.formatB;
      return format == Format::S8 ? uint32_t(int8_t(byte)) : uint32_t(byte);
    });
  }
  if (inst.formatA == Format::F64)
    return multiplyExactly<double>(lanes, inst, [&](bool ofA, int i) {
      double value;
      memcpy(&value, (ofA ? tiles.a : tiles.b) + i * 8, 8);
      return value;
    });

  float a[16 * 32], b[32 * 8], d[16 * 8];
  loadNumbers(inst.formatA, tiles.a, a, inst.m * inst.k);
  loadNumbers(inst.formatB, tiles.b, b, inst.k * inst.n);
  Format format = inst.formatAccumulator;
  int bytes = getFormatBytes(format);
  forEachAccumulator(inst, bytes, [&](int lane, int at, int i) {
    const char *from =
        lanes.arguments[lane] + inst.offsets[inst.firstAccumulator] + at;
    if (format == Format::F32) // the usual case, without a call
      memcpy(&d[i], from, 4);
    else
      d[i] = loadNumber(format, from);
  });
  multiplyTile(a, b, d, inst.m, inst.n, inst.k);
  forEachAccumulator(inst, bytes, [&](int lane, int at, int i) {
    if (format == Format::F32)
      memcpy(lanes.results[lane] + at, &d[i], 4);
    else
      storeNumber(format, lanes.results[lane] + at, d[i]);
  });
}
