//===-- DeviceRegistry.cpp - Devices by name, and the C interface ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/Device.h"
#include "Support/Failure.h"

#include <cstring>

using namespace amp::rt;

AmpRtStatus ampRtDeviceGet(const char *name, AmpRtDevice **device) {
  const char *call = "ampRtDeviceGet";
  if (!name)
    return failNull(call, "name");
  if (!device)
    return failNull(call, "device");
  if (std::strcmp(name, "host") == 0) {
    *device = &hostDevice();
    return AMP_RT_OK;
  }
  if (std::strcmp(name, "cuda") == 0 || std::strcmp(name, "emulator") == 0)
    return fail(AMP_RT_UNAVAILABLE,
                "%s: device '%s': expected a device of this build, but "
                "libamp-rt was built without it; use device 'host'",
                call, name);
  return fail(AMP_RT_NOT_FOUND,
              "%s: device '%s': expected a known device, but there is none of "
              "that name; use device 'host'",
              call, name);
}

const char *ampRtDeviceName(const AmpRtDevice *device) {
  return device ? device->name() : nullptr;
}

AmpRtStatus ampRtDeviceGetProperties(const AmpRtDevice *device,
                                     AmpRtDeviceProperties *properties) {
  const char *call = "ampRtDeviceGetProperties";
  if (!device)
    return failNull(call, "device");
  if (!properties)
    return failNull(call, "properties");
  if (properties->version != AMP_RT_DEVICE_PROPERTIES_VERSION)
    return failVersion(call, "AmpRtDeviceProperties",
                       AMP_RT_DEVICE_PROPERTIES_VERSION, properties->version);
  device->properties(*properties);
  return AMP_RT_OK;
}

AmpRtStatus ampRtDeviceAllocate(AmpRtDevice *device, int64_t bytes,
                                int64_t alignment, void **pointer) {
  const char *call = "ampRtDeviceAllocate";
  if (!device)
    return failNull(call, "device");
  if (!pointer)
    return failNull(call, "pointer");
  return device->allocate(call, bytes, alignment, *pointer);
}

AmpRtStatus ampRtDeviceFree(AmpRtDevice *device, void *pointer) {
  const char *call = "ampRtDeviceFree";
  if (!device)
    return failNull(call, "device");
  return pointer ? device->free(call, pointer) : AMP_RT_OK;
}

AmpRtStatus ampRtDeviceCopy(AmpRtDevice *device, void *target,
                            const void *source, int64_t bytes,
                            AmpRtCopyKind kind) {
  const char *call = "ampRtDeviceCopy";
  if (!device)
    return failNull(call, "device");
  if (bytes < 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected 'bytes' not to be negative, but got "
                "%lld",
                call, device->name(), static_cast<long long>(bytes));
  if (static_cast<unsigned>(kind) > AMP_RT_COPY_ON_DEVICE)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected an AmpRtCopyKind, but got %d", call,
                device->name(), static_cast<int>(kind));
  if (bytes == 0)
    return AMP_RT_OK;
  if (!target)
    return failNull(call, "target");
  if (!source)
    return failNull(call, "source");
  return device->copy(target, source, bytes, kind);
}

AmpRtStatus ampRtDeviceGetStatistics(const AmpRtDevice *device,
                                     AmpRtDeviceStatistics *statistics) {
  const char *call = "ampRtDeviceGetStatistics";
  if (!device)
    return failNull(call, "device");
  if (!statistics)
    return failNull(call, "statistics");
  if (statistics->version != AMP_RT_DEVICE_STATISTICS_VERSION)
    return failVersion(call, "AmpRtDeviceStatistics",
                       AMP_RT_DEVICE_STATISTICS_VERSION, statistics->version);
  device->statistics(*statistics);
  return AMP_RT_OK;
}

AmpRtStatus ampRtDeviceResetPeak(AmpRtDevice *device) {
  if (!device)
    return failNull("ampRtDeviceResetPeak", "device");
  device->resetPeak();
  return AMP_RT_OK;
}

AmpRtStatus ampRtDeviceLaunch(AmpRtDevice *device, const AmpRtLaunch *launch) {
  const char *call = "ampRtDeviceLaunch";
  if (!device)
    return failNull(call, "device");
  if (!launch)
    return failNull(call, "launch");
  if (launch->version != AMP_RT_LAUNCH_VERSION)
    return failVersion(call, "AmpRtLaunch", AMP_RT_LAUNCH_VERSION,
                       launch->version);
  if (!launch->kernel)
    return failNull(call, "launch->kernel");
  bool isEmpty = false;
  for (int i = 0; i < 3; ++i) {
    if (launch->grid[i] < 0 || launch->threads[i] < 1)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: device '%s': expected grid sizes of at least 0 and "
                  "thread counts of at least 1, but got %lld and %lld in "
                  "dimension %d",
                  call, device->name(), static_cast<long long>(launch->grid[i]),
                  static_cast<long long>(launch->threads[i]), i);
    isEmpty |= launch->grid[i] == 0;
  }
  return isEmpty ? AMP_RT_OK : device->launch(*launch);
}

AmpRtStatus ampRtDeviceSynchronize(AmpRtDevice *device) {
  if (!device)
    return failNull("ampRtDeviceSynchronize", "device");
  return device->synchronize();
}
