//===-- ScalerOnDevice.cpp - The record of a scaler on a device -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scaler/ScalerOnDevice.h"

using namespace amp::rt;

static constexpr int64_t kBytes = sizeof(AmpRtScalerRecord);

ScalerOnDevice::~ScalerOnDevice() {
  if (memory)
    (void)device->free("ampRtScalerDestroy", memory);
}

AmpRtStatus ScalerOnDevice::settle(const char *call, AmpRtDevice &target) {
  if (device == &target)
    return AMP_RT_OK;
  void *there = nullptr;
  if (AmpRtStatus status = target.allocate(call, kBytes, 0, there))
    return status;
  if (memory)
    (void)device->free(call, memory);
  device = &target;
  memory = there;
  place = Place::Host;
  return AMP_RT_OK;
}

AmpRtStatus ScalerOnDevice::fetch(const char *call, AmpRtScalerRecord &record) {
  AmpRtStatus status =
      device->copy(call, &onItsWay, memory, kBytes, AMP_RT_COPY_FROM_DEVICE);
  if (status == AMP_RT_OK)
    status = device->synchronize(call);
  if (status == AMP_RT_OK)
    record = onItsWay;
  return status;
}

AmpRtStatus ScalerOnDevice::send(const char *call, AmpRtDevice &target,
                                 const AmpRtScalerRecord &record) {
  AmpRtStatus status = settle(call, target);
  onItsWay = record;
  if (status == AMP_RT_OK)
    status =
        target.copy(call, memory, &onItsWay, kBytes, AMP_RT_COPY_TO_DEVICE);
  // Before the next one needs the place.
  if (status == AMP_RT_OK)
    status = target.synchronize(call);
  if (status == AMP_RT_OK)
    place = Place::Both;
  return status;
}

AmpRtStatus ScalerOnDevice::read(const char *call, void *target) {
  return copyBytes(call, *device, target, memory, kBytes,
                   AMP_RT_COPY_ON_DEVICE);
}

AmpRtStatus ScalerOnDevice::write(const char *call, const void *source) {
  return copyBytes(call, *device, memory, source, kBytes,
                   AMP_RT_COPY_ON_DEVICE);
}
