/*===-- amp-rt/StartValue.h - What training starts from -------------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * A start value is what the argument's `init` (Program.h) says:
 *
 *   zeros, ones, constant(x), uniform(low,high), normal(standard deviation)
 *
 * and without one the default by role:
 *
 *   param, master      of rank 2 and more: Kaiming uniform as torch.nn.Linear
 *                      and Conv2d reset theirs, U(-b, b) with b =
 *                      sqrt(6 / ((1 + a^2) fan_in)) and a = sqrt(5). fan_in is
 *                      the product of all extents but the first, as PyTorch
 *                      lays weights out (out, in, ...).
 *                      of rank 0 and 1: 1 if it is a norm's weight, the last
 *                      word of its name being weight, scale, gamma or g; else 0
 *   buffer             1 if it is a running variance: the last word of its name
 *                      is running_var, var or variance, or v with the label
 *                      batch_norm; else 0
 *   opt_state, accumulator   0
 *   loss_seed          1
 *   rng                random bits
 *   hyper, and any other role   none
 *
 * The last word of "blocks.0.ln1.weight" is weight, that of "['h0']['g1']" is
 * g. Numbers depend on the seed and the name alone, so that a master and a
 * parameter of one name are one value. Where a step has both, the parameter is
 * the master's copy, rounded: whoever feeds the step sees to that.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_STARTVALUE_H
#define AMP_RT_STARTVALUE_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Program.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

/* Whether the argument can be given a start value. AMP_RT_NOT_FOUND where
 * nothing says what it starts from: a role without a default (a `hyper` without
 * init, a `batch`), or extents that the caller chooses. AMP_RT_INVALID_ARGUMENT
 * for an init that is none or does not fit the elements. */
AMP_RT_API AmpRtStatus ampRtStartValueCheck(const AmpRtValue *argument);

/* Fills `data`, `bytes` bytes of the host's memory, which are the array's size.
 * Refused as by ampRtStartValueCheck, and for another size. */
AMP_RT_API AmpRtStatus ampRtStartValueFill(const AmpRtValue *argument,
                                           uint64_t seed, void *data,
                                           int64_t bytes);

/* 1 if `number` is still one once it is rounded to the argument's elements: not
 * infinite where it was finite (but of a buffer in a half type, as PyTorch's
 * .half() has it), and the same integer. Else 0. */
AMP_RT_API int32_t ampRtStartValueFits(const AmpRtValue *argument,
                                       double number);

AMP_RT_END_DECLS

#endif /* AMP_RT_STARTVALUE_H */
