//===-- DeviceRegistry.cpp - Devices by name, and the C interface ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/Device.h"
#include "Support/Failure.h"
#include "Support/SizedStruct.h"

#include <algorithm>
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
  if (std::strcmp(name, "cuda") == 0)
    return openCudaDevice(call, *device);
  if (std::strcmp(name, "emulator") == 0)
    return openEmulatorDevice(call, *device);
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
  AmpRtDeviceProperties known = {};
  if (AmpRtStatus status = checkStructSize(
          call, "AmpRtDeviceProperties", properties->structSize, sizeof(known)))
    return status;
  if (AmpRtStatus status = device->properties(known))
    return status;
  writeStruct(known, *properties);
  return AMP_RT_OK;
}

AmpRtStatus amp::rt::checkAllocation(const char *call,
                                     const AmpRtDevice &device, int64_t bytes,
                                     int64_t alignment) {
  if (bytes < 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected 'bytes' not to be negative, but "
                "got %lld",
                call, device.name(), static_cast<long long>(bytes));
  // Above 2^32 no address space has room for the padding.
  if (alignment < 0 || (alignment & (alignment - 1)) != 0 ||
      alignment > INT64_C(1) << 32)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected 'alignment' to be a power of two "
                "up to 2^32, but got %lld; use 0 for the device's own",
                call, device.name(), static_cast<long long>(alignment));
  return AMP_RT_OK;
}

AmpRtStatus ampRtDeviceAllocate(AmpRtDevice *device, int64_t bytes,
                                int64_t alignment, void **pointer) {
  const char *call = "ampRtDeviceAllocate";
  if (!device)
    return failNull(call, "device");
  if (!pointer)
    return failNull(call, "pointer");
  AmpRtStatus status = checkAllocation(call, *device, bytes, alignment);
  if (status != AMP_RT_OK)
    return status;
  return device->allocate(call, bytes, alignment, *pointer);
}

AmpRtStatus ampRtDeviceFree(AmpRtDevice *device, void *pointer) {
  const char *call = "ampRtDeviceFree";
  if (!device)
    return failNull(call, "device");
  return pointer ? device->free(call, pointer) : AMP_RT_OK;
}

AmpRtStatus amp::rt::checkCopy(const char *call, const AmpRtDevice &device,
                               const void *target, const void *source,
                               int64_t bytes) {
  if (bytes < 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected 'bytes' not to be negative, but got "
                "%lld",
                call, device.name(), static_cast<long long>(bytes));
  if (bytes == 0)
    return AMP_RT_OK;
  if (!target)
    return failNull(call, "target");
  return source ? AMP_RT_OK : failNull(call, "source");
}

AmpRtStatus amp::rt::copyBytes(const char *call, AmpRtDevice &device,
                               void *target, const void *source, int64_t bytes,
                               AmpRtCopyKind kind) {
  AmpRtStatus status = checkCopy(call, device, target, source, bytes);
  if (status != AMP_RT_OK || bytes == 0)
    return status;
  return device.copy(call, target, source, bytes, kind);
}

AmpRtStatus ampRtDeviceCopy(AmpRtDevice *device, void *target,
                            const void *source, int64_t bytes,
                            AmpRtCopyKind kind) {
  const char *call = "ampRtDeviceCopy";
  if (!device)
    return failNull(call, "device");
  if (static_cast<unsigned>(kind) > AMP_RT_COPY_ON_DEVICE)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected an AmpRtCopyKind, but got %d", call,
                device->name(), static_cast<int>(kind));
  return copyBytes(call, *device, target, source, bytes, kind);
}

AmpRtStatus ampRtDeviceGetStatistics(const AmpRtDevice *device,
                                     AmpRtDeviceStatistics *statistics) {
  const char *call = "ampRtDeviceGetStatistics";
  if (!device)
    return failNull(call, "device");
  if (!statistics)
    return failNull(call, "statistics");
  AmpRtDeviceStatistics known = {};
  if (AmpRtStatus status = checkStructSize(
          call, "AmpRtDeviceStatistics", statistics->structSize, sizeof(known)))
    return status;
  device->statistics(known);
  writeStruct(known, *statistics);
  return AMP_RT_OK;
}

AmpRtStatus ampRtDeviceResetPeak(AmpRtDevice *device) {
  if (!device)
    return failNull("ampRtDeviceResetPeak", "device");
  device->resetPeak();
  return AMP_RT_OK;
}

/// Grid, threads and cluster of a launch; the cluster's zeros become ones.
static AmpRtStatus checkShape(const char *call, const AmpRtDevice &device,
                              AmpRtLaunch &launch) {
  for (int i = 0; i < 3; ++i) {
    if (launch.grid[i] < 0 || launch.threads[i] < 1)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: device '%s': expected grid sizes of at least 0 and "
                  "thread counts of at least 1, but got %lld and %lld in "
                  "dimension %d",
                  call, device.name(), static_cast<long long>(launch.grid[i]),
                  static_cast<long long>(launch.threads[i]), i);
    if (launch.cluster[i] == 0)
      launch.cluster[i] = 1;
    if (launch.cluster[i] < 0 || launch.grid[i] % launch.cluster[i] != 0)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: device '%s': expected the cluster to divide the grid, "
                  "but got %lld and %lld in dimension %d; round the grid up "
                  "and let the kernel skip the rest",
                  call, device.name(),
                  static_cast<long long>(launch.cluster[i]),
                  static_cast<long long>(launch.grid[i]), i);
  }
  return AMP_RT_OK;
}

