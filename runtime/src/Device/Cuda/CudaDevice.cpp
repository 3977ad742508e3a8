//===-- CudaDevice.cpp - A GPU through the CUDA driver ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One stream carries everything, so calls happen in their order. Nothing of the
// driver is touched before the device is first asked for, and nothing when the
// process ends: the driver may be gone by then.
//
//===----------------------------------------------------------------------===//

#include "Device/Cuda/CudaDevice.h"

#include "Support/Failure.h"

#include <new>

using namespace amp::rt;
using namespace amp::rt::cuda;

//===----------------------------------------------------------------------===//
// The current context
//===----------------------------------------------------------------------===//

Scope::Scope(CudaDevice &device, const char *call)
    : status(AMP_RT_OK), device(device) {
  if (!device.isOpen.load(std::memory_order_acquire)) {
    status = device.failClosed(call);
    return;
  }
  Result result = device.driver.CtxPushCurrent(device.context);
  if (result != kSuccess)
    status = device.driver.fail(result, call, "cuCtxPushCurrent");
  else if (device.abandoned.load(std::memory_order_relaxed))
    device.dropCapture();
}

Scope::~Scope() {
  Context previous;
  if (status == AMP_RT_OK)
    device.driver.CtxPopCurrent(&previous);
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

AmpRtStatus CudaDevice::failClosed(const char *call) const {
  return fail(AMP_RT_UNAVAILABLE,
              "%s: device 'cuda': expected an open device, but it was closed; "
              "ask ampRtDeviceGet for it again",
              call);
}

AmpRtStatus CudaDevice::readLimits(const char *call) {
  Result result =
      driver.DeviceGetName(limits.model, sizeof(limits.model) - 1, ordinal);
  if (result != kSuccess)
    return driver.fail(result, call, "cuDeviceGetName");
  result = driver.DeviceTotalMem(&limits.totalBytes, ordinal);
  if (result != kSuccess)
    return driver.fail(result, call, "cuDeviceTotalMem");
  const struct {
    int attribute;
    int *value;
  } attributes[] = {{kDeviceMultiprocessorCount, &limits.processors},
                    {kDeviceL2CacheSize, &limits.cacheBytes},
                    {kDeviceComputeCapabilityMajor, &limits.computeMajor},
                    {kDeviceComputeCapabilityMinor, &limits.computeMinor},
                    {kDeviceMaxSharedMemoryPerBlockOptin, &limits.sharedBytes}};
  for (const auto &attribute : attributes) {
    result = driver.DeviceGetAttribute(attribute.value, attribute.attribute,
                                       ordinal);
    if (result != kSuccess)
      return driver.fail(result, call, "cuDeviceGetAttribute");
  }
  return AMP_RT_OK;
}

/// Stream and memory, in the context, which is retained.
AmpRtStatus CudaDevice::openContext(const char *call) {
  Result result = driver.CtxPushCurrent(context);
  if (result != kSuccess)
    return driver.fail(result, call, "cuCtxPushCurrent");
  AmpRtStatus status = AMP_RT_OK;
  result = driver.StreamCreate(&stream, kStreamNonBlocking);
  if (result != kSuccess)
    status = driver.fail(result, call, "cuStreamCreate");
  else
    status = memory.open(call, driver, ordinal, stream);
  if (result == kSuccess && status != AMP_RT_OK)
    driver.StreamDestroy(stream);
  Context previous;
  driver.CtxPopCurrent(&previous);
  return status;
}

AmpRtStatus CudaDevice::open(const char *call) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isOpen.load(std::memory_order_relaxed))
    return AMP_RT_OK;
  AmpRtStatus status = driver.open(call);
  if (status != AMP_RT_OK)
    return status;
  int count = 0;
  Result result = driver.DeviceGetCount(&count);
  if (result != kSuccess)
    return driver.fail(result, call, "cuDeviceGetCount");
  if (count == 0)
    return fail(AMP_RT_UNAVAILABLE,
                "%s: device 'cuda': expected a GPU, but the driver has none; "
                "see whether CUDA_VISIBLE_DEVICES leaves one, or use device "
                "'host'",
                call);
  result = driver.DeviceGet(&ordinal, 0);
  if (result != kSuccess)
    return driver.fail(result, call, "cuDeviceGet");
  status = readLimits(call);
  if (status != AMP_RT_OK)
    return status;
  result = driver.DevicePrimaryCtxRetain(&context, ordinal);
  if (result != kSuccess)
    return driver.fail(result, call, "cuDevicePrimaryCtxRetain");
  status = openContext(call);
  if (status != AMP_RT_OK)
    driver.DevicePrimaryCtxRelease(ordinal);
  else
    isOpen.store(true, std::memory_order_release);
  return status;
}

