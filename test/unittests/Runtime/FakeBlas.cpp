//===-- FakeBlas.cpp - A BLAS that says what a test wants -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cblas_sgemm as a plain loop. Built twice: as an OpenBLAS, whose core is what
// the environment variable FAKE_BLAS_CORE says when it is asked, and without a
// word about itself, as the reference BLAS is.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void cblas_sgemm(int, int transposeA, int transposeB, int m, int n,
                          int k, float alpha, const float *a, int lda,
                          const float *b, int ldb, float beta, float *c,
                          int ldc) {
  constexpr int kTranspose = 112;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += (transposeA == kTranspose ? a[l * lda + i] : a[i * lda + l]) *
               (transposeB == kTranspose ? b[j * ldb + l] : b[l * ldb + j]);
      float &result = c[i * ldc + j];
      result = alpha * sum + (beta == 0 ? 0 : beta * result);
    }
}

#ifdef FAKE_OPENBLAS
static int threads = 16;
EXPORTED void openblas_set_num_threads(int count) { threads = count; }
EXPORTED int openblas_get_num_threads() { return threads; }
EXPORTED const char *openblas_get_config() { return "OpenBLAS 0.0 fake"; }
EXPORTED const char *openblas_get_corename() {
  static char core[64];
  const char *wanted = std::getenv("FAKE_BLAS_CORE");
  std::snprintf(core, sizeof(core), "%s", wanted ? wanted : "Unknown");
  return core;
}
#endif
