//===-- Watchdog.h - An end to kernels that do not end -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing can stop a kernel that waits for ever but the end of its process. A
// thread of its own notices, as the main one is in the driver by then.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TOOLS_AMP_KERNEL_BENCH_WATCHDOG_H
#define AMP_TOOLS_AMP_KERNEL_BENCH_WATCHDOG_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace amp::bench {

class Watchdog {
public:
  /// `expired` is called on another thread, and should end the process. 0
  /// seconds is for ever.
  Watchdog(int seconds, std::function<void()> expired)
      : limit(seconds), expired(std::move(expired)) {
    if (seconds > 0)
      thread = std::thread([this] { watch(); });
  }
  Watchdog(const Watchdog &) = delete;
  ~Watchdog() {
    set(State::Ended);
    if (thread.joinable())
      thread.join();
  }

  /// While it lives, the device has work to end in time.
  class Guard {
  public:
    explicit Guard(Watchdog &watchdog) : watchdog(watchdog) {
      watchdog.set(State::Watching);
    }
    Guard(const Guard &) = delete;
    ~Guard() { watchdog.set(State::Idle); }

  private:
    Watchdog &watchdog;
  };

private:
  enum class State { Idle, Watching, Ended };

  void set(State next) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      state = next;
      ++changes;
    }
    changed.notify_one();
  }

  void watch() {
    std::unique_lock<std::mutex> lock(mutex);
    while (state != State::Ended) {
      unsigned seen = changes;
      auto isChanged = [&] { return changes != seen; };
      if (state == State::Idle)
        changed.wait(lock, isChanged);
      else if (!changed.wait_for(lock, limit, isChanged))
        return expired();
    }
  }

  const std::chrono::seconds limit;
  const std::function<void()> expired;
  std::mutex mutex;
  std::condition_variable changed;
  State state = State::Idle;
  unsigned changes = 0;
  std::thread thread;
};

} // namespace amp::bench

#endif // AMP_TOOLS_AMP_KERNEL_BENCH_WATCHDOG_H