AmpRtStatus CudaDevice::close(const char *call) {
  std::lock_guard<std::mutex> lock(mutex);
  Result result;
  AmpRtStatus status = AMP_RT_OK;
  {
    Scope scope(*this, call);
    if (scope.status != AMP_RT_OK)
      return scope.status;
    long long blocks = memory.liveCount(), objects = liveObjects.load();
    if (blocks || objects)
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: device 'cuda': expected nothing of it to be live, but "
                  "there are %lld allocations and %lld modules, events and "
                  "graphs; "
                  "free them first",
                  call, blocks, objects);
    // The first failure is reported; the rest is given back all the same.
    result = driver.StreamSynchronize(stream);
    if (result != kSuccess)
      status = driver.fail(result, call, "cuStreamSynchronize");
    AmpRtStatus next = memory.close(call);
    status = status == AMP_RT_OK ? next : status;
    result = driver.StreamDestroy(stream);
    if (result != kSuccess && status == AMP_RT_OK)
      status = driver.fail(result, call, "cuStreamDestroy");
  }
  stream = nullptr;
  tensorMaps.clear();
  isOpen.store(false, std::memory_order_release);
  result = driver.DevicePrimaryCtxRelease(ordinal);
  if (result != kSuccess && status == AMP_RT_OK)
    status = driver.fail(result, call, "cuDevicePrimaryCtxRelease");
  return status;
}

AmpRtStatus amp::rt::openCudaDevice(const char *call, AmpRtDevice *&device) {
  // Never destroyed, as the host device.
  alignas(CudaDevice) static char storage[sizeof(CudaDevice)];
  static CudaDevice *cuda = new (storage) CudaDevice;
  AmpRtStatus status = cuda->open(call);
  if (status == AMP_RT_OK)
    device = cuda;
  return status;
}

//===----------------------------------------------------------------------===//
// Properties, memory, copies
//===----------------------------------------------------------------------===//

AmpRtStatus CudaDevice::properties(AmpRtDeviceProperties &properties) const {
  if (!isOpen.load(std::memory_order_acquire))
    return failClosed("ampRtDeviceGetProperties");
  properties.sharesHostMemory = 0;
  properties.totalBytes = static_cast<int64_t>(limits.totalBytes);
  properties.processors = limits.processors;
  properties.alignment = CudaMemory::kAlignment;
  properties.sharedBytesLimit = limits.sharedBytes;
  properties.cacheBytes = limits.cacheBytes;
  properties.computeMajor = limits.computeMajor;
  properties.computeMinor = limits.computeMinor;
  properties.model = limits.model;
  return AMP_RT_OK;
}

AmpRtStatus CudaDevice::allocate(const char *call, int64_t bytes,
                                 int64_t alignment, void *&pointer) {
  if (isCapturing())
    return refuseInCapture(call, "memory of a new size");
  Scope scope(*this, call);
  return scope.status == AMP_RT_OK
             ? memory.allocate(call, bytes, alignment, pointer)
             : scope.status;
}

AmpRtStatus CudaDevice::free(const char *call, void *pointer) {
  if (isCapturing())
    return refuseInCapture(call, "memory that is given back");
  Scope scope(*this, call);
  return scope.status == AMP_RT_OK ? memory.free(call, pointer) : scope.status;
}

