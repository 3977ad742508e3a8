//===-- PoolTest.cpp - Loops on several threads ---------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Pool.h"
#include "OpenRun.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {
/// A run with a pool.
struct PooledRun {
  explicit PooledRun(int32_t threads) {
    EXPECT_EQ(ampRtPoolCreate(threads, &pool), AMP_RT_OK);
    EXPECT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
    EXPECT_EQ(ampRtRunSetPool(run, pool), AMP_RT_OK);
  }
  ~PooledRun() {
    ampRtRunDestroy(run);
    ampRtPoolDestroy(pool);
  }
  int64_t handle() const { return ampRtRunHandle(run); }

  AmpRtPool *pool = nullptr;
  AmpRtRun *run = nullptr;
};

/// Counts how often each part ran.
struct Counts {
  explicit Counts(size_t size) : parts(size) {}
  std::vector<std::atomic<int>> parts;

  bool areAllOne() const {
    for (const std::atomic<int> &part : parts)
      if (part != 1)
        return false;
    return true;
  }
  static AmpRtStatus add(int64_t, int64_t index, void *context) {
    ++static_cast<Counts *>(context)->parts[index];
    return AMP_RT_OK;
  }
};

/// Two parts that wait for each other.
struct Meeting {
  std::mutex mutex;
  std::condition_variable arrived;
  std::set<std::thread::id> threads;

  static AmpRtStatus come(int64_t, int64_t, void *context) {
    auto *meeting = static_cast<Meeting *>(context);
    std::unique_lock<std::mutex> lock(meeting->mutex);
    meeting->threads.insert(std::this_thread::get_id());
    meeting->arrived.notify_all();
    meeting->arrived.wait(lock, [&] { return meeting->threads.size() == 2; });
    return AMP_RT_OK;
  }
};
} // namespace

TEST(Pool, RunsEachPartOnce) {
  for (int32_t threads : {1, 2, 3, 8}) {
    PooledRun pooled(threads);
    EXPECT_EQ(ampRtPoolGetThreads(pooled.pool), threads);
    for (int64_t count : {0, 1, 2, 7, 1000}) {
      Counts counts(count);
      EXPECT_EQ(ampRtRunParallel(pooled.handle(), count, Counts::add, &counts),
                AMP_RT_OK);
      EXPECT_TRUE(counts.areAllOne()) << threads << " threads, " << count;
    }
  }
}

TEST(Pool, RunsPartsSideBySide) {
  PooledRun pooled(2);
  // Asleep, and right after another loop.
  for (int round = 0; round < 100; ++round) {
    Meeting meeting;
    EXPECT_EQ(ampRtRunParallel(pooled.handle(), 2, Meeting::come, &meeting),
              AMP_RT_OK);
    EXPECT_EQ(meeting.threads.count(std::this_thread::get_id()), 1u);
  }
}

// Threads that look for a loop, or for its end, lose the processor then.
TEST(Pool, WorksWhereProcessorsAreCrowded) {
  std::atomic<int32_t> running{0};
  std::atomic<bool> isDone{false};
  std::vector<std::thread> others;
  const int32_t crowd = 2 * ampRtPoolCountCores();
  for (int32_t i = 0; i < crowd; ++i)
    others.emplace_back([&] {
      ++running;
      while (!isDone)
        ;
    });
  while (running != crowd)
    std::this_thread::yield();
  PooledRun pooled(4);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  do {
    Counts counts(8);
    EXPECT_EQ(ampRtRunParallel(pooled.handle(), 8, Counts::add, &counts),
              AMP_RT_OK);
    EXPECT_TRUE(counts.areAllOne());
  } while (std::chrono::steady_clock::now() < end);
  isDone = true;
  for (std::thread &other : others)
    other.join();
}

TEST(Pool, IsNotNeeded) {
  OpenRun run;
  Counts counts(5);
  EXPECT_EQ(ampRtRunParallel(run.handle(), 5, Counts::add, &counts), AMP_RT_OK);
  EXPECT_TRUE(counts.areAllOne());
  EXPECT_EQ(ampRtPoolGetThreads(nullptr), 1);
}

TEST(Pool, GivesTheFirstFailure) {
  PooledRun pooled(3);
  Counts counts(50);
  auto fail = [](int64_t run, int64_t index, void *context) {
    Counts::add(run, index, context);
    return index == 40   ? AMP_RT_OUT_OF_MEMORY
           : index == 17 ? AMP_RT_PROGRAM_ERROR
                         : AMP_RT_OK;
  };
  EXPECT_EQ(ampRtRunParallel(pooled.handle(), 50, fail, &counts),
            AMP_RT_PROGRAM_ERROR);
  EXPECT_TRUE(counts.areAllOne());
}

TEST(Pool, ServesPartsThatDivideLoops) {
  PooledRun pooled(2);
  struct Nested {
    Counts counts{8 * 5};
  } nested;
  auto outer = [](int64_t run, int64_t index, void *context) {
    struct Row {
      Nested *nested;
      int64_t index;
    } row{static_cast<Nested *>(context), index};
    return ampRtRunParallel(
        run, 5,
        [](int64_t run, int64_t index, void *context) {
          auto *row = static_cast<Row *>(context);
          return Counts::add(run, row->index * 5 + index, &row->nested->counts);
        },
        &row);
  };
  EXPECT_EQ(ampRtRunParallel(pooled.handle(), 8, outer, &nested), AMP_RT_OK);
  EXPECT_TRUE(nested.counts.areAllOne());
}

