/*===-- amp-rt/Blas.h - Matrix products of an installed BLAS -------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * OpenBLAS, or another library with the CBLAS interface, opened when it is
 * first needed. Nothing links against it: without one, ampRtBlasSgemm refuses,
 * and the caller computes by itself.
 *
 * Which library: AmpRtBlasOptions.path if given, else what the environment
 * variable AMP_BLAS says:
 *
 * - a path or soname: that library;
 * - `off`: none;
 * - `auto`, or not set: libopenblas.so.0 or libblas.so.3, the first that says
 *   whose kernels it uses (openblas_get_corename) and whose kernels fit this
 *   CPU. An OpenBLAS that does not know a CPU takes it for a very old one, and
 *   is slower than what the caller has; the reference BLAS is so anywhere.
 *
 * A library that was named is taken whatever its kernels are. If it cannot be
 * used that is an error, and no other is tried in its place.
 *
 * None is opened where limits of the process (RLIMIT_AS, RLIMIT_DATA) leave
 * less than 256 MiB for each thread of an OpenBLAS, which would wait for its
 * memory for ever. OPENBLAS_NUM_THREADS makes these threads fewer.
 *
 * Each object chooses once; a new object searches anew. A library once opened
 * stays open for the life of the process. Its thread count is its own global
 * setting: the object that was opened or set last decides. Sums depend on the
 * library and on its kernels in their last bits: ampRtBlasGetInfo says which.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_BLAS_H
#define AMP_RT_BLAS_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

typedef struct AmpRtBlas AmpRtBlas;

typedef enum AmpRtBlasMode {
  AMP_RT_BLAS_AUTO = 0, /* which library, see above */
  AMP_RT_BLAS_OFF = 1   /* never open one: every use is AMP_RT_UNAVAILABLE */
} AmpRtBlasMode;

typedef struct AmpRtBlasOptions {
  uint32_t structSize; /* sizeof this struct */
  int32_t mode;        /* an AmpRtBlasMode */
  int32_t threads;   /* at least 1; 1 keeps sums in one order from run to run */
  uint32_t reserved; /* 0 */
  const char *path;  /* file or soname; null: AMP_BLAS decides. Copied. */
} AmpRtBlasOptions;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtBlasOptions) == 16 + sizeof(char *),
                     "AmpRtBlasOptions has no padding");

/* Mode auto, 1 thread, no path. Null is ignored. The size is the caller's own,
 * so that no more is written than the caller has. */
AMP_RT_API void ampRtBlasOptionsInitSized(AmpRtBlasOptions *options,
                                          uint32_t structSize);
static inline void ampRtBlasOptionsInit(AmpRtBlasOptions *options) {
  ampRtBlasOptionsInitSized(options, sizeof(AmpRtBlasOptions));
}

/* Remembers the options; opens nothing yet, so it succeeds without a library.
 * Null options mean the defaults. The caller owns *blas. */
AMP_RT_API AmpRtStatus ampRtBlasCreate(const AmpRtBlasOptions *options,
                                       AmpRtBlas **blas);

AMP_RT_API void ampRtBlasDestroy(AmpRtBlas *blas);

typedef struct AmpRtBlasInfo {
  uint32_t structSize; /* sizeof this struct */
  int32_t threads;     /* what the library says; 1 if it cannot say; 0: none */
  const char *path;    /* the file that was loaded; null: no library */
  const char *config;  /* openblas_get_config(), "unknown CBLAS"; null: none */
  const char *core;    /* openblas_get_corename(), whose kernels it uses; null
                          if it does not say, and without a library */
  const char *reason;  /* why this library, or why none, for people */
} AmpRtBlasInfo;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtBlasInfo) == 8 + 4 * sizeof(char *),
                     "AmpRtBlasInfo has no padding");

/* Chooses and opens a library if that has not happened, and says which. That
 * there is none, or none that fits, is an answer, not an error; that a library
 * which was named cannot be used is AMP_RT_NOT_FOUND. The texts live as long as
 * the process, `reason` as long as `blas`. Null blas: the default object of the
 * process. */
AMP_RT_API AmpRtStatus ampRtBlasGetInfo(AmpRtBlas *blas, AmpRtBlasInfo *info);

/* Changes the thread count, at once if the library is open. Null blas: the
 * process's default object. */
AMP_RT_API AmpRtStatus ampRtBlasSetThreads(AmpRtBlas *blas, int32_t threads);

/* C = alpha * op(A) * op(B) + beta * C, row-major f32, where op transposes if
 * its flag is not 0. C is m by n, op(A) m by k, op(B) k by n; lda, ldb and ldc
 * are the distances of rows as stored. With beta 0, C need not be initialised.
 * A matrix without elements may be null. C must not overlap A or B.
 *
 * Opens the library if that has not happened. Without one: AMP_RT_NOT_FOUND if
 * none is installed, AMP_RT_UNAVAILABLE if none fits or BLAS is switched off.
 * Null blas: the process's default object, with default options.
 *
 * May be called by several threads. */
AMP_RT_API AmpRtStatus ampRtBlasSgemm(AmpRtBlas *blas, int32_t transposeA,
                                      int32_t transposeB, int64_t m, int64_t n,
                                      int64_t k, float alpha, const float *a,
                                      int64_t lda, const float *b, int64_t ldb,
                                      float beta, float *c, int64_t ldc);

/* Program entry point (Run.h): the same for a compiled program, which passes
 * blas as an i64 handle (0 for the default) and computes by itself when the
 * status (an i32) is not 0. A library that was named and cannot be used is
 * recorded as an error: what was asked for did not happen. */
AMP_RT_API AmpRtStatus ampRtRunSgemm(int64_t run, AmpRtBlas *blas,
                                     int32_t transposeA, int32_t transposeB,
                                     int64_t m, int64_t n, int64_t k,
                                     float alpha, const float *a, int64_t lda,
                                     const float *b, int64_t ldb, float beta,
                                     float *c, int64_t ldc);

AMP_RT_END_DECLS

#endif /* AMP_RT_BLAS_H */
