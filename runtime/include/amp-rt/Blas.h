/*===-- amp-rt/Blas.h - Matrix products of an installed BLAS -------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * OpenBLAS, another library with the CBLAS interface, or oneDNN (versions 2 and
 * 3), opened when it is first needed. Nothing links against it: without one,
 * products are refused, and the caller computes by itself.
 *
 * Which library: AmpRtBlasOptions.path if given, else what the environment
 * variable AMP_BLAS says:
 *
 * - `openblas`: libopenblas.so.0;
 * - `onednn`: libdnnl.so.3, else libdnnl.so.2;
 * - a path or soname: that library, whichever of the two kinds it is;
 * - `off`: none;
 * - `auto`, or not set: oneDNN if a stored measurement says that it wins on
 * this CPU (src/Library/OneDnnRatios.def), for the products that it wins. Else
 *   libopenblas.so.0 or libblas.so.3, the first that says whose kernels it uses
 *   (openblas_get_corename) and whose kernels fit this CPU. An OpenBLAS that
 *   does not know a CPU takes it for a very old one, and is slower than what
 * the caller has; the reference BLAS is so anywhere.
 *
 * A library that was named is taken whatever its kernels are. If it cannot be
 * used that is an error, and no other is tried in its place. A single product
 * that oneDNN fails to compute is none: the caller computes it, and
 * AmpRtBlasInfo.failure says why.
 *
 * No CBLAS is opened where limits of the process (RLIMIT_AS, RLIMIT_DATA) leave
 * less than 256 MiB for each thread of an OpenBLAS, which would wait for its
 * memory for ever. OPENBLAS_NUM_THREADS makes these threads fewer.
 *
 * Each object chooses once; a new object searches anew. A library once opened
 * stays open for the life of the process. A CBLAS's thread count is its own
 * global setting: the object that was opened or set last decides. oneDNN gets
 * the object's with each call, which OpenMP holds for each calling thread; a
 * oneDNN with other threads (TBB, SYCL) is refused. Sums depend on the library
 * and on its kernels in their last bits: ampRtBlasGetInfo says which.
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
  const char *path;  /* a library as above; null: AMP_BLAS decides. Copied. */
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

/* Asks for a library by name, as AmpRtBlasOptions.path does, before the object
 * has chosen: afterwards it is AMP_RT_INVALID_ARGUMENT. `origin` says who asks,
 * for texts, such as "--blas". Both are copied. Null blas: the default object
 * of the process. */
AMP_RT_API AmpRtStatus ampRtBlasSetLibrary(AmpRtBlas *blas, const char *library,
                                           const char *origin);

/* Multiplications that no product has. */
#define AMP_RT_BLAS_NEVER INT64_MAX

typedef struct AmpRtBlasInfo {
  uint32_t structSize; /* sizeof this struct */
  int32_t threads;     /* what the library says; 1 if it cannot say; 0: none */
  const char *path;    /* the file that was loaded; null: no library */
  const char *config;  /* openblas_get_config(), "oneDNN 2.6.3 (OpenMP)" or
                          "unknown CBLAS"; null: none */
  const char *core;    /* openblas_get_corename(), whose kernels it uses; null
                          if it does not say, and without a library */
  const char *reason;  /* why this library, or why none, for people */
  /* Multiplications from which a product of f32, or of bf16, is worth giving to
   * it, for all that is known here: 0 from a library that was named. */
  int64_t f32MinWork, bf16MinWork;
  const char *failure; /* the first product that the library failed to compute;
                          null: none did */
} AmpRtBlasInfo;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtBlasInfo) ==
                         8 + 5 * sizeof(char *) + 2 * sizeof(int64_t),
                     "AmpRtBlasInfo has no padding");

/* Chooses and opens a library if that has not happened, and says which. That
 * there is none, or none that fits, is an answer, not an error; that a library
 * which was named cannot be used is AMP_RT_NOT_FOUND. The texts live as long as
 * `blas`. Null blas: the default object of the process. */
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

/* The same for A and B of bf16, as their bits, with products and sums in f32.
 * Alpha is 1, beta 0 or 1. AMP_RT_UNAVAILABLE from a library that has no such
 * products: a CBLAS, or oneDNN on a CPU for which it has none. */
AMP_RT_API AmpRtStatus ampRtBlasSbgemm(AmpRtBlas *blas, int32_t transposeA,
                                       int32_t transposeB, int64_t m, int64_t n,
                                       int64_t k, float alpha,
                                       const uint16_t *a, int64_t lda,
                                       const uint16_t *b, int64_t ldb,
                                       float beta, float *c, int64_t ldc);

/* Program entry points (Run.h): the same for a compiled program, which passes
 * blas as an i64 handle (0 for the default) and computes by itself when the
 * status (an i32) is not 0. A library that was named and cannot be used is
 * recorded as an error: what was asked for did not happen. */
AMP_RT_API AmpRtStatus ampRtRunSgemm(int64_t run, AmpRtBlas *blas,
                                     int32_t transposeA, int32_t transposeB,
                                     int64_t m, int64_t n, int64_t k,
                                     float alpha, const float *a, int64_t lda,
                                     const float *b, int64_t ldb, float beta,
                                     float *c, int64_t ldc);
AMP_RT_API AmpRtStatus ampRtRunSbgemm(int64_t run, AmpRtBlas *blas,
                                      int32_t transposeA, int32_t transposeB,
                                      int64_t m, int64_t n, int64_t k,
                                      float alpha, const uint16_t *a,
                                      int64_t lda, const uint16_t *b,
                                      int64_t ldb, float beta, float *c,
                                      int64_t ldc);

AMP_RT_END_DECLS

#endif /* AMP_RT_BLAS_H */
