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
#include "TargetClones.h"
#include "amp/Emulator/NumberFormat.h"

using namespace amp::emu;

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
/// The operands of one mma as dense tiles of their own bits; B is transposed,
/// so that the parts of a register lie side by side in both.
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
  int k = inst.k, registersA = inst.m * k / per / 32,
      registersB = inst.n * k / per / 32;
  auto place = inst.m == 8 ? getElementA8 : getElementA;
  unsigned offsetA = inst.offsets[0], offsetB = inst.offsets[inst.firstB];
  for (int r = 0; r < registersA; ++r) {
    Element first = place(0, r, 0, per);
    for (int lane = 0; lane < int(warpSize); ++lane)
      memcpy(a + (first.row + lane / 4) * k + first.column + lane % 4 * per,
             lanes.arguments[lane] + offsetA + r * wide, wide);
  }
  for (int r = 0; r < registersB; ++r) {
    Element first = getElementB(0, r, 0, per);
    for (int lane = 0; lane < int(warpSize); ++lane)
      memcpy(b + lane / 4 * k + first.row + lane % 4 * per,
             lanes.arguments[lane] + offsetB + r * wide, wide);
  }
}

/// Calls act(lane, byte in the lane's accumulator, index in the tile): N is 8.
template <typename Act>
static void forEachAccumulator(const Instruction &inst, int bytes, Act act) {
  int perLane = inst.m / 4;
  for (int lane = 0; lane < int(warpSize); ++lane)
    for (int i = 0; i < perLane; ++i) {
      Element e = getElementC(lane, i);
      act(lane, i * bytes, e.row * 8 + e.column);
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
            load(true, i * inst.k + k) * load(false, j * inst.k + k);
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

  float a[16 * 32], columns[32 * 8], b[32 * 8], d[16 * 8];
  loadNumbers(inst.formatA, tiles.a, a, inst.m * inst.k);
  loadNumbers(inst.formatB, tiles.b, columns, inst.k * inst.n);
  for (int k = 0; k < inst.k; ++k)
    for (int j = 0; j < 8; ++j)
      b[k * 8 + j] = columns[j * inst.k + k];
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
