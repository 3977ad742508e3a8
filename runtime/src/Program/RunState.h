//===-- RunState.h - The context of a call of a compiled program *- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_PROGRAM_RUNSTATE_H
#define AMP_RT_SRC_PROGRAM_RUNSTATE_H

#include "amp-rt/Capture.h"
#include "amp-rt/Load.h"
#include "amp-rt/Pool.h"
#include "amp-rt/Profile.h"
#include "amp-rt/Run.h"

#include "Device/Host/HostHeap.h"
#include "Program/DeviceBlocks.h"
#include "Program/DeviceReports.h"
#include "Program/SentNumbers.h"

#include <atomic>
#include <memory>
#include <mutex>

struct AmpRtRun {
  static constexpr uint32_t kTag = 0x4e555241; // "ARUN"

  /// kTag while the object lives (Support/Handle.h).
  uint32_t tag = kTag;

  /// Between begin and end of a call.
  std::atomic<bool> isRunning{false};

  /// How many have begun.
  std::atomic<int64_t> calls{0};

  /// Guards what follows but for `memory`, which the heap guards, and `blocks`,
  /// `sent` and `reports`, which guard themselves: threads of one call may
  /// report at the same time.
  std::mutex mutex;
  /// Errors since the call began.
  int64_t errors = 0;
  /// Of the first of them; meaningless if there is none.
  AmpRtStatus firstStatus = AMP_RT_OK;
  char first[900];

  /// The caller's, or null for a single thread.
  AmpRtPool *pool = nullptr;
  /// The caller's, or null: nobody asks for times.
  AmpRtProfile *profile = nullptr;

  /// The caller's, or null: the program runs on the host.
  AmpRtLoadedProgram *program = nullptr;
  /// Of the program, which may be gone when the run is; or null.
  AmpRtDevice *device = nullptr;

  /// What the program holds, on the host or of the device.
  amp::rt::HostHeap::Group memory;
  amp::rt::DeviceBlocks blocks;
  /// Null before the first program for a device.
  std::unique_ptr<amp::rt::SentNumbers> sent;
  std::unique_ptr<amp::rt::DeviceReports> reports;
  /// Of the call at hand, or null: what it asks for is done.
  AmpRtCapture *capture = nullptr;
  /// Of the latest call, for ampRtRunGetMemory.
  int64_t leaks = 0;
};

namespace amp::rt {

/// What a program entry point calls where another function would return a
/// failing status: keeps the first text of the call, counts the others. A
/// handle that is no run's has no call to keep it for.
void recordError(int64_t run, AmpRtStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// The handle is no run's.
AmpRtStatus failNoRun(const char *call, int64_t handle);

/// Refuses null, and a run that a call uses, whose `part` would be set.
AmpRtStatus checkIdle(const char *call, const AmpRtRun *run, const char *part);

/// The run has not begun a call, or has ended it.
AmpRtStatus failNoCall(const char *call);

/// The run, whose call has begun and which has a program on a device. If it has
/// none, the call fails.
AmpRtStatus findRunOnDevice(const char *call, int64_t handle, AmpRtRun *&run);

/// Lets the call fail with the thread's text, unless all is well, and the
/// program leave.
AmpRtStatus recordStatus(int64_t handle, AmpRtStatus status);

/// Gives back what the run has of its device, if it has one, and forgets it.
AmpRtStatus leaveDevice(const char *call, AmpRtRun &run);

} // namespace amp::rt

#endif // AMP_RT_SRC_PROGRAM_RUNSTATE_H
