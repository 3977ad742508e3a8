/*===-- amp-rt/Blas.h - Matrix products of an installed BLAS -------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * OpenBLAS, or another library with the CBLAS interface, opened when it is
 * first needed. Nothing links against it: without one, calls return
 * AMP_RT_NOT_FOUND with the name of the package to install, and the caller
 * computes by itself.
 *
 * Which library: AmpRtBlasOptions.path if given, else the environment variable
 * AMP_BLAS if set, else libopenblas.so.0, else libblas.so.3. A path that was
 * asked for and cannot be used is an error; no other is tried in its place.
 *
 * Each object tries once; a new object searches anew. A library once opened
 * stays open for the life of the process. Its thread count is its own global
 * setting: the object that was opened or set last decides.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_BLAS_H
#define AMP_RT_BLAS_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

typedef struct AmpRtBlas AmpRtBlas;

typedef enum AmpRtBlasMode {
  AMP_RT_BLAS_AUTO = 0, /* use a library if there is one */
  AMP_RT_BLAS_OFF = 1   /* never open one: every use is AMP_RT_UNAVAILABLE */
} AmpRtBlasMode;

typedef struct AmpRtBlasOptions {
  uint32_t structSize; /* sizeof this struct */
  int32_t mode;        /* an AmpRtBlasMode */
  int32_t threads;   /* at least 1; 1 keeps sums in one order from run to run */
  uint32_t reserved; /* 0 */
  const char *path;  /* file or soname; null: search as above. Copied. */
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
  int32_t threads;     /* what the library says; 1 if it cannot say */
  const char *path;    /* the file that was loaded */
  const char *config;  /* openblas_get_config(), or "unknown CBLAS" */
} AmpRtBlasInfo;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtBlasInfo) == 8 + 2 * sizeof(char *),
                     "AmpRtBlasInfo has no padding");

/* Opens the library if that has not happened, and says what was found. The
 * texts live as long as the process. Null blas: the default object of the
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
 * Opens the library if that has not happened. Null blas: the process's default
 * object, with default options. Compiled programs may call this function as it
 * is, blas passed as an i64 handle (0 for the default), and compute by
 * themselves when the status (an i32) is not 0. May be called by several
 * threads. */
AMP_RT_API AmpRtStatus ampRtBlasSgemm(AmpRtBlas *blas, int32_t transposeA,
                                      int32_t transposeB, int64_t m, int64_t n,
                                      int64_t k, float alpha, const float *a,
                                      int64_t lda, const float *b, int64_t ldb,
                                      float beta, float *c, int64_t ldc);

AMP_RT_END_DECLS

#endif /* AMP_RT_BLAS_H */
