//===-- CudaModule.cpp - Device code and its kernels ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/Cuda/CudaModule.h"

#include "Support/Failure.h"
#include "Support/Handle.h"

#include <cstdio>
#include <cstdlib>
#include <new>

using namespace amp::rt;
using namespace amp::rt::cuda;

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

static bool startsWith(const void *image, int64_t bytes, const char *magic,
                       size_t length) {
  return bytes >= static_cast<int64_t>(length) &&
         std::memcmp(image, magic, length) == 0;
}

/// The driver takes no size: it reads as far as an ELF file's own header says.
static bool isWholeElf(const void *image, int64_t bytes) {
  auto *start = static_cast<const unsigned char *>(image);
  if (bytes < 64)
    return false;
  uint64_t sections;
  uint16_t entryBytes, count;
  std::memcpy(&sections, start + 40, sizeof(sections)); // e_shoff
  std::memcpy(&entryBytes, start + 58, sizeof(entryBytes));
  std::memcpy(&count, start + 60, sizeof(count));
  auto size = static_cast<uint64_t>(bytes);
  return sections <= size && uint64_t(entryBytes) * count <= size - sections;
}

static AmpRtStatus checkImage(const char *call, const char *name,
                              const void *image, int64_t bytes) {
  if (startsWith(image, bytes,
                 "\x7f"
                 "ELF",
                 4)) {
    if (isWholeElf(image, bytes))
      return AMP_RT_OK;
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: module '%s': expected a whole cubin, but its %lld bytes "
                "end before its sections do; build it again",
                call, name, static_cast<long long>(bytes));
  }
  if (startsWith(image, bytes, "\x50\xed\x55\xba", 4)) {
    // The header's own size and the size of what follows it.
    uint16_t header = 0;
    uint64_t rest = UINT64_MAX;
    if (bytes >= 16) {
      std::memcpy(&header, static_cast<const char *>(image) + 6, 2);
      std::memcpy(&rest, static_cast<const char *>(image) + 8, 8);
    }
    if (static_cast<uint64_t>(bytes) >= header &&
        rest <= static_cast<uint64_t>(bytes) - header)
      return AMP_RT_OK;
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: module '%s': expected a whole fatbin, but its %lld bytes "
                "end before its code does; build it again",
                call, name, static_cast<long long>(bytes));
  }
  // PTX begins with comments and its version.
  if (!std::memchr(image, 0, static_cast<size_t>(bytes)) &&
      memmem(image, static_cast<size_t>(bytes), ".version", 8))
    return AMP_RT_OK;
  return fail(
      AMP_RT_INVALID_ARGUMENT,
      "%s: module '%s': expected a cubin, a fatbin or PTX text, but the "
      "image is none; compile it for the GPU first",
      call, name);
}

/// Machine code runs on later GPUs of the same major number, or with the suffix
/// 'a' on none but its own. The suffix 'f' of families is in between and taken
/// as none. False for what is no chip.
static bool readChip(const char *chip, int &major, int &minor, bool &isExact) {
  int number = 0, end = 0;
  // One digit is the minor number, whatever comes before it is the major.
  if (std::sscanf(chip, "sm_%4d%n", &number, &end) != 1 || number < 10 ||
      chip[3] < '0' || chip[3] > '9')
    return false;
  const char *suffix = chip + end;
  major = number / 10;
  minor = number % 10;
  isExact = std::strcmp(suffix, "a") == 0;
  return isExact || !*suffix || std::strcmp(suffix, "f") == 0;
}

AmpRtStatus CudaDevice::checkChip(const char *call, const char *chip) const {
  if (!isOpen.load(std::memory_order_acquire))
    return failClosed(call);
  char remedy[64];
  std::snprintf(remedy, sizeof(remedy), "compile it for sm_%d%d%s",
                limits.computeMajor, limits.computeMinor,
                limits.computeMajor >= 9 ? "a" : "");
  if (!*chip)
    return fail(AMP_RT_UNAVAILABLE,
                "%s: device 'cuda': expected compiled kernels, but the "
                "program's are text; %s, or use device 'emulator'",
                call, remedy);
  int major = 0, minor = 0;
  bool isExact = false;
  if (!readChip(chip, major, minor, isExact))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device 'cuda': expected the program's chip to be one like "
                "'sm_90a', but got '%s'; %s",
                call, chip, remedy);
  if (major == limits.computeMajor &&
      (isExact ? minor == limits.computeMinor : minor <= limits.computeMinor))
    return AMP_RT_OK;
  return fail(AMP_RT_UNAVAILABLE,
              "%s: device 'cuda': expected kernels for the %s of compute "
              "capability %d.%d, but the program's are compiled for '%s'; %s",
              call, limits.model, limits.computeMajor, limits.computeMinor,
              chip, remedy);
}

