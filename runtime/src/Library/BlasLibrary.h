//===-- BlasLibrary.h - Finding and opening a library -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_LIBRARY_BLASLIBRARY_H
#define AMP_RT_SRC_LIBRARY_BLASLIBRARY_H

#include "amp-rt/Status.h"

#include "Library/BlasCores.h"
#include "Library/OneDnn.h"
#include "Library/OneDnnRatios.h"
#include "amp-rt/Blas.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace amp::rt {

/// One library: the symbol table of a CBLAS, whose optional symbols may be
/// null, or oneDNN.
struct BlasLibrary {
  // Numbers of the CBLAS enums, which all implementations share.
  static constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112;

  void (*sgemm)(int order, int transposeA, int transposeB, int m, int n, int k,
                float alpha, const float *a, int lda, const float *b, int ldb,
                float beta, float *c, int ldc) = nullptr;
  /// Optional, as are all below: OpenBLAS's own.
  void (*setThreads)(int threads) = nullptr;
  int (*getThreads)() = nullptr;
  const char *(*getConfig)() = nullptr;

  /// If it is there, nothing above is.
  std::unique_ptr<OneDnn> oneDnn;

  /// The file the symbols come from; lives as long as the process.
  const char *path = nullptr;
  /// Whose kernels it uses; null if it does not say.
  const char *core = nullptr;
};

/// Which library computes products, and why.
struct BlasChoice {
  /// AMP_RT_OK: `library`. Otherwise none does, and callers compute by
  /// themselves.
  AmpRtStatus status = AMP_RT_UNAVAILABLE;
  /// A library was asked for by name: not to have it is the user's error.
  bool wasNamed = false;
  /// Empty unless the status is AMP_RT_OK.
  BlasLibrary library;
  /// Multiplications from which products are worth giving to it.
  int64_t f32MinWork = AMP_RT_BLAS_NEVER, bf16MinWork = AMP_RT_BLAS_NEVER;
  /// For people, without the name of a call.
  char reason[768] = {};
};

/// Opens `library` (a name that Blas.h knows, or a file), or what AMP_BLAS
/// says, or what is found and is right for `cpu`. `origin` says who asked for
/// `library`. A library that was opened is never closed: its threads may still
/// run.
void chooseBlas(const char *library, const char *origin, CpuClass cpu,
                OneDnnRatios ratios, BlasChoice &choice);

} // namespace amp::rt

#endif // AMP_RT_SRC_LIBRARY_BLASLIBRARY_H
