//===-- FakeOneDnn.cpp - A oneDNN that does what a test wants -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix products as plain loops behind oneDNN's C interface, of version 2 or 3
// (FAKE_ONEDNN), with its OpenMP. Every object is checked: of which kind it is,
// that it is alive, and how many are. Built once more without dnnl_sgemm. The
// environment says:
//
//   FAKE_ONEDNN_VERSION  what version it calls itself: 1.7.0
//   FAKE_ONEDNN_RUNTIME  the number of its threads' runtime
//   FAKE_ONEDNN_FAIL     a function and the status that it returns:
//                        dnnl_primitive_execute=5
//
//===----------------------------------------------------------------------===//

#include "FakeOneDnn.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#define EXPORTED extern "C" __attribute__((visibility("default")))

using Status = int;
static constexpr Status kSuccess = 0, kInvalidArguments = 2;
static constexpr int kBf16 = 2, kF32 = 3;

static std::atomic<int> liveObjects, madePrimitives, executions, lastThreads;
EXPORTED FakeOneDnnCounts fakeOneDnnCounts() {
  return {liveObjects, madePrimitives, executions, lastThreads};
}

/// What FAKE_ONEDNN_FAIL says of a function.
static Status getStatus(const char *function) {
  const char *wanted = std::getenv("FAKE_ONEDNN_FAIL");
  const size_t length = std::strlen(function);
  if (!wanted || std::strncmp(wanted, function, length) != 0 ||
      wanted[length] != '=')
    return kSuccess;
  return std::atoi(wanted + length + 1);
}

#define FAIL_IF_WANTED                                                         \
  if (Status status = getStatus(__func__))                                     \
  return status

namespace {
enum Kind {
  Engine = 100,
  Stream,
  Memory,
  Attributes,
  PostOps,
  Plan,
  Primitive
};

/// A 2-D matrix.
struct Matrix {
  int64_t extents[2], strides[2];
  int type;
};

struct Object {
  Kind kind;
  Object *of = nullptr; // a primitive's plan
  Matrix matrix = {};   // of a memory
  void *data = nullptr;
  int userScratchpad = 0, threads = 0;
  float sum = 0;
  Matrix matrices[3] = {}; // of a plan
};

/// What the caller holds as a memory's descriptor: in version 2 itself.
struct Descriptor {
  int64_t magic;
  Matrix matrix;
  char rest[696 - sizeof(int64_t) - sizeof(Matrix)];
};
static_assert(sizeof(Descriptor) == 696, "as large as oneDNN 2.6's");
constexpr int64_t kMagic = 0x64657363;

struct MatmulDescriptor {
  Matrix matrices[3];
  char rest[2800 - 3 * sizeof(Matrix)];
};
static_assert(sizeof(MatmulDescriptor) == 2800, "as large as oneDNN 2.6's");
} // namespace

static Object *make(Kind kind) {
  ++liveObjects;
  auto *object = new Object;
  object->kind = kind;
  return object;
}

static Object *as(Kind kind, const void *handle) {
  auto *object = static_cast<Object *>(const_cast<void *>(handle));
  if (!object || object->kind != kind) {
    std::fprintf(stderr, "fake oneDNN: expected an object of kind %d\n", kind);
    std::abort();
  }
  return object;
}

static Status destroy(Kind kind, void *handle) {
  delete as(kind, handle);
  --liveObjects;
  return kSuccess;
}

