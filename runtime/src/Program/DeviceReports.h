//===-- DeviceReports.h - Assertions that a device checks -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_PROGRAM_DEVICEREPORTS_H
#define AMP_RT_SRC_PROGRAM_DEVICEREPORTS_H

#include "Device/Device.h"

#include <mutex>

namespace amp::rt {

/// Whether assertions failed is known to a device long after the call that
/// asked. So each flag is copied to a place of its own there, and the host
/// looks at all of them when it waits anyway, or when all places are taken.
class DeviceReports {
public:
  /// Adds a flag, a byte whose lowest bit says that an assertion failed. The
  /// message lives as long as the program. `number` is that of the call.
  AmpRtStatus add(const char *call, AmpRtDevice &device, const void *violated,
                  const char *message, int64_t length, int64_t number);

  /// Waits for the device and forgets what was added. AMP_RT_PROGRAM_ERROR with
  /// the message of the first assertion that failed. `latest` is the number of
  /// the latest call.
  AmpRtStatus hear(const char *call, AmpRtDevice &device, int64_t latest);

  /// The same, without a wait if nothing was added, and gives memory back.
  AmpRtStatus finish(const char *call, AmpRtDevice &device, int64_t latest);

private:
  AmpRtStatus hearLocked(const char *call, AmpRtDevice &device, int64_t latest);

  static constexpr int kPlaces = 4096;

  struct Report {
    const char *message;
    int64_t length;
    int64_t number;
  };
  std::mutex mutex;
  /// kPlaces bytes of the device, or null.
  char *flags = nullptr;
  int taken = 0;
  Report reports[kPlaces];
  char heard[kPlaces];
};

} // namespace amp::rt

#endif // AMP_RT_SRC_PROGRAM_DEVICEREPORTS_H
