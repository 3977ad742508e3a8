//===-- FakeKernels.cpp - Kernels that the fake driver computes ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fake_gemm_TT_INPUT_OUTPUT[_wrong|_silent|_stuck]: D = A * B for tests of
// tools. TT is n or t for A and for B, INPUT is bf16 or f8E4M3FN, OUTPUT bf16
// or f32. Arguments: the tensor maps of A and B, the address of D, and M, N, K
// as 32-bit numbers.
// `_wrong` puts one element wrong, `_silent` computes nothing, `_stuck` takes a
// minute.
//
//===----------------------------------------------------------------------===//

#include "FakeFormat.h"
#include "FakeState.h"

#include <chrono>
#include <cstring>
#include <thread>

using namespace fakecuda;

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

static float elementOf(const Map &map, int64_t outer, int64_t inner) {
  const char *row = reinterpret_cast<const char *>(map.address) +
                    outer * static_cast<int64_t>(map.strides[0]);
  if (map.type == 0) // CU_TENSOR_MAP_DATA_TYPE_UINT8
    return fromE4M3(static_cast<uint8_t>(row[inner]));
  uint16_t half;
  std::memcpy(&half, row + inner * 2, 2);
  uint32_t bits = static_cast<uint32_t>(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// To nearest, ties to even.
static uint16_t toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  bits += 0x7fff + (bits >> 16 & 1);
  return static_cast<uint16_t>(bits >> 16);
}

template <typename T> static T argument(const Launch &launch, size_t index) {
  T value;
  std::memcpy(&value, launch.arguments[index].data(), sizeof(T));
  return value;
}

static float toFloat(uint16_t half) {
  uint32_t bits = static_cast<uint32_t>(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

static void convolve(const Launch &launch) {
  auto map = argument<Map>(launch, 0);
  auto *x = reinterpret_cast<const uint16_t *>(map.address);
  auto *f = argument<const uint16_t *>(launch, 1);
  auto *y = argument<uint16_t *>(launch, 2);
  auto c = static_cast<int64_t>(map.sizes[0]);
  auto w = static_cast<int64_t>(map.sizes[1]);
  auto h = static_cast<int64_t>(map.sizes[2]);
  auto images = static_cast<int64_t>(map.sizes[3]);
  int64_t k = argument<int32_t>(launch, 3), r = argument<int32_t>(launch, 4);
  int64_t s = argument<int32_t>(launch, 5),
          stride = argument<int32_t>(launch, 6);
  int64_t padding = argument<int32_t>(launch, 7);
  int64_t p = (h + 2 * padding - r) / stride + 1;
  int64_t q = (w + 2 * padding - s) / stride + 1;
  for (int64_t i = 0; i < images * p * q; ++i)
    for (int64_t o = 0; o < k; ++o) {
      float sum = 0;
      for (int64_t t = 0; t < r * s; ++t) {
        int64_t row = i / q % p * stride - padding + t / s;
        int64_t column = i % q * stride - padding + t % s;
        if (row < 0 || row >= h || column < 0 || column >= w)
          continue;
        for (int64_t l = 0; l < c; ++l)
          sum += toFloat(x[((i / (p * q) * h + row) * w + column) * c + l]) *
                 toFloat(f[(o * r * s + t) * c + l]);
      }
      y[i * k + o] = toBf16(sum);
    }
}

bool fakecuda::runBuiltIn(const Launch &launch) {
  if (launch.kernel == "fake_convolution") {
    convolve(launch);
    return true;
  }
  const std::string prefix = "fake_gemm_";
  if (launch.kernel.rfind(prefix, 0) != 0 || endsWith(launch.kernel, "_silent"))
    return false;
  if (endsWith(launch.kernel, "_stuck"))
    std::this_thread::sleep_for(std::chrono::minutes(1));
  bool isTransposedA = launch.kernel[prefix.size()] == 't';
  bool isTransposedB = launch.kernel[prefix.size() + 1] == 't';
  bool isFloat = launch.kernel.find("_f32") != std::string::npos;
  auto a = argument<Map>(launch, 0), b = argument<Map>(launch, 1);
  auto *d = argument<char *>(launch, 2);
  int64_t m = argument<int32_t>(launch, 3), n = argument<int32_t>(launch, 4);
  int64_t k = argument<int32_t>(launch, 5);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += (isTransposedA ? elementOf(a, l, i) : elementOf(a, i, l)) *
               (isTransposedB ? elementOf(b, j, l) : elementOf(b, l, j));
      if (endsWith(launch.kernel, "_wrong") && i == m - 1 && j == n / 2)
        sum += 64;
      uint16_t half = toBf16(sum);
      if (isFloat)
        std::memcpy(d + (i * n + j) * 4, &sum, 4);
      else
        std::memcpy(d + (i * n + j) * 2, &half, 2);
    }
  return true;
}
