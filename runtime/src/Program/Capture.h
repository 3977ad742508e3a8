//===-- Capture.h - A call as a graph of its device -------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_PROGRAM_CAPTURE_H
#define AMP_RT_SRC_PROGRAM_CAPTURE_H

#include "amp-rt/Capture.h"

#include "Device/Device.h"
#include "Program/DeviceReports.h"
#include "Program/SentNumbers.h"

#include <cstdint>

/// While the call is captured, its entry points find this at the run.
struct AmpRtCapture {
  explicit AmpRtCapture(AmpRtRun &run) : run(run) {}
  AmpRtCapture(const AmpRtCapture &) = delete;

  AmpRtStatus create(const char *call, const AmpRtFunction &function,
                     void *const *arguments);
  AmpRtStatus replay(const char *call);
  /// Gives everything back.
  AmpRtStatus destroy(const char *call);

  /// A flag of an assertion: each replay hands it to the run's reports.
  AmpRtStatus addReport(const char *call, const void *violated,
                        const char *message, int64_t length);
  /// A scaler that the call reads or writes.
  AmpRtStatus addScaler(const char *call, int64_t handle, const void *record,
                        bool isWritten);

  /// Which the graph's copies read at each replay.
  amp::rt::SentNumbers numbers;

private:
  AmpRtStatus launch(const char *call);

  static constexpr int kMostReports = 1024, kMostScalers = 64;

  struct Scaler {
    int64_t handle;
    /// Of its record, which the graph has.
    const void *record;
    bool isWritten;
  };
  struct Report {
    const char *message;
    int64_t length;
  };

  AmpRtRun &run;
  AmpRtGraph *graph = nullptr;
  /// kMostReports bytes of the device.
  char *flags = nullptr;
  int reportCount = 0, scalerCount = 0;
  Report reports[kMostReports];
  Scaler scalers[kMostScalers];
};

#endif // AMP_RT_SRC_PROGRAM_CAPTURE_H
