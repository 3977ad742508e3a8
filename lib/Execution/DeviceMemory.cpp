//===- DeviceMemory.cpp - Memory of a device, freed by its owner ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies wait, so that what they read or write on the host may change behind
// them.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/DeviceMemory.h"

#include "amp-rt/Device.h"

using namespace mlir::amp;
using llvm::Error;

static Error check(AmpRtStatus status) {
  return status == AMP_RT_OK ? Error::success()
                             : llvm::createStringError(ampRtStatusText());
}

llvm::Expected<std::unique_ptr<DeviceMemory>>
DeviceMemory::allocate(AmpRtDevice *device, int64_t bytes) {
  void *pointer = nullptr;
  if (Error error = check(ampRtDeviceAllocate(device, bytes, 0, &pointer)))
    return std::move(error);
  return std::unique_ptr<DeviceMemory>(
      new DeviceMemory(device, pointer, bytes));
}

DeviceMemory::~DeviceMemory() { (void)ampRtDeviceFree(device, pointer); }

Error DeviceMemory::write(const void *source) {
  if (Error error = check(ampRtDeviceCopy(device, pointer, source, bytes,
                                          AMP_RT_COPY_TO_DEVICE)))
    return error;
  return check(ampRtDeviceSynchronize(device));
}

Error DeviceMemory::read(void *target) const {
  if (Error error = check(ampRtDeviceCopy(device, target, pointer, bytes,
                                          AMP_RT_COPY_FROM_DEVICE)))
    return error;
  return check(ampRtDeviceSynchronize(device));
}
