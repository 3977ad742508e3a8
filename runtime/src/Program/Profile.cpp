//===-- Profile.cpp - Where the time of a program goes --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Profile.h"

#include "Program/RunState.h"
#include "Support/Failure.h"
#include "Support/Handle.h"
#include "Support/SizedStruct.h"

#include <chrono>
#include <memory>
#include <new>

using namespace amp::rt;

struct AmpRtProfile {
  struct Time {
    int64_t calls = 0, nanoseconds = 0;
  };
  struct Call {
    int32_t kernel;
    int64_t begin, end;
  };

  /// Parts of one run may end on several threads.
  std::mutex mutex;
  int32_t numKernels = 0;
  int64_t numCalls = 0, mostCalls = 0;
  std::unique_ptr<Time[]> times;
  std::unique_ptr<Call[]> calls;
};

static int64_t readClock() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch())
      .count();
}

AmpRtStatus ampRtProfileCreate(int32_t kernels, int64_t calls,
                               AmpRtProfile **profile) {
  const char *call = "ampRtProfileCreate";
  if (!profile)
    return failNull(call, "profile");
  if (kernels < 0 || calls < 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected numbers of kernels and calls not to be negative, "
                "but got %d and %lld",
                call, kernels, static_cast<long long>(calls));
  std::unique_ptr<AmpRtProfile> result(new (std::nothrow) AmpRtProfile);
  if (result) {
    result->numKernels = kernels;
    result->mostCalls = calls;
    result->times.reset(new (std::nothrow) AmpRtProfile::Time[kernels]);
    result->calls.reset(new (std::nothrow) AmpRtProfile::Call[calls]);
  }
  if (!result || !result->times || !result->calls)
    return failNoMemory(call, "a profile");
  *profile = result.release();
  return AMP_RT_OK;
}

void ampRtProfileDestroy(AmpRtProfile *profile) { delete profile; }

AmpRtStatus ampRtRunSetProfile(AmpRtRun *run, AmpRtProfile *profile) {
  if (AmpRtStatus status = checkIdle("ampRtRunSetProfile", run, "profile"))
    return status;
  run->profile = profile;
  return AMP_RT_OK;
}

AmpRtStatus ampRtProfileReset(AmpRtProfile *profile) {
  if (!profile)
    return failNull("ampRtProfileReset", "profile");
  for (int32_t i = 0; i < profile->numKernels; ++i)
    profile->times[i] = {};
  profile->numCalls = 0;
  return AMP_RT_OK;
}

AmpRtStatus ampRtProfileGetTime(const AmpRtProfile *profile, int32_t kernel,
                                AmpRtKernelTime *time) {
  const char *call = "ampRtProfileGetTime";
  if (!profile)
    return failNull(call, "profile");
  if (!time)
    return failNull(call, "time");
  if (AmpRtStatus status = checkStructSize(
          call, "AmpRtKernelTime", time->structSize, sizeof(AmpRtKernelTime)))
    return status;
  if (kernel < 0 || kernel >= profile->numKernels)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected a kernel below %d, but got %d", call,
                profile->numKernels, kernel);
  const AmpRtProfile::Time &known = profile->times[kernel];
  writeStruct(AmpRtKernelTime{sizeof(AmpRtKernelTime), /*reserved=*/0,
                              known.calls, known.nanoseconds},
              *time);
  return AMP_RT_OK;
}

int64_t ampRtProfileCountCalls(const AmpRtProfile *profile) {
  return profile ? profile->numCalls : 0;
}

AmpRtStatus ampRtProfileGetCall(const AmpRtProfile *profile, int64_t index,
                                AmpRtKernelCall *result) {
  const char *call = "ampRtProfileGetCall";
  if (!profile)
    return failNull(call, "profile");
  if (!result)
    return failNull(call, "call");
  if (AmpRtStatus status = checkStructSize(
          call, "AmpRtKernelCall", result->structSize, sizeof(AmpRtKernelCall)))
    return status;
  if (index < 0 || index >= profile->numCalls)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: expected a call below %lld, but got %lld", call,
                static_cast<long long>(profile->numCalls),
                static_cast<long long>(index));
  const AmpRtProfile::Call &kept = profile->calls[index];
  writeStruct(AmpRtKernelCall{sizeof(AmpRtKernelCall), kept.kernel, kept.begin,
                              kept.end},
              *result);
  return AMP_RT_OK;
}

int64_t ampRtRunKernelBegin(int64_t handle) {
  AmpRtRun *run = fromHandle<AmpRtRun>(handle);
  return run && run->profile ? readClock() : 0;
}

void ampRtRunKernelEnd(int64_t handle, int64_t kernel, int64_t begin) {
  AmpRtRun *run = fromHandle<AmpRtRun>(handle);
  AmpRtProfile *profile = run ? run->profile : nullptr;
  if (!profile || kernel < 0 || kernel >= profile->numKernels)
    return;
  const int64_t end = readClock();
  std::lock_guard<std::mutex> lock(profile->mutex);
  AmpRtProfile::Time &time = profile->times[kernel];
  ++time.calls;
  time.nanoseconds += end - begin;
  if (profile->numCalls < profile->mostCalls)
    profile->calls[profile->numCalls++] = {static_cast<int32_t>(kernel), begin,
                                           end};
}
