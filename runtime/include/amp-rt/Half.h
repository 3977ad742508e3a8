/*===-- amp-rt/Half.h - Conversions to and from f16 and bf16 -------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * f16 is IEEE binary16, bf16 the upper half of f32; both travel as uint16_t bit
 * patterns. All conversions are computed with integers, so they are the same
 * bit for bit on every machine and in every floating-point mode:
 *
 * - one rounding to nearest, ties to even, also from f64 (never through f32);
 * - results too large become inf, results too small become subnormal or zero;
 * - signs of zeros are kept;
 * - a NaN keeps its sign and the upper bits of its payload, and is made quiet,
 *   when widened too.
 *
 * They cannot fail and so return the value.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_HALF_H
#define AMP_RT_HALF_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Program.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

AMP_RT_API uint16_t ampRtHalfF16FromF32(float value);
AMP_RT_API uint16_t ampRtHalfF16FromF64(double value);
AMP_RT_API uint16_t ampRtHalfBF16FromF32(float value);
AMP_RT_API uint16_t ampRtHalfBF16FromF64(double value);
AMP_RT_API float ampRtHalfF32FromF16(uint16_t bits);
AMP_RT_API float ampRtHalfF32FromBF16(uint16_t bits);

/* The functions that LLVM calls for such conversions where the processor has no
 * instruction for them: __extendhfsf2, __truncsfhf2, __truncdfhf2, __truncsfbf2
 * and __truncdfbf2 (bf16 to f32 is a shift, compiled in line). They give what
 * the functions above give.
 *
 * The library does not export these names, which would take the place of the
 * compiler's own in any process that loads it. A host that compiles at run time
 * registers this table with its linker instead; a program that amp-compile made
 * has them as hidden functions of its own, which call the functions above. *symbols is owned by the
 * library and lives as long as it. The calling convention is LLVM 22's on
 * x86-64: f16 and bf16 in the low 16 bits of an xmm register. On other
 * processors the table is empty, *count 0. */
AMP_RT_API AmpRtStatus ampRtHalfSymbols(const AmpRtSymbol **symbols,
                                        int64_t *count);

AMP_RT_END_DECLS

#endif /* AMP_RT_HALF_H */
