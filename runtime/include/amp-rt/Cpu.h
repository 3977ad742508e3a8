/*===-- amp-rt/Cpu.h - What this CPU can do ------------------------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * Groups of instructions that a program can be compiled for, each a bit of a
 * set: bit n is the feature of number n. Numbers never change, so that a
 * program can say what it needs (Program.h). Names are LLVM's ("avx512f"),
 * which are those of `llc -mattr`. What every x86-64 CPU has is not among them;
 * on other architectures there are none.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_CPU_H
#define AMP_RT_CPU_H

#include "amp-rt/Conventions.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

/* The number of the feature of that name, from 0 to 63; -1 for a name that is
 * null or not known. */
AMP_RT_API int32_t ampRtCpuFindFeature(const char *name);

/* The name of a number; null if there is none. */
AMP_RT_API const char *ampRtCpuFeatureName(int32_t number);

/* Those of `wanted` that this process can use: the CPU has them, and the system
 * keeps their registers. What the library has no name for is not among them. If
 * `wanted` has some of AMX's features ("amx-...") and the CPU too, the system
 * is asked for tiles, in the name of all threads of this process; its answer,
 * which depends on the size of alternate signal stacks, is kept as long as the
 * process lives. Any thread may call. */
AMP_RT_API uint64_t ampRtCpuGetFeatures(uint64_t wanted);

AMP_RT_END_DECLS

#endif /* AMP_RT_CPU_H */
