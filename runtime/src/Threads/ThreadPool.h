//===-- ThreadPool.h - Threads that sleep between loops ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_THREADS_THREADPOOL_H
#define AMP_RT_SRC_THREADS_THREADPOOL_H

#include "amp-rt/Pool.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include <pthread.h>
#include <sys/types.h>

namespace amp::rt {

/// Threads for one loop at a time. Whoever finds the pool at work, in this
/// process or as a task of it, computes alone.
class ThreadPool {
public:
  ThreadPool() = default;
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;
  ~ThreadPool();

  /// Starts `count` threads, once. False if the system gives no more.
  bool start(int32_t count);

  /// True in a child of the process that started the threads. They wait there,
  /// for ever: the pool cannot be destroyed, as its conditions would wait for
  /// them.
  bool isStranded() const;

  /// Calls task(context, i) for each i below `count`; returns after all of
  /// them.
  void run(int64_t count, AmpRtPoolTask task, void *context);

private:
  /// One loop. Parts are taken one by one by whoever is free.
  struct Loop {
    AmpRtPoolTask task;
    void *context;
    int64_t count;
    std::atomic<int64_t> next{0};

    void takeParts();
  };

  static void *enter(void *pool);
  void work();
  /// Returns when `isThere` holds, or after a moment.
  template <typename Test> void lookFor(Test isThere);

  std::mutex mutex;
  std::condition_variable begin, end;
  /// Guarded by the mutex.
  Loop *loop = nullptr;
  /// The threads that are inside it; written under the mutex.
  std::atomic<int64_t> helpers{0};
  bool isBusy = false, isEnding = false;
  /// Counts loops; written under the mutex.
  std::atomic<uint64_t> generation{0};
  using Clock = std::chrono::steady_clock;
  /// Until then other threads count as waiting for the same processors.
  std::atomic<Clock::duration> crowdedUntil{Clock::duration::min()};
  /// When the system last had another thread run in place of one that looked.
  std::atomic<Clock::duration> lastLoss{Clock::duration::zero()};
  /// Threads exist in the process that started them alone.
  pid_t process = 0;
  std::unique_ptr<pthread_t[]> threads;
  int32_t numThreads = 0;
};

} // namespace amp::rt

#endif // AMP_RT_SRC_THREADS_THREADPOOL_H
