/*===-- amp-rt/Element.h - Types of the elements of arrays ---------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_ELEMENT_H
#define AMP_RT_ELEMENT_H

#include "amp-rt/Conventions.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

typedef enum AmpRtElementKind {
  AMP_RT_ELEMENT_F16 = 0,
  AMP_RT_ELEMENT_BF16 = 1,
  AMP_RT_ELEMENT_F32 = 2,
  AMP_RT_ELEMENT_F64 = 3,
  AMP_RT_ELEMENT_I1 = 4, /* one byte each, 0 or 1 */
  AMP_RT_ELEMENT_I8 = 5,
  AMP_RT_ELEMENT_I16 = 6,
  AMP_RT_ELEMENT_I32 = 7,
  AMP_RT_ELEMENT_I64 = 8
} AmpRtElementKind;

/* Bytes of one element in memory; 0 for what is no AmpRtElementKind. */
AMP_RT_API int64_t ampRtElementKindSize(int32_t elementKind);

/* "f16", "i1", ... as MLIR spells it; null for what is no AmpRtElementKind. */
AMP_RT_API const char *ampRtElementKindName(int32_t elementKind);

/* Element `index` of an array at `data`: an i64 is rounded. 0 for what is no
 * AmpRtElementKind. */
AMP_RT_API double ampRtElementLoad(int32_t elementKind, const void *data,
                                   int64_t index);

/* Writes element `index`, rounded once to nearest, ties to even. An integer is
 * the nearest that its type has, and 0 for NaN; an i1 is 1 unless `value` is 0
 * or NaN. Writes nothing for what is no AmpRtElementKind. */
AMP_RT_API void ampRtElementStore(int32_t elementKind, void *data,
                                  int64_t index, double value);

AMP_RT_END_DECLS

#endif /* AMP_RT_ELEMENT_H */
