//===-- OneDnn.h - Matrix products of oneDNN --------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_LIBRARY_ONEDNN_H
#define AMP_RT_SRC_LIBRARY_ONEDNN_H

#include "Library/OneDnnAbi.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace amp::rt {

/// C = alpha * op(A) * op(B) + beta * C, with rows so far apart.
struct Product {
  bool transposeA, transposeB;
  int64_t m, n, k, lda, ldb, ldc;
  float alpha, beta;
};

/// A call of oneDNN that failed.
struct OneDnnFailure {
  /// Null if none did.
  const char *function = nullptr;
  onednn::Status status = onednn::kSuccess;

  explicit operator bool() const { return function != nullptr; }
  /// What oneDNN's headers call the status.
  const char *statusName() const;
};

/// One opened oneDNN, and the primitives that it has made. Products may be
/// asked for by several threads. The library stays open when this goes.
class OneDnn {
public:
  /// The oneDNN behind `handle`. Null if it cannot be used; `reason` says why,
  /// to go on after the library's name.
  static std::unique_ptr<OneDnn> open(void *handle, char *reason, size_t size);
  ~OneDnn();
  OneDnn(const OneDnn &) = delete;

  /// "oneDNN 2.6.3 (OpenMP)".
  const char *getName() const { return name; }
  int getMajor() const { return version.major; }
  /// Whether it multiplies bf16 on this CPU.
  bool hasBf16() const { return isBf16Known; }
  /// A function of the library, to find its file by.
  void *getAddress() const;

  /// Products of f32.
  OneDnnFailure multiply(const Product &product, const float *a, const float *b,
                         float *c, int32_t threads);
  /// Products of bf16 with a sum in f32; alpha is 1, beta 0 or 1.
  OneDnnFailure multiply(const Product &product, const uint16_t *a,
                         const uint16_t *b, float *c, int32_t threads);

private:
  struct Primitive;
  class ThreadCount;

  OneDnn() = default;
  /// The name of a symbol that is missing; null if all are there.
  const char *resolveAll(void *handle);
  OneDnnFailure make(const Product &product, int32_t threads,
                     Primitive &primitive);
  OneDnnFailure execute(const Primitive &primitive, const uint16_t *a,
                        const uint16_t *b, float *c);
  void release(Primitive &primitive);
  /// The primitive of a product, made if there is none; `temporary` has it
  /// where no more are kept.
  OneDnnFailure find(const Product &product, int32_t threads,
                     const Primitive *&found, Primitive &temporary);

  onednn::Functions functions;
  onednn::Version version = {};
  char name[64] = {};
  bool isBf16Known = false;
  void *engine = nullptr;
  /// OpenMP's, of the calling thread; null if oneDNN has no threads.
  int (*getMaxThreads)() = nullptr;
  void (*setNumThreads)(int) = nullptr;

  /// Guards what follows. Primitives that were made stay.
  std::mutex mutex;
  static constexpr size_t kBuckets = 64, kMostKept = 1024;
  Primitive *buckets[kBuckets] = {};
  size_t numKept = 0;
};

} // namespace amp::rt

#endif // AMP_RT_SRC_LIBRARY_ONEDNN_H
