/*===-- amp-rt/Memory.h - Memory of compiled programs on the host --*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * There is one allocator of host memory: the host device's (Device.h), whose
 * statistics are the memory of a step. Blocks that are freed are kept for the
 * next request of the same size, never more than were in use at one time: a
 * step wants what the step before wanted. Nothing is filled with zeros, and
 * for large blocks large pages are asked for.
 *
 * Programs that amp-to-host lowers allocate from it through their run (Run.h).
 * Those lowered by finalize-memref-to-llvm{use-generic-functions} alone call
 * the three functions below by these names.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_MEMORY_H
#define AMP_RT_MEMORY_H

#include "amp-rt/Conventions.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

/* Program entry points: memory of the host device, aligned to 64 or to
 * `alignment`, a power of two. Null if there is none left. */
AMP_RT_API void *_mlir_memref_to_llvm_alloc(uint64_t bytes);
AMP_RT_API void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment,
                                                    uint64_t bytes);

/* Program entry point: frees it. Null, what the device did not allocate, and
 * what belongs to a run (Run.h) is left alone. */
AMP_RT_API void _mlir_memref_to_llvm_free(void *pointer);

/* Copies an array of the host with elements of elementSize bytes; extents and
 * strides, `rank` of each, count elements. The two do not overlap. */
AMP_RT_API void ampRtMemoryCopyStrided(int64_t elementSize, int64_t rank,
                                       const int64_t *extents, const void *from,
                                       const int64_t *fromStrides, void *to,
                                       const int64_t *toStrides);

/* MLIR's descriptor of an array whose rank is data. */
typedef struct AmpRtMemref {
  int64_t rank;
  /* { T *allocated, *aligned; int64_t offset, sizes[rank], strides[rank]; } */
  void *descriptor;
} AmpRtMemref;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtMemref) == 8 + sizeof(void *),
                     "AmpRtMemref has no padding");

/* Program entry point: the same for descriptors, of one rank and with the same
 * sizes. What finalize-memref-to-llvm calls `memrefCopy`: whoever links a
 * program gives it that name, which this library leaves to others. */
AMP_RT_API void ampRtMemoryCopyMemref(int64_t elementSize,
                                      const AmpRtMemref *from,
                                      const AmpRtMemref *to);

AMP_RT_END_DECLS

#endif /* AMP_RT_MEMORY_H */
