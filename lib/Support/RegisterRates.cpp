//===- RegisterRates.cpp - What arithmetic in registers takes -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Support/RegisterRates.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <chrono>
#include <utility>

using namespace mlir::amp;

/// Steps of a loop, of the order of 10 us together: what interrupts one call
/// spoils no other.
static constexpr int64_t kSteps = 5000;

#ifdef __x86_64__

/// Twelve sums: two units with a latency of four or five want ten at least, and
/// they leave registers for the factors. The factor is no number that a
/// compiler knows, nor one that lets the sums grow.
#define AMP_FMA_LOOP(NAME, TARGET, BYTES)                                      \
  typedef float NAME##Vector __attribute__((vector_size(BYTES)));              \
  __attribute__((target(TARGET), noinline)) static void NAME(float *values) {  \
    NAME##Vector sums[12], x, y;                                               \
    for (int lane = 0; lane < BYTES / 4; ++lane) {                             \
      x[lane] = values[0];                                                     \
      y[lane] = values[1];                                                     \
    }                                                                          \
    for (int i = 0; i < 12; ++i)                                               \
      sums[i] = x + float(i);                                                  \
    for (int64_t step = 0; step < kSteps; ++step)                              \
      for (int i = 0; i < 12; ++i)                                             \
        sums[i] = sums[i] * x + y;                                             \
    for (int i = 1; i < 12; ++i)                                               \
      sums[0] += sums[i];                                                      \
    values[2] = sums[0][0];                                                    \
  }

AMP_FMA_LOOP(multiply512, "avx512f", 64)
AMP_FMA_LOOP(multiply256, "avx2,fma", 32)
AMP_FMA_LOOP(multiply128, "sse2", 16)

/// Operations a second of a loop over twelve sums, each of so many products a
/// step.
static double measureLoop(void (*loop)(float *), int products,
                          Measure measure) {
  float values[3] = {0.5f, 0.25f, 0};
  // NOLINTNEXTLINE: a volatile pointer keeps each call.
  float *volatile escaped = values;
  double time = measure([&] { loop(escaped); });
  return 2.0 * 12 * products * kSteps / time;
}

double mlir::amp::measurePeak(Measure measure) {
  auto [loop, lanes] =
      __builtin_cpu_supports("avx512f") ? std::pair(&multiply512, 16)
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
          ? std::pair(&multiply256, 8)
          : std::pair(&multiply128, 4);
  return measureLoop(loop, lanes, measure);
}

__attribute__((target("avx512f,avx512bf16"), noinline)) static void
multiplyBf16(float *values) {
  const __m512i pairs = _mm512_set1_epi32(int(0x3c003c00)); // of 2^-7
  const auto x = __m512bh(pairs);
  __m512 sums[12];
  for (int i = 0; i < 12; ++i)
    sums[i] = _mm512_set1_ps(values[0] + float(i));
  for (int64_t step = 0; step < kSteps; ++step)
    for (__m512 &sum : sums)
      sum = _mm512_dpbf16_ps(sum, x, x);
  for (int i = 1; i < 12; ++i)
    sums[0] += sums[i];
  values[2] = sums[0][0];
}

double mlir::amp::measureBf16Peak(Measure measure) {
  if (!__builtin_cpu_supports("avx512bf16"))
    return 0;
  return measureLoop(&multiplyBf16, /*products=*/32, measure);
}

/// Four sums of 16 x 16 from two tiles of either factor, as a product has them:
/// the unit takes 16 cycles for each and has a latency of 52.
__attribute__((target("amx-tile,amx-bf16"), noinline)) static void
multiplyTiles(int64_t steps) {
  struct alignas(64) {
    uint8_t palette = 1, startRow = 0, reserved[14] = {};
    uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } config;
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (int64_t step = 0; step < steps; ++step) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
}

double mlir::amp::measureTilePeak(Measure measure) {
  constexpr int64_t kTileSteps = 10000;
  constexpr double kOperations = 2.0 * 4 * 16 * 16 * 32 * kTileSteps;
  return kOperations / measure([] { multiplyTiles(kTileSteps); });
}

#else

double mlir::amp::measurePeak(Measure) { return 0; }
double mlir::amp::measureBf16Peak(Measure) { return 0; }
double mlir::amp::measureTilePeak(Measure) { return 0; }

#endif

double mlir::amp::measureBf16Gain() {
  constexpr int kTurns = 20;
  using Clock = std::chrono::steady_clock;
  auto measure = [](llvm::function_ref<void()> call) {
    const Clock::time_point start = Clock::now();
    call();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  double f32 = 0, bf16 = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    f32 = std::max(f32, measurePeak(measure));
    bf16 = std::max(bf16, measureBf16Peak(measure));
  }
  return f32 > 0 ? bf16 / f32 : 0;
}