TEST(Pool, ServesSeveralRuns) {
  PooledRun pooled(2);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      AmpRtRun *run = nullptr;
      ASSERT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
      ASSERT_EQ(ampRtRunSetPool(run, pooled.pool), AMP_RT_OK);
      for (int round = 0; round < 200; ++round) {
        Counts counts(9);
        ASSERT_EQ(
            ampRtRunParallel(ampRtRunHandle(run), 9, Counts::add, &counts),
            AMP_RT_OK);
        ASSERT_TRUE(counts.areAllOne());
      }
      ampRtRunDestroy(run);
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(Pool, TakesThreadsOfTheCaller) {
  int64_t asked = 0;
  AmpRtPoolFunctions functions = {};
  functions.structSize = sizeof(functions);
  functions.threads = 7;
  functions.user = &asked;
  functions.run = [](void *user, int64_t count, AmpRtPoolTask task,
                     void *context) {
    *static_cast<int64_t *>(user) += count;
    for (int64_t i = count; i-- > 0;)
      task(context, i);
  };
  AmpRtPool *pool = nullptr;
  ASSERT_EQ(ampRtPoolCreateFrom(&functions, &pool), AMP_RT_OK);
  EXPECT_EQ(ampRtPoolGetThreads(pool), 7);
  OpenRun other;
  AmpRtRun *run = nullptr;
  ASSERT_EQ(ampRtRunCreate(&run), AMP_RT_OK);
  ASSERT_EQ(ampRtRunSetPool(run, pool), AMP_RT_OK);
  Counts counts(6);
  EXPECT_EQ(ampRtRunParallel(ampRtRunHandle(run), 6, Counts::add, &counts),
            AMP_RT_OK);
  EXPECT_TRUE(counts.areAllOne());
  EXPECT_EQ(asked, 6);
  ampRtRunDestroy(run);
  ampRtPoolDestroy(pool);
}

TEST(Pool, HasAThreadForEachCore) {
  AmpRtPool *pool = nullptr;
  ASSERT_EQ(ampRtPoolCreate(0, &pool), AMP_RT_OK);
  EXPECT_GE(ampRtPoolCountCores(), 1);
  EXPECT_EQ(ampRtPoolGetThreads(pool), ampRtPoolCountCores());
  ampRtPoolDestroy(pool);
}

// A child has the pool, but none of its threads.
TEST(Pool, WorksInTheChildOfAFork) {
  PooledRun pooled(3);
  Counts before(4);
  ASSERT_EQ(ampRtRunParallel(pooled.handle(), 4, Counts::add, &before),
            AMP_RT_OK);
  // Until they sleep: who waits for a condition is part of it.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  pid_t child = fork();
  if (child == 0) {
    Counts counts(4);
    bool ok = ampRtRunParallel(pooled.handle(), 4, Counts::add, &counts) ==
                  AMP_RT_OK &&
              counts.areAllOne();
    ampRtPoolDestroy(pooled.pool);
    _exit(ok ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  Counts after(4);
  EXPECT_EQ(ampRtRunParallel(pooled.handle(), 4, Counts::add, &after),
            AMP_RT_OK);
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

TEST(Pool, RefusesNumbers) {
  AmpRtPool *pool = nullptr;
  for (int32_t threads : {-1, 1025}) {
    EXPECT_EQ(ampRtPoolCreate(threads, &pool), AMP_RT_INVALID_ARGUMENT);
    EXPECT_EQ(std::string(ampRtStatusText()),
              "ampRtPoolCreate: expected a number of threads from 1 to 1024, "
              "or 0 for one for each core, but got " +
                  std::to_string(threads));
  }
  AmpRtPoolFunctions functions = {};
  functions.structSize = sizeof(functions);
  EXPECT_EQ(ampRtPoolCreateFrom(&functions, &pool), AMP_RT_INVALID_ARGUMENT);
  functions.run = [](void *, int64_t, AmpRtPoolTask, void *) {};
  EXPECT_EQ(ampRtPoolCreateFrom(&functions, &pool), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(), "ampRtPoolCreateFrom: expected 'threads' to "
                                  "be at least 1, but got 0");
  EXPECT_EQ(pool, nullptr);
}

TEST(Pool, RefusesNull) {
  AmpRtPool *pool = nullptr;
  EXPECT_EQ(ampRtPoolCreate(1, nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtPoolCreateFrom(nullptr, &pool), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtRunSetPool(nullptr, nullptr), AMP_RT_INVALID_ARGUMENT);
  ampRtPoolDestroy(nullptr);
  OpenRun run;
  EXPECT_EQ(ampRtRunParallel(run.handle(), 1, nullptr, nullptr),
            AMP_RT_INVALID_ARGUMENT);
}

TEST(Pool, RefusesARunThatIsCalled) {
  OpenRun run;
  EXPECT_EQ(ampRtRunSetPool(run.run, nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(ampRtStatusText(),
               "ampRtRunSetPool: expected a run that no call uses; set the "
               "pool before the call");
  Counts counts(1);
  EXPECT_EQ(ampRtRunParallel(0, 1, Counts::add, &counts),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(counts.parts[0], 0);
}