static const Matrix &getMatrix(const void *descriptor) {
  auto *known = static_cast<const Descriptor *>(descriptor);
  if (known->magic != kMagic)
    std::abort();
  return known->matrix;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static thread_local int ompThreads = 16;
EXPORTED int omp_get_max_threads() { return ompThreads; }
EXPORTED void omp_set_num_threads(int threads) { ompThreads = threads; }

//===----------------------------------------------------------------------===//
// What both versions have
//===----------------------------------------------------------------------===//

struct Version {
  int major, minor, patch;
  const char *hash;
  unsigned cpuRuntime, gpuRuntime;
};
EXPORTED const Version *dnnl_version() {
  static Version version;
  version = {FAKE_ONEDNN, 6, 3, "fake", 2, 0};
  if (const char *text = std::getenv("FAKE_ONEDNN_VERSION"))
    std::sscanf(text, "%d.%d.%d", &version.major, &version.minor,
                &version.patch);
  if (const char *text = std::getenv("FAKE_ONEDNN_RUNTIME"))
    version.cpuRuntime = std::atoi(text);
  return &version;
}

EXPORTED Status dnnl_engine_create(void **engine, int kind, size_t index) {
  FAIL_IF_WANTED;
  if (kind != 1 || index != 0)
    return kInvalidArguments;
  *engine = make(Engine);
  return kSuccess;
}

EXPORTED Status dnnl_engine_destroy(void *engine) {
  return destroy(Engine, engine);
}

EXPORTED Status dnnl_stream_create(void **stream, void *engine,
                                   unsigned flags) {
  FAIL_IF_WANTED;
  as(Engine, engine);
  if (flags != 1)
    return kInvalidArguments;
  *stream = make(Stream);
  return kSuccess;
}
EXPORTED Status dnnl_stream_wait(void *stream) {
  FAIL_IF_WANTED;
  as(Stream, stream);
  return kSuccess;
}
EXPORTED Status dnnl_stream_destroy(void *stream) {
  return destroy(Stream, stream);
}

EXPORTED Status dnnl_memory_create(void **memory, const void *descriptor,
                                   void *engine, void *data) {
  FAIL_IF_WANTED;
  as(Engine, engine);
  Object *object = make(Memory);
  object->matrix = getMatrix(descriptor);
  object->data = data;
  *memory = object;
  return kSuccess;
}
EXPORTED Status dnnl_memory_destroy(void *memory) {
  return destroy(Memory, memory);
}

EXPORTED Status dnnl_primitive_attr_create(void **attributes) {
  FAIL_IF_WANTED;
  *attributes = make(Attributes);
  return kSuccess;
}
EXPORTED Status dnnl_primitive_attr_destroy(void *attributes) {
  return destroy(Attributes, attributes);
}
EXPORTED Status dnnl_primitive_attr_set_scratchpad_mode(void *attributes,
                                                        int mode) {
  FAIL_IF_WANTED;
  as(Attributes, attributes)->userScratchpad = mode;
  return kSuccess;
}
EXPORTED Status dnnl_primitive_attr_set_post_ops(void *attributes,
                                                 const void *postOps) {
  FAIL_IF_WANTED;
  as(Attributes, attributes)->sum = as(PostOps, postOps)->sum;
  return kSuccess;
}
EXPORTED Status dnnl_post_ops_create(void **postOps) {
  FAIL_IF_WANTED;
  *postOps = make(PostOps);
  return kSuccess;
}
EXPORTED Status dnnl_post_ops_destroy(void *postOps) {
  return destroy(PostOps, postOps);
}

EXPORTED Status dnnl_primitive_desc_destroy(void *plan) {
  return destroy(Plan, plan);
}
/// Each primitive wants a scratchpad of 100 bytes.
EXPORTED const void *dnnl_primitive_desc_query_md(const void *plan, int what,
                                                  int index) {
  as(Plan, plan);
  static const Descriptor scratchpad = {kMagic, {{100, 1}, {1, 1}, 0}, {}};
  return what == 136 && index == 0 ? &scratchpad : nullptr;
}
EXPORTED size_t dnnl_memory_desc_get_size(const void *descriptor) {
  return getMatrix(descriptor).extents[0];
}

EXPORTED Status dnnl_primitive_create(void **primitive, const void *plan) {
  FAIL_IF_WANTED;
  Object *object = make(Primitive);
  object->of = as(Plan, plan);
  object->threads = ompThreads;
  *primitive = object;
  ++madePrimitives;
  return kSuccess;
}
EXPORTED Status dnnl_primitive_destroy(void *primitive) {
  return destroy(Primitive, primitive);
}

static float load(const Object &memory, int64_t i, int64_t j) {
  const int64_t at =
      i * memory.matrix.strides[0] + j * memory.matrix.strides[1];
  if (memory.matrix.type == kF32)
    return static_cast<float *>(memory.data)[at];
  const uint32_t bits =
      static_cast<uint32_t>(static_cast<uint16_t *>(memory.data)[at]) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

struct Argument {
  int index;
  void *memory;
};
EXPORTED Status dnnl_primitive_execute(const void *handle, void *stream,
                                       int count, const Argument *arguments) {
  FAIL_IF_WANTED;
  as(Stream, stream);
  const Object &primitive = *as(Primitive, handle);
  const Object &plan = *primitive.of;
  ++executions;
  lastThreads = ompThreads;
  // As oneDNN does: made for one number of threads, executed with it.
  if (primitive.threads != ompThreads)
    return kInvalidArguments;
  const Object *a = nullptr, *b = nullptr, *c = nullptr, *scratch = nullptr;
  for (int i = 0; i < count; ++i) {
    const Object *memory = as(Memory, arguments[i].memory);
    switch (arguments[i].index) {
    case 1:
      a = memory;
      break;
    case 33:
      b = memory;
      break;
    case 17:
      c = memory;
      break;
    case 80:
      scratch = memory;
      break;
    }
  }
  if (!a || !b || !c || !scratch || !scratch->data)
    return kInvalidArguments;
  std::memset(scratch->data, 0xff, 100);
  const auto [m, n] = plan.matrices[2].extents;
  const int64_t k = plan.matrices[0].extents[1];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float &result = static_cast<float *>(
          c->data)[i * c->matrix.strides[0] + j * c->matrix.strides[1]];
      float sum = plan.sum != 0 ? plan.sum * result : 0;
      for (int64_t l = 0; l < k; ++l)
        sum += load(*a, i, l) * load(*b, l, j);
      result = sum;
    }
  return kSuccess;
}

#ifndef FAKE_ONEDNN_INCOMPLETE
EXPORTED Status dnnl_sgemm(char transposeA, char transposeB, int64_t m,
                           int64_t n, int64_t k, float alpha, const float *a,
                           int64_t lda, const float *b, int64_t ldb, float beta,
                           float *c, int64_t ldc) {
  FAIL_IF_WANTED;
  ++executions;
  lastThreads = ompThreads;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += (transposeA == 'T' ? a[l * lda + i] : a[i * lda + l]) *
               (transposeB == 'T' ? b[j * ldb + l] : b[l * ldb + j]);
      float &result = c[i * ldc + j];
      result = alpha * sum + (beta == 0 ? 0 : beta * result);
    }
  return kSuccess;
}
#endif

