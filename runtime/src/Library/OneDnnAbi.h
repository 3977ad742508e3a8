//===-- OneDnnAbi.h - What is called of oneDNN's C interface ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions and numbers of dnnl.h and dnnl_types.h that a matrix product
// needs, of versions 2 and 3, so that nothing of oneDNN has to be there when
// the runtime is built. Handles are void pointers, enumerations are ints. The
// versions differ in three things: version 2 has descriptors of memory and of
// operations as structs that the caller owns, version 3 as handles; version 3
// makes a primitive's descriptor in one call; and what is added up has two
// parameters more there. OneDnnAbiTest.cpp compares this with the headers.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_LIBRARY_ONEDNNABI_H
#define AMP_RT_SRC_LIBRARY_ONEDNNABI_H

#include <cstddef>
#include <cstdint>

namespace amp::rt::onednn {

/// dnnl_status_t.
using Status = int;
constexpr Status kSuccess = 0, kOutOfMemory = 1, kInvalidArguments = 2,
                 kUnimplemented = 3, kRuntimeError = 5;

/// dnnl_version_t.
struct Version {
  int major, minor, patch;
  const char *hash;
  unsigned cpuRuntime, gpuRuntime;
};

/// DNNL_RUNTIME_*: who gives oneDNN threads.
constexpr unsigned kRuntimeSequential = 1, kRuntimeOpenMp = 2, kRuntimeTbb = 4,
                   kRuntimeThreadpool = 8, kRuntimeSycl = 512;

constexpr int kCpu = 1;               // dnnl_engine_kind_t
constexpr int kBf16 = 2, kF32 = 3;    // dnnl_data_type_t
constexpr int kUserScratchpad = 1;    // dnnl_scratchpad_mode_t
constexpr int kScratchpadQuery = 136; // dnnl_query_t
constexpr unsigned kInOrder = 1;      // dnnl_stream_flags_t

/// DNNL_ARG_*.
constexpr int kSource = 1, kDestination = 17, kWeights = 33, kScratchpad = 80;

/// dnnl_exec_arg_t.
struct Argument {
  int index;
  void *memory;
};

/// Version 2's dnnl_memory_desc_t (696 bytes in 2.6) and dnnl_matmul_desc_t
/// (2800), with room to spare: they are written and read by oneDNN alone.
struct MemoryDescriptor2 {
  alignas(16) unsigned char bytes[1024];
};
struct MatmulDescriptor2 {
  alignas(16) unsigned char bytes[4096];
};

/// AMP_ONEDNN_FUNCTION(name, parameters): each returns a Status. Those that all
/// versions have.
#define AMP_ONEDNN_FUNCTIONS(AMP_ONEDNN_FUNCTION)                              \
  AMP_ONEDNN_FUNCTION(dnnl_engine_create,                                      \
                      (void **engine, int kind, size_t index))                 \
  AMP_ONEDNN_FUNCTION(dnnl_engine_destroy, (void *engine))                     \
  AMP_ONEDNN_FUNCTION(dnnl_stream_create,                                      \
                      (void **stream, void *engine, unsigned flags))           \
  AMP_ONEDNN_FUNCTION(dnnl_stream_wait, (void *stream))                        \
  AMP_ONEDNN_FUNCTION(dnnl_stream_destroy, (void *stream))                     \
  AMP_ONEDNN_FUNCTION(                                                         \
      dnnl_memory_create,                                                      \
      (void **memory, const void *descriptor, void *engine, void *data))       \
  AMP_ONEDNN_FUNCTION(dnnl_memory_destroy, (void *memory))                     \
  AMP_ONEDNN_FUNCTION(dnnl_primitive_attr_create, (void **attributes))         \
  AMP_ONEDNN_FUNCTION(dnnl_primitive_attr_destroy, (void *attributes))         \
  AMP_ONEDNN_FUNCTION(dnnl_primitive_attr_set_scratchpad_mode,                 \
                      (void *attributes, int mode))                            \
  AMP_ONEDNN_FUNCTION(dnnl_primitive_attr_set_post_ops,                        \
                      (void *attributes, const void *postOps))                 \
  AMP_ONEDNN_FUNCTION(dnnl_post_ops_create, (void **postOps))                  \
  AMP_ONEDNN_FUNCTION(dnnl_post_ops_destroy, (void *postOps))                  \
  AMP_ONEDNN_FUNCTION(dnnl_primitive_desc_destroy, (void *descriptor))         \
  AMP_ONEDNN_FUNCTION(dnnl_primitive_create,                                   \
                      (void **primitive, const void *descriptor))              \
  AMP_ONEDNN_FUNCTION(dnnl_primitive_destroy, (void *primitive))               \
  AMP_ONEDNN_FUNCTION(                                                         \
      dnnl_primitive_execute,                                                  \
      (const void *primitive, void *stream, int count, const Argument *))      \
  AMP_ONEDNN_FUNCTION(dnnl_sgemm,                                              \
                      (char transposeA, char transposeB, int64_t m, int64_t n, \
                       int64_t k, float alpha, const float *a, int64_t lda,    \
                       const float *b, int64_t ldb, float beta, float *c,      \
                       int64_t ldc))

/// Those of version 2.
#define AMP_ONEDNN_FUNCTIONS_2(AMP_ONEDNN_FUNCTION)                            \
  AMP_ONEDNN_FUNCTION(dnnl_memory_desc_init_by_strides,                        \
                      (void *descriptor, int rank, const int64_t *extents,     \
                       int type, const int64_t *strides))                      \
  AMP_ONEDNN_FUNCTION(dnnl_matmul_desc_init,                                   \
                      (void *descriptor, const void *source,                   \
                       const void *weights, const void *bias,                  \
                       const void *destination))                               \
  AMP_ONEDNN_FUNCTION(dnnl_primitive_desc_create,                              \
                      (void **descriptor, const void *operation,               \
                       const void *attributes, void *engine,                   \
                       const void *hint))

/// Those of version 3.
#define AMP_ONEDNN_FUNCTIONS_3(AMP_ONEDNN_FUNCTION)                            \
  AMP_ONEDNN_FUNCTION(dnnl_memory_desc_create_with_strides,                    \
                      (void **descriptor, int rank, const int64_t *extents,    \
                       int type, const int64_t *strides))                      \
  AMP_ONEDNN_FUNCTION(dnnl_memory_desc_destroy, (void *descriptor))            \
  AMP_ONEDNN_FUNCTION(dnnl_matmul_primitive_desc_create,                       \
                      (void **descriptor, void *engine, const void *source,    \
                       const void *weights, const void *bias,                  \
                       const void *destination, const void *attributes))

/// The symbols of one library. Those of the version that it is not are null.
struct Functions {
// NOLINTBEGIN(bugprone-macro-parentheses): they are a declaration's.
#define AMP_ONEDNN_FUNCTION(name, parameters)                                  \
  Status(*name) parameters = nullptr;
  // NOLINTEND(bugprone-macro-parentheses)
  AMP_ONEDNN_FUNCTIONS(AMP_ONEDNN_FUNCTION)
  AMP_ONEDNN_FUNCTIONS_2(AMP_ONEDNN_FUNCTION)
  AMP_ONEDNN_FUNCTIONS_3(AMP_ONEDNN_FUNCTION)
#undef AMP_ONEDNN_FUNCTION
  // What returns no status, and what the versions have by one name.
  const Version *(*dnnl_version)() = nullptr;
  const void *(*dnnl_primitive_desc_query_md)(const void *descriptor, int what,
                                              int index) = nullptr;
  size_t (*dnnl_memory_desc_get_size)(const void *descriptor) = nullptr;
  /// Version 2 has the first two parameters.
  Status (*dnnl_post_ops_append_sum)(void *postOps, float scale,
                                     int32_t zeroPoint, int type) = nullptr;
};

} // namespace amp::rt::onednn

#endif // AMP_RT_SRC_LIBRARY_ONEDNNABI_H
