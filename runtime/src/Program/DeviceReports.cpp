//===-- DeviceReports.cpp - Assertions that a device checks ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/DeviceReports.h"

#include "Support/Failure.h"
#include "Support/FirstFailure.h"
#include "Support/Handle.h"

using namespace amp::rt;

AmpRtStatus DeviceReports::add(const char *call, AmpRtDevice &device,
                               const void *violated, const char *message,
                               int64_t length, int64_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!flags) {
    void *memory = nullptr;
    if (AmpRtStatus status = device.allocate(call, kPlaces, 0, memory))
      return status;
    flags = static_cast<char *>(memory);
  }
  if (taken == kPlaces)
    if (AmpRtStatus status = hearLocked(call, device, number))
      return status;
  if (AmpRtStatus status = copyBytes(call, device, flags + taken, violated,
                                     /*bytes=*/1, AMP_RT_COPY_ON_DEVICE))
    return status;
  reports[taken++] = {message, length, number};
  return AMP_RT_OK;
}

AmpRtStatus DeviceReports::hear(const char *call, AmpRtDevice &device,
                                int64_t latest) {
  std::lock_guard<std::mutex> lock(mutex);
  return hearLocked(call, device, latest);
}

AmpRtStatus DeviceReports::hearLocked(const char *call, AmpRtDevice &device,
                                      int64_t latest) {
  if (taken > 0)
    if (AmpRtStatus status =
            device.copy(call, heard, flags, taken, AMP_RT_COPY_FROM_DEVICE))
      return status;
  if (AmpRtStatus status = device.synchronize(call))
    return status;
  int count = taken;
  taken = 0;
  for (int i = 0; i < count; ++i) {
    if (!(heard[i] & 1))
      continue;
    const Report &report = reports[i];
    const int length = textLength(report.length);
    if (report.number == latest)
      return fail(AMP_RT_PROGRAM_ERROR,
                  "assertion in the compiled program failed: %.*s", length,
                  report.message);
    return fail(AMP_RT_PROGRAM_ERROR,
                "assertion in the compiled program failed: %.*s (%lld calls "
                "ago)",
                length, report.message,
                static_cast<long long>(latest - report.number));
  }
  return AMP_RT_OK;
}

AmpRtStatus DeviceReports::finish(const char *call, AmpRtDevice &device,
                                  int64_t latest) {
  std::lock_guard<std::mutex> lock(mutex);
  FirstFailure failure;
  if (taken > 0)
    failure.add(hearLocked(call, device, latest));
  // Also where the device has failed.
  taken = 0;
  if (flags)
    failure.add(device.free(call, flags));
  flags = nullptr;
  return failure.report();
}
