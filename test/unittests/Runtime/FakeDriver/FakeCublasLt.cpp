//===-- FakeCublasLt.cpp - A cuBLASLt for machines without a GPU ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes matrix products on the fake driver's memory, by the column-major
// rules of cuBLASLt's documentation: bf16 or e4m3 operands, bf16 or f32
// results, strided batches. With FAKE_CUBLASLT=none it has no algorithm, with
// FAKE_CUBLASLT=wrong its first element is wrong.
//
//===----------------------------------------------------------------------===//

#include "CublasLtAbi.h"
#include "FakeFormat.h"

#include <cstdlib>
#include <cstring>
#include <utility>

using namespace amp::bench::cublaslt;

#define API extern "C" __attribute__((visibility("default")))

namespace {

constexpr Status kInvalidValue = 7, kNotSupported = 15;

struct FakeLayout {
  int type;
  uint64_t rows, columns;
  int64_t stride, offset = 0;
  int32_t batch = 1;
};

struct FakeProduct {
  int32_t transposeA = 0, transposeB = 0;
  int8_t isFast = 0;
};

struct FakePreference {
  uint64_t workspaceBytes = 0;
};

FakeLayout &of(Layout layout) {
  return *reinterpret_cast<FakeLayout *>(layout);
}

bool isSetting(const char *value) {
  const char *setting = std::getenv("FAKE_CUBLASLT");
  return setting && std::strcmp(setting, value) == 0;
}

float element(const void *matrix, const FakeLayout &layout, int64_t batch,
              bool isTransposed, uint64_t row, uint64_t column) {
  if (isTransposed)
    std::swap(row, column);
  if (row >= layout.rows || column >= layout.columns)
    std::abort();
  if (layout.type == kRealE4M3)
    return fakecuda::fromE4M3(static_cast<const uint8_t *>(
        matrix)[batch * layout.offset +
                static_cast<int64_t>(column) * layout.stride +
                static_cast<int64_t>(row)]);
  uint16_t half;
  std::memcpy(&half,
              static_cast<const uint16_t *>(matrix) + batch * layout.offset +
                  static_cast<int64_t>(column) * layout.stride +
                  static_cast<int64_t>(row),
              2);
  uint32_t bits = static_cast<uint32_t>(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

void write(void *matrix, const FakeLayout &layout, int64_t batch, uint64_t row,
           uint64_t column, float value) {
  int64_t at = batch * layout.offset +
               static_cast<int64_t>(column) * layout.stride +
               static_cast<int64_t>(row);
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  bits += 0x7fff + (bits >> 16 & 1);
  auto half = static_cast<uint16_t>(bits >> 16);
  if (layout.type == kRealF32)
    std::memcpy(static_cast<float *>(matrix) + at, &value, 4);
  else
    std::memcpy(static_cast<uint16_t *>(matrix) + at, &half, 2);
}

} // namespace

API Status cublasLtCreate(Handle *handle) {
  *handle = static_cast<Handle>(std::malloc(1));
  return 0;
}
API Status cublasLtDestroy(Handle handle) {
  std::free(handle);
  return 0;
}
API Status cublasLtMatmulDescCreate(MatmulDesc *result, int computeType,
                                    int scaleType) {
  if ((computeType != kCompute32F && computeType != kComputeTF32) ||
      scaleType != kRealF32)
    return kInvalidValue;
  *result = reinterpret_cast<MatmulDesc>(new FakeProduct);
  return 0;
}
API Status cublasLtMatmulDescDestroy(MatmulDesc product) {
  delete reinterpret_cast<FakeProduct *>(product);
  return 0;
}
API Status cublasLtMatmulDescSetAttribute(MatmulDesc product, int attribute,
                                          const void *value, size_t bytes) {
  auto &fake = *reinterpret_cast<FakeProduct *>(product);
  if (attribute == kFastAccumulation && bytes == 1) {
    std::memcpy(&fake.isFast, value, 1);
    return 0;
  }
  if (bytes != 4 || (attribute != kTransposeA && attribute != kTransposeB))
    return kInvalidValue;
  std::memcpy(attribute == kTransposeA ? &fake.transposeA : &fake.transposeB,
              value, 4);
  return 0;
}
API Status cublasLtMatrixLayoutCreate(Layout *result, int type, uint64_t rows,
                                      uint64_t columns, int64_t stride) {
  if (stride < static_cast<int64_t>(rows))
    return kInvalidValue;
  auto *fake = new FakeLayout;
  fake->type = type;
  fake->rows = rows;
  fake->columns = columns;
  fake->stride = stride;
  *result = reinterpret_cast<Layout>(fake);
  return 0;
}
API Status cublasLtMatrixLayoutDestroy(Layout layout) {
  delete reinterpret_cast<FakeLayout *>(layout);
  return 0;
}
API Status cublasLtMatrixLayoutSetAttribute(Layout layout, int attribute,
                                            const void *value, size_t bytes) {
  if (attribute == kBatchCount && bytes == 4)
    std::memcpy(&of(layout).batch, value, 4);
  else if (attribute == kStridedBatchOffset && bytes == 8)
    std::memcpy(&of(layout).offset, value, 8);
  else
    return kInvalidValue;
  return 0;
}
API Status cublasLtMatmulPreferenceCreate(Preference *result) {
  *result = reinterpret_cast<Preference>(new FakePreference);
  return 0;
}
API Status cublasLtMatmulPreferenceDestroy(Preference preference) {
  delete reinterpret_cast<FakePreference *>(preference);
  return 0;
}
API Status cublasLtMatmulPreferenceSetAttribute(Preference, int attribute,
                                                const void *, size_t bytes) {
  return attribute == kMaxWorkspaceBytes && bytes == 8 ? 0 : kInvalidValue;
}
API Status cublasLtMatmulAlgoGetHeuristic(Handle, MatmulDesc product, Layout a,
                                          Layout b, Layout c, Layout d,
                                          Preference, int requested,
                                          HeuristicResult *results,
                                          int *found) {
  auto &fake = *reinterpret_cast<FakeProduct *>(product);
  uint64_t m = fake.transposeA ? of(a).columns : of(a).rows;
  uint64_t k = fake.transposeA ? of(a).rows : of(a).columns;
  uint64_t depth = fake.transposeB ? of(b).columns : of(b).rows;
  uint64_t n = fake.transposeB ? of(b).rows : of(b).columns;
  *found = 0;
  bool isEight = of(a).type == kRealE4M3;
  if ((!isEight && of(a).type != kRealBF16) || of(b).type != of(a).type ||
      isSetting("none"))
    return kNotSupported;
  // As fast as our kernels, which give up the same bits of the sum.
  if (isEight != (fake.isFast == 1))
    return kInvalidValue;
  if (requested < 1 || k != depth || of(d).rows != m || of(d).columns != n ||
      c != d)
    return kInvalidValue;
  *found = 1;
  results[0] = {};
  results[0].algorithm.data[0] =
      0x616c676f; // which cublasLtMatmul wants to see
  return 0;
}
API Status cublasLtMatmul(Handle, MatmulDesc product, const void *alpha,
                          const void *a, Layout layoutA, const void *b,
                          Layout layoutB, const void *beta, const void *,
                          Layout, void *d, Layout layoutD,
                          const Algorithm *algorithm, void *workspace,
                          size_t workspaceBytes, void *stream) {
  auto &fake = *reinterpret_cast<FakeProduct *>(product);
  if (*static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0 ||
      algorithm->data[0] != 0x616c676f || !workspace || !workspaceBytes ||
      !stream)
    return kInvalidValue;
  const FakeLayout &result = of(layoutD);
  uint64_t depth = fake.transposeA ? of(layoutA).rows : of(layoutA).columns;
  for (int64_t batch = 0; batch < result.batch; ++batch)
    for (uint64_t i = 0; i < result.rows; ++i)
      for (uint64_t j = 0; j < result.columns; ++j) {
        float sum = isSetting("wrong") && i + j == 0 ? 1 : 0;
        for (uint64_t l = 0; l < depth; ++l)
          sum += element(a, of(layoutA), batch, fake.transposeA, i, l) *
                 element(b, of(layoutB), batch, fake.transposeB, l, j);
        write(d, result, batch, i, j, sum);
      }
  return 0;
}
