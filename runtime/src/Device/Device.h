//===-- Device.h - What a device implements ---------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of amp-rt/Device.h check what does not depend on the device
// (nulls, versions, negative sizes) and then call these methods, one for each.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_DEVICE_DEVICE_H
#define AMP_RT_SRC_DEVICE_DEVICE_H

#include "amp-rt/Device.h"

struct AmpRtDevice {
  virtual const char *name() const = 0;
  virtual void properties(AmpRtDeviceProperties &properties) const = 0;
  /// `bytes` is not negative; `alignment` is 0 or a power of two.
  virtual AmpRtStatus allocate(const char *call, int64_t bytes,
                               int64_t alignment, void *&pointer) = 0;
  /// `pointer` is not null.
  virtual AmpRtStatus free(const char *call, void *pointer) = 0;
  /// `bytes` is above 0, the pointers are not null.
  virtual AmpRtStatus copy(void *target, const void *source, int64_t bytes,
                           AmpRtCopyKind kind) = 0;
  virtual void statistics(AmpRtDeviceStatistics &statistics) const = 0;
  virtual void resetPeak() = 0;
  /// The grid is not empty and no number in it negative.
  virtual AmpRtStatus launch(const AmpRtLaunch &launch) = 0;
  virtual AmpRtStatus synchronize() = 0;

protected:
  // Devices are the library's own and never deleted.
  ~AmpRtDevice() = default;
};

namespace amp::rt {

/// The one host device of the process.
AmpRtDevice &hostDevice();

} // namespace amp::rt

#endif // AMP_RT_SRC_DEVICE_DEVICE_H
