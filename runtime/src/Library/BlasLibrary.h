//===-- BlasLibrary.h - Finding and opening a CBLAS -------------*- C++ -*-===//
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

#include <cstddef>

namespace amp::rt {

/// The symbol table of one library. Optional symbols may be null.
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
  /// For people, without the name of a call.
  char reason[768] = {};
};

/// Opens `path`, or what AMP_BLAS names, or the first candidate that fits
/// `cpu`. A library that was opened is never closed: its threads may still run.
void chooseBlas(const char *path, CpuClass cpu, BlasChoice &choice);

} // namespace amp::rt

#endif // AMP_RT_SRC_LIBRARY_BLASLIBRARY_H
