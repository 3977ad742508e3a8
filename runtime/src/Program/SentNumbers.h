//===-- SentNumbers.h - Numbers on their way to a device --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_PROGRAM_SENTNUMBERS_H
#define AMP_RT_SRC_PROGRAM_SENTNUMBERS_H

#include "Device/Device.h"

#include <cstring>
#include <mutex>

namespace amp::rt {

/// A device may read a copy's source long after the call that asked for it, and
/// the program's own number is gone by then. So each copy has a slot here, and
/// the device is waited for only where all of them are taken.
class SentNumbers {
public:
  static constexpr int64_t kMostBytes = 16;

  /// `bytes` is above 0 and at most kMostBytes.
  AmpRtStatus send(const char *call, AmpRtDevice &device, void *target,
                   const void *source, int64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    if (taken == kSlots)
      if (AmpRtStatus status = waitLocked(call, device))
        return status;
    char *slot = slots[taken++];
    std::memcpy(slot, source, static_cast<size_t>(bytes));
    return device.copy(call, target, slot, bytes, AMP_RT_COPY_TO_DEVICE);
  }

  /// Until none is on its way.
  AmpRtStatus wait(const char *call, AmpRtDevice &device) {
    std::lock_guard<std::mutex> lock(mutex);
    return taken ? waitLocked(call, device) : AMP_RT_OK;
  }

private:
  AmpRtStatus waitLocked(const char *call, AmpRtDevice &device) {
    AmpRtStatus status = device.synchronize(call);
    if (status == AMP_RT_OK)
      taken = 0;
    return status;
  }

  static constexpr int kSlots = 4096;

  std::mutex mutex;
  /// Slots since the device was last waited for.
  int taken = 0;
  char slots[kSlots][kMostBytes];
};

} // namespace amp::rt

#endif // AMP_RT_SRC_PROGRAM_SENTNUMBERS_H
