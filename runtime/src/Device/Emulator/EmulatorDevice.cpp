//===-- EmulatorDevice.cpp - GPU kernels on the CPU, checked --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything happens in the call. Memory is the host's, but behaves as a GPU's:
// it is reached by copies, and what was not copied there or written by a kernel
// is uninitialised.
//
//===----------------------------------------------------------------------===//

#include "Device/Emulator/EmulatorDevice.h"

#include "Device/Emulator/EmulatorLibrary.h"
#include "Device/Emulator/EmulatorModule.h"
#include "Support/Failure.h"

#include <cstring>
#include <new>
#include <unistd.h>

using namespace amp::rt;
using namespace amp::rt::emulator;

//===----------------------------------------------------------------------===//
// Opening, closing, properties
//===----------------------------------------------------------------------===//

AmpRtStatus EmulatorDevice::open(const char *call) {
  std::lock_guard<std::mutex> lock(mutex);
  return functions ? AMP_RT_OK : openLibrary(call, functions);
}

AmpRtStatus amp::rt::openEmulatorDevice(const char *call,
                                        AmpRtDevice *&device) {
  // Never destroyed, as the host device.
  alignas(EmulatorDevice) static char storage[sizeof(EmulatorDevice)];
  static EmulatorDevice *emulator = new (storage) EmulatorDevice;
  AmpRtStatus status = emulator->open(call);
  if (status == AMP_RT_OK)
    device = emulator;
  return status;
}

AmpRtStatus EmulatorDevice::close(const char *call) {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t events = liveEvents;
  if (memory.count() == 0 && liveModules == 0 && events == 0)
    return AMP_RT_OK;
  return fail(AMP_RT_INVALID_ARGUMENT,
              "%s: device 'emulator': expected nothing of it to be live, but "
              "there are %lld allocations, %lld modules and %lld events; free "
              "them first",
              call, static_cast<long long>(memory.count()),
              static_cast<long long>(liveModules),
              static_cast<long long>(events));
}