/// "module 'x'" as the resource of a driver's failure.
static AmpRtStatus failLoading(const Driver &driver, Result result,
                               const char *call, const char *name,
                               const char *log, const CudaLimits &limits) {
  char function[400], remedy[320];
  std::snprintf(function, sizeof(function),
                "module '%s': cuModuleLoadDataEx%s%.256s", name,
                *log ? ": " : "", log);
  std::snprintf(remedy, sizeof(remedy),
                "compile for the %s, sm_%d%d%s, with a toolkit that is not "
                "newer than the driver",
                limits.model, limits.computeMajor, limits.computeMinor,
                limits.computeMajor >= 9 ? " or sm_90a" : "");
  bool isImage = result == kErrorInvalidImage ||
                 result == kErrorNoBinaryForGpu || result == kErrorInvalidPtx ||
                 result == kErrorUnsupportedPtxVersion;
  return driver.fail(result, call, function, isImage ? remedy : nullptr);
}

AmpRtStatus CudaDevice::loadModule(const char *call, const char *name,
                                   const void *image, int64_t bytes,
                                   AmpRtModule *&module) {
  Scope scope(*this, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  AmpRtStatus status = checkImage(call, name, image, bytes);
  if (status != AMP_RT_OK)
    return status;
  // PTX ends with a zero; the driver wants ELF aligned as malloc does.
  auto size = static_cast<size_t>(bytes);
  char *copy = static_cast<char *>(std::malloc(size + 1));
  if (!copy)
    return failNoMemory(call, "the image");
  std::memcpy(copy, image, size);
  copy[size] = 0;
  char log[1024] = "";
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof(log) - 1))};
  Module loaded = nullptr;
  Result result = driver.ModuleLoadDataEx(&loaded, copy, 2, options, values);
  std::free(copy);
  if (result != kSuccess)
    return failLoading(driver, result, call, name, log, limits);
  auto *object = new (std::nothrow) CudaModule(*this, loaded);
  char *text = strdup(name);
  if (!object || !text) {
    std::free(text);
    if (object)
      delete object;
    driver.ModuleUnload(loaded);
    return failNoMemory(call, "a module");
  }
  object->name = text;
  module = object;
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// CudaModule
//===----------------------------------------------------------------------===//

CudaModule::~CudaModule() {
  while (CudaKernel *kernel = kernels) {
    kernels = kernel->next;
    clearTag(kernel);
    std::free(kernel->name);
    delete kernel;
  }
  std::free(name);
  --device.liveObjects;
}

AmpRtStatus CudaModule::unload(const char *call) {
  CudaDevice &owner = device;
  Module handle = module;
  delete this;
  Scope scope(owner, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  // Code must not go while it runs.
  Result waited = owner.driver.StreamSynchronize(owner.stream);
  Result result = owner.driver.ModuleUnload(handle);
  if (waited != kSuccess)
    return owner.driver.fail(waited, call, "cuStreamSynchronize");
  return result == kSuccess ? AMP_RT_OK
                            : owner.driver.fail(result, call, "cuModuleUnload");
}

AmpRtStatus CudaModule::kernel(const char *call, const char *kernelName,
                               AmpRtKernel *&kernel) {
  Scope scope(device, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  std::lock_guard<std::mutex> lock(mutex);
  for (CudaKernel *known = kernels; known; known = known->next)
    if (std::strcmp(known->name, kernelName) == 0) {
      kernel = known;
      return AMP_RT_OK;
    }
  CudaKernel *created = nullptr;
  AmpRtStatus status = create(call, kernelName, created);
  if (status == AMP_RT_OK)
    kernel = created;
  return status;
}

AmpRtStatus CudaModule::create(const char *call, const char *kernelName,
                               CudaKernel *&kernel) {
  Function function = nullptr;
  Result result =
      device.driver.ModuleGetFunction(&function, module, kernelName);
  if (result == kErrorNotFound)
    return fail(AMP_RT_NOT_FOUND,
                "%s: module '%s': expected a kernel '%s', but there is none of "
                "that name; see the names with 'cuobjdump -elf'",
                call, name, kernelName);
  if (result != kSuccess)
    return device.driver.fail(result, call, "cuModuleGetFunction");
  auto *created = new (std::nothrow) CudaKernel(*this, function);
  char *text = strdup(kernelName);
  AmpRtStatus status =
      !created || !text ? failNoMemory(call, "a kernel") : created->read(call);
  if (status != AMP_RT_OK) {
    std::free(text);
    delete created;
    return status;
  }
  created->name = text;
  created->next = kernels;
  kernels = created;
  kernel = created;
  return AMP_RT_OK;
}
