/*===-- amp-rt/Random.h - Numbers that are the same everywhere ------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014), one stream for each pair of a seed and a label.
 * Start values (StartValue.h) take their parameter's name as label, so a
 * parameter starts with the same values at each opt level and whatever else the
 * step contains.
 *
 * The distributions are written out because those of a standard library differ
 * from one to the next, and functions of <math.h> in their last bits. None of
 * these calls can fail; a null stream is the caller's error.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_RANDOM_H
#define AMP_RT_RANDOM_H

#include "amp-rt/Conventions.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

/* The state of a stream: a plain number, to be copied and kept. */
typedef struct AmpRtRandom {
  uint64_t state;
} AmpRtRandom;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtRandom) == 8, "AmpRtRandom is one number");

/* The stream of a seed and of `length` bytes at `label`. */
AMP_RT_API AmpRtRandom ampRtRandomMake(uint64_t seed, const char *label,
                                       int64_t length);

/* 64 random bits. */
AMP_RT_API uint64_t ampRtRandomNext(AmpRtRandom *random);

/* A number of [low, high): the upper 53 bits, scaled. */
AMP_RT_API double ampRtRandomUniform(AmpRtRandom *random, double low,
                                     double high);

/* A number of the standard normal distribution (Box and Muller, one number from
 * two, so that no state is hidden). */
AMP_RT_API double ampRtRandomNormal(AmpRtRandom *random);

AMP_RT_END_DECLS

#endif /* AMP_RT_RANDOM_H */
