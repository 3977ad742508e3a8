/*===-- amp-rt/Profile.h - Where the time of a program goes --------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * A program that was compiled with the option `profile` of amp-to-host says
 * when each of its kernels begins and ends (AmpRtProgram::kernels has their
 * names). A profile adds the times up, and keeps each call for a picture if it
 * is asked:
 *
 *   AmpRtProfile *profile;
 *   ampRtProfileCreate(program->kernelCount, 0, &profile);
 *   ampRtRunSetProfile(run, profile);
 *   step->call(ampRtRunHandle(run), arguments);
 *   for (int32_t i = 0; i < program->kernelCount; ++i)
 *     ampRtProfileGetTime(profile, i, &time);
 *
 * Times are those of a clock that only goes forward, in nanoseconds. Reading it
 * takes some 50 of them at each end of a kernel.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_PROFILE_H
#define AMP_RT_PROFILE_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Run.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

typedef struct AmpRtProfile AmpRtProfile;

/* Makes a profile of `kernels` kernels that keeps the first `calls` calls, 0
 * for none. AMP_RT_INVALID_ARGUMENT for a negative number. The caller owns
 * *profile and destroys it after the last call of a run that uses it has
 * returned. */
AMP_RT_API AmpRtStatus ampRtProfileCreate(int32_t kernels, int64_t calls,
                                          AmpRtProfile **profile);

AMP_RT_API void ampRtProfileDestroy(AmpRtProfile *profile);

/* Lets calls of `run` be profiled; null: not. Not during a call. */
AMP_RT_API AmpRtStatus ampRtRunSetProfile(AmpRtRun *run, AmpRtProfile *profile);

/* Forgets all calls so far. Not during a call. */
AMP_RT_API AmpRtStatus ampRtProfileReset(AmpRtProfile *profile);

/* What the calls of one kernel took together. */
typedef struct AmpRtKernelTime {
  uint32_t structSize; /* sizeof this struct */
  uint32_t reserved;
  int64_t calls;
  int64_t nanoseconds;
} AmpRtKernelTime;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtKernelTime) == 24,
                     "AmpRtKernelTime has no padding");

AMP_RT_API AmpRtStatus ampRtProfileGetTime(const AmpRtProfile *profile,
                                           int32_t kernel,
                                           AmpRtKernelTime *time);

/* One call of a kernel that was kept. */
typedef struct AmpRtKernelCall {
  uint32_t structSize; /* sizeof this struct */
  int32_t kernel;
  int64_t begin, end; /* nanoseconds */
} AmpRtKernelCall;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtKernelCall) == 24,
                     "AmpRtKernelCall has no padding");

/* How many calls were kept; 0 for null. */
AMP_RT_API int64_t ampRtProfileCountCalls(const AmpRtProfile *profile);

/* The call `index` of those, in the order of their ends. */
AMP_RT_API AmpRtStatus ampRtProfileGetCall(const AmpRtProfile *profile,
                                           int64_t index,
                                           AmpRtKernelCall *call);

/* Program entry point: the time now if the run has a profile, else 0. */
AMP_RT_API int64_t ampRtRunKernelBegin(int64_t run);

/* Program entry point: the call of `kernel` that began at `begin` ends. Of a
 * kernel that the profile does not know, nothing is noted. */
AMP_RT_API void ampRtRunKernelEnd(int64_t run, int64_t kernel, int64_t begin);

AMP_RT_END_DECLS

#endif /* AMP_RT_PROFILE_H */