//===----------------------------------------------------------------------===//
// What differs
//===----------------------------------------------------------------------===//

static void describe(Descriptor &descriptor, const int64_t *extents, int type,
                     const int64_t *strides) {
  descriptor.magic = kMagic;
  descriptor.matrix = {
      {extents[0], extents[1]}, {strides[0], strides[1]}, type};
}

static Status plan(void **result, const Matrix *matrices,
                   const void *attributes, void *engine) {
  as(Engine, engine);
  const Object &given = *as(Attributes, attributes);
  if (given.userScratchpad != 1 || matrices[0].type != kBf16 ||
      matrices[1].type != kBf16 || matrices[2].type != kF32)
    return kInvalidArguments;
  Object *object = make(Plan);
  std::memcpy(object->matrices, matrices, sizeof(object->matrices));
  object->sum = given.sum;
  *result = object;
  return kSuccess;
}

#if FAKE_ONEDNN == 2
EXPORTED Status dnnl_post_ops_append_sum(void *postOps, float scale) {
  FAIL_IF_WANTED;
  as(PostOps, postOps)->sum = scale;
  return kSuccess;
}
EXPORTED Status dnnl_memory_desc_init_by_strides(Descriptor *descriptor,
                                                 int rank,
                                                 const int64_t *extents,
                                                 int type,
                                                 const int64_t *strides) {
  FAIL_IF_WANTED;
  if (rank != 2)
    return kInvalidArguments;
  describe(*descriptor, extents, type, strides);
  return kSuccess;
}
EXPORTED Status dnnl_matmul_desc_init(MatmulDescriptor *descriptor,
                                      const void *source, const void *weights,
                                      const void *bias,
                                      const void *destination) {
  FAIL_IF_WANTED;
  if (bias)
    return kInvalidArguments;
  std::memset(descriptor, 0, sizeof(*descriptor));
  descriptor->matrices[0] = getMatrix(source);
  descriptor->matrices[1] = getMatrix(weights);
  descriptor->matrices[2] = getMatrix(destination);
  return kSuccess;
}
EXPORTED Status dnnl_primitive_desc_create(void **result,
                                           const MatmulDescriptor *operation,
                                           const void *attributes, void *engine,
                                           const void *hint) {
  FAIL_IF_WANTED;
  return hint ? kInvalidArguments
              : plan(result, operation->matrices, attributes, engine);
}
#else
EXPORTED Status dnnl_post_ops_append_sum(void *postOps, float scale,
                                         int32_t zeroPoint, int type) {
  FAIL_IF_WANTED;
  if (zeroPoint != 0 || type != kF32)
    return kInvalidArguments;
  as(PostOps, postOps)->sum = scale;
  return kSuccess;
}
EXPORTED Status dnnl_memory_desc_create_with_strides(Descriptor **descriptor,
                                                     int rank,
                                                     const int64_t *extents,
                                                     int type,
                                                     const int64_t *strides) {
  FAIL_IF_WANTED;
  if (rank != 2)
    return kInvalidArguments;
  ++liveObjects;
  *descriptor = new Descriptor;
  describe(**descriptor, extents, type, strides);
  return kSuccess;
}
EXPORTED Status dnnl_memory_desc_destroy(Descriptor *descriptor) {
  getMatrix(descriptor);
  --liveObjects;
  delete descriptor;
  return kSuccess;
}
EXPORTED Status dnnl_matmul_primitive_desc_create(
    void **result, void *engine, const void *source, const void *weights,
    const void *bias, const void *destination, const void *attributes) {
  FAIL_IF_WANTED;
  if (bias)
    return kInvalidArguments;
  const Matrix matrices[] = {getMatrix(source), getMatrix(weights),
                             getMatrix(destination)};
  return plan(result, matrices, attributes, engine);
}
#endif