AmpRtStatus
EmulatorDevice::properties(AmpRtDeviceProperties &properties) const {
  properties.sharesHostMemory = 0;
  properties.totalBytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  properties.processors = sysconf(_SC_NPROCESSORS_ONLN);
  properties.alignment = EmulatorMemory::kAlignment;
  properties.sharedBytesLimit = kSharedBytesLimit;
  properties.cacheBytes = 0;
  properties.computeMajor = 9;
  properties.computeMinor = 0;
  properties.model = "emulator of sm_90a";
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

AmpRtStatus EmulatorDevice::allocate(const char *call, int64_t bytes,
                                     int64_t alignment, void *&pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  void *result = memory.allocate(bytes, alignment);
  if (!result)
    return fail(AMP_RT_OUT_OF_MEMORY,
                "%s: device 'emulator': no memory left for %lld bytes; use "
                "smaller batches",
                call, static_cast<long long>(bytes));
  pointer = result;
  return AMP_RT_OK;
}

AmpRtStatus EmulatorDevice::free(const char *call, void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  if (memory.free(pointer))
    return AMP_RT_OK;
  return fail(AMP_RT_INVALID_ARGUMENT,
              "%s: device 'emulator': expected a pointer that this device "
              "allocated and that is not freed yet, but got %p",
              call, pointer);
}

AmpRtStatus EmulatorDevice::checkSide(const char *call, const char *side,
                                      const void *pointer, int64_t bytes,
                                      MemoryRange *&range) {
  range = memory.find(pointer, bytes);
  if (range)
    return AMP_RT_OK;
  return fail(AMP_RT_INVALID_ARGUMENT,
              "%s: device 'emulator': expected the %s to lie in memory of this "
              "device, but got %lld bytes at %p",
              call, side, static_cast<long long>(bytes), pointer);
}

AmpRtStatus EmulatorDevice::copy(const char *call, void *target,
                                 const void *source, int64_t bytes,
                                 AmpRtCopyKind kind) {
  std::lock_guard<std::mutex> lock(mutex);
  MemoryRange *to = nullptr, *from = nullptr;
  AmpRtStatus status = AMP_RT_OK;
  if (kind != AMP_RT_COPY_TO_DEVICE)
    status = checkSide(call, "source", source, bytes, from);
  if (status == AMP_RT_OK && kind != AMP_RT_COPY_FROM_DEVICE)
    status = checkSide(call, "target", target, bytes, to);
  if (status != AMP_RT_OK)
    return status;
  std::memmove(target, source, static_cast<size_t>(bytes));
  if (to)
    to->isInitialised |= !from || from->isInitialised;
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// What a kernel was given it may have written.
void EmulatorDevice::markArguments(const AmpRtLaunch &launch) {
  auto mark = [&](uint64_t address) {
    if (MemoryRange *range =
            memory.find(reinterpret_cast<void *>(uintptr_t(address)), 0))
      range->isInitialised = true;
  };
  for (int32_t i = 0; i < launch.argumentCount; ++i) {
    const auto *argument = static_cast<const char *>(launch.arguments[i]);
    PackedTensorMap map;
    if (launch.argumentBytes[i] == sizeof(map)) {
      std::memcpy(&map, argument, sizeof(map));
      if (map.magic == PackedTensorMap::kMagic) {
        mark(map.address);
        continue;
      }
    }
    // A pointer, or a struct of them.
    uint64_t address = 0;
    for (int64_t end = sizeof(address); end <= launch.argumentBytes[i];
         end += sizeof(address)) {
      std::memcpy(&address, argument + end - sizeof(address), sizeof(address));
      mark(address);
    }
  }
}

AmpRtStatus EmulatorDevice::launch(const AmpRtLaunch &launch) {
  const char *call = "ampRtDeviceLaunch";
  std::lock_guard<std::mutex> lock(mutex);
  auto *kernel =
      static_cast<EmulatorKernel *>(static_cast<AmpRtKernel *>(launch.kernel));
  if (kernel->tag != EmulatorKernel::kTag)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device 'emulator': expected 'launch->kernel' to be a "
                "kernel of a loaded module, but got %p",
                call, launch.kernel);
  AmpRtLaunch inner = launch;
  inner.kernel = kernel->kernel;
  char text[900] = "";
  AmpRtStatus status = functions->launch(&inner, memory.ranges(),
                                         memory.count(), {text, sizeof(text)});
  if (status != AMP_RT_INVALID_ARGUMENT)
    markArguments(launch);
  return status == AMP_RT_OK
             ? status
             : fail(status, "%s: kernel '%s': %s", call, kernel->name, text);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// Whether the emulator has a model of copies of that type.
static bool isModelled(int32_t type) {
  switch (type) {
  case AMP_RT_TENSOR_MAP_UINT8:
  case AMP_RT_TENSOR_MAP_UINT32:
  case AMP_RT_TENSOR_MAP_INT32:
  case AMP_RT_TENSOR_MAP_FLOAT16:
  case AMP_RT_TENSOR_MAP_FLOAT32:
  case AMP_RT_TENSOR_MAP_FLOAT64:
  case AMP_RT_TENSOR_MAP_BFLOAT16:
  case AMP_RT_TENSOR_MAP_TFLOAT32:
    return true;
  default:
    return false;
  }
}

AmpRtStatus
EmulatorDevice::encodeTensorMap(const char *call,
                                const AmpRtTensorMapDescription &description,
                                AmpRtTensorMap &map) {
  if (description.interleave != AMP_RT_TENSOR_MAP_NOT_INTERLEAVED ||
      !isModelled(description.elementType))
    return fail(AMP_RT_UNAVAILABLE,
                "%s: device 'emulator': expected a tensor map without "
                "interleave, of bytes, 32-bit integers or floats, but got "
                "interleave %d and type %d; use device 'cuda'",
                call, description.interleave, description.elementType);
  PackedTensorMap packed = {};
  packed.magic = PackedTensorMap::kMagic;
  packed.address = reinterpret_cast<uintptr_t>(description.address);
  for (int i = 0; i < description.rank; ++i) {
    packed.lastIndices[i] = static_cast<uint32_t>(description.sizes[i] - 1);
    packed.box[i] = static_cast<uint16_t>(description.box[i]);
    packed.elementSteps[i] = static_cast<uint8_t>(description.elementSteps[i]);
  }
  for (int i = 0; i < 4; ++i)
    packed.strides[i] = static_cast<uint64_t>(description.strides[i]);
  for (int i = 0; i < 3; ++i) {
    packed.lowerCorner[i] = static_cast<int16_t>(description.lowerCorner[i]);
    packed.upperCorner[i] = static_cast<int16_t>(description.upperCorner[i]);
  }
  packed.channels = static_cast<uint16_t>(description.channels);
  packed.pixels = static_cast<uint16_t>(description.pixels);
  packed.kind = static_cast<uint8_t>(description.kind);
  packed.elementType = static_cast<uint8_t>(description.elementType);
  packed.rank = static_cast<uint8_t>(description.rank);
  packed.swizzle = static_cast<uint8_t>(description.swizzle);
  packed.fill = static_cast<uint8_t>(description.fill);
  std::memcpy(&map, &packed, sizeof(map));
  return AMP_RT_OK;
}
