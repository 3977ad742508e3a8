//===-- ThreadPool.cpp - Threads that sleep between loops -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waking a sleeping thread takes 10 to 60 microseconds, as long as many loops
// of a step. So a thread that is done with a loop looks for the next one before
// it sleeps, longer than what a step does between loops usually takes, and
// whoever ran a loop looks for the end of its last part in the same way.
//
// Threads of another library may wait in the same way (those of OpenMP do, for
// milliseconds), and then each takes time from the other. Where the system
// makes a thread that looks wait for another thread, twice in a tenth of a
// second, the processors count as crowded, and threads of this pool sleep early
// for a second.
//
//===----------------------------------------------------------------------===//

#include "Threads/ThreadPool.h"

#include <csignal>
#include <new>
#include <unistd.h>

#ifdef __linux__
#include <sys/resource.h>
#endif
#include <utility>

using namespace amp::rt;

/// Looks for another loop before a thread sleeps.
/// For how long a thread looks before it sleeps, and for how long where the
/// processors are crowded.
static constexpr std::chrono::microseconds kLookingTime{200};
static constexpr std::chrono::microseconds kCrowdedLookingTime{20};

/// A thread that could not look for so long was not running: it takes less than
/// one microsecond otherwise. Whether the system or a hypervisor had another
/// one run is to be asked.
static constexpr std::chrono::microseconds kLostTime{100};

/// Two such losses within this time are a crowd; once, it was the system
/// itself.
static constexpr std::chrono::milliseconds kTimeBetweenLosses{100};

/// How long processors count as crowded.
static constexpr std::chrono::seconds kCrowdedTime{1};

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

/// How often the system had another thread run in place of this one.
static long countPreemptions() {
#ifdef __linux__
  rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) == 0)
    return usage.ru_nivcsw;
#endif
  return 0;
}

template <typename Test> void ThreadPool::lookFor(Test isThere) {
  constexpr int kTestsForATime = 16;
  const long preemptions = countPreemptions();
  const Clock::time_point begin = Clock::now();
  const bool isCrowded =
      begin.time_since_epoch() < crowdedUntil.load(std::memory_order_relaxed);
  const Clock::time_point end =
      begin + (isCrowded ? kCrowdedLookingTime : kLookingTime);
  for (Clock::time_point now = begin, before; now < end;) {
    for (int i = 0; i < kTestsForATime; ++i) {
      if (isThere())
        return;
      relax();
    }
    before = std::exchange(now, Clock::now());
    if (now - before > kLostTime && countPreemptions() != preemptions) {
      const Clock::duration time = now.time_since_epoch();
      if (time - lastLoss.exchange(time, std::memory_order_relaxed) <
          kTimeBetweenLosses)
        crowdedUntil.store(time + kCrowdedTime, std::memory_order_relaxed);
      return;
    }
  }
}

void ThreadPool::work() {
  uint64_t seen = 0;
  while (true) {
    lookFor([&] { return generation.load(std::memory_order_relaxed) != seen; });
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
  if (helpers != 0) {
    lock.unlock();
    lookFor([&] { return helpers.load(std::memory_order_relaxed) == 0; });
    lock.lock();
  }
  end.wait(lock, [&] { return helpers == 0; });
  isBusy = false;
}
