//===-- OneDnn.cpp - Matrix products of oneDNN ----------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of f32 are dnnl_sgemm, which versions 2 and 3 share and which was
// mostly faster than the primitive. bf16 with a result in f32 has the primitive
// `matmul` alone, which is compiled for its shape: each is made once and kept.
// Its scratchpad is the caller's, one for each thread, so that several threads
// execute one primitive at a time; memory and stream are made for each call.
//
// oneDNN divides a product among the threads of its own runtime. Our programs
// divide loops themselves, so it gets as many as it is told: OpenMP has that
// number for each thread that calls, and it is set around making and executing,
// as a primitive remembers it. Other runtimes (TBB, a thread pool, SYCL) have
// it for the process, or ask the application for threads: such a oneDNN is
// refused.
//
//===----------------------------------------------------------------------===//

#include "Library/OneDnn.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>

using namespace amp::rt;
using namespace amp::rt::onednn;

const char *OneDnnFailure::statusName() const {
  switch (status) {
  case kOutOfMemory:
    return "out of memory";
  case kInvalidArguments:
    return "invalid arguments";
  case kUnimplemented:
    return "unimplemented";
  case kRuntimeError:
    return "runtime error";
  default:
    return "unknown status";
  }
}

/// A product, compiled: what it was made for, and what it is executed with.
struct OneDnn::Primitive {
  Product product;
  int32_t threads;
  Primitive *next = nullptr;

  void *handle = nullptr;
  void *descriptor = nullptr;
  /// What oneDNN takes for the descriptor of a memory: version 2's structs, or
  /// version 3's handles.
  MemoryDescriptor2 structs[3];
  void *memories[3] = {};
  /// Owned by the primitive's descriptor.
  const void *scratchpad = nullptr;
  size_t scratchBytes = 0;

  bool isFor(const Product &other, int32_t otherThreads) const {
    return product.transposeA == other.transposeA &&
           product.transposeB == other.transposeB && product.m == other.m &&
           product.n == other.n && product.k == other.k &&
           product.lda == other.lda && product.ldb == other.ldb &&
           product.ldc == other.ldc && product.beta == other.beta &&
           threads == otherThreads;
  }
};

/// The number of threads that oneDNN takes of the calling thread, while this
/// lives.
class OneDnn::ThreadCount {
public:
  ThreadCount(const OneDnn &library, int32_t threads) : library(library) {
    if (!library.setNumThreads)
      return;
    before = library.getMaxThreads();
    if (before != threads)
      library.setNumThreads(threads);
  }
  ~ThreadCount() {
    if (library.setNumThreads && library.getMaxThreads() != before)
      library.setNumThreads(before);
  }
  ThreadCount(const ThreadCount &) = delete;

private:
  const OneDnn &library;
  int before = 0;
};

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

template <typename Function>
static bool resolve(void *handle, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(handle, name));
  return function != nullptr;
}

