//===-- BlasLibrary.h - Symbols of an opened CBLAS --------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_LIBRARY_BLASLIBRARY_H
#define AMP_RT_SRC_LIBRARY_BLASLIBRARY_H

#include "amp-rt/Status.h"

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
};

/// Opens `path`, or what AMP_BLAS names, or the first candidate there is. The
/// library is never closed: its threads may still run. On failure `library`
/// stays empty and `failure` gets the text, without the call's name.
AmpRtStatus openBlasLibrary(const char *path, BlasLibrary &library,
                            char *failure, size_t failureSize);

} // namespace amp::rt

#endif // AMP_RT_SRC_LIBRARY_BLASLIBRARY_H