static AmpRtStatus checkArguments(const char *call, const AmpRtDevice &device,
                                  const AmpRtLaunch &launch) {
  if (launch.argumentCount < 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected 'argumentCount' not to be negative, "
                "but got %d",
                call, device.name(), launch.argumentCount);
  if (launch.argumentCount == 0)
    return AMP_RT_OK;
  if (!launch.arguments)
    return failNull(call, "launch->arguments");
  if (!launch.argumentBytes)
    return failNull(call, "launch->argumentBytes");
  for (int32_t i = 0; i < launch.argumentCount; ++i)
    if (!launch.arguments[i] || launch.argumentBytes[i] < 1)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: device '%s': expected argument %d to have an address "
                  "and a size of at least 1, but got %p and %lld",
                  call, device.name(), i, launch.arguments[i],
                  static_cast<long long>(launch.argumentBytes[i]));
  return AMP_RT_OK;
}

/// All but the arguments; `checked` is the launch with its cluster's ones.
static AmpRtStatus checkLaunch(const char *call, const AmpRtDevice *device,
                               const AmpRtLaunch *launch,
                               AmpRtLaunch &checked) {
  if (!device)
    return failNull(call, "device");
  if (!launch)
    return failNull(call, "launch");
  AmpRtStatus status = readStruct(call, "AmpRtLaunch", *launch, checked);
  if (status != AMP_RT_OK)
    return status;
  if (!checked.kernel)
    return failNull(call, "launch->kernel");
  if ((checked.flags & ~unsigned(AMP_RT_LAUNCH_OVERLAPS)) != 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected flags of AMP_RT_LAUNCH_..., but got "
                "0x%x",
                call, device->name(), checked.flags);
  return checkShape(call, *device, checked);
}

AmpRtStatus ampRtDeviceLaunch(AmpRtDevice *device, const AmpRtLaunch *launch) {
  const char *call = "ampRtDeviceLaunch";
  AmpRtLaunch checked;
  AmpRtStatus status = checkLaunch(call, device, launch, checked);
  if (status == AMP_RT_OK)
    status = checkArguments(call, *device, checked);
  if (status != AMP_RT_OK)
    return status;
  bool isEmpty =
      checked.grid[0] == 0 || checked.grid[1] == 0 || checked.grid[2] == 0;
  return isEmpty ? AMP_RT_OK : device->launch(checked);
}

AmpRtStatus AmpRtDevice::residentBlocks(const char *, const AmpRtLaunch &,
                                        int64_t &blocks) {
  blocks = INT64_MAX;
  return AMP_RT_OK;
}

AmpRtStatus ampRtDeviceFitGrid(AmpRtDevice *device, AmpRtLaunch *launch,
                               int64_t blocksPerProcessor, int64_t multiple) {
  const char *call = "ampRtDeviceFitGrid";
  AmpRtLaunch checked;
  AmpRtStatus status = checkLaunch(call, device, launch, checked);
  if (status != AMP_RT_OK)
    return status;
  int64_t cluster = checked.cluster[0];
  if (blocksPerProcessor < 1 || blocksPerProcessor > 32 || multiple < 1 ||
      multiple > INT32_MAX || multiple % cluster != 0)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected 1 to 32 blocks for each "
                "multiprocessor and a multiple of the cluster's %lld blocks, "
                "but got %lld and %lld",
                call, device->name(), static_cast<long long>(cluster),
                static_cast<long long>(blocksPerProcessor),
                static_cast<long long>(multiple));
  if (checked.grid[1] != 1 || checked.grid[2] != 1)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected a grid of one dimension, but got "
                "%lld x %lld x %lld; launch it as it is",
                call, device->name(), static_cast<long long>(checked.grid[0]),
                static_cast<long long>(checked.grid[1]),
                static_cast<long long>(checked.grid[2]));
  AmpRtDeviceProperties properties = {};
  status = device->properties(properties);
  int64_t resident = 0;
  if (status == AMP_RT_OK)
    status = device->residentBlocks(call, checked, resident);
  if (status != AMP_RT_OK)
    return status;
  int64_t blocks = std::min(
      {checked.grid[0], resident, blocksPerProcessor * properties.processors});
  launch->grid[0] = std::max(blocks / multiple, int64_t(1)) * multiple;
  return AMP_RT_OK;
}

AmpRtStatus ampRtDeviceSynchronize(AmpRtDevice *device) {
  const char *call = "ampRtDeviceSynchronize";
  return device ? device->synchronize(call) : failNull(call, "device");
}

AmpRtStatus ampRtDeviceClose(AmpRtDevice *device) {
  const char *call = "ampRtDeviceClose";
  return device ? device->close(call) : failNull(call, "device");
}

AmpRtStatus ampRtDeviceNativeStream(AmpRtDevice *device, void **stream) {
  const char *call = "ampRtDeviceNativeStream";
  if (!device)
    return failNull(call, "device");
  if (!stream)
    return failNull(call, "stream");
  *stream = device->nativeStream();
  return AMP_RT_OK;
}