const char *OneDnn::resolveAll(void *handle) {
#define AMP_ONEDNN_FUNCTION(name, parameters)                                  \
  if (!resolve(handle, #name, functions.name))                                 \
    return #name;
  AMP_ONEDNN_FUNCTIONS(AMP_ONEDNN_FUNCTION)
  if (version.major == 2) {
    AMP_ONEDNN_FUNCTIONS_2(AMP_ONEDNN_FUNCTION)
  } else {
    AMP_ONEDNN_FUNCTIONS_3(AMP_ONEDNN_FUNCTION)
  }
  AMP_ONEDNN_FUNCTION(dnnl_primitive_desc_query_md, )
  AMP_ONEDNN_FUNCTION(dnnl_memory_desc_get_size, )
  AMP_ONEDNN_FUNCTION(dnnl_post_ops_append_sum, )
#undef AMP_ONEDNN_FUNCTION
  if (version.cpuRuntime != kRuntimeOpenMp)
    return nullptr;
  // Of the OpenMP that it is linked with.
  if (!resolve(handle, "omp_get_max_threads", getMaxThreads))
    return "omp_get_max_threads";
  if (!resolve(handle, "omp_set_num_threads", setNumThreads))
    return "omp_set_num_threads";
  return nullptr;
}

static const char *getRuntimeName(unsigned runtime) {
  switch (runtime) {
  case kRuntimeSequential:
    return "no threads";
  case kRuntimeOpenMp:
    return "OpenMP";
  case kRuntimeTbb:
    return "TBB";
  case kRuntimeThreadpool:
    return "a thread pool of the application";
  case kRuntimeSycl:
    return "SYCL";
  default:
    return "an unknown runtime";
  }
}

std::unique_ptr<OneDnn> OneDnn::open(void *handle, char *reason, size_t size) {
  std::unique_ptr<OneDnn> library(new (std::nothrow) OneDnn);
  if (!library) {
    std::snprintf(reason, size, "cannot be used: no memory left");
    return nullptr;
  }
  if (!resolve(handle, "dnnl_version", library->functions.dnnl_version)) {
    std::snprintf(reason, size,
                  "has no symbol 'dnnl_version'; name a oneDNN of version 2 "
                  "or 3");
    return nullptr;
  }
  const Version &version = library->version =
      *library->functions.dnnl_version();
  if (version.major != 2 && version.major != 3) {
    std::snprintf(reason, size,
                  "is oneDNN %d.%d.%d; name one of version 2 or 3",
                  version.major, version.minor, version.patch);
    return nullptr;
  }
  const char *runtime = getRuntimeName(version.cpuRuntime);
  if (version.cpuRuntime != kRuntimeSequential &&
      version.cpuRuntime != kRuntimeOpenMp) {
    std::snprintf(reason, size,
                  "is a oneDNN with threads by %s, whose number cannot be set "
                  "for one caller; name one with OpenMP or without threads",
                  runtime);
    return nullptr;
  }
  if (const char *missing = library->resolveAll(handle)) {
    std::snprintf(reason, size,
                  "is oneDNN %d.%d.%d, but has no symbol '%s'; name a whole "
                  "one",
                  version.major, version.minor, version.patch, missing);
    return nullptr;
  }
  OneDnnFailure failure{
      "dnnl_engine_create",
      library->functions.dnnl_engine_create(&library->engine, kCpu, 0)};
  if (failure.status != kSuccess) {
    std::snprintf(reason, size,
                  "cannot be used: '%s' returned %d (%s); name another",
                  failure.function, failure.status, failure.statusName());
    return nullptr;
  }
  std::snprintf(library->name, sizeof(library->name), "oneDNN %d.%d.%d (%s)",
                version.major, version.minor, version.patch, runtime);
  // Whether it knows bf16 on this CPU it says when a product is made.
  Primitive probe;
  library->isBf16Known =
      !library->make({false, false, 16, 16, 16, 16, 16, 16, 1, 1},
                     /*threads=*/1, probe);
  library->release(probe);
  return library;
}

OneDnn::~OneDnn() {
  for (Primitive *&bucket : buckets)
    while (Primitive *primitive = bucket) {
      bucket = primitive->next;
      release(*primitive);
      delete primitive;
    }
  if (engine)
    functions.dnnl_engine_destroy(engine);
}

void *OneDnn::getAddress() const {
  return reinterpret_cast<void *>(functions.dnnl_version);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// C = beta * C, which is what a sum without steps leaves.
static void scale(const Product &product, float *c) {
  for (int64_t i = 0; i < product.m; ++i)
    for (int64_t j = 0; j < product.n; ++j) {
      float &element = c[i * product.ldc + j];
      element = product.beta == 0 ? 0 : product.beta * element;
    }
}

/// True if nothing is multiplied, and C is what it is to be.
static bool isDone(const Product &product, float *c) {
  if (product.k == 0)
    scale(product, c);
  return product.m == 0 || product.n == 0 || product.k == 0;
}

OneDnnFailure OneDnn::multiply(const Product &product, const float *a,
                               const float *b, float *c, int32_t threads) {
  if (isDone(product, c))
    return {};
  ThreadCount count(*this, threads);
  Status status = functions.dnnl_sgemm(
      product.transposeA ? 'T' : 'N', product.transposeB ? 'T' : 'N', product.m,
      product.n, product.k, product.alpha, a, product.lda, b, product.ldb,
      product.beta, c, product.ldc);
  if (status != kSuccess)
    return {"dnnl_sgemm", status};
  return {};
}

/// Returns from the function if the call fails.
#define AMP_ONEDNN_TRY(function, ...)                                          \
  if (Status status = functions.function(__VA_ARGS__))                         \
    return {#function, status};

namespace {
/// Destroys what a function of oneDNN made, when it goes.
struct Owned {
  void *object = nullptr;
  Status (*destroy)(void *);

  explicit Owned(Status (*destroy)(void *)) : destroy(destroy) {}
  Owned(const Owned &) = delete;
  ~Owned() {
    if (object)
      destroy(object);
  }
};
} // namespace

OneDnnFailure OneDnn::make(const Product &product, int32_t threads,
                           Primitive &primitive) {
  primitive.product = product;
  primitive.threads = threads;
  const struct {
    int64_t extents[2], strides[2];
    int type;
  } matrices[3] = {
      {{product.m, product.k},
       {product.transposeA ? 1 : product.lda,
        product.transposeA ? product.lda : 1},
       kBf16},
      {{product.k, product.n},
       {product.transposeB ? 1 : product.ldb,
        product.transposeB ? product.ldb : 1},
       kBf16},
      {{product.m, product.n}, {product.ldc, 1}, kF32},
  };
  const void *descriptors[3];
  const bool hasStructs = version.major == 2;
  for (int i = 0; i < 3; ++i) {
    if (hasStructs) {
      AMP_ONEDNN_TRY(dnnl_memory_desc_init_by_strides, &primitive.structs[i], 2,
                     matrices[i].extents, matrices[i].type,
                     matrices[i].strides);
      descriptors[i] = &primitive.structs[i];
    } else {
      AMP_ONEDNN_TRY(dnnl_memory_desc_create_with_strides,
                     &primitive.memories[i], 2, matrices[i].extents,
                     matrices[i].type, matrices[i].strides);
      descriptors[i] = primitive.memories[i];
    }
  }
  Owned attributes(functions.dnnl_primitive_attr_destroy);
  Owned postOps(functions.dnnl_post_ops_destroy);
  AMP_ONEDNN_TRY(dnnl_primitive_attr_create, &attributes.object);
  AMP_ONEDNN_TRY(dnnl_primitive_attr_set_scratchpad_mode, attributes.object,
                 kUserScratchpad);
  if (product.beta != 0) {
    AMP_ONEDNN_TRY(dnnl_post_ops_create, &postOps.object);
    // Version 2 has no zero point and no type: it does not look at them.
    AMP_ONEDNN_TRY(dnnl_post_ops_append_sum, postOps.object, product.beta, 0,
                   kF32);
    AMP_ONEDNN_TRY(dnnl_primitive_attr_set_post_ops, attributes.object,
                   postOps.object);
  }
  ThreadCount count(*this, threads);
  if (hasStructs) {
    MatmulDescriptor2 operation;
    AMP_ONEDNN_TRY(dnnl_matmul_desc_init, &operation, descriptors[0],
                   descriptors[1], nullptr, descriptors[2]);
    AMP_ONEDNN_TRY(dnnl_primitive_desc_create, &primitive.descriptor,
                   &operation, attributes.object, engine, nullptr);
  } else {
    AMP_ONEDNN_TRY(dnnl_matmul_primitive_desc_create, &primitive.descriptor,
                   engine, descriptors[0], descriptors[1], nullptr,
                   descriptors[2], attributes.object);
  }
  AMP_ONEDNN_TRY(dnnl_primitive_create, &primitive.handle,
                 primitive.descriptor);
  primitive.scratchpad = functions.dnnl_primitive_desc_query_md(
      primitive.descriptor, kScratchpadQuery, 0);
  if (primitive.scratchpad)
    primitive.scratchBytes =
        functions.dnnl_memory_desc_get_size(primitive.scratchpad);
  return {};
}

void OneDnn::release(Primitive &primitive) {
  if (primitive.handle)
    functions.dnnl_primitive_destroy(primitive.handle);
  if (primitive.descriptor)
    functions.dnnl_primitive_desc_destroy(primitive.descriptor);
  for (void *memory : primitive.memories)
    if (memory)
      functions.dnnl_memory_desc_destroy(memory);
}

namespace {
/// Scratch memory of one thread, which grows and stays.
struct Scratch {
  void *data = nullptr;
  size_t size = 0;
  ~Scratch() { std::free(data); }

  /// Null if there is none.
  void *get(size_t bytes) {
    if (bytes <= size)
      return data;
    std::free(data);
    constexpr size_t kPage = 4096;
    size = (bytes + kPage - 1) / kPage * kPage;
    data = std::aligned_alloc(kPage, size);
    if (!data)
      size = 0;
    return data;
  }
};
} // namespace

OneDnnFailure OneDnn::execute(const Primitive &primitive, const uint16_t *a,
                              const uint16_t *b, float *c) {
  static thread_local Scratch scratch;
  Owned stream(functions.dnnl_stream_destroy);
  AMP_ONEDNN_TRY(dnnl_stream_create, &stream.object, engine, kInOrder);
  const int kinds[] = {kSource, kWeights, kDestination, kScratchpad};
  void *data[] = {const_cast<uint16_t *>(a), const_cast<uint16_t *>(b), c,
                  nullptr};
  int count = 3;
  if (primitive.scratchBytes != 0) {
    data[count++] = scratch.get(primitive.scratchBytes);
    if (!data[3])
      return {"aligned_alloc", kOutOfMemory};
  }
  Owned memories[4] = {
      Owned(functions.dnnl_memory_destroy),
      Owned(functions.dnnl_memory_destroy),
      Owned(functions.dnnl_memory_destroy),
      Owned(functions.dnnl_memory_destroy),
  };
  Argument arguments[4];
  for (int i = 0; i < count; ++i) {
    const void *descriptor = i == 3               ? primitive.scratchpad
                             : version.major == 2 ? &primitive.structs[i]
                                                  : primitive.memories[i];
    AMP_ONEDNN_TRY(dnnl_memory_create, &memories[i].object, descriptor, engine,
                   data[i]);
    arguments[i] = {kinds[i], memories[i].object};
  }
  ThreadCount threads(*this, primitive.threads);
  AMP_ONEDNN_TRY(dnnl_primitive_execute, primitive.handle, stream.object, count,
                 arguments);
  AMP_ONEDNN_TRY(dnnl_stream_wait, stream.object);
  return {};
}

OneDnnFailure OneDnn::find(const Product &product, int32_t threads,
                           const Primitive *&found, Primitive &temporary) {
  const size_t hash =
      static_cast<size_t>(product.m * 31 * 31 + product.n * 31 + product.k) %
      kBuckets;
  std::lock_guard<std::mutex> lock(mutex);
  for (Primitive *known = buckets[hash]; known; known = known->next)
    if (known->isFor(product, threads)) {
      found = known;
      return {};
    }
  Primitive *made =
      numKept < kMostKept ? new (std::nothrow) Primitive : nullptr;
  Primitive &target = made ? *made : temporary;
  found = &target;
  if (OneDnnFailure failure = make(product, threads, target)) {
    release(target);
    delete made;
    temporary = Primitive();
    return failure;
  }
  if (made) {
    made->next = buckets[hash];
    buckets[hash] = made;
    ++numKept;
  }
  return {};
}

OneDnnFailure OneDnn::multiply(const Product &product, const uint16_t *a,
                               const uint16_t *b, float *c, int32_t threads) {
  if (isDone(product, c))
    return {};
  const Primitive *primitive = nullptr;
  Primitive temporary;
  OneDnnFailure failure = find(product, threads, primitive, temporary);
  if (!failure)
    failure = execute(*primitive, a, b, c);
  release(temporary);
  return failure;
}
