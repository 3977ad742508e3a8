//===-- ThreadPool.cpp - Threads that sleep between loops -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that is done with a loop looks for the next one for some ten
// microseconds, as long as waking a sleeping thread takes, and then sleeps: a
// pool beside another library's, whose threads wait in the same way, must not
// take its cores.
//
//===----------------------------------------------------------------------===//

#include "Threads/ThreadPool.h"

#include <csignal>
#include <new>
#include <unistd.h>

using namespace amp::rt;

/// Looks for another loop before a thread sleeps.
static constexpr int kSpins = 1000;

static void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void ThreadPool::Loop::takeParts() {
  for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
    task(context, i);
}

void ThreadPool::spinUntilNewer(uint64_t seen) const {
  for (int i = 0;
       i < kSpins && generation.load(std::memory_order_relaxed) == seen; ++i)
    relax();
}

void ThreadPool::work() {
  uint64_t seen = 0;
  while (true) {
    spinUntilNewer(seen);
    std::unique_lock<std::mutex> lock(mutex);
    begin.wait(lock, [&] { return isEnding || generation.load() != seen; });
    if (isEnding)
      return;
    seen = generation.load();
    Loop *mine = loop;
    if (!mine)
      continue; // it came to its end before this thread woke
    ++helpers;
    lock.unlock();
    mine->takeParts();
    lock.lock();
    if (--helpers == 0)
      end.notify_one();
  }
}

void *ThreadPool::enter(void *pool) {
  static_cast<ThreadPool *>(pool)->work();
  return nullptr;
}

bool ThreadPool::start(int32_t count) {
  process = getpid();
  threads.reset(new (std::nothrow) pthread_t[count]);
  if (!threads)
    return false;
  // Signals belong to the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (numThreads < count &&
         pthread_create(&threads[numThreads], nullptr, enter, this) == 0)
    ++numThreads;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return numThreads == count;
}

bool ThreadPool::isStranded() const {
  return process != 0 && process != getpid();
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
    ++generation;
  }
  begin.notify_all();
  for (int32_t i = 0; i < numThreads; ++i)
    pthread_join(threads[i], nullptr);
}

void ThreadPool::run(int64_t count, AmpRtPoolTask task, void *context) {
  Loop mine{task, context, count};
  // The mutex of a child of a fork may be locked by a thread that is not there.
  std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
  bool isOurs = count > 1 && !isStranded();
  if (isOurs) {
    lock.lock();
    isOurs = !isBusy;
    if (isOurs) {
      isBusy = true;
      loop = &mine;
      ++generation;
    }
    lock.unlock();
  }
  if (!isOurs)
    return mine.takeParts();

  begin.notify_all();
  mine.takeParts();
  lock.lock();
  loop = nullptr;
  end.wait(lock, [&] { return helpers == 0; });
  isBusy = false;
}
