//===- threads.cpp - What does it cost to divide a loop? ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Question: how long does a loop of two parts take on two threads of the
// runtime's pool, beside one thread that computes both? A step is loops with
// something on one thread between them, so that the second thread may be asleep
// when the next loop begins.
//
//   threads-bench [--quick]
//
// One line for each length of a part and of what is between two loops, which
// are loops that look at the clock: microseconds, medians. A program that may
// use one CPU only learns what threads cost there.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Pool.h"
#include "amp-rt/Run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

using Clock = std::chrono::steady_clock;

static double getMicroseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::micro>(Clock::now() - since)
      .count();
}

static void compute(double microseconds) {
  const Clock::time_point begin = Clock::now();
  while (getMicroseconds(begin) < microseconds)
    ;
}

static AmpRtStatus computePart(int64_t, int64_t, void *microseconds) {
  compute(*static_cast<double *>(microseconds));
  return AMP_RT_OK;
}

/// The median time of a loop of two parts on the pool of `run`; negative if it
/// fails.
static double measure(AmpRtRun *run, double part, double between, int loops) {
  std::vector<double> times;
  const int64_t handle = ampRtRunHandle(run);
  if (ampRtRunBegin(handle) != AMP_RT_OK)
    return -1;
  AmpRtStatus status = AMP_RT_OK;
  for (int i = 0; i < loops && status == AMP_RT_OK; ++i) {
    compute(between);
    const Clock::time_point begin = Clock::now();
    status = ampRtRunParallel(handle, 2, computePart, &part);
    times.push_back(getMicroseconds(begin));
  }
  if (ampRtRunEnd(handle) != AMP_RT_OK || status != AMP_RT_OK)
    return -1;
  std::nth_element(times.begin(), times.begin() + times.size() / 2,
                   times.end());
  return times[times.size() / 2];
}

int main(int argc, char **argv) {
  const bool isQuick = argc == 2 && std::strcmp(argv[1], "--quick") == 0;
  if (argc > 1 && !isQuick) {
    std::fprintf(stderr, "expected --quick, but got '%s'\n", argv[1]);
    return 1;
  }
  AmpRtRun *alone = nullptr, *shared = nullptr;
  AmpRtPool *pool = nullptr;
  if (ampRtRunCreate(&alone) != AMP_RT_OK ||
      ampRtRunCreate(&shared) != AMP_RT_OK ||
      ampRtPoolCreate(2, &pool) != AMP_RT_OK ||
      ampRtRunSetPool(shared, pool) != AMP_RT_OK) {
    std::fprintf(stderr, "%s\n", ampRtStatusText());
    return 1;
  }
  std::printf("Loops of two parts, microseconds, %d CPUs for this process:\n\n"
              "| a part | between loops | one thread | two | one / two |\n"
              "| --- | --- | --- | --- | --- |\n",
              ampRtPoolCountCores());
  bool succeeded = true;
  for (double part : {5.0, 20.0, 100.0})
    for (double between : {0.0, 30.0, 150.0, 1000.0}) {
      const int loops = isQuick ? 20 : 1000;
      const double one = measure(alone, part, between, loops);
      const double two = measure(shared, part, between, loops);
      succeeded &= one > 0 && two > 0;
      std::printf("| %.0f | %.0f | %.1f | %.1f | %.2f |\n", part, between, one,
                  two, one / two);
    }
  ampRtRunDestroy(alone);
  ampRtRunDestroy(shared);
  ampRtPoolDestroy(pool);
  return succeeded ? 0 : 1;
}
