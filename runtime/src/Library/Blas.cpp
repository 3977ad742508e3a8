//===-- Blas.cpp - Matrix products of an installed BLAS -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A BLAS reports wrong arguments by printing, some of them by ending the
// process. So every argument is checked here first. oneDNN returns a status
// with each call: a product that it fails to compute is left to the caller, and
// the first failure is kept for whoever asks.
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
  /// Guards what follows. Computing happens outside it.
  std::mutex mutex;
  /// What is asked for, and who asks for it. Owned; null to search.
  char *path = nullptr, *origin = nullptr;
  /// Whether a library was chosen; that is done once, as a program without a
  /// BLAS asks for every product.
  bool wasChosen = false;
  /// Does not change once chosen.
  BlasChoice choice;
  /// The first product that the library failed to compute; empty: none.
  char failure[256] = {};
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
  std::free(blas->origin);
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
  chooseBlas(blas.path, blas.origin ? blas.origin : "AmpRtBlasOptions.path",
             detectCpuClass(), getStoredRatios(), choice);
  // One that is not used is left as it is: the process may use it otherwise.
  if (choice.status == AMP_RT_OK && choice.library.setThreads)
    choice.library.setThreads(blas.threads);
  return choice;
}

AmpRtStatus ampRtBlasSetLibrary(AmpRtBlas *blas, const char *library,
                                const char *origin) {
  const char *call = "ampRtBlasSetLibrary";
  if (!library)
    return failNull(call, "library");
  if (!origin)
    return failNull(call, "origin");
  AmpRtBlas &object = orDefault(blas);
  std::lock_guard<std::mutex> lock(object.mutex);
  if (object.wasChosen)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected a BLAS object that has not chosen a library, but "
                "got one that has; name it before the first product",
                call);
  char *newLibrary = strdup(library), *newOrigin = strdup(origin);
  if (!newLibrary || !newOrigin) {
    std::free(newLibrary);
    std::free(newOrigin);
    return failNoMemory(call, "a name");
  }
  std::free(object.path);
  std::free(object.origin);
  object.path = newLibrary;
  object.origin = newOrigin;
  return AMP_RT_OK;
}

AmpRtStatus ampRtBlasGetInfo(AmpRtBlas *blas, AmpRtBlasInfo *info) {
  const char *call = "ampRtBlasGetInfo";
  if (!info)
    return failNull(call, "info");
  AmpRtBlasInfo known = {};
  if (AmpRtStatus status = checkStructSize(call, "AmpRtBlasInfo",
                                           info->structSize, sizeof(known)))
    return status;
  AmpRtBlas &object = orDefault(blas);
  const BlasChoice &choice = choose(object);
  if (choice.status != AMP_RT_OK && choice.wasNamed)
    return fail(choice.status, "%s: %s", call, choice.reason);
  known.reason = choice.reason;
  known.f32MinWork = choice.f32MinWork;
  known.bf16MinWork = choice.bf16MinWork;
  if (choice.status == AMP_RT_OK) {
    std::lock_guard<std::mutex> lock(object.mutex);
    const BlasLibrary &library = choice.library;
    known.threads = library.oneDnn       ? object.threads
                    : library.getThreads ? library.getThreads()
                                         : 1;
    known.path = library.path;
    known.config = library.oneDnn      ? library.oneDnn->getName()
                   : library.getConfig ? library.getConfig()
                                       : "unknown CBLAS";
    known.core = library.core;
    known.failure = *object.failure ? object.failure : nullptr;
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
static AmpRtStatus checkMatrix(const char *call, const char *name,
                               const void *data, int64_t rows, int64_t columns,
                               int64_t stride) {
  // CBLAS wants a distance of at least 1 even for an empty matrix.
  int64_t least = columns > 1 ? columns : 1;
  if (stride < least || stride > INT_MAX)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: matrix '%s': expected rows to be between %lld "
                "and %d elements apart, but got %lld",
                call, name, static_cast<long long>(least), INT_MAX,
                static_cast<long long>(stride));
  if (!data && rows > 0 && columns > 0)
    return failNull(call, name);
  return AMP_RT_OK;
}

static AmpRtStatus checkProduct(const char *call, const Product &product,
                                const void *a, const void *b, const void *c) {
  const auto [transposeA, transposeB, m, n, k, lda, ldb, ldc, alpha, beta] =
      product;
  for (int64_t size : {m, n, k})
    if (size < 0 || size > INT_MAX)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: expected sizes from 0 to %d, but got %lld; compute the "
                  "product in blocks",
                  call, INT_MAX, static_cast<long long>(size));
  if (AmpRtStatus status = transposeA ? checkMatrix(call, "a", a, k, m, lda)
                                      : checkMatrix(call, "a", a, m, k, lda))
    return status;
  if (AmpRtStatus status = transposeB ? checkMatrix(call, "b", b, n, k, ldb)
                                      : checkMatrix(call, "b", b, k, n, ldb))
    return status;
  return checkMatrix(call, "c", c, m, n, ldc);
}

