//===-- Blas.cpp - Matrix products of an installed BLAS -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A BLAS reports wrong arguments by printing, some of them by ending the
// process. So every argument is checked here first.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Blas.h"

#include "Library/BlasLibrary.h"
#include "Program/RunState.h"
#include "Support/Failure.h"
#include "Support/SizedStruct.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

using namespace amp::rt;

struct AmpRtBlas {
  AmpRtBlasMode mode = AMP_RT_BLAS_AUTO;
  int32_t threads = 1;
  /// Owned; null to search.
  char *path = nullptr;

  /// Guards what follows. Computing happens outside it.
  std::mutex mutex;
  /// Whether a library was chosen; that is done once, as a program without a
  /// BLAS asks for every product.
  bool wasChosen = false;
  /// Does not change once chosen.
  BlasChoice choice;
};

void ampRtBlasOptionsInitSized(AmpRtBlasOptions *options, uint32_t structSize) {
  if (!options)
    return;
  options->structSize = structSize;
  writeStruct(AmpRtBlasOptions{structSize, AMP_RT_BLAS_AUTO, /*threads=*/1,
                               /*reserved=*/0, /*path=*/nullptr},
              *options);
}

static AmpRtStatus checkThreads(const char *call, int32_t threads) {
  if (threads < 1)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected 'threads' to be at least 1, but got %d", call,
                threads);
  return AMP_RT_OK;
}

AmpRtStatus ampRtBlasCreate(const AmpRtBlasOptions *given, AmpRtBlas **blas) {
  const char *call = "ampRtBlasCreate";
  if (!blas)
    return failNull(call, "blas");
  AmpRtBlasOptions options;
  ampRtBlasOptionsInit(&options);
  if (given)
    if (AmpRtStatus status =
            readStruct(call, "AmpRtBlasOptions", *given, options))
      return status;
  if (options.mode != AMP_RT_BLAS_AUTO && options.mode != AMP_RT_BLAS_OFF)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected mode to be AMP_RT_BLAS_AUTO or AMP_RT_BLAS_OFF, "
                "but got %d",
                call, options.mode);
  if (AmpRtStatus status = checkThreads(call, options.threads))
    return status;
  AmpRtBlas *result = new (std::nothrow) AmpRtBlas;
  if (!result)
    return failNoMemory(call, "a BLAS object");
  result->mode = static_cast<AmpRtBlasMode>(options.mode);
  result->threads = options.threads;
  if (options.path) {
    result->path = strdup(options.path);
    if (!result->path) {
      delete result;
      return failNoMemory(call, "a path");
    }
  }
  *blas = result;
  return AMP_RT_OK;
}

void ampRtBlasDestroy(AmpRtBlas *blas) {
  if (!blas)
    return;
  std::free(blas->path);
  delete blas;
}

/// The object itself, or the process's own one for null, which is never
/// destroyed, as compiled programs may use it until the end.
static AmpRtBlas &orDefault(AmpRtBlas *blas) {
  alignas(AmpRtBlas) static char storage[sizeof(AmpRtBlas)];
  static AmpRtBlas *shared = new (storage) AmpRtBlas;
  return blas ? *blas : *shared;
}

/// Opens a library if that has not been tried, and says which.
static const BlasChoice &choose(AmpRtBlas &blas) {
  std::lock_guard<std::mutex> lock(blas.mutex);
  BlasChoice &choice = blas.choice;
  if (blas.wasChosen)
    return choice;
  blas.wasChosen = true;
  if (blas.mode == AMP_RT_BLAS_OFF) {
    choice.status = AMP_RT_UNAVAILABLE;
    std::snprintf(choice.reason, sizeof(choice.reason),
                  "BLAS is switched off by AMP_RT_BLAS_OFF; use "
                  "AMP_RT_BLAS_AUTO to let it be searched for");
    return choice;
  }
  chooseBlas(blas.path, detectCpuClass(), choice);
  // One that is not used is left as it is: the process may use it otherwise.
  if (choice.status == AMP_RT_OK && choice.library.setThreads)
    choice.library.setThreads(blas.threads);
  return choice;
}

