//===-- Pool.cpp - Loops of a compiled program on several threads ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Pool.h"

#include "Program/RunState.h"
#include "Support/Failure.h"
#include "Support/Handle.h"
#include "Support/SizedStruct.h"
#include "Threads/ThreadPool.h"

#include <new>

#ifdef __linux__
#include <sched.h>
#endif
#include <unistd.h>

using namespace amp::rt;

static constexpr int32_t kMostThreads = 1024;

struct AmpRtPool {
  AmpRtPoolFunctions functions = {};
  /// What the functions call, unless they are the caller's.
  ThreadPool own;
};

int32_t ampRtPoolCountCores(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    cores = CPU_COUNT(&set);
#endif
  return cores < 1              ? 1
         : cores > kMostThreads ? kMostThreads
                                : static_cast<int32_t>(cores);
}

static void runOnOwn(void *pool, int64_t count, AmpRtPoolTask task,
                     void *context) {
  static_cast<ThreadPool *>(pool)->run(count, task, context);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

AmpRtStatus ampRtPoolCreate(int32_t threads, AmpRtPool **pool) {
  const char *call = "ampRtPoolCreate";
  if (!pool)
    return failNull(call, "pool");
  if (threads < 0 || threads > kMostThreads)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected a number of threads from 1 to %d, or 0 for one "
                "for each core, but got %d",
                call, kMostThreads, threads);
  if (threads == 0)
    threads = ampRtPoolCountCores();
  auto *result = new (std::nothrow) AmpRtPool;
  if (!result)
    return failNoMemory(call, "a pool");
  result->functions = {sizeof(AmpRtPoolFunctions), threads, runOnOwn,
                       &result->own};
  if (!result->own.start(threads - 1)) {
    delete result;
    return fail(AMP_RT_OUT_OF_MEMORY,
                "%s: expected the system to start %d threads, but it refused; "
                "ask for fewer",
                call, threads - 1);
  }
  *pool = result;
  return AMP_RT_OK;
}

AmpRtStatus ampRtPoolCreateFrom(const AmpRtPoolFunctions *functions,
                                AmpRtPool **pool) {
  const char *call = "ampRtPoolCreateFrom";
  if (!functions)
    return failNull(call, "functions");
  if (!pool)
    return failNull(call, "pool");
  AmpRtPoolFunctions known;
  if (AmpRtStatus status =
          readStruct(call, "AmpRtPoolFunctions", *functions, known))
    return status;
  if (!known.run)
    return failNull(call, "functions->run");
  if (known.threads < 1)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected 'threads' to be at least 1, but got %d", call,
                known.threads);
  auto *result = new (std::nothrow) AmpRtPool;
  if (!result)
    return failNoMemory(call, "a pool");
  result->functions = known;
  *pool = result;
  return AMP_RT_OK;
}

void ampRtPoolDestroy(AmpRtPool *pool) {
  // What a child of a fork has of it stays with it to its end.
  if (pool && !pool->own.isStranded())
    delete pool;
}

int32_t ampRtPoolGetThreads(const AmpRtPool *pool) {
  return pool ? pool->functions.threads : 1;
}

AmpRtStatus ampRtRunSetPool(AmpRtRun *run, AmpRtPool *pool) {
  if (AmpRtStatus status = checkIdle("ampRtRunSetPool", run, "pool"))
    return status;
  run->pool = pool;
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// A loop of a program, as a pool's task.
struct ProgramLoop {
  int64_t run;
  AmpRtParallelBody body;
  void *context;
  std::mutex mutex;
  /// The first part that failed, guarded by the mutex.
  int64_t failed = INT64_MAX;
  AmpRtStatus status = AMP_RT_OK;

  void call(int64_t index) {
    AmpRtStatus result = body(run, index, context);
    if (result == AMP_RT_OK)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    if (index < failed) {
      failed = index;
      status = result;
    }
  }
};
} // namespace

AmpRtStatus ampRtRunParallel(int64_t handle, int64_t count,
                             AmpRtParallelBody body, void *context) {
  AmpRtRun *run = fromHandle<AmpRtRun>(handle);
  if (!run)
    return failNoRun("ampRtRunParallel", handle);
  if (!body)
    return failNull("ampRtRunParallel", "body");
  ProgramLoop loop{handle, body, context, {}};
  if (!run->pool || count < 2) {
    for (int64_t i = 0; i < count; ++i)
      loop.call(i);
    return loop.status;
  }
  auto callPart = [](void *context, int64_t index) {
    static_cast<ProgramLoop *>(context)->call(index);
  };
  const AmpRtPoolFunctions &pool = run->pool->functions;
  pool.run(pool.user, count, callPart, &loop);
  return loop.status;
}