/// The product by oneDNN. A failure is kept, if it is the object's first.
template <typename Element>
static AmpRtStatus multiply(const char *call, AmpRtBlas &blas, OneDnn &library,
                            const Product &product, const Element *a,
                            const Element *b, float *c, const char *type) {
  int32_t threads;
  {
    std::lock_guard<std::mutex> lock(blas.mutex);
    threads = blas.threads;
  }
  const OneDnnFailure failure = library.multiply(product, a, b, c, threads);
  if (!failure)
    return AMP_RT_OK;
  char text[sizeof(blas.failure)];
  std::snprintf(text, sizeof(text),
                "%s: '%s' returned %d (%s) for a product of %lld x %lld x %lld "
                "in %s",
                library.getName(), failure.function, failure.status,
                failure.statusName(), static_cast<long long>(product.m),
                static_cast<long long>(product.n),
                static_cast<long long>(product.k), type);
  std::lock_guard<std::mutex> lock(blas.mutex);
  if (!*blas.failure)
    std::memcpy(blas.failure, text, sizeof(text));
  return fail(failure.status == onednn::kOutOfMemory ? AMP_RT_OUT_OF_MEMORY
                                                     : AMP_RT_UNAVAILABLE,
              "%s: %s", call, text);
}

AmpRtStatus ampRtBlasSgemm(AmpRtBlas *blas, int32_t transposeA,
                           int32_t transposeB, int64_t m, int64_t n, int64_t k,
                           float alpha, const float *a, int64_t lda,
                           const float *b, int64_t ldb, float beta, float *c,
                           int64_t ldc) {
  const char *call = "ampRtBlasSgemm";
  const Product product{
      transposeA != 0, transposeB != 0, m, n, k, lda, ldb, ldc, alpha, beta};
  if (AmpRtStatus status = checkProduct(call, product, a, b, c))
    return status;
  AmpRtBlas &object = orDefault(blas);
  const BlasChoice &choice = choose(object);
  if (choice.status != AMP_RT_OK)
    return fail(choice.status, "%s: %s", call, choice.reason);
  if (choice.library.oneDnn)
    return multiply(call, object, *choice.library.oneDnn, product, a, b, c,
                    "f32");
  choice.library.sgemm(
      BlasLibrary::kRowMajor,
      transposeA ? BlasLibrary::kTranspose : BlasLibrary::kNoTranspose,
      transposeB ? BlasLibrary::kTranspose : BlasLibrary::kNoTranspose,
      static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), alpha, a,
      static_cast<int>(lda), b, static_cast<int>(ldb), beta, c,
      static_cast<int>(ldc));
  return AMP_RT_OK;
}

AmpRtStatus ampRtBlasSbgemm(AmpRtBlas *blas, int32_t transposeA,
                            int32_t transposeB, int64_t m, int64_t n, int64_t k,
                            float alpha, const uint16_t *a, int64_t lda,
                            const uint16_t *b, int64_t ldb, float beta,
                            float *c, int64_t ldc) {
  const char *call = "ampRtBlasSbgemm";
  const Product product{
      transposeA != 0, transposeB != 0, m, n, k, lda, ldb, ldc, alpha, beta};
  if (alpha != 1 || (beta != 0 && beta != 1))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected alpha to be 1 and beta to be 0 or 1, but got %g "
                "and %g",
                call, alpha, beta);
  if (AmpRtStatus status = checkProduct(call, product, a, b, c))
    return status;
  AmpRtBlas &object = orDefault(blas);
  const BlasChoice &choice = choose(object);
  if (choice.status != AMP_RT_OK)
    return fail(choice.status, "%s: %s", call, choice.reason);
  OneDnn *library = choice.library.oneDnn.get();
  if (!library)
    return fail(AMP_RT_UNAVAILABLE,
                "%s: library '%s' has no products of bf16; set "
                "AMP_BLAS=onednn, or compute them otherwise",
                call, choice.library.path);
  if (!library->hasBf16())
    return fail(AMP_RT_UNAVAILABLE,
                "%s: %s does not multiply bf16 on this CPU; compute the "
                "product otherwise",
                call, library->getName());
  return multiply(call, object, *library, product, a, b, c, "bf16");
}

/// Records for a program that a library which was named is not there. It goes
/// on with kernels of its own, as if nothing had been asked for.
static AmpRtStatus recordMissing(int64_t run, AmpRtBlas *blas,
                                 AmpRtStatus status) {
  if (status == AMP_RT_OK)
    return status;
  const BlasChoice &choice = choose(orDefault(blas));
  if (choice.status != AMP_RT_OK && choice.wasNamed)
    recordError(run, AMP_RT_PROGRAM_ERROR, "%s", ampRtStatusText());
  return status;
}

AmpRtStatus ampRtRunSgemm(int64_t run, AmpRtBlas *blas, int32_t transposeA,
                          int32_t transposeB, int64_t m, int64_t n, int64_t k,
                          float alpha, const float *a, int64_t lda,
                          const float *b, int64_t ldb, float beta, float *c,
                          int64_t ldc) {
  return recordMissing(run, blas,
                       ampRtBlasSgemm(blas, transposeA, transposeB, m, n, k,
                                      alpha, a, lda, b, ldb, beta, c, ldc));
}

AmpRtStatus ampRtRunSbgemm(int64_t run, AmpRtBlas *blas, int32_t transposeA,
                           int32_t transposeB, int64_t m, int64_t n, int64_t k,
                           float alpha, const uint16_t *a, int64_t lda,
                           const uint16_t *b, int64_t ldb, float beta, float *c,
                           int64_t ldc) {
  return recordMissing(run, blas,
                       ampRtBlasSbgemm(blas, transposeA, transposeB, m, n, k,
                                       alpha, a, lda, b, ldb, beta, c, ldc));
}
