/*===-- amp-rt/Memory.h - Memory of compiled programs on the host --*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * Compiled code allocates its tensors by calls to malloc or, if lowered with
 * finalize-memref-to-llvm{use-generic-functions}, to three functions that its
 * host defines. The functions here are those three: they allocate on the host
 * device, so that its statistics are the memory of a step.
 *
 * What a program allocated here and hands out as a result is freed with
 * ampRtMemoryFree or, as the same heap, with ampRtDeviceFree.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_MEMORY_H
#define AMP_RT_MEMORY_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Program.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

/* Program entry point: `bytes` of memory, aligned to 64. Null if there is none
 * left, recorded as an error of the program (Program.h). */
AMP_RT_API void *ampRtMemoryAllocate(int64_t bytes);

/* Program entry point: the same with an alignment, a power of two. The order of
 * arguments is aligned_alloc's. */
AMP_RT_API void *ampRtMemoryAllocateAligned(int64_t alignment, int64_t bytes);

/* Program entry point: frees what the two above gave; null does nothing.
 * Another pointer is left alone and recorded as an error of the program. */
AMP_RT_API void ampRtMemoryFree(void *pointer);

/* The three under the names that compiled code calls:
 * _mlir_memref_to_llvm_alloc, _mlir_memref_to_llvm_aligned_alloc and
 * _mlir_memref_to_llvm_free. Ownership as for ampRtHalfSymbols. */
AMP_RT_API AmpRtStatus ampRtMemorySymbols(const AmpRtSymbol **symbols,
                                          int64_t *count);

AMP_RT_END_DECLS

#endif /* AMP_RT_MEMORY_H */
