//===-- CublasLtAbi.h - What we use of cuBLASLt's ABI -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations, so that no package is needed to build. A unit test compares
// them with cublasLt.h where that is found.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TOOLS_AMP_KERNEL_BENCH_CUBLASLTABI_H
#define AMP_TOOLS_AMP_KERNEL_BENCH_CUBLASLTABI_H

#include <cstddef>
#include <cstdint>

namespace amp::bench::cublaslt {

using Status = int;
using Handle = struct HandleObject *;
using MatmulDesc = struct MatmulDescObject *;
using Layout = struct LayoutObject *;
using Preference = struct PreferenceObject *;

enum : int {
  kRealF32 = 0,
  kRealF16 = 2,
  kRealBF16 = 14,
  kRealE4M3 = 28,
  kRealE5M2 = 29,
  kCompute32F = 68,
  kComputeTF32 = 77,
  kTransposeA = 3,
  kTransposeB = 4,
  kFastAccumulation = 25,
  kBatchCount = 5,
  kStridedBatchOffset = 6,
  kMaxWorkspaceBytes = 1,
  kOperationN = 0,
  kOperationT = 1
};

struct Algorithm {
  uint64_t data[8];
};

struct HeuristicResult {
  Algorithm algorithm;
  size_t workspaceBytes;
  Status state;
  float waves;
  int reserved[4];
};

#define AMP_CUBLASLT_FUNCTIONS(X)                                              \
  X(Create, (Handle *))                                                        \
  X(Destroy, (Handle))                                                         \
  X(MatmulDescCreate, (MatmulDesc *, int computeType, int scaleType))          \
  X(MatmulDescDestroy, (MatmulDesc))                                           \
  X(MatmulDescSetAttribute,                                                    \
    (MatmulDesc, int attribute, const void *, size_t bytes))                   \
  X(MatrixLayoutCreate,                                                        \
    (Layout *, int type, uint64_t rows, uint64_t columns, int64_t stride))     \
  X(MatrixLayoutDestroy, (Layout))                                             \
  X(MatrixLayoutSetAttribute,                                                  \
    (Layout, int attribute, const void *, size_t bytes))                       \
  X(MatmulPreferenceCreate, (Preference *))                                    \
  X(MatmulPreferenceDestroy, (Preference))                                     \
  X(MatmulPreferenceSetAttribute,                                              \
    (Preference, int attribute, const void *, size_t bytes))                   \
  X(MatmulAlgoGetHeuristic,                                                    \
    (Handle, MatmulDesc, Layout a, Layout b, Layout c, Layout d, Preference,   \
     int requested, HeuristicResult *, int *found))                            \
  X(Matmul, (Handle, MatmulDesc, const void *alpha, const void *a, Layout,     \
             const void *b, Layout, const void *beta, const void *c, Layout,   \
             void *d, Layout, const Algorithm *, void *workspace,              \
             size_t workspaceBytes, void *stream))

} // namespace amp::bench::cublaslt

#endif // AMP_TOOLS_AMP_KERNEL_BENCH_CUBLASLTABI_H
