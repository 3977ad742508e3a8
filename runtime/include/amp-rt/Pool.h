/*===-- amp-rt/Pool.h - Threads that compiled programs share -------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * A program that was compiled for several threads divides its loops into parts
 * that write apart from each other, and hands them to the pool of its run:
 *
 *   AmpRtPool *pool;
 *   ampRtPoolCreate(0, &pool);       // a thread for each core
 *   ampRtRunSetPool(run, pool);
 *
 * Which thread takes which part changes no bit of a result. A run without a
 * pool computes all parts on the thread that calls.
 *
 * An embedding program that has threads of its own gives them instead, with
 * ampRtPoolCreateFrom. Nothing here is global: each pool has its threads, which
 * sleep while there is nothing to do.
 *
 * A pool may serve several runs. While it works for one, the others compute on
 * their own threads; so does a part that divides a loop once more, and the
 * child of a fork, where the threads of the parent do not exist.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_POOL_H
#define AMP_RT_POOL_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Run.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

typedef struct AmpRtPool AmpRtPool;

/* The cores that the process may run on, by its affinity mask; at least 1. */
AMP_RT_API int32_t ampRtPoolCountCores(void);

/* Makes a pool of `threads` threads, the calling one among them: threads - 1
 * are started. 0 means one for each core that the process may run on.
 * AMP_RT_INVALID_ARGUMENT for a negative number or more than 1024;
 * AMP_RT_OUT_OF_MEMORY if the system gives no threads. The caller owns *pool
 * and destroys it after the last call of a run that uses it has returned. */
AMP_RT_API AmpRtStatus ampRtPoolCreate(int32_t threads, AmpRtPool **pool);

/* One part of a loop. */
typedef void (*AmpRtPoolTask)(void *context, int64_t index);

/* Threads of an embedding program. */
typedef struct AmpRtPoolFunctions {
  uint32_t structSize; /* sizeof this struct */
  int32_t threads;     /* how many there are, the calling one among them */
  /* Calls task(context, i) once for each i from 0 to count - 1, on any threads
   * and in any order, and returns when all calls have. May be called by several
   * threads at a time, and by a task. */
  void (*run)(void *user, int64_t count, AmpRtPoolTask task, void *context);
  void *user;
} AmpRtPoolFunctions;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtPoolFunctions) == 8 + 2 * sizeof(void *),
                     "AmpRtPoolFunctions has no padding");

/* Makes a pool of the caller's threads. `functions` is copied. */
AMP_RT_API AmpRtStatus ampRtPoolCreateFrom(const AmpRtPoolFunctions *functions,
                                           AmpRtPool **pool);

/* Ends the threads of the pool, those that it started. */
AMP_RT_API void ampRtPoolDestroy(AmpRtPool *pool);

/* The number of threads; 1 for null. */
AMP_RT_API int32_t ampRtPoolGetThreads(const AmpRtPool *pool);

/* Lets calls of `run` use `pool`; null: none. Not during a call. */
AMP_RT_API AmpRtStatus ampRtRunSetPool(AmpRtRun *run, AmpRtPool *pool);

/* A part of a program's loop; its status as that of any of its functions. */
typedef AmpRtStatus (*AmpRtParallelBody)(int64_t run, int64_t index,
                                         void *context);

/* Program entry point: calls body(run, i, context) once for each i from 0 to
 * count - 1, on the threads of the run's pool. The status is the first one, by
 * index, that is not AMP_RT_OK; all parts run all the same. */
AMP_RT_API AmpRtStatus ampRtRunParallel(int64_t run, int64_t count,
                                        AmpRtParallelBody body, void *context);

AMP_RT_END_DECLS

#endif /* AMP_RT_POOL_H */
