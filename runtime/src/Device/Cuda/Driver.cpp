//===-- Driver.cpp - The CUDA driver, opened at run time ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/Cuda/Driver.h"

#include "Support/Failure.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace amp::rt;
using namespace amp::rt::cuda;

// Tensor maps and cuGetProcAddress in its present form came with CUDA 12.0.
static constexpr int kOldestVersion = 12000;
static const char *const kOldestDriver =
    "install NVIDIA's driver 525.60 or later, or use device 'host'";

static const char *driverPath(const char *&origin) {
  const char *path = std::getenv("AMP_RT_CUDA_DRIVER");
  if (path && *path) {
    origin = "AMP_RT_CUDA_DRIVER";
    return path;
  }
  origin = "the system";
  return "libcuda.so.1";
}

AmpRtStatus Driver::resolve(const char *call, const char *path,
                            GetProcAddress getProcAddress) {
  struct {
    const char *name;
    int version;
    void **target;
    bool isOptional;
  } const functions[] = {
// NOLINTBEGIN(bugprone-macro-parentheses): names of members
#define AMP_RT_CUDA_REQUIRED(name, version, parameters)                        \
  {"cu" #name, version, reinterpret_cast<void **>(&name), false},
#define AMP_RT_CUDA_OPTIONAL(name, version, parameters)                        \
  {"cu" #name, version, reinterpret_cast<void **>(&name), true},
      AMP_RT_CUDA_FUNCTIONS(AMP_RT_CUDA_REQUIRED)
          AMP_RT_CUDA_OPTIONAL_FUNCTIONS(AMP_RT_CUDA_OPTIONAL)
#undef AMP_RT_CUDA_REQUIRED
#undef AMP_RT_CUDA_OPTIONAL
      // NOLINTEND(bugprone-macro-parentheses)
  };
  for (const auto &function : functions) {
    *function.target = nullptr;
    int found = 0;
    Result result = getProcAddress(function.name, function.target,
                                   function.version, 0, &found);
    if ((result != kSuccess || !*function.target) && !function.isOptional)
      return rt::fail(AMP_RT_UNAVAILABLE,
                      "%s: device 'cuda': expected library '%s' to have '%s' "
                      "of CUDA %d.%d, but it has not; %s",
                      call, path, function.name, function.version / 1000,
                      function.version % 1000 / 10, kOldestDriver);
  }
  return AMP_RT_OK;
}

AmpRtStatus Driver::open(const char *call) {
  const char *origin = nullptr;
  const char *path = driverPath(origin);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return rt::fail(AMP_RT_UNAVAILABLE,
                    "%s: device 'cuda': library '%s' of %s cannot be opened "
                    "(%s); %s",
                    call, path, origin, dlerror(), kOldestDriver);
  void *getProcAddress = dlsym(library, "cuGetProcAddress_v2");
  auto getVersion =
      reinterpret_cast<Result (*)(int *)>(dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  if (getVersion)
    getVersion(&version);
  if (!getProcAddress || version < kOldestVersion)
    return rt::fail(AMP_RT_UNAVAILABLE,
                    "%s: device 'cuda': expected library '%s' of %s to be a "
                    "driver for CUDA 12.0 or later, but it is for %d.%d; %s",
                    call, path, origin, version / 1000, version % 1000 / 10,
                    kOldestDriver);
  AmpRtStatus status =
      resolve(call, path, reinterpret_cast<GetProcAddress>(getProcAddress));
  if (status != AMP_RT_OK)
    return status;
  Result result = Init(0);
  if (result == kSuccess)
    return AMP_RT_OK;
  fail(result, call, "cuInit",
       "see whether 'nvidia-smi' lists a GPU and whether CUDA_VISIBLE_DEVICES "
       "leaves one, or use device 'host'");
  return AMP_RT_UNAVAILABLE;
}

/// From these on every call of the process returns the same error.
static bool losesContext(Result result) {
  return result == kErrorIllegalAddress || result == kErrorLaunchTimeout ||
         result == kErrorAssert ||
         (result >= kErrorHardwareStackError && result <= kErrorLaunchFailed);
}

static AmpRtStatus statusOf(Result result) {
  switch (result) {
  case kErrorOutOfMemory:
    return AMP_RT_OUT_OF_MEMORY;
  case kErrorNotFound:
    return AMP_RT_NOT_FOUND;
  case kErrorInvalidImage:
  case kErrorNoBinaryForGpu:
  case kErrorInvalidPtx:
  case kErrorUnsupportedPtxVersion:
    return AMP_RT_INVALID_ARGUMENT;
  default:
    return AMP_RT_DEVICE_ERROR;
  }
}

AmpRtStatus Driver::fail(Result result, const char *call, const char *function,
                         const char *remedy) const {
  const char *name = nullptr, *text = nullptr;
  if (GetErrorName(result, &name) != kSuccess || !name)
    name = "unknown to the driver";
  if (GetErrorString(result, &text) != kSuccess || !text)
    text = "an error";
  // Before the caller's remedy: nothing else helps any more.
  if (losesContext(result))
    remedy = "a kernel before this call broke the context: start the process "
             "anew, and run the kernel on device 'emulator' or under "
             "compute-sanitizer";
  else if (!remedy)
    remedy = result == kErrorOutOfMemory
                 ? "use smaller batches, or free memory of other processes"
                 : "see the driver's log ('dmesg', 'nvidia-smi')";
  return rt::fail(statusOf(result), "%s: device 'cuda': %s: %s (%s, %d); %s",
                  call, function, text, name, result, remedy);
}