AmpRtStatus ampRtBlasGetInfo(AmpRtBlas *blas, AmpRtBlasInfo *info) {
  const char *call = "ampRtBlasGetInfo";
  if (!info)
    return failNull(call, "info");
  AmpRtBlasInfo known = {};
  if (AmpRtStatus status = checkStructSize(call, "AmpRtBlasInfo",
                                           info->structSize, sizeof(known)))
    return status;
  const BlasChoice &choice = choose(orDefault(blas));
  if (choice.status != AMP_RT_OK && choice.wasNamed)
    return fail(choice.status, "%s: %s", call, choice.reason);
  known.reason = choice.reason;
  if (choice.status == AMP_RT_OK) {
    const BlasLibrary &library = choice.library;
    known.threads = library.getThreads ? library.getThreads() : 1;
    known.path = library.path;
    known.config = library.getConfig ? library.getConfig() : "unknown CBLAS";
    known.core = library.core;
  }
  writeStruct(known, *info);
  return AMP_RT_OK;
}

AmpRtStatus ampRtBlasSetThreads(AmpRtBlas *blas, int32_t threads) {
  if (AmpRtStatus status = checkThreads("ampRtBlasSetThreads", threads))
    return status;
  AmpRtBlas &object = orDefault(blas);
  std::lock_guard<std::mutex> lock(object.mutex);
  object.threads = threads;
  if (object.choice.status == AMP_RT_OK && object.choice.library.setThreads)
    object.choice.library.setThreads(threads);
  return AMP_RT_OK;
}

/// Checks one matrix of rows x columns as stored.
static AmpRtStatus checkMatrix(const char *name, const float *data,
                               int64_t rows, int64_t columns, int64_t stride) {
  // CBLAS wants a distance of at least 1 even for an empty matrix.
  int64_t least = columns > 1 ? columns : 1;
  if (stride < least || stride > INT_MAX)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "ampRtBlasSgemm: matrix '%s': expected rows to be between %lld "
                "and %d elements apart, but got %lld",
                name, static_cast<long long>(least), INT_MAX,
                static_cast<long long>(stride));
  if (!data && rows > 0 && columns > 0)
    return failNull("ampRtBlasSgemm", name);
  return AMP_RT_OK;
}

AmpRtStatus ampRtBlasSgemm(AmpRtBlas *blas, int32_t transposeA,
                           int32_t transposeB, int64_t m, int64_t n, int64_t k,
                           float alpha, const float *a, int64_t lda,
                           const float *b, int64_t ldb, float beta, float *c,
                           int64_t ldc) {
  const char *call = "ampRtBlasSgemm";
  for (int64_t size : {m, n, k})
    if (size < 0 || size > INT_MAX)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: expected sizes from 0 to %d, but got %lld; compute the "
                  "product in blocks",
                  call, INT_MAX, static_cast<long long>(size));
  if (AmpRtStatus status = transposeA ? checkMatrix("a", a, k, m, lda)
                                      : checkMatrix("a", a, m, k, lda))
    return status;
  if (AmpRtStatus status = transposeB ? checkMatrix("b", b, n, k, ldb)
                                      : checkMatrix("b", b, k, n, ldb))
    return status;
  if (AmpRtStatus status = checkMatrix("c", c, m, n, ldc))
    return status;

  const BlasChoice &choice = choose(orDefault(blas));
  if (choice.status != AMP_RT_OK)
    return fail(choice.status, "%s: %s", call, choice.reason);
  choice.library.sgemm(
      BlasLibrary::kRowMajor,
      transposeA ? BlasLibrary::kTranspose : BlasLibrary::kNoTranspose,
      transposeB ? BlasLibrary::kTranspose : BlasLibrary::kNoTranspose,
      static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), alpha, a,
      static_cast<int>(lda), b, static_cast<int>(ldb), beta, c,
      static_cast<int>(ldc));
  return AMP_RT_OK;
}

AmpRtStatus ampRtRunSgemm(int64_t run, AmpRtBlas *blas, int32_t transposeA,
                          int32_t transposeB, int64_t m, int64_t n, int64_t k,
                          float alpha, const float *a, int64_t lda,
                          const float *b, int64_t ldb, float beta, float *c,
                          int64_t ldc) {
  AmpRtStatus status = ampRtBlasSgemm(blas, transposeA, transposeB, m, n, k,
                                      alpha, a, lda, b, ldb, beta, c, ldc);
  // The program goes on with kernels of its own, as if nothing had been asked
  // for.
  if (status != AMP_RT_OK && choose(orDefault(blas)).wasNamed)
    recordError(run, AMP_RT_PROGRAM_ERROR, "%s", ampRtStatusText());
  return status;
}