AmpRtStatus CudaDevice::copy(const char *call, void *target, const void *source,
                             int64_t bytes, AmpRtCopyKind kind) {
  Scope scope(*this, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  auto to = reinterpret_cast<DevicePointer>(target);
  auto from = reinterpret_cast<DevicePointer>(source);
  auto size = static_cast<size_t>(bytes);
  Result result = kSuccess;
  const char *function = nullptr;
  switch (kind) {
  case AMP_RT_COPY_TO_DEVICE:
    function = "cuMemcpyHtoDAsync";
    result = driver.MemcpyHtoDAsync(to, source, size, currentStream());
    break;
  case AMP_RT_COPY_FROM_DEVICE:
    function = "cuMemcpyDtoHAsync";
    result = driver.MemcpyDtoHAsync(target, from, size, currentStream());
    break;
  case AMP_RT_COPY_ON_DEVICE:
    function = "cuMemcpyDtoDAsync";
    result = driver.MemcpyDtoDAsync(to, from, size, currentStream());
    break;
  }
  if (result == kSuccess)
    return AMP_RT_OK;
  return driver.fail(result, call, function,
                     result == kErrorInvalidValue
                         ? "see that both ranges lie inside of one allocation "
                           "each, on the side that the copy's kind names"
                         : nullptr);
}

AmpRtStatus CudaDevice::synchronize(const char *call) {
  if (isCapturing())
    return refuseInCapture(call, "a wait for the device");
  Scope scope(*this, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  Result result = driver.StreamSynchronize(stream);
  return result == kSuccess ? AMP_RT_OK
                            : driver.fail(result, call, "cuStreamSynchronize");
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

AmpRtStatus
CudaDevice::encodeTensorMap(const char *call,
                            const AmpRtTensorMapDescription &description,
                            AmpRtTensorMap &map) {
  Scope scope(*this, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  if (limits.computeMajor < 9)
    return fail(AMP_RT_UNAVAILABLE,
                "%s: device 'cuda': expected a GPU of compute capability 9.0 "
                "or later, but '%s' has %d.%d; use a kernel without tensor "
                "maps",
                call, limits.model, limits.computeMajor, limits.computeMinor);
  if (tensorMaps.find(description, map))
    return AMP_RT_OK;
  uint64_t sizes[5], strides[5];
  uint32_t steps[5], box[5];
  for (int i = 0; i < 5; ++i) {
    sizes[i] = static_cast<uint64_t>(description.sizes[i]);
    strides[i] = i < 4 ? static_cast<uint64_t>(description.strides[i]) : 0;
    steps[i] = static_cast<uint32_t>(description.elementSteps[i]);
    box[i] = static_cast<uint32_t>(description.box[i]);
  }
  TensorMap encoded;
  auto rank = static_cast<uint32_t>(description.rank);
  bool isTiled = description.kind == AMP_RT_TENSOR_MAP_TILED;
  Result result =
      isTiled
          ? driver.TensorMapEncodeTiled(
                &encoded, description.elementType, rank, description.address,
                sizes, strides, box, steps, description.interleave,
                description.swizzle, description.promotion, description.fill)
          : driver.TensorMapEncodeIm2col(
                &encoded, description.elementType, rank, description.address,
                sizes, strides, description.lowerCorner,
                description.upperCorner,
                static_cast<uint32_t>(description.channels),
                static_cast<uint32_t>(description.pixels), steps,
                description.interleave, description.swizzle,
                description.promotion, description.fill);
  if (result != kSuccess)
    return driver.fail(result, call,
                       isTiled ? "cuTensorMapEncodeTiled"
                               : "cuTensorMapEncodeIm2col",
                       "the description breaks a rule that libamp-rt does not "
                       "know; see the driver API's documentation");
  static_assert(sizeof(map) == sizeof(encoded), "both are CUtensorMap");
  std::memcpy(&map, &encoded, sizeof(map));
  tensorMaps.insert(description, map);
  return AMP_RT_OK;
}
